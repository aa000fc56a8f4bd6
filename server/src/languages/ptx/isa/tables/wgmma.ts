/**
 * `wgmma`: matrix multiply of a warpgroup (four warps) on Hopper, asynchronous. B, and A unless it is in registers,
 * lie in shared memory and are named by 64-bit matrix descriptors. D is read and written: the accumulator of 64 by N
 * takes N/2 registers a lane in f32. Shapes, counts, immediates and gates assembled with ptxas 13.0.88.
 */
import type { Form, Gate, InstructionEntry } from '../schema.js';
import { fragment } from './fragments.js';

const hopper: Gate = { isa: '8.0', only: 'sm_90a' };
const every8 = Array.from({ length: 32 }, (_, index) => 8 * (index + 1));
/** Integer products skip N of 40, 56, 72 ... */
const integerSizes = every8.filter((n) => (n <= 32 ? true : n % 16 === 0));

/** `m64n8k16=4 m64n16k16=8 ...`: shapes with the number of accumulator registers. */
const shapes = (sizes: readonly number[], k: number, perColumn: number): string =>
  sizes.map((n) => `m64n${n}k${k}=${n * perColumn}`).join(' ');

interface Row {
  readonly a: string;
  /** Types of B; the same as A's when absent. */
  readonly b?: string;
  readonly d: string;
  readonly k: number;
  readonly sizes?: readonly number[];
  readonly after?: string;
  /** Operands after the predicate: negation of A and B. */
  readonly scales?: boolean;
  /** 16-bit types may be transposed on the way from shared memory. */
  readonly transposes?: boolean;
  readonly selector?: string;
  readonly gate?: Gate;
}

const eight = 'e4m3 e5m2';
const mixed: Gate = { ...hopper, isa: '8.4' };

const dense: readonly Row[] = [
  { a: 'f16', d: 'f32', k: 16, scales: true, transposes: true, selector: '0..1' },
  { a: 'f16', d: 'f16', k: 16, scales: true, transposes: true, selector: '0..1' },
  { a: 'bf16', d: 'f32', k: 16, scales: true, transposes: true, selector: '0..1' },
  { a: 'tf32', d: 'f32', k: 8, scales: true, selector: '0..1' },
  { a: eight, b: eight, d: 'f32', k: 32, scales: true, selector: '0..0' },
  { a: eight, b: eight, d: 'f16', k: 32, scales: true, selector: '0..0' },
  { a: 's8', d: 's32', k: 32, sizes: integerSizes, after: '{.satfinite}', selector: '0..0' },
  { a: 'u8', d: 's32', k: 32, sizes: integerSizes, after: '{.satfinite}', selector: '0..0' },
  {
    a: 's8 u8',
    b: 's8 u8',
    d: 's32',
    k: 32,
    sizes: integerSizes,
    after: '{.satfinite}',
    selector: '0..0',
    gate: mixed,
  },
];

const bit: Row = { a: 'b1', d: 's32', k: 256, sizes: integerSizes, after: '.and.popc' };

const isHalf = (type: string): boolean => type === 'f16';

/** A form with A in shared memory, and one with A in registers. */
function multiply(row: Row, isSparse: boolean): Form[] {
  const { a, b, d, k, sizes = every8, after = '', scales, transposes, selector, gate = hopper } = row;
  const perColumn = isHalf(d) ? 1 / 4 : 1 / 2;
  const metadata = isSparse ? `, e:r b32, selector:i ${selector!} u32` : '';
  const signs = scales ? ', scale_a:i -1|1 s32, scale_b:i -1|1 s32' : '';
  return [false, true].map((inRegisters) => {
    const transposed = !transposes
      ? ''
      : inRegisters
        ? ', transpose_b:i 0..1 u32'
        : ', transpose_a:i 0..1 u32, transpose_b:i 0..1 u32';
    const first = inRegisters ? `a:${fragment(a.split(' ')[0], 4)}` : 'a_descriptor:r b64';
    return {
      modifiers: `.mma_async${isSparse ? '.sp' : ''}^.sync.aligned.$shape.${d}.$a${b === undefined ? `.${a}` : '.$b'}${after}`,
      operands: `d:rw ${fragment(d, '$shape')}, ${first}, b_descriptor:r b64${metadata}, scale_d:n pred${signs}${transposed}`,
      sets: { shape: shapes(sizes, isSparse ? 2 * k : k, perColumn), a, ...(b !== undefined && { b }) },
      ...gate,
      ...(isSparse && { isa: gate === mixed ? '8.4' : '8.2' }),
      note: inRegisters
        ? 'A in registers: they must not change before `wgmma.wait_group`.'
        : 'A and B in shared memory, by descriptor: start address, offsets and swizzle.',
    };
  });
}

export const wgmmaEntries: readonly InstructionEntry[] = [
  {
    opcode: 'wgmma',
    group: 'matrix',
    text: 'Warpgroup matrix multiply and add, D = A * B + D (or A * B when `scale_d` is false), asynchronous. Four consecutive warps execute it together. Order: `wgmma.fence` after any other access to the registers of D or A, the products, `wgmma.commit_group`, and `wgmma.wait_group` before D is read or shared memory is filled again. Until then the accumulators must not be touched, or ptxas serialises the pipeline. Accumulators dominate the register file: m64n256 in f32 takes 128 registers a thread.',
    forms: [
      {
        modifiers: '.fence^.sync.aligned',
        operands: '',
        ...hopper,
        note: 'Orders earlier register accesses before the products that follow.',
      },
      {
        modifiers: '.commit_group^.sync.aligned',
        operands: '',
        ...hopper,
        note: 'Closes the group of products issued since the last one.',
      },
      {
        modifiers: '.wait_group^.sync.aligned',
        operands: 'n:i u32',
        ...hopper,
        note: 'Waits until at most the `n` newest groups are under way.',
      },
      ...dense.flatMap((row) => multiply(row, false)),
      ...multiply(bit, false),
      ...dense.flatMap((row) => multiply(row, true)),
    ],
  },
];
