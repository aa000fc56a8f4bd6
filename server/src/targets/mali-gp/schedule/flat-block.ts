/**
 * A block as flat arrays, in the numbering of the scheduler: its values are first its nodes, in the block's order,
 * then the distinct leaves that they, the stores and the branch read. A leaf that means what the block itself
 * stores is the stored value, whose place is one more way to reach it.
 *
 * Nodes that lead to no store and no branch are left out.
 */
import type { Block, BlockTask, Leaf, StorePlace, Value } from '../graph.js';
import { Op, operations } from '../operations.js';

export const enum Kind {
  Node,
  Constant,
  Uniform,
  Attribute,
  /** A cross-block register as it is at the block's start. */
  Register,
  /** A temporary as it is at the block's start. */
  Temporary,
}

export const enum To {
  Varying = 1,
  Register,
  Temporary,
  /** An address register: no store, but an operation of COMPLEX that reads the value. */
  Address,
}

export interface FlatBlock {
  readonly nodes: number;
  readonly values: number;
  /** By node: id in the program, operation, its three inputs as values (-1 where it has none), negations as bits. */
  readonly ids: Int32Array;
  readonly op: Uint8Array;
  readonly inputs: Int32Array;
  readonly negated: Uint8Array;
  /** By value. `vector` of a constant is its index in `constants`, of a uniform see `ADDRESSED`; of a register `place` is `4 * vector + component`. */
  readonly kind: Uint8Array;
  readonly vector: Int32Array;
  readonly component: Int32Array;
  readonly constants: readonly number[];
  /** Nodes that read value v: `readers[readerStart[v]]` up to `readerStart[v + 1]`, each once. */
  readonly readerStart: Int32Array;
  readonly readers: Int32Array;
  /** By value: nodes, stores and branches that read it. */
  readonly uses: Int32Array;
  /** Stores: kind, vector and component of the place, what is stored; the constant that holds a temporary's address. */
  readonly storeTo: Uint8Array;
  readonly storeVector: Int32Array;
  readonly storeComponent: Int32Array;
  readonly storeValue: Int32Array;
  readonly storeAddress: Int32Array;
  /** What the block finds in the register or temporary that a store overwrites, if it reads that, or -1. */
  readonly storeOver: Int32Array;
  /** Stores of value v: `storesOf[storesStart[v]]` up to `storesStart[v + 1]`. */
  readonly storesStart: Int32Array;
  readonly storesOf: Int32Array;
  readonly hasBranch: boolean;
  readonly branchTarget: number;
  /** What it branches on (the constant 1 for an unconditional one), or -1. */
  readonly condition: number;
  /** By place: 1 where no value of this block may be kept. */
  readonly blocked: Uint8Array;
  /** By place: the store that fills it, or -1. Until then values may be kept there. */
  readonly filledBy: Int32Array;
  /** Words that must follow a node's first one before its result can be read. */
  readonly latency: Int32Array;
  /** Least number of words from a node's first one to the block's end, both counted. */
  readonly height: Int32Array;
  /** Pairs of nodes (see `BlockTask.order`): what must not be placed later than node n. */
  readonly before: readonly (readonly number[])[] | undefined;
}

/** Words from the first of an operation to the first that can read its result. */
export function latencyOf(op: Op): number {
  if (op === Op.Rcp || op === Op.Rsqrt) return 3;
  return op === Op.Exp2 || op === Op.Log2 ? 4 : 1;
}

/** Words from the one that stores to the block's end, both counted. */
const TAIL: Readonly<Record<To, number>> = {
  [To.Varying]: 1,
  [To.Register]: 3,
  [To.Temporary]: 4,
  [To.Address]: 4,
};

const storeKinds = { varying: To.Varying, temporary: To.Temporary, address: To.Address } as const;

/** Vectors of the uniform port's address space: a uniform's vector with address register a is `a * ADDRESSED` more. */
export const ADDRESSED = 512;

