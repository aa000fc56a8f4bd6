/**
 * Reads tables of uniforms (tables.ts) through the address registers. What they add to the address of the uniform port
 * is in force 4 words after it was set, and in later blocks, so the block is divided: the first part computes the
 * addresses and whatever has nothing to do with the tables, the second reads the tables. A table whose index comes from
 * another table waits for the next division, that of the second part. A block cannot set the address registers that it
 * reads itself, because its words have no order yet: it takes others, or, if it reads all of them, a third block between
 * the two sets them and does nothing else. So what an address register holds is read in the parts that follow the one
 * that sets it, never beyond.
 */
import type { AddressRegister, Node, Register } from '../graph.js';
import { Op } from '../operations.js';
import {
  constantOperand,
  exitsOf,
  leafOperand,
  negated,
  nodeOperand,
  positive,
  predecessorsOf,
  valueKey,
  type Draft,
  type DraftBlock,
  type DraftStore,
  type Exit,
  type Operand,
} from './draft.js';
import { estimatedProgram } from './estimate.js';
import { rangesOf, type Ranges } from './ranges.js';
import { rebuild, type PlannedBlock } from './rebuild.js';
import { selectUniforms } from './select-arms.js';
import { tablesOf, type Addressing, type Table } from './tables.js';

const ADDRESS_REGISTERS: readonly AddressRegister[] = [1, 2, 3];
/** Selections that a table must save to be worth an address. */
const LEAST_SELECTIONS = 8;
const ROUNDS = 64;

/** The draft with its tables read by address where the estimate says that this is shorter. */
export function indexUniforms(draft: Draft): Draft {
  let next = selectUniforms(draft);
  let isChanged = false;
  for (let round = 0; round < ROUNDS; round++) {
    const divided = divideOne(next);
    if (divided === undefined) break;
    isChanged = true;
    next = rebuild(divided);
  }
  return isChanged && estimatedProgram(next) < estimatedProgram(draft) ? next : draft;
}

interface Group {
  readonly register: AddressRegister;
  readonly addressing: Addressing;
  readonly tables: readonly Table[];
}

/** A value that the second part reads from a register. */
interface Carried {
  readonly value: Operand;
  readonly register: number;
}

function divideOne(draft: Draft): Draft | undefined {
  const ranges = rangesOf(draft);
  for (let b = 0; b < draft.blocks.length; b++) {
    if (setsAddresses(draft.blocks[b])) continue;
    const groups = groupsOf(draft, draft.blocks[b], ranges);
    if (groups.length > 0) return joinedWithHead(new Divider(draft, b, groups).divide(), b);
  }
  return undefined;
}

/** Lets the only predecessor of block b set its addresses, if it is a choice: words that are there already. */
function joinedWithHead(draft: Draft, b: number): Draft {
  const { exit } = draft.blocks[b];
  const [head, ...others] = predecessorsOf(exitsOf(draft))[b];
  if (!setsAddresses(draft.blocks[b]) || exit.kind !== 'jump') return draft;
  if (head === undefined || others.length > 0) return draft;
  const before = draft.blocks[head];
  if (before.exit.kind !== 'choice' || setsAddresses(before) || readsAddresses(draft, before)) return draft;
  const past = (to: number): number => (to === b ? exit.to : to);
  const joined: PlannedBlock = {
    parts: [head, b],
    exit: { ...before.exit, yes: past(before.exit.yes), no: past(before.exit.no) },
    exitOf: head,
  };
  const blocks = draft.blocks.flatMap((block, at): PlannedBlock[] =>
    at === b ? [] : [at === head ? joined : { parts: [at], exit: block.exit }],
  );
  return rebuild(draft, { blocks });
}

const setsAddresses = ({ stores }: DraftBlock): boolean => stores.some(({ to }) => to.kind === 'address');

const readsAddresses = (draft: Draft, block: DraftBlock): boolean => addressesRead(draft, block).size > 0;

function addressesRead({ nodes }: Draft, block: DraftBlock): ReadonlySet<AddressRegister> {
  const read = new Set<AddressRegister>();
  const note = (value: Operand): void => {
    if (value.kind === 'uniform' && value.address !== undefined) read.add(value.address);
  };
  for (const id of block.nodes) nodes[id].inputs.forEach(note);
  for (const { value } of block.stores) note(value);
  exitValues(block.exit).forEach(note);
  return read;
}

/** Address registers that a division may set in the block itself; none: a block in between sets them. */
function freeAddresses(draft: Draft, block: DraftBlock): readonly AddressRegister[] {
  const read = addressesRead(draft, block);
  return ADDRESS_REGISTERS.filter((register) => !read.has(register));
}

