import { Poison, Unsupported } from '../semantics/faults.js';
import { spoilResults } from '../semantics/poison.js';
import type { Block } from './block.js';
import { callSite, enterCall, giveResult, inputValues, leaveCall, targetOf, type CallSite } from './call.js';
import { exchange, memberMask, type Party } from './exchange.js';
import { placeOfFault, Stop, type Fault } from './fault.js';
import type { Lane } from './lane.js';
import { hex } from './regions.js';
import { StepKind, type Prepared, type Step } from './prepare.js';

/**
 * A warp: its lanes execute one instruction together as long as they are at the same place. Where a branch, a call
 * or a return divides them they form groups, of which the first in the order of reconvergence goes on (the callers'
 * places count before the own), and groups that meet are one again. So all lanes read a stack pointer before any of
 * them writes it, as on the hardware, on which software stacks of a warp rest.
 */
export interface Activation {
  readonly code: Prepared;
  readonly caller: Activation | undefined;
  /** Instruction of the call in the caller. */
  readonly calledAt: number;
  readonly site: CallSite | undefined;
  readonly depth: number;
}

export interface Group {
  readonly activation: Activation;
  position: number;
  lanes: Lane[];
  /** What the group waits for; it stands on the instruction. */
  waiting: Wait | undefined;
}

export interface Wait {
  readonly what: string;
  /** Lanes that must come, where lanes of the warp wait for each other. */
  readonly members: number | undefined;
}

const MOST_CALLS = 2000;

export class Warp {
  readonly groups: Group[] = [];
  /** Who goes on; undefined when all wait or none is left. */
  current: Group | undefined;
  aliveCount: number;
  private readonly active: Lane[] = [];

  constructor(
    readonly block: Block,
    readonly number: number,
    readonly lanes: readonly Lane[],
  ) {
    this.aliveCount = lanes.length;
  }

  /** Begins the kernel; its frames are open. */
  start(code: Prepared): void {
    const activation = { code, caller: undefined, calledAt: -1, site: undefined, depth: 1 };
    this.groups.push({ activation, position: 0, lanes: [...this.lanes], waiting: undefined });
    this.settle();
  }

  /** Executes one instruction of the current group and returns how many lanes it took. */
  step(): number {
    const g = this.current!;
    const { code } = g.activation;
    const { position } = g;
    if (position >= code.steps.length) {
      const count = g.lanes.length;
      this.guarded(g, g.lanes[0], () => this.leave(g));
      return count;
    }
    const step = code.steps[position];
    if (step === undefined) this.fail(g, g.lanes[0], 'the instruction was not decoded');
    const active = step.guard < 0 ? g.lanes : this.guardHolds(g, step);
    const count = Math.max(1, active.length);
    if (active.length === 0) {
      this.advance(g);
      return count;
    }
    switch (step.kind) {
      case StepKind.Compute:
        for (const lane of active) this.compute(g, step, lane);
        this.advance(g);
        break;
      case StepKind.Nothing:
        this.advance(g);
        break;
      case StepKind.Branch:
        if (step.target < 0) this.fail(g, active[0], 'a branch to an unknown label');
        this.branch(g, active, step.target);
        break;
      case StepKind.Trap:
        this.stop(g, active[0], 'trap', 'a trap');
        break;
      case StepKind.Unknown:
        this.fail(g, active[0], `cannot execute ${step.d.text}`);
        break;
      default:
        this.guarded(g, active[0], () => this.control(this.part(g, active), step));
    }
    return count;
  }

  /** Joins groups that met and chooses who goes on. */
  settle(): void {
    const { groups } = this;
    let best: Group | undefined;
    for (let k = 0; k < groups.length; k++) {
      const g = groups[k];
      if (g.waiting !== undefined) continue;
      for (let other = groups.length - 1; other > k; other--) {
        const o = groups[other];
        if (o.waiting !== undefined || o.activation !== g.activation || o.position !== g.position) continue;
        g.lanes = [...g.lanes, ...o.lanes].sort((a, b) => a.number - b.number);
        groups.splice(other, 1);
      }
      if (best === undefined || compare(g, best) < 0) best = g;
    }
    this.current = best;
  }

