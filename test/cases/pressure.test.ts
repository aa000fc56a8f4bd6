import assert from 'node:assert/strict';
import { run } from '../../server/src/cli/run.js';
import { diagnostics } from '../../server/src/features/diagnostics.js';
import { inlayHints } from '../../server/src/features/inlay-hints.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { registry } from '../../server/src/workspace/registry.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import { ptxSnapshot } from '../support/ptx.js';
import { checkCase, head, holding, hoverOver, kernelOf, type Case } from './support.js';

const numbers = (n: number): number[] => Array.from({ length: n }, (_, k) => k);

/** 69 names of 64 bits, one after the other: one of them lives at a time, with the address and two numbers. */
const manyNames = `${head()}.visible .entry k(.param .u64 p)
{
	.reg .f64 %fd<68>;
	.reg .b32 %r<2>;
	.reg .b64 %rd<1>;
	.reg .pred %p<6>;
	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %tid.y;
	ld.global.f64 %fd0, [%rd0];
${numbers(67)
  .map((k) => `\tadd.f64 %fd${k + 1}, %fd${k}, 0d3FF0000000000000;`)
  .join('\n')}
${numbers(6)
  .map((k) => `\tsetp.lt.u32 %p${k}, %r0, %r1;\n\t@%p${k} st.global.f64 [%rd0+${8 * k}], %fd67;`)
  .join('\n')}
	ret;
}
`;

/** The table that the range reduction of sin and cos indexes: local memory without a spill. */
const localArray: Case = {
  asked: 'github.com/triton-lang/triton/issues/1756',
  text: `${head()}.visible .entry k(.param .u64 p)
//              ^ hint spill/local-array: 28 bytes of local memory are arrays that k declares (.local), not spills: no register is spilled
{
	.local .align 4 .b8 table[28];
	.reg .b32 %r<4>;
	.reg .b64 %rd<6>;
	.reg .pred %p<2>;
	ld.param.u64 %rd1, [p];
	mov.u64 %rd3, table;
	mov.u32 %r1, 0;
L:
	ld.global.u32 %r2, [%rd1];
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd4, %rd3, %rd2;
	st.local.u32 [%rd4], %r1;
	ld.global.u32 %r3, [%rd1+4];
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd5, %rd3, %rd2;
	ld.local.u32 %r3, [%rd5];
	st.global.u32 [%rd1+8], %r3;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, %r3;
	@%p1 bra L;
	ret;
}
`,
  ptxas: (report) => {
    assert.ok(kernelOf(report).stackBytes >= 28, 'the frame that tools take for spills');
    assert.equal(kernelOf(report).spillBytes, 0);
  },
  shows: (s) =>
    assert.match(
      hoverOver(s, 'k('),
      /Local memory \| 28 bytes of arrays that the source declares, 0 bytes of spills; ptxas's stack frame counts both/,
    ),
};

