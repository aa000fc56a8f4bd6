import assert from 'node:assert/strict';
import { InstructionFlag, OperandFlag, type Function } from '../../../server/src/ir/function.js';
import { NoRegister } from '../../../server/src/ir/place.js';
import { lower } from '../../../server/src/languages/ptx/lower.js';
import { controlFlow } from '../../../server/src/passes/cfg.js';
import { isLiveAt, liveRangesOf } from '../../../server/src/passes/live-ranges.js';
import { livenessOf } from '../../../server/src/passes/liveness.js';
import { bindText } from './bound.js';

const prelude = `.version 8.8
.target sm_90a
.address_size 64
.extern .func (.param .b32 o) f(.param .b32 a);
.func (.reg .u32 o) g(.reg .u32 a, .reg .u32 b) { add.u32 o, a, b; ret; }
.global .u32 table[4];
.visible .entry k(.param .u64 p, .param .align 8 .b8 s[16])
{
.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<5>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b16 %h<9>;
.reg .v4 .f32 v; .reg .b128 %q<4>; .shared .align 8 .b8 sm[64]; .local .b32 l[4];
`;

function lowered(body: string, before = prelude, index = -1): Function {
  const units = bindText(`${before}${body}\n}\n`);
  const errors = units.flatMap((unit) => [...unit.parsed.problems, ...unit.bound.problems]);
  assert.deepEqual(
    errors.filter((problem) => problem.severity === 'error').map((problem) => problem.message),
    [],
    body,
  );
  const functions = units.flatMap((unit) => lower(unit.bound) ?? []);
  const found = functions.at(index);
  assert.ok(found !== undefined);
  return found;
}

const noRegister: Readonly<Record<number, string>> = {
  [NoRegister.Immediate]: '#',
  [NoRegister.SpecialConstant]: 'special',
  [NoRegister.SpecialVolatile]: 'volatile',
  [NoRegister.Symbol]: 'symbol',
  [NoRegister.Label]: 'label',
  [NoRegister.Sink]: '_',
  [NoRegister.Unknown]: '?',
};

/** `w:%r1 r:%r2*`: role, name; `?` written only under the guard, `*` part of an address, `@` the guard itself. */
function operands(f: Function, instruction: number): string {
  const shown: string[] = [];
  for (let k = f.operandStart[instruction]; k < f.operandStart[instruction + 1]; k++) {
    const flags = f.operandFlags[k];
    const place = f.operandPlace[k];
    const role = (flags & OperandFlag.Use ? 'r' : '') + (flags & OperandFlag.Definition ? 'w' : '');
    shown.push(
      (flags & OperandFlag.Guard ? '@' : '') +
        role +
        (flags & OperandFlag.Predicated ? '?' : '') +
        ':' +
        (place >= 0 ? f.registerNames[place] : noRegister[place]) +
        (flags & OperandFlag.Address ? '*' : ''),
    );
  }
  return shown.join(' ');
}

