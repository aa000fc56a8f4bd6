import type { Problem, RelatedPlace } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import { nearestName } from '../../../text/nearest.js';
import { specialRegisters } from '../isa/special-registers.js';
import { accepts, acceptsWider, typeId } from '../isa/types.js';
import { types } from '../types.js';
import type { FunctionItem, Name } from '../tree.js';
import type { Context } from './context.js';
import { EntityKind, type Entity } from './entities.js';
import {
  allDeclarations,
  hiddenDeclarations,
  visible,
  type HiddenDeclaration,
  type Scope,
} from './scopes.js';

/**
 * Why a name means nothing where it stands, and what would help. Comparing a name with all others is bounded: the
 * first few unknown names of a unit get a suggestion, a program that is all wrong stays fast.
 */
export interface UnknownNames {
  readonly item: FunctionItem;
  declarations: ReturnType<typeof allDeclarations> | undefined;
  readonly suggestions: Map<string, string>;
  /** Lists of registers by scope and type. */
  readonly lists: Map<string, string>;
  /** What the declarations that could not be read may have declared. */
  readonly lost: LostNames;
}

/** Names, each also as the beginning of a longer one or of a range; `any`: a declaration has lost all of its names. */
export interface LostNames {
  any: boolean;
  readonly prefixes: Set<string>;
}

export function loseNames(unknown: UnknownNames, names: readonly Name[]): void {
  if (names.length === 0) unknown.lost.any = true;
  for (const { text } of names) unknown.lost.prefixes.add(/^(..+?)\d+$/.exec(text)?.[1] ?? text);
}

/** Beyond, a name is not what somebody is typing. */
const LOST_LENGTH = 64;

function isLost({ lost }: UnknownNames, name: string): boolean {
  if (lost.any && name.startsWith('%')) return true;
  if (lost.prefixes.size === 0) return false;
  for (let length = Math.min(name.length, LOST_LENGTH); length > 0; length--)
    if (lost.prefixes.has(name.slice(0, length))) return true;
  return false;
}

const SUGGESTION_LIMIT = 50;
const CANDIDATE_LIMIT = 5000;

export const noUnknownNames = (item: FunctionItem): UnknownNames => ({
  item,
  declarations: undefined,
  suggestions: new Map(),
  lists: new Map(),
  lost: { any: false, prefixes: new Set() },
});

/** How the name is used, which decides what it should have been. */
export type Use =
  | { readonly kind: 'label' }
  /** `stub` declares it, as far as the call says how. */
  | { readonly kind: 'function'; readonly stub?: string | undefined }
  /** `type` with its dot, of the register that the instruction wants there; '' when it wants none in particular. */
  | { readonly kind: 'value'; readonly type: string; readonly component: string | undefined };

/** Reports a name that means nothing, unless a declaration with a problem of its own may have declared it. */
export function reportUnknownValue(
  context: Context,
  unknown: UnknownNames,
  scope: Scope,
  name: string,
  span: Span,
  use: Use,
): void {
  if (use.kind === 'value' && isLost(unknown, name)) return;
  context.problems.push(unknownName(context, unknown, scope, name, span, use));
}

export function unknownName(
  context: Context,
  unknown: UnknownNames,
  scope: Scope,
  name: string,
  span: Span,
  use: Use,
): Problem {
  const at = { start: span.start, end: span.end };
  const hidden = hiddenProblem(unknown, scope, name, at, use);
  if (hidden !== undefined) return hidden;
  const later = laterProblem(context, name, at);
  if (later !== undefined) return later;
  if (use.kind === 'function') return unknownFunction(context, unknown, scope, name, at, use.stub);
  if (use.kind === 'label') return unknownLabel(unknown, scope, name, at);
  if (name.startsWith('%')) {
    const special = nearestSpecial(name, use.type);
    if (special !== undefined && (use.component !== undefined || cudaNames.has(name)))
      return unknownSpecial(name, special, use.component, at);
  }
  return unknownValue(unknown, scope, name, at, use);
}

function hiddenProblem(
  unknown: UnknownNames,
  scope: Scope,
  name: string,
  span: Span,
  use: Use,
): Problem | undefined {
  unknown.declarations ??= allDeclarations(unknown.item);
  let later: HiddenDeclaration | undefined;
  let inner: HiddenDeclaration | undefined;
  for (const hidden of hiddenDeclarations(unknown.declarations, name)) {
    const encloses = hidden.block.start <= span.start && span.end <= hidden.block.end;
    if (encloses && hidden.span.start > span.start) later ??= hidden;
    if (!encloses) inner ??= hidden;
  }
  if (later !== undefined)
    return {
      code: 'name/used-before-declaration',
      severity: 'error',
      span,
      message: `'${name}' is used before its declaration; declare it earlier in this block`,
      related: [{ span: later.span, message: `'${name}' is declared here` }],
    };
  if (inner === undefined) return undefined;
  const related: RelatedPlace[] = [{ span: inner.span, message: `'${name}' belongs to this block` }];
  if (inner.isLabel || use.kind === 'label')
    return {
      code: 'name/branch-into-block',
      severity: 'error',
      span,
      message: `label '${name}' is inside a nested block; a branch cannot enter a block from outside`,
      related,
    };
  const text =
    inner.block.end <= span.start
      ? 'in an inner scope that has ended'
      : 'in another scope, which is not open here';
  return {
    code: 'name/out-of-scope',
    severity: 'error',
    span,
    message: `'${name}' was declared ${text}; declare it in a block that encloses both`,
    related,
    ...suggestionFixes(nearest(unknown, scope, name), span),
  };
}

