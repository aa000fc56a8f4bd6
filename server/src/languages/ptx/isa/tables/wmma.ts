/**
 * `wmma`: matrix multiply with fragments whose layout is not told. Fragments of one kind go from `wmma.load` through
 * `wmma.mma` to `wmma.store` and nowhere else; `mma` is the newer way, with known layouts.
 */
import type { Form, Gate, InstructionEntry } from '../schema.js';
import { fragment } from './fragments.js';

const spaces = '{.$ss}';
const spaceSet = { ss: 'global shared shared::cta' };
const spaceGates = { '.shared::cta': { isa: '7.8' } };
const layouts = '.(row|col)';

/** One element type (or a few alike): shapes with the registers of A and B, and the accumulators. */
interface Family {
  readonly elements: readonly string[];
  /** Shape, registers of A, of B, of the accumulators. */
  readonly shapes: readonly (readonly [shape: string, a: number, b: number, d: number])[];
  /** Types of D and C; for f16 elements any pair. */
  readonly accumulator: string;
  /** A and B in row and column order alone. */
  readonly fixedLayout?: boolean;
  readonly before?: string;
  readonly after?: string;
  readonly gate: Gate;
}

const families: readonly Family[] = [
  {
    elements: ['u8', 's8'],
    shapes: [
      ['m16n16k16', 2, 2, 8],
      ['m8n32k16', 1, 4, 8],
      ['m32n8k16', 4, 1, 8],
    ],
    accumulator: 's32',
    after: '{.satfinite}',
    gate: { isa: '6.3', sm: 72 },
  },
  {
    elements: ['bf16'],
    shapes: [
      ['m16n16k16', 4, 4, 8],
      ['m8n32k16', 2, 8, 8],
      ['m32n8k16', 8, 2, 8],
    ],
    accumulator: 'f32',
    gate: { isa: '7.0', sm: 80 },
  },
  {
    elements: ['tf32'],
    shapes: [['m16n16k8', 4, 4, 8]],
    accumulator: 'f32',
    gate: { isa: '7.0', sm: 80 },
  },
  {
    elements: ['f64'],
    shapes: [['m8n8k4', 1, 1, 2]],
    accumulator: 'f64',
    before: '{.(rn|rz|rm|rp)}',
    gate: { isa: '7.0', sm: 80 },
  },
  {
    elements: ['u4', 's4'],
    shapes: [['m8n8k32', 1, 1, 2]],
    accumulator: 's32',
    fixedLayout: true,
    after: '{.satfinite}',
    gate: { isa: '6.3', sm: 75 },
  },
  {
    elements: ['b1'],
    shapes: [['m8n8k128', 1, 1, 2]],
    accumulator: 's32',
    fixedLayout: true,
    gate: { isa: '6.3', sm: 75 },
  },
];

const halfShapes = ['m16n16k16', 'm8n32k16', 'm32n8k16'];
const half: Gate = { isa: '6.3', sm: 70 };

/** Integers take integer registers here, unlike in `mma`. */
const registers = (element: string, count: number): string =>
  fragment(/^[us]\d$/.test(element) ? 's32' : element, count);

const load = (
  part: string,
  layout: string,
  shape: string,
  element: string,
  count: number,
  gate: Gate,
): Form => ({
  modifiers: `.load.${part}^.sync.aligned${layout}.${shape}${spaces}.${element}`,
  operands: `d:w ${registers(element, count)}, [a:$ss], {stride:u32}`,
  sets: spaceSet,
  gates: spaceGates,
  checks: 'bracedFragments',
  note: 'The stride between rows (columns for `.col`) counts elements.',
  ...gate,
});

const store = (shape: string, element: string, count: number, gate: Gate): Form => ({
  modifiers: `.store.d^.sync.aligned${layouts}.${shape}${spaces}.${element}`,
  operands: `[a:$ss], d:${registers(element, count)}, {stride:u32}`,
  sets: spaceSet,
  gates: spaceGates,
  checks: 'bracedFragments',
  ...gate,
});

function familyForms(family: Family): Form[] {
  const { accumulator, gate, before = '', after = '' } = family;
  return family.shapes.flatMap(([shape, a, b, d]) => {
    const aLayout = family.fixedLayout ? '.row' : layouts;
    const bLayout = family.fixedLayout ? '.col' : layouts;
    return [
      ...family.elements.flatMap((element) => [
        load('a', aLayout, shape, element, a, gate),
        load('b', bLayout, shape, element, b, gate),
        multiply(
          element === 'b1' ? '.mma.(xor|and).popc' : '.mma',
          `${aLayout}${bLayout}.${shape}${before}.${accumulator}.${element}.${element}.${accumulator}${after}`,
          [
            registers(accumulator, d),
            registers(element, a),
            registers(element, b),
            registers(accumulator, d),
          ],
          gate,
          element === 'b1' ? { '.and': { isa: '7.1', sm: 80 } } : undefined,
        ),
      ]),
      load('c', layouts, shape, accumulator, d, gate),
      store(shape, accumulator, d, gate),
    ];
  });
}

function multiply(
  name: string,
  modifiers: string,
  [d, a, b, c]: readonly string[],
  gate: Gate,
  gates?: Readonly<Record<string, Gate>>,
): Form {
  return {
    modifiers: `${name}^.sync.aligned${modifiers}`,
    operands: `d:w ${d}, a:${a}, b:${b}, c:${c}`,
    checks: 'bracedFragments',
    ...(gates !== undefined && { gates }),
    ...gate,
  };
}

const accumulators: readonly (readonly [type: string, count: number])[] = [
  ['f16', 4],
  ['f32', 8],
];

const halfForms: readonly Form[] = halfShapes.flatMap((shape) => [
  load('a', layouts, shape, 'f16', 8, half),
  load('b', layouts, shape, 'f16', 8, half),
  ...accumulators.flatMap(([type, count]) => [
    load('c', layouts, shape, type, count, half),
    store(shape, type, count, half),
    ...accumulators.map(([other, otherCount]) =>
      multiply(
        '.mma',
        `${layouts}${layouts}.${shape}.${type}.${other}`,
        [fragment(type, count), fragment('f16', 8), fragment('f16', 8), fragment(other, otherCount)],
        half,
      ),
    ),
  ]),
]);

/** The accumulators of a shape serve several element types: the first one has the widest gate. */
function unique(forms: readonly Form[]): Form[] {
  const found = new Map<string, Form>();
  for (const form of forms) {
    const key = `${form.modifiers} ${form.operands}`;
    if (!found.has(key)) found.set(key, form);
  }
  return [...found.values()];
}

export const wmmaEntries: readonly InstructionEntry[] = [
  {
    opcode: 'wmma',
    group: 'matrix',
    text: 'Warp-wide matrix multiply and add, D = A * B + C. `wmma.load` fills fragments from memory with a stride in elements, `wmma.mma` multiplies, `wmma.store` writes D. How elements lie in the fragment is not defined and differs between machines: touch fragments with element-wise operations alone. All lanes must execute it together. `mma` with `ldmatrix` is as fast or faster on every machine that has it.',
    forms: unique([...halfForms, ...families.flatMap(familyForms)]),
  },
];