/** What stands in the text, and how liveness must see it. */
const forms: readonly (readonly [what: string, source: string, operands: string])[] = [
  ['a destination and two sources', 'add.s32 %r1, %r2, %r3;', 'w:%r1 r:%r2 r:%r3'],
  ['a register that is read and written by name', 'add.s32 %r1, %r1, 1;', 'w:%r1 r:%r1 r:#'],
  ['a guard: the old value may live on', '@%p1 mov.b32 %r1, %r2;', 'w?:%r1 r:%r2 @r:%p1'],
  ['a negated guard', '@!%p1 mov.b32 %r1, 5;', 'w?:%r1 r:# @r:%p1'],
  ['a braced destination', 'ld.global.v2.u32 {%r1, %r2}, [%rd1+8];', 'w:%r1 w:%r2 r:%rd1* r:#*'],
  ['a sink in a braced destination', 'mov.b64 {_, %r2}, %rd1;', 'w:_ w:%r2 r:%rd1'],
  ['a single element in braces', 'ld.global.b32 { %r1 }, [%rd1];', 'w:%r1 r:%rd1*'],
  ['a braced source', 'mov.b64 %rd1, {%r1, %r2};', 'w:%rd1 r:%r1 r:%r2'],
  ['a vector register', 'ld.global.v4.f32 v, [%rd1];', 'w:v.x w:v.y w:v.z w:v.w r:%rd1*'],
  ['a component that is written: the others stay', 'mov.f32 v.w, %f1;', 'w:v.w r:%f1'],
  ['a component that is read, by its colour name', 'mov.f32 %f1, v.g;', 'w:%f1 r:v.y'],
  ['two predicates d|p', 'setp.lt.s32 %p1|%p2, %r1, %r2;', 'w:%p1 w:%p2 r:%r1 r:%r2'],
  ['a sink as second predicate', 'setp.lt.s32 %p1|_, %r1, 3;', 'w:%p1 w:_ r:%r1 r:#'],
  [
    'a value and a predicate d|p',
    'shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, -1;',
    'w:%r1 w:%p1 r:%r2 r:%r3 r:# r:#',
  ],
  ['a negated predicate source', 'setp.eq.and.s32 %p1, %r1, %r2, !%p2;', 'w:%p1 r:%r1 r:%r2 r:%p2'],
  ['a store reads all of its operands', 'st.global.u32 [%rd1], %r1;', 'r:%rd1* r:%r1'],
  ['a store of a vector', 'st.shared.v2.b32 [%r1+4], {%r2, %r3};', 'r:%r1* r:#* r:%r2 r:%r3'],
  ['an atomic with a result', 'atom.global.add.u32 %r1, [%rd1], %r2;', 'w:%r1 r:%rd1* r:%r2'],
  ['an atomic whose result is thrown away', 'atom.global.add.u32 _, [%rd1], %r2;', 'w:_ r:%rd1* r:%r2'],
  ['compare and swap', 'atom.global.cas.b32 %r1, [%rd1], %r2, %r3;', 'w:%r1 r:%rd1* r:%r2 r:%r3'],
  ['a reduction writes no register', 'red.global.add.u32 [%rd1], %r1;', 'r:%rd1* r:%r1'],
  ['a symbol as address', 'ld.global.u32 %r1, [table+4];', 'w:%r1 r:symbol* r:#*'],
  ['the address of a symbol', 'mov.u64 %rd1, table;', 'w:%rd1 r:symbol'],
  ['an array element without brackets', 'ld.global.u32 %r1, table[2];', 'w:%r1 r:symbol r:#'],
  ['a special register', 'mov.u32 %r1, %tid.x;', 'w:%r1 r:special'],
  ['a special register that changes', 'mov.u32 %r1, %clock;', 'w:%r1 r:volatile'],
  ['a branch', '@%p1 bra L; L:', 'r:label @r:%p1'],
  ['a branch through a list', 'T: .branchtargets A, B; A: brx.idx %r1, T; B:', 'r:%r1 r:label'],
  ['a call with registers', 'call (%r1), g, (%r2, 7);', 'w:%r1 r:symbol r:%r2 r:#'],
  ['a guarded call', '@%p1 call (%r1), g, (%r2, 7);', 'w?:%r1 r:symbol r:%r2 r:# @r:%p1'],
  [
    'a call with memory parameters',
    '{ .param .b32 a; .param .b32 o; call (o), f, (a); }',
    'w:symbol r:symbol r:symbol',
  ],
  [
    'an indirect call',
    '{ P: .callprototype _ (.reg .b32 _); call %rd1, (%r1), P; }',
    'r:%rd1 r:%r1 r:symbol',
  ],
  [
    'a matrix product: a fourth operand is read, the first only written',
    'mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f5,%f6,%f7,%f8};',
    'w:%f1 w:%f2 w:%f3 w:%f4 r:%r1 r:%r2 r:%r3 r:%r4 r:%r5 r:%r6 r:%f5 r:%f6 r:%f7 r:%f8',
  ],
  [
    'an asynchronous matrix product adds to its destination',
    'wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, 1, 1, 1, 0, 0;',
    'rw:%f1 rw:%f2 rw:%f3 rw:%f4 r:%rd1 r:%rd2 r:# r:# r:# r:# r:#',
  ],
  [
    'an asynchronous copy reads two addresses',
    'cp.async.ca.shared.global [%r1], [%rd1], 16;',
    'r:%r1* r:%rd1* r:#',
  ],
  ['a carry that is written', 'add.cc.u32 %r1, %r2, %r3;', 'w:%r1 r:%r2 r:%r3 w:%cc'],
  ['a carry that is read', 'addc.u32 %r1, %r2, %r3;', 'w:%r1 r:%r2 r:%r3 r:%cc'],
  ['a carry that is read and written', 'addc.cc.u32 %r1, %r2, 0;', 'w:%r1 r:%r2 r:# rw:%cc'],
];

