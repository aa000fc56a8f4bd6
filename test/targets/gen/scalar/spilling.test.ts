import assert from 'node:assert/strict';
import type { Allocated } from '../../../../server/src/targets/gen/allocation.js';
import { platforms } from '../../../../server/src/targets/gen/platforms.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import {
  allocateWithPool,
  type PoolOptions,
} from '../../../../server/src/targets/gen/scalar/allocate-program.js';
import { scratchSize } from '../../../../server/src/targets/gen/scratch-size.js';
import { placeScratch } from '../../../../server/src/targets/gen/scalar/scratch.js';
import { skeletonOf } from '../../../../server/src/targets/gen/scalar/skeleton.js';
import { SpillCode } from '../../../../server/src/targets/gen/scalar/spill-code.js';
import { spillCosts } from '../../../../server/src/targets/gen/scalar/spill-costs.js';
import { Insertions } from '../../../../server/src/targets/gen/scalar/insertions.js';
import { intervalsOf } from '../../../../server/src/targets/gen/scalar/intervals.js';
import { planVectors, type VectorPlan } from '../../../../server/src/targets/gen/scalar/vectors.js';
import { listing, selection, shown, type SelectionOptions } from '../../../support/gen-programs.js';

function planOf(program: Program): VectorPlan {
  const skeleton = skeletonOf(program);
  const options = { spills: true, isPayload: skeleton.isPayload, added: [] };
  return planVectors(program, program.instructions, intervalsOf(skeleton), new Insertions(), options);
}

/** Spill code of the whole text with the named registers at the given bytes of scratch; virtual operands stay. */
function spillCode(
  text: string,
  spilled: Readonly<Record<string, number>>,
  options: SelectionOptions = {},
  pool = { first: 120, count: 8 },
): string[] {
  const { program, of } = selection(text, options);
  const offset = new Map(Object.entries(spilled).map(([name, at]) => [of(name), at]));
  const code = new SpillCode(program, planOf(program), pool, offset);
  return program.instructions.flatMap((instruction, i) => {
    const around = code.around(instruction, i);
    if (around === undefined) return [shown(instruction, program)];
    if (around.kind === 'refused') return [around.reason];
    return [...around.before, around.instruction, ...around.after].map((each) => shown(each, program));
  });
}

