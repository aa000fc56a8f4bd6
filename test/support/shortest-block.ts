import type { BlockTask, Input, Leaf, Store, Value } from '../../server/src/targets/mali-gp/graph.js';
import { Op } from '../../server/src/targets/mali-gp/operations.js';

/**
 * The least number of words for a tiny block, if it is at most `limits.words`, by trying every word
 * that could come next, over what is in flight, what is stored, and since when. The rules of the machine are written down here a second time, as simply
 * as they can be said, so that a wrong bound or a wrong rule shows. Moves, repeated computation and repeated loads
 * are all allowed; what is left out (stores of temporaries) only tests that do not ask for it may rely on.
 */
export function shortestBlock(
  task: BlockTask,
  limits: { words: number; tries: number },
): number | 'more' | 'gave up' {
  const machine = new Machine(task);
  if (machine.stores.length === 0 && !task.block.branch) return 0;
  const seen = new Set<string>();
  let tries = 0;
  let found = limits.words + 1;
  const follow = (state: State, words: number): void => {
    const successors = new Map<string, State>();
    for (const next of machine.words(state)) {
      if (++tries > limits.tries) return;
      if (machine.isDone(next)) found = Math.min(found, words);
      const key = `${words} ${keyOf(next)}`;
      if (seen.has(key) || machine.wordsLeft(next) >= found - words) continue;
      seen.add(key);
      successors.set(key, next);
    }
    // what has most in flight first: it finds an answer soon, which cuts the rest short
    for (const next of withoutDominated([...successors.values()]))
      if (machine.wordsLeft(next) < found - words) follow(next, words + 1);
  };
  follow(machine.start(), 1);
  if (tries > limits.tries && found > limits.words) return 'gave up';
  return found <= limits.words ? found : 'more';
}

/** Sets of values are bits. */
interface State {
  /** Made one word ago in a unit other than COMPLEX, and in COMPLEX. */
  readonly near: number;
  readonly nearComplex: number;
  /** Results of complex1 made one word ago, which nothing can read yet. */
  readonly pending: number;
  /** Made two words ago. */
  readonly far: number;
  /** Leaves behind port 0 of the previous word. */
  readonly port: number;
  /** By store: words since it was done up to 2, or -1. */
  readonly ages: readonly number[];
  /** Whether the last word branched. */
  readonly hasBranched: boolean;
}

const covers = (a: number, b: number): boolean => (b & ~a) === 0;

const keyOf = (s: State): string =>
  `${s.near} ${s.nearComplex} ${s.pending} ${s.far} ${s.port} ${s.ages.join()}`;

/** Drops states that another one is at least as good as in everything. */
function withoutDominated(states: readonly State[]): State[] {
  const kept = new Map<string, State[]>();
  const size = ({ near, nearComplex, pending, far, port }: State): number =>
    bits(near) + bits(nearComplex) + bits(pending) + bits(far) + bits(port);
  for (const b of [...states].sort((x, y) => size(y) - size(x))) {
    const group = kept.get(b.ages.join()) ?? [];
    kept.set(b.ages.join(), group);
    const isDominated = group.some(
      (a) =>
        covers(a.near, b.near) &&
        covers(a.nearComplex | a.near, b.nearComplex) &&
        covers(a.pending, b.pending) &&
        covers(a.far, b.far) &&
        covers(a.port, b.port),
    );
    if (!isDominated) group.push(b);
  }
  return [...kept.values()].flat();
}

function bits(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count++;
  return count;
}

type Slot = 'mul' | 'mul0' | 'both' | 'adder' | 'either' | 'pass' | 'complex';

/** How an operand may be read: anywhere, or not from COMPLEX. */
interface Read {
  readonly value: number;
  readonly notComplex?: boolean;
}

/** One unit's work in one word. */
interface Piece {
  readonly slot: Slot;
  readonly opcode: string;
  readonly result: number;
  readonly reads: readonly Read[];
  /** The two operands can change places, so one of them may come from COMPLEX. */
  readonly swaps?: boolean;
  /** Its result is not readable in the next word. */
  readonly isLate?: boolean;
}

const ADDERS: Partial<Record<Op, string>> = {
  [Op.Add]: 'add',
  [Op.Min]: 'min',
  [Op.Max]: 'max',
  [Op.Ge]: 'ge',
  [Op.Lt]: 'lt',
  [Op.Floor]: 'floor',
  [Op.Sign]: 'sign',
};

class Machine {
  readonly stores: readonly Store[];
  private readonly pieces: Piece[] = [];
  private readonly leaves: Leaf[] = [];
  private readonly values = new Map<string, number>();
  private readonly isRaw = new Set<number>();

