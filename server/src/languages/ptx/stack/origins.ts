import { OperandFlag, type Function } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import type { ReachingDefinitions } from '../../../passes/reaching.js';
import { opcodeFact, Transfer, type OpcodeFact } from './opcodes.js';
import type { OriginTable } from './origin.js';
import { BOTTOM, isAddress, masked, negated, product, sum, united, UNKNOWN } from './origin.js';

/**
 * Where each value comes from, as far as it is an address of the frame or of a warp's slot: a sparse walk over the
 * nodes of the reaching definitions, so that a register that a text uses for several values is several values here.
 * Words of the frame that hold such an address are followed too (unoptimised code keeps everything in memory), each by
 * its offset; what is read back from there is never certain, since others may have written it.
 */
export interface Origins {
  readonly table: OriginTable;
  /** By operand number: the value that it reads or writes; `UNKNOWN` for everything else. */
  readonly ofOperand: Int32Array;
  /** By instruction: the address that a memory instruction works on, offset included; `UNKNOWN` for the others. */
  readonly ofAddress: Int32Array;
  /** Registers that are somewhere loaded from a slot of `__nvptx_uni`. */
  readonly uniLoads: ReadonlySet<number>;
}

export interface OriginSources {
  /** The number of the `.local` variable that a symbol operand names, or -1. */
  localObject(operand: number): number;
  /** What an operand that is no register says; a name also where it is declared further down, as GCC writes it. */
  nameOf(operand: number): string;
  /** What a load of the slot gives where it is not the caller's pointer, by instruction. */
  readonly slotLoads: ReadonlyMap<number, number>;
  /** 4 or 8. */
  readonly addressBytes: number;
}

export const stacksArray = '__nvptx_stacks';
export const uniArray = '__nvptx_uni';
/** Our own variation (soft-stack/): a stack for each thread of the block. */
export const lanesArray = '__lane_stacks';

/** The arrays of a soft stack by name. */
export const arrayNames = { stacks: stacksArray, uni: uniArray, lanes: lanesArray } as const;

const arrays: ReadonlyMap<string, keyof typeof arrayNames> = new Map([
  [stacksArray, 'stacks'],
  [uniArray, 'uni'],
  [lanesArray, 'lanes'],
]);