export function flatten(task: BlockTask): FlatBlock {
  const { block, program, places } = task;
  const live = liveNodes(task);
  const nodes = live.length;
  const local = new Map<number, number>();
  live.forEach((id, index) => local.set(id, index));

  const kinds: number[] = [];
  const vectors: number[] = [];
  const components: number[] = [];
  const constants: number[] = [];
  const leaves = new Map<string, number>();
  const addLeaf = (key: string, kind: Kind, vector: number, component: number): number => {
    const known = leaves.get(key);
    if (known !== undefined) return known;
    const value = nodes + kinds.length;
    leaves.set(key, value);
    kinds.push(kind);
    vectors.push(vector);
    components.push(component);
    return value;
  };
  const addConstant = (number: number): number => {
    const key = Object.is(number, -0) ? 'c-0' : `c${number}`;
    const known = leaves.get(key);
    if (known !== undefined) return known;
    constants.push(number);
    return addLeaf(key, Kind.Constant, constants.length - 1, 0);
  };
  const addUniform = (vector: number, component: number): number =>
    addLeaf(`u${vector}.${component}`, Kind.Uniform, vector, component);
  const addStartLeaf = (leaf: Leaf): number => {
    switch (leaf.kind) {
      case 'constant':
        return addConstant(leaf.value);
      case 'uniform':
        return addUniform(leaf.vector + ADDRESSED * (leaf.address ?? 0), leaf.component);
      case 'attribute':
        return addLeaf(`a${leaf.vector}.${leaf.component}`, Kind.Attribute, leaf.vector, leaf.component);
      case 'temporary':
        return addLeaf(`t${leaf.vector}.${leaf.component}`, Kind.Temporary, leaf.vector, leaf.component);
      case 'register': {
        const place = places[leaf.register];
        return addLeaf(`r${place}`, Kind.Register, place >> 2, place & 3);
      }
    }
  };
  const stored = storedValues(block);
  const number = (value: Value): number => {
    let at = value;
    for (
      let steps = 0;
      at.kind !== 'node' && (at.kind === 'register' || at.kind === 'temporary') && at.stored;
      steps++
    ) {
      const source = stored.get(placeKey(at));
      if (source === undefined || steps > block.stores.length) break;
      at = source;
    }
    return at.kind === 'node' ? local.get(at.node)! : addStartLeaf(at);
  };

  /** A register is stored to itself, or to another that lies in the same place. */
  const isInPlace = (to: StorePlace, value: number): boolean =>
    to.kind === 'register' &&
    value >= nodes &&
    kinds[value - nodes] === Kind.Register &&
    places[to.register] === 4 * vectors[value - nodes] + components[value - nodes];

  const ids = Int32Array.from(live);
  const op = new Uint8Array(nodes);
  const inputs = new Int32Array(3 * nodes).fill(-1);
  const negated = new Uint8Array(nodes);
  for (let n = 0; n < nodes; n++) {
    const node = program.nodes[live[n]];
    op[n] = node.op;
    for (let k = 0; k < operations[node.op].inputs; k++) {
      inputs[3 * n + k] = number(node.inputs[k]);
      if (node.inputs[k].negate) negated[n] |= 1 << k;
    }
  }
  const kept = block.stores.filter(({ to, value }) => !isInPlace(to, number(value)));
  const stores = kept.length;
  const storeTo = new Uint8Array(stores);
  const storeVector = new Int32Array(stores);
  const storeComponent = new Int32Array(stores);
  const storeValue = new Int32Array(stores);
  const storeAddress = new Int32Array(stores).fill(-1);
  kept.forEach((store, s) => {
    const { to } = store;
    storeValue[s] = number(store.value);
    if (to.kind === 'register') {
      storeTo[s] = To.Register;
      storeVector[s] = places[to.register] >> 2;
      storeComponent[s] = places[to.register] & 3;
      return;
    }
    storeTo[s] = storeKinds[to.kind];
    storeVector[s] = to.vector;
    storeComponent[s] = to.component;
    if (to.kind === 'temporary') storeAddress[s] = addConstant(to.vector);
  });
  const { branch } = block;
  let condition = -1;
  if (branch) condition = branch.condition ? number(branch.condition) : addConstant(1);

  const values = nodes + kinds.length;
  const kind = new Uint8Array(values);
  const vector = new Int32Array(values);
  const component = new Int32Array(values);
  kind.set(kinds, nodes);
  vector.set(vectors, nodes);
  component.set(components, nodes);

  const readers = readersOf(values, nodes, inputs);
  const storesOf = grouped(values, storeValue);
  const uses = new Int32Array(values);
  for (let v = 0; v < values; v++) {
    uses[v] = readers.start[v + 1] - readers.start[v] + storesOf.start[v + 1] - storesOf.start[v];
  }
  for (let s = 0; s < stores; s++) if (storeAddress[s] >= 0) uses[storeAddress[s]]++;
  if (condition >= 0) uses[condition]++;

  const storeOver = new Int32Array(stores).fill(-1);
  kept.forEach(({ to }, s) => {
    if (to.kind === 'register') storeOver[s] = leaves.get(`r${places[to.register]}`) ?? -1;
    if (to.kind === 'temporary') storeOver[s] = leaves.get(`t${to.vector}.${to.component}`) ?? -1;
  });
  const blocked = new Uint8Array(64);
  for (let p = 0; p < 64; p++) blocked[p] = task.liveOut[p];
  for (const { to } of block.stores) if (to.kind === 'register') blocked[places[to.register]] = 1;
  const filledBy = new Int32Array(64).fill(-1);
  kept.forEach(({ to }, s) => {
    if (to.kind !== 'register') return;
    filledBy[places[to.register]] = s;
    blocked[places[to.register]] = 0;
  });
  const latency = new Int32Array(nodes);
  const height = new Int32Array(nodes);
  for (let n = nodes - 1; n >= 0; n--) {
    latency[n] = latencyOf(op[n]);
    // A result of complex1 is stored by a move in the first word that can read it, others in their own.
    const toStore = op[n] === Op.Log2 ? 3 : op[n] >= Op.Rcp ? latency[n] : 0;
    let most = latency[n];
    for (let i = storesOf.start[n]; i < storesOf.start[n + 1]; i++) {
      const to = storeTo[storesOf.list[i]] as To;
      most = Math.max(most, (to === To.Address ? latency[n] : toStore) + TAIL[to]);
    }
    for (let i = readers.start[n]; i < readers.start[n + 1]; i++) {
      most = Math.max(most, latency[n] + height[readers.list[i]]);
    }
    if (n === condition) most = Math.max(most, latency[n] + 1);
    height[n] = most;
  }
  return {
    nodes,
    values,
    ids,
    op,
    inputs,
    negated,
    kind,
    vector,
    component,
    constants,
    readerStart: readers.start,
    readers: readers.list,
    uses,
    storeTo,
    storeVector,
    storeComponent,
    storeValue,
    storeAddress,
    storeOver,
    storesStart: storesOf.start,
    storesOf: storesOf.list,
    hasBranch: branch !== undefined,
    branchTarget: branch ? branch.target : -1,
    condition,
    blocked,
    filledBy,
    latency,
    height,
    before: orderOf(task, local, nodes),
  };
}

