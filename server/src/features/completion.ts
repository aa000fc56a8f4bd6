import type { CompletionItem } from '../languages/language.js';
import { isLiveAt } from '../passes/live-ranges.js';
import type { Position } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { Completions, SignatureHelp } from './data.js';
import { instructionBefore, rangeIn } from './locate.js';

/**
 * Completion and signature help: the language knows what fits. Registers that hold a value at the cursor are
 * sorted before others, as far as the function is compiled already.
 */
export function completion(s: Snapshot, position: Position): Completions {
  const offset = s.lines.offsetAt(position);
  const unit = s.unitAt(offset);
  const list = s.language.complete(unit.bound, offset - unit.start, unit.environment);
  const live = liveNames(unit, offset - unit.start);
  return {
    range: rangeIn(s, unit, list.span),
    items: live === undefined ? list.items : list.items.map((item) => sorted(item, live)),
    isIncomplete: list.isIncomplete ?? false,
  };
}

function sorted(item: CompletionItem, live: ReadonlySet<string>): CompletionItem {
  if (item.kind !== 'register') return item;
  return { ...item, sort: `${live.has(item.label) ? '0' : '1'}${item.sort ?? item.label}` };
}

/** Names of the registers that are live before the instruction at `offset` reads. */
function liveNames(unit: Unit, offset: number): ReadonlySet<string> | undefined {
  if (!unit.isCompiled || unit.compilation === undefined) return undefined;
  const { source, liveRanges } = unit.compilation;
  const before = instructionBefore(source.spanStart, offset);
  if (before < 0) return undefined;
  const point = offset <= source.spanEnd[before] ? 2 * before : 2 * before + 1;
  const live = new Set<string>();
  for (let r = 0; r < source.registerCount; r++)
    if (isLiveAt(liveRanges, r, point)) live.add(source.registerNames[r]);
  return live;
}

export const resolveCompletion = (s: Snapshot, key: string): string | undefined =>
  s.language.resolveCompletion(key);

export function signatureHelp(s: Snapshot, position: Position): SignatureHelp | undefined {
  const offset = s.lines.offsetAt(position);
  const unit = s.unitAt(offset);
  const found = s.language.signatures(unit.bound, offset - unit.start);
  return found === undefined || found.items.length === 0 ? undefined : found;
}
