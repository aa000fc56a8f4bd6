import type { UnitFrame, UnitFrameEscape, UnitFrameObject } from '../languages/frames.js';
import type { UnitSymbol } from '../languages/symbols.js';
import type { Span } from '../text/span.js';
import { count } from '../text/words.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { isBounded, stackTotals, type StackTotal } from './stack-totals.js';

/**
 * The stack frame in a hover: of a function with its objects, what escapes and what its callees need; of a variable
 * in the frame, and of a register that points into it, who touches it.
 */
export function functionFrameText(s: Snapshot, unit: Unit): string[] {
  const frame = s.language.frame?.(unit.bound);
  if (frame === undefined) return [];
  const total = stackTotals(s).get(frame.name);
  const parts: string[] = [];
  if (frame.place !== '')
    parts.push(frameHeading(frame), ...objectTable(s, unit, frame), ...escapeList(s, unit, frame));
  if (total !== undefined) parts.push(...totalText(total));
  return parts;
}

/** For a name inside the unit: an object of the frame, or a register that holds one of its addresses. */
export function symbolFrameText(s: Snapshot, unit: Unit, symbol: UnitSymbol): string[] {
  const isCandidate = symbol.register >= 0 || symbol.kind === 'variable';
  const frame = isCandidate && !symbol.isGlobal ? s.language.frame?.(unit.bound) : undefined;
  if (frame === undefined || frame.place === '') return [];
  if (symbol.register >= 0) {
    const pointer = frame.pointers.find(({ register }) => register === symbol.register);
    return pointer === undefined
      ? []
      : [
          `Holds ${pointer.role}. ${frameHeading(frame)}`,
          ...objectTable(s, unit, frame),
          ...escapeList(s, unit, frame),
        ];
  }
  const { declaration } = symbol;
  const at = frame.objects.findIndex(
    ({ span }) => declaration !== undefined && span?.start === declaration.start,
  );
  if (at < 0) return [];
  return [objectText(frame.objects[at]), ...touchList(s, unit, frame, at), ...escapeList(s, unit, frame, at)];
}

/** `frame 48 B (soft stack)`, also for the code lens. */
export function frameSummary(frame: UnitFrame): string {
  const more = frame.isDynamic ? ' + run-time size' : '';
  return `frame ${frame.bytes} B${more} (${frame.place})`;
}

const frameHeading = (frame: UnitFrame): string =>
  `**Stack frame** ${count(frame.bytes, 'byte')} in ${placeName(frame.place)}, aligned to ${frame.alignment}${
    frame.isDynamic ? ', and memory of run-time size below it' : ''
  }.`;

const placeName = (place: string): string =>
  place.startsWith('.') ? `\`${place}\`` : `the ${place.replace(/\.\w+/g, '`$&`')}`;

/** Rows of tables and lists; what is left out is counted. */
const ROWS = 12;

function objectTable(s: Snapshot, unit: Unit, frame: UnitFrame): string[] {
  if (frame.objects.length === 0) return [];
  const touches = new Map<number, { reads: number; writes: number; first: Span }>();
  for (const { object, kind, span } of frame.touches) {
    const seen = touches.get(object) ?? { reads: 0, writes: 0, first: span };
    if (kind === 'load' || kind === 'atomic') seen.reads++;
    if (kind === 'store' || kind === 'atomic') seen.writes++;
    touches.set(object, seen);
  }
  const rows = frame.objects.slice(0, ROWS).map(({ name, offset, bytes, alignment }, n) => {
    const seen = touches.get(n);
    const used =
      seen === undefined
        ? 'not touched directly'
        : `${count(seen.reads, 'read')}, ${count(seen.writes, 'write')}, first ${lineOf(s, unit, seen.first)}`;
    return `| \`${name}\` | ${offset} | ${bytes} | ${alignment} | ${used} |`;
  });
  const left = frame.objects.length - rows.length;
  return [
    ['| Object | Offset | Bytes | Alignment | Touched |', '|---|--:|--:|--:|---|', ...rows].join('\n'),
    ...(left > 0 ? [`and ${count(left, 'object')} more`] : []),
  ];
}

