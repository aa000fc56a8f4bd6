import assert from 'node:assert/strict';
import { nvidia } from '../../../../../server/src/targets/nvidia/index.js';
import { isSaved } from '../../../../../server/src/targets/nvidia/code/calls/convention.js';
import { sameMeaning, stagesOf, type Stage } from '../../../../support/machine-code.js';
import { unitsOf } from '../../../../support/ptx-run.js';

const head = '.version 8.0\n.target sm_80\n.address_size 64\n';

/** `live` values kept across what stands between their loads and their stores. */
const kernel = (live: number, between: string, before = ''): string => {
  const values = Array.from({ length: live }, (_, k) => k);
  return `${head}${before}
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<9>; .reg .f32 %f<99>; .reg .b32 %r<9>;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
${values.map((k) => `ld.global.f32 %f${k + 10}, [%rd2+${4096 * k}];`).join('\n')}
ld.global.f32 %f1, [%rd2+8]; ld.global.f32 %f2, [%rd2+12];
${between}
${values.map((k) => `add.f32 %f${k + 10}, %f${k + 10}, %f3; st.global.f32 [%rd2+${4096 * k + 4}], %f${k + 10};`).join('\n')}
ret; }`;
};

const callOf = (name: string): string =>
  `{ .param .b32 a; .param .b32 b; .param .b32 r; st.param.f32 [a], %f1; st.param.f32 [b], %f2;
   call.uni (r), ${name}, (a, b); ld.param.f32 %f3, [r]; }`;

const parameters = '(.param .b32 r) NAME(.param .b32 a, .param .b32 b)';
const outside = (name: string): string => `.extern .func ${parameters.replace('NAME', name)};`;
const inside = (name: string, body: string): string =>
  `.func ${parameters.replace('NAME', name)} { .reg .f32 %x<40>;
   ld.param.f32 %x1, [a]; ld.param.f32 %x2, [b]; ${body} st.param.f32 [r], %x3; ret; }`;

const registers = (text: string, options = {}): number => {
  const units = unitsOf(text);
  const functions = units.flatMap(({ function: f }) => f ?? []);
  const source = functions.find(({ name }) => name === 'k');
  assert.ok(source);
  const module = { definition: (name: string) => functions.find((f) => f.name === name) };
  return nvidia.compile(source, { arch: 'sm_75', ...options }, module).stats.registers['general'];
};

const last = (text: string, name = 'k'): Stage['code'] => {
  const code = stagesOf(unitsOf(text), name).at(-1)?.code;
  assert.ok(code);
  return code;
};

describe('parameters of calls', () => {
  it('are in registers: no store and no load of them is left, and the call names their registers', () => {
    const { f } = last(
      kernel(0, callOf('f') + 'st.global.f32 [%rd2], %f3;', inside('f', 'add.f32 %x3, %x1, %x2;')),
    );
    const opcodes = Array.from(f.opcode, (number) => f.opcodes.text(number));
    assert.deepEqual(
      opcodes.filter((text) => text.includes('t.param') || text.startsWith('ld.param.f32')),
      [],
    );
    const call = opcodes.findIndex((text) => text.startsWith('call'));
    const names: string[] = [];
    for (let o = f.operandStart[call]; o < f.operandStart[call + 1]; o++)
      if (f.operandPlace[o] >= 0) names.push(f.registerNames[f.operandPlace[o]]);
    assert.deepEqual(names, ['%f3', '%f1', '%f2']);
  });

  it('of a function are live from its entry, and what it returns is read by the return', () => {
    const { f } = last(kernel(0, callOf('f'), inside('f', 'add.f32 %x3, %x1, %x2;')), 'f');
    assert.deepEqual(
      Array.from(f.opcode, (number) => f.opcodes.text(number)),
      ['.func', 'add.f32', 'ret'],
    );
  });

  it('keep what the program computes', () => {
    const f = inside('f', 'fma.rn.f32 %x3, %x1, %x2, %x1; mul.f32 %x3, %x3, %x2;');
    const again = callOf('f') + 'mov.f32 %f1, %f3;' + callOf('f') + 'st.global.f32 [%rd2], %f3;';
    sameMeaning(kernel(3, again, f));
    // a result that is loaded late, a register that is written again behind its store, a guarded call
    const late = `{ .reg .pred %p; .param .b32 a; .param .b32 b; .param .b32 r; st.param.f32 [a], %f1; st.param.f32 [b], %f2;
      mov.f32 %f1, 0f40000000; call.uni (r), f, (a, b); mul.f32 %f3, %f1, %f2; ld.param.f32 %f4, [r];
      add.f32 %f3, %f3, %f4; ld.param.f32 %f3, [r]; setp.gt.f32 %p, %f3, 0f00000000;
      @%p call.uni (r), f, (a, b); ld.param.f32 %f5, [r]; st.global.f32 [%rd2], %f5; }`;
    sameMeaning(kernel(2, late, f));
    const aggregate = `.func (.param .align 8 .b8 r[16]) g(.param .align 8 .b8 a[16]) { .reg .f32 %x<9>;
      ld.param.v2.f32 {%x1, %x2}, [a+8]; ld.param.f32 %x3, [a]; add.f32 %x1, %x1, %x3; add.f32 %x2, %x2, %x3;
      st.param.v2.f32 [r], {%x1, %x2}; st.param.f32 [r+8], %x3; ret; }`;
    const whole = `{ .param .align 8 .b8 a[16]; .param .align 8 .b8 r[16]; st.param.v2.f32 [a], {%f1, %f2};
      st.param.v2.f32 [a+8], {%f2, %f1}; call.uni (r), g, (a); ld.param.v2.f32 {%f3, %f4}, [r]; ld.param.f32 %f5, [r+8]; }
      st.global.f32 [%rd2], %f4; st.global.f32 [%rd2+4], %f5;`;
    sameMeaning(kernel(1, whole, aggregate));
  });
});

