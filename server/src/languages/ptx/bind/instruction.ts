import { OperandFlag as IrOperandFlag } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import type { Span } from '../../../text/span.js';
import { Role } from '../../symbols.js';
import { matchInstruction, type Match } from '../isa/match.js';
import { OperandFlag } from '../isa/operand-pattern.js';
import { opcodeOf, OperandRole } from '../isa/opcode.js';
import { specialRegisters } from '../isa/special-registers.js';
import { types } from '../types.js';
import { NameClass, packName, typeBits, typeId, typeName, type NameType } from '../isa/types.js';
import type { Instruction, Name, NameOperand } from '../tree.js';
import type { Body } from './body.js';
import { bindCall, calleeStub } from './calls.js';
import { addInstruction, addOperand, registerOf, type Code } from './code.js';
import { lookUpModule } from './context.js';
import { EntityKind, describeEntity, entity, type Entity } from './entities.js';
import { collect, componentOf, type Leaves } from './leaves.js';
import { record } from './occurrences.js';
import { checkParameterAccess } from './parameter-access.js';
import { lookUp } from './scopes.js';
import { constantPayload, specialPayload } from './payload.js';
import { reportUnknownValue, type Use } from './unknown-names.js';
import { listedNames } from '../target-lists.js';
import { tellProblem } from './instruction-problems.js';

/**
 * One instruction: its names are looked up, the instruction tables judge it and say which operands it writes, and
 * the resolved operands are recorded for lowering. A name that means nothing is reported once here and fits
 * everywhere, so that the tables do not complain about it again.
 */
export function bindInstruction(body: Body, instruction: Instruction): void {
  const { context, leaves, code } = body;
  collect(leaves, instruction, body.resolve);
  const opcode = instruction.opcode.text;
  const match = matchInstruction(instruction, body.typeOf, context.header.gates, context.unit.text);
  for (const problem of match.problems) tellProblem(body, instruction, problem);
  const isFaulty = leaves.hasMissing || instruction.isFaulty || opcodeOf(opcode).entry === undefined;
  const number = isFaulty ? -1 : addInstruction(code, opcode, instruction.start, instruction.end);
  const isCall = opcode === 'call' || opcode.startsWith('call.');
  const listRoles = isCall ? bindCall(body, instruction) : undefined;
  const guard = bindGuard(body, instruction, number);
  for (let k = 0; k < leaves.count; k++) {
    const operand = leaves.operand[k];
    const role = leaves.isAddress[k]
      ? OperandRole.Read
      : ((listRoles ?? match.roles)[operand] ?? OperandRole.Read);
    bindLeaf(body, instruction, match, k, role, number, guard !== undefined, isCall);
  }
  for (const name of leaves.names) bindConstantName(body, name, number);
  if (number >= 0 && guard !== undefined && instruction.guard !== undefined)
    addOperand(
      code,
      guard.kind === EntityKind.Register ? registerOf(code, guard) : NoRegister.Unknown,
      IrOperandFlag.Use | IrOperandFlag.Guard,
      instruction.guard.name.start,
      instruction.guard.name.end,
      instruction.guard.isNegated ? code.payloads.texts.number('!') : 0,
    );
}

/** What a name operand stands for; an entity of kind Unknown when nothing. */
export function resolve(body: Body, node: NameOperand): Entity {
  const name = node.name.text;
  return lookUp(body.scope, name) ?? lookUpModule(body.context, name) ?? special(name) ?? nowhere(body, name);
}

const specialEntities = new Map<string, Entity>();

function special(name: string): Entity | undefined {
  const known = specialEntities.get(name);
  if (known !== undefined) return known;
  const register = specialRegisters.get(name);
  if (register === undefined) return undefined;
  const e = entity(EntityKind.SpecialRegister, name, {
    type: '.' + register.type,
    vector: register.isVector ? 4 : 1,
    space: '.sreg',
  });
  specialEntities.set(name, e);
  return e;
}

function nowhere(body: Body, name: string): Entity {
  const known = body.nowhere.get(name);
  if (known !== undefined) return known;
  const e = entity(EntityKind.Unknown, name);
  body.nowhere.set(name, e);
  return e;
}