  constructor(private readonly task: BlockTask) {
    this.stores = task.block.stores;
    for (const { value } of this.stores) this.need(value);
    if (task.block.branch) this.need(this.condition());
  }

  start(): State {
    return {
      near: 0,
      nearComplex: 0,
      pending: 0,
      far: 0,
      port: 0,
      ages: this.stores.map(() => -1),
      hasBranched: false,
    };
  }

  isDone(state: State): boolean {
    return (
      state.hasBranched === (this.task.block.branch !== undefined) &&
      state.ages.every((age, index) => age >= (this.stores[index].to.kind === 'register' ? 2 : 0))
    );
  }

  /** Words that a state still needs, counting nothing but the longest chain. */
  wordsLeft(state: State): number {
    const readable = new Map<number, number>();
    /** Words before the first one that can read the value. */
    const readableAfter = (value: number): number => {
      const known = readable.get(value);
      if (known !== undefined) return known;
      if (((state.near | state.nearComplex | state.far | state.pending) >> value) & 1) {
        const ready = ((state.near | state.nearComplex | state.far) >> value) & 1 ? 0 : 1;
        readable.set(value, ready);
        return ready;
      }
      let words = 0;
      const piece = this.pieces.find(({ result }) => result === value);
      if (piece)
        words = Math.max(0, ...piece.reads.map((read) => readableAfter(read.value))) + (piece.isLate ? 2 : 1);
      readable.set(value, words);
      return words;
    };
    const storedAfter = ({ value }: Store): number => {
      const number = this.need(value);
      const piece = this.pieces.find(({ result }) => result === number);
      const words = readableAfter(number);
      return piece && !piece.isLate ? Math.max(0, words - 1) : words;
    };
    let left = this.task.block.branch ? readableAfter(this.need(this.condition())) + 1 : 0;
    for (const [index, store] of this.stores.entries()) {
      const behind = store.to.kind === 'register' ? 2 : 0;
      const age = state.ages[index];
      left = Math.max(left, age < 0 ? storedAfter(store) + 1 + behind : behind - age);
    }
    return left;
  }

  private condition(): Value {
    return this.task.block.branch?.condition ?? { kind: 'constant', value: 1 };
  }

  // -- the block as pieces and values

  private name(value: Value): string {
    switch (value.kind) {
      case 'node':
        return `node ${value.node}`;
      case 'constant':
        return `constant ${Math.abs(value.value)}`;
      case 'register':
        return `register ${value.register} ${value.stored}`;
      default:
        return `${value.kind} ${value.vector} ${value.component}`;
    }
  }

  private number(name: string): number {
    const known = this.values.get(name);
    if (known !== undefined) return known;
    this.values.set(name, this.values.size);
    return this.values.size - 1;
  }

  private need(given: Value): number {
    const value = this.origin(given);
    const name = this.name(value);
    if (this.values.has(name)) return this.number(name);
    const result = this.number(name);
    if (value.kind === 'node') this.cut(value.node, result);
    else this.leaves[result] = value;
    return result;
  }

  /** A value read back from its register is the stored value itself. */
  private origin(value: Value): Value {
    if (value.kind !== 'register' || !value.stored) return value;
    const store = this.stores.find(({ to }) => to.kind === 'register' && to.register === value.register);
    return store ? store.value : value;
  }

  private raw(name: string): number {
    const value = this.number(name);
    this.isRaw.add(value);
    return value;
  }

  private cut(id: number, result: number): void {
    const { op, inputs } = this.task.program.nodes[id];
    const reads = inputs
      .filter((input) => !isIdentity(op, input))
      .map((input) => ({ value: this.need(input) }));
    const adder = ADDERS[op];
    if (adder !== undefined) {
      this.pieces.push({ slot: 'adder', opcode: adder, result, reads, swaps: true });
      return;
    }
    switch (op) {
      case Op.Mul:
        this.pieces.push({ slot: 'mul', opcode: 'mul', result, reads, swaps: true });
        return;
      case Op.Neg:
        this.pieces.push({ slot: 'either', opcode: 'add', result, reads });
        return;
      case Op.Select: {
        const [condition, ...others] = reads;
        const operands = [{ ...condition, notComplex: true }, ...others];
        this.pieces.push({ slot: 'both', opcode: 'select', result, reads: operands });
        return;
      }
      default:
        this.special(op, id, result, reads[0].value);
    }
  }

