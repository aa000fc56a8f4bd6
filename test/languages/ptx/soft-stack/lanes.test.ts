import assert from 'node:assert/strict';
import { func, moved, refusalOf } from './support.js';

const checked = { lanes: 'checked' } as const;
const registers = '.local .align 8 .b8 depot[32];\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<3>;';

/** A function whose `%r1` is the number of the lane. */
const byLane = (code: string): string => func(`${registers}\nmov.u32 %r1, %tid.x;\n${code}\nret;`);

describe('soft stack: lanes that would share a frame', () => {
  it('keeps values that differ out of it', () => {
    assert.match(
      refusalOf(byLane('add.u32 %r2, %r1, 1;\nst.local.u32 [depot], %r2;'), checked),
      /^line 12: 'st\.local\.u32' keeps %r2, which is not the same in all lanes.*--per-lane.*--uniform/,
    );
    // through the generic address
    assert.match(
      refusalOf(byLane('cvta.local.u64 %rd1, depot;\nst.u32 [%rd1], %r1;'), checked),
      /'st\.u32' keeps %r1/,
    );
  });

  it('asks where values are stored, too', () => {
    const source = byLane(
      'mul.wide.u32 %rd1, %r1, 4;\nmov.u64 %rd2, depot;\nadd.u64 %rd2, %rd2, %rd1;\nst.local.u32 [%rd2], 0;',
    );
    assert.match(refusalOf(source, checked), /'st\.local\.u32' keeps %rd2/);
  });

  it('lets values of the warp in', () => {
    const source = byLane('mov.u32 %r2, %tid.y;\nst.local.u32 [depot], %r2;\nst.global.u32 [%rd1], %r1;');
    assert.deepEqual(moved(source, checked).refusals, []);
  });

  it('lets one lane do what it likes', () => {
    const source = byLane(`setp.eq.u32 %p1, %r1, 0;
      @!%p1 bra DONE;
      st.local.u32 [depot], %r1;
      DONE:`);
    assert.deepEqual(moved(source, checked).refusals, []);
    const guarded = byLane('setp.eq.u32 %p1, %r1, 0;\n@%p1 st.local.u32 [depot], %r1;');
    assert.deepEqual(moved(guarded, checked).refusals, []);
    const returned = byLane('setp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\nst.local.u32 [depot], %r1;');
    assert.deepEqual(moved(returned, checked).refusals, []);
  });

  it('does not let a part of the warp store what the other part does not', () => {
    const source = byLane(`setp.lt.u32 %p1, %r1, 16;
      @!%p1 bra DONE;
      st.local.u32 [depot], 1;
      DONE:`);
    assert.match(refusalOf(source, checked), /'st\.local\.u32' stores in the frame where only a part/);
    assert.match(
      refusalOf(byLane('setp.lt.u32 %p1, %r1, 16;\n@%p1 st.local.u32 [depot], 1;'), checked),
      /only a part/,
    );
  });

  it('does not let a part of the warp call', () => {
    const callee = func('.local .b32 a;\nst.local.u32 [a], 0;\nret;', 'g');
    const caller = `.func f\n{\n.reg .b32 %r;\n.reg .pred %p;\nmov.u32 %r, %laneid;\nsetp.gt.u32 %p, %r, 3;\n@%p call g;\nret;\n}\n`;
    assert.match(
      refusalOf(callee + caller, checked),
      /^line 16: f calls it here with a part of the warp only/,
    );
    assert.deepEqual(moved(callee + caller.replace('.gt.', '.eq.'), checked).refusals, []);
  });

  it('asks nothing where each lane has a stack, or whoever calls knows better', () => {
    const source = byLane('st.local.u32 [depot], %r1;');
    assert.deepEqual(moved(source, { lanes: 'own' }).refusals, []);
    assert.deepEqual(moved(source, { lanes: 'uniform' }).refusals, []);
    assert.equal(moved(source, {}).refusals.length, 1);
  });
});
