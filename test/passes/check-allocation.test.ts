import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CodeKind, Elision, type AllocatedFunction } from '../../server/src/ir/allocated.js';
import type { Function } from '../../server/src/ir/function.js';
import { physical } from '../../server/src/ir/place.js';
import { checkAllocation } from '../../server/src/passes/check-allocation.js';
import {
  assemble,
  keepEverything,
  spillCode,
  spillEverything,
  takeApart,
  type Code,
  type CodeBlock,
} from '../support/allocated.js';
import { buildFunction } from '../support/build-function.js';
import { runs } from '../support/fuzz.js';
import { runsApart } from '../support/lockstep.js';
import { randomFunction } from '../support/random-function.js';

const alignment = (_class: number, width: number): number => width;
const messages = (a: AllocatedFunction): string[] => checkAllocation(a, { alignment }).map((v) => v.message);

/** A small generator of its own, so that one fast-check number gives a whole path. */
function chooser(seed: number): (n: number) => number {
  let state = seed | 1;
  return (n) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state = (state + 0x9e3779b9) | 0;
    return (state >>> 8) % n;
  };
}

interface Damage {
  readonly where: number;
  readonly how: number;
  readonly number: number;
}

const damage = fc.record({ where: fc.nat(10_000), how: fc.nat(9), number: fc.nat(1000) });

/** Damages one piece of code; the result may still be right (a reload that was not needed). */
function damaged(a: AllocatedFunction, { where, how, number }: Damage): AllocatedFunction {
  if (a.count === 0) return a;
  const target = where % a.count;
  let seen = 0;
  const blocks = takeApart(a).map((block): CodeBlock => {
    const k = target - seen;
    seen += block.code.length;
    if (k < 0 || k >= block.code.length) return block;
    return { ...block, code: damagedBlock(a, block.code, k, how, number) };
  });
  return assemble(a.source, blocks, [...a.unitsUsed], [...a.slotUnits]);
}

function damagedBlock(
  a: AllocatedFunction,
  code: readonly Code[],
  k: number,
  how: number,
  number: number,
): readonly Code[] {
  const list = [...code];
  const item = list[k];
  const isSpillCode = item.kind !== CodeKind.Original && item.kind !== CodeKind.Elided;
  const anyPlace = (place: number): number => {
    const c = ~place >>> 16;
    return physical(c, number % Math.max(1, a.unitsUsed[c]));
  };
  switch (how) {
    case 0:
    case 1:
      if (isSpillCode) list.splice(k, 1);
      break;
    case 2:
      if (item.slot >= 0) list[k] = { ...item, slot: number % Math.max(1, Math.max(...a.slotUnits)) };
      break;
    case 3:
    case 4: {
      const at = number % Math.max(1, item.places.length);
      const places = item.places.map((p, n) => (n === at && p < 0 && p >= -(1 << 20) ? anyPlace(p) : p));
      list[k] = { ...item, places };
      break;
    }
    case 5:
    case 6:
      if (k + 1 < list.length) [list[k], list[k + 1]] = [list[k + 1], list[k]];
      break;
    case 7:
      if (isSpillCode) list.splice(number % (list.length + 1), 0, item);
      break;
    case 8:
      if (item.kind === CodeKind.Original)
        list[k] = { ...item, kind: CodeKind.Elided, elision: 1 + (number % 3), places: [] };
      break;
    case 9:
      if (item.kind === CodeKind.Store) list[k] = { ...item, kind: CodeKind.Reload };
      else if (item.kind === CodeKind.Reload) list[k] = { ...item, kind: CodeKind.Store };
  }
  return list;
}

