import { IntList } from '../../../ir/int-list.js';
import type { Place } from '../../../ir/place.js';
import type { Instruction } from '../tree.js';
import type { Span } from '../../../text/span.js';
import type { SymbolIndex, SymbolKind, UnitSymbol } from '../../symbols.js';

/** A name of the program, with what is known of it. */
export interface Entity {
  readonly name: string;
  readonly kind: SymbolKind;
  /** Index in the symbol table. */
  readonly symbol: number;
  detail: string;
  declaration: Span | undefined;
  extent: Span | undefined;
  readonly isGlobal: boolean;
  /** Number of the virtual register, or -1. */
  register: number;
  /** What stands for it in an operand. */
  place: Place | undefined;
  reads: number;
  writes: number;
  firstRead: Span | undefined;
  /** The sound instruction that defines a value. */
  definition: Instruction | undefined;
}

export interface Table {
  readonly entities: Entity[];
  readonly start: IntList;
  readonly end: IntList;
  readonly symbol: IntList;
  readonly role: IntList;
  readonly instruction: IntList;
}

export const emptyTable = (): Table => ({
  entities: [],
  start: new IntList(),
  end: new IntList(),
  symbol: new IntList(),
  role: new IntList(),
  instruction: new IntList(),
});

export function addEntity(table: Table, name: string, kind: SymbolKind, isGlobal = false): Entity {
  const fresh: Entity = {
    name,
    kind,
    symbol: table.entities.length,
    detail: '',
    declaration: undefined,
    extent: undefined,
    isGlobal,
    register: -1,
    place: undefined,
    reads: 0,
    writes: 0,
    firstRead: undefined,
    definition: undefined,
  };
  table.entities.push(fresh);
  return fresh;
}

/** Occurrences are recorded in text order. `instruction` is the code's number, or -1. */
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
    symbols: table.entities.map(unitSymbol),
    occurrenceStart: table.start.toArray(),
    occurrenceEnd: table.end.toArray(),
    occurrenceSymbol: table.symbol.toArray(),
    occurrenceRole: Uint8Array.from(table.role.view()),
    occurrenceInstruction,
  };
}

function unitSymbol(e: Entity): UnitSymbol {
  const { name, kind, detail, declaration, extent, isGlobal, register } = e;
  if (declaration === undefined) return { name, kind, detail, isGlobal, register };
  if (extent === undefined) return { name, kind, detail, declaration, isGlobal, register };
  return { name, kind, detail, declaration, extent, isGlobal, register };
}