describe('spill code', () => {
  it('F26 reloads the last source first, and stores the first destination first', () => {
    const lines = spillCode(
      `dword a b c d
      mad d = a b c`,
      { a: 0, b: 32, c: 64, d: 96 },
    );
    assert.deepEqual(lines, [
      'unspill g123 = s2 @64 !nomask',
      'unspill g122 = s1 @32 !nomask',
      'unspill g121 = s0 @0 !nomask',
      'mad g124 = g121 g122 g123',
      'spill s3 = g124 @96',
    ]);
    const two = spillCode(
      `dword a b
      untyped_read a b = g5 1`,
      { a: 0, b: 32 },
    );
    assert.deepEqual(two, ['untyped_read g121 g122 = g5 1', 'spill s0 = g121 @0', 'spill s1 = g122 @32']);
  });

  it('F23 reloads a register twice, to two slots, when an instruction reads it twice', () => {
    const lines = spillCode('dword a b\n add b = a a', { a: 64 });
    assert.deepEqual(lines, [
      'unspill g122 = s2 @64 !nomask',
      'unspill g121 = s2 @64 !nomask',
      'add b = g121 g122',
    ]);
  });

  it('reloads before each use and stores behind each definition, whatever lies between', () => {
    const lines = spillCode(
      `dword a b
      mov a = 1
      add b = a 1
      add b = a b`,
      { a: 0 },
    );
    assert.deepEqual(lines, [
      'mov g121 = 1',
      'spill s0 = g121 @0',
      'unspill g121 = s0 @0 !nomask',
      'add b = g121 1',
      'unspill g121 = s0 @0 !nomask',
      'add b = g121 b',
    ]);
  });

  it('keeps predicate and mask in the store, but not the predicate of sel', () => {
    const lines = spillCode(
      `dword a b
      (+f0.0) mov a = 1
      (-f0.0) sel a = b 2
      mov a = 3 !nomask`,
      { a: 0 },
    );
    assert.deepEqual(
      lines.filter((line) => line.includes('spill')),
      ['(+f0.0) spill s0 = g121 @0', 'spill s0 = g121 @0', 'spill s0 = g121 @0 !nomask'],
    );
  });

  it('F24 never takes a physical operand for a spilled register, and leaves spill code alone', () => {
    // the situation of 2013: several registers are spilled one after the other, with physical operands and spill code
    // in the program already. A hardware operand has no virtual number here, so nothing can match by accident.
    const text = `dword a b c
      unspill g121 = g0 !nomask
      add g122 = g121 g122
      spill null = g122
      add c = a g121
      mov b = g122`;
    const once = spillCode(text, { a: 0 });
    assert.deepEqual(once, [
      'unspill g121 = g0 !nomask',
      'add g122 = g121 g122',
      'spill null = g122',
      // behind g121, which the instruction reads already
      'unspill g122 = s0 @0 !nomask',
      'add c = g122 g121',
      'mov b = g122',
    ]);
    // all three at once: the same lines in front, untouched
    const all = spillCode(text, { a: 0, b: 32, c: 64 });
    assert.deepEqual(all.slice(0, 3), once.slice(0, 3));
    assert.deepEqual(all.slice(3), [
      'unspill g122 = s0 @0 !nomask',
      'add g123 = g122 g121',
      'spill s2 = g123 @64',
      'mov g123 = g122',
      'spill s1 = g123 @32',
    ]);
  });

  it('F25 a pool register is read by the instruction that it was loaded for, and never twice by one', () => {
    const text = `dword a b c
      mov a = 1
      mov b = 2
      add c = a b
      mad c = a b a
      add(1) c+0 = a<0> b<0>`;
    const { program, of } = selection(text);
    const offset = new Map([
      [of('a'), 0],
      [of('b'), 32],
    ]);
    const code = new SpillCode(program, planOf(program), { first: 120, count: 8 }, offset);
    program.instructions.forEach((instruction, i) => {
      const around = code.around(instruction, i);
      assert.ok(around?.kind === 'code');
      const inPool = around.instruction.sources.flatMap((s) => (s.file === 'grf' ? [s.grf] : []));
      assert.equal(new Set(inPool).size, inPool.length, 'sources share no slot');
      const loaded = around.before.map(({ destinations: [d] }) => (d.file === 'grf' ? d.grf : -1));
      assert.deepEqual([...loaded].sort(), inPool.sort());
    });
  });

  it('F27 a register of a single point has no memory and no spill code', () => {
    assert.deepEqual(spillCode('dword a b\n add a = b 1', { a: -1 }), ['add g121 = b 1']);
  });

  it('moves halves of a SIMD16 register that an instruction touches, at their offset', () => {
    const lines = spillCode('dword a\n mov(8) a+32 = 1 !group8', { a: 128 }, { width: 16 });
    assert.deepEqual(lines, ['mov(8) g121 = 1 !group8', 'spill(8) s5 = g121 @160 !group8']);
  });

  it('qwords leave the first slot to the gathering of halves', () => {
    const lines = spillCode('qword a b\n add b:UQ = a:UQ 1', { a: 0, b: 64 });
    assert.deepEqual(lines, ['unspill g122 = s0 @0 !nomask', 'add g124 = g122 1', 'spill s2 = g124 @64']);
  });

  it('fails by name when one instruction needs more than the pool', () => {
    const text = `qword a b c
      dword d
      i64madsat d = a:UQ b:UQ c:UQ`;
    assert.deepEqual(spillCode(text, { a: 0, b: 64, c: 128, d: 192 }), ['REGISTER_SPILL_FAIL']);
    assert.equal(spillCode(text, { a: 0, b: 64, c: 128 }).length, 4);
    assert.equal(spillCode(text, { a: 0, b: 64, c: 128, d: 192 }, {}, { first: 112, count: 16 }).length, 5);
  });

  it('speaks of i965 programs in their own messages', () => {
    const lines = spillCode('dword a b\n add b = a 1', { a: 0, b: 32 }, { dialect: 'scalar' });
    assert.deepEqual(lines, [
      'gfx7_scratch_read g121 = @0 !nomask',
      'add g122 = g121 1',
      'gfx4_scratch_write null = g122 @32',
    ]);
  });
});