function groupsOf(draft: Draft, block: DraftBlock, ranges: Ranges): readonly Group[] {
  const byKey = new Map<string, Table[]>();
  for (const table of tablesOf(draft, block, ranges)) {
    const group = byKey.get(table.key);
    if (group === undefined) byKey.set(table.key, [table]);
    else group.push(table);
  }
  const worthwhile = [...byKey.values()].filter((tables) => selectionsOf(draft, tables) >= LEAST_SELECTIONS);
  const waits = dependentOn(draft, block, new Set(worthwhile.flat().map(({ root }) => root)));
  const free = freeAddresses(draft, block);
  const registers = free.length > 0 ? free : ADDRESS_REGISTERS;
  return worthwhile
    .filter(([{ addressing }]) => !waits(addressing.index))
    .sort((x, y) => x[0].root - y[0].root)
    .slice(0, registers.length)
    .map((tables, k) => ({ register: registers[k], addressing: tables[0].addressing, tables }));
}

/** Whether a value of the block is one of the nodes, or is computed from one. */
function dependentOn(
  { nodes }: Draft,
  block: DraftBlock,
  roots: ReadonlySet<number>,
): (value: Operand) => boolean {
  const dependent = new Set(roots);
  const isDependent = (value: Operand): boolean => value.kind === 'node' && dependent.has(value.node);
  for (const id of block.nodes) if (nodes[id].inputs.some(isDependent)) dependent.add(id);
  return isDependent;
}

function selectionsOf({ nodes }: Draft, tables: readonly Table[]): number {
  const seen = new Set(tables.map(({ root }) => root));
  for (const id of seen)
    for (const data of nodes[id].inputs.slice(1)) if (data.kind === 'node') seen.add(data.node);
  return seen.size;
}

class Divider {
  private readonly nodes: Node[];
  private readonly registers: Register[];
  private readonly block: DraftBlock;
  /** By root of a table, what is read instead. */
  private readonly entries = new Map<number, Operand>();
  /** By node, a value of the source that it computes. */
  private readonly valueOfNode: ReadonlyMap<number, number>;
  /** Nodes that read tables, directly or not. */
  private readonly dependent = new Set<number>();

  constructor(
    private readonly draft: Draft,
    private readonly b: number,
    private readonly groups: readonly Group[],
  ) {
    this.nodes = [...draft.nodes];
    this.registers = [...draft.registers];
    this.block = draft.blocks[b];
    this.valueOfNode = new Map(
      draft.values.flatMap((value, v) => (value?.kind === 'node' ? [[value.node, v] as const] : [])),
    );
    for (const { register, tables } of groups)
      for (const { root, vector, component } of tables)
        this.entries.set(root, leafOperand({ kind: 'uniform', vector, component, address: register }));
    for (const id of this.block.nodes)
      if (!this.entries.has(id) && draft.nodes[id].inputs.some((input) => this.reads(input)))
        this.dependent.add(id);
  }

  divide(): Draft {
    const { block, draft, b } = this;
    const addresses = this.groups.map(({ addressing }) => addressing.index);
    const all = this.needed([...block.stores.map(({ value }) => value), ...exitValues(block.exit)]);
    const isBusy = freeAddresses(draft, block).length === 0;
    const forAddresses = this.needed(addresses);
    const late = this.needed(block.stores.map(({ value }) => value).filter((value) => this.reads(value)));
    for (const id of forAddresses) late.delete(id);
    const early = block.stores.filter((store) => this.isEarly(store, isBusy ? new Set() : late));
    const first = new Set([...forAddresses, ...this.needed(early.map(({ value }) => value))]);
    if (isBusy) for (const id of all) if (!this.dependent.has(id)) first.add(id);

    const carried = new Map<string, Carried>();
    const carry = (operand: Operand): Operand => {
      const value = this.inSecond(positive(operand), first, isBusy, carried);
      return operand.negate ? negated(value) : value;
    };
    const others = block.stores.filter((store) => !early.includes(store));
    const secondNodes = block.nodes.filter((id) => all.has(id) && !first.has(id));
    for (const id of secondNodes) {
      const node = this.nodes[id];
      this.nodes[id] = { ...node, inputs: node.inputs.map(carry) };
    }
    const second: DraftBlock = {
      label: '',
      nodes: secondNodes,
      stores: others.map((store) => ({ ...store, value: carry(store.value) })),
      exit:
        block.exit.kind === 'choice' ? { ...block.exit, condition: carry(block.exit.condition) } : block.exit,
      sources: block.sources,
    };

    const firstNodes = block.nodes.filter((id) => first.has(id));
    const settings = this.groups.map(({ register, addressing }): DraftStore => {
      const value = this.address(addressing, firstNodes);
      const instruction = this.instructionOf(addressing.index);
      return { to: { kind: 'address', vector: register, component: 0 }, value, instruction };
    });
    const end = draft.blocks.length;
    const blocks = [...draft.blocks];
    const jump = (to: number): Exit => ({ kind: 'jump', to, instruction: -1 });
    const part = (nodes: readonly number[], stores: readonly DraftStore[], to: number): DraftBlock => ({
      label: nodes === firstNodes ? block.label : '',
      nodes,
      stores,
      exit: jump(to),
      sources: block.sources,
    });
    const stores = [...early];
    for (const { value, register } of carried.values())
      stores.push(this.crossing(value, register, this.instructionOf(value)));
    if (!isBusy) {
      blocks[b] = part(firstNodes, [...stores, ...settings], end);
      blocks.push(second);
    } else {
      const held = settings.map((setting): DraftStore => {
        const register = this.addRegister(-1, 'index');
        stores.push(this.crossing(setting.value, register, setting.instruction));
        return { ...setting, value: leafOperand({ kind: 'register', register, stored: false }) };
      });
      blocks[b] = part(firstNodes, stores, end);
      blocks.push(part([], held, end + 1), second);
    }
    return { ...draft, blocks, nodes: this.nodes, registers: this.registers };
  }

