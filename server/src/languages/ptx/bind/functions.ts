import type { Problem } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import { count } from '../../../text/words.js';
import { Role } from '../../symbols.js';
import {
  factOf,
  type FunctionFact,
  type ModuleFact,
  type ParameterFact,
  type VariableFact,
} from '../declarations.js';
import type { AliasDirective, FunctionItem, Parameter, PerformanceDirective } from '../tree.js';
import { typeBytes } from '../types.js';
import { lookUpModule, moduleEntity, ownFact, report, type Context } from './context.js';
import { EntityKind, entity } from './entities.js';
import { checkDirectiveGate } from './header-gates.js';
import { record } from './occurrences.js';
import { checkParameter } from './variables.js';
import { versionAtLeast } from '../isa/versions.js';

/**
 * Rules for functions as a whole: parameters and return values, several declarations of one name (any number of
 * prototypes, one body, all of one signature), directives for performance, aliases.
 */

/** Checks a function as a whole and makes its name known. The body is not looked at. */
export function declareFunction(context: Context, item: FunctionItem): void {
  checkFunction(context, item);
  const { name, body } = item;
  const fact = name === undefined ? undefined : ownFact(context, name.start);
  if (name !== undefined && fact?.kind === 'function') {
    const before = context.module.get(name.text);
    if (before?.declaration === undefined) checkAgainstEarlier(context, name.text, name, fact);
    else if (before.fact !== undefined) checkAgainst(context, name.text, name, fact, [before.fact], []);
    const e = moduleEntity(name.text, fact, { declaration: name, extent: item });
    if (e !== undefined) {
      context.module.set(name.text, e);
      record(context.occurrences, e, name, Role.Declaration | (body === undefined ? 0 : Role.Definition));
    }
  }
  if (body !== undefined) return;
  for (const parameter of [...item.returns, ...item.parameters])
    recordPrototypeParameter(context, parameter, item);
}

function recordPrototypeParameter(context: Context, parameter: Parameter, item: FunctionItem): void {
  if (parameter.name === undefined || parameter.name.text === '_') return;
  const e = entity(EntityKind.Parameter, parameter.name.text, {
    type: parameter.type?.text ?? '',
    space: parameter.space.text,
    declaration: parameter.name,
    extent: parameter,
    scope: { start: item.start, end: item.end },
  });
  record(context.occurrences, e, parameter.name, Role.Declaration);
}

function checkFunction(context: Context, item: FunctionItem): void {
  for (const parameter of item.parameters) checkParameter(context, parameter, item.isEntry);
  for (const parameter of item.returns) checkParameter(context, parameter, false);
  if (item.returns.length > 1 && item.returns.some((parameter) => parameter.space.text !== '.reg'))
    report(
      context,
      'type/parameter',
      item.returns[1],
      'several return values must all be .reg; return one .param array, or registers',
    );
  checkDirectives(context, item);
}

/** The earlier declaration of a name against this one. `fact` is this one's. */
export function checkAgainstEarlier(
  context: Context,
  name: string,
  span: Span,
  fact: FunctionFact | VariableFact,
): void {
  if (!context.mentions.has(name)) return;
  const earlier = context.environment.earlier(name);
  if (earlier.length === 0) return;
  const related = [
    { span: { start: 0, end: name.length }, anchor: name, message: `'${name}' is declared here` },
  ];
  checkAgainst(context, name, span, fact, earlier.map(factOf), related);
}

/** `all` are the facts of earlier declarations, the nearest first, at least one. */
function checkAgainst(
  context: Context,
  name: string,
  span: Span,
  fact: FunctionFact | VariableFact,
  all: readonly ModuleFact[],
  related: Problem['related'] & object,
): void {
  const other = all[0];
  if (other.kind !== fact.kind) {
    report(
      context,
      'name/duplicate',
      span,
      `'${name}' is already declared as a ${other.kind}; rename one of them`,
      {
        related,
      },
    );
    return;
  }
  if (fact.kind === 'function') checkPrototypes(context, name, span, fact, all, related);
  else checkVariables(context, name, span, fact, all, related);
}

function checkPrototypes(
  context: Context,
  name: string,
  span: Span,
  fact: FunctionFact,
  earlier: readonly ReturnType<typeof factOf>[],
  related: Problem['related'] & object,
): void {
  const defined = earlier.some((other) => other.kind === 'function' && other.isDefinition);
  if (defined) {
    report(
      context,
      'name/duplicate',
      span,
      `function '${name}' is already defined${fact.isDefinition ? '' : '; a prototype must come before the body'}`,
      { related },
    );
    return;
  }
  const other = earlier.find((f) => f.kind === 'function');
  if (other?.kind !== 'function') return;
  const difference = differenceOf(fact, other);
  if (difference !== undefined)
    report(context, 'type/prototype', span, `'${name}' was declared before with ${difference}`, { related });
  else if (fact.isDefinition && other.linkage.includes('.extern'))
    report(
      context,
      'name/linkage',
      span,
      `'${name}' was declared .extern, so its body cannot stand in this file; declare it .visible, or without linkage`,
      { related },
    );
}