describe('F30 candidates for spilling', () => {
  function candidates(text: string, options: SelectionOptions = {}): string[] {
    const { program } = selection(text, options);
    const plan = planOf(program);
    const { isCandidate } = spillCosts(skeletonOf(program), plan, new Insertions());
    return program.registers.flatMap(({ name }, r) => (isCandidate[r] ? [name] : []));
  }

  it('are dwords and qwords of one element a lane', () => {
    const declared = `bool p
      byte b
      word w
      dword d
      qword q
      oword o
      reg r
      uniform dword ud
      uniform qword uq
      L0`;
    for (const width of [8, 16] as const) assert.deepEqual(candidates(declared, { width }), ['d', 'q']);
  });

  it('are not written in part', () => {
    const text = `dword whole strided lane half
      mov whole = 1
      mov strided<2>:UW = 1
      mov(1) lane = 1
      mov(8) half+32 = 1`;
    assert.deepEqual(candidates(text, { width: 16 }), ['whole', 'half'], 'a half is a whole GRF');
  });

  it('are not handed over by the dispatch or at the end', () => {
    assert.deepEqual(candidates('dword in a\n add a = in 1', { liveOut: ['a'] }), []);
  });

  it('are not what scratch messages of the program touch', () => {
    assert.deepEqual(candidates('dword a b\n mov a = 1\n mov b = 1\n spill null = a'), ['b']);
  });

  it('cost their loop-weighted operands by their length', () => {
    const { program, of } = selection(`dword a n
      L0 -> 1
      mov a = 1
      mov n = 1
      L1 -> 1 2
      add n = n a
      while
      L2
      mov n = 2`);
    const plan = planOf(program);
    const { cost } = spillCosts(skeletonOf(program), plan, new Insertions());
    // a: one definition outside, one use in the loop; from 0 to the loop's end at 6
    assert.equal(cost[of('a')], 11 / 6);
  });

  it('a single point costs 1', () => {
    const { program, of } = selection('dword a\n mov a = 1');
    assert.equal(spillCosts(skeletonOf(program), planOf(program), new Insertions()).cost[of('a')], 1);
  });
});

describe('scratch', () => {
  it('F28 is rounded as each generation wants it', () => {
    const of = (bytes: number): number[] =>
      [platforms.ivb, platforms.hsw, platforms.bdw].map((platform) =>
        scratchSize({ dialect: 'selection', platform }, bytes),
      );
    assert.deepEqual(of(0), [0, 0, 0]);
    assert.deepEqual(of(96), [1024, 2048, 1024]);
    assert.deepEqual(of(3000), [3072, 4096, 4096]);
  });

  it('F28 overflows on Gen7 with more than 12 KiB', () => {
    // 385 registers that are all live at the end: 385 * 32 bytes
    const names = Array.from({ length: 385 }, (_, k) => `r${k}`);
    const text = [
      'dword sum ' + names.join(' '),
      'mov sum = 0',
      ...names.map((name) => `mov ${name} = 1`),
      ...names.map((name) => `add sum = sum ${name}`),
    ].join('\n');
    const { program, of } = selection(text);
    const spilled = names.map(of);
    const full = placeScratch(program, planOf(program), spilled);
    assert.equal(full.kind === 'refused' && full.reason, 'REGISTER_SPILL_NO_SPACE');
    const fits = placeScratch(program, planOf(program), spilled.slice(1));
    assert.equal(fits.kind === 'placed' && fits.bytes, 12 * 1024);
  });

  it('shares slots of registers that do not live together', () => {
    const { program, of } = selection(`dword a b c
      mov a = 1
      add b = a 1
      mov c = b
      add b = c 1`);
    const placed = placeScratch(program, planOf(program), [of('a'), of('c')]);
    assert.ok(placed.kind === 'placed');
    assert.deepEqual([placed.offset.get(of('a')), placed.offset.get(of('c'))], [0, 0]);
    assert.equal(placed.bytes, 32);
  });

  it('begins behind what the program itself uses', () => {
    const { program, of } = selection('dword a b\n mov a = 1\n mov b = a', { scratchBytes: 40 });
    const placed = placeScratch(program, planOf(program), [of('a')]);
    assert.ok(placed.kind === 'placed');
    assert.equal(placed.offset.get(of('a')), 64);
  });
});

