/**
 * Makes all blocks of a draft anew, through the simplifying constructor: how every pass that has found out something
 * (a register that is always a constant, blocks that are always executed together) brings it to bear. Dead code
 * is left behind.
 */
import type { StorePlace } from '../graph.js';
import { Op } from '../operations.js';
import { conditionOf, inverseOf, type Condition } from './conditions.js';
import {
  constantOperand,
  leafOperand,
  negated,
  placeKey,
  type Draft,
  type DraftBlock,
  type DraftStore,
  type Exit,
  type Operand,
} from './draft.js';
import { liveOf, type Live } from './live.js';
import { NodeMaker } from './make.js';

/** Two blocks, or one and none, of which one is executed; here both are, and selections keep what the one stores. */
export interface Arms {
  /** The old block whose choice decides. */
  readonly of: number;
  readonly yes: number | undefined;
  readonly no: number | undefined;
}

export interface PlannedBlock {
  /** Blocks of the old draft, executed one after the other; their own exits are forgotten. The first is no `Arms`. */
  readonly parts: readonly [number, ...(number | Arms)[]];
  /** In blocks of the old draft. */
  readonly exit: PlannedExit;
  /** The part whose choice the exit is; absent: the last one that is no `Arms`. */
  readonly exitOf?: number;
  /** Of a choice: turn the condition round, so that the ends change places. */
  readonly isInverted?: boolean;
}

export type PlannedExit =
  | Exit
  /** To `yes` if the choices of all blocks in `all` go to the `goal` beside them, else to `no`. */
  | { readonly kind: 'all'; readonly all: readonly Goal[]; readonly yes: number; readonly no: number };

export interface Goal {
  readonly block: number;
  /** Whether the goal is where the choice goes if its condition is not 0. */
  readonly isYes: boolean;
}

export interface Changes {
  /** The new blocks, the entry first; absent: the old ones. Exits count in old blocks, each the first of a new one. */
  readonly blocks?: readonly PlannedBlock[];
  /** What a register holds at the start of an old block, where something better than itself is known. */
  readonly registerAt?: (block: number, register: number) => Operand | undefined;
  /** What to read in place of an old node: something that is there at its block's start. */
  readonly nodeAs?: (node: number) => Operand | undefined;
}

export function rebuild(draft: Draft, changes: Changes = {}): Draft {
  const planned = changes.blocks ?? draft.blocks.map(({ exit }, b): PlannedBlock => ({ parts: [b], exit }));
  const rebuilder = new Rebuilder(draft, changes, new Map(planned.map(({ parts }, k) => [parts[0], k])));
  return { ...draft, ...rebuilder.rebuild(planned) };
}

/** By `placeKey`. */
type Stores = Map<string, DraftStore>;

class Rebuilder {
  private readonly maker = new NodeMaker();
  private readonly live: Live;
  /** By old node. */
  private readonly renewed: (Operand | undefined)[];
  /** By old block: what had been stored when it began, in its new block. */
  private readonly before = new Map<number, ReadonlyMap<string, DraftStore>>();

  constructor(
    private readonly draft: Draft,
    private readonly changes: Changes,
    private readonly newNumber: ReadonlyMap<number, number>,
  ) {
    this.live = liveOf(draft);
    this.renewed = new Array<Operand | undefined>(draft.nodes.length);
  }

  rebuild(planned: readonly PlannedBlock[]): Pick<Draft, 'blocks' | 'nodes' | 'values'> {
    const blocks = planned.map((block) => this.block(block));
    return { blocks, nodes: this.maker.nodes, values: this.draft.values.map((value) => this.renew(value)) };
  }

  private block({ parts, exit, exitOf, isInverted }: PlannedBlock): DraftBlock {
    const { draft, maker } = this;
    maker.startBlock();
    const stores: Stores = new Map();
    const sources: number[] = [];
    for (const part of parts) {
      if (typeof part === 'number') {
        for (const [key, store] of this.execute(part, stores)) put(stores, key, store);
        sources.push(...draft.blocks[part].sources);
        continue;
      }
      this.executeArms(part, stores);
      for (const arm of [part.yes, part.no])
        if (arm !== undefined) sources.push(...draft.blocks[arm].sources);
    }
    const last = parts.findLast((part) => typeof part === 'number')!;
    const made = this.exit(exit, exitOf ?? last);
    return {
      exit: isInverted === true ? this.turned(made) : made,
      label: draft.blocks[parts[0]].label,
      nodes: maker.blockNodes,
      stores: [...stores.values()].filter(({ to, value }) => !keepsItself(to, value)),
      sources,
    };
  }

  /** Makes a block's nodes; what it stores. */
  private execute(b: number, before: Stores): Stores {
    const { draft, live, renewed, maker } = this;
    this.before.set(b, new Map(before));
    for (const id of draft.blocks[b].nodes) {
      if (live.nodes[id] === 0) continue;
      const instead = this.changes.nodeAs?.(id);
      if (instead !== undefined) {
        renewed[id] = this.at(b, instead);
        continue;
      }
      const { op, inputs, instruction } = draft.nodes[id];
      const operands = inputs.map((input) => this.at(b, input));
      renewed[id] = maker.make(op, operands, instruction);
    }
    const stores: Stores = new Map();
    draft.blocks[b].stores.forEach((store, k) => {
      if (live.stores[b][k] === 1)
        stores.set(placeKey(store.to), { ...store, value: this.at(b, store.value) });
    });
    return stores;
  }

  private executeArm(b: number | undefined, before: Stores): Stores {
    return b === undefined ? new Map<string, DraftStore>() : this.execute(b, before);
  }

