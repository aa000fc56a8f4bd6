import type { Signatures } from '../language.js';
import { callShape } from './bind/calls.js';
import type { Entity } from './bind/entities.js';
import type { PtxBound } from './bind/index.js';
import type { FunctionFact, ParameterFact } from './declarations.js';
import { statementAt, tokenBefore } from './find.js';
import { opcodeOf, type ResolvedForm } from './isa/opcode.js';
import { formSignature, operandName, operandText } from './reference/instructions.js';
import { TokenKind, type Instruction } from './tree.js';

/** The operands that the instruction at the cursor takes, one signature a number or kind of operands. */
const SHOWN = 12;

export function signatures(bound: PtxBound, offset: number): Signatures | undefined {
  const statement = statementBefore(bound, offset);
  if (statement === undefined || offset <= statement.opcode.end) return undefined;
  const parameter = commasBefore(bound, statement.opcode.end, offset);
  if (/^call(?:\.|$)/.test(statement.opcode.text)) {
    const call = callSignature(bound, statement, offset);
    if (call !== undefined) return call;
  }
  const forms = formsOf(statement.opcode.text);
  if (forms.length === 0) return undefined;
  const items = forms.map((form) => ({
    label: formSignature(statement.opcode.text, form),
    documentation: form.entry.text,
    parameters: form.operands.map((spec) => ({ label: operandName(spec), documentation: operandText(spec) })),
  }));
  const fitting = items.findIndex((item) => item.parameters.length > parameter);
  return { items, activeItem: Math.max(0, fitting), activeParameter: parameter };
}

/** The instruction that the cursor is in, or stands behind while it has no semicolon. */
function statementBefore(bound: PtxBound, offset: number): Instruction | undefined {
  const at = statementAt(bound.parsed, offset);
  if (at === undefined) return undefined;
  if (at.statement?.kind === 'instruction')
    return offset === at.statement.end && at.statement.isTerminated ? undefined : at.statement;
  let before: Instruction | undefined;
  for (const statement of at.block.statements) {
    if (statement.start >= offset) break;
    before = statement.kind === 'instruction' ? statement : undefined;
  }
  return before !== undefined && !before.isTerminated ? before : undefined;
}

/** Commas between two places that stand in no brackets. */
function commasBefore(bound: PtxBound, from: number, offset: number): number {
  const { tokens, text } = bound.parsed;
  let depth = 0;
  let count = 0;
  for (let t = tokenBefore(tokens, from, true) + 1; t < tokens.count; t++) {
    if (tokens.start[t] >= offset) break;
    if (tokens.start[t] < from) continue;
    if (tokens.kind[t] !== TokenKind.Punctuation || tokens.end[t] - tokens.start[t] !== 1) continue;
    const c = text[tokens.start[t]];
    if (c === '(' || c === '[' || c === '{') depth++;
    else if (c === ')' || c === ']' || c === '}') depth--;
    else if (c === ',' && depth <= 0) count++;
  }
  return count;
}

function formsOf(opcode: string): readonly ResolvedForm[] {
  const seen = new Set<string>();
  return opcodeOf(opcode)
    .forms.filter((form) => {
      const label = form.operands.map(operandName).join();
      if (seen.has(label)) return false;
      seen.add(label);
      return true;
    })
    .slice(0, SHOWN);
}

function callSignature(bound: PtxBound, instruction: Instruction, offset: number): Signatures | undefined {
  const { callee, parameters } = callShape(instruction);
  if (callee?.kind !== 'name' || offset <= callee.end) return undefined;
  if (parameters !== undefined && offset > parameters.end) return undefined;
  const fact = calleeFact(bound, callee.name.text);
  if (fact === undefined) return undefined;
  const shown = fact.parameters.map((parameter) => parameterLabel(parameter));
  const returns = fact.returns.map((parameter) => parameterLabel(parameter)).join(', ');
  const active = parameters === undefined ? 0 : commasBefore(bound, parameters.start + 1, offset);
  return {
    items: [
      {
        label: `call ${returns === '' ? '' : `(${returns}), `}${callee.name.text}, (${shown.join(', ')})`,
        parameters: shown.map((label) => ({ label })),
      },
    ],
    activeItem: 0,
    activeParameter: active,
  };
}

export const parameterLabel = (p: ParameterFact): string =>
  `${p.space} ${p.alignment > 0 ? `.align ${p.alignment} ` : ''}${p.type} ${p.name}` +
  p.dimensions.map((n) => `[${n < 0 ? '' : n}]`).join('');

function calleeFact(bound: PtxBound, name: string): FunctionFact | undefined {
  const e: Entity | undefined = bound.moduleNames.get(name);
  return e?.fact?.kind === 'function' ? e.fact : undefined;
}
