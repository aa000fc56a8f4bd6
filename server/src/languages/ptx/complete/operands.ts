import type { CompletionItem, Environment } from '../../language.js';
import { EntityKind, type Entity } from '../bind/entities.js';
import type { PtxBound } from '../bind/index.js';
import type { Scope } from '../bind/scopes.js';
import { opcodeOf } from '../isa/opcode.js';
import { OperandFlag, Shape, type OperandSpec } from '../isa/operand-pattern.js';
import { predefinedConstants, specialRegisters } from '../isa/special-registers.js';
import { factOf } from '../declarations.js';
import {
  accepts,
  acceptsWider,
  isBitsType,
  isFloatType,
  isIntegerType,
  spaceId,
  typeBits,
  typeId,
} from '../isa/types.js';
import type { Place } from './place.js';

/**
 * Names that fit an operand. Registers of the right type come first, then others; labels where a label is wanted,
 * functions after `call`. At most `LIMIT` names are given; the editor asks again as more is typed.
 */
const LIMIT = 500;

export interface OperandItems {
  readonly list: readonly CompletionItem[];
  readonly isIncomplete: boolean;
}

type OperandPlace = Extract<Place, { kind: 'operand' }>;

export function operandItems(
  bound: PtxBound,
  offset: number,
  place: OperandPlace,
  environment: Environment,
): OperandItems {
  const base = place.opcode.split('.')[0];
  const specs = opcodeOf(place.opcode).forms.flatMap((form) => form.operands.at(place.index) ?? []);
  const want: Wanted = { specs, place };
  const wantsLabel = base === 'bra' || specs.some((spec) => spec.shape === Shape.Label);
  const wantsFunction = base === 'call' && !place.isArgument;
  const collector = new Map<string, CompletionItem>();
  const isFull = (): boolean => collector.size >= LIMIT;
  const add = (item: CompletionItem): void => {
    if (!isFull() && item.label.startsWith(place.prefix) && !collector.has(item.label))
      collector.set(item.label, item);
  };
  for (let scope = scopeAt(bound, offset); scope !== undefined && !isFull(); scope = scope.parent) {
    for (const e of scope.names.values()) {
      if (isFull()) break;
      if (!isDeclared(e, offset)) continue;
      if (e.kind === EntityKind.Label || e.kind === EntityKind.Targets) {
        if (wantsLabel || base === 'brx') add(item(e, '0'));
      } else if (e.kind === EntityKind.Prototype) {
        if (wantsFunction) add(item(e, '1'));
      } else if (!wantsLabel) {
        const sort = wantsFunction ? '2' : rank(e, want);
        if (sort !== undefined) add(item(e, sort));
      }
    }
    for (const range of scope.ranges?.values() ?? []) {
      if (wantsLabel || range.declaration.start > offset) continue;
      const rangeSort = registerRank(range.type, 1, want);
      if (rangeSort === undefined) continue;
      add({
        label: `${range.prefix}${firstUnused(scope, range.prefix, range.count)}`,
        kind: 'register',
        detail: `${range.type} (of ${range.prefix}<${range.count}>)`,
        // Behind the registers that are in use already.
        sort: `${rangeSort}~`,
      });
    }
  }
  if (!wantsLabel && (wantsFunction || takesNames(want)))
    addModuleNames(environment, wantsFunction ? undefined : want, add);
  if (!wantsLabel && !place.isAddress) {
    addSpecial(specs, add);
    if (specs.length === 0 || specs.some(takesInteger)) addPredefined(add);
  }
  return { list: [...collector.values()], isIncomplete: isFull() };
}

export function predicateItems(bound: PtxBound, offset: number, prefix: string): OperandItems {
  const list: CompletionItem[] = [];
  for (let scope = scopeAt(bound, offset); scope !== undefined; scope = scope.parent)
    for (const e of scope.names.values())
      if (
        list.length < LIMIT &&
        e.kind === EntityKind.Register &&
        e.type === '.pred' &&
        e.name.startsWith(prefix) &&
        isDeclared(e, offset)
      )
        list.push(item(e, '0'));
  return { list, isIncomplete: list.length >= LIMIT };
}

/** The innermost scope that encloses the offset. */
function scopeAt(bound: PtxBound, offset: number): Scope | undefined {
  for (const f of bound.functions) {
    if (offset < f.item.start || offset > f.item.end) continue;
    return f.scopes.findLast((scope) => scope.span.start <= offset && offset <= scope.span.end);
  }
  return undefined;
}

const isDeclared = (e: Entity, offset: number): boolean =>
  e.kind === EntityKind.Label || e.scope === undefined || (e.scope.start <= offset && offset <= e.scope.end);

const kinds: Readonly<Partial<Record<EntityKind, CompletionItem['kind']>>> = {
  [EntityKind.Register]: 'register',
  [EntityKind.Label]: 'label',
  [EntityKind.Targets]: 'label',
  [EntityKind.Prototype]: 'label',
  [EntityKind.Parameter]: 'parameter',
  [EntityKind.Function]: 'function',
};

const item = (e: Entity, sort: string): CompletionItem => ({
  label: e.name,
  kind: kinds[e.kind] ?? 'variable',
  detail: [e.space === '.reg' ? '' : e.space, e.vector > 1 ? `.v${e.vector}` : '', e.type]
    .filter((w) => w !== '')
    .join(' '),
  sort,
});

/** What the tables say about the operand at the cursor; no specifications where they do not know. */
interface Wanted {
  readonly specs: readonly OperandSpec[];
  readonly place: OperandPlace;
}

