/**
 * Video instructions: scalar and SIMD arithmetic on bytes and half-words that operands select (`a.b0`, `a.h1`,
 * `a.b7654`), with a second operation or a merge into `c`. No machine since Kepler has them all in hardware: most are
 * expanded to several instructions. Which modifiers go together is ptxas 13.0.88's verdict.
 */
import type { Form, InstructionEntry } from '../schema.js';

const types = { t: 'u32 s32', a: 'u32 s32', b: 'u32 s32' };
const comparisons = '.(eq|ne|lt|le|gt|ge)';
const scalarGate = { isa: '2.0', sm: 20 };
const simdGate = { isa: '3.0', sm: 30 };

const scalarForms = (shift: string): Form[] => [
  {
    modifiers: `.$t.$a.$b{.sat}${shift}`,
    operands: 'd:w t, a:a part, b:b part',
    sets: types,
    checks: 'selectors',
    ...scalarGate,
  },
  {
    modifiers: `.$t.$a.$b{.sat}${shift}`,
    operands: 'd:w t part, a:a part, b:b part, c:t',
    sets: types,
    checks: 'selectors',
    ...scalarGate,
    note: 'The result is merged into the byte or half of `c` that `d` selects.',
  },
  {
    modifiers: `.$t.$a.$b{.sat}${shift}.(add|min|max)`,
    operands: 'd:w t, a:a part, b:b part, c:t',
    sets: types,
    checks: 'selectors',
    ...scalarGate,
    note: 'The result is combined with `c`.',
  },
];

const scalar: readonly (readonly [opcode: string, what: string, shift?: string])[] = [
  ['vadd', 'adds `a` and `b`'],
  ['vsub', 'subtracts `b` from `a`'],
  ['vabsdiff', 'takes the absolute difference of `a` and `b`'],
  ['vmin', 'takes the smaller of `a` and `b`'],
  ['vmax', 'takes the larger of `a` and `b`'],
  ['vshl', 'shifts `a` left by `b`, clamped to 32 or wrapped', '.(clamp|wrap)'],
  ['vshr', 'shifts `a` right by `b`, clamped to 32 or wrapped', '.(clamp|wrap)'],
];

const simd: readonly (readonly [name: string, what: string])[] = [
  ['vadd', 'Sums'],
  ['vsub', 'Differences'],
  ['vavrg', 'Rounded averages'],
  ['vabsdiff', 'Absolute differences'],
  ['vmin', 'Minima'],
  ['vmax', 'Maxima'],
];

const lanes: readonly (readonly [suffix: string, what: string])[] = [
  ['2', 'two half-words'],
  ['4', 'four bytes'],
];

/** Lanes are chosen from eight bytes or four half-words, those of `a` and `b` together. */
const merged = (type: string): string => `d:w ${type} part, a:r a part, b:r b part, c:r ${type}`;

export const videoEntries: readonly InstructionEntry[] = [
  ...scalar.map(([opcode, what, shift = '']): InstructionEntry => ({
    opcode,
    group: 'video',
    text: `Selects bytes or half-words, ${what} in 34 bits, saturates if asked, and then adds to, compares with or merges into \`c\`.`,
    forms: scalarForms(shift),
  })),
  {
    opcode: 'vmad',
    group: 'video',
    text: 'Multiplies selected bytes or half-words and adds `c`, which may be negated; `.po` adds one more, `.shr7` and `.shr15` scale the result.',
    forms: [
      {
        modifiers: '.$t.$a.$b{.po}{.sat}{.(shr7|shr15)}',
        operands: 'd:w t, a:a part -, b:b part -, c:t -',
        sets: types,
        checks: 'selectors videoNegation',
        ...scalarGate,
      },
    ],
  },
  {
    opcode: 'vset',
    group: 'video',
    text: 'Compares selected bytes or half-words; the result is 1 or 0, combined with or merged into `c` if it is given.',
    forms: [
      {
        modifiers: `.$a.$b${comparisons}`,
        operands: 'd:w b, a:a part, b:b part',
        sets: { a: types.a, b: types.b },
        checks: 'selectors',
        ...scalarGate,
      },
      {
        modifiers: `.$a.$b${comparisons}`,
        operands: 'd:w b part, a:a part, b:b part, c:b',
        sets: { a: types.a, b: types.b },
        checks: 'selectors',
        ...scalarGate,
      },
      {
        modifiers: `.$a.$b${comparisons}.(add|min|max)`,
        operands: 'd:w b, a:a part, b:b part, c:b',
        sets: { a: types.a, b: types.b },
        checks: 'selectors',
        ...scalarGate,
      },
    ],
  },
  ...lanes.flatMap(([suffix, elements]) => [
    ...simd.map(([name, what]): InstructionEntry => ({
      opcode: `${name}${suffix}`,
      group: 'video',
      text: `${what} of ${elements} at once, chosen from \`a\` and \`b\`; elements that \`d\` does not select come from \`c\`. With \`.add\` the results are summed with \`c\`.`,
      forms: [
        {
          modifiers: '.$t.$a.$b{.sat}',
          operands: merged('t'),
          sets: types,
          checks: 'selectors',
          ...simdGate,
        },
        { modifiers: '.$t.$a.$b.add', operands: merged('t'), sets: types, checks: 'selectors', ...simdGate },
      ],
    })),
    {
      opcode: `vset${suffix}`,
      group: 'video',
      text: `Compares ${elements} at once, each giving 1 or 0; with \`.add\` the results are summed with \`c\`.`,
      forms: [
        {
          modifiers: `.$a.$b${comparisons}{.add}`,
          operands: merged('b'),
          sets: { a: types.a, b: types.b },
          checks: 'selectors',
          ...simdGate,
        },
      ],
    } satisfies InstructionEntry,
  ]),
];
