/**
 * A proven lower bound for the length of a block, in words. It is the maximum of several bounds, each with a proof of
 * its own that says nothing of how a schedule is found:
 *
 * - critical path: bound/times.ts;
 * - one kind of unit or port: bound/windows.ts over what the block asks of it, below.
 *
 * The bound holds for every schedule that carries out the block's operations as the graph gives them, computing and
 * loading as often as it likes: a second instance adds work and takes none away.
 */
import type { BlockTask, Value } from './graph.js';
import { Op } from './operations.js';
import { isIdentity, isOnUniformPort, portVector, portVectors } from './bound/ports.js';
import { blockTimes, endsInComplex1, type BlockTimes, type TimedNode } from './bound/times.js';
import { windowBounds, type Demand, type Need } from './bound/windows.js';

export type BoundReason =
  | 'critical path'
  | 'multipliers'
  | 'adders'
  | 'multipliers and adders'
  | 'pass'
  | 'complex'
  | 'all units'
  | 'uniform port'
  | 'attribute port'
  | 'register ports'
  | 'stores';

export interface BlockBound {
  readonly words: number;
  /** The argument that gives the most; of equal ones the first of the list above. */
  readonly by: BoundReason;
  /** What each argument gives by itself. */
  readonly parts: Readonly<Record<BoundReason, number>>;
}

export function blockBound(task: BlockTask): BlockBound {
  const times = blockTimes(task);
  const parts: Record<BoundReason, number> = {
    'critical path': times.criticalPath,
    ...unitBounds(task, times),
    ...portBounds(task, times),
    stores: storeBound(task, times),
  };
  let by: BoundReason = 'critical path';
  for (const reason of Object.keys(parts) as BoundReason[]) if (parts[reason] > parts[by]) by = reason;
  return { words: parts[by], by, parts };
}

/** Work by the unit that can do it. The adder's opcodes come first: both adders of a word have the same one. */
const enum Work {
  Add,
  Min,
  Max,
  Ge,
  Lt,
  Floor,
  Sign,
  Multiplier,
  AdderOrMultiplier,
  Pass,
  Complex,
  /** Any unit. */
  Move,
}
const WORKS = Work.Move + 1;

/** Words in which the adders do something else than add, neg and mov: two operations of one opcode fit a word. */
function comparingWords(amounts: ArrayLike<number>): number {
  let words = 0;
  for (let work = Work.Min; work <= Work.Sign; work++) words += Math.ceil(amounts[work] / 2);
  return words;
}

/**
 * Words by units. `neg` runs in an adder (as `add`) or a multiplier, so it counts only where both are added up; a
 * word whose adders compare has no adder for it, even if one of them idles.
 */
const unitNeeds: readonly (readonly [BoundReason, Need])[] = [
  ['multipliers', (amounts) => Math.ceil(amounts[Work.Multiplier] / 2)],
  ['adders', (amounts) => Math.ceil(amounts[Work.Add] / 2) + comparingWords(amounts)],
  ['multipliers and adders', (amounts) => Math.ceil(arithmetic(amounts) / 4)],
  ['pass', (amounts) => amounts[Work.Pass]],
  ['complex', (amounts) => amounts[Work.Complex]],
  [
    'all units',
    (amounts) =>
      Math.ceil((arithmetic(amounts) + amounts[Work.Pass] + amounts[Work.Complex] + amounts[Work.Move]) / 6),
  ],
];

const arithmetic = (amounts: ArrayLike<number>): number =>
  amounts[Work.Multiplier] +
  amounts[Work.AdderOrMultiplier] +
  amounts[Work.Add] +
  2 * comparingWords(amounts);

/** What an operation asks of the units: which, in which of its words, how many. */
type Piece = readonly [work: Work, word: number, amount: number];

const single = (work: Work): readonly Piece[] => [[work, 0, 1]];

/** complex2 and the *_impl in one word, complex1 in both multipliers in the next. */
const special = (word: number): readonly Piece[] => [
  [Work.Multiplier, word, 1],
  [Work.Complex, word, 1],
  [Work.Multiplier, word + 1, 2],
];

