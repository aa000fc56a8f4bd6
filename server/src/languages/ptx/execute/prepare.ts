import { blockOf, InstructionFlag, type Function } from '../../../ir/function.js';
import { controlFlow } from '../../../passes/cfg.js';
import { dominatorsOf } from '../../../passes/dominators.js';
import { loopsOf } from '../../../passes/loops.js';
import type { Decoded, DecodedFunction, SymbolPlace } from '../semantics/decode.js';
import type { Handler } from '../semantics/handler.js';
import { handlers } from '../semantics/handlers.js';
import { isStrict } from '../semantics/poison.js';

/**
 * A decoded function made ready for warps: what each instruction does to the flow of control, where branches go, and
 * an order of the instructions by which diverged lanes find together again. A warp runs the lanes that are first
 * in this order ("thread frontiers", Diamos et al., MICRO 2011): blocks in topological order, the whole of a loop
 * before what follows it. Where control flow is reducible they meet at the immediate post-dominator at the latest.
 */
export const enum StepKind {
  Compute,
  Nothing,
  Branch,
  IndexedBranch,
  Call,
  Return,
  Exit,
  Trap,
  /** Lanes of a warp exchange something. */
  Warp,
  /** Warps of a block wait for each other. */
  Barrier,
  Unknown,
}

export interface Step {
  readonly d: Decoded;
  readonly kind: StepKind;
  readonly handler: Handler | undefined;
  /** Register of the guard, or -1. */
  readonly guard: number;
  readonly isNegated: boolean;
  /** A taken branch goes to this instruction; -1 when the label is unknown. */
  readonly target: number;
  /** Targets of `brx.idx` by index. */
  readonly targets: readonly number[];
  readonly isStrict: boolean;
}

export interface Prepared {
  readonly name: string;
  readonly code: DecodedFunction;
  readonly source: Function;
  readonly steps: readonly (Step | undefined)[];
  /** Place in the order of reconvergence; one more than there are instructions. */
  readonly rank: Int32Array;
  readonly isBlockStart: Uint8Array;
  /** Variables of the frame, by address. */
  readonly locals: readonly SymbolPlace[];
  readonly parameters: readonly SymbolPlace[];
}

const KINDS: Readonly<Record<string, StepKind | undefined>> = {
  bra: StepKind.Branch,
  brx: StepKind.IndexedBranch,
  call: StepKind.Call,
  ret: StepKind.Return,
  exit: StepKind.Exit,
  trap: StepKind.Trap,
  vote: StepKind.Warp,
  shfl: StepKind.Warp,
  match: StepKind.Warp,
  activemask: StepKind.Warp,
  elect: StepKind.Warp,
  redux: StepKind.Warp,
  bar: StepKind.Barrier,
  barrier: StepKind.Barrier,
  membar: StepKind.Nothing,
  fence: StepKind.Nothing,
  nanosleep: StepKind.Nothing,
  pmevent: StepKind.Nothing,
  prefetch: StepKind.Nothing,
  prefetchu: StepKind.Nothing,
  discard: StepKind.Nothing,
  applypriority: StepKind.Nothing,
  griddepcontrol: StepKind.Nothing,
  setmaxnreg: StepKind.Nothing,
};

export function prepare(code: DecodedFunction, own: Readonly<Record<string, Handler>>): Prepared {
  const { source } = code;
  const isBlockStart = new Uint8Array(source.instructionCount + 1);
  for (let b = 0; b < source.blockCount; b++) isBlockStart[source.blockStart[b]] = 1;
  const inSpace = (space: string): SymbolPlace[] =>
    code.variables.filter((v) => v.space === space).sort((a, b) => Number(a.address - b.address));
  return {
    name: code.name,
    code,
    source,
    steps: code.code.map((d, i) => (d === undefined ? entryStep(source, i) : stepOf(code, i, d, own))),
    rank: ranksOf(source),
    isBlockStart,
    locals: inSpace('local'),
    parameters: inSpace('param'),
  };
}

