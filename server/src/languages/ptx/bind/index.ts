import type { BoundUnit, Environment } from '../../language.js';
import { Role, type SymbolIndex } from '../../symbols.js';
import type { FunctionItem, PtxUnit, VariableDeclaration } from '../tree.js';
import { boundAgain } from './again.js';
import { bindBody, type BoundFunction } from './body.js';
import { lookUpModule, makeContext, moduleEntity, ownFact, type Context, type Header } from './context.js';
import { EntityKind, entity, type Entity } from './entities.js';
import { checkAgainstEarlier, checkAlias, declareFunction } from './functions.js';
import { checkHeader, checkStart } from './header.js';
import { record, symbolIndex } from './occurrences.js';
import { checkPragmas } from './pragmas.js';
import { checkUsage } from './usage.js';
import { checkVariable, duplicate } from './variables.js';

/** A PTX unit with its names resolved, and what lowering and the editor features need of that. */
export interface PtxBound extends BoundUnit {
  readonly parsed: PtxUnit;
  /** Functions with a body; a unit has one at most, unless its text is broken. */
  readonly functions: readonly BoundFunction[];
  readonly header: Header;
  /** Module-level names that were looked up, those that mean nothing included. */
  readonly moduleNames: ReadonlyMap<string, Entity | undefined>;
}

/** Resolves the names of a unit against what it sees of the others. Never throws; linear in the unit. */
export const bind = (unit: PtxUnit, environment: Environment): PtxBound =>
  boundAgain(unit, environment, () => boundFromScratch(unit, environment));

function boundFromScratch(unit: PtxUnit, environment: Environment): PtxBound {
  const context = makeContext(unit, environment);
  const functions: BoundFunction[] = [];
  checkStart(context, unit.items.at(0));
  for (const item of unit.items) {
    switch (item.kind) {
      case 'header':
        checkHeader(context, item);
        break;
      case 'variable':
        bindVariable(context, item);
        break;
      case 'function': {
        const bound = bindFunction(context, item);
        if (bound !== undefined) functions.push(bound);
        break;
      }
      case 'alias':
        checkAlias(context, item);
        for (const name of [item.name, item.target]) {
          const found = name === undefined ? undefined : lookUpModule(context, name.text);
          if (name !== undefined && found !== undefined)
            record(context.occurrences, found, name, Role.Reference);
        }
        break;
      case 'pragma':
        checkPragmas(context, item.values, false);
        break;
      case 'file':
      case 'loc':
      case 'section':
      case 'error':
        break;
    }
  }
  const { occurrences } = context;
  let symbols: SymbolIndex | undefined;
  return {
    parsed: unit,
    // editor features ask for it, figures do not
    get symbols() {
      return (symbols ??= symbolIndex(occurrences));
    },
    problems: context.problems,
    functions,
    header: context.header,
    moduleNames: context.module,
  };
}

function bindVariable(context: Context, item: VariableDeclaration): void {
  checkVariable(context, item, false, (name) => lookUpModule(context, name));
  for (const declarator of item.declarators) {
    const { name } = declarator;
    const fact = ownFact(context, name.start);
    const earlierHere = context.module.get(name.text);
    if (fact?.kind === 'variable') checkAgainstEarlier(context, name.text, name, fact);
    const e =
      (fact === undefined ? undefined : moduleEntity(name.text, fact, { declaration: name, extent: item })) ??
      entity(EntityKind.ModuleVariable, name.text, { declaration: name, extent: item });
    if (earlierHere?.declaration !== undefined)
      context.problems.push(duplicate(e, name, earlierHere.declaration));
    context.module.set(name.text, e);
    const isDefinition = !item.linkage.some((word) => word.text === '.extern');
    record(context.occurrences, e, name, Role.Declaration | (isDefinition ? Role.Definition : 0));
    bindInitializerNames(context, declarator.initializer);
  }
}

function bindInitializerNames(
  context: Context,
  initializer: VariableDeclaration['declarators'][number]['initializer'],
): void {
  if (initializer === undefined) return;
  if (initializer.kind === 'list')
    for (const element of initializer.elements) bindInitializerNames(context, element);
  if (initializer.kind !== 'symbol') return;
  const found = lookUpModule(context, initializer.name.text);
  if (found !== undefined) record(context.occurrences, found, initializer.name, Role.Reference);
}

function bindFunction(context: Context, item: FunctionItem): BoundFunction | undefined {
  declareFunction(context, item);
  if (item.body === undefined) return undefined;
  const bound = bindBody(context, item, item.body);
  checkPragmaNames(context, bound);
  checkUsage(context, bound);
  return bound;
}

const checkPragmaNames = (context: Context, bound: BoundFunction): void => {
  for (const directive of bound.item.directives) checkPragmas(context, directive.strings, false);
  for (const statement of bound.item.body?.statements ?? [])
    if (statement.kind === 'pragma') checkPragmas(context, statement.values, true);
};
