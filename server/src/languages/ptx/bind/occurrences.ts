import type { Span } from '../../../text/span.js';
import type { Role } from '../../symbols.js';
import { type SymbolIndex, type SymbolKind, type UnitSymbol } from '../../symbols.js';
import { EntityKind, type Entity } from './entities.js';
import { IntList } from '../../../ir/int-list.js';

/** Where names stand, collected in text order and made into a `SymbolIndex` at the end. */
export interface Occurrences {
  readonly entities: Entity[];
  readonly start: IntList;
  readonly end: IntList;
  readonly symbol: IntList;
  readonly role: IntList;
  readonly instruction: IntList;
}

/** With room for about so many. */
export const noOccurrences = (expected: number): Occurrences => ({
  entities: [],
  start: new IntList(expected),
  end: new IntList(expected),
  symbol: new IntList(expected),
  role: new IntList(expected),
  instruction: new IntList(expected),
});

export function record(log: Occurrences, e: Entity, at: Span, role: Role | number, instruction = -1): void {
  if (e.symbol < 0) {
    e.symbol = log.entities.length;
    log.entities.push(e);
  }
  log.start.push(at.start);
  log.end.push(at.end);
  log.symbol.push(e.symbol);
  log.role.push(role);
  log.instruction.push(instruction);
}

const kinds: Readonly<Record<EntityKind, SymbolKind>> = {
  [EntityKind.Register]: 'register',
  [EntityKind.Variable]: 'variable',
  [EntityKind.Parameter]: 'parameter',
  [EntityKind.Label]: 'label',
  [EntityKind.Prototype]: 'prototype',
  [EntityKind.Targets]: 'prototype',
  [EntityKind.ModuleVariable]: 'variable',
  [EntityKind.Function]: 'function',
  [EntityKind.SpecialRegister]: 'value',
  [EntityKind.Unknown]: 'value',
};

function kindOf(e: Entity): SymbolKind {
  if (e.kind === EntityKind.Register && e.type === '.pred') return 'predicate';
  if (e.kind === EntityKind.Function && e.fact?.kind === 'function' && e.fact.isEntry) return 'kernel';
  return kinds[e.kind];
}

function detailOf(e: Entity): string {
  if (e.kind === EntityKind.Label) return '';
  const array =
    e.fact?.kind === 'variable' ? e.fact.dimensions.map((n) => (n < 0 ? '[]' : `[${n}]`)).join('') : '';
  const words = [e.space, e.vector > 1 ? `.v${e.vector}` : '', e.type + array];
  return words.filter((word) => word !== '').join(' ');
}

function unitSymbol(e: Entity): UnitSymbol {
  if (e.range !== undefined)
    return {
      name: e.name,
      kind: kindOf(e),
      detail: e.range.detail,
      declaration: e.range.declaration,
      extent: e.range.extent,
      scope: e.range.scope,
      isGlobal: false,
      register: e.register,
      ownDeclaration: e.range.ownDeclaration,
    };
  const isGlobal = e.kind === EntityKind.ModuleVariable || e.kind === EntityKind.Function;
  const { name, declaration, extent, scope, register } = e;
  if (declaration === undefined || extent === undefined || scope === undefined)
    return {
      name,
      kind: kindOf(e),
      detail: detailOf(e),
      ...(declaration !== undefined && { declaration }),
      ...(extent !== undefined && { extent }),
      ...(scope !== undefined && { scope }),
      isGlobal,
      register,
    };
  return { name, kind: kindOf(e), detail: detailOf(e), declaration, extent, scope, isGlobal, register };
}

/** The index; occurrences sorted by start, an occurrence inside another one dropped. */
export function symbolIndex(log: Occurrences): SymbolIndex {
  const count = log.start.length;
  const order = isSorted(log) ? undefined : sortedOrder(log);
  const occurrenceStart = new Int32Array(count);
  const occurrenceEnd = new Int32Array(count);
  const occurrenceSymbol = new Int32Array(count);
  const occurrenceRole = new Uint8Array(count);
  const occurrenceInstruction = new Int32Array(count);
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const i = order === undefined ? k : order[k];
    if (kept > 0 && log.start.at(i) < occurrenceEnd[kept - 1]) continue;
    occurrenceStart[kept] = log.start.at(i);
    occurrenceEnd[kept] = log.end.at(i);
    occurrenceSymbol[kept] = log.symbol.at(i);
    occurrenceRole[kept] = log.role.at(i);
    occurrenceInstruction[kept] = log.instruction.at(i);
    kept++;
  }
  return {
    symbols: log.entities.map(unitSymbol),
    occurrenceStart: occurrenceStart.subarray(0, kept),
    occurrenceEnd: occurrenceEnd.subarray(0, kept),
    occurrenceSymbol: occurrenceSymbol.subarray(0, kept),
    occurrenceRole: occurrenceRole.subarray(0, kept),
    occurrenceInstruction: occurrenceInstruction.subarray(0, kept),
  };
}

function isSorted(log: Occurrences): boolean {
  for (let i = 1; i < log.start.length; i++) if (log.start.at(i) < log.start.at(i - 1)) return false;
  return true;
}

function sortedOrder(log: Occurrences): Int32Array {
  return Int32Array.from({ length: log.start.length }, (_, i) => i).sort(
    (a, b) => log.start.at(a) - log.start.at(b),
  );
}
