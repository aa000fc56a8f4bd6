import assert from 'node:assert/strict';
import { diagnostics } from '../../server/src/features/diagnostics.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { ptxSnapshot } from '../support/ptx.js';
import { accepts, checkCase, head, holding, hoverOver, kernelOf, refuses, type Case } from './support.js';

/** Spills are marked one by one in the editor; here only what says why. */
const why = (text: string, options: Record<string, number> = {}): string[] =>
  diagnostics(ptxSnapshot(text, nvidia, { targets: { nvidia: options } }))
    .items.filter(
      ({ code, severity }) =>
        (code === 'spill/launch-bounds' && severity === 'warning') || code === 'pressure/setmaxnreg',
    )
    .map(({ message }) => message);

const decrease = '\tsetmaxnreg.dec.sync.aligned.u32 40;';
const dropped = 'warning pressure/setmaxnreg-ignored: setmaxnreg has no effect: nothing says how many';
const reallocating = (directives: string, isDropped: boolean, wayOut = ''): Case => ({
  asked: 'github.com/NVIDIA/cutlass/issues/3406',
  text:
    head('sm_90a') +
    holding(10, directives, [
      decrease,
      ...(isDropped ? [`\t${'^'.repeat(decrease.length - 1)} ${dropped}${wayOut}`] : []),
    ]),
  ptxas: (report) => {
    const told = report.messages.some(({ message }) => /C7508.*unable to determine/.test(message));
    assert.equal(told, isDropped);
  },
});

const cases: Readonly<Record<string, Case>> = {
  'a limit on the command line has no effect on a kernel with a launch bound, and nobody says so': {
    asked: 'forums.developer.nvidia.com/t/maxrregcount-silently-ignored-by-nvcc-and-ptxas/310514',
    text:
      head() +
      holding(
        60,
        '.maxntid 128, 1, 1',
        [],
        'information pressure/limit-ignored: the limit of 40 registers has no effect: ptxas ignores --maxrregcount for a function with .maxnreg, .maxntid or .reqntid; set .maxnreg 40 instead',
      ),
    maxRegisters: 40,
    ptxas: (report) => {
      assert.ok(kernelOf(report).registers > 40);
      assert.equal(kernelOf(report).spillBytes, 0);
      assert.deepEqual(report.messages, [], 'ptxas is silent about it');
    },
  },
  'more blocks than an SM holds are not asked for': {
    asked: 'github.com/llvm/llvm-project/pull/216755',
    text:
      head('sm_80') +
      holding(
        10,
        '.maxntid 1024, 1, 1 .minnctapersm 3',
        [],
        'warning pressure/limit-ignored: .minnctapersm 3 has no effect: an SM of sm_80 holds at most 32 blocks and 2048 threads',
      ),
    ptxas: (report) => assert.match(report.messages[0].message, /minnctapersm will be ignored/),
  },
  'a limit below 24 counts as 24': {
    asked: 'forums.developer.nvidia.com/t/maxrregcount-silently-ignored-by-nvcc-and-ptxas/310514',
    text:
      head() +
      holding(
        2,
        '.maxnreg 16',
        [],
        'information pressure/limit-ignored: a limit of 16 registers (.maxnreg) counts as 24',
      ),
    ptxas: (report) => assert.match(report.messages[0].message, /16 to lower bound of 24/),
  },
  'setmaxnreg is dropped with the size of the block alone': reallocating('.maxntid 384, 1, 1', true),
  'and with .reqntid': reallocating('.reqntid 384, 1, 1', true),
  'and with nothing': reallocating('', true),
  'it works with .minnctapersm': reallocating('.maxntid 384, 1, 1 .minnctapersm 1', false),
  'and with .maxnreg': reallocating('.maxnreg 168', false),
  'setmaxnreg.dec to more than there is': {
    asked: 'github.com/NVIDIA/Fuser/pull/3972',
    text:
      head('sm_90a') +
      holding(10, '.maxnreg 64', [
        '\tsetmaxnreg.dec.sync.aligned.u32 128;',
        '\t^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error hw/setmaxnreg: setmaxnreg.dec to 128 gives nothing back: no thread of the kernel ever has more than 64 registers (.maxnreg)',
      ]),
    ptxas: refuses(/C7406/),
  },
  'an instruction that has more operands than the size of the block leaves registers': {
    asked: 'github.com/NVIDIA/cutlass/issues/2904',
    text: multiplying(256, '.maxntid 1024, 1, 1', 'start at most 384 threads a block, or take a smaller n'),
    ptxas: refuses(/C7602.*register target of 154/),
  },
};

