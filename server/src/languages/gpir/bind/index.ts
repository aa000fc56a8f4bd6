import type { BoundUnit, Environment } from '../../language.js';
import { Role } from '../../symbols.js';
import { Space } from '../../../ir/payload.js';
import { OperandFlag, InstructionFlag } from '../../../ir/function.js';
import type { DeclareDirective, GpirUnit, Label, LiveOutDirective, Name, ProgramDirective } from '../tree.js';
import { limits } from '../isa/machine.js';
import { addOperand, blocksOf, type Blocks, type Code } from './code.js';
import {
  labelOf,
  makeContext,
  physicalOf,
  placedLabel,
  registerOf,
  report,
  shown,
  vectorOf,
  type Context,
} from './context.js';
import { addEntity, record, symbolIndex, type Entity } from './entities.js';
import { checkBlockEnds } from './block-ends.js';
import { checkFlow } from './flow.js';
import { bindInstruction } from './instruction.js';
import { checkDeclared, checkPhysical } from './limits.js';
import { checkLiveOuts, checkUsage } from './usage.js';

/** A gpir unit with its names resolved, and what lowering needs of that. */
export interface GpirBound extends BoundUnit {
  readonly parsed: GpirUnit;
  readonly code: Code;
  readonly blocks: Blocks;
  /** Registers whose first value comes from outside: places, for the pseudo instruction `entry`. */
  readonly entry: readonly number[];
  /** Vectors that the program declares or reads as uniforms: the highest number and 1. */
  readonly uniforms: number;
  /** By number: what `a0`, `u3` and so on are declared as. */
  readonly declared: readonly DeclareDirective[];
}

/** Resolves the names of a program. Never throws; linear in the unit. */
export function bind(unit: GpirUnit, environment: Environment): GpirBound {
  const context = makeContext(unit, environment);
  const { code } = context;
  const declared: DeclareDirective[] = [];
  const liveOuts: LiveOutDirective[] = [];
  for (const statement of unit.statements) {
    switch (statement.kind) {
      case 'program':
        if (statement === unit.program) bindProgram(context, statement);
        break;
      case 'declare':
        bindDeclaration(context, statement, declared);
        break;
      case 'liveOut':
        liveOuts.push(statement);
        bindLiveOut(context, statement);
        break;
      case 'label':
        bindLabel(context, statement);
        break;
      case 'instruction':
        bindInstruction(context, statement);
        break;
      case 'error':
        break;
    }
  }
  addLiveOuts(context, liveOuts);
  declareUnwritten(context);
  const blocks = blocksOf(code);
  checkBlockEnds(context);
  const entry = checkFlow(context, blocks, liveOuts.length > 0);
  checkUsage(context);
  checkLiveOuts(context, liveOuts);
  context.problems.sort((a, b) => a.span.start - b.span.start);
  return {
    parsed: unit,
    symbols: symbolIndex(context.table, entry.length > 0 ? 1 : 0),
    problems: context.problems,
    code,
    blocks,
    entry,
    uniforms: uniformVectors(context),
    declared,
  };
}

function bindProgram(context: Context, { name, start }: ProgramDirective): void {
  if (name === undefined) return;
  const { statements } = context.unit;
  const e = addEntity(context.table, name.text, 'kernel', 'program', true);
  e.declaration = name;
  e.extent = { start, end: statements[statements.length - 1].end };
  record(context.table, e, name.start, name.end, Role.Declaration | Role.Definition, -1);
  const other = context.environment.earlier(name.text).find((d) => d.isDefinition);
  if (other === undefined) return;
  report(
    context,
    'name/duplicate',
    'error',
    name,
    `a program '${shown(name.text)}' stands further up already`,
    {
      related: [
        {
          span: { start: 0, end: other.span.end - other.span.start },
          message: 'the first one',
          anchor: name.text,
        },
      ],
    },
  );
}