export function originsOf(
  f: Function,
  reaching: ReachingDefinitions,
  sources: OriginSources,
  table: OriginTable,
): Origins {
  const nodes = reaching.definition.length;
  const value = new Int32Array(nodes).fill(BOTTOM);
  const dependents = dependentsOf(f, reaching);
  const cells = new Map<string, { content: number; readonly loads: Set<number> }>();
  // instructions first, then nodes that are merges
  const isQueued = new Uint8Array(f.instructionCount + nodes);
  const queue: number[] = [];
  const enqueue = (item: number): void => {
    if (isQueued[item] === 1) return;
    isQueued[item] = 1;
    queue.push(item);
  };

  const operandValue = (k: number): number => {
    const place = f.operandPlace[k];
    if (place >= 0) {
      const node = reaching.nodeOfUse[k];
      return node < 0 ? UNKNOWN : value[node];
    }
    return fixedValue(f, k, sources, table);
  };
  const setNode = (node: number, fresh: number): void => {
    const joined = table.join(value[node], fresh);
    if (joined === value[node]) return;
    value[node] = joined;
    for (let d = dependents.start[node]; d < dependents.start[node + 1]; d++) enqueue(dependents.items[d]);
  };
  const cellOf = (key: string): { content: number; readonly loads: Set<number> } => {
    let cell = cells.get(key);
    if (cell === undefined) cells.set(key, (cell = { content: BOTTOM, loads: new Set() }));
    return cell;
  };
  const addressOf = (i: number): number => {
    let address = BOTTOM;
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++)
      if ((f.operandFlags[k] & OperandFlag.Address) !== 0)
        address = address === BOTTOM ? operandValue(k) : sum(table, address, operandValue(k));
    return address;
  };

  const store = (i: number, fact: OpcodeFact): void => {
    const address = table.of(addressOf(i));
    if (!isAddress(address) || address.offset === undefined) return;
    let { offset } = address;
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      if ((f.operandFlags[k] & (OperandFlag.Address | OperandFlag.Guard)) !== 0) continue;
      const stored = operandValue(k);
      if (isAddress(table.of(stored))) {
        const cell = cellOf(cellKey(address, offset));
        const joined = table.join(cell.content, stored);
        if (joined !== cell.content) {
          cell.content = joined;
          for (const load of cell.loads) enqueue(load);
        }
      }
      offset += fact.bytes;
    }
  };
  const load = (i: number, fact: OpcodeFact, element: number): number => {
    const address = table.of(addressOf(i));
    if (address?.kind === 'slot' && address.array !== 'uni') {
      const known = sources.slotLoads.get(i);
      return known ?? table.number({ kind: 'soft', offset: 0, allocation: -1, isCertain: true });
    }
    if (!isAddress(address) || address.offset === undefined || fact.bytes < 4) return UNKNOWN;
    const cell = cellOf(cellKey(address, address.offset + element * fact.bytes));
    cell.loads.add(i);
    return table.join(UNKNOWN, cell.content);
  };

  /** The one source of a move: `%r1`, or `x+8`; packing several registers gives no address. */
  const single = (from: number, to: number): number => {
    if (to - from === 1) return operandValue(from);
    const isOffset = to - from === 2 && f.operandPlace[from] === (NoRegister.Symbol as number);
    return isOffset ? sum(table, operandValue(from), operandValue(from + 1)) : UNKNOWN;
  };

  const result = (i: number, fact: OpcodeFact, from: number, to: number): number => {
    const a = (): number => (from < to ? operandValue(from) : UNKNOWN);
    const b = (): number => (from + 1 < to ? operandValue(from + 1) : UNKNOWN);
    switch (fact.transfer) {
      case Transfer.Copy:
        return narrowed(table, fact, sources.addressBytes, single(from, to));
      case Transfer.ToGeneric:
      case Transfer.FromGeneric:
        return converted(table, single(from, to), fact);
      case Transfer.Add:
        return restored(i, from, to) ?? sum(table, a(), b());
      case Transfer.Subtract:
        return lowered(i, a(), b());
      case Transfer.Multiply:
        return product(table, a(), b());
      case Transfer.MultiplyAdd:
        return sum(table, product(table, a(), b()), from + 2 < to ? operandValue(from + 2) : UNKNOWN);
      case Transfer.ShiftLeft: {
        const by = table.of(b());
        return by?.kind === 'constant' && by.value >= 0 && by.value < 32
          ? product(table, a(), table.constant(2 ** by.value))
          : UNKNOWN;
      }
      case Transfer.And:
        return masked(table, a(), b());
      case Transfer.Or:
        return united(table, a(), b());
      case Transfer.Select:
        return table.join(a(), b());
      case Transfer.Allocate:
        return table.number({
          kind: 'local',
          object: -1,
          offset: undefined,
          isGeneric: false,
          isCertain: true,
        });
      default:
        return UNKNOWN;
    }
  };
  /** A difference; a size that is not known, taken from a stack pointer, is an allocation. */
  const lowered = (i: number, a: number, b: number): number => {
    const origin = table.of(a);
    // how far two addresses lie apart is a number
    if (a !== BOTTOM && isAddress(table.of(b))) return UNKNOWN;
    if (origin?.kind !== 'soft' || b === BOTTOM || table.of(b)?.kind === 'constant')
      return sum(table, a, negated(table, b));
    return table.number({ ...origin, offset: undefined, allocation: i });
  };
  /** The pointer before an allocation, where its very size is added again. */
  const restored = (i: number, from: number, to: number): number | undefined => {
    if (to - from !== 2) return undefined;
    for (const [pointer, size] of [
      [from, from + 1],
      [from + 1, from],
    ]) {
      const origin = table.of(operandValue(pointer));
      if (origin?.kind !== 'soft' || origin.allocation < 0 || origin.allocation === i) continue;
      const first = f.operandStart[origin.allocation];
      const given = reaching.nodeOfUse[first + 2] ?? -1;
      if (given >= 0 && given === reaching.nodeOfUse[size]) return operandValue(first + 1);
    }
    return undefined;
  };

  const visit = (i: number): void => {
    const fact = opcodeFact(f.opcodes, f.opcode[i]);
    if (fact.isStore) return store(i, fact);
    const first = f.operandStart[i];
    let end = f.operandStart[i + 1];
    while (end > first && (f.operandFlags[end - 1] & OperandFlag.Guard) !== 0) end--;
    let definitions = first;
    while (definitions < end && (f.operandFlags[definitions] & OperandFlag.Definition) !== 0) definitions++;
    const isFollowed = definitions - first === 1;
    for (let k = first; k < f.operandStart[i + 1]; k++) {
      const node = reaching.nodeOfDefinition[k];
      if (node < 0) continue;
      const own =
        fact.transfer === Transfer.Load
          ? load(i, fact, k - first)
          : isFollowed && k === first
            ? result(i, fact, definitions, end)
            : UNKNOWN;
      setNode(node, joinInputs(reaching, value, table, node, own));
    }
  };

  for (let i = 0; i < f.instructionCount; i++) visit(i);
  for (let n = 0; n < nodes; n++) if (reaching.definition[n] < 0) enqueue(f.instructionCount + n);
  for (let k = 0; k < queue.length; k++) {
    const item = queue[k];
    isQueued[item] = 0;
    if (item < f.instructionCount) visit(item);
    else {
      const node = item - f.instructionCount;
      setNode(node, joinInputs(reaching, value, table, node, BOTTOM));
    }
  }

  const ofOperand = new Int32Array(f.operandStart[f.instructionCount]).fill(UNKNOWN);
  for (let k = 0; k < ofOperand.length; k++) {
    const node = reaching.nodeOfDefinition[k];
    ofOperand[k] = Math.max(UNKNOWN, node >= 0 ? value[node] : operandValue(k));
  }
  const ofAddress = new Int32Array(f.instructionCount).fill(UNKNOWN);
  for (let i = 0; i < f.instructionCount; i++) ofAddress[i] = Math.max(UNKNOWN, addressOf(i));
  const uniLoads = new Set<number>();
  for (let i = 0; i < f.instructionCount; i++) {
    const slot = table.of(ofAddress[i]);
    const k = f.operandStart[i];
    if (slot?.kind === 'slot' && slot.array === 'uni' && reaching.nodeOfDefinition[k] >= 0)
      uniLoads.add(f.operandPlace[k]);
  }
  return { table, ofOperand, ofAddress, uniLoads };
}