/** A kernel whose only work is one wgmma of m64 x n x k16. */
function multiplying(n: number, directives: string, wayOut: string): string {
  const values = Array.from({ length: n / 2 }, (_, k) => `%f${k}`);
  const multiply = `wgmma.mma_async.sync.aligned.m64n${n}k16.f32.f16.f16 {${values.join(', ')}}, %rd1, %rd1, 1, 1, 1, 0, 0;`;
  return [
    `${head('sm_90a')}.visible .entry k(.param .u64 p) ${directives}`,
    '{',
    `\t.reg .f32 %f<${n / 2}>;`,
    '\t.reg .b64 %rd<2>;',
    '\tld.param.u64 %rd1, [p];',
    '\twgmma.fence.sync.aligned;',
    `\t${multiply}`,
    ...(wayOut === ''
      ? []
      : [
          `\t${'^'.repeat(multiply.length)} error hw/operands: this needs ${n / 2 + 26} registers a thread for its accumulators and what stands beside them, and 64 are left (.maxntid): ptxas refuses it (C7602); ${wayOut}`,
        ]),
    '\twgmma.commit_group.sync.aligned;',
    '\twgmma.wait_group.sync.aligned 0;',
    ...values.map((value, k) => `\tst.global.f32 [%rd1+${4 * k}], ${value};`),
    '\tret;',
    '}',
    '',
  ].join('\n');
}

