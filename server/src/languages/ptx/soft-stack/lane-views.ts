import { InstructionFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import { blocksOfInstructions } from '../../../passes/occurrences.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import type { PlacedUnit } from '../../language.js';
import type { PtxBound } from '../bind/index.js';
import { nameAt } from '../stack/calls.js';
import { flowOf } from '../stack/flow.js';
import type { FrameCall, FrameFlow } from '../stack/frame.js';
import { Lanes } from '../stack/lane-kinds.js';
import { laneValues, type LaneValues } from '../stack/lanes.js';
import { partialBlocks } from '../stack/parts.js';
import type { Candidate } from './candidates.js';
import { aloneBlocks, isAlone } from './lanes.js';

/** What is known of the lanes of one function. */
export interface View {
  readonly candidate: Candidate;
  readonly f: Function;
  readonly reaching: ReachingDefinitions;
  readonly lanes: Uint8Array;
  readonly values: LaneValues;
  /** The branch that leads a part of the warp to a block, or -1; undefined where that costs too much. */
  readonly partial: Int32Array | undefined;
  /** Blocks in which one lane runs at most. */
  readonly alone: Uint8Array;
  readonly blockOf: Int32Array;
  /** What callers hand over, by the names of the parameters; those that are equal are absent. */
  readonly parameters: ReadonlyMap<string, Handed>;
  /** Something in the document calls it. */
  readonly hasCallers: boolean;
  /** The functions that a call may come to, as far as they are in sight. */
  targets(call: FrameCall): readonly string[];
}

/** A parameter that is not the same in all lanes, and whose call makes it so. */
export interface Handed {
  readonly lanes: Lanes;
  readonly caller: string;
}

/** Each call gets memory of its own, for each lane. */
const differentResults = new Set(['malloc']);

/**
 * The lanes of some functions and of all that they hang on in the document: what their callers hand over, and what
 * their callees return. First what each function returns when its parameters are equal, from callees up; then the
 * parameters, from callers down. Both only climb, and a function is looked at again when something has climbed for it.
 * Parameters of entries are equal, and so are those that no call in sight fills.
 */
export function laneViews(
  units: readonly PlacedUnit<PtxBound>[],
  candidates: readonly Candidate[],
  wanted: readonly Candidate[],
): ReadonlyMap<string, View> {
  const graph = graphOf(units, candidates);
  const concerned = closure(closure(wanted, graph.callers), graph.callees);
  const order = postorder([...concerned], graph);
  const results = new Map<string, Lanes>();
  const parameters = new Map<string, Map<string, Handed>>();
  const views = new Map<string, View>();
  const visit = (candidate: Candidate): View => {
    const view = viewOf(candidate, graph, parameters.get(candidate.name) ?? noParameters, results);
    views.set(candidate.name, view);
    return view;
  };
  work(order, (candidate, again) => {
    const { result } = visit(candidate).values;
    if (result === Lanes.Equal || results.has(candidate.name)) return;
    results.set(candidate.name, Lanes.Different);
    for (const caller of graph.callers(candidate)) if (concerned.has(caller)) again(caller);
  });
  work(order.toReversed(), (candidate, again) => {
    const view = visit(candidate);
    for (const { call, handed } of handedBy(view))
      for (const name of graph.targets(call)) {
        const target = graph.byName.get(name);
        if (target === undefined || target.source.item.isEntry) continue;
        if (isIndirect(call) && target.source.item.parameters.length !== handed.length) continue;
        let known = parameters.get(name);
        if (known === undefined) parameters.set(name, (known = new Map<string, Handed>()));
        if (handOver(target, handed, candidate.name, known) && concerned.has(target)) again(target);
      }
  });
  return views;
}

/** What the calls of a function hand over; all that are made through registers alike together, by the number of arguments. */
function handedBy(view: View): { readonly call: FrameCall; readonly handed: readonly Lanes[] }[] {
  const calls: { call: FrameCall; handed: readonly Lanes[] }[] = [];
  const indirect = new Map<number, { call: FrameCall; handed: readonly Lanes[] }>();
  for (const call of view.candidate.frame.calls) {
    if (isAlone(view, call.instruction)) continue;
    const handed = view.values.arguments.get(call.instruction) ?? [];
    if (handed.every((lanes) => lanes === Lanes.Equal)) continue;
    const before = isIndirect(call) ? indirect.get(handed.length) : undefined;
    if (before !== undefined) {
      before.handed = before.handed.map((lanes, k) => (lanes === handed[k] ? lanes : Lanes.Different));
      continue;
    }
    const made = { call, handed };
    calls.push(made);
    if (isIndirect(call)) indirect.set(handed.length, made);
  }
  return calls;
}

/** Through a register, and nothing says which functions it may hold. */
const isIndirect = ({ callee, candidates }: FrameCall): boolean =>
  callee === undefined && candidates.length === 0;

const noParameters: ReadonlyMap<string, Handed> = new Map();

/** True where a parameter has climbed. */
function handOver(
  target: Candidate,
  handed: readonly Lanes[],
  caller: string,
  known: Map<string, Handed>,
): boolean {
  let changed = false;
  for (const [k, parameter] of target.source.item.parameters.entries()) {
    const lanes = handed.at(k) ?? Lanes.Equal;
    const name = parameter.name?.text;
    if (name === undefined || lanes === Lanes.Equal) continue;
    const before = known.get(name);
    if (before?.lanes === lanes || before?.lanes === Lanes.Different) continue;
    known.set(name, {
      lanes: before === undefined ? lanes : Lanes.Different,
      caller: before?.caller ?? caller,
    });
    changed = true;
  }
  return changed;
}

interface Graph {
  readonly byName: ReadonlyMap<string, Candidate>;
  callers(of: Candidate): readonly Candidate[];
  callees(of: Candidate): readonly Candidate[];
  /** By name; of a call through a register all functions whose address is taken in the document. */
  targets(call: FrameCall): readonly string[];
}

function graphOf(units: readonly PlacedUnit<PtxBound>[], candidates: readonly Candidate[]): Graph {
  const byName = new Map<string, Candidate>();
  for (const candidate of candidates) if (!byName.has(candidate.name)) byName.set(candidate.name, candidate);
  const taken = takenIn(units, candidates, byName);
  const targets = (call: FrameCall): readonly string[] =>
    call.callee !== undefined ? [call.callee] : isIndirect(call) ? taken : call.candidates;
  const callers = new Map<Candidate, Candidate[]>();
  const callees = new Map<Candidate, Candidate[]>();
  for (const candidate of candidates) {
    const own = new Set<Candidate>();
    const add = (name: string): void => {
      const target = byName.get(name);
      if (target !== undefined) own.add(target);
    };
    for (const call of candidate.frame.calls) if (!isIndirect(call)) targets(call).forEach(add);
    if (candidate.frame.calls.some(isIndirect)) taken.forEach(add);
    callees.set(candidate, [...own]);
    for (const target of own) {
      const list = callers.get(target);
      if (list === undefined) callers.set(target, [candidate]);
      else list.push(candidate);
    }
  }
  return {
    byName,
    callers: (of) => callers.get(of) ?? [],
    callees: (of) => callees.get(of) ?? [],
    targets,
  };
}

/** Functions whose address is in a register or a variable somewhere. */
function takenIn(
  units: readonly PlacedUnit<PtxBound>[],
  candidates: readonly Candidate[],
  byName: ReadonlyMap<string, Candidate>,
): readonly string[] {
  const taken = new Set<string>();
  if (!candidates.some(({ frame }) => frame.calls.some(isIndirect))) return [];
  for (const { bound } of units)
    if (bound.functions.length === 0)
      for (const name of bound.moduleNames.keys()) if (byName.has(name)) taken.add(name);
  for (const { unit, frame } of candidates) {
    const { function: f } = frame;
    for (let i = 0; i < f.instructionCount; i++) {
      if ((f.instructionFlags[i] & InstructionFlag.Call) !== 0) continue;
      for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
        const place = f.operandPlace[k];
        if (place !== (NoRegister.Symbol as number) && place !== (NoRegister.Unknown as number)) continue;
        const name = nameAt(unit.bound, f, k);
        if (byName.has(name)) taken.add(name);
      }
    }
  }
  return [...taken];
}

