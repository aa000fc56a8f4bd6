import type { CompletionItem, Environment } from '../../language.js';
import { EntityKind, type Entity } from '../bind/entities.js';
import type { PtxBound } from '../bind/index.js';
import type { Scope } from '../bind/scopes.js';
import { opcodeOf } from '../isa/opcode.js';
import { OperandFlag, Shape, type OperandSpec } from '../isa/operand-pattern.js';
import { predefinedConstants, specialRegisters } from '../isa/special-registers.js';
import { accepts, acceptsWider, typeId } from '../isa/types.js';
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
      } else if (!wantsLabel) add(item(e, wantsFunction ? '2' : rank(e, specs, place)));
    }
    for (const range of scope.ranges?.values() ?? []) {
      if (wantsLabel || range.declaration.start > offset) continue;
      add({
        label: `${range.prefix}${firstUnused(scope, range.prefix, range.count)}`,
        kind: 'register',
        detail: `${range.type} (of ${range.prefix}<${range.count}>)`,
        sort: '2',
      });
    }
  }
  if (!wantsLabel) addModuleNames(bound, environment, wantsFunction, add);
  if (
    !wantsLabel &&
    !place.isAddress &&
    (specs.length === 0 || specs.some((s) => (s.flags & OperandFlag.Special) !== 0))
  )
    addSpecial(add);
  if (!wantsLabel && !place.isAddress)
    for (const constant of predefinedConstants.values())
      add({
        label: constant.name,
        kind: 'value',
        detail: String(constant.value),
        key: `special ${constant.name}`,
        sort: '5',
      });
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

/** '0' where the type fits, '3' where it does not. */
function rank(e: Entity, specs: readonly OperandSpec[], place: OperandPlace): string {
  if (e.kind !== EntityKind.Register) return place.isAddress ? '0' : '2';
  const type = typeId(e.type.slice(1));
  if (place.isAddress) return e.type.endsWith('64') || e.type.endsWith('32') ? '1' : '3';
  if (specs.length === 0) return '1';
  if (e.vector > 1) return specs.some((spec) => spec.count === e.vector) ? '0' : '2';
  return specs.some((spec) => spec.type === 0 || accepts(spec.type, type))
    ? '0'
    : specs.some((spec) => (spec.flags & OperandFlag.Wider) !== 0 && acceptsWider(spec.type, type))
      ? '1'
      : '3';
}

/** The lowest number of a range that has no use yet, found among the first ones. */
function firstUnused(scope: Scope, prefix: string, count: number): number {
  const most = Math.min(count, scope.names.size + 1);
  for (let n = 0; n < most; n++) if (!scope.names.has(prefix + String(n))) return n;
  return Math.max(0, count - 1);
}

function addModuleNames(
  bound: PtxBound,
  environment: Environment,
  wantsFunction: boolean,
  add: (item: CompletionItem) => void,
): void {
  for (const name of environment.names())
    if (!name.startsWith('.')) {
      const e = bound.moduleNames.get(name);
      add({
        label: name,
        kind: e === undefined ? (wantsFunction ? 'function' : 'variable') : (kinds[e.kind] ?? 'variable'),
        detail: e === undefined ? 'declared in this file' : `${e.space} ${e.type}`.trim(),
        sort: wantsFunction ? '0' : '4',
      });
    }
}

function addSpecial(add: (item: CompletionItem) => void): void {
  for (const register of specialRegisters.values())
    add({
      label: register.name,
      kind: 'specialRegister',
      detail: `.${register.type}${register.isVector ? ', components .x .y .z' : ''}`,
      key: `special ${register.name}`,
      sort: '5',
    });
}
