/**
 * From an operand of a compiled program to what made it: definitions that reach it in the compiled code, and the
 * source's own. Positions are those of the document that `compiledCode` makes.
 */
import { Role } from '../languages/symbols.js';
import { MentionRole, type ListingDetails, type Mentions } from '../targets/target.js';
import type { Position, Range } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { compiledUnit, uriOf, type CompiledCode, type Made } from './compiled-code.js';
import type { Highlight, Hover, Location } from './data.js';
import { definition } from './definition.js';
import { hover } from './hover.js';
import { rangeIn } from './locate.js';

/** A mention under a cursor. */
interface At {
  readonly made: Made;
  readonly details: ListingDetails;
  /** Number in `details.mentions`, or -1. */
  readonly mention: number;
  /** Line of the listing. */
  readonly line: number;
}

function at({ made }: CompiledCode, position: Position): At | undefined {
  const details = made?.listing.details;
  if (made === undefined || details === undefined) return undefined;
  const line = position.line - made.header + made.from;
  if (line < made.from || line >= made.listing.lines.length) return undefined;
  const { mentions } = details;
  let mention = -1;
  for (let m = firstOn(mentions, line); m < mentions.count && mentions.line[m] === line; m++)
    if (mentions.start[m] <= position.character && position.character <= mentions.end[m]) mention = m;
  return { made, details, mention, line };
}