describe('PTX operands in ir/', () => {
  for (const [what, source, expected] of forms)
    it(what, () => {
      const f = lowered(source);
      assert.ok(f.instructionCount > 0, 'the instruction is there');
      assert.equal(operands(f, 0), expected);
    });

  it('reads .reg return values where the function returns', () => {
    const f = lowered('ret;', prelude, 0);
    assert.equal(f.name, 'g');
    assert.equal(operands(f, 2), 'r:o', 'behind the parameters and the sum');
  });
});

const flagNames: readonly (readonly [InstructionFlag, string])[] = [
  [InstructionFlag.SideEffect, 'effect'],
  [InstructionFlag.ReadsMemory, 'reads'],
  [InstructionFlag.WritesMemory, 'writes'],
  [InstructionFlag.Call, 'call'],
  [InstructionFlag.Branch, 'branch'],
  [InstructionFlag.Return, 'return'],
  [InstructionFlag.Barrier, 'barrier'],
  [InstructionFlag.Copy, 'copy'],
  [InstructionFlag.Constant, 'constant'],
];

const flags = (f: Function, i: number): string =>
  flagNames
    .filter(([bit]) => (f.instructionFlags[i] & bit) !== 0)
    .map(([, name]) => name)
    .join(' ');

const behaviours: readonly (readonly [source: string, flags: string])[] = [
  ['mov.b32 %r1, %r2;', 'copy'],
  ['mov.pred %p1, %p2;', 'copy'],
  ['mov.f32 %f1, v.x;', 'copy'],
  ['@%p1 mov.b32 %r1, %r2;', ''],
  ['mov.b64 %rd1, {%r1, %r2};', ''],
  ['mov.u32 %r1, 5;', 'constant'],
  ['@%p1 mov.u32 %r1, 5;', ''],
  ['mov.u32 %r1, %tid.x;', 'constant'],
  ['mov.u32 %r1, %clock;', ''],
  ['mov.u64 %rd1, table;', 'constant'],
  ['cvta.global.u64 %rd1, table;', 'constant'],
  ['cvta.to.global.u64 %rd1, %rd2;', ''],
  ['ld.param.u64 %rd1, [p];', 'constant'],
  ['ld.param.b32 %r1, [s+8];', 'constant'],
  ['ld.param.v2.u32 {%r1, %r2}, [s];', 'reads'],
  ['{ .param .b32 a; ld.param.b32 %r1, [a]; }', 'reads'],
  ['{ .param .b32 a; st.param.b32 [a], %r1; }', 'effect writes'],
  ['ld.global.u32 %r1, [%rd1];', 'reads'],
  ['ld.volatile.shared.u32 %r1, [%r2];', 'effect reads'],
  ['st.local.u32 [l], %r1;', 'effect writes'],
  ['red.global.add.u32 [%rd1], %r1;', 'effect reads writes'],
  ['bar.sync 0;', 'effect barrier'],
  ['membar.gl;', 'effect barrier'],
  ['add.u32 %r1, 1, 2;', ''],
  ['bra L; L:', 'effect branch'],
  ['exit;', 'effect return'],
  ['call (%r1), g, (%r2, 7);', 'effect reads writes call'],
];

