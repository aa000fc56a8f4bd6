import assert from 'node:assert/strict';
import type { Function } from '../../../server/src/ir/function.js';
import { lower } from '../../../server/src/languages/ptx/lower.js';
import { controlFlow } from '../../../server/src/passes/cfg.js';
import { isLiveAt, liveRangesOf } from '../../../server/src/passes/live-ranges.js';
import { livenessOf } from '../../../server/src/passes/liveness.js';
import { pressureOf } from '../../../server/src/passes/pressure.js';
import { bindText } from './bound.js';

const head = `.version 8.8
.target sm_90a
.address_size 64
.func (.reg .u32 o) g(.reg .u32 a) { mov.u32 o, a; ret; }
.extern .func (.param .b32 o) f(.param .b32 a);
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .reg .v2 .f32 v; .reg .f32 %f<9>; .shared .align 16 .b8 sm[16];
`;

/** `// a b` behind a statement: exactly these registers are live after it. Statements stand one a line. */
function check(body: string): void {
  const lines = body.trim().split('\n');
  const text = `${head}${lines.join('\n')}\nret;\n}\n`;
  const unit = bindText(text).at(-1)!;
  const errors = [...unit.parsed.problems, ...unit.bound.problems].filter((p) => p.severity === 'error');
  assert.deepEqual(
    errors.map((p) => p.message),
    [],
    body,
  );
  const function_: Function | undefined = lower(unit.bound);
  assert.ok(function_ !== undefined);
  const liveness = livenessOf(function_, controlFlow(function_));
  const ranges = liveRangesOf(function_, liveness);
  const pressure = pressureOf(function_, liveness, ranges);
  for (let i = 0; i < function_.instructionCount; i++) {
    const end = unit.parsed.text.indexOf('\n', function_.spanStart[i]);
    const line = unit.parsed.text.slice(unit.parsed.text.lastIndexOf('\n', function_.spanStart[i]) + 1, end);
    const wanted = /\/\/(.*)/.exec(line)?.[1].trim();
    if (wanted === undefined) continue;
    const live: string[] = function_.registerNames.filter((_, r) => isLiveAt(ranges, r, 2 * i + 2));
    assert.deepEqual(
      live.sort(),
      wanted.split(' ').filter((name) => name !== ''),
      line,
    );
    const units: number[] = function_.classes.map(() => 0);
    for (const name of live) {
      const r = function_.registerNames.indexOf(name);
      units[function_.registerClass[r]] += function_.registerWidth[r];
    }
    assert.deepEqual(
      pressure.after.map((counts) => counts[i]),
      units,
      `counts after: ${line}`,
    );
  }
}

const forms: readonly (readonly [what: string, body: string])[] = [
  [
    'a predicated write keeps the value that it may replace',
    `mov.b32 %r1, 1; // %r1
setp.eq.s32 %p1, %r1, 2; // %p1 %r1
@%p1 mov.b32 %r1, 5; // %r1
st.shared.b32 [%r1], %r1; //`,
  ],
  [
    'two complementary predicated writes need no value before',
    `setp.eq.s32 %p1, 1, 2; // %p1
@%p1 mov.b32 %r1, 5; // %p1 %r1
@!%p1 mov.b32 %r1, 6; // %r1
st.shared.b32 [%r1], %r1; //`,
  ],
  [
    'an unconditional write ends the value before',
    `mov.b32 %r1, 1; //
mov.b32 %r1, 2; // %r1
st.shared.b32 [%r1], %r1; //`,
  ],
  [
    'a vector destination: each element lives as long as it is read',
    `ld.param.u64 %rd1, [p]; // %rd1
ld.global.v2.u32 {%r1, %r2}, [%rd1]; // %r1 %r2
add.u32 %r3, %r1, 1; // %r2 %r3
st.shared.v2.b32 [%r3], {%r2, %r3}; //`,
  ],
  [
    'a component is a register of its own: writing it ends its value and no other',
    `mov.f32 v.x, 0f00000000; //
mov.f32 v.y, 0f3F800000; // v.y
mov.f32 v.x, v.y; // v.x v.y
st.shared.v2.f32 [sm], v; //`,
  ],
  [
    'd|p: both are written, the one that nobody reads is not live',
    `mov.b32 %r2, 7; // %r2
shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1; // %p1 %r1
@%p1 st.shared.b32 [%r1], %r1; //
setp.lt.s32 %p2|%p3, 1, 2; // %p3
@%p3 bra L;
L:`,
  ],
  [
    'a destination that is also a source lives through',
    `mov.b32 %r1, 1; // %r1
add.s32 %r1, %r1, %r1; // %r1
st.shared.b32 [%r1], 0; //`,
  ],
  [
    'a destination that is added to is read: the accumulator of an asynchronous product',
    `mov.b64 %rd1, 0; // %rd1
mov.f32 %f1, 0f00000000; // %f1 %rd1
mov.f32 %f2, %f1; // %f1 %f2 %rd1
mov.f32 %f3, %f1; // %f1 %f2 %f3 %rd1
mov.f32 %f4, %f1; // %f1 %f2 %f3 %f4 %rd1
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd1, 1, 1, 1, 0, 0; // %f1 %f2 %f3 %f4
st.shared.v4.f32 [sm], {%f1, %f2, %f3, %f4}; //`,
  ],
  [
    'the carry between the two halves of a sum',
    `mov.b32 %r1, 1; // %r1
add.cc.u32 %r2, %r1, %r1; // %cc %r1 %r2
addc.u32 %r3, %r1, 0; // %r2 %r3
st.shared.v2.b32 [sm], {%r2, %r3}; //`,
  ],
  [
    'a call with registers reads its arguments and writes its results',
    `mov.b32 %r1, 1; // %r1
mov.b32 %r2, 2; // %r1 %r2
call (%r3), g, (%r1); // %r2 %r3
st.shared.b32 [%r2], %r3; //`,
  ],
  [
    'a guarded call may leave its result as it was',
    `mov.b32 %r3, 1; // %r3
setp.eq.s32 %p1, %r3, 2; // %p1 %r3
@%p1 call (%r3), g, (7); // %r3
st.shared.b32 [%r3], %r3; //`,
  ],
  [
    'a call with parameter memory keeps no register for it',
    `{ .param .b32 i; .param .b32 o;
mov.b32 %r1, 1; // %r1
st.param.b32 [i], %r1; //
call (o), f, (i); //
ld.param.b32 %r2, [o]; // %r2
st.shared.b32 [%r2], %r2; //
}`,
  ],
  [
    'an address counts as a use, 64 bits as two units',
    `ld.param.u64 %rd1, [p]; // %rd1
mov.b32 %r1, 0; // %r1 %rd1
st.global.b32 [%rd1+4], %r1; //`,
  ],
];

describe('PTX liveness, form by form', () => {
  for (const [what, body] of forms) it(what, () => check(body));
});