describe('asked in public: pressure', () => {
  it('local arrays are told apart from spills (triton 1756)', () => checkCase(localArray));

  it('how many names there are says nothing of registers (forum 30313)', () =>
    checkCase({
      asked: 'forums.developer.nvidia.com/t/registers-number/30313',
      text: manyNames,
      ptxas: (report) => assert.ok(kernelOf(report).registers < 40),
      // 69 names of two registers each and two of one are 140; a double, the address, %r0 and %r1 live at once
      shows: (s) =>
        assert.match(
          hoverOver(s, 'k('),
          /Names \| 69 64-bit, 2 up to 32-bit, 6 predicate: 140 registers if all lived at once; at most 6 do as written/,
        ),
    }));

  it('what ptxas counts beside what the text counts: the hover has both, and ptxas is near the second (stackoverflow 9723431)', () =>
    checkCase({
      asked: 'stackoverflow.com/questions/9723431',
      text: head('sm_80') + holding(19, ''),
      shows: (s) => {
        const shown = hoverOver(s, 'k(');
        // 19 floats and the pair of their address
        assert.match(shown, /Peak as written \| 21 /);
        const registers = Number(/Registers, general \| (\d+)/.exec(shown)?.[1]);
        checkCase({
          asked: '',
          text: s.text,
          ptxas: (report) => assert.ok(Math.abs(kernelOf(report).registers - registers) <= 4),
        });
        assert.ok(registers > 21);
      },
    }));

  it('where the pressure comes from: the instruction, and who is idle there (triton 5572)', () => {
    const text = head() + holding(100, '.maxnreg 64');
    const s = ptxSnapshot(text, nvidia);
    const { items } = diagnostics(s);
    const peak = items.find(({ code }) => code === 'pressure/limit');
    assert.ok(peak !== undefined);
    assert.match(
      peak.message,
      /general registers live here, the limit is 64 \(\.maxnreg\): \d+ spilled in k; live longest without use: %f\d+/,
    );
    assert.ok(
      peak.related.some(({ message }) =>
        /is written here and idle for \d+ instructions around the peak/.test(message),
      ),
    );
    const spilled = items.filter(({ code }) => code === 'spill/register');
    assert.ok(spilled.length > 30);
    assert.ok(spilled.every(({ related }) => related.length > 0));
  });

  it('liveness on virtual registers, line by line (trueno 66)', () => {
    const text = head() + holding(12, '');
    const settings = {
      inlayHints: { ...defaultSettings.inlayHints, pressure: 'all' as const, stalls: false },
    };
    const s = ptxSnapshot(text, nvidia, settings);
    const lines = text.split('\n');
    const range = { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } };
    const hints = inlayHints(s, range);
    const line = (start: string): number => lines.findIndex((one) => one.trimStart().startsWith(start)) + 1;
    const [written, read] = [
      line('ld.global.f32 %f3,'),
      lines.findIndex((one) => one.endsWith(', %f3;')) + 1,
    ];
    assert.match(
      hoverOver(s, '%f3,'),
      new RegExp(
        `Written \\| once: line ${written} .*Read \\| once: line ${read} .*Live as written \\| lines ${written}–${read} `,
      ),
    );
    // at the barrier all twelve values and the pair of the address are live, whatever the order of the loads
    const barrier = line('bar.sync');
    assert.match(hoverOver(s, 'bar.sync'), /32-bit registers \| 14 \| 14 /);
    assert.ok(hints.some(({ position, label }) => position.line === barrier - 1 && label === 'live 14'));
  });

  it('bytes and registers are never mixed up (intel-xpu-backend-for-triton 7976)', () => {
    const s = ptxSnapshot(head() + holding(100, '.maxnreg 64'), nvidia);
    const { spills } = s.units.flatMap(({ compilation }) => compilation ?? [])[0].stats;
    assert.match(
      hoverOver(s, 'k('),
      new RegExp(
        `Spilled \\| ${spills.registers} \\(\\d+ stores, \\d+ reloads, ${spills.storeBytes + spills.loadBytes} bytes\\)`,
      ),
    );
    // each of these values is 4 bytes, stored once
    assert.equal(spills.storeBytes, 4 * spills.stores);
    checkCase({
      asked: '',
      text: s.text,
      onlyPtxas: true,
      ptxas: (report) => assert.ok(kernelOf(report).spillBytes > 0),
    });
  });

  it('a build fails where a kernel spills, with the kernel and the bytes (cuml 1658, pytorch 2317, imp 1549, teenygrad 27)', () => {
    let out = '';
    const files: Record<string, string> = {
      'a.ptx': head() + holding(100, '.maxntid 1024, 1, 1'),
      'ci.json': '{ "diagnostics.severity": { "spill/launch-bounds": "error" } }',
    };
    const io = {
      out: (text: string) => void (out += text),
      error: () => undefined,
      read: (path: string) => files[path],
      outIsTerminal: false,
      errorIsTerminal: false,
      environment: {},
    };
    assert.equal(run(['check', 'a.ptx', '--config', 'ci.json', '--format', 'github'], io, registry), 1);
    assert.match(
      out,
      /::error file=a\.ptx,line=4.*forces \d+ registers to be spilled \(\d+ bytes stored and loaded a thread/,
    );
  });

  for (const values of [4, 12, 20, 30])
    it(`what ${values} values across a call cost at the least`, () => {
      const lines = [
        ...numbers(values).map((k) => `\tld.global.f32 %f${k}, [%rd1+${4 * k}];`),
        'prototype: .callprototype _ ();',
        '\tcall %rd2, (), prototype;',
        ...numbers(values).map((k) => `\tst.global.f32 [%rd1+${400 + 4 * k}], %f${k};`),
      ];
      const text = `${head()}.visible .entry k(.param .u64 p, .param .u64 f)\n{\n\t.reg .f32 %f<${values}>;\n\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [p];\n\tld.param.u64 %rd2, [f];\n${lines.join('\n')}\n\tret;\n}\n`;
      const { items } = diagnostics(ptxSnapshot(text, nvidia));
      const hint = items.find(({ code }) => code === 'pressure/call');
      const least = Number(/has at least (\d+)/.exec(hint?.message ?? '')?.[1]);
      checkCase({
        asked: '',
        text,
        onlyPtxas: true,
        ptxas: (report) => {
          const { registers } = kernelOf(report);
          assert.ok(least <= registers && registers <= least + 4, `${least} told, ${registers} used`);
        },
      });
    });

  it('values across a call are named at the call (register state kept by the callee)', () => {
    const text = `${head()}.visible .entry k(.param .u64 p, .param .u64 f)
{
	.reg .f32 %f<6>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	ld.param.u64 %rd2, [f];
	ld.global.f32 %f0, [%rd1];
	ld.global.f32 %f1, [%rd1+4];
	ld.global.f32 %f2, [%rd1+8];
	ld.global.f32 %f3, [%rd1+12];
prototype: .callprototype _ ();
	call %rd2, (), prototype;
	^^^^^^^^^^^^^^^^^^^^^^^^^ hint pressure/call: 6 32-bit registers of values live across this call:
	st.global.f32 [%rd1+16], %f0;
	st.global.f32 [%rd1+20], %f1;
	st.global.f32 [%rd1+24], %f2;
	st.global.f32 [%rd1+28], %f3;
	ret;
}
`;
    checkCase({
      asked: '',
      text,
      // four values and the pair of an address; the convention has at least 24
      ptxas: (report) => assert.ok(kernelOf(report).registers >= 24),
      shows: (s) =>
        assert.match(hoverOver(s, 'call %rd2'), /Across the call \| 6 32-bit registers of values/),
    });
  });
});
