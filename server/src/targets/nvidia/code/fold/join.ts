import { OperandFlag } from '../../../../ir/function.js';
import type { Draft } from './draft.js';
import { UNUSED } from './draft-writer.js';

/** Several instructions of a draft become one that does the work of all. */

/**
 * Instruction `lead` does what all of `order` do, which access neighbouring places: the operands `data` in the order
 * of the addresses (-1 for a place that none of them loads), `address` of the lead, with the offset `start`.
 */
export function join(
  draft: Draft,
  lead: number,
  order: readonly number[],
  data: readonly number[],
  address: number,
  start: number,
): void {
  const begin = draft.place.length;
  const isLoad = draft.first[lead] < address;
  const appendData = (): void => {
    for (const o of data) {
      if (o >= 0) draft.append(o, draft.modifier.at(o));
      else
        appendUnused(
          draft,
          data.find((other) => other >= 0)!,
        );
      const r = draft.place.at(draft.place.length - 1);
      if (isLoad && r < draft.definer.length && draft.definer[r] >= 0) draft.definer[r] = lead;
    }
  };
  if (isLoad) appendData();
  draft.append(address, draft.modifier.at(address));
  const isOffset = address + 1 < draft.end[lead] && (draft.flags.at(address + 1) & OperandFlag.Address) !== 0;
  if (isOffset) {
    draft.append(address + 1, 0);
    draft.setInteger(draft.place.length - 1, start);
  } else if (start !== 0) appendOffset(draft, address, order, start);
  if (!isLoad) appendData();
  const executes = draft.executes.length;
  for (const i of order) draft.appendExecuted(i);
  const shared = order.some((i) => draft.hasSharedInside[i] !== 0);
  for (const i of order) if (i !== lead) draft.isDead[i] = 1;
  draft.first[lead] = begin;
  draft.end[lead] = draft.place.length;
  draft.executesFirst[lead] = executes;
  draft.executesEnd[lead] = draft.executes.length;
  if (shared) draft.hasSharedInside[lead] = 1;
}

/** Instruction `k` computes what `i` does as well, from the same operands: both results, `low` of them first. */
export function twin(draft: Draft, k: number, i: number, low: number): void {
  const begin = draft.place.length;
  const other = low === k ? i : k;
  draft.append(draft.first[low], 0);
  draft.append(draft.first[other], 0);
  for (let o = draft.first[k] + 1; o < draft.end[k]; o++) draft.append(o, draft.modifier.at(o));
  const executes = draft.executes.length;
  draft.appendExecuted(k);
  draft.appendExecuted(i);
  draft.definer[draft.place.at(draft.first[i])] = k;
  draft.kill(i);
  draft.first[k] = begin;
  draft.end[k] = draft.place.length;
  draft.executesFirst[k] = executes;
  draft.executesEnd[k] = draft.executes.length;
  if (draft.hasSharedInside[i]) draft.hasSharedInside[k] = 1;
}

/** A register that is written like operand `o` and that nobody reads. */
function appendUnused(draft: Draft, o: number): void {
  draft.append(o, 0);
  const fresh = draft.f.registerCount + draft.added.length;
  draft.added.push({ before: -1, like: UNUSED, what: draft.place.at(o) });
  draft.place.set(draft.place.length - 1, fresh);
}

/** The offset of another of the instructions, which says one, stands for the lead's, which says none. */
function appendOffset(draft: Draft, address: number, order: readonly number[], start: number): void {
  for (const i of order)
    for (let o = draft.first[i]; o < draft.end[i]; o++) {
      if (o === address || draft.integer(o) === undefined || (draft.flags.at(o) & OperandFlag.Address) === 0)
        continue;
      draft.append(o, 0);
      draft.setInteger(draft.place.length - 1, start);
      return;
    }
}
