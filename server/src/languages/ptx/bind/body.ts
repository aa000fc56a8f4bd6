import type { Span } from '../../../text/span.js';
import { OperandFlag } from '../../../ir/function.js';
import { virtual } from '../../../ir/place.js';
import { Role } from '../../symbols.js';
import { entryOpcode } from '../behaviour.js';
import { isNounroll, parameterFact, variableFact, type VariableFact } from '../declarations.js';
import type {
  Block,
  CallPrototype,
  FunctionItem,
  Label,
  ListedTarget,
  Parameter,
  TargetList,
  VariableDeclaration,
} from '../tree.js';
import { vectorLength } from '../types.js';
import { addInstruction, addOperand, emptyCode, registerOf, type Code } from './code.js';
import { lookUpModule, type Context } from './context.js';
import { EntityKind, entity, type Entity, type RangeDeclaration } from './entities.js';
import { declareFunction } from './functions.js';
import { checkDirectiveGate } from './header-gates.js';
import { bindInstruction, resolve, typeOf } from './instruction.js';
import { emptyLeaves, type Leaves, type Resolve } from './leaves.js';
import type { TypeOf } from '../isa/operands.js';
import { record } from './occurrences.js';
import { declareLabels, lookUp, noteNumber, openScope, type Scope } from './scopes.js';
import { listedNames } from '../target-lists.js';
import { loseNames, noUnknownNames, unknownName, type UnknownNames } from './unknown-names.js';
import { checkVariable, duplicate } from './variables.js';

/** A function whose names are resolved. Keeps nothing of the environment: it would keep every earlier version of the document. */
export interface BoundFunction {
  readonly item: FunctionItem;
  readonly code: Code;
  /** Everything declared in the body, in text order; registers of ranges only when they are used. */
  readonly declared: readonly Entity[];
  readonly ranges: readonly RangeDeclaration[];
  /** What each `.reg` statement declares, in text order. */
  readonly declarators: ReadonlyMap<Span, readonly Span[]>;
  /** `.reg` return values: read when the function returns. */
  readonly results: readonly Entity[];
  readonly inputs: readonly Entity[];
  /** Module-level variables that the body mentions. */
  readonly module: ReadonlySet<Entity>;
  readonly pragmas: readonly string[];
  /** Every block with its scope, outermost first, for completion. */
  readonly scopes: readonly Scope[];
}

/** What the statements of one body share while they are bound. */
export interface Body {
  readonly context: Context;
  readonly item: FunctionItem;
  readonly code: Code;
  readonly leaves: Leaves;
  readonly unknown: UnknownNames;
  readonly declared: Entity[];
  readonly ranges: RangeDeclaration[];
  readonly declarators: Map<Span, readonly Span[]>;
  readonly results: Entity[];
  readonly inputs: Entity[];
  readonly module: Set<Entity>;
  readonly pragmas: string[];
  readonly scopes: Scope[];
  /** Names declared nowhere, so that each is looked for once; they fit everywhere. */
  readonly nowhere: Map<string, Entity>;
  /** Labels of each `.branchtargets` list that a branch has used. */
  readonly targetLists: Map<Entity, readonly Entity[]>;
  scope: Scope;
  /** What a name operand stands for, and its type, for the instruction that is being bound. */
  readonly resolve: Resolve;
  readonly typeOf: TypeOf;
}

