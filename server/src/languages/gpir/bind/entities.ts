import { IntList } from '../../../ir/int-list.js';
import type { Place } from '../../../ir/place.js';
import type { Span } from '../../../text/span.js';
import type { SymbolIndex, SymbolKind, UnitSymbol } from '../../symbols.js';
import type { Instruction } from '../tree.js';

/** A name of the program: its entry in the symbol table, which grows with what is found out. */
export interface Entity extends UnitSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  kindName: string | undefined;
  detail: string;
  declaration: Span | undefined;
  extent: Span | undefined;
  readonly isGlobal: boolean;
  readonly register: number;
  /** Index in the symbol table. */
  readonly symbol: number;
  /** What stands for it in an operand; undefined for what no operand can be. */
  readonly place: Place | undefined;
  reads: number;
  writes: number;
  /** The sound instruction that defines a value. */
  definition: Instruction | undefined;
}

/** All names, and where they stand, in text order. */
export interface Table {
  readonly entities: Entity[];
  readonly start: IntList;
  readonly end: IntList;
  readonly symbol: IntList;
  readonly role: IntList;
  readonly instruction: IntList;
}

/** `size`: about how many occurrences there will be. */
export const emptyTable = (size: number): Table => ({
  entities: [],
  start: new IntList(size),
  end: new IntList(size),
  symbol: new IntList(size),
  role: new IntList(size),
  instruction: new IntList(size),
});

export const addEntity = (
  table: Table,
  name: string,
  kind: SymbolKind,
  kindName?: string,
  isGlobal = false,
): Entity => add(table, name, kind, kindName, '', isGlobal, -1, undefined);

/** A value or register; `register` is its virtual register, or -1. */
export const addVariable = (
  table: Table,
  name: string,
  kind: 'value' | 'register',
  register: number,
  place: Place | undefined,
): Entity => add(table, name, kind, undefined, kind, false, register, place);

function add(
  table: Table,
  name: string,
  kind: SymbolKind,
  kindName: string | undefined,
  detail: string,
  isGlobal: boolean,
  register: number,
  place: Place | undefined,
): Entity {
  const fresh: Entity = {
    name,
    kind,
    kindName,
    detail,
    declaration: undefined,
    extent: undefined,
    isGlobal,
    register,
    symbol: table.entities.length,
    place,
    reads: 0,
    writes: 0,
    definition: undefined,
  };
  table.entities.push(fresh);
  return fresh;
}

/** `instruction` is the code's number, or -1. */
export function record(
  table: Table,
  e: Entity,
  start: number,
  end: number,
  role: number,
  instruction: number,
): void {
  table.start.push(start);
  table.end.push(end);
  table.symbol.push(e.symbol);
  table.role.push(role);
  table.instruction.push(instruction);
}

/** `before`: pseudo instructions in front of the code's first one. */
export function symbolIndex(table: Table, before: number): SymbolIndex {
  const occurrenceInstruction = table.instruction.toArray();
  if (before > 0)
    for (let k = 0; k < occurrenceInstruction.length; k++)
      if (occurrenceInstruction[k] >= 0) occurrenceInstruction[k] += before;
  return {
    symbols: table.entities,
    occurrenceStart: table.start.toArray(),
    occurrenceEnd: table.end.toArray(),
    occurrenceSymbol: table.symbol.toArray(),
    occurrenceRole: new Uint8Array(table.role.view()),
    occurrenceInstruction,
  };
}
