import type { Code } from '../../../text/codes.js';
import type { Problem } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import type { Declaration, Environment } from '../../language.js';
import { factOf, fileFacts, GCC_MARK, NOUNROLL_MARK, type ModuleFact } from '../declarations.js';
import { matchEnvironment, type MatchEnvironment } from '../isa/match.js';
import { newestVersion } from '../isa/versions.js';
import type { PtxUnit } from '../tree.js';
import { dialectOf, type Dialect } from './dialect.js';
import { EntityKind, entity, type Entity } from './entities.js';
import { noOccurrences, type Occurrences } from './occurrences.js';

/**
 * What binding a unit needs at hand: the unit, what it sees of the others, and what is being made of it. A unit
 * asks the environment for nothing but the names that it mentions, so that its result depends on them alone.
 */
export interface Context {
  readonly unit: PtxUnit;
  readonly environment: Environment;
  readonly mentions: ReadonlySet<string>;
  readonly problems: Problem[];
  readonly occurrences: Occurrences;
  /** Names of this unit's module level that have been declared so far, and those of earlier units once looked up. */
  readonly module: Map<string, Entity | undefined>;
  readonly header: Header;
  /** The unit's own declarations by the start of their names. */
  readonly own: ReadonlyMap<number, Declaration>;
}

/** The facts of the file's header that apply here. */
export interface Header {
  /** `8.0`, or undefined when the file has none before this unit. */
  readonly version: string | undefined;
  readonly target: string | undefined;
  readonly options: readonly string[];
  readonly addressBits: number;
  readonly dialect: Dialect;
  /** A pragma of the module keeps the loops of all functions. */
  readonly isNounroll: boolean;
  readonly gates: MatchEnvironment;
}

export function makeContext(unit: PtxUnit, environment: Environment): Context {
  const mentions = new Set(unit.mentions);
  return {
    unit,
    environment,
    mentions,
    problems: [],
    // a name in every sixteen characters or so
    occurrences: noOccurrences(unit.text.length >> 4),
    module: new Map(),
    header: headerOf(unit, environment, mentions),
    own: new Map(unit.declares.map((declaration) => [declaration.span.start, declaration])),
  };
}

export function headerOf(unit: PtxUnit, environment: Environment, mentions: ReadonlySet<string>): Header {
  const values = (name: string): readonly string[] | undefined => {
    const own = unit.declares.findLast((d) => d.name === name);
    const declaration = own ?? (mentions.has(name) ? environment.earlier(name).at(0) : undefined);
    if (declaration === undefined) return undefined;
    const fact = factOf(declaration);
    return fact.kind === 'header' ? fact.values : undefined;
  };
  const version = values(fileFacts.version)?.at(0);
  const [target, ...options] = values(fileFacts.target) ?? [];
  return {
    version,
    target,
    options,
    addressBits: values(fileFacts.addressSize)?.at(0) === '32' ? 32 : 64,
    dialect: dialectOf(environment, values(GCC_MARK) !== undefined),
    isNounroll:
      mentions.has(NOUNROLL_MARK) &&
      environment.earlier(NOUNROLL_MARK).length + environment.later(NOUNROLL_MARK).length > 0,
    gates: matchEnvironment(version ?? newestVersion, target ?? 'sm_75'),
  };
}

/** Adds a problem of the unit, an error unless `more` says otherwise. */
export function report(
  context: Context,
  code: Code,
  at: Span,
  message: string,
  more: Partial<Problem> = {},
): void {
  context.problems.push({
    code,
    severity: 'error',
    span: { start: at.start, end: at.end },
    message,
    ...more,
  });
}

/** The fact that `outline` made of the declaration at this place. */
export const ownFact = (context: Context, start: number): ModuleFact | undefined => {
  const own = context.own.get(start);
  return own === undefined ? undefined : factOf(own);
};

/** What `name` stands for at module level, in this unit or an earlier one. */
export function lookUpModule(context: Context, name: string): Entity | undefined {
  const known = context.module.get(name);
  if (known !== undefined || context.module.has(name)) return known;
  const declaration = context.mentions.has(name) ? context.environment.earlier(name).at(0) : undefined;
  const found = declaration === undefined ? undefined : moduleEntity(name, factOf(declaration));
  context.module.set(name, found);
  return found;
}

/** An entity for a module-level declaration; undefined for facts of the file. */
export function moduleEntity(
  name: string,
  fact: ReturnType<typeof factOf>,
  places: Pick<Entity, 'declaration' | 'extent'> = { declaration: undefined, extent: undefined },
): Entity | undefined {
  if (fact.kind === 'function')
    return entity(EntityKind.Function, name, { fact, space: fact.isEntry ? '.entry' : '.func', ...places });
  if (fact.kind === 'variable')
    return entity(EntityKind.ModuleVariable, name, {
      fact,
      type: fact.type,
      vector: fact.vector,
      space: fact.space,
      ...places,
    });
  return undefined;
}