  private special(op: Op, id: number, result: number, argument: number): void {
    let x = argument;
    if (op === Op.Exp2) {
      x = this.raw(`preexp2 ${id}`);
      this.pieces.push({ slot: 'pass', opcode: 'preexp2', result: x, reads: [{ value: argument }] });
    }
    const square = this.raw(`complex2 ${id}`);
    const guess = this.raw(`impl ${id}`);
    const direct = { value: x, notComplex: true };
    this.pieces.push(
      { slot: 'mul0', opcode: 'complex2', result: square, reads: [direct] },
      { slot: 'complex', opcode: 'impl', result: guess, reads: [{ value: x }] },
    );
    const isLog = op === Op.Log2;
    const last = isLog ? this.raw(`complex1 ${id}`) : result;
    this.pieces.push({
      slot: 'both',
      opcode: 'complex1',
      result: last,
      reads: [{ value: guess }, { value: square, notComplex: true }, direct],
      isLate: true,
    });
    if (isLog) this.pieces.push({ slot: 'pass', opcode: 'postlog2', result, reads: [{ value: last }] });
  }

  // -- words

  *words(state: State): Generator<State> {
    const useful = this.useful(state);
    for (const ports of this.ports(state, useful)) {
      const plain = state.near | state.far | state.port | ports.uniform | ports.zero | ports.one;
      const any = plain | state.nearComplex;
      const canRead = (read: Read): boolean => (((read.notComplex ? plain : any) >> read.value) & 1) === 1;
      const isReady = (piece: Piece): boolean =>
        ((useful >> piece.result) & 1) === 1 &&
        piece.reads.every(canRead) &&
        !(
          piece.swaps &&
          piece.reads.length === 2 &&
          piece.reads.every(({ value }) => ((plain >> value) & 1) === 0)
        );
      const ready = this.pieces.filter(isReady);
      for (const work of this.workOf(ready)) yield* this.complete(state, useful, any, ports.zero, work);
    }
  }

  /** The values that what is not stored yet, or the branch, can still read. */
  private useful(state: State): number {
    let useful = 0;
    const visit = (value: number): void => {
      if ((useful >> value) & 1) return;
      useful |= 1 << value;
      for (const piece of this.pieces)
        if (piece.result === value) piece.reads.forEach((read) => visit(read.value));
    };
    this.stores.forEach((store, index) => {
      if (state.ages[index] < 0) visit(this.need(store.value));
    });
    if (this.task.block.branch) visit(this.need(this.condition()));
    return useful;
  }

  private *ports(state: State, useful: number): Generator<{ uniform: number; zero: number; one: number }> {
    const vectors = {
      uniform: new Map<string, number>(),
      attribute: new Map<string, number>(),
      register: new Map<string, number>(),
    };
    this.leaves.forEach((leaf, value) => {
      if (((useful >> value) & 1) === 0 || !this.isThere(leaf, state)) return;
      const port = leaf.kind === 'attribute' || leaf.kind === 'register' ? leaf.kind : 'uniform';
      const vector =
        leaf.kind === 'constant'
          ? 'constants'
          : leaf.kind === 'register'
            ? this.task.places[leaf.register] >> 2
            : leaf.vector;
      const key = String(vector);
      vectors[port].set(key, (vectors[port].get(key) ?? 0) | (1 << value));
    });
    const orNone = (sets: number[]): number[] => (sets.length === 0 ? [0] : sets);
    const registers = [...vectors.register.values()];
    for (const uniform of orNone([...vectors.uniform.values()]))
      for (const zero of orNone([...vectors.attribute.values(), ...registers]))
        for (const one of orNone(registers)) yield { uniform, zero, one };
  }

  private isThere(leaf: Leaf, state: State): boolean {
    if (leaf.kind !== 'register') return true;
    const store = this.stores.findIndex(({ to }) => to.kind === 'register' && to.register === leaf.register);
    return store < 0 || state.ages[store] < 0;
  }

  /** Every choice of pieces that fit a word together. */
  private *workOf(ready: readonly Piece[]): Generator<Piece[]> {
    const multiplied = ready.filter(({ slot }) => slot === 'mul' || slot === 'mul0' || slot === 'either');
    const added = ready.filter(({ slot }) => slot === 'adder' || slot === 'either');
    const multiplications = [
      ...pairs(multiplied).filter((pair) => pair.filter(({ slot }) => slot === 'mul0').length < 2),
      ...ready.filter(({ slot }) => slot === 'both').map((piece) => [piece]),
    ];
    const additions = pairs(added).filter(([a, b]) => !a || !b || a.opcode === b.opcode);
    const optional = (slot: Slot): Piece[][] => [[], ...ready.filter((p) => p.slot === slot).map((p) => [p])];
    for (const m of multiplications)
      for (const a of additions)
        for (const p of optional('pass'))
          for (const c of optional('complex')) {
            const work = [...m, ...a, ...p, ...c];
            if (new Set(work).size === work.length) yield this.tag(work, m, a);
          }
  }