function differenceOf(a: FunctionFact, b: FunctionFact): string | undefined {
  if (a.isEntry !== b.isEntry) return b.isEntry ? '.entry' : '.func';
  if (a.parameters.length !== b.parameters.length) return count(b.parameters.length, 'parameter');
  if (a.returns.length !== b.returns.length) return count(b.returns.length, 'return value');
  for (let i = 0; i < a.parameters.length; i++)
    if (!sameParameter(a.parameters[i], b.parameters[i])) return `another type of parameter ${i + 1}`;
  for (let i = 0; i < a.returns.length; i++)
    if (!sameParameter(a.returns[i], b.returns[i])) return `another type of return value ${i + 1}`;
  return undefined;
}

const sameParameter = (a: ParameterFact, b: ParameterFact): boolean =>
  a.space === b.space &&
  a.type === b.type &&
  a.vector === b.vector &&
  alignmentOf(a) === alignmentOf(b) &&
  a.dimensions.join() === b.dimensions.join();

const alignmentOf = (p: ParameterFact): number =>
  p.alignment > 0 ? p.alignment : typeBytes(p.type) * p.vector;

function checkVariables(
  context: Context,
  name: string,
  span: Span,
  fact: VariableFact,
  earlier: readonly ReturnType<typeof factOf>[],
  related: Problem['related'] & object,
): void {
  const isExternal = (f: VariableFact): boolean => f.linkage.includes('.extern');
  const others = earlier.filter((f) => f.kind === 'variable');
  const definition = others.find((f) => !isExternal(f));
  if (definition !== undefined) {
    report(context, 'name/duplicate', span, `variable '${name}' is already defined; rename one of them`, {
      related,
    });
    return;
  }
  const other = others.at(0);
  if (other === undefined) return;
  if (other.type !== fact.type || other.space !== fact.space || other.vector !== fact.vector) {
    report(
      context,
      'type/prototype',
      span,
      `'${name}' was declared before as ${other.space} ${other.type}; the two must agree`,
      { related },
    );
    return;
  }
  if (!isExternal(fact) && !fact.linkage.some((word) => word !== '.extern'))
    report(
      context,
      'name/linkage',
      span,
      `'${name}' was declared .extern before; its definition needs .visible, .weak or .common`,
      { related },
    );
}

const kernelOnly = new Set([
  '.maxntid',
  '.reqntid',
  '.minnctapersm',
  '.maxnctapersm',
  '.maxnreg',
  '.reqnctapercluster',
  '.explicitcluster',
  '.maxclusterrank',
]);

function checkDirectives(context: Context, item: FunctionItem): void {
  const find = (name: string): PerformanceDirective | undefined =>
    item.directives.find((directive) => directive.name.text === name);
  for (const directive of item.directives) {
    const name = directive.name.text;
    checkDirectiveGate(context, directive.name);
    if (!item.isEntry && kernelOnly.has(name))
      report(
        context,
        'isa/directive',
        directive,
        `${name} belongs to kernels (.entry); remove it from this .func`,
      );
    for (const value of directive.values)
      if (kernelOnly.has(name) && value.integer !== undefined && value.integer <= 0n)
        report(context, 'isa/directive', value, `${name} takes a number of 1 or more`);
  }
  const maximum = find('.maxntid');
  const required = find('.reqntid');
  if (maximum !== undefined && required !== undefined) {
    const second = maximum.start > required.start ? maximum : required;
    const first = second === maximum ? required : maximum;
    report(
      context,
      'isa/directive',
      second,
      '.maxntid and .reqntid exclude each other: .reqntid already says how many threads a block has',
      {
        related: [{ span: { start: first.start, end: first.end }, message: 'the other one stands here' }],
        fixes: [
          {
            title: 'Remove .maxntid',
            edits: [{ span: { start: maximum.start, end: maximum.end }, newText: '' }],
          },
        ],
      },
    );
  }
  const minimum = find('.minnctapersm');
  if (minimum !== undefined && maximum === undefined && required === undefined && item.isEntry)
    report(
      context,
      'isa/directive-ignored',
      minimum,
      '.minnctapersm is ignored when neither .maxntid nor .reqntid says how large a block is',
      { severity: 'warning' },
    );
  const old = find('.maxnctapersm');
  if (old !== undefined && versionAtLeast(context.header.version ?? '9.0', '2.1'))
    report(context, 'isa/removed', old.name, '.maxnctapersm is gone since PTX ISA 2.1: write .minnctapersm', {
      fixes: [
        {
          title: 'Write .minnctapersm',
          edits: [{ span: { start: old.name.start, end: old.name.end }, newText: '.minnctapersm' }],
          preferred: true,
        },
      ],
    });
}

export function checkAlias(context: Context, item: AliasDirective): void {
  for (const name of [item.name, item.target]) {
    if (name === undefined) continue;
    const found = lookUpModule(context, name.text);
    if (found?.fact?.kind !== 'function')
      report(
        context,
        'name/undeclared-function',
        name,
        `.alias needs a function that is declared before; '${name.text}' is not`,
      );
  }
  const alias = lookUpModule(context, item.name.text)?.fact;
  const target = item.target === undefined ? undefined : lookUpModule(context, item.target.text)?.fact;
  if (alias?.kind !== 'function' || target?.kind !== 'function') return;
  const difference = differenceOf(alias, target);
  if (difference !== undefined)
    report(
      context,
      'type/prototype',
      item,
      `'${item.name.text}' and '${item.target?.text}' differ: the second has ${difference}`,
    );
  const { version } = context.header;
  if (version !== undefined && !versionAtLeast(version, '6.3'))
    report(context, 'isa/version', item, `.alias needs .version 6.3 or later; this file says ${version}`);
}