describe('PTX instructions in ir/', () => {
  it('leaves out what is no instruction, and numbers the others', () => {
    const [unit] = bindText(
      `${prelude}mov.u32 %r1, 1; addi.u32 %r2, %r1, 1; mov.u32 %r3, ; st.global.u32 [%rd1], %r1;\n}`,
    ).slice(-1);
    const f = lower(unit.bound);
    assert.deepEqual([f?.instructionCount, f === undefined ? '' : operands(f, 1)], [2, 'r:%rd1* r:%r1']);
    const { symbols } = unit.bound;
    const numbers = (name: string): number[] =>
      [...symbols.occurrenceSymbol.keys()]
        .filter((k) => symbols.symbols[symbols.occurrenceSymbol[k]].name === name)
        .map((k) => symbols.occurrenceInstruction[k]);
    assert.deepEqual([numbers('%r1'), numbers('%r2')], [[0, -1, 1], [-1]]);
  });

  for (const [source, expected] of behaviours)
    it(`${source} ${expected}`, () => assert.equal(flags(lowered(source), 0), expected));

  it('a parameter of a function comes in a register, and is not made again', () => {
    const f = lowered(
      'ld.param.b32 %r1, [a]; ret;',
      '.version 8.0\n.target sm_80\n.func h(.param .b32 a) {\n.reg .b32 %r<2>;\n',
    );
    assert.equal(flags(f, 0), 'reads');
  });
});

/** `0 -> 1 2` for each block, with the label in front. */
const graph = (f: Function): string[] =>
  Array.from({ length: f.blockCount }, (_, b) => {
    const to = [...f.successors.slice(f.successorStart[b], f.successorStart[b + 1])];
    return `${f.blockNames[b]}${f.blockNames[b] === '' ? '' : ' '}${f.blockStart[b + 1] - f.blockStart[b]} -> ${to.join(' ')}`;
  });

describe('PTX control flow in ir/', () => {
  it('falls through where a branch is guarded', () =>
    assert.deepEqual(graph(lowered('mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; @%p1 bra L; ret;')), [
      '1 -> 1',
      'L 2 -> 2 1',
      '1 -> ',
    ]));

  it('ends at ret, exit and trap, and goes on where they are guarded', () =>
    assert.deepEqual(graph(lowered('@%p1 ret; @%p2 exit; trap; mov.u32 %r1, 0;')), [
      '1 -> 1',
      '1 -> 2',
      '1 -> ',
      '1 -> ',
    ]));

  it('goes to every label of a branch table, each once', () =>
    assert.deepEqual(
      graph(lowered('T: .branchtargets A, B, A; brx.idx %r1, T; A: mov.b32 %r2, 1; B: ret;')),
      ['1 -> 1 2', 'A 1 -> 2', 'B 1 -> '],
    ));

  it('leaves a block, and finds the label of the scope around it', () =>
    assert.deepEqual(graph(lowered('{ L: bra M; } L: ret; M: bra L;')), ['L 1 -> 2', 'L 1 -> ', 'M 1 -> 1']));

  it('keeps a label at the end of the body as an empty block', () =>
    assert.deepEqual(graph(lowered('@%p1 bra E; mov.u32 %r1, 0; E:')), ['1 -> 1 2', '1 -> 2', 'E 0 -> ']));

  it('gives two stacked labels one block', () =>
    assert.deepEqual(graph(lowered('bra B; A: B: ret;')), ['1 -> 1', 'A 1 -> ']));

  it('does not end a block at a call', () =>
    assert.deepEqual(graph(lowered('call (%r1), g, (%r2, 7); ret;')), ['2 -> ']));

  it('tells shadowed registers apart', () => {
    const f = lowered('mov.b32 %r1, 1; { .reg .b64 %r1; mov.b64 %r1, 5; } add.s32 %r1, %r1, 1;');
    assert.notEqual(f.operandPlace[f.operandStart[0]], f.operandPlace[f.operandStart[1]]);
    assert.equal(f.operandPlace[f.operandStart[0]], f.operandPlace[f.operandStart[2]]);
    assert.equal(f.registerWidth[f.operandPlace[f.operandStart[1]]], 2);
  });

  it('counts units by the width of the type', () => {
    const f = lowered(
      'mov.b16 %h1, 0; mov.b32 %r1, 0; mov.b64 %rd1, 0; mov.b128 %q1, {%rd1, %rd2}; mov.pred %p1, %p2;',
    );
    const width = (name: string): number => f.registerWidth[f.registerNames.indexOf(name)];
    assert.deepEqual(['%h1', '%r1', '%rd1', '%q1', '%p1'].map(width), [1, 1, 2, 4, 1]);
    assert.equal(f.registerClass[f.registerNames.indexOf('%p1')], 1);
  });
});

