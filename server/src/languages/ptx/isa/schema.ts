/**
 * The PTX instruction set as data. An instruction has forms; a form is a modifier pattern, an operand pattern and
 * the first PTX ISA version and architecture that have it. Patterns are text, in the notation of PTX manuals,
 * compiled once when an opcode is first met. What the patterns cannot say stands in named checks.
 *
 * Modifier pattern, in the order in which ptxas wants them:
 *   `.wide`             this modifier
 *   `{.sat}`            may be left out
 *   `.(rn|rz|rm|rp)`    one of these        `{.(rn|rz)}`  one or none
 *   `.$t`               one of the set `t` of `sets`, and operands can refer to it
 *
 * Operand pattern: comma-separated `name:kind`, optional ones in braces at the end: `d:w t, a:t, b:t, {c:pred}`.
 * A kind says what may stand there:
 *   `t` (a set name or a type such as u32, b64, pred)  a register of that type, or a constant where the manual allows it
 *   prefixes: `w` written, `rw` read and written, `r` register only (no constant), `i` constant only,
 *             `v` vector in braces, `a` address in brackets, `l` label, `f` function, `s` special register
 * The full list of kinds is `OperandKind` in match.ts.
 */
export interface InstructionEntry {
  /** Without modifiers: `add`, `cp`, `mma`. */
  readonly opcode: string;
  readonly group: InstructionGroup;
  /** A paragraph in our own words: what it computes, what to watch for. Markdown. */
  readonly text: string;
  readonly forms: readonly Form[];
}

export interface Form {
  readonly modifiers: string;
  readonly operands: string;
  /** Values of the sets named in the patterns, blank-separated: `{ t: 'u16 u32 u64' }`. */
  readonly sets?: Readonly<Record<string, string>>;
  /** First PTX ISA version, such as '7.8'. */
  readonly isa?: string;
  /** First architecture (80 for sm_80). */
  readonly sm?: number;
  /** Only on architecture-specific targets, such as 'sm_90a sm_100a'. */
  readonly only?: string;
  /** Later gates of single modifiers or types: `{ '.relu': { isa: '7.0', sm: 80 } }`. */
  readonly gates?: Readonly<Record<string, { readonly isa?: string; readonly sm?: number }>>;
  /** One sentence where the form differs from the entry's text. */
  readonly note?: string;
}

export type InstructionGroup =
  | 'integer arithmetic'
  | 'floating point'
  | 'half precision'
  | 'comparison and selection'
  | 'logic and shift'
  | 'data movement'
  | 'conversion'
  | 'texture and surface'
  | 'control flow'
  | 'synchronisation'
  | 'atomics and reductions'
  | 'warp'
  | 'matrix'
  | 'asynchronous copy'
  | 'tensor memory'
  | 'video'
  | 'miscellaneous';
