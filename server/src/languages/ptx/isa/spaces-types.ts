import { directiveFrom, directives, type Directive, type DirectiveRow } from './directives.js';

/**
 * State spaces and types, and every word with a dot that is no modifier alone. After the PTX ISA manual.
 */

/** A place where values live. */
export interface StateSpace extends Directive {
  readonly group: 'state space';
  /** `threads` of that scope see one instance of a variable. */
  readonly sharedBy: 'thread' | 'block' | 'cluster' | 'grid' | 'context';
  readonly isAddressable: boolean;
  readonly isWritable: boolean;
  readonly hasInitializer: boolean;
}

type SpaceRow = readonly [sharedBy: StateSpace['sharedBy'], traits: string, ...DirectiveRow];

/** Traits: `a` has addresses, `w` can be written, `i` may be initialised. */
const spaceRows: readonly SpaceRow[] = [
  [
    'thread',
    'w',
    '.reg',
    'body parameter',
    '.reg TYPE NAME, NAME<COUNT>;',
    'Virtual registers: as many as wanted; `%r<10>` declares `%r0` to `%r9`. How many are declared says nothing about hardware registers; how many are live at once does. ptxas allocates at most 255 of 32 bits a thread and spills the rest to local memory. No addresses.',
    [],
    '.reg ${1:.b32} ${2:%r}<${3:10}>;',
  ],
  ['thread', '', '.sreg', '', '', 'Special registers, predefined and read-only. Cannot be declared.'],
  [
    'grid',
    'ai',
    '.const',
    'module linkage body',
    '.const TYPE NAME[SIZE] = INITIALISER;',
    'Constant memory, 64 KiB of it for static variables, through a cache of its own. Fast when all lanes of a warp read the same address, serialised when not.',
  ],
  [
    'context',
    'awi',
    '.global',
    'module linkage body',
    '.global TYPE NAME[SIZE] = INITIALISER;',
    'Device memory, seen by all threads of the context and by the host, alive as long as the module. Several hundred cycles away when not cached.',
  ],
  [
    'thread',
    'aw',
    '.local',
    'body',
    '.local TYPE NAME[SIZE];',
    'Private memory of a thread, in device memory behind the caches, interleaved so that lanes with equal offsets coalesce. Holds arrays with computed indices; what the back-end spills lies there too, but bytes of `.local` are no spilled registers.',
  ],
  [
    'grid',
    'a',
    '.param',
    'body parameter',
    '.param TYPE NAME[SIZE];',
    'Parameters. Of a kernel: read-only, the same for all threads, in constant memory. In a body: a slot for the arguments or results of a call, private to the thread; the back-end keeps it in registers where it can.',
  ],
  ['grid', 'a', '.param::entry', '', '', 'Parameters of a kernel, said explicitly.', ['8.3']],
  ['thread', 'aw', '.param::func', '', '', 'Parameters of a function, said explicitly.', ['8.3']],
  [
    'block',
    'aw',
    '.shared',
    'module linkage body',
    '.shared TYPE NAME[SIZE];',
    'On-chip memory of a block, in 32 banks of 4 bytes: lanes that hit one bank at different words wait for each other. How much a block takes limits how many blocks fit. Not initialised.',
  ],
  [
    'block',
    'aw',
    '.shared::cta',
    '',
    '',
    'Shared memory of the own block: what `.shared` means in a declaration.',
    ['7.8', 30],
  ],
  [
    'cluster',
    'aw',
    '.shared::cluster',
    '',
    '',
    'Shared memory of any block of the cluster; `mapa` makes such addresses.',
    ['7.8', 90],
  ],
  [
    'context',
    'a',
    '.tex',
    '',
    '',
    'Textures in PTX ISA before 1.5; write `.global .texref`. ptxas 13.0 refuses it.',
  ],
];

export const stateSpaces: ReadonlyMap<string, StateSpace> = new Map(
  spaceRows.map(([sharedBy, traits, ...row]) => [
    row[0],
    {
      ...directiveFrom('state space', row),
      sharedBy,
      isAddressable: traits.includes('a'),
      isWritable: traits.includes('w'),
      hasInitializer: traits.includes('i'),
    },
  ]),
);