describe('PTX registers that the caller fills', () => {
  const f = lowered(
    'L: add.u32 %t, %t, a; setp.lt.u32 %p, %t, b; @%p bra L; st.shared.f32 [%t], %g; ret;',
    `.version 8.0
.target sm_80
.address_size 64
.func g(.reg .u32 a, .reg .u32 b, .reg .f64 unused)
{
.reg .b32 %t; .reg .f32 %g; .reg .pred %p;
mov.u32 %t, 0; mov.f32 %g, 0f00000000;
`,
  );
  const ranges = liveRangesOf(f, livenessOf(f, controlFlow(f)));
  const liveAfter = (register: string, instruction: number): boolean =>
    isLiveAt(ranges, f.registerNames.indexOf(register), 2 * instruction + 2);

  it('are written before the first instruction', () => {
    assert.equal(f.opcodes.text(f.opcode[0]), '.func');
    assert.equal(f.instructionFlags[0] & InstructionFlag.Entry, InstructionFlag.Entry);
    assert.equal(operands(f, 0), 'w:a w:b w:unused');
    assert.deepEqual([f.blockStart[0], f.blockStart[1]], [0, 3], 'the loop does not run through it');
  });

  it('are live from the entry to their last use, round every loop', () => {
    assert.deepEqual(
      [0, 2, 4, 5].map((i) => liveAfter('a', i)),
      [true, true, true, false],
    );
    assert.equal(liveAfter('b', 0), true);
    assert.equal(liveAfter('unused', 0), false);
  });
});

/** The payload of each operand of an instruction as text. */
function payloads(f: Function, instruction: number): string[] {
  const said: string[] = [];
  for (let k = f.operandStart[instruction]; k < f.operandStart[instruction + 1]; k++)
    said.push(f.operandTexts?.text(f.operandPayload?.[k] ?? 0) ?? '');
  return said;
}

describe('payloads of PTX operands', () => {
  const of = (body: string): string[] => payloads(lowered(body), 0);

  it('are the values of integers, in decimal and as ptxas evaluates them', () => {
    assert.deepEqual(of('add.s32 %r1, %r2, -16;'), ['', '', '-16']);
    assert.deepEqual(of('add.u32 %r1, %r2, 0xFFFFFFF0;'), ['', '', '4294967280']);
    assert.deepEqual(of('mov.u64 %rd1, 0xFFFFFFFFFFFFFFFF;'), ['', '-1']);
    assert.deepEqual(of('mov.u32 %r1, WARP_SZ*2+1;'), ['', '65']);
    assert.deepEqual(of('mov.u32 %r1, WARP_SZ;'), ['', '32']);
    assert.deepEqual(of('ld.global.u32 %r1, [%rd1+-8];'), ['', '', '-8']);
  });

  it('are the bits of floats, as wide as they are read', () => {
    assert.deepEqual(of('mov.f32 %f1, 0F7FC0ABCD;'), ['', '0f7fc0abcd'], 'a NaN keeps what it carries');
    assert.deepEqual(of('mov.f64 %fd1, 0D3FF0000000000000;'), ['', '0d3ff0000000000000']);
    assert.deepEqual(of('mov.f64 %fd1, 2.0;'), ['', '0d4000000000000000']);
    assert.deepEqual(of('mov.f32 %f1, (0f3F800000);'), ['', '0f3f800000']);
    assert.deepEqual(of('mov.f64 %fd1, -2.0*0.25;'), ['', '0dbfe0000000000000']);
    // ptxas rounds what is written in another precision; a .b32 takes 32 bits alone
    assert.deepEqual(of('mov.f32 %f1, 1.5;'), ['', '0f3fc00000']);
    assert.deepEqual(of('mov.f32 %f1, 0d3fb999999999999a;'), ['', '0f3dcccccd'], '0.1');
    assert.deepEqual(of('mov.f64 %fd1, 0f3fc00000;'), ['', '0d3ff8000000000000']);
    assert.deepEqual(of('mov.b32 %r1, 0f3fc00000;'), ['', '0f3fc00000']);
  });

  it('are the names of special registers and symbols', () => {
    assert.deepEqual(of('mov.u32 %r1, %tid.x;'), ['', '%tid.x']);
    assert.deepEqual(of('mov.u64 %rd1, %clock64;'), ['', '%clock64']);
    assert.deepEqual(of('ld.param.u64 %rd1, [p+8];'), ['', 'p', '8']);
    assert.deepEqual(of('mov.u64 %rd1, table;'), ['', 'table']);
    assert.deepEqual(of('call (%r1), g, (%r2, %r3);'), ['', 'g', '', '']);
  });

  it('give an index in bytes, as an offset is', () => {
    assert.deepEqual(of('ld.global.u32 %r1, table[2];'), ['', 'table', '8']);
  });

  it('say where a register is read negated', () => {
    assert.deepEqual(of('@!%p1 add.s32 %r1, %r2, %r3;'), ['', '', '', '!']);
    assert.deepEqual(of('@%p1 add.s32 %r1, %r2, %r3;'), ['', '', '', '']);
    assert.deepEqual(of('setp.lt.and.s32 %p1, %r1, %r2, !%p2;'), ['', '', '', '!']);
  });

  it('say which part of a register a video instruction reads, negated too', () => {
    assert.deepEqual(of('vmad.s32.s32.s32 %r1, %r2.b1, -%r3.h0, %r4;'), ['', '.b1', '-.h0', '']);
  });

  it('stay with their operands where operands without text come between', () => {
    const f = lowered('add.cc.u32 %r1, %r2, 5; addc.u32 %r3, %r4, 6; ret;');
    assert.deepEqual(payloads(f, 0), ['', '', '5', '']);
    assert.deepEqual(payloads(f, 1), ['', '', '6', '']);
  });
});

