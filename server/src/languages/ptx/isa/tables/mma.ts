/**
 * `mma`: warp-wide matrix multiply with fragments of known layout. Each row of the tables below is a shape with its
 * element types; the number of registers of a fragment is its share of the matrix, 32 bits at a time. Every row, its
 * counts, selector ranges and gates were assembled with ptxas 13.0.88.
 */
import type { Form, Gate, InstructionEntry } from '../schema.js';
import { fragment } from './fragments.js';

interface Row {
  readonly shape: string;
  /** Element types of A and of B; with one list B has the same type as A. */
  readonly a: string;
  readonly b?: string;
  /** Type of D and of C. */
  readonly d: string;
  readonly c?: string;
  /** Registers of D (and C), A, B. */
  readonly counts: readonly [d: number, a: number, b: number];
  readonly gate: Gate;
  readonly layout?: string;
  /** Modifiers before the type of D, and after that of C. */
  readonly before?: string;
  readonly after?: string;
  /** Sparse: what the selector may be. */
  readonly selector?: string;
  readonly gates?: Readonly<Record<string, Gate>>;
}

const turing: Gate = { isa: '6.5', sm: 75 };
const ampere: Gate = { isa: '7.0', sm: 80 };
const hopper: Gate = { isa: '7.8', sm: 90 };
const ada: Gate = { isa: '8.4', sm: 89 };
const adaLater: Gate = { isa: '8.7', sm: 89 };
const blackwellConsumer: Gate = { isa: '8.7', only: 'sm_120f' };

const blackwell: Gate = { isa: '8.6', only: 'sm_100f sm_110f sm_120f' };
const blackwellLater: Gate = { ...blackwell, isa: '8.7' };

const kind = '.kind::f8f6f4';
const rounding = '{.(rn|rz|rm|rp)}';
const saturate = '{.satfinite}';
const bytes = 'u8 s8';
const nibbles = 'u4 s4';
const eight = 'e4m3 e5m2';
const narrow = 'e4m3 e5m2 e3m2 e2m3 e2m1';
const anyLayout = '.(row|col).(row|col)';
const bits = { after: '.(xor|and).popc', gates: { '.and': { isa: '7.1', sm: 80 } } };

const dense: readonly Row[] = [
  { shape: 'm8n8k4', a: 'f16', d: 'f16', counts: [4, 2, 2], layout: anyLayout, gate: { isa: '6.4', sm: 70 } },
  { shape: 'm8n8k4', a: 'f16', d: 'f32', counts: [8, 2, 2], layout: anyLayout, gate: { isa: '6.4', sm: 70 } },
  {
    shape: 'm8n8k4',
    a: 'f16',
    d: 'f32',
    c: 'f16',
    counts: [8, 2, 2],
    layout: anyLayout,
    gate: { isa: '6.4', sm: 70 },
  },
  { shape: 'm16n8k8', a: 'f16', d: 'f16', counts: [2, 2, 1], gate: turing },
  { shape: 'm16n8k8', a: 'f16', d: 'f32', counts: [4, 2, 1], gate: turing },
  { shape: 'm16n8k16', a: 'f16', d: 'f16', counts: [2, 4, 2], gate: ampere },
  { shape: 'm16n8k16', a: 'f16', d: 'f32', counts: [4, 4, 2], gate: ampere },
  { shape: 'm16n8k8', a: 'bf16', d: 'f32', counts: [4, 2, 1], gate: ampere },
  { shape: 'm16n8k16', a: 'bf16', d: 'f32', counts: [4, 4, 2], gate: ampere },
  { shape: 'm16n8k4', a: 'tf32', d: 'f32', counts: [4, 2, 1], gate: ampere },
  { shape: 'm16n8k8', a: 'tf32', d: 'f32', counts: [4, 4, 2], gate: ampere },
  { shape: 'm8n8k4', a: 'f64', d: 'f64', counts: [2, 1, 1], before: rounding, gate: ampere },
  { shape: 'm16n8k4', a: 'f64', d: 'f64', counts: [4, 2, 1], before: rounding, gate: hopper },
  { shape: 'm16n8k8', a: 'f64', d: 'f64', counts: [4, 4, 2], before: rounding, gate: hopper },
  { shape: 'm16n8k16', a: 'f64', d: 'f64', counts: [4, 8, 4], before: rounding, gate: hopper },
  { shape: 'm16n8k32', a: eight, b: eight, d: 'f32', counts: [4, 4, 2], gate: ada },
  { shape: 'm16n8k16', a: eight, b: eight, d: 'f32', counts: [4, 2, 1], gate: adaLater },
  { shape: 'm16n8k32', a: eight, b: eight, d: 'f16', counts: [2, 4, 2], gate: adaLater },
  { shape: 'm16n8k16', a: eight, b: eight, d: 'f16', counts: [2, 2, 1], gate: adaLater },
  { shape: 'm8n8k16', a: bytes, b: bytes, d: 's32', counts: [2, 1, 1], before: saturate, gate: turing },
  { shape: 'm16n8k16', a: bytes, b: bytes, d: 's32', counts: [4, 2, 1], before: saturate, gate: ampere },
  { shape: 'm16n8k32', a: bytes, b: bytes, d: 's32', counts: [4, 4, 2], before: saturate, gate: ampere },
  { shape: 'm8n8k32', a: nibbles, b: nibbles, d: 's32', counts: [2, 1, 1], before: saturate, gate: turing },
  { shape: 'm16n8k32', a: nibbles, b: nibbles, d: 's32', counts: [4, 2, 1], before: saturate, gate: ampere },
  { shape: 'm16n8k64', a: nibbles, b: nibbles, d: 's32', counts: [4, 4, 2], before: saturate, gate: ampere },
  { shape: 'm8n8k128', a: 'b1', d: 's32', counts: [2, 1, 1], ...bits, gate: { isa: '7.0', sm: 75 } },
  { shape: 'm16n8k128', a: 'b1', d: 's32', counts: [4, 2, 1], ...bits, gate: ampere },
  { shape: 'm16n8k256', a: 'b1', d: 's32', counts: [4, 4, 2], ...bits, gate: ampere },
  { shape: 'm16n8k32', a: eight, b: eight, d: 'f32', counts: [4, 4, 2], before: kind, gate: blackwell },
  { shape: 'm16n8k32', a: eight, b: eight, d: 'f16', counts: [2, 4, 2], before: kind, gate: blackwellLater },
  {
    shape: 'm16n8k32',
    a: narrow,
    b: narrow,
    d: 'f32',
    counts: [4, 4, 2],
    before: kind,
    gate: blackwellConsumer,
  },
  {
    shape: 'm16n8k32',
    a: narrow,
    b: narrow,
    d: 'f16',
    counts: [2, 4, 2],
    before: kind,
    gate: blackwellConsumer,
  },
];

