import { Space } from '../../../ir/payload.js';
import { physical, virtual } from '../../../ir/place.js';
import type { Code as ProblemCode } from '../../../text/codes.js';
import type { Fix, Problem, RelatedPlace, Severity } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import type { Environment } from '../../language.js';
import { ClassNumber } from '../classes.js';
import { limits } from '../isa/machine.js';
import { spaceNames } from '../locations.js';
import type { GpirUnit, LocationOperand, NumberedName, PhysicalOperand } from '../tree.js';
import { emptyCode, type Code, type PlacedLabel } from './code.js';
import { addEntity, addVariable, emptyTable, type Entity, type Table } from './entities.js';

/** What binding one unit has found so far. */
export interface Context {
  readonly unit: GpirUnit;
  readonly environment: Environment;
  readonly problems: Problem[];
  readonly table: Table;
  readonly code: Code;
  /** Values, registers and physical registers by number (`GpirUnit.names`). */
  readonly variables: (Entity | undefined)[];
  readonly labels: Map<string, Entity>;
  /** Every label that the program defines, also further down. */
  readonly defined: ReadonlySet<string>;
  readonly placed: Map<string, PlacedLabel>;
  /** Vectors of the four spaces, by `space << 24 | index`. */
  readonly vectors: Map<number, Entity>;
  /** Vectors that are beyond the driver's limit, of which that was said. */
  readonly warned: Set<number>;
  /** Suggestions that may still be looked for. */
  suggestions: number;
  /** Where the search for an unused name begins. */
  freshNumber: number;
}

export const makeContext = (unit: GpirUnit, environment: Environment): Context => ({
  unit,
  environment,
  problems: [],
  table: emptyTable(unit.tokens.count),
  code: emptyCode(unit.statements.length),
  variables: new Array<Entity | undefined>(unit.names.texts.length).fill(undefined),
  labels: new Map(),
  defined: new Set(unit.statements.flatMap((s) => (s.kind === 'label' ? [s.name.text] : []))),
  placed: new Map(),
  vectors: new Map(),
  warned: new Set(),
  suggestions: 16,
  freshNumber: 0,
});

interface More {
  readonly fixes?: readonly Fix[];
  readonly related?: readonly RelatedPlace[];
  readonly isUnnecessary?: boolean;
}

export function report(
  context: Context,
  code: ProblemCode,
  severity: Severity,
  span: Span,
  message: string,
  { fixes = [], related = [], isUnnecessary = false }: More = {},
): void {
  context.problems.push({
    code,
    severity,
    span: { start: span.start, end: span.end },
    message,
    ...(related.length > 0 && { related }),
    ...(fixes.length > 0 && { fixes }),
    ...(isUnnecessary && { tags: ['unnecessary'] }),
  });
}

/** The value `%x`; a virtual register of its own. */
export const valueOf = (context: Context, name: NumberedName): Entity =>
  context.variables[name.number] ?? named(context, name, 'value', ClassNumber.Value);

/** The register `@x`. */
export const registerOf = (context: Context, name: NumberedName): Entity =>
  context.variables[name.number] ?? named(context, name, 'register', ClassNumber.Register);

function named(
  context: Context,
  { number, text }: NumberedName,
  kind: 'value' | 'register',
  registerClass: ClassNumber,
): Entity {
  const register = newRegister(context.code, text, registerClass);
  const fresh = addVariable(context.table, text, kind, register, virtual(register));
  context.variables[number] = fresh;
  return fresh;
}

/** Whether a value or register of this name stands in the unit. */
export const isNamed = (context: Context, name: string): boolean => context.unit.names.find(name) >= 0;

export function newRegister(code: Code, name: string, registerClass: ClassNumber): number {
  code.registerClasses.push(registerClass);
  return code.registerNames.push(name) - 1;
}

/** The register `$3.x`; without a place when the machine does not have it. */
export function physicalOf(context: Context, operand: PhysicalOperand): Entity {
  const { name, index, component } = operand;
  const known = context.variables[name.number];
  if (known !== undefined) return known;
  const place = index < limits.registers ? physical(ClassNumber.Register, 4 * index + component) : undefined;
  const fresh = addVariable(context.table, name.text, 'register', -1, place);
  fresh.kindName = 'physical register';
  fresh.detail = fresh.kindName;
  context.variables[name.number] = fresh;
  return fresh;
}

/** The vector `a0` of the location `a0.x`. */
export function vectorOf(context: Context, space: Space, index: number, name: string): Entity {
  const key = (space << 24) | index;
  const known = context.vectors.get(key);
  if (known !== undefined) return known;
  const fresh = addEntity(
    context.table,
    name,
    space === Space.Attribute ? 'parameter' : 'variable',
    spaceNames[space],
  );
  fresh.detail = spaceNames[space];
  context.vectors.set(key, fresh);
  return fresh;
}

export const vectorName = ({ name, vectorEnd }: LocationOperand): string =>
  name.text.slice(0, vectorEnd - name.start);

export function labelOf(context: Context, name: string): Entity {
  const known = context.labels.get(name);
  if (known !== undefined) return known;
  const fresh = addEntity(context.table, name, 'label');
  context.labels.set(name, fresh);
  return fresh;
}

/** The label's place in the code, to be filled in where it is defined. */
export function placedLabel(context: Context, name: string): PlacedLabel {
  const known = context.placed.get(name);
  if (known !== undefined) return known;
  const fresh = { name, position: -1 };
  context.placed.set(name, fresh);
  return fresh;
}

export const fix = (title: string, span: Span, newText: string, preferred = false): Fix => ({
  title,
  edits: [{ span: { start: span.start, end: span.end }, newText }],
  ...(preferred && { preferred }),
});

/** `prefix` with the first number that makes a name which `isTaken` does not know. Each number is tried once a unit. */
export function freshName(context: Context, prefix: string, isTaken: (name: string) => boolean): string {
  while (isTaken(`${prefix}${context.freshNumber}`)) context.freshNumber++;
  return `${prefix}${context.freshNumber}`;
}

/** A name for a message; long ones are cut. */
export const shown = (name: string): string => (name.length > 40 ? `${name.slice(0, 37)}...` : name);
