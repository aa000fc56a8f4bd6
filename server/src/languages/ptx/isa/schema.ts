/**
 * The PTX instruction set as data. An instruction has forms; a form is a modifier pattern, an operand pattern and
 * the first PTX ISA version and architecture that have it. Patterns are text, in the notation of PTX manuals,
 * compiled once when an opcode is first met (pattern.ts). What patterns cannot say stands in named checks
 * (checks.ts).
 *
 * Modifier pattern, in the order in which people write them:
 *   `.wide`             this modifier
 *   `.(rn|rz|rm|rp)`    one of these
 *   `.$t`               one of the set `t` of `sets`, and operands can refer to it
 *   `{...}`             what is in braces may be left out, as a whole: `{.sat}` `{.(relaxed|acquire).$scope}`
 *   `^`                 what stands before it is part of the name: `.(lo|hi)^.$t`
 * ptxas takes modifiers in any order, but for those that it counts to the name, which must come first, and for
 * types, whose order among each other matters (tested with 13.0). A modifier may hold `::`, as in
 * `.shared::cta`: a dot is the only separator.
 *
 * Operand pattern: comma-separated operands, groups that may be left out in braces: `d:w t, a:t, {b:u32}`.
 *   `name:WORDS`              an ordinary operand
 *   `name{|p}:WORDS`          with an optional second predicate destination `d|p`;  `name|p:WORDS` with a required one
 *   `[a:SPACE]`               an address; SPACE is a state space, `$ss` (the space in that set; generic when the
 *                             modifier is left out), or nothing (any space)
 *   `[a:WORDS, c:WORDS]`      an address with more elements, such as a texture with coordinates
 *   `... if .m`, `... unless .m`   this operand stands exactly when the modifier does (or does not), or one of
 *                             several (`if .a|.b`): `p:r b64 if .L2::cache_hint`
 * WORDS, in any order:
 *   `w` written, `rw` read and written (neither: read)
 *   `r` register only, no constant;  `i` constant only
 *   `n` may be negated with `!`;  `-` may have a `-` before it;  `s` may also be a special register;  `y` may also be the name of a variable,
 *   function or label (its address);  `_` may be the sink `_`
 *   `v4` braces with four elements;  `v$vec` as many as the value of set `vec` says, with the number after `=` (in
 *   `sets`, no part of the modifier) or the digits at its end; one when the modifier is left out. One element may
 *   stand with or without braces. With `_`, single elements may be the sink; with `__`, `_` may stand for them all.
 *   `loose` a braced list of integers may stand for floats of their width
 *   `exact` a register of this very type, none of another type of its width
 *   `part` a byte or half may be selected, `a.b0` or `a.h1` (video instructions)
 *   `0..31` the bounds of a constant; `0|1` its only values
 *   a type: a PTX type (`u32`, `pred`, `f16x2`), a set of types (`t`), or `wide(t)` (the integer type of twice the
 *   width), `bits(t)` (the `.b` type of the same width). `t+`: a register may be wider than the type, as in ld, st
 *   and cvt.
 *   instead of a type: `label`, `function`, `list` (call's parentheses), `targets` (the label of a
 *   `.branchtargets`), `prototype` (the label of a `.callprototype` or `.calltargets`), `texref`, `samplerref`,
 *   `surfref`, `any`
 * What a register of a given type may hold is one rule for all instructions (types.ts).
 */
export interface InstructionEntry {
  /** Without modifiers: `add`, `cp`, `mma`. One entry an opcode. */
  readonly opcode: string;
  readonly group: InstructionGroup;
  /** A paragraph in our own words: what it computes, what to watch for. Markdown. */
  readonly text: string;
  readonly forms: readonly Form[];
}

export interface Form {
  readonly modifiers: string;
  readonly operands: string;
  /** Values of the sets named in the patterns, blank-separated and without dots: `{ t: 'u16 u32', n: 'x1=4 x2=8' }`. */
  readonly sets?: Readonly<Record<string, string>>;
  /** First PTX ISA version, such as '7.8'. */
  readonly isa?: string;
  /** First architecture (80 for sm_80). */
  readonly sm?: number;
  /**
   * Only on architecture-specific targets, such as 'sm_90a sm_100f'. `sm_100a` means this target alone, `sm_100f`
   * this and newer members of its family (sm_100f, sm_100a, sm_103f, sm_103a).
   */
  readonly only?: string;
  /** Later gates of single modifiers or types: `{ '.relu': { isa: '7.0', sm: 80 } }`. */
  readonly gates?: Readonly<Record<string, Gate>>;
  /** Gone from this version on, for architectures from `sm` on. */
  readonly removed?: { readonly isa: string; readonly sm: number; readonly instead: string };
  /** What to write where the version or architecture does not have this form: 'two loads of half the width'. */
  readonly instead?: string;
  /** Blank-separated names of functions in checks.ts, for rules that patterns cannot say. */
  readonly checks?: string;
  /** One sentence where the form differs from the entry's text. */
  readonly note?: string;
}

export interface Gate {
  readonly isa?: string;
  readonly sm?: number;
  readonly only?: string;
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