  private slotsLeft = 0;
  private isPassFree = true;
  private isComplexFree = true;

  private tag(work: Piece[], m: readonly Piece[], a: readonly Piece[]): Piece[] {
    const used = m.some(({ slot }) => slot === 'both') ? 2 : m.length;
    const adders = a.length > 0 && a[0].opcode !== 'add' ? 0 : 2 - a.length;
    this.isPassFree = !work.some(({ slot }) => slot === 'pass');
    this.isComplexFree = !work.some(({ slot }) => slot === 'complex');
    this.slotsLeft = 2 - used + adders;
    return work;
  }

  /** Adds moves, stores and the branch to a word's work, in every way that could matter. */
  private *complete(
    state: State,
    useful: number,
    any: number,
    port: number,
    work: readonly Piece[],
  ): Generator<State> {
    const { slotsLeft, isPassFree, isComplexFree } = this;
    const movable = [...this.values.values()].filter(
      (value) => ((any & useful) >> value) & 1 && !this.isRaw.has(value),
    );
    const condition = this.task.block.branch ? this.need(this.condition()) : -1;
    const branches = condition >= 0 && isPassFree && (any >> condition) & 1 ? [false, true] : [false];
    for (const branch of branches) {
      const free = slotsLeft + (isPassFree && !branch ? 1 : 0);
      for (const moved of subsets(movable, free)) {
        const others = isComplexFree ? movable.filter((value) => !moved.includes(value)) : [];
        for (const complex of others.length > 0 ? others : [-1]) {
          yield* this.afterStores(state, port, work, moved, complex, branch ? condition : -1);
        }
      }
    }
  }

  private *afterStores(
    state: State,
    port: number,
    work: readonly Piece[],
    moved: readonly number[],
    complex: number,
    branch: number,
  ): Generator<State> {
    let near = moved.reduce((set, value) => set | (1 << value), 0);
    let pending = 0;
    let nearComplex = complex >= 0 ? 1 << complex : 0;
    for (const piece of work) {
      if (piece.isLate) pending |= 1 << piece.result;
      else if (piece.slot === 'complex') nearComplex |= 1 << piece.result;
      else near |= 1 << piece.result;
    }
    if (branch >= 0) near |= 1 << branch;
    const made = near | nearComplex;
    for (const stored of this.storeSets(state, made)) {
      const ages = state.ages.map((age, index) =>
        stored.includes(index) ? 0 : age < 0 ? age : Math.min(age + 1, 2),
      );
      yield {
        near,
        nearComplex,
        pending,
        far: state.near | state.pending,
        port,
        ages,
        hasBranched: branch >= 0,
      };
    }
  }

  /** Every set of stores that a word can do with the values that it makes. */
  private *storeSets(state: State, made: number): Generator<number[]> {
    const halves = [new Map<string, number[]>(), new Map<string, number[]>()];
    this.stores.forEach(({ to, value }, index) => {
      if (state.ages[index] >= 0 || ((made >> this.need(value)) & 1) === 0) return;
      const place = to.kind === 'register' ? this.task.places[to.register] : 4 * to.vector + to.component;
      const half = halves[(place >> 1) & 1];
      const key = `${to.kind} ${place >> 2}`;
      half.set(key, [...(half.get(key) ?? []), index]);
    });
    const choices = halves.map((half) => [[], ...[...half.values()].flatMap((group) => subsetsOf(group))]);
    for (const xy of choices[0]) for (const zw of choices[1]) yield [...xy, ...zw];
  }
}

const isIdentity = (op: Op, input: Input): boolean =>
  input.kind === 'constant' &&
  (op === Op.Mul
    ? Math.abs(input.value) === 1
    : input.value === 0 && ADDERS[op] !== undefined && op !== Op.Floor && op !== Op.Sign);

function pairs(pieces: readonly Piece[]): Piece[][] {
  const found: Piece[][] = [[], ...pieces.map((piece) => [piece])];
  pieces.forEach((a, i) => pieces.slice(i + 1).forEach((b) => found.push([a, b])));
  return found;
}

/** All of `items` if they fit, else every choice of `size`. */
function subsets(items: readonly number[], size: number): number[][] {
  if (items.length <= size) return [[...items]];
  if (size <= 0) return [[]];
  const [first, ...rest] = items;
  return [...subsets(rest, size - 1).map((set) => [first, ...set]), ...subsets(rest, size)];
}

const subsetsOf = (items: readonly number[]): number[][] =>
  items.length === 0
    ? []
    : items
        .reduce<number[][]>((sets, item) => [...sets, ...sets.map((set) => [...set, item])], [[]])
        .slice(1);