  private guardHolds(g: Group, step: Step): readonly Lane[] {
    const { active } = this;
    active.length = 0;
    for (const lane of g.lanes) {
      const value = lane.frame.file[step.guard];
      if (value === undefined) this.fail(g, lane, `the guard of ${step.d.text} was never written`);
      if ((value !== 0n) !== step.isNegated) active.push(lane);
    }
    return active.length === g.lanes.length ? g.lanes : active;
  }

  private compute(g: Group, step: Step, lane: Lane): void {
    try {
      step.handler!(lane, step.d);
    } catch (error) {
      if (error instanceof Poison && !step.isStrict) spoilResults(step.d, (o) => lane.spoil(o));
      else this.explain(error, g, lane, step);
    }
  }

  private advance(g: Group): void {
    g.position++;
    if (this.groups.length > 1 && g.activation.code.isBlockStart[g.position] === 1) this.settle();
  }

  private branch(g: Group, taken: readonly Lane[], target: number): void {
    const part = this.part(g, taken);
    part.position = target;
    if (this.groups.length > 1) this.settle();
  }

  /** The given lanes of a group as a group of their own, which stands where they were; the rest goes on behind. */
  private part(g: Group, lanes: readonly Lane[]): Group {
    if (lanes.length === g.lanes.length) return g;
    const members = [...lanes];
    const part = { activation: g.activation, position: g.position, lanes: members, waiting: undefined };
    g.lanes = g.lanes.filter((lane) => !members.includes(lane));
    g.position++;
    this.groups.push(part);
    return part;
  }

  private control(g: Group, step: Step): void {
    switch (step.kind) {
      case StepKind.IndexedBranch:
        this.indexedBranch(g, step);
        break;
      case StepKind.Call:
        this.call(g, step);
        break;
      case StepKind.Return:
        this.leave(g);
        break;
      case StepKind.Exit:
        this.exit(g);
        break;
      case StepKind.Barrier:
        this.block.barriers.arrive(this, g, step);
        break;
      default:
        this.meet(g, step);
    }
    this.settle();
  }

  private indexedBranch(g: Group, step: Step): void {
    const byTarget = new Map<number, Lane[]>();
    for (const lane of g.lanes) {
      const index = Number(lane.read(step.d.operands[0], 'u32'));
      const target = step.targets.at(index) ?? -1;
      if (index >= step.targets.length || target < 0)
        this.fail(g, lane, `target ${index} of a list of ${step.targets.length}`);
      add(byTarget, target, lane);
    }
    for (const [target, lanes] of byTarget) this.part(g, lanes).position = target;
    // `part` moves on what is left of the group, of which in the end nothing is
  }

  private call(g: Group, step: Step): void {
    const { grid } = this.block;
    const site = callSite(step.d);
    const byName = new Map<string, Lane[]>();
    for (const lane of g.lanes) add(byName, targetOf(lane, site), lane);
    for (const [name, lanes] of byName) {
      const callee = grid.function(name);
      const part = lanes.length === g.lanes.length ? g : this.split(g, lanes);
      if (callee === undefined) this.hook(part, site, name);
      else {
        const { activation, position } = part;
        if (activation.depth >= MOST_CALLS)
          throw new Unsupported(`calls nested more than ${MOST_CALLS} deep`);
        for (const lane of part.lanes) enterCall(lane, callee, site);
        this.remove(part);
        this.groups.push({
          activation: {
            code: callee,
            caller: activation,
            calledAt: position,
            site,
            depth: activation.depth + 1,
          },
          position: 0,
          lanes: part.lanes,
          waiting: undefined,
        });
      }
    }
  }

  /** Some lanes of a group as a group of their own; all stay where they are. */
  private split(g: Group, lanes: readonly Lane[]): Group {
    const part = { activation: g.activation, position: g.position, lanes: [...lanes], waiting: undefined };
    g.lanes = g.lanes.filter((lane) => !lanes.includes(lane));
    this.groups.push(part);
    return part;
  }

  private hook(g: Group, site: CallSite, name: string): void {
    const { grid } = this.block;
    const hook = grid.hook(name);
    if (hook === undefined) throw new Unsupported(`a call of ${name}, which has no body here`);
    for (const lane of g.lanes) {
      const result = hook({ lane, grid, inputs: inputValues(lane, site) });
      if (typeof result === 'bigint') giveResult(lane, site, result);
    }
    g.position++;
  }