describe('values across a call', () => {
  const names = (code: Stage['code'], from: number, to: number): string[] => {
    const { f } = code;
    const found = new Set<string>();
    for (let i = from; i < to; i++)
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
        if (f.operandPlace[o] >= 0 && (f.operandFlags[o] & 2) !== 0)
          found.add(f.registerNames[f.operandPlace[o]]);
    return [...found];
  };
  const callAt = ({ f }: Stage['code']): number =>
    f.opcode.findIndex((number) => f.opcodes.text(number).startsWith('call'));
  const local = `.local .align 4 .b8 stack[16]; .reg .b64 %q<4>; .reg .f32 %y; mov.u64 %q1, stack; cvta.local.u64 %q2, %q1;
    st.f32 [%q2+4], %f1; mov.u32 %r3, %ctaid.x; ${callOf('f')} ld.f32 %y, [%q2+4]; add.f32 %f3, %f3, %y;
    st.global.u32 [%rd2+8], %r3; st.global.f32 [%rd2], %f3;`;
  const f = inside('f', 'add.f32 %x3, %x1, %x2;');

  it('are made again behind it when constants are all that they need; special registers are kept', () => {
    const code = last(kernel(0, local, f));
    const call = callAt(code);
    const behind = names(code, call + 1, code.f.instructionCount);
    assert.ok(
      behind.some((name) => name.startsWith('%q')),
      behind.join(' '),
    );
    assert.ok(!behind.includes('%r3'));
  });

  it('keep what they are worth', () => sameMeaning(kernel(2, local, f)));
});

describe('registers of calls, as ptxas 13.0 has them on sm_75', () => {
  const add = inside('f', 'add.f32 %x3, %x1, %x2;');

  it("of a function of the module are the kernel's and the callee's together, without a least number", () => {
    assert.ok(registers(kernel(1, callOf('f'), add)) < 24);
    const many = Array.from({ length: 30 }, (_, k) => `mul.f32 %x${k + 5}, %x${k + 4}, %x1;`).join('');
    const sum = Array.from({ length: 30 }, (_, k) => `add.f32 %x3, %x3, %x${34 - k};`).join('');
    const heavy = inside('f', `mul.f32 %x4, %x1, %x2; ${many} mov.f32 %x3, %x1; ${sum}`);
    const alone = registers(kernel(0, callOf('f'), heavy));
    assert.ok(
      registers(kernel(16, callOf('f'), heavy)) >= alone + 16,
      'what the kernel keeps lies beside it',
    );
    assert.ok(alone >= 32);
  });

  // k values and the address live across a call of vprintf: 26, 30, 34, 42, 50, 72
  for (const [live, theirs] of [
    [0, 24],
    [4, 26],
    [8, 30],
    [12, 34],
    [16, 42],
    [20, 50],
    [30, 72],
  ] as const)
    it(`outside of the module keep ${live} values in saved registers: ${theirs}`, () =>
      assert.equal(registers(kernel(live, callOf('f'), outside('f'))), theirs));

  it('that call themselves, or whose address is taken, follow the convention', () => {
    const recursive = inside('f', callOf('f').replaceAll('%f', '%x'));
    assert.equal(registers(kernel(0, callOf('f'), recursive)), 24);
    const taken = callOf('f') + 'mov.u64 %rd5, f; st.global.u64 [%rd2], %rd5;';
    assert.equal(registers(kernel(0, taken, add)), 24);
  });

  it('of a long chain of functions are found without a stack of their own', () => {
    const chain = Array.from({ length: 1500 }, (_, k) =>
      inside(`f${k}`, k === 0 ? 'add.f32 %x3, %x1, %x2;' : callOf(`f${k - 1}`).replaceAll('%f', '%x')),
    ).join('\n');
    assert.ok(registers(kernel(0, callOf('f1499'), chain)) > 0);
  });
});

describe('the calling convention', () => {
  it('saves 14 registers below 32, and every other four above', () => {
    const saved = Array.from({ length: 64 }, (_, r) => r).filter(isSaved);
    assert.equal(saved.filter((r) => r < 32).length, 14);
    assert.deepEqual(saved.slice(14), [36, 37, 38, 39, 44, 45, 46, 47, 52, 53, 54, 55, 60, 61, 62, 63]);
  });
});