/** A type that variables or registers can have. */
export interface FundamentalType extends Directive {
  readonly group: 'type';
  readonly bits: number;
  /** May be the type of a `.reg` variable. */
  readonly isRegister: boolean;
}

type TypeRow = readonly [name: string, bits: number, text: string, isa?: string, sm?: number];

const integerText = (kind: string, bits: number): string =>
  bits === 8
    ? `${kind} of 8 bits. Arithmetic has no 8-bit form: load it into a wider register.`
    : `${kind} of ${bits} bits.`;

const typeRows: readonly TypeRow[] = [
  ...[8, 16, 32, 64].flatMap((bits): TypeRow[] => [
    [`.s${bits}`, bits, integerText('Signed integer', bits)],
    [`.u${bits}`, bits, integerText('Unsigned integer', bits)],
    [`.b${bits}`, bits, `${bits} bits without meaning: fits every operand of the same width.`],
  ]),
  ['.b128', 128, '128 bits without meaning.', '8.3', 70],
  ['.f16', 16, 'Half precision: 5 bits of exponent, 10 of fraction.', '4.2', 53],
  ['.f16x2', 32, 'Two halves in one register, the first in the low bits.', '4.2', 53],
  ['.f32', 32, 'Single precision.'],
  [
    '.f64',
    64,
    'Double precision: runs at a small fraction of the f32 rate on all but datacenter machines.',
    '1.4',
    13,
  ],
  [
    '.pred',
    1,
    'Predicate: true or false, in one of seven hardware predicates. Cannot be stored or passed to kernels.',
  ],
];

const opaqueRows: readonly TypeRow[] = [
  [
    '.texref',
    64,
    'Texture (and, unless the target says `texmode_independent`, its sampler). Declared in `.global` or as a parameter.',
    '1.5',
  ],
  ['.samplerref', 64, 'Sampler: filtering and addressing. With `texmode_independent` alone.', '1.5'],
  ['.surfref', 64, 'Surface: an image that can be written.', '1.5'],
];

/** What a value costs: narrow ones take a whole register too. */
const room = (bits: number): string =>
  bits === 1
    ? ''
    : ` Takes ${bits <= 32 ? 'one 32-bit register' : `${bits >> 5} 32-bit registers, aligned`}.`;

const typeOf =
  (isRegister: boolean) =>
  ([name, bits, text, isa, sm]: TypeRow): FundamentalType => ({
    ...directiveFrom('type', [
      name,
      '',
      `${isRegister ? '.reg' : '.global'} ${name} NAME;`,
      isRegister ? text + room(bits) : text,
      [isa, sm],
    ]),
    bits,
    isRegister,
  });

export const fundamentalTypes: ReadonlyMap<string, FundamentalType> = new Map(
  [...typeRows.map(typeOf(true)), ...opaqueRows.map(typeOf(false))].map((type) => [type.name, type]),
);

const vectorRows: readonly DirectiveRow[] = [
  [
    '.v2',
    '',
    '.reg .v2 .f32 NAME;',
    'A vector of two: components `.x .y` (or `.r .g`). Each is a register of its own.',
  ],
  [
    '.v4',
    '',
    '.reg .v4 .f32 NAME;',
    'A vector of four: components `.x .y .z .w` (or `.r .g .b .a`). At most 128 bits.',
  ],
];

const vectors = new Map(vectorRows.map((row) => [row[0], directiveFrom('type', row)]));

/** Directive, state space or type of a word with its dot; a sub-space without an entry of its own is its space. */
export function wordOf(word: string): Directive | undefined {
  const colon = word.indexOf('::');
  return (
    directives.get(word) ??
    stateSpaces.get(word) ??
    fundamentalTypes.get(word) ??
    vectors.get(word) ??
    (colon < 0 ? undefined : stateSpaces.get(word.slice(0, colon)))
  );
}

/** Everything that may begin a statement or stand in a declaration, types aside. */
export const writtenWords: readonly Directive[] = [...directives.values(), ...stateSpaces.values()];
