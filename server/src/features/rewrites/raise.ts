import { blockOf, InstructionFlag, type Function } from '../../ir/function.js';
import { dependenceGraph } from '../../passes/dependence.js';
import { dominates, dominatorsOf, type Dominators } from '../../passes/dominators.js';
import { loopsOf, type Loops } from '../../passes/loops.js';
import { isDefinition, isUse, kills } from '../../passes/occurrences.js';
import { postDominates, postDominators } from '../../passes/post-dominators.js';
import type { Compilation } from '../../targets/target.js';
import type { TextEdit } from '../../text/span.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { controlFlowOf, registerOccurrences } from '../reaching.js';
import {
  heldOver,
  isMovable,
  meansTheSame,
  movedUp,
  peaksOf,
  statementOf,
  type MoveUp,
  type Rewrite,
} from './candidates.js';

/**
 * Raising: what is narrower than all that it is made from, and the last to read it, is made before the peak and not behind
 * it. A wide value of which only a part is wanted later, two that are only compared, a sum whose terms nobody else reads:
 * over the peak the result is held in place of them. Schedulers do so inside a block; out of the block behind a loop, where
 * it is worth most, they do not.
 *
 * Inside a block the instruction goes up to what it depends on. One that reads no memory, from registers that are written
 * once, goes to where the last of them is written, if whoever comes there comes to the instruction too and as often: the
 * same lanes execute it then, which those that ask each other for values need.
 */
export function raiseRewrites(s: Snapshot, unit: Unit, c: Compilation): Rewrite[] {
  const f = c.source;
  const peaks = peaksOf(c);
  const places = new Places(f);
  const found = new Map<string, Rewrite & { readonly gain: number }>();
  for (const peak of peaks) {
    const groups = groupsOver(f, places, new Set(heldOver(c, peak)), peak);
    const all = groups.flatMap(({ members }) => members);
    const whole = { members: all, gain: groups.reduce((sum, { gain }) => sum + gain, 0) };
    for (const { members, gain } of groups.length > 1 ? [whole, ...groups] : groups) {
      const rewrite = raised(s, unit, f, places, members, peaks);
      if (rewrite !== undefined) found.set(rewrite.title, { ...rewrite, gain });
    }
  }
  return [...found.values()].sort((a, b) => b.gain - a.gain);
}

/** Every instruction that can be moved up at all, whether or not that is worth anything. */
export function* allRaises(s: Snapshot, unit: Unit, f: Function): Generator<Rewrite> {
  const places = new Places(f);
  for (let from = 0; from < f.instructionCount; from++) {
    const to = places.target(from);
    const rewrite = to >= 0 && to < from ? raised(s, unit, f, places, [from], []) : undefined;
    if (rewrite !== undefined) yield rewrite;
  }
}

/** Instructions that are worth raising together. */
interface Group {
  readonly members: readonly number[];
  /** Units that are free over the peak then. */
  readonly gain: number;
}

/**
 * What can go over the peak, in groups that share what they read: a register that several read is free when all of them
 * are raised. Only groups that hold less than they read.
 */
function groupsOver(f: Function, places: Places, held: ReadonlySet<number>, peak: number): Group[] {
  const { start, operand, instruction } = registerOccurrences(f);
  const readers = readersBehind(f, held, peak);
  const canRise = new Set([...readers].filter((from) => isBetween(places.target(from), 0, peak)));
  const groupOf = new Map([...canRise].map((from) => [from, from]));
  const root = (from: number): number => {
    const above = groupOf.get(from) ?? from;
    return above === from ? from : root(above);
  };
  const freed = new Map<number, number>();
  for (const register of held) {
    const own: number[] = [];
    for (let k = start[register]; k < start[register + 1]; k++)
      if (instruction[k] > peak) own.push(isUse(f, operand[k]) ? instruction[k] : -1);
    if (own.length === 0 || !own.every((from) => canRise.has(from))) continue;
    for (const from of own) groupOf.set(root(from), root(own[0]));
    freed.set(register, own[0]);
  }
  const gains = new Map<number, number>();
  const add = (from: number, gain: number): void => {
    gains.set(root(from), (gains.get(root(from)) ?? 0) + gain);
  };
  for (const [register, from] of freed) add(from, f.registerWidth[register]);
  for (const from of canRise) add(from, -widthMade(f, from));
  return [...gains]
    .filter(([, gain]) => gain > 0)
    .map(([group, gain]) => ({ members: [...canRise].filter((from) => root(from) === group), gain }));
}

const isBetween = (value: number, low: number, high: number): boolean => low <= value && value <= high;

/** Units of the class that a limit is about. */
function widthMade(f: Function, instruction: number): number {
  let width = 0;
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
    const register = f.operandPlace[o];
    if (register >= 0 && f.registerClass[register] === 0 && isDefinition(f, o))
      width += f.registerWidth[register];
  }
  return width;
}

/** Instructions further down that read one of the registers. */
function readersBehind(f: Function, registers: ReadonlySet<number>, at: number): Set<number> {
  const { start, operand, instruction } = registerOccurrences(f);
  const found = new Set<number>();
  for (const register of registers)
    for (let k = start[register]; k < start[register + 1]; k++)
      if (instruction[k] > at && isUse(f, operand[k])) found.add(instruction[k]);
  return found;
}

/** Where instructions of one function may go. What is asked for is made once. */
class Places {
  private readonly earliest = new Map<number, Int32Array>();
  private shape: Shape | undefined;

  constructor(private readonly f: Function) {}