describe('allocation checker', () => {
  it('accepts correct allocations of random functions', () => {
    fc.assert(
      fc.property(randomFunction(), fc.nat(), (f, seed) => {
        for (const a of [spillEverything(f), keepEverything(f)]) {
          assert.deepEqual(messages(a), []);
          assert.equal(runsApart(a, chooser(seed)), undefined);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('finds every damage that changes what some path reads', function () {
    this.timeout(20_000);
    let changed = 0;
    fc.assert(
      fc.property(
        randomFunction({ maxBlocks: 6, maxRegisters: 5 }),
        fc.boolean(),
        fc.array(damage, { minLength: 1, maxLength: 2 }),
        fc.nat(),
        (f, keep, damages, seed) => {
          const right = keep ? keepEverything(f) : spillEverything(f);
          const wrong = damages.reduce(damaged, right);
          if (messages(wrong).length > 0) return;
          for (let path = 0; path < 12; path++) {
            const apart = runsApart(wrong, chooser(seed + 7919 * path));
            assert.equal(apart, undefined, 'the checker let it pass');
          }
        },
      ),
      { numRuns: runs(500) },
    );
    // the property says something only if such damage is usual
    const f = buildFunction(loop);
    const right = spillEverything(f);
    for (let n = 0; n < 400; n++) {
      const wrong = damaged(right, { where: n, how: n % 5, number: n * 7 });
      let apart = false;
      for (let path = 0; path < 8; path++) apart ||= runsApart(wrong, chooser(n + path)) !== undefined;
      if (!apart) continue;
      changed++;
      assert.notDeepEqual(messages(wrong), []);
    }
    assert.ok(changed > 100, `${changed} of 400 changed anything`);
  });

  const loop = `regs n i t p:p
    n = op
    i = op
    LOOP:
    t = load i
    i = op i t
    p = op i n
    branch p
    -> END LOOP
    END:
    store i`;

  /** Hand-made code for a source, in R-numbers of class 0. */
  const R = (n: number): number => physical(0, n);
  const original = (instruction: number, ...places: number[]): Code => ({
    kind: CodeKind.Original,
    elision: Elision.None,
    instruction,
    register: -1,
    slot: -1,
    places,
  });
  const elided = (instruction: number, elision: Elision): Code => ({
    ...original(instruction),
    kind: CodeKind.Elided,
    elision,
  });
  const line = (f: Function, ...code: Code[]): AllocatedFunction =>
    assemble(f, [{ code, successors: [] }], [4, 1], [4, 0]);

  it('says what stands in the place instead', () => {
    const f = buildFunction(`regs a b
      a = op
      b = op
      store a`);
    assert.deepEqual(messages(line(f, original(0, R(0)), original(1, R(0)), original(2, R(0)))), [
      'at instruction 2: reads general 0 for a, which holds a result of instruction 1',
    ]);
    const a = line(f, original(0, R(0)), original(1, R(0)), original(2, R(0)));
    assert.match(checkAllocation(a, { unitName: (_c, n) => `R${n}` })[0].message, /reads R0 for a/);
  });

  it('follows copies, slots and elided copies', () => {
    const f = buildFunction(`regs a b
      a = op
      b = copy a
      store a b`);
    const good = line(
      f,
      original(0, R(1)),
      spillCode(CodeKind.Store, 0, 0, 2, R(1)),
      elided(1, Elision.Copy),
      spillCode(CodeKind.Reload, 2, 1, 2, R(3)),
      spillCode(CodeKind.Copy, 2, 0, -1, R(0), R(3)),
      original(2, R(0), R(3)),
    );
    assert.deepEqual(messages(good), []);
  });

  it('an elided copy does not survive a new value of its source', () => {
    const f = buildFunction(`regs a b
      a = op
      b = copy a
      a = op
      store b`);
    const bad = line(f, original(0, R(0)), elided(1, Elision.Copy), original(2, R(0)), original(3, R(0)));
    assert.match(messages(bad)[0], /reads general 0 for b, which holds a result of instruction 2/);
    const good = line(f, original(0, R(0)), elided(1, Elision.Copy), original(2, R(1)), original(3, R(0)));
    assert.deepEqual(messages(good), []);
  });

  it('a predicated write needs the old value in its place', () => {
    const f = buildFunction(`regs a p:p
      p = op
      a = op
      @p a = op
      store a`);
    const P = physical(1, 0);
    const good = line(f, original(0, P), original(1, R(0)), original(2, R(0), P), original(3, R(0)));
    assert.deepEqual(messages(good), []);
    const bad = line(f, original(0, P), original(1, R(0)), original(2, R(1), P), original(3, R(1)));
    assert.equal(messages(bad).length, 1);
  });

  it('two complementary predicated writes need no earlier value', () => {
    const f = buildFunction(`regs a p:p
      p = op
      @p a = op
      @p a = op
      store a`);
    const P = physical(1, 0);
    const good = line(f, original(0, P), original(1, R(2), P), original(2, R(2), P), original(3, R(2)));
    assert.deepEqual(messages(good), []);
  });

  it("recomputes only what is still the register's value", () => {
    const f = buildFunction(`regs a
      a = const 5
      store a
      a = op
      store a`);
    const recompute = (place: number): Code => ({
      ...original(0, place, f.operandPlace[1]),
      kind: CodeKind.Recompute,
      register: 0,
    });
    const rest = [original(2, R(1)), original(3, R(1))];
    const good = line(f, elided(0, Elision.Recomputed), recompute(R(0)), original(1, R(0)), ...rest);
    assert.deepEqual(messages(good), []);
    const bad = line(
      f,
      elided(0, Elision.Recomputed),
      recompute(R(0)),
      original(1, R(0)),
      original(2, R(1)),
      recompute(R(1)),
      original(3, R(1)),
    );
    assert.match(messages(bad)[0], /another definition may have changed/);
  });

  it('dead means dead', () => {
    const f = buildFunction(`regs a b
      a = op
      b = op a
      store a`);
    const good = line(f, original(0, R(0)), elided(1, Elision.Dead), original(2, R(0)));
    assert.deepEqual(messages(good), []);
    const bad = line(f, elided(0, Elision.Dead), elided(1, Elision.Dead), original(2, R(0)));
    assert.match(messages(bad)[0], /dropped as dead/);
    const effect = line(f, original(0, R(0)), elided(1, Elision.Dead), elided(2, Elision.Dead));
    assert.match(messages(effect)[0], /has an effect/);
  });

  it("demands the source's instructions in order, its edges, alignment, classes and range", () => {
    const f = buildFunction(`regs a d:2
      a = op
      d = op a
      store d`);
    const whole = [original(0, R(0)), original(1, R(2), R(0)), original(2, R(2))];
    assert.deepEqual(messages(line(f, ...whole)), []);
    assert.match(messages(line(f, whole[1], whole[0], whole[2]))[0], /where instruction 0 must be/);
    assert.match(messages(line(f, whole[0], whole[1]))[0], /instruction 2 of block 0 is missing/);
    assert.match(messages(line(f, ...whole, whole[2]))[0], /twice/);
    const odd = line(f, original(0, R(0)), original(1, R(1), R(0)), original(2, R(1)));
    assert.match(messages(odd)[0], /multiple of 2/);
    const high = line(f, original(0, R(0)), original(1, R(3), R(0)), original(2, R(3)));
    assert.match(messages(high)[0], /units 3 to 4/);
    const predicate = line(f, original(0, physical(1, 0)), whole[1], whole[2]);
    assert.match(messages(predicate)[0], /class predicate/);
    const loops = assemble(f, [{ code: whole, successors: [0] }], [4, 1], [0, 0]);
    assert.match(messages(loops)[0], /in the source to/);
  });

  it('lets a unit hold anything on a path that leaves the register undefined', () => {
    const f = buildFunction(`regs a b p:p
      p = op
      branch p
      -> LEFT RIGHT
      LEFT:
      b = op
      store b
      -> JOIN
      RIGHT:
      a = op
      JOIN:
      store a`);
    const P = physical(1, 0);
    const left = [original(2, R(0)), original(3, R(0))];
    const shared = assemble(
      f,
      [
        { code: [original(0, P), original(1, P)], successors: [1, 2] },
        { code: left, successors: [3] },
        { code: [original(4, R(0))], successors: [3] },
        { code: [original(5, R(0))], successors: [] },
      ],
      [1, 1],
      [0, 0],
    );
    assert.deepEqual(messages(shared), []);
  });

  it('walks code on split edges', () => {
    const f = buildFunction(`regs a p:p
      p = op
      a = op
      branch p
      -> RIGHT LEFT
      LEFT:
      store a
      RIGHT:
      store a`);
    const P = physical(1, 0);
    const blocks = (onEdge: readonly Code[]): CodeBlock[] => [
      { code: [original(0, P), original(1, R(0)), original(2, P)], successors: [2, 3] },
      { code: [original(3, R(1)), spillCode(CodeKind.Copy, 3, 0, -1, R(0), R(1))], successors: [2] },
      { code: [original(4, R(0))], successors: [] },
      { code: onEdge, successors: [1] },
    ];
    const copy = spillCode(CodeKind.Copy, 2, 0, -1, R(1), R(0));
    assert.deepEqual(messages(assemble(f, blocks([copy]), [2, 1], [0, 0])), []);
    assert.equal(messages(assemble(f, blocks([]), [2, 1], [0, 0])).length, 1);
  });
});
