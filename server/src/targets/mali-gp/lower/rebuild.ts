/**
 * Makes all blocks of a draft anew, through the simplifying constructor: how every pass that has found out something
 * (a register that is always a constant, blocks that are always executed together) brings it to bear. Dead code
 * is left behind.
 */
import {
  negated,
  placeKey,
  type Draft,
  type DraftBlock,
  type DraftStore,
  type Exit,
  type Operand,
} from './draft.js';
import { conditionOf, inverseOf } from './conditions.js';
import { liveOf } from './live.js';
import { NodeMaker } from './make.js';

export interface PlannedBlock {
  /** Blocks of the old draft, executed one after the other; the exits of all but the last are forgotten. */
  readonly parts: readonly number[];
  /** By block of the old draft. */
  readonly exit: Exit;
  /** Of a choice: turn the condition round, so that the ends change places. */
  readonly isInverted?: boolean;
}

export interface Changes {
  /** The new blocks, the entry first; absent: the old ones. Exits count in old blocks, each the first of a new one. */
  readonly blocks?: readonly PlannedBlock[];
  /** What a register holds at the start of an old block, where something better than itself is known. */
  readonly registerAt?: (block: number, register: number) => Operand | undefined;
  /** What to read in place of an old node: something that is there at its block's start. */
  readonly nodeAs?: (node: number) => Operand | undefined;
}

export function rebuild(draft: Draft, { blocks, registerAt, nodeAs }: Changes = {}): Draft {
  const live = liveOf(draft);
  const maker = new NodeMaker();
  const planned = blocks ?? draft.blocks.map((block, b): PlannedBlock => ({ parts: [b], exit: block.exit }));
  const newNumber = new Map(planned.map(({ parts }, k) => [parts[0], k]));
  const renewed = new Array<Operand | undefined>(draft.nodes.length);

  const block = ({ parts, exit, isInverted }: PlannedBlock): DraftBlock => {
    maker.startBlock();
    const stores = new Map<string, DraftStore>();
    const current = new Map<number, Operand>();
    let at: (operand: Operand) => Operand = (operand) => operand;
    for (const part of parts) {
      const old = draft.blocks[part];
      const atStart = new Map(current);
      at = (operand) => {
        const value = valueAt(operand);
        return operand.negate ? negated(value) : value;
      };
      const valueAt = (operand: Operand): Operand => {
        if (operand.kind === 'node') return renewed[operand.node]!;
        const value: Operand = operand.negate ? negated(operand) : operand;
        if (value.kind !== 'register') return value;
        const stored = atStart.get(value.register);
        if (stored !== undefined) return stored;
        const known = registerAt?.(part, value.register);
        if (known === undefined || known.kind !== 'register') return known ?? value;
        const other = atStart.get(known.register);
        return other === undefined ? known : known.negate ? negated(other) : other;
      };
      for (const id of old.nodes) {
        if (live.nodes[id] === 0) continue;
        const instead = nodeAs?.(id);
        if (instead !== undefined) {
          renewed[id] = at(instead);
          continue;
        }
        const { op, inputs, instruction } = draft.nodes[id];
        renewed[id] = maker.make(op, inputs.map(at), instruction);
      }
      old.stores.forEach((store, k) => {
        if (live.stores[part][k] === 0) return;
        const value = at(store.value);
        const key = placeKey(store.to);
        stores.delete(key);
        stores.set(key, { ...store, value });
        if (store.to.kind === 'register') current.set(store.to.register, value);
      });
    }
    const made = newExit(exit, at, maker, newNumber);
    const end = isInverted === true ? turned(made, maker) : made;
    return {
      label: draft.blocks[parts[0]].label,
      nodes: maker.blockNodes,
      stores: [...stores.values()].filter(({ to, value }) => !keepsItself(to, value)),
      exit: end,
      sources: parts.flatMap((part) => draft.blocks[part].sources),
    };
  };

  return {
    ...draft,
    blocks: planned.map(block),
    nodes: maker.nodes,
    values: draft.values.map((value) => renewedValue(value, renewed)),
  };
}

function newExit(
  exit: Exit,
  at: (operand: Operand) => Operand,
  maker: NodeMaker,
  newNumber: ReadonlyMap<number, number>,
): Exit {
  const number = (old: number): number => newNumber.get(old)!;
  if (exit.kind === 'end') return exit;
  if (exit.kind === 'jump') return { ...exit, to: number(exit.to) };
  const { condition, isInverted } = conditionOf(maker, at(exit.condition), exit.instruction);
  const [yes, no] = isInverted ? [exit.no, exit.yes] : [exit.yes, exit.no];
  const ends = { yes: number(yes), no: number(no) };
  const isDecided = condition.kind === 'constant';
  if (isDecided || ends.yes === ends.no) {
    const isTaken = isDecided && condition.value !== 0;
    return { kind: 'jump', to: isTaken ? ends.yes : ends.no, instruction: exit.instruction };
  }
  return { ...exit, condition, ...ends };
}

function turned(exit: Exit, maker: NodeMaker): Exit {
  if (exit.kind !== 'choice') return exit;
  const condition = inverseOf(maker, exit.condition, exit.instruction);
  return { ...exit, condition, yes: exit.no, no: exit.yes };
}

function renewedValue(
  value: Operand | undefined,
  renewed: readonly (Operand | undefined)[],
): Operand | undefined {
  if (value?.kind !== 'node') return value;
  const now = renewed[value.node];
  return now !== undefined && value.negate ? negated(now) : now;
}

const keepsItself = (to: DraftStore['to'], value: Operand): boolean =>
  to.kind === 'register' && value.kind === 'register' && to.register === value.register && !value.negate;
