import { IntList } from '../../../ir/int-list.js';
import type { Problem } from '../../../text/problem.js';
import type { Environment } from '../../language.js';
import { Role, type SymbolIndex, type SymbolKind, type UnitSymbol } from '../../symbols.js';
import type { Facts } from '../facts.js';
import { flowKindOf } from '../opcode-flow.js';
import { FlowKind } from '../flow.js';
import { NumberIndex } from '../number-index.js';
import type { Registers } from '../sizes.js';
import type { Operand } from '../operand.js';
import type { Instruction, MesaUnit, OperandFile } from '../tree.js';

/** What binding the names of one program needs to know. */
export interface NameContext {
  readonly parsed: MesaUnit;
  readonly facts: Facts;
  readonly registers: Registers;
  readonly labelNumbers: ReadonlyMap<string, number>;
  readonly environment: Environment;
  readonly problems: Problem[];
}

interface Mutable extends UnitSymbol {
  detail: string;
  declaration: UnitSymbol['declaration'];
  extent: UnitSymbol['extent'];
}

interface Table {
  readonly symbols: Mutable[];
  readonly start: IntList;
  readonly end: IntList;
  readonly symbol: IntList;
  readonly role: IntList;
  readonly instruction: IntList;
  /** By register file: the numbers that are known, and the symbol of each. */
  readonly files: Map<OperandFile, { readonly index: NumberIndex; readonly symbols: number[] }>;
  readonly labels: Map<string, number>;
}

interface FileNames {
  readonly kind: SymbolKind;
  readonly kindName: string;
}

const files: Partial<Readonly<Record<OperandFile, FileNames>>> = {
  virtual: { kind: 'register', kindName: 'virtual register' },
  grf: { kind: 'register', kindName: 'hardware register' },
  message: { kind: 'register', kindName: 'message register' },
  uniform: { kind: 'variable', kindName: 'uniform' },
  attribute: { kind: 'variable', kindName: 'attribute' },
  slot: { kind: 'variable', kindName: 'scratch slot' },
  flag: { kind: 'predicate', kindName: 'flag' },
  accumulator: { kind: 'register', kindName: 'accumulator' },
  address: { kind: 'register', kindName: 'address register' },
  architecture: { kind: 'register', kindName: 'architecture register' },
};

/** Symbols and their occurrences, in text order. */
export function bindNames(context: NameContext): SymbolIndex {
  const { parsed, registers } = context;
  const size = parsed.statements.length;
  const table: Table = {
    symbols: [],
    start: new IntList(3 * size),
    end: new IntList(3 * size),
    symbol: new IntList(3 * size),
    role: new IntList(3 * size),
    instruction: new IntList(3 * size),
    files: new Map(),
    labels: new Map(),
  };
  const isVirtual = context.facts.phase === 'virtual';
  // Virtual registers come first, in the order of their numbers in the function.
  for (let r = 0; r < registers.numbers.length; r++)
    addSymbol(
      table,
      `vgrf${registers.numbers[r]}`,
      'register',
      'virtual register',
      isVirtual ? r : -1,
      registerDetail(registers, r),
    );
  let instruction = 0;
  for (const statement of parsed.statements) {
    switch (statement.kind) {
      case 'program':
        if (statement.word !== undefined) {
          const symbol = addSymbol(table, statement.word.text, 'kernel', 'program', -1, '', true);
          const s = table.symbols[symbol];
          s.declaration = statement.word;
          s.extent = { start: statement.start, end: parsed.statements[size - 1].end };
          record(
            table,
            statement.word.start,
            statement.word.end,
            symbol,
            Role.Declaration | Role.Definition,
            -1,
          );
          duplicateProgram(context, statement.word);
        }
        break;
      case 'vgrf':
        if (statement.number !== undefined) {
          const r = registers.indexOf(statement.number.value);
          const s = table.symbols[r];
          const isFirst = s.extent === undefined;
          if (isFirst) {
            s.declaration = statement.number;
            s.extent = statement;
          } else
            context.problems.push({
              code: 'name/duplicate',
              severity: 'error',
              span: { start: statement.number.start, end: statement.number.end },
              message: `vgrf${statement.number.value} has a .vgrf above already, which is the one that counts`,
            });
          record(table, statement.number.start, statement.number.end, r, Role.Declaration, -1);
        }
        break;
      case 'label':
        bindLabel(context, table, statement.name);
        break;
      case 'liveOut':
        for (const operand of statement.operands) bindOperand(context, table, operand, Role.Read, -1);
        break;
      case 'instruction':
        bindInstruction(context, table, statement, statement.isFaulty ? -1 : instruction);
        if (!statement.isFaulty) instruction++;
        break;
      default:
        break;
    }
  }
  unusedLabels(context, table);
  return {
    symbols: table.symbols,
    occurrenceStart: table.start.toArray(),
    occurrenceEnd: table.end.toArray(),
    occurrenceSymbol: table.symbol.toArray(),
    occurrenceRole: new Uint8Array(table.role.view()),
    occurrenceInstruction: table.instruction.toArray(),
  };
}