const sparseGate: Gate = { isa: '7.1', sm: 80 };

const sparse: readonly Row[] = [
  { shape: 'm16n8k16', a: 'f16', d: 'f16', counts: [2, 2, 2], selector: '0..3', gate: sparseGate },
  { shape: 'm16n8k16', a: 'f16', d: 'f32', counts: [4, 2, 2], selector: '0..3', gate: sparseGate },
  { shape: 'm16n8k32', a: 'f16', d: 'f16', counts: [2, 4, 4], selector: '0..3', gate: sparseGate },
  { shape: 'm16n8k32', a: 'f16', d: 'f32', counts: [4, 4, 4], selector: '0..3', gate: sparseGate },
  { shape: 'm16n8k16', a: 'bf16', d: 'f32', counts: [4, 2, 2], selector: '0..3', gate: sparseGate },
  { shape: 'm16n8k32', a: 'bf16', d: 'f32', counts: [4, 4, 4], selector: '0..1', gate: sparseGate },
  { shape: 'm16n8k8', a: 'tf32', d: 'f32', counts: [4, 2, 2], selector: '0..3', gate: sparseGate },
  { shape: 'm16n8k16', a: 'tf32', d: 'f32', counts: [4, 4, 4], selector: '0..1', gate: sparseGate },
  {
    shape: 'm16n8k32',
    a: bytes,
    b: bytes,
    d: 's32',
    counts: [4, 2, 2],
    before: saturate,
    selector: '0..1',
    gate: sparseGate,
  },
  {
    shape: 'm16n8k64',
    a: bytes,
    b: bytes,
    d: 's32',
    counts: [4, 4, 4],
    before: saturate,
    selector: '0..0',
    gate: sparseGate,
  },
  {
    shape: 'm16n8k64',
    a: nibbles,
    b: nibbles,
    d: 's32',
    counts: [4, 2, 2],
    before: saturate,
    selector: '0..1',
    gate: sparseGate,
  },
  {
    shape: 'm16n8k128',
    a: nibbles,
    b: nibbles,
    d: 's32',
    counts: [4, 4, 4],
    before: saturate,
    selector: '0..0',
    gate: sparseGate,
  },
  { shape: 'm16n8k64', a: eight, b: eight, d: 'f32', counts: [4, 4, 4], selector: '0..0', gate: ada },
];

/** With `sp::ordered_metadata` alone. */
const sparseNarrow: readonly Row[] = [
  {
    shape: 'm16n8k64',
    a: eight,
    b: eight,
    d: 'f32',
    counts: [4, 4, 4],
    before: kind,
    selector: '0..0',
    gate: blackwell,
  },
  {
    shape: 'm16n8k64',
    a: eight,
    b: eight,
    d: 'f16',
    counts: [2, 4, 4],
    selector: '0..0',
    gate: blackwellConsumer,
  },
  {
    shape: 'm16n8k64',
    a: narrow,
    b: narrow,
    d: 'f32',
    counts: [4, 4, 4],
    before: kind,
    selector: '0..0',
    gate: blackwellConsumer,
  },
  {
    shape: 'm16n8k64',
    a: narrow,
    b: narrow,
    d: 'f16',
    counts: [2, 4, 4],
    before: kind,
    selector: '0..0',
    gate: blackwellConsumer,
  },
];