function closure(
  from: Iterable<Candidate>,
  next: (candidate: Candidate) => readonly Candidate[],
): ReadonlySet<Candidate> {
  const found = new Set(from);
  for (const candidate of found) for (const other of next(candidate)) found.add(other);
  return found;
}

/** Callees before callers, as far as they do not call each other. */
function postorder(candidates: readonly Candidate[], { callees }: Graph): Candidate[] {
  const order: Candidate[] = [];
  const seen = new Set<Candidate>();
  for (const root of candidates) {
    if (seen.has(root)) continue;
    seen.add(root);
    const stack = [{ candidate: root, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = callees(top.candidate).at(top.next++);
      if (target === undefined) {
        order.push(top.candidate);
        stack.pop();
      } else if (!seen.has(target)) {
        seen.add(target);
        stack.push({ candidate: target, next: 0 });
      }
    }
  }
  return order;
}

/** Visits all in this order, and those again for which that is asked. */
function work(
  order: readonly Candidate[],
  visit: (candidate: Candidate, again: (other: Candidate) => void) => void,
): void {
  const queue = [...order];
  const pending = new Set(order);
  for (const candidate of queue) {
    if (!pending.delete(candidate)) continue;
    visit(candidate, (other) => {
      if (pending.has(other)) return;
      pending.add(other);
      queue.push(other);
    });
  }
}

interface Known {
  readonly key: string;
  readonly view: View;
}

const known = new WeakMap<Function, Known>();
const flows = new WeakMap<Function, FrameFlow>();

function viewOf(
  candidate: Candidate,
  graph: Graph,
  parameters: ReadonlyMap<string, Handed>,
  results: ReadonlyMap<string, Lanes>,
): View {
  const { unit, frame, source } = candidate;
  const f = frame.function;
  const returned = new Map<number, Lanes>();
  let indirect: boolean | undefined;
  const isPerLane = (name: string): boolean => results.has(name) || differentResults.has(name);
  for (const call of frame.calls) {
    const differs = isIndirect(call)
      ? (indirect ??= graph.targets(call).some(isPerLane))
      : graph.targets(call).some(isPerLane);
    if (differs) returned.set(call.instruction, Lanes.Different);
  }
  const key = `${[...returned.keys()].join()};${[...parameters].map(([name, { lanes, caller }]) => `${name} ${lanes} ${caller}`).join()}`;
  const before = known.get(f);
  if (before?.key === key && before.view.candidate.unit.start === unit.start)
    return { ...before.view, hasCallers: graph.callers(candidate).length > 0, targets: graph.targets };
  let flow = frame.flow ?? flows.get(f);
  if (flow === undefined) flows.set(f, (flow = flowOf(unit.bound, f)));
  const { cfg, reaching, origins } = flow;
  const values = laneValues(f, cfg, reaching, origins, {
    bound: unit.bound,
    parameters: new Map([...parameters].map(([name, { lanes }]) => [name, lanes])),
    resultOfCall: (i) => returned.get(i) ?? Lanes.Equal,
    results: new Set(source.item.returns.flatMap(({ name }) => (name === undefined ? [] : [name.text]))),
  });
  const { lanes } = values;
  const view: View = {
    candidate,
    f,
    reaching,
    lanes,
    values,
    partial: partialBlocks(f, cfg, reaching, lanes),
    alone: aloneBlocks(f, cfg, reaching, lanes),
    blockOf: blocksOfInstructions(f),
    parameters,
    hasCallers: graph.callers(candidate).length > 0,
    targets: graph.targets,
  };
  known.set(f, { key, view });
  return view;
}
