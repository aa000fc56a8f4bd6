/**
 * What a function is compiled to, as a document beside its source: the target's listing under a header, the source
 * lines that each line carries out, and what the compiler has added. Line numbers are zero-based.
 */
import type { Compilation, Listing, MarkKind } from '../targets/target.js';
import type { Position } from '../text/span.js';
import { count, functionName, ordinal } from '../text/words.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { errorsIn, summaryOf } from './code-lens.js';
import type { CodeLens } from './data.js';
import { rangeIn } from './locate.js';
import { compiledUri, fileNameOf, type CompiledName } from './compiled-uri.js';

/** Columns `[start, end)` of a line that are not the source's own work; `title` says what they are for. */
export interface CompiledMark {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly kind: MarkKind;
  readonly title: string;
}

export interface CompiledCode {
  readonly name: CompiledName;
  /** Version of the source that it was made from. */
  readonly version: number;
  readonly lines: readonly string[];
  /** First and last line of the source that hold the function; undefined where there is none of the name. */
  readonly extent: { readonly start: number; readonly end: number } | undefined;
  /** Line of this document, line of the source, and so on: by line here, what it stands for first. */
  readonly links: Int32Array;
  readonly marks: readonly CompiledMark[];
  /** What it was made from. */
  readonly made: Made | undefined;
}

export interface Made {
  readonly compilation: Compilation;
  readonly listing: Listing;
  /** Line of the listing that stands behind the header, and how many lines the header has. */
  readonly from: number;
  readonly header: number;
}

/** The function whose code belongs to a place: the one that is there, else the next one, else the one before. */
export function compiledNameAt(s: Snapshot, position: Position): CompiledName | undefined {
  const here = s.unitAt(s.lines.offsetAt(position));
  const isFunction = ({ function: f }: Unit): boolean => f !== undefined;
  const unit =
    s.units.slice(here.index).find(isFunction) ?? s.units.slice(0, here.index).findLast(isFunction);
  return unit === undefined ? undefined : nameOf(s, unit);
}

/** On each function that is compiled, for editors that have the command. */
export function compiledLenses(s: Snapshot): CodeLens[] {
  if (!s.settings.codeLens) return [];
  return s.units.flatMap((unit) => {
    if (unit.compilation === undefined) return [];
    const { nameStart, nameEnd } = unit.compilation.source;
    const range = rangeIn(s, unit, { start: nameStart, end: nameEnd });
    const { line, character } = range.start;
    const command = { id: 'spillway.showCompiledCode', arguments: [s.uri, line, character] };
    return [{ range, title: 'Show compiled code', command }];
  });
}

function nameOf(s: Snapshot, unit: Unit): CompiledName {
  const name = unit.function?.name ?? '';
  const ordinal = namesakes(s, name).findIndex(({ index }) => index === unit.index);
  return { source: s.uri, function: name, ordinal };
}

const namesakes = (s: Snapshot, name: string): Unit[] =>
  s.units.filter(({ function: f }) => f !== undefined && f.name === name);

/** The unit that a document of compiled code is about. */
export const compiledUnit = (s: Snapshot, { function: name, ordinal }: CompiledName): Unit | undefined =>
  namesakes(s, name).at(ordinal);

export const uriOf = (s: Snapshot, name: CompiledName): string => compiledUri(name, s.language.id);

/**
 * The document; where the source has no such function it says so. What was made of an older version spares the listing
 * where the program is still the same.
 */
export function compiledCode(s: Snapshot, name: CompiledName, older?: CompiledCode): CompiledCode {
  const unit = compiledUnit(s, name);
  const compilation = unit?.compilation;
  if (unit === undefined || compilation === undefined)
    return withoutProgram(name, s.version, missing(s, name, unit));
  const listing =
    older?.made?.compilation === compilation
      ? older.made.listing
      : s.target.listing(compilation, s.lines.slice(unit.start, unit.end));
  const { comment = '//', headings = 0 } = listing.details ?? {};
  const header = [
    `${comment} ${titleOf(name)} in ${fileNameOf(s.uri)}, as compiled`,
    `${comment} ${summaryOf(s.target, compilation)}`,
  ];
  const errors = errorsIn(unit);
  if (errors > 0) header.push(`${comment} ${count(errors, 'error')} in the source: what has one is left out`);
  const made = { compilation, listing, from: headings, header: header.length };
  return {
    name,
    version: s.version,
    lines: [...header, ...listing.lines.slice(headings)],
    extent: extentOf(s, unit),
    links: linksOf(s, unit, made),
    marks: marksOf(s, made),
    made,
  };
}

/** The lines of a unit, without blank ones around it. */
export function extentOf(
  s: Snapshot,
  { start, end }: Unit,
): { readonly start: number; readonly end: number } {
  const text = s.lines.slice(start, end);
  return {
    start: s.lines.lineAt(start + text.length - text.trimStart().length),
    end: s.lines.lineAt(start + Math.max(0, text.trimEnd().length - 1)),
  };
}