  private executeArms({ of, yes, no }: Arms, stores: Stores): void {
    const { condition, isInverted, instruction } = this.conditionAt(of);
    const before = new Map(stores);
    const whenYes = this.executeArm(yes, before);
    const whenNo = this.executeArm(no, before);
    for (const key of new Set([...whenYes.keys(), ...whenNo.keys()])) {
      const store = (whenYes.get(key) ?? whenNo.get(key))!;
      const old = before.get(key)?.value ?? this.atStart(of, store.to);
      const [a, b] = [whenYes.get(key)?.value ?? old, whenNo.get(key)?.value ?? old];
      const inputs = isInverted ? [condition, b, a] : [condition, a, b];
      put(stores, key, { ...store, value: this.maker.make(Op.Select, inputs, instruction) });
    }
  }

  /** What a place holds at the start of an old block; only of registers that is known. */
  private atStart(b: number, to: StorePlace): Operand {
    if (to.kind !== 'register') return constantOperand(0);
    return this.changes.registerAt?.(b, to.register) ?? leafOperand({ ...to, stored: false });
  }

  /** What an operand of an old block is now. */
  private at(b: number, operand: Operand): Operand {
    const value = this.valueAt(b, operand);
    return operand.negate ? negated(value) : value;
  }

  private valueAt(b: number, operand: Operand): Operand {
    if (operand.kind === 'node') return this.renewed[operand.node]!;
    const value = operand.negate ? negated(operand) : operand;
    if (value.kind !== 'register') return value;
    const before = this.before.get(b);
    const stored = before?.get(placeKey(value))?.value;
    if (stored !== undefined) return stored;
    const known = this.changes.registerAt?.(b, value.register);
    if (known === undefined || known.kind !== 'register') return known ?? value;
    const other = before?.get(placeKey(known))?.value;
    return other === undefined ? known : known.negate ? negated(other) : other;
  }

  /** `source` is the old block that the condition belongs to. */
  private exit(exit: PlannedExit, source: number): Exit {
    switch (exit.kind) {
      case 'end':
        return exit;
      case 'jump':
        return { ...exit, to: this.newNumber.get(exit.to)! };
      case 'all':
        return this.joined(exit);
      case 'choice':
        return this.decided(this.conditionAt(source), exit);
    }
  }

  private conditionAt(b: number): Condition & { readonly instruction: number } {
    const { exit } = this.draft.blocks[b];
    if (exit.kind !== 'choice') return { condition: constantOperand(0), isInverted: false, instruction: -1 };
    const { instruction } = exit;
    return { ...conditionOf(this.maker, this.at(b, exit.condition), instruction), instruction };
  }

  private decided({ condition, isInverted }: Condition, exit: Exit & { readonly kind: 'choice' }): Exit {
    const [a, b] = [this.newNumber.get(exit.yes)!, this.newNumber.get(exit.no)!];
    const [yes, no] = isInverted ? [b, a] : [a, b];
    if (condition.kind !== 'constant' && yes !== no) return { ...exit, condition, yes, no };
    const isTaken = condition.kind === 'constant' && condition.value !== 0;
    return { kind: 'jump', to: isTaken ? yes : no, instruction: exit.instruction };
  }

  /** Several choices as one: all conditions hold, or the opposite of any does. */
  private joined({ all, yes, no }: PlannedExit & { readonly kind: 'all' }): Exit {
    const { maker } = this;
    const conditions = all.map(({ block, isYes }) => {
      const found = this.conditionAt(block);
      return { ...found, holds: found.isInverted !== isYes };
    });
    const { instruction } = conditions[conditions.length - 1];
    const turns = conditions.filter(({ holds }) => !holds).length;
    const asAll = 2 * turns <= conditions.length;
    const operands = conditions.map(({ condition, holds }) =>
      holds === asAll ? condition : inverseOf(maker, condition, instruction),
    );
    const condition = operands.reduce((a, b) => bothOrEither(maker, a, b, asAll, instruction));
    const choice = { kind: 'choice', condition, yes, no, instruction, otherwise: -1 } as const;
    const simpler = conditionOf(maker, condition, instruction);
    return this.decided(asAll ? simpler : { ...simpler, isInverted: !simpler.isInverted }, choice);
  }

  private turned(exit: Exit): Exit {
    if (exit.kind !== 'choice') return exit;
    const condition = inverseOf(this.maker, exit.condition, exit.instruction);
    return { ...exit, condition, yes: exit.no, no: exit.yes };
  }

  private renew(value: Operand | undefined): Operand | undefined {
    if (value?.kind !== 'node') return value;
    const now = this.renewed[value.node];
    return now !== undefined && value.negate ? negated(now) : now;
  }
}

/** Of values that are never negative the smaller is not 0 if both are not, and the greater if either is not. */
function bothOrEither(
  maker: NodeMaker,
  a: Operand,
  b: Operand,
  isBoth: boolean,
  instruction: number,
): Operand {
  if (maker.range(a).low >= 0 && maker.range(b).low >= 0)
    return maker.make(isBoth ? Op.Min : Op.Max, [a, b], instruction);
  return maker.make(Op.Select, isBoth ? [a, b, constantOperand(0)] : [a, constantOperand(1), b], instruction);
}

const put = (stores: Stores, key: string, store: DraftStore): void => {
  stores.delete(key);
  stores.set(key, store);
};

const keepsItself = (to: StorePlace, value: Operand): boolean =>
  to.kind === 'register' && value.kind === 'register' && to.register === value.register && !value.negate;