function bindDeclaration(context: Context, statement: DeclareDirective, declared: DeclareDirective[]): void {
  const { location, space, index, name, role } = statement;
  if (location === undefined || index < 0) return;
  declared.push(statement);
  const e = vectorOf(context, space, index, location.text);
  record(context.table, e, location.start, location.end, Role.Declaration | Role.Definition, -1);
  checkDeclared(context, statement);
  if (e.extent !== undefined && e.declaration !== undefined)
    report(context, 'name/duplicate', 'error', location, `'${location.text}' is named twice`, {
      related: [{ span: e.declaration, message: `named '${shown(e.detail)}' here` }],
    });
  else {
    e.declaration = location;
    e.extent = statement;
    if (name !== undefined) e.detail = role === undefined ? name.text : `${name.text} ${role.text}`;
  }
  if (role !== undefined) checkRole(context, statement, role, declared);
  if (name === undefined) return;
  const named = addEntity(context.table, name.text, 'value', `name of ${location.text}`);
  named.detail = location.text;
  named.declaration = name;
  named.extent = e.extent;
  record(context.table, named, name.start, name.end, Role.Declaration | Role.Definition, -1);
}

/** A program has one position and one point size. */
function checkRole(
  context: Context,
  statement: DeclareDirective,
  role: Name,
  declared: readonly DeclareDirective[],
): void {
  const other = declared.find((d) => d !== statement && d.role?.text === role.text);
  if (other?.location === undefined || other.role === undefined) return;
  const what = role.text === 'position' ? 'position' : 'point size';
  report(context, 'name/duplicate', 'error', role, `${other.location.text} is the ${what} already`, {
    related: [{ span: { start: other.role.start, end: other.role.end }, message: 'declared here' }],
  });
}

function bindLabel(context: Context, { name }: Label): void {
  const e = labelOf(context, name.text);
  const role = Role.Declaration | Role.Definition;
  if (e.declaration !== undefined) {
    record(context.table, e, name.start, name.end, Role.Declaration, -1);
    report(context, 'name/duplicate', 'error', name, `there is a label '${shown(name.text)}' already`, {
      related: [{ span: e.declaration, message: 'the first one' }],
    });
    // a block begins here all the same
    context.code.labels.push({ name: name.text, position: context.code.nodes.length });
    return;
  }
  e.declaration = name;
  record(context.table, e, name.start, name.end, role, -1);
  const placed = placedLabel(context, name.text);
  placed.position = context.code.nodes.length;
  context.code.labels.push(placed);
}

/** The occurrences of `.live_out`; its reads come when the code is complete. */
function bindLiveOut(context: Context, statement: LiveOutDirective): void {
  for (const operand of statement.registers) {
    const e = liveRegister(context, operand);
    e.reads++;
    record(context.table, e, operand.name.start, operand.name.end, Role.Read, -1);
    if (operand.kind === 'physical') checkPhysical(context, operand);
  }
}

const liveRegister = (context: Context, operand: LiveOutDirective['registers'][number]): Entity =>
  operand.kind === 'register' ? registerOf(context, operand.name) : physicalOf(context, operand);

/** Adds the pseudo instructions that read what outlives the program. */
function addLiveOuts(context: Context, liveOuts: readonly LiveOutDirective[]): void {
  const { code, table } = context;
  for (const statement of liveOuts) {
    const number = code.nodes.push(statement) - 1;
    code.flags.push(InstructionFlag.SideEffect);
    code.operandStart.push(code.place.length);
    for (const operand of statement.registers) {
      const { place } = liveRegister(context, operand);
      if (place === undefined) continue;
      addOperand(code, place, OperandFlag.Use, 0, operand.name.start, operand.name.end);
      setInstruction(table.start.view(), table.instruction.view(), operand.name.start, number);
    }
  }
}

function setInstruction(starts: Int32Array, instructions: Int32Array, start: number, number: number): void {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle] < start) low = middle + 1;
    else high = middle;
  }
  if (starts[low] === start) instructions[low] = number;
}

/** A register that nothing writes, in a fragment for instance, is declared where it stands first. */
function declareUnwritten({ table }: Context): void {
  for (let k = 0; k < table.symbol.length; k++) {
    const e = table.entities[table.symbol.at(k)];
    if (e.kind === 'register') e.declaration ??= { start: table.start.at(k), end: table.end.at(k) };
  }
}

function uniformVectors(context: Context): number {
  let most = 0;
  for (const key of context.vectors.keys())
    if (key >>> 24 === Space.Uniform) most = Math.max(most, (key & 0xff_ffff) + 1);
  return Math.min(most, limits.uniforms);
}