/** The pseudo-instruction that stands for registers which the caller wrote. */
function entryStep(f: Function, instruction: number): Step | undefined {
  return (f.instructionFlags[instruction] & InstructionFlag.Entry) !== 0 ? ENTRY : undefined;
}

const ENTRY: Step = {
  d: {
    mnemonic: '.func',
    modifiers: [],
    types: [],
    space: undefined,
    vector: 1,
    guard: undefined,
    operands: [],
    carry: -1,
    results: [],
    text: '.func',
  },
  kind: StepKind.Nothing,
  handler: undefined,
  guard: -1,
  isNegated: false,
  target: -1,
  targets: [],
  isStrict: false,
};

function stepOf(
  code: DecodedFunction,
  instruction: number,
  d: Decoded,
  own: Readonly<Record<string, Handler>>,
): Step {
  const { source } = code;
  const handler = (own[d.mnemonic] as Handler | undefined) ?? handlers.get(d.mnemonic);
  const isWarpBarrier = d.mnemonic === 'bar' && d.modifiers.includes('warp');
  const kind = isWarpBarrier
    ? StepKind.Warp
    : (KINDS[d.mnemonic] ?? (handler === undefined ? StepKind.Unknown : StepKind.Compute));
  return {
    d,
    kind,
    handler,
    guard: d.guard === undefined ? -1 : d.guard.operand < 0 ? -1 : source.operandPlace[d.guard.operand],
    isNegated: d.guard?.isNegated ?? false,
    target: kind === StepKind.Branch ? takenTarget(source, instruction) : -1,
    targets: kind === StepKind.IndexedBranch ? listedTargets(code, instruction, d) : [],
    isStrict: isStrict(d),
  };
}

/** The fall-through stands first among the successors, the target last. */
function takenTarget(f: Function, instruction: number): number {
  const block = blockOf(f, instruction);
  const last = f.successorStart[block + 1] - 1;
  return last < f.successorStart[block] ? -1 : f.blockStart[f.successors[last]];
}

function listedTargets(code: DecodedFunction, instruction: number, d: Decoded): readonly number[] {
  const { source: f } = code;
  const list = d.operands.at(1);
  const labels = list?.kind === 'name' ? (code.branchTargets.get(list.name) ?? []) : [];
  const block = blockOf(f, instruction);
  const starts = new Map<string, number>();
  for (let e = f.successorStart[block]; e < f.successorStart[block + 1]; e++)
    starts.set(f.blockNames[f.successors[e]], f.blockStart[f.successors[e]]);
  return labels.map((label) => starts.get(label) ?? -1);
}

/** Reverse post-order of a walk that leaves loops before it enters them: loops come out whole, exits behind them. */
function ranksOf(f: Function): Int32Array {
  const cfg = controlFlow(f);
  const { depth } = loopsOf(cfg, dominatorsOf(cfg));
  const successors = Array.from({ length: f.blockCount }, (_, b) =>
    [...f.successors.subarray(f.successorStart[b], f.successorStart[b + 1])].sort(
      (x, y) => depth[x] - depth[y],
    ),
  );
  const seen = new Uint8Array(f.blockCount);
  const next = new Int32Array(f.blockCount);
  const finished: number[] = [];
  const walk = (from: number): void => {
    if (seen[from] === 1) return;
    seen[from] = 1;
    for (const open = [from]; open.length > 0;) {
      const block = open[open.length - 1];
      if (next[block] === successors[block].length) {
        finished.push(block);
        open.pop();
        continue;
      }
      const to = successors[block][next[block]++];
      if (seen[to] === 1) continue;
      seen[to] = 1;
      open.push(to);
    }
  };
  if (f.blockCount > 0) walk(0);
  const order = finished.reverse();
  for (let b = 0; b < f.blockCount; b++) if (seen[b] === 0) order.push(b);
  const rank = new Int32Array(f.instructionCount + 1);
  let count = 0;
  for (const block of order)
    for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) rank[i] = count++;
  rank[f.instructionCount] = count;
  return rank;
}