describe('allocation with a pool', () => {
  function crowd(count: number): string {
    const names = Array.from({ length: count }, (_, k) => `r${k}`);
    return [
      'dword sum ' + names.join(' '),
      'mov sum = 0',
      ...names.map((name) => `mov ${name} = 1`),
      ...names.map((name) => `add sum = sum ${name}`),
    ].join('\n');
  }
  const allocate = (text: string, options: PoolOptions, made: SelectionOptions = {}): Allocated => {
    const allocation = allocateWithPool(selection(text, made).program, options);
    assert.equal(allocation.kind, 'allocated');
    return allocation;
  };

  it('needs no spills for what fits beside the pool: 119 registers', () => {
    assert.deepEqual(allocate(crowd(118), { reserved: 8 }).spilled, []);
  });

  it('spills as many as do not fit, the cheapest first, and the pool holds no register', () => {
    const { program, of } = selection(crowd(130));
    const allocation = allocateWithPool(program, { reserved: 8 }) as Allocated;
    assert.equal(allocation.kind, 'allocated');
    assert.equal(allocation.spilled.length, 131 - 119);
    assert.equal(allocation.address[of('sum')] > 0, true, 'sum has most operands');
    assert.ok([...allocation.address].every((at) => at < 120 * 32));
    assert.deepEqual(allocation.code.pool, { first: 120, count: 8 });
    // each has one definition and one use
    for (const { stores, reloads } of allocation.spilled)
      assert.deepEqual([stores.length, reloads.length], [1, 1]);
  });

  it('puts a pool of 16 at g112, or where the program wants it', () => {
    assert.deepEqual(allocate('dword a\n mov a = 1', { reserved: 16 }).code.pool, { first: 112, count: 16 });
    const own = allocate('dword a\n mov a = 1', { reserved: 8 }, { pool: { first: 64, count: 8 } });
    assert.deepEqual(own.code.pool, { first: 64, count: 8 });
  });

  it('leaves no virtual operand behind', () => {
    const { code } = allocate(crowd(200), { reserved: 8 });
    assert.ok(!listing(code).some((line) => /\b(r\d+|sum)\b/.test(line)));
  });

  it('does not spill without a pool', () => {
    const refused = allocateWithPool(selection(crowd(130)).program, { reserved: 0 });
    assert.equal(refused.kind === 'refused' && refused.reason, 'REGISTER_ALLOCATION_FAIL');
    // 127 registers are there; sum and r0 to r125 fill them, r126 is written by instruction 127
    assert.equal(refused.kind === 'refused' && refused.instruction, 127);
  });

  it('spills components of a vector together', () => {
    const names = Array.from({ length: 118 }, (_, k) => `r${k}`);
    const text = [
      'dword addr x y z w sum ' + names.join(' '),
      'mov sum = 0',
      'mov addr = 0',
      ...names.map((name) => `mov ${name} = 1`),
      'untyped_read x y z w = addr 1',
      ...names.map((name) => `add sum = sum ${name}`),
      'add sum = sum x',
      'add sum = sum y',
      'add sum = sum z',
      'add sum = sum w',
    ].join('\n');
    const { code, spilled } = allocate(text, { reserved: 16 });
    assert.ok(spilled.length > 0);
    const read = code.instructions.find(({ opcode }) => opcode.name === 'untyped_read')!;
    const at = read.destinations.map((d) => (d.file === 'grf' ? d.grf : -1));
    assert.deepEqual(at, [at[0], at[0] + 1, at[0] + 2, at[0] + 3]);
  });
});