/** The packed type of a name operand that `collect` has just resolved; unknown for `.x` of what has no components. */
export function typeOf(leaves: Leaves, node: NameOperand): NameType {
  for (let k = 0; k < leaves.count; k++)
    if (leaves.node[k] === node) {
      const e = leaves.entity[k]!;
      if (node.component === undefined) return e.nameType;
      if (e.kind === EntityKind.Register && e.vector === 1 && componentOf(node.component.text) >= 0) break;
      return e.componentType;
    }
  return packName(NameClass.Unknown, 0);
}

function bindLeaf(
  body: Body,
  instruction: Instruction,
  match: Match,
  k: number,
  role: number,
  number: number,
  isGuarded: boolean,
  isCall: boolean,
): void {
  const { leaves, code, context } = body;
  const e = leaves.entity[k];
  const node = leaves.node[k];
  const span = leaves.span[k];
  const address = leaves.isAddress[k] ? IrOperandFlag.Address : 0;
  if (e === undefined || node === undefined) {
    if (number < 0) return;
    const flags = leaves.place[k] === NoRegister.Sink ? definitionFlags(role, isGuarded) : IrOperandFlag.Use;
    const constant = leaves.constant[k];
    const payload =
      constant === undefined
        ? 0
        : constantPayload(
            code.payloads,
            constant,
            context.unit.text,
            leaves.scale[k],
            constant.isFloat ? typeBits(match.form?.operands.at(leaves.operand[k])?.type ?? 0) : 0,
          );
    addOperand(code, leaves.place[k], flags | address, span.start, span.end, payload);
    return;
  }
  switch (e.kind) {
    case EntityKind.Register: {
      const flags = definitionFlags(role, isGuarded) | address;
      if ((role & OperandRole.Read) !== 0) {
        e.reads++;
        e.firstRead ??= node.name;
      }
      if ((role & OperandRole.Written) !== 0) {
        e.writes++;
        e.firstWrite ??= node.name;
      }
      record(context.occurrences, e, node.name, roleBits(role), number);
      const isPart = selectsPart(match, leaves.operand[k]);
      if (number >= 0) addRegister(body, e, node, flags, span, isPart, leaves.operator[k]);
      return;
    }
    case EntityKind.SpecialRegister: {
      checkComponent(body, e, node);
      if (number < 0) return;
      const place =
        specialRegisters.get(e.name)?.isConstant === true
          ? NoRegister.SpecialConstant
          : NoRegister.SpecialVolatile;
      const elements = e.vector > 1 && node.component === undefined ? e.vector : 1;
      for (let i = 0; i < elements; i++)
        addOperand(
          code,
          place,
          IrOperandFlag.Use | address,
          span.start,
          span.end,
          specialPayload(code.payloads, e.name, elements > 1 ? i : (node.component?.text ?? '')),
        );
      return;
    }
    case EntityKind.Unknown: {
      if (node.name.text === 'WARP_SZ') {
        if (number >= 0)
          addOperand(
            code,
            NoRegister.Immediate,
            IrOperandFlag.Use | address,
            span.start,
            span.end,
            code.payloads.texts.number('32'),
          );
        return;
      }
      const use = useOf(body, match, k, isCall, instruction, node);
      reportUnknownValue(context, body.unknown, body.scope, e.name, node.name, use);
      if (number >= 0)
        addOperand(
          code,
          NoRegister.Unknown,
          definitionFlags(role, isGuarded) | address,
          span.start,
          span.end,
        );
      return;
    }
    case EntityKind.Label: {
      record(context.occurrences, e, node.name, Role.Reference, number);
      if (number < 0) return;
      addTarget(body, number, [e]);
      addOperand(code, NoRegister.Label, IrOperandFlag.Use, span.start, span.end);
      return;
    }
    case EntityKind.Targets: {
      record(context.occurrences, e, node.name, Role.Reference, number);
      if (number < 0) return;
      addTarget(body, number, targetLabels(body, e));
      addOperand(code, NoRegister.Label, IrOperandFlag.Use, span.start, span.end);
      return;
    }
    case EntityKind.Prototype:
      record(context.occurrences, e, node.name, Role.Reference, number);
      if (number >= 0) addSymbol(code, e, IrOperandFlag.Use, span);
      return;
    case EntityKind.Function:
      record(context.occurrences, e, node.name, isCall ? Role.Call : Role.Reference, number);
      if (number >= 0) addSymbol(code, e, IrOperandFlag.Use, span);
      return;
    case EntityKind.Variable:
    case EntityKind.Parameter:
    case EntityKind.ModuleVariable: {
      const memory = isCall
        ? roleBits(role)
        : address !== 0
          ? memoryRole(instruction.opcode.text)
          : Role.Reference;
      record(context.occurrences, e, node.name, memory, number);
      if (address !== 0 && e.flow !== undefined)
        checkParameterAccess(context, e, instruction.opcode.text, node.name);
      if (e.kind === EntityKind.ModuleVariable) body.module.add(e);
      if (number < 0) return;
      if (address !== 0 && !code.memory.has(number)) code.memory.set(number, e);
      addSymbol(code, e, (isCall ? definitionFlags(role, isGuarded) : IrOperandFlag.Use) | address, span);
      return;
    }
  }
}

