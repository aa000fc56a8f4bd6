import { blockOf, InstructionFlag, type Function } from '../../ir/function.js';
import { dominates, dominatorsOf, type Dominators } from '../../passes/dominators.js';
import { dependenceGraph, type DependenceGraph } from '../../passes/dependence.js';
import { loopsOf, type Loops } from '../../passes/loops.js';
import { isDefinition, isUse, kills } from '../../passes/occurrences.js';
import type { Compilation } from '../../targets/target.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { controlFlowOf, registerOccurrences } from '../reaching.js';
import {
  heldValues,
  isMovable,
  meansTheSame,
  movedDown,
  peaksOf,
  statementOf,
  type Rewrite,
} from './candidates.js';

/**
 * Sinking: a value that is made long before it is used is made directly before its first use, and the peak between
 * is without it. Inside a block the instruction goes down to the first that depends on it, in registers, memory or
 * control. A constant of the run reads nothing that changes, so it may go to a later block too: to one that dominates
 * all of its uses, in the same loop.
 */
export function sinkRewrites(s: Snapshot, unit: Unit, c: Compilation): Rewrite[] {
  const peaks = peaksOf(c);
  const places = new Places(c.source);
  const found: (Rewrite & { readonly span: number })[] = [];
  for (const { register, definition, peak } of heldValues(c)) {
    if (places.resultOf(definition) < 0) continue;
    const to = places.target(register, definition);
    if (to <= peak) continue;
    const rewrite = sunk(s, unit, c.source, register, definition, to, peaks);
    if (rewrite !== undefined) found.push({ ...rewrite, span: to - definition });
  }
  return found.sort((a, b) => b.span - a.span);
}

/** Every instruction that can be moved down at all, whether or not that is worth anything. */
export function* allSinks(s: Snapshot, unit: Unit, f: Function): Generator<Rewrite> {
  const places = new Places(f);
  for (let from = 0; from < f.instructionCount; from++) {
    const register = places.resultOf(from);
    if (register < 0) continue;
    const to = places.target(register, from);
    const rewrite = to > from + 1 ? sunk(s, unit, f, register, from, to, []) : undefined;
    if (rewrite !== undefined) yield rewrite;
  }
}

function sunk(
  s: Snapshot,
  unit: Unit,
  f: Function,
  register: number,
  from: number,
  to: number,
  peaks: readonly number[],
): Rewrite | undefined {
  const own = statementOf(s, unit, f, from);
  const use = statementOf(s, unit, f, to);
  if (own === undefined || use === undefined || !meansTheSame(unit, f, from, to)) return undefined;
  const text = unit.parsed.text.slice(own.start, own.end);
  return {
    title: `Sink \`${f.registerNames[register]}\` to ${isUsedBy(f, register, to) ? 'its use' : `line ${s.lines.lineAt(unit.start + f.spanStart[to]) + 1}`}`,
    anchors: [from, to, ...peaks],
    ...movedDown(f, from, to),
    edits: [
      { span: own, newText: '' },
      { span: { start: use.start, end: use.start }, newText: text },
    ],
  };
}

function isUsedBy(f: Function, register: number, instruction: number): boolean {
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
    if (f.operandPlace[o] === register && isUse(f, o)) return true;
  return false;
}

/** Where instructions may go in one function. What is asked for is made once. */
class Places {
  private readonly graphs = new Map<number, DependenceGraph>();
  private shape: { readonly dominators: Dominators; readonly loops: Loops } | undefined;

  constructor(private readonly f: Function) {}

  /** The first register that an instruction makes, if it can be moved with all that it makes; else -1. */
  resultOf(instruction: number): number {
    const { f } = this;
    if (!isMovable(f, instruction)) return -1;
    let first = -1;
    for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
      if (f.operandPlace[o] < 0 || !isDefinition(f, o)) continue;
      if (!kills(f, o)) return -1;
      if (first < 0) first = f.operandPlace[o];
    }
    return first;
  }

  /** The instruction directly before which `from` may stand at the latest, or -1. */
  target(register: number, from: number): number {
    const block = blockOf(this.f, from);
    let graph = this.graphs.get(block);
    if (graph === undefined) this.graphs.set(block, (graph = dependenceGraph(this.f, block)));
    const n = from - graph.first;
    for (let e = graph.start[n]; e < graph.start[n + 1]; e++) {
      const next = graph.first + graph.to[e];
      // a branch at the block's end keeps everything before it, but a constant need not be made there
      const isLeaving = graph.register[e] < 0 && next === this.f.blockStart[block + 1] - 1;
      if (isLeaving && (this.f.instructionFlags[from] & InstructionFlag.Constant) !== 0) break;
      return next;
    }
    return this.laterBlock(register, from, block);
  }

  private laterBlock(register: number, from: number, home: number): number {
    const { f } = this;
    if ((f.instructionFlags[from] & InstructionFlag.Constant) === 0 || !this.isSoleResult(register, from))
      return -1;
    const { start, operand, instruction, blockOf: blocks } = registerOccurrences(f);
    let first = -1;
    const cfg = controlFlowOf(f);
    this.shape ??= shapeOf(cfg);
    const { dominators, loops } = this.shape;
    for (let k = start[register]; k < start[register + 1]; k++) {
      if (instruction[k] === from) continue;
      if (!isUse(f, operand[k])) return -1;
      if (first < 0) first = instruction[k];
      if (!dominates(dominators, blocks[first], blocks[instruction[k]])) return -1;
    }
    if (first <= from || !dominates(dominators, home, blocks[first])) return -1;
    const to = blocks[first];
    return loops.header[to] === loops.header[home] && loops.depth[to] === loops.depth[home] ? first : -1;
  }

  /** Whether `from` makes nothing else, from no register, and nobody else makes it. */
  private isSoleResult(register: number, from: number): boolean {
    const { f } = this;
    for (let o = f.operandStart[from]; o < f.operandStart[from + 1]; o++)
      if (f.operandPlace[o] >= 0 && f.operandPlace[o] !== register) return false;
    const { start, operand } = registerOccurrences(f);
    let definitions = 0;
    for (let k = start[register]; k < start[register + 1]; k++)
      if (isDefinition(f, operand[k])) definitions++;
    return definitions === 1;
  }
}

const shapeOf = (
  cfg: ReturnType<typeof controlFlowOf>,
): { readonly dominators: Dominators; readonly loops: Loops } => {
  const dominators = dominatorsOf(cfg);
  return { dominators, loops: loopsOf(cfg, dominators) };
};