function registerDetail({ sizes, by }: Registers, r: number): string {
  const bytes = sizes[r] * 32;
  const how =
    by[r] === 'declared' ? '' : by[r] === 'exact' ? ', by its accesses' : ', at least, by its accesses';
  return `${sizes[r]} GRF${sizes[r] === 1 ? '' : 's'} (${bytes} bytes)${how}`;
}

function addSymbol(
  table: Table,
  name: string,
  kind: SymbolKind,
  kindName: string | undefined,
  register: number,
  detail: string,
  isGlobal = false,
): number {
  return (
    table.symbols.push({
      name,
      kind,
      kindName,
      detail,
      declaration: undefined,
      extent: undefined,
      isGlobal,
      register,
    }) - 1
  );
}

function record(
  table: Table,
  start: number,
  end: number,
  symbol: number,
  role: number,
  instruction: number,
): void {
  table.start.push(start);
  table.end.push(end);
  table.symbol.push(symbol);
  table.role.push(role);
  table.instruction.push(instruction);
}

function bindInstruction(context: NameContext, table: Table, node: Instruction, instruction: number): void {
  const { predicate } = node;
  if (predicate !== undefined)
    bindFlag(table, predicate.flag, predicate.flagStart, predicate.flagEnd, Role.Read, instruction);
  const { condition } = node;
  if (condition !== undefined && condition.flagStart >= 0) {
    const isRead = node.opcode.text === 'if' || node.opcode.text === 'while';
    bindFlag(
      table,
      condition.flag,
      condition.flagStart,
      condition.end,
      isRead ? Role.Read : Role.Write,
      instruction,
    );
  }
  const { destination } = node;
  if (destination.file === 'word') {
    if (flowKindOf(node.opcode.text) === FlowKind.Jump) bindJump(context, table, destination, instruction);
  } else bindOperand(context, table, destination, Role.Write, instruction);
  for (const source of node.sources) bindOperand(context, table, source, Role.Read, instruction);
}

function bindFlag(
  table: Table,
  flag: number,
  start: number,
  end: number,
  role: number,
  instruction: number,
): void {
  record(
    table,
    start,
    end,
    symbolOf(table, 'flag', flag, () => flagNames[flag]),
    role,
    instruction,
  );
}

const flagNames = ['f0.0', 'f0.1', 'f1.0', 'f1.1'];

function bindOperand(
  { parsed, registers }: NameContext,
  table: Table,
  operand: Operand,
  role: number,
  instruction: number,
): void {
  const { file, nameStart } = operand;
  switch (file) {
    case 'virtual': {
      const register = registers.indexOf(operand.number);
      // A faulty line may name a register that no sound one has.
      const symbol =
        register >= 0 ? register : symbolOf(table, 'virtual', operand.number, () => `vgrf${operand.number}`);
      record(table, nameStart, operand.nameEnd, symbol, role, instruction);
      // Without a `.vgrf` the first write declares the register.
      if (role === Role.Write)
        table.symbols[symbol].declaration ??= { start: nameStart, end: operand.nameEnd };
      return;
    }
    case 'grf':
    case 'message':
    case 'uniform':
    case 'attribute':
    case 'slot':
    case 'flag':
    case 'accumulator':
    case 'address':
    case 'architecture': {
      // `g4.16`: the name is `g4`.
      const end =
        file === 'grf' && operand.subregister >= 0 ? parsed.text.indexOf('.', nameStart) : operand.nameEnd;
      const key =
        file === 'architecture' || file === 'address'
          ? operand.number * 1024 + Math.min(Math.max(operand.subregister, 0), 1023)
          : operand.number;
      const symbol = symbolOf(table, file, key, () => parsed.text.slice(nameStart, end));
      record(table, nameStart, end, symbol, role, instruction);
      return;
    }
    default:
      return;
  }
}