/** Says that a name stands further down; undefined when it stands nowhere. */
export function laterProblem(context: Context, name: string, span: Span): Problem | undefined {
  const later = context.mentions.has(name) ? context.environment.later(name).at(0) : undefined;
  if (later === undefined) return undefined;
  const related: RelatedPlace[] = [
    { span: { start: 0, end: name.length }, anchor: name, message: `'${name}' is declared here` },
  ];
  if (context.header.dialect.isGcc)
    return {
      code: 'name/declared-later',
      severity: 'information',
      span,
      message: `'${name}' is declared later in the file; this is raw GCC output, run it through nvptx-none-as, which sorts the declarations`,
      related,
    };
  return {
    code: 'name/used-before-declaration',
    severity: 'error',
    span,
    message: `'${name}' is declared only later in the file; move the declaration up, or declare it before this function`,
    related,
  };
}

/** Entry points of the OptiX device library, which the OptiX driver supplies when it compiles a module. */
function unknownFunction(
  context: Context,
  unknown: UnknownNames,
  scope: Scope,
  name: string,
  span: Span,
  stub: string | undefined,
): Problem {
  if (context.header.dialect.isIntrinsic(name))
    return {
      code: 'name/optix-intrinsic',
      severity: 'information',
      span,
      message: `'${name}' is an OptiX intrinsic that is declared nowhere: the OptiX driver knows it, ptxas alone refuses this call`,
    };
  const near = nearest(unknown, scope, name, (e) => e.kind === EntityKind.Function, context);
  const fixes = [...(suggestionFixes(near, span).fixes ?? [])];
  const { start } = unknown.item;
  if (stub !== undefined)
    fixes.push({
      title: `Declare '${name}' as an .extern .func`,
      edits: [{ span: { start, end: start }, newText: `${stub}\n\n` }],
    });
  return {
    code: 'name/undeclared-function',
    severity: 'error',
    span,
    message: `function '${name}' is not declared before this call${near === undefined ? '; add an .extern .func declaration above this function' : `; did you mean '${near}'?`}`,
    ...(fixes.length > 0 && { fixes }),
  };
}

function unknownLabel(unknown: UnknownNames, scope: Scope, name: string, span: Span): Problem {
  const near = nearest(unknown, scope, name, (e) => e.kind === EntityKind.Label);
  return {
    code: 'name/unknown-label',
    severity: 'error',
    span,
    message: `label '${name}' is not defined in this function${near === undefined ? '' : `; did you mean '${near}'?`}`,
    ...suggestionFixes(near, span),
  };
}

/** What people write who have the names of CUDA C++ in mind. */
const cudaNames: ReadonlyMap<string, string> = new Map([
  ['%thread', '%tid'],
  ['%threadid', '%tid'],
  ['%threadIdx', '%tid'],
  ['%block', '%ctaid'],
  ['%blockid', '%ctaid'],
  ['%blockIdx', '%ctaid'],
  ['%cta', '%ctaid'],
  ['%blockDim', '%ntid'],
  ['%nthreads', '%ntid'],
  ['%gridDim', '%nctaid'],
  ['%nblocks', '%nctaid'],
  ['%lane', '%laneid'],
  ['%warp', '%warpid'],
  ['%sm', '%smid'],
]);

/** `%p1`, `%rd12`: what compilers call registers of the program. */
const numbered = /^%(?:p|r|f|rd|fd|rs|h|b)\d+$/;

/** A special register that differs by one slip of the pen, and holds what is wanted. */
function nearestSpecial(name: string, type = ''): string | undefined {
  const known = cudaNames.get(name);
  if (known !== undefined || numbered.test(name)) return known;
  const near = nearestName(name, specialRegisters.keys(), 1);
  const register = near === undefined ? undefined : specialRegisters.get(near);
  return register !== undefined && fitsType(type, `.${register.type}`) ? near : undefined;
}

/** Whether a register of type `given` may stand where `wanted` is; any may where nothing in particular is wanted. */
function fitsType(wanted: string, given: string): boolean {
  const [want, have] = [typeId(wanted.slice(1)), typeId(given.slice(1))];
  return want === 0 || accepts(want, have) || acceptsWider(want, have);
}