/** `CompiledCode.version` of a source that is not open. */
export const NOT_OPEN = -1;

/** The document of a source that is not open. */
export const notOpen = (name: CompiledName): CompiledCode =>
  withoutProgram(name, NOT_OPEN, [`${fileNameOf(name.source)} is not open`]);

const withoutProgram = (name: CompiledName, version: number, sentences: readonly string[]): CompiledCode => ({
  name,
  version,
  lines: sentences.map((sentence) => `// ${sentence}`),
  extent: undefined,
  links: new Int32Array(0),
  marks: [],
  made: undefined,
});

/** `k`, or `the 2nd k` where the source has several of the name. */
const titleOf = ({ function: name, ordinal: n }: CompiledName): string =>
  n === 0 ? functionName(name) : `the ${ordinal(n + 1)} ${name === '' ? 'function without a name' : name}`;

/** Names that are listed where one is missing. */
const MOST_NAMES = 20;

function missing(s: Snapshot, name: CompiledName, unit: Unit | undefined): string[] {
  const file = fileNameOf(s.uri);
  if (unit !== undefined) return [`${titleOf(name)} in ${file} could not be compiled`];
  const others = s.units.flatMap(({ function: f }) => (f === undefined ? [] : [functionName(f.name)]));
  const shown = others.slice(0, MOST_NAMES).join(', ');
  const rest = others.length > MOST_NAMES ? `, and ${others.length - MOST_NAMES} more` : '';
  return [
    name.ordinal === 0 && name.function !== ''
      ? `There is no function ${name.function} in ${file} any more`
      : `${titleOf(name)} is not in ${file} any more`,
    others.length === 0 ? 'It has no functions' : `It has ${shown}${rest}`,
  ];
}

/** An instruction that is written over more lines than this is linked by its first ones. */
const MOST_LINES = 32;

function linksOf(s: Snapshot, unit: Unit, { compilation, listing, from, header }: Made): Int32Array {
  const { spanStart, spanEnd, instructionCount } = compilation.source;
  const { source, details, lines } = listing;
  const firstLine = new Int32Array(instructionCount);
  const lastLine = new Int32Array(instructionCount);
  for (let i = 0; i < instructionCount; i++) {
    firstLine[i] = s.lines.lineAt(unit.start + spanStart[i]);
    const last = s.lines.lineAt(unit.start + Math.max(spanStart[i], spanEnd[i] - 1));
    lastLine[i] = Math.min(last, firstLine[i] + MOST_LINES - 1);
  }
  const links: number[] = [];
  const seen = new Set<number>();
  for (let k = from; k < lines.length; k++) {
    seen.clear();
    const link = (instruction: number): void => {
      for (let line = firstLine[instruction]; line <= lastLine[instruction]; line++) {
        if (seen.has(line)) continue;
        seen.add(line);
        links.push(k - from + header, line);
      }
    };
    if (source[k] >= 0) link(source[k]);
    if (details === undefined) continue;
    const { carries, carriesStart } = details;
    for (let c = carriesStart[k]; c < carriesStart[k + 1]; c++) link(carries[c]);
  }
  return Int32Array.from(links);
}

/** Waits that are too short to be shown as hints are not marked either. */
function marksOf(s: Snapshot, { compilation, listing, from, header }: Made): CompiledMark[] {
  const minimum = s.target.display?.minimumStall ?? s.settings.inlayHints.minimumStall;
  const causes = new Map(compilation.stalls.map((stall) => [stall.instruction, stall]));
  const { registerNames } = compilation.source;
  return (listing.details?.marks ?? []).flatMap(({ line, start, end, kind, cycles = 0, register = -1 }) => {
    if (line < from || (kind === 'wait' && cycles < minimum)) return [];
    const stall = kind === 'wait' ? causes.get(listing.source[line]) : undefined;
    const cause = stall?.cycles === cycles ? `: ${stall.cause}` : '';
    const name = register >= 0 ? ` ${registerNames[register]}` : '';
    return [{ line: line - from + header, start, end, kind, title: titles[kind](name, cycles) + cause }];
  });
}

const titles: Readonly<Record<MarkKind, (name: string, cycles: number) => string>> = {
  store: (name) => `stores${name || ' a value'} where it waits for its readers`,
  reload: (name) => `takes${name || ' a value'} back`,
  move: (name) => (name === '' ? 'a copy that the source has not' : `hands${name} on`),
  recomputed: (name) => `computes${name || ' a value'} again`,
  wait: (_, cycles) => `waits ${cycles} cycles`,
  empty: () => 'nothing is done here',
  elided: () => 'costs nothing',
};
