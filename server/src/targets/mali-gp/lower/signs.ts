/**
 * Gives every value of a draft the sign that its readers can use, and so makes the `Program`.
 *
 * An adder negates its operands and a multiplier its result, but a store, a special function and the data of a `select`
 * take a value as it is. Products, sums, minima and maxima can just as well be computed with the opposite sign, and a
 * `select` if its data can. So, from the readers to what they read, each of these is computed with the sign that those
 * readers ask for which cannot negate; only where both signs are asked for, or where the operation has none to choose,
 * a `neg` is needed. Of leaves, constants change their sign for nothing.
 */
import type { Block, Fate, Input, Leaf, Node, Program, Value } from '../graph.js';
import { Op, operations } from '../operations.js';
import { valueKey, type Draft, type DraftBlock, type Operand } from './draft.js';

const opposite: Readonly<Partial<Record<Op, Op>>> = {
  [Op.Mul]: Op.Mul,
  [Op.Add]: Op.Add,
  [Op.Sign]: Op.Sign,
  [Op.Min]: Op.Max,
  [Op.Max]: Op.Min,
  [Op.Select]: Op.Select,
};

/** The program of a draft whose blocks are in order (layout.ts). */
export function settleSigns(draft: Draft): Program {
  const settler = new Settler(draft);
  const number = numbersInProgram(draft);
  const blocks = draft.blocks.flatMap((block, b) => settler.block(block, b + 1, number));
  const isEndWanted = blocks.some(({ branch }) => branch !== undefined && branch.target >= blocks.length);
  if (isEndWanted) blocks.push({ label: '', nodes: [], stores: [], sources: [] });
  const read = registersRead(blocks, settler.nodes);
  return {
    name: draft.name,
    blocks,
    nodes: settler.nodes,
    registers: draft.registers,
    uniforms: draft.uniforms,
    fates: draft.values.map((value, register): Fate => {
      const gone: Fate = { kind: draft.isNeeded[register] === 1 ? 'folded' : 'dead' };
      if (value === undefined || (value.kind === 'register' && !read.has(value.register))) return gone;
      return settler.fate(value) ?? gone;
    }),
  };
}

function registersRead(blocks: readonly Block[], nodes: readonly Node[]): ReadonlySet<number> {
  const values: Value[] = nodes.flatMap(({ inputs }) => inputs);
  for (const { stores, branch } of blocks) {
    for (const { value } of stores) values.push(value);
    if (branch?.condition !== undefined) values.push(branch.condition);
  }
  return new Set(values.flatMap((value) => (value.kind === 'register' ? [value.register] : [])));
}

/** Where each block begins, counted with the blocks that hold a second branch; one more for the end. */
function numbersInProgram({ blocks }: Draft): readonly number[] {
  let next = 0;
  const numbers = blocks.map(({ exit }, b) => {
    const number = next;
    next += exit.kind === 'choice' && exit.no !== b + 1 ? 2 : 1;
    return number;
  });
  return [...numbers, next];
}

class Settler {
  readonly nodes: Node[] = [];
  /** By node of the draft: 1 where it is computed with the opposite sign. */
  private readonly isOpposite: Uint8Array;
  /** By node of the draft: readers that cannot negate and want it as it is, and negated. */
  private readonly plain: Int32Array;
  private readonly turned: Int32Array;
  /** By node of the draft: its new number, and that of a `neg` of it, or -1. */
  private readonly number: Int32Array;
  private readonly negation: Int32Array;
  private order: number[] = [];
  private leafNegations = new Map<string, number>();

  constructor(private readonly draft: Draft) {
    const count = draft.nodes.length;
    this.isOpposite = new Uint8Array(count);
    this.plain = new Int32Array(count);
    this.turned = new Int32Array(count);
    this.number = new Int32Array(count).fill(-1);
    this.negation = new Int32Array(count).fill(-1);
  }

