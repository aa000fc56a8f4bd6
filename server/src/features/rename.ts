import type { BoundUnit, Declaration, Environment, ParsedUnit } from '../languages/language.js';
import { Role, type UnitSymbol } from '../languages/symbols.js';
import { touches, type Position, type Span, type TextEdit } from '../text/span.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import type { Edit, Refusable, RenameTarget } from './data.js';
import { mentions, occurrenceIn, placesOf, rangeIn, type Occurrence } from './locate.js';

/**
 * Renaming, in the document as a whole for module-level names. The answer is proved before it is given: the units
 * that change are parsed and bound again, and every name must mean what it meant. What would not is refused with
 * the reason. A register of a range (`%r<10>`) gets a declaration of its own.
 */
export function prepareRename(s: Snapshot, position: Position): Refusable<RenameTarget> {
  const at = occurrenceIn(s, position);
  if (at === undefined || at.index < 0) return { refused: nothingHere(s, position) };
  const reason = fixed(s, at);
  if (reason !== undefined) return { refused: reason };
  const { occurrenceStart, occurrenceEnd } = at.unit.bound.symbols;
  const place = { start: occurrenceStart[at.index], end: occurrenceEnd[at.index] };
  return { range: rangeIn(s, at.unit, place), placeholder: at.symbol.name };
}

function nothingHere(s: Snapshot, position: Position): string {
  const offset = s.lines.offsetAt(position);
  const unit = s.unitAt(offset);
  const range = unit.bound.symbols.symbols.find(
    ({ ownDeclaration, declaration }) =>
      ownDeclaration !== undefined && declaration !== undefined && touches(declaration, offset - unit.start),
  )?.declaration;
  if (range === undefined) return 'There is no name here that can be renamed';
  const text = unit.parsed.text.slice(range.start, range.end);
  return `\`${text}\` declares many registers at once: rename one of them where it is used, and it gets a declaration of its own`;
}

function fixed(s: Snapshot, { symbol }: Occurrence): string | undefined {
  if (symbol.kind === 'value' && (symbol.isGlobal || symbol.declaration === undefined))
    return `\`${symbol.name}\` is a word of the language or not declared at all: it is no name of this file`;
  const isDeclared = symbol.isGlobal
    ? s.declarations(symbol.name).length > 0
    : symbol.declaration !== undefined;
  if (!isDeclared) return `\`${symbol.name}\` is not declared in this file; declare it first`;
  return undefined;
}

export function rename(
  s: Snapshot,
  position: Position,
  newName: string,
): Refusable<{ readonly edits: readonly Edit[] }> {
  const at = occurrenceIn(s, position);
  if (at === undefined) return { refused: nothingHere(s, position) };
  const reason = fixed(s, at) ?? taken(s, at, newName);
  if (reason !== undefined) return { refused: reason };
  if (newName === at.symbol.name) return { edits: [] };

  const byUnit = editsByUnit(s, at, newName);
  const proof = new Renamed(s, at.symbol.isGlobal, at.symbol.name, newName, byUnit);
  for (const index of byUnit.keys()) {
    const fault = proof.faultIn(index);
    if (fault !== undefined) return { refused: fault };
  }
  const edits = [...byUnit].flatMap(([index, list]) =>
    list.map((edit) => ({ range: rangeIn(s, s.units[index], edit.span), newText: edit.newText })),
  );
  return { edits };
}

/** The plain collisions, said plainly; the proof afterwards finds the others. */
function taken(s: Snapshot, { symbol, unit }: Occurrence, newName: string): string | undefined {
  if (newName === symbol.name) return undefined;
  if (newName === '') return 'A name cannot be empty';
  if (symbol.isGlobal) {
    const other = s.declarations(newName).at(0);
    if (other !== undefined)
      return `\`${newName}\` is already declared in line ${lineOf(s, other.unit, other.declaration.span)}`;
    for (const user of s.units)
      if (mentions(user, newName) && user.bound.symbols.symbols.some((x) => x.isGlobal && x.name === newName))
        return `\`${newName}\` is already used as a name of another module`;
    return undefined;
  }
  const other = unit.bound.symbols.symbols.find(
    (x) =>
      x.name === newName && x.declaration !== undefined && (x.isGlobal || overlap(x.scope, symbol.scope)),
  );
  if (other?.declaration === undefined) return undefined;
  return `\`${newName}\` is already a ${other.kind} here, declared in line ${lineOf(s, unit, other.declaration)}`;
}

const lineOf = (s: Snapshot, unit: Unit, place: Span): number => s.lines.lineAt(unit.start + place.start) + 1;

const overlap = (a: Span | undefined, b: Span | undefined): boolean =>
  a === undefined || b === undefined || (a.start < b.end && b.start < a.end);

/** By unit number, in text order, relative to the unit. */
function editsByUnit(s: Snapshot, at: Occurrence, newName: string): Map<number, TextEdit[]> {
  const own = at.symbol.ownDeclaration;
  const byUnit = new Map<number, TextEdit[]>();
  const add = (unit: Unit, edit: TextEdit): void => {
    const list = byUnit.get(unit.index);
    if (list === undefined) byUnit.set(unit.index, [edit]);
    else list.push(edit);
  };
  if (own !== undefined)
    add(at.unit, { span: { start: own.at, end: own.at }, newText: own.before + newName + own.after });
  for (const place of placesOf(s, at)) {
    if (own !== undefined && (place.role & Role.Declaration) !== 0) continue;
    add(place.unit, { span: place.span, newText: newName });
  }
  for (const list of byUnit.values())
    list.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  return byUnit;
}