const pieces: Readonly<Record<Op, readonly Piece[]>> = {
  [Op.Add]: single(Work.Add),
  [Op.Min]: single(Work.Min),
  [Op.Max]: single(Work.Max),
  [Op.Ge]: single(Work.Ge),
  [Op.Lt]: single(Work.Lt),
  [Op.Floor]: single(Work.Floor),
  [Op.Sign]: single(Work.Sign),
  [Op.Mul]: single(Work.Multiplier),
  [Op.Select]: [[Work.Multiplier, 0, 2]],
  [Op.Neg]: single(Work.AdderOrMultiplier),
  [Op.Rcp]: special(0),
  [Op.Rsqrt]: special(0),
  [Op.Exp2]: [[Work.Pass, 0, 1], ...special(1)],
  [Op.Log2]: [...special(0), [Work.Pass, 3, 1]],
};

const nodeWork = ({ node, head, tail }: TimedNode): readonly Demand[] =>
  pieces[node.op].map(([kind, word, amount]) => ({ kind, head: head + word, tail: tail - word, amount }));

/**
 * Arithmetic units. Beside the operations: a branch moves its condition through PASS in the last word; a leaf that is
 * stored passes through some unit, and so does a stored result of complex1 (one move can serve several stores of the
 * same value, and the branch); a store to a temporary has its address set through COMPLEX (once a vector); and of
 * operands that lie in different vectors of the uniform port all but one are moved. Such a move can serve several
 * readers, so of readers with a leaf in common only one is counted.
 */
function unitBounds(
  task: BlockTask,
  times: BlockTimes,
): Pick<
  Record<BoundReason, number>,
  'multipliers' | 'adders' | 'multipliers and adders' | 'pass' | 'complex' | 'all units'
> {
  const demands = times.nodes.flatMap(nodeWork);
  const isMoved = new Set<string>();
  const { branch } = task.block;
  if (branch) {
    demands.push({ kind: Work.Pass, head: times.branchHead, tail: 0, amount: 1 });
    if (times.condition) isMoved.add(valueKey(times.condition));
  }

  const isAddressed = new Set<number>();
  for (const { store, value, head, tail } of times.stores) {
    if (store.to.kind === 'address') {
      demands.push({ kind: Work.Complex, head, tail, amount: 1 });
      continue;
    }
    if (store.to.kind === 'temporary' && !isAddressed.has(store.to.vector)) {
      isAddressed.add(store.to.vector);
      demands.push({ kind: Work.Complex, head: 0, tail, amount: 1 });
    }
    if (value.kind === 'node' && !isMadeByComplex1(task, value.node)) continue;
    // An unconditional branch moves some number that is not 0: it may be this one.
    if (value.kind === 'constant' && branch && !branch.condition) continue;
    const key = valueKey(value);
    if (isMoved.has(key)) continue;
    isMoved.add(key);
    demands.push({ kind: Work.Move, head, tail, amount: 1 });
  }

  for (const { node, inputs, tail } of times.nodes) {
    const read = inputs.filter((input) => isOnUniformPort(node.op, input)).map(valueKey);
    const vectors = portVectors(node.op, inputs, task.places).uniform.size;
    if (vectors < 2 || read.some((key) => isMoved.has(key))) continue;
    for (const key of read) isMoved.add(key);
    demands.push({ kind: Work.Move, head: 0, tail: tail + 1, amount: vectors - 1 });
  }

  const bounds = windowBounds(
    demands,
    WORKS,
    unitNeeds.map(([, need]) => need),
  );
  return {
    multipliers: bounds[0],
    adders: bounds[1],
    'multipliers and adders': bounds[2],
    pass: bounds[3],
    complex: bounds[4],
    'all units': bounds[5],
  };
}

const isMadeByComplex1 = (task: BlockTask, node: number): boolean => {
  const op = task.program.nodes[node]?.op;
  return op !== undefined && endsInComplex1(op);
};