  /** The instruction directly before which `from` may stand at the earliest, or -1. */
  target(from: number): number {
    const { f } = this;
    if (!isMovable(f, from)) return -1;
    const block = blockOf(f, from);
    const inBlock = this.inBlock(block)[from - f.blockStart[block]];
    const behind = this.lastOfSoles(from, block);
    return behind < 0 ? inBlock : Math.min(inBlock, behind + 1);
  }

  /** By instruction of the block: the first place behind all that it depends on. */
  private inBlock(block: number): Int32Array {
    let earliest = this.earliest.get(block);
    if (earliest !== undefined) return earliest;
    const { first, count, start, to } = dependenceGraph(this.f, block);
    earliest = new Int32Array(count).fill(first);
    for (let n = 0; n < count; n++)
      for (let e = start[n]; e < start[n + 1]; e++)
        earliest[to[e]] = Math.max(earliest[to[e]], first + n + 1);
    this.earliest.set(block, earliest);
    return earliest;
  }

  /**
   * The last of the definitions that `from` reads, each the only one of its register and on every way to it, if all that it
   * makes is made here alone and read behind it; else -1. Whenever one of them is executed again, so is the last.
   */
  private lastOfSoles(from: number, home: number): number {
    const { f } = this;
    if ((f.instructionFlags[from] & InstructionFlag.ReadsMemory) !== 0) return -1;
    this.shape ??= shapeOf(f);
    const { dominators, loops } = this.shape;
    let last = -1;
    for (let o = f.operandStart[from]; o < f.operandStart[from + 1]; o++) {
      const register = f.operandPlace[o];
      if (register < 0) continue;
      const sole = soleDefinition(f, register);
      if (sole < 0) return -1;
      if (isDefinition(f, o)) {
        if (sole !== from || !this.isReadBehind(register, from, home)) return -1;
        continue;
      }
      if (!this.comesBefore(sole, from)) return -1;
      if (last < 0 || this.comesBefore(last, sole)) last = sole;
      else if (!this.comesBefore(sole, last)) return -1;
    }
    if (last < 0) return -1;
    const to = blockOf(f, last);
    const isTogether =
      dominates(dominators, to, home) &&
      postDominates(this.shape.after, home, to) &&
      loops.header[to] === loops.header[home] &&
      loops.irreducible[to] === 0 &&
      loops.irreducible[home] === 0;
    return isTogether ? last : -1;
  }

  /** Whether instruction `a` is executed before `b` on every way to it. */
  private comesBefore(a: number, b: number): boolean {
    const [x, y] = [blockOf(this.f, a), blockOf(this.f, b)];
    return x === y ? a < b : dominates(this.shape!.dominators, x, y);
  }

  private isReadBehind(register: number, from: number, home: number): boolean {
    const { start, operand, instruction, blockOf: blocks } = registerOccurrences(this.f);
    for (let k = start[register]; k < start[register + 1]; k++) {
      if (!isUse(this.f, operand[k])) continue;
      const at = blocks[instruction[k]];
      if (at === home ? instruction[k] <= from : !dominates(this.shape!.dominators, home, at)) return false;
    }
    return true;
  }
}

interface Shape {
  readonly dominators: Dominators;
  readonly loops: Loops;
  readonly after: Int32Array;
}

function shapeOf(f: Function): Shape {
  const cfg = controlFlowOf(f);
  const dominators = dominatorsOf(cfg);
  return { dominators, loops: loopsOf(cfg, dominators), after: postDominators(cfg) };
}

/** The one instruction that writes the register, and the whole of it; else -1. */
function soleDefinition(f: Function, register: number): number {
  const { start, operand, instruction } = registerOccurrences(f);
  let found = -1;
  for (let k = start[register]; k < start[register + 1]; k++) {
    if (!isDefinition(f, operand[k])) continue;
    if (found >= 0 || !kills(f, operand[k])) return -1;
    found = instruction[k];
  }
  return found;
}

function raised(
  s: Snapshot,
  unit: Unit,
  f: Function,
  places: Places,
  members: readonly number[],
  peaks: readonly number[],
): Rewrite | undefined {
  const edits: TextEdit[] = [];
  const moves: MoveUp[] = [];
  const names: string[] = [];
  for (const from of [...members].sort((a, b) => a - b)) {
    const to = places.target(from);
    const own = statementOf(s, unit, f, from);
    // behind the instruction in front of it, which may be the last of another block
    const isFirst = to === f.blockStart[blockOf(f, from)];
    const place = isFirst ? statementOf(s, unit, f, to)?.start : statementOf(s, unit, f, to - 1)?.end;
    const neighbour = isFirst ? to : to - 1;
    if (own === undefined || place === undefined || !meansTheSame(unit, f, from, neighbour)) return undefined;
    moves.push({ from, to, block: blockOf(f, neighbour) });
    edits.push({ span: { start: place, end: place }, newText: unit.parsed.text.slice(own.start, own.end) });
    edits.push({ span: own, newText: '' });
    names.push(f.registerNames[resultOf(f, from)]);
  }
  edits.sort((a, b) => a.span.start - b.span.start);
  const [first] = edits;
  const others = names.length - 1;
  const what =
    others === 0 ? `\`${names[0]}\`` : `\`${names[0]}\` and ${others} ${others === 1 ? 'other' : 'others'}`;
  const where =
    others === 0 ? ` to line ${s.lines.lineAt(unit.start + first.span.start) + 1}` : ' over the peak';
  return {
    title: `Raise ${what}${where}`,
    anchors: [...moves.flatMap(({ from, to }) => [from, to]), ...peaks],
    ...movedUp(f, moves),
    edits,
  };
}

function resultOf(f: Function, instruction: number): number {
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++)
    if (f.operandPlace[o] >= 0 && isDefinition(f, o)) return f.operandPlace[o];
  return -1;
}
