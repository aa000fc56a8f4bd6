import assert from 'node:assert/strict';
import { nvidia } from '../../../server/src/targets/nvidia/index.js';
import type { Stall } from '../../../server/src/targets/target.js';
import { buildFunction } from '../../support/build-function.js';

/** Of the code in the order in which it is written: what is timed here is no choice of the scheduler's. */
const stalls = (text: string, arch = 'sm_80'): readonly Stall[] =>
  nvidia.compile(buildFunction(text), { arch, without: 'schedule' }).stalls;

const waits = (text: string, arch?: string): [number, number][] =>
  stalls(text, arch).map(({ instruction, cycles }) => [instruction, cycles]);

describe('nvidia stalls', () => {
  it('a dependent addition issues four cycles after its producer', () => {
    const text = 'regs a b c\na = add.f32\nb = add.f32 a\nc = add.f32 b\nstore c';
    // issue at 0, 4, 8; the store at 12: waits of 3 before each
    assert.deepEqual(waits(text), [
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    assert.equal(nvidia.compile(buildFunction(text), { arch: 'sm_80' }).stats.cycles, 13);
  });

  it('independent additions wait for the unit where it takes two cycles, and not where it takes one', () => {
    // two sums of different things: of the same, one would be left
    const text = 'regs a b\na = add.f32\nb = sub.f32\nstore a b';
    assert.deepEqual(waits(text)[0], [1, 1]);
    assert.equal(stalls(text)[0].producer, -1);
    assert.equal(waits(text, 'sm_86').filter(([instruction]) => instruction === 1).length, 0);
  });

  it('a reader of a shared load waits for it, less what was issued meanwhile', () => {
    // load at 0, arrives at 23; the other two issue at 1 and 2
    const found = stalls(
      'regs a b c d\na = ld.shared.f32\nb = mov.u32\nc = add.f32\nd = add.f32 a\nstore b c d',
    );
    const long = found.find(({ instruction }) => instruction === 3);
    assert.equal(long?.cycles, 20);
    assert.equal(long?.producer, 0);
    assert.equal(long?.register, 0);
    assert.equal(long?.cause, 'waits for the shared load of a (no bank conflict)');
  });

  it('names the cache level that a global load is taken to hit', () => {
    const [first] = stalls('regs a b\na = ld.global.f32\nb = add.f32 a\nstore b', 'sm_90');
    assert.equal(first.cycles, 39);
    assert.match(first.cause, /global load of a \(an L1 hit\)/);
    const [past] = stalls('regs a b\na = ld.global.cg.f32\nb = add.f32 a\nstore b', 'sm_90');
    assert.match(past.cause, /an L2 hit/);
    assert.ok(past.cycles > 200);
  });

  it('a write waits for an older write that is on its way', () => {
    const found = stalls('regs a p:p\na = ld.shared.f32\n@p a = mov.u32\nstore a');
    assert.equal(found[0].instruction, 1);
    assert.equal(found[0].cycles, 22);
  });

  it('keeps what is in flight into the only successor, and drops it at joins', () => {
    const through = waits('regs a b\nA:\na = ld.shared.f32\nB:\nb = add.f32 a\nstore b');
    assert.deepEqual(through[0], [1, 22]);
    const joined = waits(
      'regs a b p:p\nA:\na = ld.shared.f32\nbranch p\n-> B C\nB:\nmembar\nC:\nb = add.f32 a\nstore b',
    );
    assert.ok(!joined.some(([instruction]) => instruction === 3));
  });

  it('shows at most three long waits a function, the longest first', () => {
    const text =
      'regs a b c d e f g h\n' +
      ['a b', 'c d', 'e f', 'g h']
        .map((pair) => `${pair[0]} = ld.global.f32\n${pair[2]} = add.f32 ${pair[0]}\nstore ${pair[2]}`)
        .join('\n');
    const { problems } = nvidia.compile(buildFunction(text), { arch: 'sm_75' });
    const long = problems.filter(({ code }) => code === 'stall/long');
    assert.equal(long.length, 3);
    for (const { message, severity } of long) {
      assert.equal(severity, 'hint');
      assert.match(
        message,
        /^\d+ cycles: waits for the global load of \w \(an L1 hit\), if no other warp runs \(sm_75/,
      );
    }
  });
});