function valueKey(value: Value): string {
  switch (value.kind) {
    case 'node':
      return `n${value.node}`;
    case 'constant':
      return `c${Math.abs(value.value)}`;
    case 'register':
      return `r${value.register}${value.stored ? 's' : ''}`;
    case 'temporary':
      return `t${value.vector}.${value.component}${value.stored ? 's' : ''}`;
    case 'uniform':
      return `u${value.vector}.${value.component}+${value.address ?? 0}`;
    case 'attribute':
      return `a${value.vector}.${value.component}`;
  }
}

const enum Port {
  /** A uniform or temporary vector: the whole port of a word. */
  Vector,
  /** A constant: up to four share a word's port. */
  Constant,
  Attribute,
  Register,
}
const PORTS = Port.Register + 1;

const portNeeds: readonly Need[] = [
  (amounts) => amounts[Port.Vector] + Math.ceil(amounts[Port.Constant] / 4),
  (amounts) => amounts[Port.Attribute],
  (amounts) => Math.ceil((amounts[Port.Attribute] + amounts[Port.Register]) / 2),
];

/**
 * Read ports. Every vector that the block reads takes its port in at least one word; its most
 * urgent reader bounds the words behind that one. Constants count by magnitude, since most
 * readers can negate for nothing, and where an operation has them as identity (1 as a factor, 0 as an adder's second
 * operand) not at all. Attributes come through port 0 only, registers through both.
 */
function portBounds(
  task: BlockTask,
  times: BlockTimes,
): Pick<Record<BoundReason, number>, 'uniform port' | 'attribute port' | 'register ports'> {
  const demands = new Map<string, Demand>();
  const read = (leaf: Value, tail: number): void => {
    if (leaf.kind === 'node') return;
    const key = leaf.kind === 'constant' ? valueKey(leaf) : portVector(leaf, task.places);
    const kind =
      leaf.kind === 'constant'
        ? Port.Constant
        : leaf.kind === 'register'
          ? Port.Register
          : leaf.kind === 'attribute'
            ? Port.Attribute
            : Port.Vector;
    demands.set(key, { kind, head: 0, tail: Math.max(demands.get(key)?.tail ?? 0, tail), amount: 1 });
  };
  for (const { node, inputs, tail } of times.nodes)
    for (const input of inputs) if (!isIdentity(node.op, input)) read(input, tail);
  for (const { value, tail } of times.stores) read(value, tail);
  if (task.block.branch) read(times.condition ?? { kind: 'constant', value: 1 }, 0);
  const bounds = windowBounds([...demands.values()], PORTS, portNeeds);
  return {
    'uniform port': bounds[0],
    'attribute port': bounds[1],
    'register ports': bounds[2],
  };
}

const enum Half {
  XY,
  ZW,
  /** Vectors of temporaries: one address register serves all temporary stores of a word. */
  Temporary,
}

const halfNeeds: readonly Need[] = [
  (amounts) => amounts[Half.XY],
  (amounts) => amounts[Half.ZW],
  (amounts) => amounts[Half.Temporary],
];

/**
 * Stores. A word stores to one place through its xy half and to one through its zw half, so every half of a vector
 * that the block stores takes its own word of that half. Of the stores that can share it, the one with the longest
 * chain through it stands for all.
 */
function storeBound(task: BlockTask, times: BlockTimes): number {
  const demands = new Map<string, Demand>();
  const add = (key: string, kind: Half, head: number, tail: number): void => {
    const before = demands.get(key);
    if (before && before.head + before.tail >= head + tail) return;
    demands.set(key, { kind, head, tail, amount: 1 });
  };
  for (const { store, head, tail } of times.stores) {
    const { to } = store;
    if (to.kind === 'address') continue;
    const place = to.kind === 'register' ? task.places[to.register] : 4 * to.vector + to.component;
    const half = (place & 2) === 0 ? Half.XY : Half.ZW;
    add(`${to.kind} ${place >> 1}`, half, head, tail);
    if (to.kind === 'temporary') add(`address ${to.vector}`, Half.Temporary, head, tail);
  }
  return Math.max(...windowBounds([...demands.values()], Half.Temporary + 1, halfNeeds));
}