  /** The block, and one that holds its second branch where it needs two. */
  block(block: DraftBlock, next: number, number: readonly number[]): Block[] {
    const live = this.choose(block);
    this.order = [];
    this.leafNegations = new Map();
    for (const id of live) this.emit(id);
    const stores = block.stores.map((store) => ({
      ...store,
      value: this.exact(store.value, store.instruction),
    }));
    const made: Block = {
      label: block.label,
      nodes: this.order,
      stores,
      sources: block.sources,
    };
    const { exit } = block;
    switch (exit.kind) {
      case 'end': {
        const end = number.length - 1;
        return [next === end ? made : { ...made, branch: { target: number[end], instruction: -1 } }];
      }
      case 'jump': {
        if (exit.to === next) return [made];
        return [{ ...made, branch: { target: number[exit.to], instruction: exit.instruction } }];
      }
      case 'choice': {
        const condition = this.unsigned(exit.condition);
        const branch = { condition, target: number[exit.yes], instruction: exit.instruction };
        const choice = { ...made, branch };
        if (exit.no === next) return [choice];
        const second = { target: number[exit.no], instruction: exit.otherwise };
        return [choice, { label: '', nodes: [], stores: [], branch: second, sources: [] }];
      }
    }
  }

  /** Where the value of an operand is to be found, if it is. */
  fate(value: Operand): Fate | undefined {
    if (value.kind === 'constant') return { kind: 'leaf', leaf: signedConstant(value) };
    if (value.kind !== 'node') return value.negate ? undefined : { kind: 'leaf', leaf: plainLeaf(value) };
    if (this.number[value.node] < 0) return undefined;
    const node = this.needsNegation(value) ? this.negation[value.node] : this.number[value.node];
    return node < 0 ? undefined : { kind: 'node', node };
  }

  /** Decides on the signs of a block's nodes; the ones that somebody reads, each before its readers. */
  private choose(block: DraftBlock): readonly number[] {
    const { nodes } = this.draft;
    const isLive = new Set<number>();
    const wanted = (operand: Operand): void => {
      if (operand.kind === 'node') isLive.add(operand.node);
    };
    for (const { value } of block.stores) {
      wanted(value);
      this.demand(value, false);
    }
    if (block.exit.kind === 'choice') wanted(block.exit.condition);
    const live: number[] = [];
    for (let k = block.nodes.length - 1; k >= 0; k--) {
      const id = block.nodes[k];
      if (!isLive.has(id)) continue;
      live.push(id);
      const node = nodes[id];
      node.inputs.forEach(wanted);
      if (this.prefersOpposite(node)) this.isOpposite[id] = 1;
      node.inputs.forEach((input, n) => {
        if (isExact(node.op, n)) this.demand(input, node.op === Op.Select && this.isOpposite[id] === 1);
      });
    }
    return live.reverse();
  }

  private demand(operand: Operand, isTurned: boolean): void {
    if (operand.kind !== 'node') return;
    if (operand.negate !== isTurned) this.turned[operand.node]++;
    else this.plain[operand.node]++;
  }

  private prefersOpposite(node: Node): boolean {
    if (opposite[node.op] === undefined) return false;
    const [plain, turned] = [this.plain[node.id], this.turned[node.id]];
    // both adders of a word have one opcode, so all minima become maxima that can
    if (node.op === Op.Min || node.op === Op.Max)
      return plain === 0 && turned === 0 ? node.op === Op.Min : plain === 0;
    if (node.op !== Op.Select) return turned > 0 && plain === 0;
    const cost = (isTurned: boolean): number =>
      Number((isTurned ? plain : turned) > 0) +
      this.costOf(node.inputs[1], isTurned) +
      this.costOf(node.inputs[2], isTurned);
    return cost(true) < cost(false);
  }

  /** Negations that one more reader costs which wants this operand, or its opposite, and cannot negate. */
  private costOf(operand: Operand, isTurned: boolean): number {
    const negate = operand.negate !== isTurned;
    if (operand.kind !== 'node') return operand.kind !== 'constant' && negate ? 1 : 0;
    const { op } = this.draft.nodes[operand.node];
    const [same, other] = negate
      ? [this.turned[operand.node], this.plain[operand.node]]
      : [this.plain[operand.node], this.turned[operand.node]];
    if (same > 0) return 0;
    if (opposite[op] === undefined) return negate ? 1 : 0;
    return other > 0 ? 1 : 0;
  }