describe('where loops are kept as they are', () => {
  const loop =
    'mov.u32 %r1, 0; L: .pragma "nounroll"; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;';

  it('is the number of the instruction behind the pragma', () => {
    assert.equal(lowered(loop).attributes.nounroll, '1');
    assert.equal(lowered(loop + loop.replaceAll('L', 'M')).attributes.nounroll, '1 5');
    assert.equal(lowered('.pragma "used_bytes_mask 3"; ret;').attributes.nounroll, undefined);
  });

  it('is everywhere when the head of the function or the module says it', () => {
    assert.equal(
      lowered('ret;', '.version 8.0\n.target sm_80\n.entry k() .pragma "nounroll"; {\n').attributes.nounroll,
      '*',
    );
    const module = '.version 8.0\n.target sm_80\n.entry a() { ret; }\n.pragma "nounroll";\n.entry k() {\n';
    assert.deepEqual(
      [0, 1].map((n) => lowered('ret;', module, n).attributes.nounroll),
      ['*', '*'],
    );
  });
});

describe('PTX attributes in ir/', () => {
  it('come from the header, the directives and the variables', () => {
    const f = lowered(
      '.shared .align 16 .b8 own[20]; .local .align 8 .b8 stack[24]; .pragma "nounroll"; mov.u64 %rd1, tile; ret;',
      '.version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 tile[100];\n.shared .b32 other[4];\n' +
        '.entry k() .maxntid 16, 8 .minnctapersm 2 .maxnreg 40 {\n.reg .b64 %rd<2>;\n',
    );
    assert.deepEqual(f.attributes, {
      addressSize: 64,
      version: '8.0',
      arch: 'sm_90',
      maxThreads: 128,
      minBlocks: 2,
      maxRegisters: 40,
      sharedBytes: 112 + 20,
      localBytes: 24,
      localVariables: 'stack',
      nounroll: '0',
    });
  });

  // ptxas 13.0 compiles `.maxnreg 32 .maxnreg 64` within 64 registers, and `.maxntid 1024 .maxntid 256` for 256 threads
  it('are those of the last of several directives of a name', () => {
    const { attributes } = lowered(
      'ret;',
      '.version 8.0\n.target sm_90\n.address_size 64\n' +
        '.entry k() .maxnreg 32 .maxntid 1024 .minnctapersm 3 .maxntid 256 .maxnreg 64 .minnctapersm 2 {\n.reg .b64 %rd<2>;\n',
    );
    assert.deepEqual([attributes.maxRegisters, attributes.maxThreads, attributes.minBlocks], [64, 256, 2]);
  });
});