/** Binds the statements of a function. Blocks are walked with a stack of our own: nesting costs no call depth. */
export function bindBody(context: Context, item: FunctionItem, block: Block): BoundFunction {
  const scope = openScope(undefined, item);
  const leaves = emptyLeaves();
  const body: Body = {
    context,
    item,
    code: emptyCode(block.statements.length),
    leaves,
    unknown: noUnknownNames(item),
    declared: [],
    ranges: [],
    declarators: new Map(),
    results: [],
    inputs: [],
    module: new Set(),
    pragmas: item.directives.flatMap((directive) => directive.strings.map((text) => text.text)),
    scopes: [scope],
    nowhere: new Map(),
    targetLists: new Map(),
    scope,
    resolve: (node) => resolve(body, node),
    typeOf: (node) => typeOf(leaves, node),
  };
  for (const parameter of item.returns) declareParameter(body, parameter, 'output');
  for (const parameter of item.parameters) declareParameter(body, parameter, 'input');
  receiveInputs(body);
  declareLabels(scope, block);
  const open: { readonly block: Block; next: number; readonly outer: Scope }[] = [
    { block, next: 0, outer: scope },
  ];
  while (open.length > 0) {
    const frame = open[open.length - 1];
    if (frame.next === frame.block.statements.length) {
      body.scope = frame.outer;
      open.pop();
      continue;
    }
    const statement = frame.block.statements[frame.next++];
    switch (statement.kind) {
      case 'instruction':
        bindInstruction(body, statement);
        break;
      case 'label':
        reachLabel(body, statement);
        break;
      case 'variable':
        declareVariables(body, statement);
        break;
      case 'block':
        open.push({ block: statement, next: 0, outer: body.scope });
        body.scope = openScope(body.scope, statement);
        body.scopes.push(body.scope);
        declareLabels(body.scope, statement);
        break;
      case 'targets':
        bindTargets(body, statement);
        break;
      case 'prototype':
        declareName(body, labelled(EntityKind.Prototype, statement, body.scope), statement.label);
        break;
      case 'pragma':
        for (const value of statement.values) {
          body.pragmas.push(value.text);
          if (isNounroll(value.text)) body.code.nounroll.push(body.code.opcodes.length);
        }
        break;
      case 'function':
        declareFunction(context, statement);
        break;
      case 'error':
        if (statement.declares !== undefined) loseNames(body.unknown, statement.declares);
        break;
      case 'loc':
      case 'section':
        break;
    }
  }
  const { code, declared, ranges, declarators, results, inputs, module, pragmas, scopes } = body;
  return { item, code, declared, ranges, declarators, results, inputs, module, pragmas, scopes };
}

/** Number of the pseudo-instruction that `receiveInputs` adds. */
const ENTRY = 0;

function declareParameter(body: Body, parameter: Parameter, flow: 'input' | 'output'): void {
  const { name } = parameter;
  if (name === undefined) return;
  const fact = parameterFact(parameter);
  const isRegister = fact.space === '.reg';
  const e = entity(isRegister ? EntityKind.Register : EntityKind.Parameter, name.text, {
    type: fact.type,
    vector: fact.vector,
    space: fact.space,
    declaration: name,
    extent: parameter,
    scope: body.scope.span,
    flow,
    fact: variableOf(fact),
  });
  const received = isRegister && flow === 'input';
  if (declareName(body, e, name, received ? ENTRY : -1) && isRegister)
    (received ? body.inputs : body.results).push(e);
}

/** The registers that the caller fills are written by a pseudo-instruction before all others. */
function receiveInputs({ code, inputs, item }: Body): void {
  if (inputs.length === 0) return;
  const last = item.parameters[item.parameters.length - 1];
  addInstruction(code, entryOpcode, item.parameters[0].start, last.end);
  for (const e of inputs) {
    const first = registerOf(code, e);
    const at = e.declaration ?? last;
    for (let element = 0; element < e.vector; element++)
      addOperand(code, virtual(first + element), OperandFlag.Definition, at.start, at.end);
  }
}

const variableOf = (fact: ReturnType<typeof parameterFact>): VariableFact => ({
  kind: 'variable',
  space: fact.space,
  type: fact.type,
  vector: fact.vector,
  alignment: fact.alignment,
  dimensions: fact.dimensions,
  linkage: [],
});

/** Adds a name to the current scope, or reports that it is taken. Whether it was added. */
function declareName(body: Body, e: Entity, at: Span, instruction = -1): boolean {
  const { scope } = body;
  const taken = scope.names.get(e.name) ?? rangeOwner(scope, e.name);
  const isFirst =
    taken === undefined || (taken.kind === EntityKind.Label && (taken.declaration?.start ?? 0) > at.start);
  if (isFirst) {
    scope.names.set(e.name, e);
    noteNumber(scope, e);
  } else body.context.problems.push(duplicate(e, at, taken.declaration));
  record(body.context.occurrences, e, at, Role.Declaration | Role.Definition, instruction);
  body.declared.push(e);
  return isFirst;
}

/** The register of a range in this very scope that already has the name. */
const rangeOwner = (scope: Scope, name: string): Entity | undefined =>
  scope.ranges === undefined ? undefined : lookUp({ ...scope, parent: undefined }, name);

const labelled = (
  kind: EntityKind.Prototype | EntityKind.Targets,
  node: CallPrototype | TargetList,
  scope: Scope,
): Entity =>
  entity(kind, node.label.text, { declaration: node.label, extent: node, scope: scope.span, node });