const addSymbol = (code: Code, e: Entity, flags: number, span: Span): void => {
  addOperand(code, NoRegister.Symbol, flags, span.start, span.end, code.payloads.texts.number(e.name));
};

const roleBits = (role: number): number =>
  ((role & OperandRole.Read) !== 0 ? Role.Read : 0) | ((role & OperandRole.Written) !== 0 ? Role.Write : 0);

/** A guarded write may not happen: the old value may live on. */
function definitionFlags(role: number, isGuarded: boolean): number {
  const read = (role & OperandRole.Read) !== 0 ? IrOperandFlag.Use : 0;
  if ((role & OperandRole.Written) === 0) return read;
  return read | IrOperandFlag.Definition | (isGuarded ? IrOperandFlag.Predicated : 0);
}

/** How an instruction uses the memory that its address names. */
function memoryRole(opcode: string): Role | number {
  if (opcode.startsWith('ld') || opcode.startsWith('tex') || opcode.startsWith('suld')) return Role.Read;
  if (opcode.startsWith('st') || opcode.startsWith('sust')) return Role.Write;
  if (opcode.startsWith('atom') || opcode.startsWith('red')) return Role.Read | Role.Write;
  return Role.Reference;
}

/** Video instructions select a byte or half of a register, `%r2.h1`: the tables check which. */
const selectsPart = (match: Match, operand: number): boolean =>
  ((match.form?.operands.at(operand)?.flags ?? 0) & OperandFlag.Part) !== 0;

function addRegister(
  body: Body,
  e: Entity,
  node: NameOperand,
  flags: number,
  span: Span,
  isPart: boolean,
  operator: string,
): void {
  const { code } = body;
  const first = registerOf(code, e);
  if (e.vector === 1) {
    if (node.component !== undefined && !isPart) reportComponent(body, e, node.component);
    const said = isPart ? operator + (node.component?.text ?? '') : operator;
    const payload = said === '' ? 0 : code.payloads.texts.number(said);
    addOperand(code, first, flags, span.start, span.end, payload);
    return;
  }
  if (node.component === undefined) {
    for (let i = 0; i < e.vector; i++) addOperand(code, first + i, flags, span.start, span.end);
    return;
  }
  const component = componentOf(node.component.text);
  if (component < 0 || component >= e.vector) {
    reportComponent(body, e, node.component);
    addOperand(code, NoRegister.Unknown, flags, span.start, span.end);
    return;
  }
  addOperand(code, first + component, flags, span.start, span.end);
}

function checkComponent(body: Body, e: Entity, node: NameOperand): void {
  if (node.component === undefined) return;
  if (e.vector === 1 || componentOf(node.component.text) < 0) reportComponent(body, e, node.component);
}

function reportComponent(body: Body, e: Entity, component: Name): void {
  const word = component.text.startsWith('.') ? component.text : '.' + component.text;
  const list = e.vector === 1 ? undefined : ['.x', '.y', '.z', '.w'].slice(0, e.vector);
  const shown = e.kind === EntityKind.SpecialRegister ? ['.x', '.y', '.z (.w)'] : list;
  body.context.problems.push({
    code: 'name/component',
    severity: 'error',
    span: { start: component.start, end: component.end },
    message:
      list === undefined
        ? `${describeEntity(e)} has no components; remove '${word}'`
        : `${e.name} has components ${shown!.join(', ')}; '${word}' does not exist`,
  });
}

