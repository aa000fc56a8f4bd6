import { OperandRole } from '../isa/opcode.js';
import { parameterFact, type FunctionFact, type ParameterFact } from '../declarations.js';
import type { Instruction, ListOperand, Operand } from '../tree.js';
import { types } from '../types.js';
import type { Body } from './body.js';
import { EntityKind, describeEntity, type Entity } from './entities.js';
import type { Leaves } from './leaves.js';
import { lookUpModule } from './context.js';
import { lookUp } from './scopes.js';
import { listedNames } from '../target-lists.js';
import { count } from '../../../text/words.js';

/**
 * Calls: `call (results), f, (arguments), prototype`. Arguments and results are compared with what the callee
 * declares, as ptxas 13.0 does: numbers agree; sizes are equal; integers of one width are one type and `.bN` stands
 * for every type of N bits; a parameter in memory has the alignment that was declared, no more and no less.
 * A callee in a register needs a `.callprototype` or `.calltargets`.
 */
export interface CallShape {
  readonly results: ListOperand | undefined;
  readonly callee: Operand | undefined;
  readonly parameters: ListOperand | undefined;
  readonly prototype: Operand | undefined;
  /** Index of the results in the operands, or -1. */
  readonly resultsAt: number;
}

export function callShape(instruction: Instruction): CallShape {
  const { operands } = instruction;
  let at = 0;
  const first = operands.at(0);
  const results = first?.kind === 'list' ? first : undefined;
  if (results !== undefined) at++;
  const callee = operands.at(at++);
  const third = operands.at(at);
  const parameters = third?.kind === 'list' ? third : undefined;
  if (parameters !== undefined) at++;
  return {
    results,
    callee,
    parameters,
    prototype: operands.at(at),
    resultsAt: results === undefined ? -1 : 0,
  };
}

interface Callee {
  readonly name: string;
  readonly returns: readonly ParameterFact[];
  readonly parameters: readonly ParameterFact[];
}

/** Checks a call and gives the roles of its operands. The leaves are those of the instruction. */
export function bindCall(body: Body, instruction: Instruction): Uint8Array {
  const shape = callShape(instruction);
  const roles = new Uint8Array(instruction.operands.length).fill(OperandRole.Read);
  if (shape.resultsAt >= 0) roles[shape.resultsAt] = OperandRole.Written;
  const callee = calleeOf(body, shape);
  if (callee !== undefined && !body.leaves.hasMissing) checkArguments(body, instruction, shape, callee);
  return roles;
}

function calleeOf(body: Body, shape: CallShape): Callee | undefined {
  const { callee, prototype } = shape;
  if (callee?.kind !== 'name') return undefined;
  const e = entityOf(body, body.leaves, callee);
  const span = { start: callee.start, end: callee.end };
  if (e === undefined || e.kind === EntityKind.Unknown) return undefined;
  if (e.kind === EntityKind.Function && e.fact?.kind === 'function') {
    if (!e.fact.isEntry) return { name: e.name, ...sides(e.fact) };
    body.context.problems.push({
      code: 'type/call-target',
      severity: 'error',
      span,
      message: `'${e.name}' is a kernel; only a .func can be called`,
    });
    return undefined;
  }
  if (e.kind !== EntityKind.Register) {
    body.context.problems.push({
      code: 'type/call-target',
      severity: 'error',
      span,
      message: `${describeEntity(e)} cannot be called; name a .func, or a register that holds the address of one`,
    });
    return undefined;
  }
  if (prototype === undefined) {
    body.context.problems.push({
      code: 'type/call-prototype',
      severity: 'error',
      span,
      message: `indirect call through register '${e.name}' needs a .callprototype or .calltargets label as last operand`,
    });
    return undefined;
  }
  const given = prototype.kind === 'name' ? entityOf(body, body.leaves, prototype) : undefined;
  if (given?.node?.kind === 'prototype')
    return {
      name: given.name,
      returns: given.node.returns.map(parameterFact),
      parameters: given.node.parameters.map(parameterFact),
    };
  if (given?.node?.kind === 'targets') {
    const first = given.node.targets.at(0);
    const [name] = first === undefined ? [] : listedNames(first);
    const target = name === undefined ? undefined : lookUpModule(body.context, name);
    if (target?.fact?.kind === 'function') return { name: target.name, ...sides(target.fact) };
  }
  if (given !== undefined && given.kind !== EntityKind.Unknown && given.node === undefined)
    body.context.problems.push({
      code: 'type/call-prototype',
      severity: 'error',
      span: { start: prototype.start, end: prototype.end },
      message: `'${given.name}' is no .callprototype or .calltargets label`,
    });
  return undefined;
}

/**
 * A declaration of the function that a call names, when the variables and registers that it passes say all of its
 * signature; a constant has no type of its own.
 */
export function calleeStub(body: Body, instruction: Instruction): string | undefined {
  const { results, callee, parameters } = callShape(instruction);
  if (callee?.kind !== 'name') return undefined;
  const returned = formalsOf(body, results, 'result');
  const taken = formalsOf(body, parameters, 'argument');
  if (returned === undefined || taken === undefined) return undefined;
  const head = returned.length === 0 ? '' : `(${returned.join(', ')}) `;
  return `.extern .func ${head}${callee.name.text} (${taken.join(', ')});`;
}

