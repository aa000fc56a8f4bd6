import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { codeLenses } from '../../server/src/features/code-lens.js';
import { diagnostics } from '../../server/src/features/diagnostics.js';
import { hover } from '../../server/src/features/hover.js';
import { inlayHints } from '../../server/src/features/inlay-hints.js';
import { peaks } from '../../server/src/features/peak.js';
import { selfTest, tokenOffsets } from '../../server/src/features/self-test.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { corpusOrSkip, filesOf } from '../support/corpus.js';
import { ptxHead, ptxSnapshot } from '../support/ptx.js';
import { runs } from '../support/fuzz.js';

const body = (declared: string, code: readonly string[]): string =>
  `${ptxHead}.visible .entry k(.param .u64 p)\n{\n${declared}\n${code.join('\n')}\nret;\n}\n`;

/** Line 8 on. In brackets: 32-bit registers live after it, counted by hand; %rd1 is a pair. */
const small = body('.reg .b32 %r<10>; .reg .b64 %rd<2>;', [
  'ld.param.u64 %rd1, [p];', // [2] rd1
  'ld.global.u32 %r1, [%rd1];', // [3]
  'ld.global.u32 %r2, [%rd1+4];', // [4]
  'ld.global.u32 %r3, [%rd1+8];', // [5]
  'add.s32 %r4, %r1, %r2;', // [4] rd1 r3 r4
  'add.s32 %r5, %r4, %r3;', // [3] rd1 r5
  'st.global.u32 [%rd1], %r5;', // [0]
]);
const smallLive = [2, 3, 4, 5, 4, 3, 0];

const values = 24;
const numbers = Array.from({ length: values }, (_, k) => k + 1);
/** Loads 24 values and stores them behind a barrier: all are live there, with the pair of their address. */
const wide = body('.reg .b32 %r<30>; .reg .b64 %rd<2>;', [
  'ld.param.u64 %rd1, [p];',
  ...numbers.map((n) => `ld.global.u32 %r${n}, [%rd1+${4 * n}];`),
  'bar.sync 0;',
  ...numbers.map((n) => `st.global.u32 [%rd1+${4 * n}], %r${values + 1 - n};`),
]);
const limited = { targets: { nvidia: { maxRegisters: 24 } } };

const textOf = (s: ReturnType<typeof ptxSnapshot>, line: number, character: number): string =>
  hover(s, { line: line - 1, character })?.contents.replace(/\s+/g, ' ') ?? '';

describe('PTX on NVIDIA: figures', () => {
  it('hover tells the registers live after each instruction, as written', () => {
    const s = ptxSnapshot(small, nvidia);
    for (const [k, live] of smallLive.entries())
      assert.match(
        textOf(s, 7 + k, 1),
        new RegExp(`32-bit registers \\| ${live} \\| \\d+ \\|.*sm_90, limit 255`),
      );
  });

  it('the lens counts what is needed at once: 24 values and a pair under a limit of 24', () => {
    const [lens] = codeLenses(ptxSnapshot(wide, nvidia, limited));
    // 26 are needed at the barrier; R1 is the stack's and two have no name, so that 21 are left: 5 values of 4 bytes go
    assert.match(
      lens.title,
      /^sm_90 · 24 registers \((?:\d+ to \d+, )?limit 24\) · spills 5 \(20 bytes\) · 64 of 64 warps$/,
    );
    const [free] = codeLenses(ptxSnapshot(wide, nvidia));
    assert.match(free.title, /^sm_90 · [23]\d registers \((?:\d+ to \d+, )?limit 255\) · spills 0 · /);
  });

  it('hover tells of a spilled register why, and where it is stored and read back', () => {
    const s = ptxSnapshot(wide, nvidia, limited);
    const c = s.units.at(-1)?.compilation;
    assert.equal(c?.spills.length, 5);
    for (const spill of c.spills) {
      const line = s.lines.lineAt(s.units.at(-1)!.start + c.source.spanStart[spill.stores[0]]) + 1;
      const text = textOf(s, line, 'ld.global.u32 %'.length);
      assert.match(text, /Place as compiled \| spilled, slot \d, 4 bytes/);
      assert.match(text, new RegExp(`1 store after line ${line} - 1 reload before line \\d+ - 8 bytes`));
      assert.match(text, /\*\*Spilled\*\* at the peak .*sm_90, limit 24/);
    }
    const codes = diagnostics(s).items.filter((d) => d.code === 'spill/register');
    assert.equal(codes.length, c.spills.length);
  });

  it('the peak lists who is live, and hints mark it', () => {
    const s = ptxSnapshot(wide, nvidia);
    const [peak] = peaks(s);
    const hints = inlayHints(s, { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } });
    const marked = hints.filter((h) => h.label.startsWith('peak'));
    assert.ok(marked.some((h) => h.position.line === peak.range.start.line));
    const tooltip = marked.map((h) => h.tooltip).join('\n');
    for (const n of [1, 12]) assert.ok(tooltip.includes(`\`%r${n}\``), `%r${n} is live there`);
    assert.match(tooltip, /last read \| next read \| idle for/);
  });
});

describe('PTX on NVIDIA: every feature on real programs', () => {
  it('answers at tokens of compiled kernels', function () {
    this.timeout(60_000);
    const folder = corpusOrSkip(this, 'ptx');
    const files = filesOf(join(folder, 'dev'), '.90.ptx');
    for (const path of files.filter((_, k) => k % 24 === 0)) {
      const s = ptxSnapshot(readFileSync(path, 'utf8'), nvidia, {
        inlayHints: { pressure: 'all', stalls: true, places: true, minimumStall: 1 },
        targets: { nvidia: { maxRegisters: 32 } },
      });
      const offsets = tokenOffsets(s);
      const step = Math.max(1, Math.floor(offsets.length / 25));
      assert.deepEqual(
        selfTest(
          s,
          offsets.filter((_, k) => k % step === 0),
        ),
        [],
        path,
      );
    }
  });

  it('answers in mutilated text', () => {
    const cut = fc.tuple(
      fc.nat(small.length),
      fc.nat(30),
      fc.constantFrom('', '{', '}', ';', '%r1', '.reg', '[', '\n', '"', '/*', '.func f(', '@!'),
    );
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 3 }), fc.nat(), (cuts, seed) => {
        let text = small;
        for (const [at, length, fresh] of cuts) text = text.slice(0, at) + fresh + text.slice(at + length);
        const s = ptxSnapshot(text, nvidia);
        const offsets = Array.from({ length: 8 }, (_, k) => (seed + k * 7919) % (text.length + 1));
        assert.deepEqual(selfTest(s, offsets), []);
      }),
      { numRuns: runs(40) },
    );
  }).timeout(60_000);
});
