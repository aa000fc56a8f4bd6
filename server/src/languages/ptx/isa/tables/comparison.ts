import type { Form, InstructionEntry } from '../schema.js';

/** Which comparisons a type has: orderings of bits, of signed and unsigned integers, and of floating-point numbers. */
const comparisons = {
  bits: 'eq ne',
  signed: 'eq ne lt le gt ge',
  unsigned: 'eq ne lt le gt ge lo ls hi hs',
  float: 'eq ne lt le gt ge equ neu ltu leu gtu geu num nan',
} as const;

interface Source {
  readonly compare: keyof typeof comparisons;
  readonly types: string;
  readonly ftz: boolean;
  readonly gate?: Pick<Form, 'isa' | 'sm'>;
  /** The combining predicate may not be a constant. */
  readonly isRegisterOnly?: boolean;
}

const sources: readonly Source[] = [
  { compare: 'bits', types: 'b16 b32 b64', ftz: false },
  { compare: 'unsigned', types: 'u16 u32 u64', ftz: false },
  { compare: 'signed', types: 's16 s32 s64', ftz: false },
  { compare: 'float', types: 'f32', ftz: true },
  { compare: 'float', types: 'f64', ftz: false },
];

const f16: Source = { compare: 'float', types: 'f16', ftz: true, gate: { isa: '4.2', sm: 53 } };
const bf16: Source = {
  compare: 'float',
  types: 'bf16',
  ftz: false,
  gate: { isa: '7.8', sm: 90 },
  isRegisterOnly: true,
};
const f16x2: Source = { compare: 'float', types: 'f16x2', ftz: true, gate: { isa: '4.2', sm: 53 } };
const bf16x2: Source = { ...bf16, types: 'bf16x2' };

const combined = (source: Source): string => (source.isRegisterOnly === true ? 'c:r pred' : 'c:pred');
const ftz = (source: Source): string => (source.ftz ? '{.ftz}' : '');

/** A comparison alone, and one whose result is combined with a predicate. */
function setpForms(source: Source, destination: string): readonly Form[] {
  const sets = { cmp: comparisons[source.compare], t: source.types };
  return [
    { modifiers: `.$cmp${ftz(source)}.$t`, operands: `${destination}, a:t, b:t`, sets, ...source.gate },
    {
      modifiers: `.$cmp.(and|or|xor)${ftz(source)}.$t`,
      operands: `${destination}, a:t, b:t, ${combined(source)}`,
      sets,
      ...source.gate,
    },
  ];
}

function setForms(source: Source, destinations: string, gate?: Pick<Form, 'isa' | 'sm'>): readonly Form[] {
  const sets = { cmp: comparisons[source.compare], d: destinations, t: source.types };
  // A bf16 result is a bit pattern that integer registers take too.
  const result = destinations === 'bf16' ? 'u16' : destinations === 'bf16x2' ? 'u32' : 'd';
  const later = gate ?? source.gate;
  return [
    { modifiers: `.$cmp${ftz(source)}.$d.$t`, operands: `d:w ${result}, a:t, b:t`, sets, ...later },
    {
      modifiers: `.$cmp.(and|or|xor)${ftz(source)}.$d.$t`,
      operands: `d:w ${result}, a:t, b:t, ${destinations === 'bf16' ? 'c:r pred' : combined(source)}`,
      sets,
      ...later,
    },
  ];
}

const half = { isa: '4.2', sm: 53 };
const brain = { isa: '7.8', sm: 90 };
const values = 'b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64';

export const comparison: readonly InstructionEntry[] = [
  {
    opcode: 'setp',
    group: 'comparison and selection',
    text: 'Compares two values and writes the outcome to a predicate, and its opposite to a second one after `|`. With `.and`, `.or` or `.xor` both are combined with the predicate `c` (which may be negated): the second gets the combination of the opposite. Unsigned integers also have `lo ls hi hs`. Floating-point comparisons come in two kinds: `lt` and its like are false when an operand is NaN, `ltu` and its like are true; `num` and `nan` ask just that. Packed half-precision types compare both halves, the first predicate gets the low one and the second the high one.',
    forms: [
      ...sources.flatMap((source) => setpForms(source, 'p{|q}:w _ pred')),
      ...[f16, bf16].flatMap((source) => setpForms(source, 'p:w _ pred')),
      ...[f16x2, bf16x2].flatMap((source) => setpForms(source, 'p{|q}:w _ pred')),
    ],
  },
  {
    opcode: 'set',
    group: 'comparison and selection',
    text: 'Compares two values and writes the outcome as a number: all ones or zero for integer destinations, 1.0 or 0.0 for floating-point ones. The first type is that of the destination, the second that of the operands. With `.and`, `.or` or `.xor` the outcome is combined with the predicate `c`. Rarely seen now that predicates are free; `setp` and `selp` are as good.',
    forms: [
      ...sources.flatMap((source) => setForms(source, 'u32 s32 f32')),
      ...sources.flatMap((source) => setForms(source, 'f16', half)),
      ...sources.flatMap((source) => setForms({ ...source, ftz: false }, 'bf16', brain)),
      ...setForms(f16, 'f16', half),
      ...setForms(f16, 'u32 s32 u16', { isa: '6.5', sm: 53 }),
      ...setForms({ ...f16, ftz: false }, 'bf16', brain),
      ...setForms(bf16, 'u32 s32 u16'),
      ...setForms(bf16, 'bf16'),
      ...setForms(f16x2, 'f16x2', half),
      ...setForms(f16x2, 'u32', { isa: '6.5', sm: 53 }),
      ...setForms(bf16x2, 'bf16x2'),
      ...setForms(bf16x2, 'u32'),
    ],
  },
  {
    opcode: 'selp',
    group: 'comparison and selection',
    text: 'Selects `a` when the predicate is true and `b` otherwise: one instruction, no branch, both values must exist. Types matter only by width; any `.bN` does. This is also the way to turn a predicate into a number.',
    forms: [{ modifiers: '.$t', operands: 'd:w t, a:t, b:t, c:pred', sets: { t: values } }],
  },
  {
    opcode: 'slct',
    group: 'comparison and selection',
    text: 'Selects `a` when `c` is zero or positive and `b` otherwise. For f32, -0 counts as zero and NaN selects `b`; `.ftz` flushes `c` before the test.',
    forms: [
      { modifiers: '.$t.s32', operands: 'd:w t, a:t, b:t, c:s32', sets: { t: values } },
      { modifiers: '{.ftz}.$t.f32', operands: 'd:w t, a:t, b:t, c:f32', sets: { t: values } },
    ],
  },
];
