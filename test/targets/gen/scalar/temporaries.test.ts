import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkAllocation, checkSchedule } from '../../../../server/src/targets/gen/check/index.js';
import { compare, executable } from '../../../../server/src/targets/gen/simulate/compare.js';
import {
  allocateSelection,
  allocateWithTemporaries,
  scheduleAfter,
  scheduleBefore,
  type TemporaryOptions,
} from '../../../../server/src/targets/gen/scalar/index.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import { scratchTraffic } from '../../../../server/src/targets/gen/spills.js';
import { followed } from '../../../../server/src/targets/gen/strategies.js';
import { runs } from '../../../support/fuzz.js';
import { listing, selection } from '../../../support/gen-programs.js';
import { randomSelection } from '../../../support/random-selection.js';

const options = { seeds: [1], steps: 1000 };

const ways: readonly TemporaryOptions[] = [{}, { keeps: true }, { keeps: true, recomputes: true }];

const text = (program: Program): string =>
  listing(program)
    .map((line, k) => `${k}: ${line}`)
    .join('\n');

function assertSame(source: Program, compiled: Program, what: string): void {
  const found = compare(source, compiled, options);
  if (found === undefined) return;
  assert.fail(
    `${what}: ${found.message} at ${found.instruction}\n${text(source)}\n-- compiled\n${text(compiled)}`,
  );
}

describe('selection programs with temporaries do what their sources do', () => {
  for (const width of [8, 16] as const)
    it(`in SIMD${width}, before and behind the scheduler`, () => {
      const spills = ways.map(() => 0);
      fc.assert(
        fc.property(
          randomSelection({ width, dwords: 16, statements: 5, depth: 2 }),
          fc.constantFrom(...ways),
          fc.constantFrom(42, 36, 32),
          fc.boolean(),
          (given, way, registers, isReordered) => {
            const program = isReordered ? scheduleBefore(given) : given;
            assert.equal(executable(program, options), undefined);
            const maxRegisters = Math.floor((registers * width) / 16) + 5;
            const allocation = allocateWithTemporaries(program, { ...way, maxRegisters });
            if (allocation.kind === 'refused') return;
            spills[ways.indexOf(way)] += allocation.spilled.length;
            const messages = checkAllocation(program, allocation, { most: 3 }).map(({ message }) => message);
            assert.deepEqual(messages, [], text(allocation.code));
            assertSame(program, allocation.code, `${maxRegisters} registers`);
            const scheduled = scheduleAfter(allocation.code).program;
            assert.deepEqual(checkSchedule(allocation.code, scheduled, { most: 3 }), []);
            assertSame(program, scheduled, `scheduled, ${maxRegisters} registers`);
          },
        ),
        { numRuns: runs(90) },
      );
      assert.ok(spills.every((count) => count > 0));
    });
});

const fillers = `add a = g1 1
  add b = g1 2
  add c = g1 3
  add d = g1 4
  add s = a b
  add s = s c
  add s = s d`;

/** x is wanted at the end alone; between lie four values, of which three have room beside it. */
const waiting = (definition: string, uses = 'add s = s x\nadd s = s x\nxor s = s x'): string => `
  dword x a b c d s
  uniform dword u
  ${definition}
  ${fillers}
  ${uses}
  untyped_write = s s 0`;

/** g0, four registers, and two that scratch messages take. */
const TIGHT = 7;

function counted(source: string, way: TemporaryOptions, maxRegisters = TIGHT) {
  const { program } = selection(source, { firstFree: 2 });
  const allocation = allocateWithTemporaries(program, { ...way, maxRegisters });
  assert.ok(allocation.kind === 'allocated', 'reason' in allocation ? allocation.detail : '');
  assert.deepEqual(checkAllocation(program, allocation), []);
  assertSame(program, allocation.code, 'by hand');
  const { stores, loads } = scratchTraffic(allocation.code);
  const how = allocation.spilled.map((one) => `${program.registers[one.register].name} ${one.how}`);
  return { stores, loads, how, allocation };
}

