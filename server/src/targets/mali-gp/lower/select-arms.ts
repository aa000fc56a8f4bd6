/**
 * Turns small branches into selections. At a block's start nothing is in flight: registers are read at least three
 * words after they were stored, and none is stored in a block's last two words, so that a branch around a few
 * operations costs more than the operations, which then fill slots that idle. Both arms are executed, and a `select`
 * (both multipliers of a word) keeps what the right one stores.
 *
 * Done where, by estimate, the program gets no longer, nor the longest way through this part of it.
 */
import { Op, operations, Place } from '../operations.js';
import { simplifyControl } from './control.js';
import {
  predecessorsOf,
  exitsOf,
  flowOf,
  placeKey,
  type Draft,
  type DraftBlock,
  type Exit,
  type Operand,
} from './draft.js';
import { BOUNDARY, estimatedWords } from './estimate.js';
import { rebuild, type Goal, type PlannedBlock } from './rebuild.js';

type Choice = Exit & { readonly kind: 'choice' };

interface Candidate {
  readonly head: number;
  /** Blocks that vanish. */
  readonly taken: readonly number[];
  readonly plan: PlannedBlock;
}

export function selectArms(draft: Draft): Draft {
  const candidates = disjoint(candidatesOf(draft));
  if (candidates.length === 0) return draft;
  const trial = apply(draft, candidates);
  const numbers = newNumbers(draft, candidates);
  const accepted = candidates.filter((candidate) => pays(draft, trial, candidate, numbers[candidate.head]));
  if (accepted.length === 0) return draft;
  return accepted.length === candidates.length ? trial : apply(draft, accepted);
}

/** The draft without branches around mere selections, whatever they cost: what chooses in a large table. */
export function selectUniforms(draft: Draft): Draft {
  let current = draft;
  for (let round = 0; ; round++) {
    const merged = simplifyControl(current);
    const candidates = disjoint(
      candidatesOf(merged).filter(({ taken }) => taken.every((b) => onlySelects(merged, merged.blocks[b]))),
    );
    if (candidates.length === 0 || round === ROUNDS) return merged;
    current = apply(merged, candidates);
  }
}

function onlySelects({ nodes }: Draft, block: DraftBlock): boolean {
  return (
    block.stores.every(({ to }) => to.kind === 'register') &&
    block.nodes.every((id) => operations[nodes[id].op].place !== Place.Sequence && nodes[id].op !== Op.Mul)
  );
}

function candidatesOf(draft: Draft): Candidate[] {
  const exits = exitsOf(draft);
  const predecessors = predecessorsOf(exits);
  const { orderOf } = flowOf(exits);
  const unread = unreadAtStart(draft);
  const canSelect: CanSelect = (head, arms) => canSelectWith(unread, head, arms);
  const isOnlyFrom = (b: number, head: number): boolean =>
    b !== 0 && b !== head && predecessors[b].length === 1;
  const found: Candidate[] = [];
  draft.blocks.forEach((block, head) => {
    if (block.exit.kind !== 'choice') return;
    // where a loop begins, the second choice is not worth making in the round that leaves it
    const isLoop = predecessors[head].some((before) => orderOf[before] >= orderOf[head]);
    const candidate =
      twoArms(draft, head, block.exit, isOnlyFrom, canSelect) ??
      (isLoop ? undefined : chain(draft, head, block.exit, isOnlyFrom, canSelect));
    if (candidate !== undefined) found.push(candidate);
  });
  return found;
}

/** As deep as trees of choices may be nested to be flattened. */
const ROUNDS = 64;

type IsOnlyFrom = (b: number, head: number) => boolean;
type CanSelect = (head: DraftBlock, arms: readonly DraftBlock[]) => boolean;

/** if-else and if: arms that nothing else reaches and that meet again. */
function twoArms(
  draft: Draft,
  head: number,
  exit: Choice,
  isOnlyFrom: IsOnlyFrom,
  canSelect: CanSelect,
): Candidate | undefined {
  const { blocks } = draft;
  const goalOf = (b: number): number | undefined => {
    const end = blocks[b].exit;
    return isOnlyFrom(b, head) && end.kind !== 'choice' ? (end.kind === 'end' ? -1 : end.to) : undefined;
  };
  const [yes, no] = [goalOf(exit.yes), goalOf(exit.no)];
  const arms =
    yes !== undefined && yes === no
      ? { yes: exit.yes, no: exit.no }
      : yes === exit.no
        ? { yes: exit.yes, no: undefined }
        : no === exit.yes
          ? { yes: undefined, no: exit.no }
          : undefined;
  if (arms === undefined) return undefined;
  const taken = [arms.yes, arms.no].filter((arm) => arm !== undefined);
  if (
    !canSelect(
      blocks[head],
      taken.map((arm) => blocks[arm]),
    )
  )
    return undefined;
  return {
    head,
    taken,
    plan: { parts: [head, { of: head, ...arms }], exit: blocks[taken[0]].exit },
  };
}

