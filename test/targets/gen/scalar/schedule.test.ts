import assert from 'node:assert/strict';
import fc from 'fast-check';
import { scheduleAfter, scheduleBefore } from '../../../../server/src/targets/gen/scalar/index.js';
import { EdgeKind, ScheduleGraphs } from '../../../../server/src/targets/gen/scalar/schedule-graph.js';
import type { Program } from '../../../../server/src/targets/gen/program.js';
import { runs } from '../../../support/fuzz.js';
import { selection } from '../../../support/gen-programs.js';

const allocated = (text: string, width: 8 | 16 = 8): Program => ({
  ...selection(text, { width }).program,
  phase: 'allocated',
});

const after = (text: string, width: 8 | 16 = 8): number[] => [...scheduleAfter(allocated(text, width)).order];

const edges = (program: Program): string[] => {
  const graph = new ScheduleGraphs(program).of(0);
  const names = ['RAW', 'RAW memory', 'WAW', 'WAR'];
  const found: string[] = [];
  for (let n = 0; n < graph.count; n++)
    for (let e = graph.edgeStart[n]; e < graph.edgeStart[n + 1]; e++)
      found.push(`${n} ${names[graph.kind[e]]} ${graph.to[e]}`);
  return found;
};

describe("Beignet's scheduler behind allocation", () => {
  it('F46 issues memory reads first', () => {
    // the read costs -40, the moves before it 10
    assert.deepEqual(after('mov g2 = 1\n mov g3 = 2\n untyped_read g10 = g5 1'), [2, 0, 1]);
  });

  it('F46 then what a read needs', () => {
    // 1 makes the address: 10 - 5 / 1, 0 is 10 - 5 / infinity
    assert.deepEqual(after('mov g2 = 1\n mov g5 = 2\n untyped_read g10 = g5 1'), [1, 0, 2]);
  });

  it('F46 takes what an anti dependence has released before all but reads', () => {
    // 1 may write g2 as soon as 0 has read it, and costs 0 then, less than 2 with 10
    assert.deepEqual(after('mov g4 = g2\n mov g2 = 1\n mov g6 = 3'), [0, 1, 2]);
    // an output dependence waits for the latency of 20
    assert.deepEqual(after('mov g2 = g4\n mov g2 = 1\n mov g6 = 3'), [0, 2, 1]);
  });

  it('F46 pairs of registers in SIMD16 make false dependences', () => {
    assert.deepEqual(edges(allocated('mov(8) g2 = 1\n mov(8) g5 = g3')), []);
    assert.deepEqual(edges(allocated('mov(8) g2 = 1\n mov(8) g5 = g3', 16)), ['0 RAW 1']);
  });

  it('F46 keeps spill code in order with all memory', () => {
    const program = {
      ...allocated(`spill null = g122
        untyped_read g10 = g5 1
        unspill g121 = 0
        untyped_write = g6 g7 1`),
      pool: { first: 120, count: 8 },
    };
    const found = edges(program);
    for (const edge of ['0 RAW 1', '0 RAW 2', '1 WAR 3', '2 WAR 3']) assert.ok(found.includes(edge), edge);
    // and an instruction that uses the pool stays between its reload and its store
    const pooled = {
      ...allocated('unspill g121 = 0\n add g122 = g121 1\n spill null = g122\n unspill g123 = 0'),
      pool: { first: 120, count: 8 },
    };
    assert.deepEqual([...scheduleAfter(pooled).order], [0, 1, 2, 3]);
  });

  it('what a memory read has fetched is told apart', () => {
    assert.deepEqual(edges(allocated('untyped_read g10 = g5 1\n mov g2 = g10')), ['0 RAW memory 1']);
  });

  it('lets nothing pass a label, a jump or a barrier', () => {
    assert.deepEqual(
      after('label\n mov g2 = 1\n barrier g3 = g4\n untyped_read g10 = g5 1\n jmpi'),
      [0, 1, 2, 3, 4],
    );
  });

  it('64-bit operands touch the next register too', () => {
    assert.deepEqual(edges(allocated('mov g2:UQ = 1\n mov g5 = g3')), ['0 RAW 1']);
  });
});

describe("Beignet's scheduler before allocation", () => {
  it('puts an instruction next to its user', () => {
    const { program } = selection(`dword a b c d
      mov a = 1
      mov b = 2
      mov c = 3
      add d = a 4
      add d = d b
      add d = d c`);
    // from below: 5; it needs 2 and 4, and 2 has no predecessors (need 0), 4 has need 1; below 4 the same with 1 and 3
    assert.deepEqual(
      scheduleBefore(program).instructions.map(({ origin }) => origin),
      [0, 3, 1, 4, 2, 5],
    );
  });
});

describe('both schedulers', () => {
  const registers = ['g2', 'g3', 'g4', 'g5', 'g6', 'g7'];
  const line = fc
    .record({
      what: fc.constantFrom('mov', 'add', 'read', 'write', 'flag', 'guarded', 'label'),
      d: fc.constantFrom(...registers),
      a: fc.constantFrom(...registers),
      b: fc.constantFrom(...registers),
    })
    .map(({ what, d, a, b }) => {
      if (what === 'read') return `untyped_read ${d} = ${a} 1`;
      if (what === 'write') return `untyped_write = ${a} ${b} 1`;
      if (what === 'flag') return `cmp.l.f0.0 null = ${a} ${b}`;
      if (what === 'guarded') return `(+f0.0) mov ${d} = ${a}`;
      if (what === 'label') return 'label';
      return what === 'add' ? `add ${d} = ${a} ${b}` : `mov ${d} = ${a}`;
    });

  it('keep each reader behind its writer, and all other orders that matter', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) => {
        const program = allocated(lines.join('\n'));
        const graph = new ScheduleGraphs(program).of(0);
        const orders = [
          [...scheduleAfter(program).order],
          scheduleBefore(program).instructions.map(({ origin }) => origin),
        ];
        for (const order of orders) {
          assert.deepEqual(
            [...order].sort((a, b) => a - b),
            lines.map((_, n) => n),
          );
          const at = new Map(order.map((n, k) => [n, k]));
          // every pair that touches one register, flag or memory, one of them writing: found here by the text
          for (let i = 0; i < lines.length; i++)
            for (let j = i + 1; j < lines.length; j++)
              if (conflicts(lines[i], lines[j]))
                assert.ok(at.get(i)! < at.get(j)!, `${lines[i]} | ${lines[j]}`);
        }
        assert.ok(graph.kind.every((kind) => kind <= EdgeKind.WriteAfterRead));
      }),
      { numRuns: runs(200) },
    );
  });

  function conflicts(first: string, second: string): boolean {
    if (first === 'label' || second === 'label') return true;
    const [a, b] = [touches(first), touches(second)];
    const meet = (x: readonly string[], y: readonly string[]): boolean => x.some((each) => y.includes(each));
    return meet(a.writes, b.reads) || meet(a.reads, b.writes) || meet(a.writes, b.writes);
  }

  function touches(text: string): { reads: string[]; writes: string[] } {
    const [left, right] = text.split('=');
    const reads = right.match(/g\d/g) ?? [];
    const writes: string[] = left.match(/g\d/g) ?? [];
    if (text.includes('cmp')) writes.push('flag');
    if (text.startsWith('(')) reads.push('flag' as never);
    if (text.includes('untyped_read')) reads.push('memory' as never);
    if (text.includes('untyped_write')) writes.push('memory');
    return { reads, writes };
  }
});