function symbolOf(table: Table, file: OperandFile, number: number, name: () => string): number {
  let known = table.files.get(file);
  if (known === undefined) {
    known = { index: new NumberIndex(), symbols: [] };
    table.files.set(file, known);
  }
  const { index, symbols } = known;
  const at = index.add(number);
  if (at < symbols.length) return symbols[at];
  const { kind, kindName } = files[file] ?? { kind: 'register', kindName: 'register' };
  const symbol = addSymbol(table, name(), kind, kindName, -1, kindName);
  symbols.push(symbol);
  return symbol;
}

function labelSymbol(table: Table, name: string): number {
  const known = table.labels.get(name);
  if (known !== undefined) return known;
  const symbol = addSymbol(table, name, 'label', undefined, -1, 'label');
  table.labels.set(name, symbol);
  return symbol;
}

function bindLabel(
  { problems }: NameContext,
  table: Table,
  name: { text: string; start: number; end: number },
): void {
  const symbol = labelSymbol(table, name.text);
  const s = table.symbols[symbol];
  if (s.declaration === undefined) s.declaration = { start: name.start, end: name.end };
  else
    problems.push({
      code: 'name/duplicate',
      severity: 'error',
      span: { start: name.start, end: name.end },
      message: `the label '${name.text}' stands further up already; jumps go there`,
      related: [{ span: s.declaration, message: 'the first one' }],
    });
  record(table, name.start, name.end, symbol, Role.Declaration | Role.Definition, -1);
}

/** Labels that no jump goes to. */
function unusedLabels({ problems }: NameContext, table: Table): void {
  if (table.labels.size === 0) return;
  const isUsed = new Uint8Array(table.symbols.length);
  for (let k = 0; k < table.symbol.length; k++)
    if ((table.role.at(k) & Role.Reference) !== 0) isUsed[table.symbol.at(k)] = 1;
  for (const [name, symbol] of table.labels) {
    const { declaration } = table.symbols[symbol];
    if (isUsed[symbol] === 1 || declaration === undefined) continue;
    problems.push({
      code: 'name/unused-label',
      severity: 'hint',
      span: { start: declaration.start, end: declaration.end },
      message: `nothing jumps to '${name.slice(0, 40)}'`,
      tags: ['unnecessary'],
    });
  }
}

function bindJump(
  { parsed, labelNumbers, problems }: NameContext,
  table: Table,
  operand: Operand,
  instruction: number,
): void {
  const name = parsed.text.slice(operand.nameStart, operand.nameEnd);
  if (!labelNumbers.has(name)) {
    problems.push({
      code: 'name/unknown-label',
      severity: 'error',
      span: { start: operand.start, end: operand.end },
      message: `there is no label '${name.slice(0, 40)}'; write '${name.slice(0, 40)}:' in front of the instruction to go to`,
    });
    return;
  }
  record(table, operand.nameStart, operand.nameEnd, labelSymbol(table, name), Role.Reference, instruction);
}

function duplicateProgram(
  { environment, problems }: NameContext,
  name: { text: string; start: number; end: number },
): void {
  const other = environment.earlier(name.text).find((d) => d.isDefinition);
  if (other === undefined) return;
  problems.push({
    code: 'name/duplicate',
    severity: 'error',
    span: { start: name.start, end: name.end },
    message: `a program '${name.text}' stands further up already: give this one another name`,
    related: [{ span: other.span, message: 'the first one', anchor: other.name }],
  });
}