const placeKey = (
  place: { kind: 'register'; register: number } | { kind: 'temporary'; vector: number; component: number },
): string => (place.kind === 'register' ? `r${place.register}` : `t${place.vector}.${place.component}`);

function storedValues(block: Block): Map<string, Value> {
  const stored = new Map<string, Value>();
  for (const { to, value } of block.stores) {
    if (to.kind === 'register' || to.kind === 'temporary') stored.set(placeKey(to), value);
  }
  return stored;
}

/** Ids of the nodes that a store or the branch needs, each before its readers. */
function liveNodes({ block, program }: BlockTask): number[] {
  const here = new Set(block.nodes);
  const needed = new Set<number>();
  const need = (value: Value): void => {
    if (value.kind === 'node' && here.has(value.node)) needed.add(value.node);
  };
  for (const store of block.stores) need(store.value);
  if (block.branch?.condition) need(block.branch.condition);
  for (let k = block.nodes.length - 1; k >= 0; k--) {
    if (needed.has(block.nodes[k])) program.nodes[block.nodes[k]].inputs.forEach(need);
  }
  return block.nodes.filter((id) => needed.has(id));
}

interface Groups {
  readonly start: Int32Array;
  readonly list: Int32Array;
}

/** Indices of `of`, grouped by the number that it holds for them. */
function grouped(groups: number, of: Int32Array): Groups {
  const start = new Int32Array(groups + 1);
  for (const group of of) start[group + 1]++;
  for (let g = 0; g < groups; g++) start[g + 1] += start[g];
  const next = start.slice(0, groups);
  const list = new Int32Array(of.length);
  of.forEach((group, index) => (list[next[group]++] = index));
  return { start, list };
}

function readersOf(values: number, nodes: number, inputs: Int32Array): Groups {
  const start = new Int32Array(values + 1);
  const isFirst = (n: number, k: number): boolean => {
    for (let j = 0; j < k; j++) if (inputs[3 * n + j] === inputs[3 * n + k]) return false;
    return inputs[3 * n + k] >= 0;
  };
  for (let n = 0; n < nodes; n++)
    for (let k = 0; k < 3; k++) if (isFirst(n, k)) start[inputs[3 * n + k] + 1]++;
  for (let v = 0; v < values; v++) start[v + 1] += start[v];
  const next = start.slice(0, values);
  const list = new Int32Array(start[values]);
  for (let n = 0; n < nodes; n++) {
    for (let k = 0; k < 3; k++) if (isFirst(n, k)) list[next[inputs[3 * n + k]]++] = n;
  }
  return { start, list };
}

function orderOf(task: BlockTask, local: Map<number, number>, nodes: number): number[][] | undefined {
  if (!task.order || task.order.length === 0) return undefined;
  const before = Array.from({ length: nodes }, (): number[] => []);
  for (const [first, second] of task.order) {
    const a = local.get(first);
    const b = local.get(second);
    if (a !== undefined && b !== undefined) before[b].push(a);
  }
  return before;
}
