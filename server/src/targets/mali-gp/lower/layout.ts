/**
 * Puts the blocks in an order. The machine branches if a value is not 0 and otherwise goes on with the next word, so
 * a block whose successor comes next needs no branch, and a choice neither of whose ends comes next needs a block
 * more. A branch without a condition is one on the constant 1, which takes PASS and the uniform port of a word.
 */
import { Op } from '../operations.js';
import { exitsOf, flowOf, type Draft, type Exit } from './draft.js';
import { rebuild, type PlannedBlock } from './rebuild.js';

/** The draft with its blocks in order; the `no` of a choice comes next wherever one of its ends can. */
export function layOut(draft: Draft): Draft {
  const [entry] = draft.blocks;
  if (draft.blocks.length === 1 && entry.stores.every(({ to }) => to.kind !== 'register')) return draft;
  const order = orderOf(draft);
  const blocks = order.map((b, k): PlannedBlock => {
    const { exit } = draft.blocks[b];
    const isInverted = exit.kind === 'choice' && exit.yes === order[k + 1];
    return { parts: [b], exit, isInverted };
  });
  return rebuild(draft, { blocks });
}

function orderOf(draft: Draft): readonly number[] {
  const exits = exitsOf(draft);
  const cfg = flowOf(exits);
  const isPlaced = new Uint8Array(exits.length);
  const order: number[] = [];
  /** Whether all ways to a block but those of loops back to it have been placed. */
  const isReady = (b: number): boolean => {
    if (isPlaced[b] === 1) return false;
    for (let e = cfg.predecessorStart[b]; e < cfg.predecessorStart[b + 1]; e++) {
      const before = cfg.predecessors[e];
      if (cfg.orderOf[before] >= 0 && cfg.orderOf[before] < cfg.orderOf[b] && isPlaced[before] === 0)
        return false;
    }
    return true;
  };
  // blocks in text order wherever that is as good; the end of the program comes last
  const waiting = [...cfg.order].sort((a, b) => Number(isEnd(exits[a])) - Number(isEnd(exits[b])) || a - b);
  let first = 0;
  const ready = (): number => {
    while (first < waiting.length && isPlaced[waiting[first]] === 1) first++;
    for (let k = first; k < waiting.length; k++) if (isReady(waiting[k])) return waiting[k];
    return -1;
  };
  let at = 0;
  while (at >= 0) {
    isPlaced[at] = 1;
    order.push(at);
    at = following(draft, exits[at], (b) => isReady(b) && !isEnd(exits[b])) ?? ready();
  }
  return order;
}

const isEnd = (exit: Exit): boolean => exit.kind === 'end';

function following(draft: Draft, exit: Exit, isPossible: (block: number) => boolean): number | undefined {
  if (exit.kind === 'end') return undefined;
  if (exit.kind === 'jump') return isPossible(exit.to) ? exit.to : undefined;
  const { condition, yes, no } = exit;
  const isFreelyInverted = condition.kind === 'node' && turnsFreely(draft.nodes[condition.node].op);
  if (isPossible(no) && (!isFreelyInverted || no < yes || !isPossible(yes))) return no;
  return isPossible(yes) ? yes : undefined;
}

const turnsFreely = (op: Op): boolean => op === Op.Ge || op === Op.Lt;
