import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InstructionFlag, OperandFlag, type Function } from '../../server/src/ir/function.js';
import { DependenceKind, dependenceGraph, type DependenceGraph } from '../../server/src/passes/dependence.js';
import { buildFunction } from '../support/build-function.js';
import { runs } from '../support/fuzz.js';
import { randomFunction } from '../support/random-function.js';

const KINDS = ['true', 'anti', 'output', 'memory', 'control'];

function words(f: Function, block = 0): string[] {
  const g = dependenceGraph(f, block);
  const found: string[] = [];
  for (let n = 0; n < g.count; n++)
    for (let e = g.start[n]; e < g.start[n + 1]; e++) {
      const register = g.register[e] < 0 ? '' : ` ${f.registerNames[g.register[e]]}`;
      found.push(`${n} ${g.to[e]} ${KINDS[g.kind[e]]}${register}`);
    }
  return found;
}

function closure(g: DependenceGraph): boolean[][] {
  const before = Array.from({ length: g.count }, () => new Array<boolean>(g.count).fill(false));
  for (let n = g.count - 1; n >= 0; n--)
    for (let e = g.start[n]; e < g.start[n + 1]; e++) {
      before[n][g.to[e]] = true;
      for (let m = 0; m < g.count; m++) before[n][m] ||= before[g.to[e]][m];
    }
  return before;
}

/** Pairs that must keep their order, from the operands alone. */
function mustStay(f: Function, a: number, b: number): boolean {
  const touches = (i: number, flag: OperandFlag): Set<number> => {
    const found = new Set<number>();
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (f.operandPlace[o] >= 0 && (f.operandFlags[o] & flag) !== 0) found.add(f.operandPlace[o]);
    return found;
  };
  const meet = (x: Set<number>, y: Set<number>): boolean => [...x].some((r) => y.has(r));
  const [D, U] = [OperandFlag.Definition, OperandFlag.Use];
  if (meet(touches(a, D), touches(b, D)) || meet(touches(a, D), touches(b, U))) return true;
  if (meet(touches(a, U), touches(b, D))) return true;
  const [x, y] = [f.instructionFlags[a], f.instructionFlags[b]];
  if (((x | y) & (InstructionFlag.Branch | InstructionFlag.Return)) !== 0) return true;
  const effect =
    InstructionFlag.SideEffect |
    InstructionFlag.WritesMemory |
    InstructionFlag.Call |
    InstructionFlag.Barrier;
  const memory = effect | InstructionFlag.ReadsMemory;
  return ((x & effect) !== 0 && (y & memory) !== 0) || ((x & memory) !== 0 && (y & effect) !== 0);
}

describe('dependence graph', () => {
  it('orders exactly the pairs that must stay, directly or through others', () => {
    fc.assert(
      fc.property(randomFunction({ maxBlocks: 2, maxInstructions: 14 }), (f) => {
        for (let block = 0; block < f.blockCount; block++) {
          const g = dependenceGraph(f, block);
          const before = closure(g);
          for (let n = 0; n < g.count; n++) {
            const direct = new Set(g.to.subarray(g.start[n], g.start[n + 1]));
            for (let m = n + 1; m < g.count; m++) {
              const must = mustStay(f, g.first + n, g.first + m);
              if (must) assert.ok(before[n][m], `${n} before ${m}`);
              if (direct.has(m)) assert.ok(must, `${n} and ${m} may change places`);
            }
          }
          let edges = 0;
          for (const n of g.incoming) edges += n;
          assert.equal(edges, g.to.length);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('tells true, anti and output dependences apart', () => {
    const f = buildFunction(`regs a b
      a = op
      b = op a
      a = op
      store a b`);
    assert.deepEqual(words(f), ['0 1 true a', '0 2 output a', '1 2 anti a', '1 3 true b', '2 3 true a']);
  });

  it('a predicated write stays behind the one before, a reader behind the last', () => {
    const f = buildFunction(`regs a p:p
      p = op
      a = op
      @p a = op
      store a`);
    assert.deepEqual(words(f), ['0 2 true p', '1 2 output a', '2 3 true a']);
  });

  it('keeps stores behind loads, and loads free among themselves', () => {
    const f = buildFunction(`regs a b c
      a = load
      b = load
      store c
      c = load`);
    assert.deepEqual(words(f), ['0 2 memory', '1 2 memory', '2 3 memory', '2 3 anti c'].sort());
  });

  it('is linear in a block of 20 000 loads, one store and 20 000 predicated writes', () => {
    const loads = 'a = load\n'.repeat(20_000);
    const f = buildFunction(`regs a p:p\np = op\n${loads}store a\n${'@p a = op\n'.repeat(20_000)}`);
    const g = dependenceGraph(f, 0);
    assert.ok(g.to.length < 3 * f.instructionCount);
    assert.ok(g.kind.includes(DependenceKind.Memory));
  });
});