describe('registers that stand in for spilled ones', () => {
  const best = { keeps: true, recomputes: true };

  it('are one for each reference in the manner of i965', () => {
    const { stores, loads, how, allocation } = counted(waiting('add x = g1 5'), {});
    assert.deepEqual([stores, loads, how], [1, 3, ['x stored']]);
    const [{ stores: at, reloads, scratchOffset }] = allocation.spilled;
    assert.deepEqual([at, reloads, scratchOffset], [[0], [8, 9, 10], 0]);
  });

  it('are kept for later uses of the block in the best one', () => {
    const { stores, loads, how } = counted(waiting('add x = g1 5'), best);
    assert.deepEqual([stores, loads, how], [1, 1, ['x split']]);
  });

  it('are computed again where the value is a number or an argument', () => {
    for (const definition of ['mov x = 5', 'mov x = u']) {
      // the argument lies in a register of its own until the end
      const limit = definition.endsWith('u') ? TIGHT + 1 : TIGHT;
      const last = definition.endsWith('u') ? 'add s = s x\nadd s = s x\nxor s = s u' : undefined;
      const { stores, loads, how } = counted(waiting(definition, last), best, limit);
      assert.deepEqual([stores, loads, how], [0, 0, ['x recomputed']], definition);
    }
  });

  it('are not stored where the next value does not need the old one', () => {
    const { stores, loads, how } = counted(
      waiting('add x = g1 5\nxor a = x x', 'mov x = s\nadd s = s x'),
      best,
    );
    assert.deepEqual([stores, loads], [0, 0], how.join());
  });

  it('leave a header and room for the data of one message alone', () => {
    for (const width of [8, 16] as const) {
      const step = width / 8;
      const text = waiting('add x = g1 5').replace(/g1/g, `g${step}`);
      const { program } = selection(text, { width, firstFree: 2 * step });
      const maxRegisters = 1 + step + 4 * step + 1;
      const allocation = allocateWithTemporaries(program, { maxRegisters: maxRegisters + (step - 1) });
      assert.ok(allocation.kind === 'allocated', 'reason' in allocation ? allocation.detail : '');
      const { code } = allocation;
      assert.equal(code.pool?.count, 1 + step);
      for (const { sources, destinations } of code.instructions)
        for (const operand of [...sources, ...destinations])
          assert.ok(operand.file !== 'grf' || operand.grf < code.pool.first);
    }
  });
});

describe('strategies for selection programs', () => {
  /** Ten values at the most, of which six wait. */
  const six = Array.from({ length: 6 }, (_, k) => `x${k}`);
  const { program } = selection(
    `dword a b c d s ${six.join(' ')}
    ${six.map((x, k) => `add ${x} = g1 ${k}`).join('\n')}
    ${fillers}
    ${six.map((x) => `add s = s ${x}`).join('\n')}
    untyped_write = s s 0`,
    { firstFree: 2 },
  );

  it('spill only where nothing fits without, and say how', () => {
    for (const manner of ['i965', 'best'] as const) {
      const names = (maxRegisters: number) =>
        allocateSelection(program, { maxRegisters }, manner).attempts.map(({ name, failure }) => [
          name,
          failure,
        ]);
      assert.deepEqual(names(11), [['simd8', undefined]]);
      assert.deepEqual(names(10), [
        ['simd8', 'REGISTER_ALLOCATION_FAIL'],
        ['simd8+temporaries', undefined],
      ]);
    }
  });

  it('are said to be of the back-end that they follow', () => {
    const names = ['best', 'i965', 'beignet'] as const;
    const dialects = ['vec4', 'scalar', 'selection'] as const;
    assert.deepEqual(
      names.map((name) => dialects.map((dialect) => followed(name, dialect))),
      [
        ['best', 'best', 'best'],
        ['i965', 'i965', 'i965'],
        ['i965', 'beignet', 'beignet'],
      ],
    );
  });
});