  private emit(id: number): void {
    const { op, inputs, instruction } = this.draft.nodes[id];
    const turn = this.isOpposite[id] === 1;
    this.number[id] = this.add(
      turn ? opposite[op]! : op,
      this.inputsOf(op, inputs, turn, instruction),
      instruction,
    );
    if (this.isOpposite[id] === 1 ? this.plain[id] > 0 : this.turned[id] > 0)
      this.negation[id] = this.add(
        Op.Neg,
        [{ kind: 'node', node: this.number[id], negate: false }],
        instruction,
      );
  }

  private inputsOf(op: Op, inputs: readonly Operand[], turn: boolean, instruction: number): Input[] {
    if (op === Op.Mul) {
      const [a, b] = inputs.map((input) => this.signed(input));
      const sign = (a.negate !== b.negate) !== turn;
      return [
        { ...a, negate: sign },
        { ...b, negate: false },
      ];
    }
    return inputs.map((input, n) => {
      if (op === Op.Select && n === 0) return { ...this.unsigned(input), negate: false };
      const wanted = turn ? { ...input, negate: !input.negate } : input;
      if (isExact(op, n)) return { ...this.exact(wanted, instruction), negate: false };
      return this.signed(wanted);
    });
  }

  private add(op: Op, inputs: readonly Input[], instruction: number): number {
    const id = this.nodes.length;
    this.nodes.push({ id, op, inputs, instruction });
    this.order.push(id);
    return id;
  }

  private needsNegation(operand: Operand & { readonly kind: 'node' }): boolean {
    return operand.negate !== (this.isOpposite[operand.node] === 1);
  }

  /** For a reader that can negate. */
  private signed(operand: Operand): Input {
    if (operand.kind !== 'node') return operand;
    const negate = this.needsNegation(operand);
    return { kind: 'node', node: this.number[operand.node], negate };
  }

  /** For a reader that asks only whether it is 0. */
  private unsigned(operand: Operand): Value {
    return operand.kind === 'node' ? { kind: 'node', node: this.number[operand.node] } : plainLeaf(operand);
  }

  /** For a reader that cannot negate. */
  private exact(operand: Operand, instruction: number): Value {
    if (operand.kind === 'constant') return signedConstant(operand);
    if (operand.kind !== 'node')
      return operand.negate ? this.negatedLeaf(operand, instruction) : plainLeaf(operand);
    const isNegated = this.needsNegation(operand);
    return { kind: 'node', node: isNegated ? this.negation[operand.node] : this.number[operand.node] };
  }

  private negatedLeaf(operand: Operand & Leaf, instruction: number): Value {
    const key = valueKey(operand);
    const node =
      this.leafNegations.get(key) ?? this.add(Op.Neg, [{ ...operand, negate: false }], instruction);
    this.leafNegations.set(key, node);
    return { kind: 'node', node };
  }
}

/** Whether input `n` of `op` must come with the right sign. */
const isExact = (op: Op, n: number): boolean =>
  op === Op.Select ? n > 0 : ((operations[op].negates >> n) & 1) === 0;

function signedConstant(operand: Operand & { readonly kind: 'constant' }): Leaf {
  return { kind: 'constant', value: operand.negate ? -operand.value : operand.value };
}

function plainLeaf(operand: Operand & Leaf): Leaf {
  switch (operand.kind) {
    case 'constant':
      return { kind: 'constant', value: operand.value };
    case 'register':
      return { kind: 'register', register: operand.register, stored: operand.stored };
    case 'temporary': {
      const { kind, vector, component, stored } = operand;
      return { kind, vector, component, stored };
    }
    case 'uniform': {
      const { kind, vector, component, address } = operand;
      return { kind, vector, component, ...(address && { address }) };
    }
    case 'attribute':
      return { kind: 'attribute', vector: operand.vector, component: operand.component };
  }
}
