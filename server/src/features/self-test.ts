import type { Position, Range } from '../text/span.js';
import type { Snapshot } from '../workspace/snapshot.js';
import { incomingCalls, outgoingCalls, prepareCallHierarchy } from './call-hierarchy.js';
import { codeActions } from './code-actions.js';
import { codeLenses } from './code-lens.js';
import { completion, resolveCompletion, signatureHelp } from './completion.js';
import type { Edit } from './data.js';
import { declaration, definition } from './definition.js';
import { diagnostics } from './diagnostics.js';
import { formatting } from './formatting.js';
import { hover } from './hover.js';
import { inlayHints } from './inlay-hints.js';
import { occurrenceIn } from './locate.js';
import { highlights, references } from './references.js';
import { pressureLines } from './pressure-lines.js';
import { nextSite } from './pressure-sites.js';
import { prepareRename, rename } from './rename.js';
import { semanticTokens } from './semantic-tokens.js';
import { status } from './status.js';
import { documentLinks, foldingRanges, selectionRanges } from './structure.js';
import { documentSymbols, workspaceSymbols } from './symbols.js';

/**
 * Every feature, asked at every offset given: what a bug report needs to say which feature fails and where. The
 * answer is a list of faults in words: exceptions, places outside the document, edits that overlap.
 */
export function selfTest(s: Snapshot, offsets: Iterable<number>): string[] {
  const faults: string[] = [];
  const tell = (what: string): void => {
    if (faults.length < MOST_FAULTS) faults.push(what);
  };
  const whole = s.lines.range({ start: 0, end: s.text.length });
  run(tell, 'document', () => wholeDocument(s, whole), s);
  const names = new Set<string>();
  for (const offset of offsets) {
    const position = s.lines.positionAt(offset);
    const where = `${position.line + 1}:${position.character + 1}`;
    run(tell, where, () => atPosition(s, position), s);
    const at = occurrenceIn(s, position);
    const name = at === undefined ? '' : `${at.unit.index}:${at.symbolNumber}`;
    if (!names.has(name)) run(tell, where, () => ofName(s, position, names.size < MOST_RENAMES), s);
    names.add(name);
    if (faults.length >= MOST_FAULTS) break;
  }
  return faults;
}

const MOST_FAULTS = 100;
/** Renaming parses and binds again what it changes; that many names are tried. */
const MOST_RENAMES = 50;

/** Offsets where something begins that has a colour: what "every token" means. */
export function tokenOffsets(s: Snapshot): number[] {
  const data = semanticTokens(s);
  const offsets: number[] = [];
  let line = 0;
  let character = 0;
  for (let k = 0; k < data.length; k += 5) {
    if (data[k] > 0) character = 0;
    line += data[k];
    character += data[k + 1];
    offsets.push(s.lines.startOf(line) + character);
  }
  return offsets;
}

/** Lazily made answers by feature, so that each is blamed for its own exception. */
type Answers = readonly (readonly [feature: string, ask: () => unknown])[];

function run(tell: (what: string) => void, where: string, answers: () => Answers, s: Snapshot): void {
  for (const [feature, ask] of answers())
    try {
      for (const fault of faultsOf(s, ask())) tell(`${feature} at ${where}: ${fault}`);
    } catch (error) {
      tell(
        `${feature} at ${where}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
}

function wholeDocument(s: Snapshot, whole: Range): Answers {
  return [
    ['diagnostics', () => diagnostics(s)],
    ['document symbols', () => documentSymbols(s)],
    ['workspace symbols', () => workspaceSymbols([s], 'a')],
    ['semantic tokens', () => semanticTokens(s)],
    ['inlay hints', () => inlayHints(s, whole)],
    ['code lenses', () => codeLenses(s)],
    ['pressure', () => pressureLines(s, new Set())],
    ['folding ranges', () => foldingRanges(s)],
    ['document links', () => documentLinks(s)],
    ['formatting', () => formatting(s, { tabSize: 2, insertSpaces: true })],
    ['code actions', () => codeActions(s, whole, { only: [''] })],
  ];
}

function atPosition(s: Snapshot, position: Position): Answers {
  const here: Range = { start: position, end: position };
  const line: Range = { start: { line: position.line, character: 0 }, end: position };
  return [
    ['hover', () => hover(s, position)],
    ['definition', () => definition(s, position)],
    ['declaration', () => declaration(s, position)],
    ['prepare rename', () => prepareRename(s, position)],
    ['completion', () => completed(s, position)],
    ['signature help', () => signatureHelp(s, position)],
    ['selection ranges', () => selectionRanges(s, [position])],
    ['code actions', () => codeActions(s, here)],
    ['inlay hints', () => inlayHints(s, line)],
    ['range tokens', () => semanticTokens(s, line)],
    ['range formatting', () => formatting(s, { tabSize: 2, insertSpaces: true }, line)],
    ['call hierarchy', () => calls(s, position)],
    ['next peak', () => nextSite(s, position, 'peak', 'next')],
    ['previous spill', () => nextSite(s, position, 'spill', 'previous')],
    ['status', () => status(s, position)],
  ];
}

/** What has the same answer at every mention of a name. */
function ofName(s: Snapshot, position: Position, withRename: boolean): Answers {
  return [
    ['references', () => references(s, position, true)],
    ['highlights', () => highlights(s, position)],
    ['rename', () => (withRename ? rename(s, position, 'renamed_by_self_test') : undefined)],
  ];
}

function completed(s: Snapshot, position: Position): unknown {
  const list = completion(s, position);
  const key = list.items.find((item) => item.key !== undefined)?.key;
  return [list.range, key === undefined ? undefined : resolveCompletion(s, key)];
}

function calls(s: Snapshot, position: Position): unknown {
  const item = prepareCallHierarchy(s, position);
  return item === undefined ? undefined : [item, incomingCalls(s, item.name), outgoingCalls(s, item.name)];
}

/** Walks through an answer and judges every range and every list of edits in it. */
function faultsOf(s: Snapshot, answer: unknown): string[] {
  const faults: string[] = [];
  const pending: unknown[] = [answer];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    if (isRange(value)) {
      if (!isInside(s, value)) faults.push(`outside the document: ${JSON.stringify(value)}`);
      continue;
    }
    if ('edits' in value && Array.isArray(value.edits)) faults.push(...overlapping(value.edits as Edit[]));
    for (const inner of Object.values(value) as unknown[]) pending.push(inner);
  }
  return faults;
}

const isRange = (value: object): value is Range =>
  'start' in value && 'end' in value && isPosition(value.start);

const isPosition = (value: unknown): value is Position =>
  typeof value === 'object' && value !== null && 'line' in value && 'character' in value;

function isInside(s: Snapshot, { start, end }: Range): boolean {
  const isPlace = (p: Position): boolean => {
    if (p.line < 0 || p.line >= s.lines.lineCount || p.character < 0) return false;
    const next = p.line + 1 < s.lines.lineCount ? s.lines.startOf(p.line + 1) : s.text.length;
    return s.lines.startOf(p.line) + p.character <= next;
  };
  return isPlace(start) && isPlace(end) && !isBefore(end, start);
}

const isBefore = (a: Position, b: Position): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character);

function overlapping(edits: readonly Edit[]): string[] {
  const faults: string[] = [];
  for (let k = 1; k < edits.length; k++)
    if (isBefore(edits[k].range.start, edits[k - 1].range.end))
      faults.push(`edits overlap or are not sorted: ${JSON.stringify([edits[k - 1], edits[k]])}`);
  return faults;
}