function reachLabel(body: Body, label: Label): void {
  const { name } = label;
  const own = body.scope.names.get(name.text);
  if (own?.kind === EntityKind.Label && own.declaration?.start === name.start) {
    own.position = body.code.opcodes.length;
    body.code.labels.push(own);
    record(body.context.occurrences, own, name, Role.Declaration | Role.Definition);
    return;
  }
  const e = entity(EntityKind.Label, name.text, { declaration: name, extent: label, scope: body.scope.span });
  declareName(body, e, name);
  e.position = body.code.opcodes.length;
  body.code.labels.push(e);
}

function bindTargets(body: Body, list: TargetList): void {
  checkDirectiveGate(body.context, list.directive);
  const isCall = list.directive.text === '.calltargets';
  const e = labelled(isCall ? EntityKind.Prototype : EntityKind.Targets, list, body.scope);
  declareName(body, e, list.label);
  for (const target of list.targets)
    for (const name of listedNames(target)) if (!bindTarget(body, list, target, name)) break;
}

/** One name of a list, whether it is what the list is of. A range is no place of a single name. */
function bindTarget(body: Body, list: TargetList, target: ListedTarget, name: string): boolean {
  const { context, scope } = body;
  const isCall = list.directive.text === '.calltargets';
  const found = lookUp(scope, name) ?? lookUpModule(context, name);
  if (found?.kind === (isCall ? EntityKind.Function : EntityKind.Label)) {
    if (target.range === undefined) record(context.occurrences, found, target, Role.Reference);
    return true;
  }
  context.problems.push(
    found === undefined
      ? unknownName(context, body.unknown, scope, name, target, { kind: isCall ? 'function' : 'label' })
      : {
          code: 'type/operand-kind',
          severity: 'error',
          span: { start: target.start, end: target.end },
          message: `${list.directive.text} lists ${isCall ? 'functions' : 'labels of this function'}; '${name}' is something else`,
        },
  );
  return false;
}

function declareVariables(body: Body, node: VariableDeclaration): void {
  const { context, scope } = body;
  checkVariable(context, node, true, (name) => lookUp(scope, name) ?? lookUpModule(context, name));
  const space = node.space.text;
  if (space === '.reg') body.declarators.set(node, node.declarators);
  const type = node.type?.text ?? '';
  const vector = vectorLength(node.vector?.text);
  if (node.isFaulty && space === '.reg')
    loseNames(
      body.unknown,
      node.declarators.map((declarator) => declarator.name),
    );
  for (const declarator of node.declarators) {
    const { name } = declarator;
    if (declarator.range !== undefined) {
      declareRange(body, node, declarator, type, vector);
      continue;
    }
    const isRegister = space === '.reg';
    const e = entity(isRegister ? EntityKind.Register : EntityKind.Variable, name.text, {
      type,
      vector,
      space,
      declaration: name,
      extent: node,
      scope: { start: name.start, end: scope.span.end },
      fact: variableFact(node, declarator.dimensions),
    });
    declareName(body, e, name);
  }
}

function declareRange(
  body: Body,
  node: VariableDeclaration,
  declarator: VariableDeclaration['declarators'][number],
  type: string,
  vector: number,
): void {
  const { scope, context } = body;
  const prefix = declarator.name.text;
  const count = Number(declarator.range?.integer ?? 0n);
  const words = [node.space.text, vector > 1 ? `.v${vector}` : '', type]
    .filter((word) => word !== '')
    .join(' ');
  const range: RangeDeclaration = {
    prefix,
    count,
    space: node.space.text,
    type,
    vector,
    declaration: declarator,
    extent: node,
    scope: { start: declarator.start, end: scope.span.end },
    ownDeclaration: { at: node.end, before: ` ${words} `, after: ';' },
    detail: words,
    used: 0,
  };
  const taken = scope.ranges?.get(prefix);
  const single = taken === undefined ? singleInRange(scope, prefix, count) : undefined;
  if (taken !== undefined || single !== undefined) {
    const e = entity(EntityKind.Register, single?.name ?? `${prefix}<${count}>`);
    context.problems.push(duplicate(e, declarator, taken?.declaration ?? single?.declaration));
    if (taken !== undefined && taken.count >= count) return;
  }
  scope.ranges ??= new Map();
  scope.ranges.set(prefix, range);
  body.ranges.push(range);
}

/** A name of this scope that the range would declare again. */
function singleInRange(scope: Scope, prefix: string, count: number): Entity | undefined {
  const lowest = scope.numbered?.get(prefix);
  return lowest !== undefined && lowest.index < count ? lowest.entity : undefined;
}