/** The document after the edits, as far as it is needed to see whether all names mean what they meant. */
class Renamed {
  private readonly parsed = new Map<number, ParsedUnit>();

  constructor(
    private readonly s: Snapshot,
    private readonly isGlobal: boolean,
    private readonly oldName: string,
    private readonly newName: string,
    private readonly edits: ReadonlyMap<number, readonly TextEdit[]>,
  ) {
    for (const [index, list] of edits)
      this.parsed.set(index, s.language.parse(edited(s.units[index].parsed.text, list)));
  }

  faultIn(index: number): string | undefined {
    const before = this.s.units[index];
    const after = this.parsed.get(index)!;
    const { language } = this.s;
    if (
      language.unitEnd(after.text, 0) !== after.text.length ||
      after.problems.length > before.parsed.problems.length
    )
      return `\`${this.newName}\` is not a name in ${language.name}`;
    const bound = language.bind(after, this.environmentOf(before));
    return sameMeaning(before.bound, bound, this.edits.get(index)!, this.oldName, this.newName)
      ? undefined
      : `With the name \`${this.newName}\` the text would mean something else: it is no free name there`;
  }

  private environmentOf(unit: Unit): Environment {
    if (!this.isGlobal) return unit.environment;
    const declared = (name: string, isWanted: (index: number) => boolean): Declaration[] => {
      if (name === this.oldName) return [];
      const asked = name === this.newName ? this.oldName : name;
      return this.s
        .declarations(asked)
        .filter((d) => isWanted(d.unit.index))
        .map((d) =>
          asked === name
            ? d.declaration
            : (this.parsed.get(d.unit.index)?.declares.find((x) => x.name === name) ?? d.declaration),
        );
    };
    const { oldName, newName } = this;
    return {
      ...unit.environment,
      earlier: (name) =>
        name === oldName || name === newName
          ? declared(name, (index) => index < unit.index).reverse()
          : unit.environment.earlier(name),
      later: (name) =>
        name === oldName || name === newName
          ? declared(name, (index) => index > unit.index)
          : unit.environment.later(name),
      setting: (name) => unit.environment.setting(name),
      names: () => [...unit.environment.names()].map((name) => (name === oldName ? newName : name)),
    };
  }
}

function edited(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let last = 0;
  for (const { span, newText } of edits) {
    result += text.slice(last, span.start) + newText;
    last = span.end;
  }
  return result + text.slice(last);
}

/**
 * True when the names of both units, declarations of ranges aside, stand in the same order at the places that the
 * edits moved them to, with the same roles, and are the same name there wherever they were the same name here.
 */
function sameMeaning(
  before: BoundUnit,
  after: BoundUnit,
  edits: readonly TextEdit[],
  oldName: string,
  newName: string,
): boolean {
  const renamed = (detail: string): string =>
    detail
      .split(' ')
      .map((word) => (word === oldName ? newName : word))
      .join(' ');
  const old = mentionsOf(before);
  const fresh = mentionsOf(after);
  if (old.length !== fresh.length) return false;
  if (errorsOf(after) > errorsOf(before)) return false;
  const forward = new Map<number, number>();
  const backward = new Map<number, number>();
  let delta = 0;
  let e = 0;
  for (let k = 0; k < old.length; k++) {
    const a = before.symbols;
    const b = after.symbols;
    const start = a.occurrenceStart[old[k]];
    let length = a.occurrenceEnd[old[k]] - start;
    for (; e < edits.length && edits[e].span.start <= start; e++) {
      if (edits[e].span.start === start && edits[e].span.end > start) {
        length = edits[e].newText.length;
        break;
      }
      delta += edits[e].newText.length - (edits[e].span.end - edits[e].span.start);
    }
    if (b.occurrenceStart[fresh[k]] !== start + delta) return false;
    if (b.occurrenceEnd[fresh[k]] !== start + delta + length) return false;
    if (a.occurrenceRole[old[k]] !== b.occurrenceRole[fresh[k]]) return false;
    if (a.occurrenceInstruction[old[k]] !== b.occurrenceInstruction[fresh[k]]) return false;
    const from = a.occurrenceSymbol[old[k]];
    const to = b.occurrenceSymbol[fresh[k]];
    if ((forward.get(from) ?? to) !== to || (backward.get(to) ?? from) !== from) return false;
    forward.set(from, to);
    backward.set(to, from);
    if (!isAlike(a.symbols[from], b.symbols[to], renamed)) return false;
  }
  return true;
}

/** The detail of one symbol may name another one, as that of a vector does the name it is declared with. */
const isAlike = (a: UnitSymbol, b: UnitSymbol, renamed: (detail: string) => string): boolean =>
  a.kind === b.kind &&
  a.isGlobal === b.isGlobal &&
  (a.detail === b.detail || renamed(a.detail) === b.detail) &&
  a.register >= 0 === b.register >= 0;

/** Occurrences but for declarations of registers, which a register of a range gains. */
function mentionsOf(unit: BoundUnit): number[] {
  const { symbols, occurrenceRole, occurrenceSymbol } = unit.symbols;
  const found: number[] = [];
  for (let k = 0; k < occurrenceRole.length; k++) {
    const { kind } = symbols[occurrenceSymbol[k]];
    const isDeclaration =
      (occurrenceRole[k] & (Role.Declaration | Role.Write | Role.Read)) === Role.Declaration;
    if (!isDeclaration || (kind !== 'register' && kind !== 'predicate')) found.push(k);
  }
  return found;
}

const errorsOf = (unit: BoundUnit): number => unit.problems.filter((p) => p.severity === 'error').length;
