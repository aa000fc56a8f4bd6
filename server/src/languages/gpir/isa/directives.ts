/** The directives of the dialect, as data: syntax, what they are good for, how an editor completes them. */
export interface Directive {
  readonly name: string;
  readonly syntax: string;
  readonly text: string;
  /** What is inserted, with tab stops. */
  readonly snippet: string;
}

const rows: readonly Directive[] = [
  {
    name: '.program',
    syntax: '.program NAME',
    text: 'Begins a program and names it. It reaches to the next `.program` or the end of the file; labels, values and registers belong to one program.',
    snippet: '.program ${1:name}',
  },
  {
    name: '.attribute',
    syntax: '.attribute aN NAME',
    text: 'Names an attribute vector, `a0` to `a15`: an input that changes from vertex to vertex. The name is shown in hovers; the code says `aN.x`.',
    snippet: '.attribute a${1:0} ${2:in_position}',
  },
  {
    name: '.uniform',
    syntax: '.uniform uN NAME',
    text: 'Names a uniform vector: an input that is the same for all vertices of a draw call. Constants of the program and temporaries lie above the highest uniform that is declared or read.',
    snippet: '.uniform u${1:0} ${2:name}',
  },
  {
    name: '.varying',
    syntax: '.varying vN NAME [position | point_size]',
    text: 'Names an output vector, `v0` to `v15`. `position` marks the one that holds the position in window coordinates (with 1/w in its fourth component), `point_size` the one that holds the size of points.',
    snippet: '.varying v${1:0} ${2:name}',
  },
  {
    name: '.live_out',
    syntax: '.live_out REGISTER, REGISTER...',
    text: 'Registers that somebody reads after the program has ended. It makes the text a fragment: a register that is read before it is written then counts as handed over at the start, and is no mistake.',
    snippet: '.live_out @${1:register}',
  },
];

export const directives: ReadonlyMap<string, Directive> = new Map(rows.map((row) => [row.name, row]));

/** What may follow the name in `.varying`. */
export const varyingRoles: ReadonlyMap<string, string> = new Map([
  ['position', 'the position of the vertex in window coordinates; the fourth component is 1/w'],
  ['point_size', 'the width of a point in pixels, in the first component'],
]);