  private reads(operand: Operand): boolean {
    return operand.kind === 'node' && (this.entries.has(operand.node) || this.dependent.has(operand.node));
  }

  /** Nodes that lead to values, tables being leaves. */
  private needed(values: readonly Operand[]): Set<number> {
    const found = new Set<number>();
    const work = [...values];
    for (let value = work.pop(); value !== undefined; value = work.pop()) {
      if (value.kind !== 'node' || this.entries.has(value.node) || found.has(value.node)) continue;
      found.add(value.node);
      work.push(...this.draft.nodes[value.node].inputs);
    }
    return found;
  }

  /** Whether a varying is stored in the first part: it reads no table, nor anything that must be computed later. */
  private isEarly({ to, value }: DraftStore, late: ReadonlySet<number>): boolean {
    if (to.kind !== 'varying' || this.reads(value)) return false;
    for (const id of this.needed([value])) if (late.has(id)) return false;
    return true;
  }

  /** What the second part reads for a value of the block. */
  private inSecond(
    value: Operand,
    first: ReadonlySet<number>,
    isBusy: boolean,
    carried: Map<string, Carried>,
  ): Operand {
    if (value.kind === 'node') {
      const entry = this.entries.get(value.node);
      if (entry !== undefined) return entry;
      return first.has(value.node) ? this.carrier(value, carried) : value;
    }
    // what is in the address register is another table's by then
    const isLost = isBusy && value.kind === 'uniform' && value.address !== undefined;
    return isLost ? this.carrier(value, carried) : value;
  }

  private carrier(value: Operand, carried: Map<string, Carried>): Operand {
    const key = valueKey(value);
    let register = carried.get(key)?.register;
    if (register === undefined) {
      const virtual = (value.kind === 'node' ? this.valueOfNode.get(value.node) : undefined) ?? -1;
      const name = virtual < 0 ? '%' : this.draft.valueNames[virtual];
      carried.set(key, { value, register: (register = this.addRegister(virtual, name)) });
    }
    return leafOperand({ kind: 'register', register, stored: false });
  }

  private addRegister(virtual: number, name: string): number {
    this.registers.push({ name, virtual, fixed: -1, isLiveIn: false, isLiveOut: false });
    return this.registers.length - 1;
  }

  private crossing(value: Operand, register: number, instruction: number): DraftStore {
    return { to: { kind: 'register', register }, value, instruction, inserted: 'crossesBlocks' };
  }

  private instructionOf(operand: Operand): number {
    return operand.kind === 'node'
      ? this.draft.nodes[operand.node].instruction
      : this.block.nodes.length > 0
        ? this.draft.nodes[this.block.nodes[0]].instruction
        : -1;
  }

  /** Vectors from the first entry to that of the index, as new nodes of the first part. */
  private address(addressing: Addressing, into: number[]): Operand {
    const { index, first, last, stride, before, after, fraction } = addressing;
    const instruction = this.instructionOf(index);
    const make = (op: Op, ...inputs: Operand[]): Operand => {
      const id = this.nodes.length;
      this.nodes.push({ id, op, inputs, instruction });
      into.push(id);
      return nodeOperand(id);
    };
    // the shortest chain: the index is clamped and scaled while it is compared
    const zero = constantOperand(0);
    const end = last - first;
    const whole = fraction === undefined ? index : make(Op.Floor, index);
    const position = first === 0 ? whole : make(Op.Add, whole, constantOperand(-first));
    let clamped = before === 0 ? make(Op.Max, position, zero) : position;
    if (after === stride * end) clamped = make(Op.Min, clamped, constantOperand(end));
    let address = stride === 1 ? clamped : make(Op.Mul, clamped, constantOperand(stride));
    const unless = (isInside: Operand, otherwise: number): void => {
      address = make(Op.Select, isInside, address, constantOperand(otherwise));
    };
    if (after !== stride * end) unless(make(Op.Ge, constantOperand(end), clamped), after);
    if (before !== 0) unless(make(Op.Ge, position, zero), before);
    if (typeof fraction === 'number') unless(make(Op.Ge, whole, index), fraction);
    return address;
  }
}

const exitValues = (exit: Exit): readonly Operand[] => (exit.kind === 'choice' ? [exit.condition] : []);