  private leave(g: Group): void {
    const { caller, calledAt, site } = g.activation;
    if (caller === undefined) {
      this.exit(g);
      return;
    }
    for (const lane of g.lanes) leaveCall(lane, site?.results ?? []);
    this.remove(g);
    this.groups.push({ activation: caller, position: calledAt + 1, lanes: g.lanes, waiting: undefined });
    this.settle();
  }

  private exit(g: Group): void {
    for (const lane of g.lanes) lane.isDone = true;
    this.aliveCount -= g.lanes.length;
    this.block.alive -= g.lanes.length;
    this.remove(g);
    for (const other of [...this.groups]) if (other.waiting !== undefined) this.tryMeeting(other);
    this.block.barriers.update();
    this.settle();
  }

  private remove(g: Group): void {
    this.groups.splice(this.groups.indexOf(g), 1);
  }

  /** A group comes to an instruction for which lanes of the warp meet. */
  private meet(g: Group, step: Step): void {
    const mask = memberMask(step.d);
    if (step.d.mnemonic === 'bar' || mask !== undefined) {
      const members = Number(g.lanes[0].read(mask ?? step.d.operands[0], 'b32'));
      const outside = g.lanes.find((lane) => ((members >>> lane.number) & 1) === 0);
      if (outside !== undefined)
        throw new Unsupported(`lane ${outside.number} is not in its own mask ${hex(members)}`);
      g.waiting = { what: `${step.d.text} with mask ${hex(members)}`, members };
      this.tryMeeting(g);
      return;
    }
    exchange(g.lanes.map((lane): Party => ({ lane, d: step.d })));
    g.position++;
  }

  /** Executes what a group waits for when all lanes of the mask are there that have not exited. */
  private tryMeeting(g: Group): void {
    const { waiting } = g;
    const members = waiting?.members;
    if (waiting === undefined || members === undefined) return;
    const met = this.groups.filter((other) => other.waiting?.what === waiting.what);
    const here = new Set(met.flatMap(({ lanes }) => lanes));
    const isMissing = (lane: Lane): boolean =>
      ((members >>> lane.number) & 1) === 1 && !lane.isDone && !here.has(lane);
    if (this.lanes.some(isMissing)) return;
    exchange(
      met.flatMap(({ activation, position, lanes }) =>
        lanes.map((lane): Party => ({ lane, d: activation.code.steps[position]!.d })),
      ),
    );
    for (const other of met) {
      other.waiting = undefined;
      other.position++;
    }
  }

  private guarded(g: Group, lane: Lane, action: () => void): void {
    const { activation, position } = g;
    try {
      action();
    } catch (error) {
      this.explain(
        error,
        { activation, position, lanes: [], waiting: undefined },
        lane,
        activation.code.steps[position],
      );
    }
  }

  private explain(error: unknown, g: Group, lane: Lane, step: Step | undefined): never {
    const text = step?.d.text ?? 'the return';
    if (error instanceof Poison) this.fail(g, lane, `${text} takes a value that was never written`);
    if (error instanceof Unsupported) this.fail(g, lane, `${text}: ${error.message}`);
    throw error;
  }

  private fail(g: Group, lane: Lane, message: string): never {
    return this.stop(g, lane, 'fault', message);
  }

  private stop(g: Group, lane: Lane, kind: Fault['kind'], message: string): never {
    throw new Stop({ kind, message, place: placeOfFault(g.activation.code, g.position, lane) });
  }
}

function add<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Which of two groups comes first: the outermost call in which they differ decides. */
function compare(a: Group, b: Group): number {
  let [x, y]: [Activation, Activation] = [a.activation, b.activation];
  let [atX, atY] = [a.position, b.position];
  const raise = (activation: Activation): [Activation, number] => [activation.caller!, activation.calledAt];
  // what is deeper in a call stands, seen from outside, on the call, and goes before what has yet to call
  const deeper = y.depth - x.depth;
  while (x.depth > y.depth) [x, atX] = raise(x);
  while (y.depth > x.depth) [y, atY] = raise(y);
  while (x !== y && x.caller !== undefined && y.caller !== undefined) {
    [x, atX] = raise(x);
    [y, atY] = raise(y);
  }
  const { rank } = x.code;
  return rank[atX] - rank[atY] || deeper;
}