const layoutOf = (row: Row): string => row.layout ?? '.row.col';

function plain(prefix: string, row: Row, sparseOperands: string, gate: Gate, note?: string): Form {
  const { shape, a, b, d, c = d, counts, before = '', after = '' } = row;
  const [countD, countA, countB] = counts;
  const countC = c === d ? countD : countD / 2;
  const type = a.split(' ')[0];
  return {
    modifiers: `${prefix}.sync.aligned.${shape}${layoutOf(row)}${before}.${d}.$a${b === undefined ? `.${a}` : '.$b'}.${c}${after}`,
    operands: `d:w _ ${fragment(d, countD)}, a:r ${fragment(type, countA)}, b:r ${fragment(type, countB)}, c:${fragment(c, countC)}${sparseOperands}`,
    sets: { a, ...(b !== undefined && { b }) },
    checks: 'bracedFragments singleConstants',
    ...(row.gates !== undefined && { gates: row.gates }),
    ...(note !== undefined && { note }),
    ...gate,
  };
}

const sparseNote =
  'A holds two of every four elements (one of two for tf32); `e` says which, and `selector` which lanes give it.';

function sparseForm(row: Row, ordered: boolean): Form {
  return plain(
    ordered ? '.sp::ordered_metadata^' : '.sp^',
    row,
    `, e:r b32, selector:i ${row.selector!} u32`,
    ordered
      ? { ...row.gate, isa: row.gate.isa === '7.1' || row.gate.isa === '8.4' ? '8.5' : row.gate.isa! }
      : row.gate,
    ordered
      ? `${sparseNote} The two indices of a group stand in rising order, which newer machines need for speed.`
      : sparseNote,
  );
}

/** Block scaling: every 16 or 32 elements along k have a scale factor of their own. */
interface ScaledRow {
  readonly kind: string;
  readonly scaleVector: string;
  readonly scaleType: string;
  readonly elements: string;
  /** k of the dense shape; twice that when A is sparse. */
  readonly k: number;
}

const scaled: readonly ScaledRow[] = [
  { kind: 'mxf4', scaleVector: '{.scale_vec::2X}', scaleType: 'ue8m0', elements: 'e2m1', k: 64 },
  { kind: 'mxf4nvf4', scaleVector: '.scale_vec::2X', scaleType: 'ue8m0', elements: 'e2m1', k: 64 },
  { kind: 'mxf4nvf4', scaleVector: '.scale_vec::4X', scaleType: 'ue4m3', elements: 'e2m1', k: 64 },
  { kind: 'mxf8f6f4', scaleVector: '{.scale_vec::1X}', scaleType: 'ue8m0', elements: narrow, k: 32 },
];

function scaledForm({ kind, scaleVector, scaleType, elements, k }: ScaledRow, isSparse: boolean): Form {
  const b = isSparse ? 4 : 2;
  const metadata = isSparse ? ', e:r b32, selector:i 0..0 u32' : '';
  const scales = ', scale_a:b32, lanes_a:v2 u16, scale_b:b32, lanes_b:v2 u16';
  const prefix = isSparse ? '.sp::ordered_metadata^' : '';
  return {
    modifiers: `${prefix}.sync.aligned.m16n8k${isSparse ? 2 * k : k}.row.col.kind::${kind}.block_scale${scaleVector}.f32.$a.$b.f32.${scaleType}`,
    operands: `d:w _ v4 f32, a:r v4 b32, b:r v${b} b32, c:v4 f32${metadata}${scales}`,
    sets: { a: elements, b: elements },
    isa: '8.7',
    only: isSparse ? 'sm_120a sm_121a' : 'sm_120f',
    checks: 'scaleLanes singleConstants',
    note: 'A and B are multiplied by scale factors, one for each block along k; the pairs `{byte, thread}` say which lanes of the warp give them.',
  };
}

export const mmaEntries: readonly InstructionEntry[] = [
  {
    opcode: 'mma',
    group: 'matrix',
    text: 'Warp-wide matrix multiply and add on the tensor cores, D = A * B + C. The 32 lanes hold the matrices as fragments: of D in m16n8, lane i holds columns 2(i mod 4) and the next of rows i/4 and i/4 + 8. A is row-major, B column-major. All lanes of the warp must execute it together, or the behaviour is undefined. Dependent accumulations wait for the whole latency (around 33 cycles for m16n8k16 on Ampere and newer), so that a warp wants several independent accumulators; those, not A and B, fill the register file.',
    forms: [
      ...dense.map((row) => plain('', row, '', row.gate)),
      ...sparse.flatMap((row) => [sparseForm(row, false), sparseForm(row, true)]),
      ...sparseNarrow.map((row) => sparseForm(row, true)),
      ...scaled.flatMap((row) => [scaledForm(row, false), scaledForm(row, true)]),
    ],
  },
];