function formalsOf(body: Body, list: ListOperand | undefined, name: string): readonly string[] | undefined {
  const formals: string[] = [];
  for (const [at, node] of (list?.elements ?? []).entries()) {
    const e =
      node.kind === 'name' && node.component === undefined ? entityOf(body, body.leaves, node) : undefined;
    if (e === undefined || e.vector > 1 || e.type === '.pred' || !types.has(e.type)) return undefined;
    const fact = e.fact?.kind === 'variable' ? e.fact : undefined;
    if (e.kind !== EntityKind.Register && (e.space !== '.param' || fact === undefined)) return undefined;
    const alignment = fact !== undefined && fact.alignment > 0 ? `.align ${fact.alignment} ` : '';
    const dimensions = (fact?.dimensions ?? []).map((n) => `[${n}]`).join('');
    formals.push(`.param ${alignment}${e.type} ${name}${at}${dimensions}`);
  }
  return formals;
}

const sides = (fact: FunctionFact): Pick<Callee, 'returns' | 'parameters'> => ({
  returns: fact.returns,
  parameters: fact.parameters,
});

const entityOf = (body: Body, leaves: Leaves, node: Operand): Entity | undefined => {
  for (let k = 0; k < leaves.count; k++) if (leaves.node[k] === node) return leaves.entity[k];
  return node.kind === 'name' ? lookUp(body.scope, node.name.text) : undefined;
};

function checkArguments(body: Body, instruction: Instruction, shape: CallShape, callee: Callee): void {
  const results = shape.results?.elements ?? [];
  const parameters = shape.parameters?.elements ?? [];
  const { problems } = body.context;
  if (parameters.length !== callee.parameters.length)
    problems.push({
      code: 'type/call-arguments',
      severity: 'error',
      span: spanOf(shape.parameters ?? shape.callee ?? instruction),
      message: `call to '${callee.name}' passes ${count(parameters.length, 'argument')}; it takes ${callee.parameters.length}`,
    });
  else parameters.forEach((node, i) => checkOne(body, node, callee, callee.parameters[i], 'argument'));
  if (results.length !== callee.returns.length)
    problems.push({
      code: 'type/call-arguments',
      severity: 'error',
      span: spanOf(shape.results ?? shape.callee ?? instruction),
      message: `call to '${callee.name}' receives ${count(results.length, 'value')}; it returns ${callee.returns.length}`,
    });
  else results.forEach((node, i) => checkOne(body, node, callee, callee.returns[i], 'return value'));
}

const spanOf = (s: { readonly start: number; readonly end: number }): { start: number; end: number } => ({
  start: s.start,
  end: s.end,
});

function checkOne(
  body: Body,
  node: Operand,
  callee: Callee,
  formal: ParameterFact,
  what: 'argument' | 'return value',
): void {
  const mismatch = mismatchOf(body, node, formal);
  if (mismatch === undefined) return;
  const name = formal.name === '_' ? '' : ` '${formal.name}'`;
  const subject =
    what === 'argument' ? `argument${name} of '${callee.name}'` : `return value${name} of '${callee.name}'`;
  body.context.problems.push({
    code: 'type/call-argument-type',
    severity: 'error',
    span: spanOf(node),
    message: `${subject} is ${showParameter(formal)} but ${mismatch}`,
  });
}

const showParameter = (p: ParameterFact): string =>
  (p.alignment > 0 ? `.align ${p.alignment} ` : '') +
  (p.vector > 1 ? `.v${p.vector} ` : '') +
  p.type +
  p.dimensions.map((n) => `[${n < 0 ? '' : n}]`).join('');

/** In words what is wrong with an argument, or undefined. */
function mismatchOf(body: Body, node: Operand, formal: ParameterFact): string | undefined {
  const want = types.get(formal.type);
  if (want === undefined || formal.vector > 1) return undefined;
  if (node.kind === 'constant') {
    if (formal.dimensions.length > 0) return 'a constant was given';
    if (node.value.isFloat && want.kind !== 'float' && want.kind !== 'bits')
      return 'the constant is floating-point';
    if (!node.value.isFloat && want.kind === 'float') return 'the constant is an integer';
    return undefined;
  }
  if (node.kind !== 'name') return undefined;
  const e = entityOf(body, body.leaves, node);
  if (e === undefined || e.vector > 1) return undefined;
  const isMemory = e.kind === EntityKind.Variable || e.kind === EntityKind.Parameter;
  if (e.kind !== EntityKind.Register && !isMemory) return undefined;
  const have = types.get(e.type);
  if (have === undefined) return undefined;
  const fact = e.fact?.kind === 'variable' ? e.fact : undefined;
  if (
    !sameDimensions(fact?.dimensions ?? [], formal.dimensions) ||
    !compatible(want.kind, want.bits, have.kind, have.bits)
  )
    return `'${e.name}' is ${e.type}${(fact?.dimensions ?? []).map((n) => `[${n < 0 ? '' : n}]`).join('')}`;
  if (isMemory && fact !== undefined && formal.space === '.param') {
    const natural = have.bits >> 3;
    if ((fact.alignment || natural) !== (formal.alignment || natural))
      return `'${e.name}' is aligned to ${fact.alignment || natural}`;
  }
  return undefined;
}

const sameDimensions = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, i) => n === b[i] || n < 0 || b[i] < 0);

function compatible(wantKind: string, wantBits: number, haveKind: string, haveBits: number): boolean {
  if (wantBits !== haveBits) return false;
  if (wantKind === 'bits' || haveKind === 'bits') return true;
  const integer = (kind: string): boolean => kind === 'signed' || kind === 'unsigned';
  return wantKind === haveKind || (integer(wantKind) && integer(haveKind));
}