/** How well a name fits, as the start of its sort text; undefined where it cannot stand. */
function rank(e: Entity, want: Wanted): string | undefined {
  if (e.kind === EntityKind.Register) return registerRank(e.type, e.vector, want);
  return takesNames(want) && isAddressed(e.space, want) ? (want.place.isAddress ? '1' : '2') : undefined;
}

/** Whether an address may name a variable of this space; a generic one names what has a generic address. */
function isAddressed(space: string, { specs, place }: Wanted): boolean {
  const known = specs.filter((spec) => spec.shape === Shape.Address && spec.spaces !== 0);
  const bit = spaceId(space.replace('.', ''));
  if (!place.isAddress || place.isElement || known.length === 0 || bit <= 0) return true;
  const isGeneric = space === '.global' || space === '.shared' || space === '.local';
  return known.some((spec) => (spec.spaces & (1 << bit)) !== 0 || (spec.spaces === 1 && isGeneric));
}

/** Whether the name of a variable may stand there. */
const takesNames = ({ specs, place }: Wanted): boolean =>
  place.isAddress ||
  place.isArgument ||
  specs.length === 0 ||
  specs.some((spec) => (spec.flags & OperandFlag.Symbol) !== 0 || spec.shape !== Shape.Value);

function registerRank(typeText: string, vector: number, { specs, place }: Wanted): string | undefined {
  const type = typeId(typeText.slice(1));
  if (specs.length === 0) return place.isAddress ? addressRank(type, vector, false) : '1';
  if (place.isAddress) {
    const isFirst = !place.isElement;
    if (isFirst)
      return addressRank(
        type,
        vector,
        specs.every((spec) => (spec.flags & OperandFlag.Wide) !== 0),
      );
    const elements = specs.flatMap((spec) => spec.elements.slice(1));
    return best(elements, type, vector) ?? (elements.length === 0 ? '1' : undefined);
  }
  return best(specs, type, vector);
}

/** 64 bits first; 32 only where memory is addressed through a window. */
function addressRank(type: number, vector: number, isWide: boolean): string | undefined {
  if (vector > 1 || isFloatType(type)) return undefined;
  if (typeBits(type) === 64) return '0';
  return typeBits(type) === 32 && !isWide ? '1' : undefined;
}

function best(specs: readonly OperandSpec[], type: number, vector: number): string | undefined {
  let found: string | undefined;
  for (const spec of specs) {
    // In braces, the elements of the vector are what is written.
    if (vector > 1 && spec.count !== vector && spec.type !== 0) continue;
    if (spec.shape !== Shape.Value || spec.type === 0 || accepts(spec.type, type)) return '0';
    if ((spec.flags & OperandFlag.Wider) !== 0 && acceptsWider(spec.type, type)) found = '1';
    if ((spec.flags & OperandFlag.PairOptional) !== 0 && type === predicate) found ??= '2';
    if ((spec.flags & OperandFlag.PairRequired) !== 0 && type === predicate) found ??= '2';
  }
  return found;
}

const predicate = typeId('pred');

/** The lowest number of a range that has no use yet, found among the first ones. */
function firstUnused(scope: Scope, prefix: string, count: number): number {
  const most = Math.min(count, scope.names.size + 1);
  for (let n = 0; n < most; n++) if (!scope.names.has(prefix + String(n))) return n;
  return Math.max(0, count - 1);
}

/** Names of the module level: functions first behind `call`, else variables of the space that is addressed. */
function addModuleNames(
  environment: Environment,
  want: Wanted | undefined,
  add: (item: CompletionItem) => void,
): void {
  for (const name of environment.names()) {
    if (name.startsWith('.')) continue;
    const declaration = environment.earlier(name).at(0);
    const fact = declaration === undefined ? undefined : factOf(declaration);
    const isFunction = fact?.kind === 'function';
    if (want !== undefined && fact?.kind === 'variable' && !isAddressed(fact.space, want)) continue;
    if (want?.place.isAddress === true && isFunction) continue;
    add({
      label: name,
      kind: isFunction ? 'function' : 'variable',
      detail: fact?.kind === 'variable' ? `${fact.space} ${fact.type}` : 'declared in this file',
      sort: want === undefined ? (isFunction ? '0' : '4') : want.place.isAddress ? '1' : '4',
    });
  }
}

/** A 16-bit instruction reads the low half of a special register of 32 bits. */
const takesSpecial = (spec: OperandSpec, type: number): boolean =>
  (spec.flags & OperandFlag.Special) !== 0 &&
  (spec.type === 0 ||
    accepts(spec.type, type) ||
    ((spec.flags & OperandFlag.Wider) !== 0 && acceptsWider(spec.type, type)) ||
    (typeBits(spec.type) < 32 && typeBits(type) === 32 && !isFloatType(spec.type)));

function addSpecial(specs: readonly OperandSpec[], add: (item: CompletionItem) => void): void {
  for (const register of specialRegisters.values()) {
    const type = typeId(register.type);
    if (specs.length > 0 && !specs.some((spec) => takesSpecial(spec, type))) continue;
    add({
      label: register.name,
      kind: 'specialRegister',
      detail: `.${register.type}${register.isVector ? ', components .x .y .z' : ''}`,
      key: `special ${register.name}`,
      sort: '5',
    });
  }
}

const takesInteger = (spec: OperandSpec): boolean =>
  spec.shape === Shape.Value &&
  (spec.flags & (OperandFlag.Written | OperandFlag.RegisterOnly)) === 0 &&
  (spec.type === 0 || isIntegerType(spec.type) || isBitsType(spec.type));

function addPredefined(add: (item: CompletionItem) => void): void {
  for (const constant of predefinedConstants.values())
    add({
      label: constant.name,
      kind: 'value',
      detail: String(constant.value),
      key: `special ${constant.name}`,
      sort: '6',
    });
}