function unknownSpecial(name: string, special: string, component: string | undefined, span: Span): Problem {
  const suffix = component === undefined ? '' : `.${component}`;
  return {
    code: 'name/unknown-special-register',
    severity: 'error',
    span,
    message: `unknown special register '${name}${suffix}'; did you mean '${special}${suffix}'?`,
    ...suggestionFixes(special, span),
  };
}

function unknownValue(
  unknown: UnknownNames,
  scope: Scope,
  name: string,
  span: Span,
  use: Use & { readonly kind: 'value' },
): Problem {
  // The letters of a numbered register name its type: `%f1` is no slip of the pen for `%r1`.
  const stem = numbered.test(name) ? name.replace(/\d+$/, '') : undefined;
  // Other names stand for addresses.
  const isAddress = use.type === '' || fitsType(use.type, '.u64') || fitsType(use.type, '.u32');
  const fits = (e: Entity): boolean =>
    e.kind === EntityKind.Register
      ? fitsType(use.type, e.type) && (stem === undefined || e.name.replace(/\d+$/, '') === stem)
      : isValue(e) && isAddress;
  const near =
    nearest(unknown, scope, name, fits, undefined, use.type) ??
    (name.startsWith('%') ? nearestSpecial(name, use.type) : undefined);
  const others = near === undefined ? sameTypeOnce(unknown, scope, use.type) : '';
  const hint =
    near !== undefined ? `; did you mean '${near}'?` : others === '' ? '' : `; declared here: ${others}`;
  const fixes = [...(suggestionFixes(near, span).fixes ?? [])];
  const declared = declarationFix(unknown.item, name, use.type);
  if (declared !== undefined) fixes.push(declared);
  return {
    code: 'name/undeclared',
    severity: 'error',
    span,
    message: `'${name}' is not declared in this scope${hint}`,
    ...(fixes.length > 0 && { fixes }),
  };
}

/** A guess from the spelling, which may mean something else: never made without asking. */
const suggestionFixes = (near: string | undefined, span: Span): Pick<Problem, 'fixes'> =>
  near === undefined ? {} : { fixes: [{ title: `Change to '${near}'`, edits: [{ span, newText: near }] }] };

function declarationFix(
  item: FunctionItem,
  name: string,
  type: string,
): NonNullable<Problem['fixes']>[number] | undefined {
  const { body } = item;
  if (body === undefined || !types.has(type)) return undefined;
  const last = lastLeadingDeclaration(item);
  const at = last === undefined ? body.start + 1 : last.end;
  return {
    title: `Declare '${name}' as ${type}`,
    edits: [{ span: { start: at, end: at }, newText: `\n\t.reg ${type} ${name};` }],
  };
}

/** The last of the `.reg` declarations with which the body begins. */
function lastLeadingDeclaration(item: FunctionItem): Span | undefined {
  let last: Span | undefined;
  for (const statement of item.body?.statements ?? []) {
    if (statement.kind !== 'variable') break;
    if (statement.space.text === '.reg') last = statement;
  }
  return last;
}

const isValue = (e: Entity): boolean => e.kind !== EntityKind.Unknown && e.kind !== EntityKind.Label;

function nearest(
  unknown: UnknownNames,
  scope: Scope,
  name: string,
  accept: (e: Entity) => boolean = isValue,
  context?: Context,
  type = '',
): string | undefined {
  if (name.length < 2) return undefined;
  const key = `${name} ${type}`;
  const known = unknown.suggestions.get(key);
  if (known !== undefined) return known === '' ? undefined : known;
  if (unknown.suggestions.size >= SUGGESTION_LIMIT) return undefined;
  const candidates = visible(scope, CANDIDATE_LIMIT).filter(accept);
  const module = context === undefined ? [] : [...context.module.values()].filter((e) => e !== undefined);
  const found = nearestName(
    name,
    [...candidates, ...module.filter(accept)].map((e) => e.name),
  );
  unknown.suggestions.set(key, found ?? '');
  return found;
}

const LISTED = 6;

function sameTypeOnce(unknown: UnknownNames, scope: Scope, type: string): string {
  const key = `${scope.span.start} ${type}`;
  const known = unknown.lists.get(key);
  if (known !== undefined) return known;
  const list = sameType(scope, type);
  unknown.lists.set(key, list);
  return list;
}

/** `a, b, c (.u32)`: registers of the wanted type that are in scope. */
function sameType(scope: Scope, type: string): string {
  if (type === '') return '';
  const bits = types.get(type)?.bits;
  const names: string[] = [];
  let shown = type;
  for (const e of visible(scope, 500)) {
    if (e.kind !== EntityKind.Register || types.get(e.type)?.bits !== bits) continue;
    if (names.length === 0) shown = e.type;
    if (e.type === shown) names.push(e.name);
  }
  if (names.length === 0) return '';
  const list = names.slice(0, LISTED).join(', ') + (names.length > LISTED ? ', ...' : '');
  return `${list} (${shown})`;
}