function objectText({ place, offset, bytes, alignment, areas }: UnitFrameObject): string {
  const parts = areas.slice(0, ROWS).map((area) => `${area.offset} (${count(area.bytes, 'byte')})`);
  const more = areas.length > ROWS ? ', ...' : '';
  const inside = parts.length > 1 ? ` Parts that are used apart, by offset: ${parts.join(', ')}${more}.` : '';
  return `**In the stack frame** (${placeName(place)}): ${count(bytes, 'byte')} at offset ${offset}, aligned to ${alignment}.${inside}`;
}

const touchWords = {
  load: 'read',
  store: 'written',
  atomic: 'updated atomically',
  address: 'address taken',
  convert: 'address converted',
} as const;

/** `Written line 4, 5; read line 9`. */
function touchList(s: Snapshot, unit: Unit, frame: UnitFrame, object: number): string[] {
  const byKind = new Map<keyof typeof touchWords, string[]>();
  for (const touch of frame.touches) {
    if (touch.object !== object) continue;
    const lines = byKind.get(touch.kind) ?? [];
    byKind.set(touch.kind, lines);
    if (lines.length <= ROWS) lines.push(`${lineNumber(s, unit, touch.span)}`);
  }
  if (byKind.size === 0) return ['Nothing touches it by an address that can be followed.'];
  const parts = [...byKind].map(([kind, lines]) => {
    const shown = lines.slice(0, ROWS).join(', ');
    return `${touchWords[kind]} line ${shown}${lines.length > ROWS ? ', ...' : ''}`;
  });
  const text = parts.join('; ');
  return [`${text.charAt(0).toUpperCase()}${text.slice(1)}.`];
}

function escapeList(s: Snapshot, unit: Unit, frame: UnitFrame, object?: number): string[] {
  const escapes = frame.escapes.filter((e) => e.leaves && (object === undefined || e.object === object));
  if (escapes.length === 0) return ['No address of it escapes.'];
  const rows = escapes.slice(0, ROWS).map((e) => `- ${escapeText(s, unit, frame, e)}`);
  const left = escapes.length - rows.length;
  return ['Escapes:', [...rows, ...(left > 0 ? [`- and ${count(left, 'place')} more`] : [])].join('\n')];
}

function escapeText(s: Snapshot, unit: Unit, frame: UnitFrame, e: UnitFrameEscape): string {
  const name = e.object >= 0 ? `\`${frame.objects[e.object].name}\`` : 'an address of the frame';
  const offset = e.object >= 0 && e.offset !== undefined && e.offset > 0 ? `+${e.offset}` : '';
  const perhaps = e.isCertain ? '' : ' on some path';
  return `${name}${offset} ${e.how}${perhaps}, ${lineOf(s, unit, e.span)}`;
}

/** What the function needs with its callees; nothing where there are none. */
function totalText(total: StackTotal): string[] {
  const parts: string[] = [];
  if (total.path.length > 1 || total.recursion.length > 0) {
    const path = total.path.map((name) => `\`${name}\``).join(' → ');
    parts.push(`**With callees** ${totalBytes(total)}: ${path}`);
  }
  if (total.recursion.length > 0)
    parts.push(`Recursion without a bound: ${nameList(total.recursion)}; each of the cycle is counted once.`);
  const unknown = [
    ...(total.unknown.length > 0 ? [nameList(total.unknown)] : []),
    ...(total.hasIndirectCalls ? ['what is called through registers'] : []),
  ];
  if (unknown.length > 0) parts.push(`Not known, and not counted: ${unknown.join(', ')}.`);
  return parts;
}

/** `at least 96 bytes` where something is missing from the sum. */
export function totalBytes(total: StackTotal): string {
  return `${isBounded(total) ? '' : 'at least '}${count(total.total, 'byte')}`;
}

const nameList = (names: readonly string[]): string => {
  const shown = names.slice(0, 6).map((name) => `\`${name}\``);
  return shown.join(', ') + (names.length > shown.length ? ', ...' : '');
};

const lineNumber = (s: Snapshot, unit: Unit, span: Span): number =>
  s.lines.lineAt(unit.start + span.start) + 1;
const lineOf = (s: Snapshot, unit: Unit, span: Span): string => `line ${lineNumber(s, unit, span)}`;
