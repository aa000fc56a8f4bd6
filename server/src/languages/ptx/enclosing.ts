import { touches, type Span } from '../../text/span.js';
import type { PtxSyntax } from './parser/parse.js';
import {
  TokenKind,
  type Block,
  type FunctionItem,
  type Initializer,
  type Instruction,
  type Operand,
  type Parameter,
  type VariableDeclaration,
} from './tree.js';

/** What a selection around `offset` grows to: word, dotted opcode, operand, statement, block, function. Innermost first. */
export function enclosing(syntax: PtxSyntax, offset: number): readonly Span[] {
  const spans: Span[] = [{ start: 0, end: syntax.text.length }];
  const add: Add = (span) => {
    if (touches(span, offset)) spans.push({ start: span.start, end: span.end });
  };
  const item = findTouching(syntax.items, offset);
  if (item !== undefined) {
    add(item);
    if (item.kind === 'function') enterFunction(item, offset, add);
    else if (item.kind === 'variable') enterVariable(item, offset, add);
  }
  addToken(syntax, offset, add);
  return nested(spans);
}

type Add = (span: Span) => void;

/** Each span strictly inside the one before, the innermost first. */
function nested(outermostFirst: readonly Span[]): Span[] {
  const kept: Span[] = [];
  for (const span of outermostFirst) {
    const outer = kept[kept.length - 1];
    if (
      outer === undefined ||
      (span.start >= outer.start && span.end <= outer.end && span.end - span.start < outer.end - outer.start)
    )
      kept.push(span);
  }
  return kept.reverse();
}

/** The node that holds `offset`; of two that meet there the later one. Nodes are in text order. */
function findTouching<N extends Span>(nodes: readonly N[], offset: number): N | undefined {
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (nodes[middle].start <= offset) low = middle + 1;
    else high = middle;
  }
  const found = nodes[low - 1];
  return found !== undefined && touches(found, offset) ? found : undefined;
}

function enterFunction(item: FunctionItem, offset: number, add: Add): void {
  if (item.body !== undefined && offset >= item.body.start) {
    enterBlock(item.body, offset, add);
    return;
  }
  enterParameters(item.returns, offset, add);
  enterParameters(item.parameters, offset, add);
  const directive = findTouching(item.directives, offset);
  if (directive !== undefined) add(directive);
}

function enterParameters(parameters: readonly Parameter[], offset: number, add: Add): void {
  if (parameters.length === 0) return;
  add({ start: parameters[0].start, end: parameters[parameters.length - 1].end });
  const parameter = findTouching(parameters, offset);
  if (parameter !== undefined) add(parameter);
}

function enterBlock(body: Block, offset: number, add: Add): void {
  for (let block: Block | undefined = body; block !== undefined;) {
    add(block);
    add({ start: block.start + 1, end: block.isClosed ? block.end - 1 : block.end });
    const statement: Block['statements'][number] | undefined = findTouching(block.statements, offset);
    block = undefined;
    if (statement === undefined) return;
    if (statement.kind === 'block') {
      block = statement;
      continue;
    }
    add(statement);
    if (statement.kind === 'instruction') enterInstruction(statement, offset, add);
    else if (statement.kind === 'variable') enterVariable(statement, offset, add);
    else if (statement.kind === 'prototype' || statement.kind === 'function')
      enterParameters(statement.parameters, offset, add);
  }
}

function enterInstruction(instruction: Instruction, offset: number, add: Add): void {
  if (instruction.isTerminated) add({ start: instruction.start, end: instruction.end - 1 });
  if (instruction.guard !== undefined) add(instruction.guard);
  add(instruction.opcode);
  const { operands } = instruction;
  if (operands.length === 0) return;
  add({ start: operands[0].start, end: operands[operands.length - 1].end });
  const operand = findTouching(operands, offset);
  if (operand !== undefined) enterOperand(operand, offset, add);
}

function enterOperand(operand: Operand, offset: number, add: Add): void {
  add(operand);
  switch (operand.kind) {
    case 'vector':
    case 'list': {
      add({ start: operand.start + 1, end: operand.end - 1 });
      const element = findTouching(operand.elements, offset);
      if (element !== undefined) enterOperand(element, offset, add);
      break;
    }
    case 'address': {
      add({ start: operand.start + 1, end: operand.end - 1 });
      if (operand.base !== undefined && touches(operand.base, offset))
        enterOperand(operand.base, offset, add);
      if (operand.offset !== undefined) add(operand.offset);
      const more = findTouching(operand.more, offset);
      if (more !== undefined) enterOperand(more, offset, add);
      break;
    }
    case 'pair':
      enterOperand(touches(operand.first, offset) ? operand.first : operand.second, offset, add);
      break;
    case 'not':
      enterOperand(operand.operand, offset, add);
      break;
    case 'name':
      if (operand.offset !== undefined) add(operand.offset);
      add({ start: operand.start, end: (operand.component ?? operand.name).end });
      add(operand.name);
      break;
    case 'constant':
    case 'sink':
    case 'missing':
      break;
  }
}

function enterVariable(item: VariableDeclaration, offset: number, add: Add): void {
  const { declarators } = item;
  if (declarators.length === 0) return;
  add({ start: declarators[0].start, end: declarators[declarators.length - 1].end });
  const declarator = findTouching(declarators, offset);
  if (declarator === undefined) return;
  add(declarator);
  for (let initializer: Initializer | undefined = declarator.initializer; initializer !== undefined;) {
    add(initializer);
    initializer = initializer.kind === 'list' ? findTouching(initializer.elements, offset) : undefined;
  }
}

/** The word at `offset`; where two tokens meet, a name or number before punctuation. */
function addToken(syntax: PtxSyntax, offset: number, add: Add): void {
  const { tokens } = syntax;
  let low = 0;
  let high = tokens.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (tokens.start[middle] <= offset) low = middle + 1;
    else high = middle;
  }
  let at = low - 1;
  if (at < 0) return;
  const isPlain = tokens.kind[at] === TokenKind.Punctuation && tokens.start[at] === offset;
  if (isPlain && at > 0 && tokens.end[at - 1] === offset) at--;
  add({ start: tokens.start[at], end: tokens.end[at] });
}