describe('asked in public: limits', () => {
  for (const [title, one] of Object.entries(cases)) it(title, () => checkCase(one));

  for (const directives of [
    '.maxnreg 100',
    '.maxntid 1024',
    '.maxnreg 100 .maxntid 1024',
    '.maxnreg 100 .reqntid 1024',
    '.maxnreg 100 .maxntid 1024 .minnctapersm 1',
    '.maxnreg 40 .maxntid 1024 .minnctapersm 1',
    '.maxntid 256 .minnctapersm 3',
    '.maxntid 48 .minnctapersm 30',
    '.maxntid 96 .minnctapersm 7',
    '.maxntid 700',
  ])
    it(`${directives} limits registers to what ptxas uses`, () => {
      const text = head('sm_80') + holding(180, directives);
      const s = ptxSnapshot(text, nvidia);
      const limit = s.units.flatMap(({ compilation }) => compilation ?? [])[0].stats.limit;
      // 180 values fit none of these limits: ptxas uses all that there is
      checkCase({
        ...spilling(text),
        ptxas: (report) => assert.equal(kernelOf(report).registers, limit),
      });
    });

  it('the same multiplication fits smaller blocks, and takes what ptxas gives it', () => {
    for (const n of [8, 64, 256])
      checkCase({
        asked: 'github.com/NVIDIA/cutlass/issues/2904',
        text: multiplying(n, '.maxntid 384, 1, 1', ''),
        ptxas: (report) => assert.equal(kernelOf(report).registers, n / 2 + 26),
        shows: (s) => assert.match(hoverOver(s, 'k('), new RegExp(`general \\| ${n / 2 + 26}, limit 168`)),
      });
  });

  it('launch bounds that force spills are told with the arithmetic (cuda-oxide 708, 755)', () => {
    const text = head() + holding(100, '.maxntid 1024, 1, 1');
    const [message] = why(text);
    // 65 536 registers for 1024 threads are 64 each; 100 values, their address and what ptxas adds need more
    assert.match(
      message,
      /^1 block of 1024 threads an SM \(\.maxntid\) leaves 64 registers a thread, and that forces \d+ registers to be spilled/,
    );
    assert.match(message, /blocks of at most 512 threads would leave$/);
    assert.deepEqual(why(text.replace('1024', '512')), []);
    const near = diagnostics(ptxSnapshot(text.replace('1024', '512'), nvidia)).items.filter(
      ({ code }) => code === 'spill/launch-bounds',
    );
    // 128 registers for 100 values and what ptxas likes to have beside them
    assert.ok(
      near.every(({ severity, message }) => severity === 'hint' && /may have to spill/.test(message)),
    );
    const several = why(head() + holding(100, '.maxntid 256, 1, 1 .minnctapersm 4'));
    assert.match(
      several[0],
      /^4 blocks of 256 threads an SM \(\.maxntid, \.minnctapersm\) leave 64 .*\.minnctapersm 2 or blocks of at most 128 threads would leave$/,
    );
    checkCase({ ...spilling(text), ptxas: (report) => assert.ok(kernelOf(report).spillBytes > 0) });
    const smaller = head() + holding(100, '.maxntid 512, 1, 1');
    checkCase({ asked: '', text: smaller, ptxas: (report) => assert.equal(kernelOf(report).spillBytes, 0) });
  });

  it('a limit for all kernels spills, where naming the block would not (Halide 9284)', () => {
    const text = head() + holding(80, '');
    const [message] = why(text, { maxRegisters: 64 });
    assert.match(
      message,
      /^the option --maxrregcount leaves 64 registers .* blocks of up to 640 threads leave enough$/,
    );
    const bound = head() + holding(80, '.maxntid 256, 1, 1');
    assert.deepEqual(why(bound, { maxRegisters: 64 }), []);
    checkCase({
      ...spilling(text, 64),
      ptxas: (report) => assert.ok(kernelOf(report).spillBytes > 0),
    });
    checkCase({
      ...spilling(bound, 64),
      ptxas: (report) => assert.equal(kernelOf(report).spillBytes, 0),
    });
  });

  it('behind setmaxnreg.dec the rest spills, though the kernel has enough at its entry', () => {
    const text = head('sm_90a') + holding(60, '.maxntid 384, 1, 1 .minnctapersm 1', [decrease]);
    const [message] = why(text);
    assert.match(
      message,
      /^\d+ registers are needed here, and setmaxnreg has left 40: .* the kernel begins with 168/,
    );
    checkCase({
      ...spilling(text),
      // what ptxas prints is the number at the entry
      ptxas: (report) => {
        assert.equal(kernelOf(report).registers, 168);
        assert.ok(kernelOf(report).spillBytes > 0);
      },
      shows: (s) => assert.match(hoverOver(s, 'k('), /general \| 168, limit 168/),
    });
  });

  it('whether there are spills cannot be known without the launch (llvm 216755): the figures say what they suppose', () => {
    checkCase({
      asked: 'github.com/llvm/llvm-project/pull/216755',
      text: head() + holding(100, ''),
      ptxas: (report) => {
        accepts(report);
        assert.equal(kernelOf(report).spillBytes, 0);
      },
      shows: (s) => {
        const text = hoverOver(s, 'k(');
        assert.match(text, /limit 255 \(machine\)/);
        assert.match(text, /256 threads a block, assumed/);
      },
    });
  });
});

/** A program of which only ptxas is asked, and what is shown. */
const spilling = (text: string, maxRegisters?: number): Case & { readonly onlyPtxas: true } => ({
  asked: '',
  text,
  ...(maxRegisters !== undefined && { maxRegisters }),
  onlyPtxas: true,
});