const addTarget = (body: Body, number: number, labels: readonly Entity[]): void => {
  const known = body.code.targets.get(number);
  body.code.targets.set(number, known === undefined ? labels : [...known, ...labels]);
};

/** The labels of a `.branchtargets` list, each once; many branches may share a long list. */
function targetLabels(body: Body, e: Entity): readonly Entity[] {
  const known = body.targetLists.get(e);
  if (known !== undefined) return known;
  const labels = new Set<Entity>();
  if (e.node?.kind === 'targets')
    for (const target of e.node.targets)
      for (const name of listedNames(target)) {
        const found = lookUp(body.scope, name);
        if (found?.kind !== EntityKind.Label) break;
        labels.add(found);
      }
  const list = [...labels];
  body.targetLists.set(e, list);
  return list;
}

function bindGuard(body: Body, instruction: Instruction, number: number): Entity | undefined {
  const { guard } = instruction;
  if (guard === undefined) return undefined;
  const { context } = body;
  const name = guard.name.text;
  const e = lookUp(body.scope, name) ?? lookUpModule(context, name) ?? special(name) ?? nowhere(body, name);
  if (e.kind === EntityKind.Unknown) {
    reportUnknownValue(context, body.unknown, body.scope, name, guard.name, {
      kind: 'value',
      type: '.pred',
      component: undefined,
    });
    return e;
  }
  if (e.kind === EntityKind.Register) {
    e.reads++;
    e.firstRead ??= guard.name;
  }
  if (e.kind !== EntityKind.SpecialRegister)
    record(
      context.occurrences,
      e,
      guard.name,
      e.kind === EntityKind.Register ? Role.Read : Role.Reference,
      number,
    );
  if (e.kind !== EntityKind.Register || (e.type !== '.pred' && types.has(e.type)))
    context.problems.push({
      code: 'type/guard',
      severity: 'error',
      span: { start: guard.name.start, end: guard.name.end },
      message: `guard '@${name}' needs a .pred register; ${e.type === '' ? `'${name}' is none` : `'${name}' is ${e.type}`}`,
    });
  return e;
}

function bindConstantName(body: Body, name: Name, number: number): void {
  if (name.text === 'WARP_SZ') return;
  const e = lookUp(body.scope, name.text) ?? lookUpModule(body.context, name.text);
  if (e !== undefined) record(body.context.occurrences, e, name, Role.Reference, number);
  else
    reportUnknownValue(body.context, body.unknown, body.scope, name.text, name, {
      kind: 'value',
      type: '',
      component: undefined,
    });
}

/** What the unknown name at leaf `k` should have been. */
function useOf(
  body: Body,
  match: Match,
  k: number,
  isCall: boolean,
  instruction: Instruction,
  node: NameOperand,
): Use {
  const { leaves } = body;
  const opcode = instruction.opcode.text;
  if (opcode === 'bra' || opcode.startsWith('bra.') || opcode.startsWith('brx')) return { kind: 'label' };
  const component = node.component?.text.replace(/^\./, '');
  if (isCall) {
    if (instruction.operands[leaves.operand[k]].kind === 'name')
      return { kind: 'function', stub: calleeStub(body, instruction) };
    return { kind: 'value', type: '', component };
  }
  if (leaves.isSecond[k]) return { kind: 'value', type: '.pred', component };
  const spec = match.form?.operands.at(leaves.operand[k]);
  const specType = leaves.isAddress[k] ? 0 : (spec?.type ?? 0);
  const type = leaves.isAddress[k]
    ? addressType(opcode, node.name.text)
    : specType === 0
      ? lastType(opcode)
      : '.' + typeName(specType);
  return { kind: 'value', type, component };
}

/** What an unknown name in an address should be; a plain name in a space of its own is a variable and no register. */
function addressType(opcode: string, name: string): string {
  const isWindow = /\.(shared|local|const|param)\b/.test(opcode);
  if (!isWindow) return '.b64';
  return name.startsWith('%') ? '.b32' : '';
}

const lastType = (opcode: string): string => {
  const word = opcode.slice(opcode.lastIndexOf('.') + 1);
  return typeId(word) === 0 ? '' : '.' + word;
};