/** Two choices one after the other with an end in common: `if (a && b)`. */
function chain(
  draft: Draft,
  head: number,
  exit: Choice,
  isOnlyFrom: IsOnlyFrom,
  canSelect: CanSelect,
): Candidate | undefined {
  const { blocks } = draft;
  for (const [second, shared] of [
    [exit.yes, exit.no],
    [exit.no, exit.yes],
  ]) {
    const inner = blocks[second].exit;
    if (!isOnlyFrom(second, head) || inner.kind !== 'choice') continue;
    if (inner.yes !== shared && inner.no !== shared) continue;
    const goal = inner.yes === shared ? inner.no : inner.yes;
    if (!canSelect(blocks[head], [blocks[second]])) continue;
    const all: Goal[] = [
      { block: head, isYes: second === exit.yes },
      { block: second, isYes: goal === inner.yes },
    ];
    const arms = second === exit.yes ? { yes: second, no: undefined } : { yes: undefined, no: second };
    return {
      head,
      taken: [second],
      plan: { parts: [head, { of: head, ...arms }], exit: { kind: 'all', all, yes: goal, no: shared } },
    };
  }
  return undefined;
}

/**
 * Keys of registers that some path hands through from the program's start to its end, and that no operation reads: a
 * selection that keeps the old value would be the first to read what may never have been written.
 */
function unreadAtStart({ blocks, nodes, registers }: Draft): ReadonlySet<string> {
  const read = new Set<number>();
  const note = (value: Operand): void => {
    if (value.kind === 'register') read.add(value.register);
  };
  for (const block of blocks) {
    for (const id of block.nodes) nodes[id].inputs.forEach(note);
    for (const { value } of block.stores) note(value);
    if (block.exit.kind === 'choice') note(block.exit.condition);
  }
  const unread = registers.flatMap(({ isLiveIn }, r) => (isLiveIn && !read.has(r) ? [r] : []));
  return new Set(unread.map((register) => placeKey({ kind: 'register', register })));
}

/**
 * A varying or temporary must be stored on all ways or on none; what a register held before is known, if it was ever
 * written.
 */
function canSelectWith(unread: ReadonlySet<string>, head: DraftBlock, arms: readonly DraftBlock[]): boolean {
  const stored = (block: DraftBlock): Set<string> => new Set(block.stores.map(({ to }) => placeKey(to)));
  const before = stored(head);
  const inArms = arms.map(stored);
  return arms.every((arm) =>
    arm.stores.every(({ to }) => {
      const key = placeKey(to);
      return (
        (to.kind === 'register' && !unread.has(key)) ||
        before.has(key) ||
        (arms.length === 2 && inArms.every((places) => places.has(key)))
      );
    }),
  );
}

/** Candidates none of whose blocks belongs to another one, the innermost (which come last in the text) first. */
function disjoint(candidates: readonly Candidate[]): readonly Candidate[] {
  const used = new Set<number>();
  return candidates.toReversed().filter(({ head, taken }) => {
    if (used.has(head) || taken.some((b) => used.has(b))) return false;
    for (const b of [head, ...taken]) used.add(b);
    return true;
  });
}

function apply(draft: Draft, candidates: readonly Candidate[]): Draft {
  const taken = new Set(candidates.flatMap((candidate) => candidate.taken));
  const plans = new Map(candidates.map(({ head, plan }) => [head, plan]));
  const blocks = draft.blocks.flatMap(({ exit }, b): PlannedBlock[] =>
    taken.has(b) ? [] : [plans.get(b) ?? { parts: [b], exit }],
  );
  return rebuild(draft, { blocks });
}

/** By block of the draft, its number once the candidates are applied. */
function newNumbers(draft: Draft, candidates: readonly Candidate[]): readonly number[] {
  const taken = new Set(candidates.flatMap((candidate) => candidate.taken));
  let next = 0;
  return draft.blocks.map((_, b) => (taken.has(b) ? -1 : next++));
}

function pays(draft: Draft, trial: Draft, { head, taken }: Candidate, now: number): boolean {
  const words = (b: number): number => estimatedWords(draft, draft.blocks[b]);
  const longest = words(head) + Math.max(...taken.map(words)) + 2 * BOUNDARY;
  return estimatedWords(trial, trial.blocks[now]) <= longest;
}
