import { shift, type Span } from '../../../text/span.js';
import type { Declaration, PlacedUnit } from '../../language.js';
import type { PtxBound } from '../bind/index.js';
import { factOf, fileFacts } from '../declarations.js';
import { smNumber, versionAtLeast } from '../isa/versions.js';
import { TokenKind } from '../tree.js';
import type { SlotArray } from './statements.js';

/** What is in the way for every function of a module. */
export interface ModuleFault {
  readonly span: Span;
  readonly reason: string;
}

type Units = readonly PlacedUnit<PtxBound>[];

interface Placed {
  readonly unit: PlacedUnit<PtxBound>;
  readonly declaration: Declaration;
}

/** Generic addresses, and `cvta` to make them: PTX ISA 2.0, sm_20. */
const OLDEST_VERSION = '2.0';
const OLDEST_TARGET = 20;

export function moduleFault(units: Units): ModuleFault | undefined {
  const header = (name: string): Placed | undefined => find(units, name);
  const version = header(fileFacts.version);
  const target = header(fileFacts.target);
  const addressSize = header(fileFacts.addressSize);
  const start = firstToken(units);
  if (version === undefined) return { span: start, reason: 'the file has no .version; begin it with one' };
  if (target === undefined)
    return { span: placeOf(version), reason: 'the file has no .target; write one behind .version' };
  if (addressSize === undefined)
    return {
      span: placeOf(target),
      reason: 'the file has no .address_size; write .address_size 64 behind .target',
    };
  if (valueOf(addressSize) !== '64')
    return {
      span: placeOf(addressSize),
      reason: `addresses have ${valueOf(addressSize)} bits, but soft stacks lie anywhere in memory; compile for .address_size 64`,
    };
  if (!versionAtLeast(valueOf(version), OLDEST_VERSION))
    return {
      span: placeOf(version),
      reason: `PTX ISA ${valueOf(version)} has no generic addresses; .version ${OLDEST_VERSION} is the first that has`,
    };
  if ((smNumber(valueOf(target)) ?? OLDEST_TARGET) < OLDEST_TARGET)
    return {
      span: placeOf(target),
      reason: `${valueOf(target)} has no generic addresses; sm_${OLDEST_TARGET} is the first that has`,
    };
  const openAcc = openAccMark(units);
  if (openAcc !== undefined)
    return {
      span: openAcc,
      reason:
        'the module is made for OpenACC, which shares vectors and workers in its own way and knows no soft stacks; compile without -fopenacc',
    };
  return undefined;
}

const placeOf = ({ unit, declaration }: Placed): Span => shift(declaration.span, unit.start);

const valueOf = ({ declaration }: Placed): string => {
  const fact = factOf(declaration);
  return fact.kind === 'header' ? (fact.values.at(0) ?? '') : '';
};

function find(units: Units, name: string): Placed | undefined {
  for (const unit of units)
    for (const declaration of unit.bound.parsed.declares)
      if (declaration.name === name) return { unit, declaration };
  return undefined;
}

function firstToken(units: Units): Span {
  const first = units.at(0);
  if (first === undefined) return { start: 0, end: 0 };
  const { tokens } = first.bound.parsed;
  for (let t = 0; t < tokens.count; t++)
    if (tokens.kind[t] < TokenKind.LineComment)
      return shift({ start: tokens.start[t], end: tokens.end[t] }, first.start);
  return { start: first.start, end: first.start };
}

/** Buffers in which OpenACC's workers and vectors hand values on, and the sizes that GCC notes for their launch. */
const openAccName = /^__(?:oacc_bcast|worker_bcast|worker_red|vector_red)$/;
const openAccComment = /^\/\/:FUNC_MAP "[^"]*", (?:0x)?[\da-f]/im;

function openAccMark(units: Units): Span | undefined {
  for (const { start, bound } of units) {
    const { parsed } = bound;
    const declared = parsed.declares.find(({ name }) => openAccName.test(name));
    if (declared !== undefined) return shift(declared.span, start);
    const found = parsed.text.includes('//:FUNC_MAP') ? openAccComment.exec(parsed.text) : null;
    if (found !== null) return { start: start + found.index, end: start + found.index + found[0].length };
  }
  return undefined;
}

/** Debug information that describes one of the variables: it would describe nothing. */
export function describedAt(units: Units, names: ReadonlySet<string>): Span | undefined {
  for (const { start, bound } of units) {
    const { items, text, tokens } = bound.parsed;
    if (!items.some((item) => item.kind === 'section' || item.kind === 'error')) continue;
    for (let t = 0; t < tokens.count; t++) {
      if (tokens.kind[t] !== TokenKind.Identifier) continue;
      const at = { start: tokens.start[t], end: tokens.end[t] };
      if (items.some((item) => item.kind === 'function' && item.start <= at.start && at.end <= item.end))
        continue;
      if (names.has(text.slice(at.start, at.end))) return shift(at, start);
    }
  }
  return undefined;
}

/** Where the slots are declared, and as what. */
export interface DeclaredSlots {
  readonly unit: number;
  /** `.extern`, if it stands there, in the document. */
  readonly extern: Span | undefined;
  readonly isUsable: boolean;
  readonly span: Span;
}

export function declaredSlots(units: Units, array: SlotArray): DeclaredSlots | undefined {
  for (let u = 0; u < units.length; u++) {
    const { start, bound } = units[u];
    for (const item of bound.parsed.items) {
      if (item.kind !== 'variable') continue;
      const declarator = item.declarators.find(({ name }) => name.text === array.name);
      if (declarator === undefined) continue;
      const extern = item.linkage.find(({ text }) => text === '.extern');
      return {
        unit: u,
        extern: extern === undefined ? undefined : shift({ start: extern.start, end: extern.end }, start),
        isUsable: item.space.text === '.shared' && /^\.[bus]64$/.test(item.type?.text ?? ''),
        span: shift({ start: item.start, end: item.end }, start),
      };
    }
  }
  return undefined;
}

/** Behind the last directive of the header, where declarations begin. */
export function behindHeader(units: Units): { readonly unit: number; readonly at: number } {
  for (let u = 0; u < units.length; u++) {
    const item = units[u].bound.parsed.items.findLast(
      (i) => i.kind === 'header' && i.directive === fileFacts.addressSize,
    );
    if (item !== undefined) return { unit: u, at: units[u].start + item.end };
  }
  return { unit: 0, at: 0 };
}
