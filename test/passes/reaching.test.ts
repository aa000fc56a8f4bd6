import assert from 'node:assert/strict';
import fc from 'fast-check';
import { OperandFlag, type Function } from '../../server/src/ir/function.js';
import { controlFlow } from '../../server/src/passes/cfg.js';
import { livenessOf } from '../../server/src/passes/liveness.js';
import {
  definitionsOfUse,
  definitionsReaching,
  reachingDefinitions,
  soleDefinition,
} from '../../server/src/passes/reaching.js';
import { websOf } from '../../server/src/passes/webs.js';
import { pointGraph, type PointGraph } from '../support/brute-liveness.js';
import { buildFunction } from '../support/build-function.js';
import { runs } from '../support/fuzz.js';
import { randomFunction } from '../support/random-function.js';

const NOT_KILLING = OperandFlag.Partial | OperandFlag.Predicated;

/** Backward over paths from the read of `instruction`, each stopping behind the first write that kills. */
function byPaths(f: Function, graph: PointGraph, instruction: number, register: number): number[] {
  const found = new Set<number>();
  const seen = new Set<number>();
  const pending = [...graph.previous[2 * instruction]];
  while (pending.length > 0) {
    const point = pending.pop()!;
    if (seen.has(point)) continue;
    seen.add(point);
    let killed = false;
    if (point < 2 * f.instructionCount && point % 2 === 1) {
      const i = (point - 1) / 2;
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
        const flags = f.operandFlags[o];
        if (f.operandPlace[o] !== register || (flags & OperandFlag.Definition) === 0) continue;
        found.add(o);
        killed ||= (flags & NOT_KILLING) === 0 && f.operandWidth[o] >= f.registerWidth[register];
      }
    }
    if (!killed) pending.push(...graph.previous[point]);
  }
  return [...found].sort((a, b) => a - b);
}

const instructionOf = (f: Function, operand: number): number => {
  let i = 0;
  while (f.operandStart[i + 1] <= operand) i++;
  return i;
};

const chains = (f: Function) => {
  const cfg = controlFlow(f);
  return reachingDefinitions(f, cfg, livenessOf(f, cfg));
};

describe('reaching definitions', () => {
  it('equal the definition by paths, for every use', () => {
    fc.assert(
      fc.property(randomFunction({ maxRegisters: 5 }), (f) => {
        const cfg = controlFlow(f);
        const reaching = reachingDefinitions(f, cfg, livenessOf(f, cfg));
        const graph = pointGraph(f);
        for (let i = 0; i < f.instructionCount; i++) {
          for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
            if (f.operandPlace[o] < 0 || (f.operandFlags[o] & OperandFlag.Use) === 0) continue;
            const expected = byPaths(f, graph, i, f.operandPlace[o]);
            assert.deepEqual(definitionsOfUse(reaching, o), expected);
            assert.equal(soleDefinition(reaching, o), expected.length === 1 ? expected[0] : -1);
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('asked at one point, equal it for every register at every instruction', () => {
    fc.assert(
      fc.property(randomFunction({ maxRegisters: 4, maxBlocks: 6 }), (f) => {
        const cfg = controlFlow(f);
        const graph = pointGraph(f);
        for (let i = 0; i < f.instructionCount; i++)
          for (let r = 0; r < f.registerCount; r++)
            assert.deepEqual(definitionsReaching(f, cfg, i, r), byPaths(f, graph, i, r));
      }),
      { numRuns: runs(150) },
    );
  });

  it('stay linear in a row of predicated moves', () => {
    const lines = Array.from({ length: 3000 }, () => '@p a = op\nstore a').join('\n');
    const f = buildFunction(`regs a p:p\np = op\n${lines}`);
    const reaching = chains(f);
    assert.ok(reaching.inputs.length <= f.instructionCount);
    const lastUse = f.operandStart[f.instructionCount] - 1;
    assert.equal(definitionsOfUse(reaching, lastUse).length, 3000);
  });
});

describe('webs', () => {
  it('join exactly what definitions and uses connect', () => {
    fc.assert(
      fc.property(randomFunction({ maxRegisters: 4 }), (f) => {
        const webs = websOf(f, chains(f));
        const graph = pointGraph(f);
        const operands = f.operandStart[f.instructionCount];
        const linked: [number, number][] = [];
        for (let o = 0; o < operands; o++) {
          const register = f.operandPlace[o];
          if (register < 0) {
            assert.equal(webs.ofOperand[o], -1);
            continue;
          }
          const before = byPaths(f, graph, instructionOf(f, o), register);
          if ((f.operandFlags[o] & OperandFlag.Use) !== 0) for (const d of before) linked.push([d, o]);
        }
        for (const [a, b] of linked) assert.equal(webs.ofOperand[a], webs.ofOperand[b]);
        for (let o = 0; o < operands; o++)
          for (let p = 0; p < o; p++)
            if (webs.ofOperand[o] >= 0 && webs.ofOperand[o] === webs.ofOperand[p])
              assert.equal(f.operandPlace[o], f.operandPlace[p]);
      }),
      { numRuns: runs(100) },
    );
  });

  it('part the unrelated lives of one register', () => {
    const f = buildFunction(`regs a b
      a = op
      store a
      a = op
      b = op a
      store b`);
    const { count, ofOperand } = websOf(f, chains(f));
    assert.equal(count, 3);
    assert.deepEqual([...ofOperand], [0, 0, 1, 2, 1, 2]);
  });
});