/** Number of the first mention on or behind a line. O(log mentions). */
function firstOn({ line, count }: Mentions, wanted: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (line[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Where the operand under the cursor is made, in the compiled code: of a register every write that may reach it, of
 * a reload its store, of a label its block. On the write itself, and on a name in a comment, the source's definition.
 */
export function compiledDefinition(s: Snapshot, code: CompiledCode, position: Position): Location[] {
  const found = at(code, position);
  if (found === undefined) return [];
  const { details, mention, made } = found;
  if (mention < 0) return compiledDeclaration(s, code, position);
  const { mentions } = details;
  const role = mentions.role[mention];
  if ((role & MentionRole.Read) === 0) return compiledDeclaration(s, code, position);
  const uri = uriOf(s, code.name);
  const definitionLine = mentions.definition[mention];
  const ranges =
    definitionLine >= 0
      ? [madeOn(found, definitionLine) ?? wholeLine(made, definitionLine)]
      : reachingWrites(details, mention).map((m) => rangeOf(made, mentions, m));
  return ranges.length > 0 ? ranges.map((range) => ({ uri, range })) : compiledDeclaration(s, code, position);
}

/** The same in the source: the definitions of the register whose value is there, else the line's instruction. */
export function compiledDeclaration(s: Snapshot, code: CompiledCode, position: Position): Location[] {
  const found = at(code, position);
  const unit = compiledUnit(s, code.name);
  // an older program's instructions may be others by now
  if (found === undefined || unit?.compilation === undefined || unit.compilation !== code.made?.compilation)
    return [];
  const register = found.mention < 0 ? -1 : found.details.mentions.register[found.mention];
  const place = register < 0 ? undefined : operandOf(s, unit, found, register);
  if (place !== undefined) {
    const definitions = definition(s, place);
    if (definitions.length > 0) return definitions;
  }
  const { source } = found.made.compilation;
  const instruction = found.made.listing.source[found.line];
  if (instruction < 0) return [];
  const span = { start: source.spanStart[instruction], end: source.spanEnd[instruction] };
  return [{ uri: s.uri, range: rangeIn(s, unit, span) }];
}

/** Where the source mentions the register: in the line's instruction if it does, else where it is first written, or read. */
function operandOf(s: Snapshot, unit: Unit, { made, line }: At, register: number): Position | undefined {
  const { source } = made.compilation;
  const { symbols } = unit.bound;
  let best = -1;
  let rank = 0;
  const instruction = made.listing.source[line];
  for (let o = 0; o < symbols.occurrenceStart.length; o++) {
    if (symbols.symbols[symbols.occurrenceSymbol[o]].register !== register) continue;
    const own = symbols.occurrenceInstruction[o];
    if (own < 0) continue;
    const mine = own === instruction ? 3 : (symbols.occurrenceRole[o] & Role.Write) !== 0 ? 2 : 1;
    if (mine > rank) [best, rank] = [o, mine];
  }
  if (best >= 0) return s.lines.positionAt(unit.start + symbols.occurrenceStart[best]);
  for (let o = 0; o < source.operandPlace.length; o++)
    if (source.operandPlace[o] === register && source.operandSpanStart[o] >= 0)
      return s.lines.positionAt(unit.start + source.operandSpanStart[o]);
  return undefined;
}

/** Everything that mentions the same place for the same value of the source. */
export function compiledHighlights(code: CompiledCode, position: Position): Highlight[] {
  const found = at(code, position);
  if (found === undefined || found.mention < 0) return [];
  const { made, details, mention } = found;
  const { mentions } = details;
  const highlights: Highlight[] = [];
  for (let m = 0; m < mentions.count; m++) {
    if (mentions.place[m] !== mentions.place[mention] || mentions.register[m] !== mentions.register[mention])
      continue;
    if (mentions.place[m] < 0 && mentions.definition[m] !== mentions.definition[mention]) continue;
    const kind = (mentions.role[m] & MentionRole.Write) !== 0 ? 'write' : 'read';
    if (mentions.line[m] >= made.from) highlights.push({ range: rangeOf(made, mentions, m), kind });
  }
  return highlights;
}

/** What the source says of a register where a place holds one; elsewhere what it says of the line's instruction. */
export function compiledHover(s: Snapshot, code: CompiledCode, position: Position): Hover | undefined {
  const found = at(code, position);
  const unit = compiledUnit(s, code.name);
  if (found === undefined || unit?.compilation === undefined || unit.compilation !== code.made?.compilation)
    return undefined;
  const { made, details, mention, line } = found;
  const { mentions } = details;
  const { source } = made.compilation;
  const titles = code.marks
    .filter(
      (mark) =>
        mark.line === position.line && mark.start <= position.character && position.character <= mark.end,
    )
    .map(({ title }) => `${title[0].toUpperCase()}${title.slice(1)}.`);
  if (mention >= 0) {
    const register = mentions.register[mention];
    const name = made.listing.lines[line].slice(mentions.start[mention], mentions.end[mention]);
    const place = register < 0 ? undefined : operandOf(s, unit, found, register);
    const told = place === undefined ? undefined : hover(s, place)?.contents;
    const holds = register < 0 ? [] : [`\`${name}\` holds \`${source.registerNames[register]}\``];
    const contents = [...holds, ...titles, ...(told === undefined ? [] : [told])].join('\n\n');
    if (contents !== '') return { range: rangeOf(made, mentions, mention), contents };
  }
  const instruction = made.listing.source[line];
  const told =
    instruction < 0
      ? undefined
      : hover(s, s.lines.positionAt(unit.start + source.spanStart[instruction]))?.contents;
  const contents = [...titles, ...(told === undefined ? [] : [told])].join('\n\n');
  return contents === '' ? undefined : { range: wholeLine(made, line), contents };
}

const rangeOf = ({ from, header }: Made, { line, start, end }: Mentions, m: number): Range => ({
  start: { line: line[m] - from + header, character: start[m] },
  end: { line: line[m] - from + header, character: end[m] },
});

function wholeLine({ listing, from, header }: Made, line: number): Range {
  const text = listing.lines[line];
  const number = line - from + header;
  return {
    start: { line: number, character: text.length - text.trimStart().length },
    end: { line: number, character: text.length },
  };
}

/** What the line writes of the places that are read. */
function madeOn({ details: { mentions }, mention, made }: At, line: number): Range | undefined {
  const place = mentions.place[mention];
  if (place < 0) return undefined;
  for (let m = firstOn(mentions, line); m < mentions.count && mentions.line[m] === line; m++)
    if ((mentions.role[m] & MentionRole.Write) !== 0 && overlaps(mentions, m, place, mentions.units[mention]))
      return rangeOf(made, mentions, m);
  return undefined;
}

const overlaps = ({ place, units }: Mentions, m: number, first: number, count: number): boolean =>
  place[m] >= 0 && place[m] < first + count && first < place[m] + units[m];

/**
 * The writes that may reach a read, in the order of the lines: backwards from it, on each path until all of its places
 * are written for sure. A block is searched once for each place. Lines read before they write.
 */
function reachingWrites(details: ListingDetails, mention: number): number[] {
  const { mentions, blockStart } = details;
  const first = mentions.place[mention];
  const count = mentions.units[mention];
  const blocks = blockStart.length - 1;
  const predecessors = predecessorsOf(details);
  const found = new Set<number>();
  const searched = new Map<number, bigint>();
  const all = (1n << BigInt(count)) - 1n;

  const search = (block: number, from: number, wanted: bigint): bigint => {
    let left = wanted;
    for (let m = from; m >= 0 && mentions.line[m] >= blockStart[block] && left !== 0n; m--) {
      if ((mentions.role[m] & MentionRole.Write) === 0 || !overlaps(mentions, m, first, count)) continue;
      const low = Math.max(0, mentions.place[m] - first);
      const high = Math.min(count, mentions.place[m] + mentions.units[m] - first);
      const written = ((1n << BigInt(high - low)) - 1n) << BigInt(low);
      if ((written & left) === 0n) continue;
      found.add(m);
      if ((mentions.role[m] & MentionRole.Keeps) === 0) left &= ~written;
    }
    return left;
  };
  const pending: { readonly block: number; readonly wanted: bigint }[] = [];
  const goOn = (block: number, wanted: bigint): void => {
    for (const before of wanted === 0n ? [] : predecessors[block]) {
      const fresh = wanted & ~(searched.get(before) ?? 0n);
      if (fresh === 0n) continue;
      searched.set(before, (searched.get(before) ?? 0n) | fresh);
      pending.push({ block: before, wanted: fresh });
    }
  };
  const line = mentions.line[mention];
  let own = -1;
  for (let b = 0; b < blocks; b++) if (blockStart[b] <= line && line < blockStart[b + 1]) own = b;
  if (own < 0) return [];
  goOn(own, search(own, firstOn(mentions, line) - 1, all));
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    goOn(next.block, search(next.block, firstOn(mentions, blockStart[next.block + 1]) - 1, next.wanted));
  return [...found].sort((a, b) => a - b);
}

function predecessorsOf({ blockStart, successorStart, successors }: ListingDetails): number[][] {
  const predecessors = Array.from({ length: blockStart.length - 1 }, (): number[] => []);
  for (let b = 0; b + 1 < blockStart.length; b++)
    for (let e = successorStart[b]; e < successorStart[b + 1]; e++) predecessors.at(successors[e])?.push(b);
  return predecessors;
}