const cellKey = (address: { readonly kind: string; readonly object?: number }, offset: number): string =>
  `${address.kind}${address.object ?? ''}:${offset}`;

function joinInputs(
  reaching: ReachingDefinitions,
  value: Int32Array,
  table: OriginTable,
  node: number,
  own: number,
): number {
  let joined = own;
  for (let k = reaching.inputStart[node]; k < reaching.inputStart[node + 1]; k++)
    joined = table.join(joined, value[reaching.inputs[k]]);
  return joined;
}

/** What an operand that is no register stands for. */
function fixedValue(f: Function, k: number, sources: OriginSources, table: OriginTable): number {
  const text = sources.nameOf(k);
  switch (f.operandPlace[k] as NoRegister) {
    case NoRegister.Immediate:
      return /^-?\d+$/.test(text) ? table.constant(BigInt(text)) : UNKNOWN;
    case NoRegister.SpecialConstant:
      return table.number({ kind: 'index', register: text, scale: 1, offset: 0 });
    case NoRegister.Unknown:
    case NoRegister.Symbol: {
      const array = arrays.get(text);
      if (array !== undefined)
        return table.number({
          kind: 'slot',
          array,
          index: '',
          scale: 0,
          offset: 0,
          isGeneric: false,
        });
      const object = sources.localObject(k);
      if (object < 0) return UNKNOWN;
      return table.number({ kind: 'local', object, offset: 0, isGeneric: false, isCertain: true });
    }
    default:
      return UNKNOWN;
  }
}

/** An address in another form; taken for one of another space it is nothing that could be followed. */
function converted(table: OriginTable, a: number, { transfer, space }: OpcodeFact): number {
  const origin = table.of(a);
  const isGeneric = transfer === Transfer.ToGeneric;
  if (origin?.kind === 'local' && space === '.local') return table.number({ ...origin, isGeneric });
  if (origin?.kind === 'slot' && space === '.shared') return table.number({ ...origin, isGeneric });
  if (origin?.kind === 'soft' && space === '.global') return a;
  return a === BOTTOM ? BOTTOM : UNKNOWN;
}

/** A generic address of 64 bits does not fit 32; one in the local or shared window does. */
function narrowed(table: OriginTable, fact: OpcodeFact, addressBytes: number, a: number): number {
  const origin = table.of(a);
  if (!fact.isNarrow || addressBytes === 4 || !isAddress(origin)) return a;
  return origin.kind === 'local' && !origin.isGeneric ? a : UNKNOWN;
}

/** What must be visited again when the value of a node changes: instructions that read it, nodes that it flows into. */
function dependentsOf(
  f: Function,
  reaching: ReachingDefinitions,
): { readonly start: Int32Array; readonly items: Int32Array } {
  const nodes = reaching.definition.length;
  const instructionOf = new Int32Array(f.operandStart[f.instructionCount]);
  for (let i = 0; i < f.instructionCount; i++)
    instructionOf.fill(i, f.operandStart[i], f.operandStart[i + 1]);
  const start = new Int32Array(nodes + 1);
  const each = (visit: (node: number, item: number) => void): void => {
    for (let k = 0; k < instructionOf.length; k++)
      if (reaching.nodeOfUse[k] >= 0) visit(reaching.nodeOfUse[k], instructionOf[k]);
    for (let n = 0; n < nodes; n++) {
      const definition = reaching.definition[n];
      const item = definition < 0 ? f.instructionCount + n : instructionOf[definition];
      for (let k = reaching.inputStart[n]; k < reaching.inputStart[n + 1]; k++)
        visit(reaching.inputs[k], item);
    }
  };
  each((node) => start[node + 1]++);
  for (let n = 0; n < nodes; n++) start[n + 1] += start[n];
  const fill = start.slice(0, nodes);
  const items = new Int32Array(start[nodes]);
  each((node, item) => {
    items[fill[node]++] = item;
  });
  return { start, items };
}
