/**
 * Matrix fragments to and from shared memory. Eight lanes give the addresses of eight rows; the hardware spreads the
 * rows over the registers of the whole warp in the layout that `mma` wants.
 */
import type { Form, InstructionEntry } from '../schema.js';

const spaces = { ss: 'shared shared::cta' };
const shared = '{.$ss}';
const gates = { '.shared::cta': { isa: '7.8' } };
const blackwell = { isa: '8.6', only: 'sm_100f sm_110f sm_120f' };

const load = (modifiers: string, counts: string, base: Partial<Form>): Form => ({
  modifiers: `.sync.aligned${modifiers}`,
  operands: 'd:w _ v$num b32, [a:$ss]',
  sets: { ...spaces, num: counts },
  gates,
  checks: 'bracedFragments',
  ...base,
});

export const matrixMoveEntries: readonly InstructionEntry[] = [
  {
    opcode: 'ldmatrix',
    group: 'matrix',
    text: 'Loads one, two or four matrices from shared memory into the fragments that `mma` takes. For 8x8 matrices of 16 bits, lanes 0-7 give the row addresses of the first, 8-15 of the second, and so on; each row is 16 bytes, aligned to 16. `.trans` transposes each matrix on the way, which turns a row-major B into the column fragment. Rows that fall into the same banks collide: pad or swizzle the tile. The whole warp must execute it together.',
    forms: [
      load('.m8n8.$num{.trans}' + shared + '.b16', 'x1 x2 x4', { isa: '6.5', sm: 75 }),
      load('.m16n16.$num.trans' + shared + '.b8', 'x1=2 x2=4', {
        ...blackwell,
        note: '16x16 matrices of bytes, transposed; lanes 0-15 give the rows of the first.',
      }),
      load('.m16n16.$num.trans' + shared + '.b8x16.(b6x16_p32|b4x16_p64)', 'x1=2 x2=4', {
        ...blackwell,
        note: 'Unpacks elements of 6 or 4 bits, stored in groups of 16, to bytes.',
      }),
      load('.m8n16.$num' + shared + '.b8x16.(b6x16_p32|b4x16_p64)', 'x1 x2 x4', {
        ...blackwell,
        note: 'Unpacks elements of 6 or 4 bits, stored in groups of 16, to bytes.',
      }),
    ],
  },
  {
    opcode: 'stmatrix',
    group: 'matrix',
    text: 'Stores one, two or four matrices from `mma` fragments to shared memory, the reverse of `ldmatrix`: each group of eight lanes gives the row addresses of one matrix. Before a bulk store reads the tile, `fence.proxy.async` is needed.',
    forms: [
      {
        modifiers: '.sync.aligned.m8n8.$num{.trans}' + shared + '.b16',
        operands: '[a:$ss], b:v$num b32',
        sets: { ...spaces, num: 'x1 x2 x4' },
        isa: '7.8',
        sm: 90,
        checks: 'bracedFragments',
      },
      {
        modifiers: '.sync.aligned.m16n8.$num.trans' + shared + '.b8',
        operands: '[a:$ss], b:v$num b32',
        sets: { ...spaces, num: 'x1 x2 x4' },
        ...blackwell,
        checks: 'bracedFragments',
      },
    ],
  },
  {
    opcode: 'movmatrix',
    group: 'matrix',
    text: 'Transposes an 8x8 matrix of 16-bit elements between the registers of a warp: the fragment of the rows becomes the fragment of the columns, without a detour through shared memory.',
    forms: [
      {
        modifiers: '.sync.aligned.m8n8.trans.b16',
        operands: 'd:w b32, a:r b32',
        isa: '7.8',
        sm: 75,
      },
    ],
  },
];
