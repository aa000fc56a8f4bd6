import type { Function } from '../../../ir/function.js';
import type { Span, TextEdit } from '../../../text/span.js';
import { behaviourOf } from '../behaviour.js';
import { occurrenceAt } from '../../symbols.js';
import type { PtxBound } from '../bind/index.js';
import type { Block, FunctionItem, Instruction, NameOperand, Statement as TreeStatement } from '../tree.js';
import type { Frame } from '../stack/frame.js';
import { typeBytes } from '../types.js';
import type { Layout } from './layout.js';
import { retarget } from './retarget.js';
import { stackRegisters, wordsOf, type StackRegisters } from './registers.js';
import {
  allocate,
  declarations,
  prologue,
  restore,
  restoreStack,
  saveStack,
  type StackShape,
  type Statement,
} from './statements.js';
import { behind, blanksBefore, instead, linesBefore, wholeLine } from './style.js';

/** What becomes of a function whose frame moves; edits are relative to the unit. */
export interface Rewrite {
  readonly edits: readonly TextEdit[];
  /** Of the fixed frame. */
  readonly bytes: number;
  readonly usesSlots: boolean;
}

const DYNAMIC = new Set(['alloca', 'stacksave', 'stackrestore']);

const baseOf = (opcode: string): string => opcode.split('.', 1)[0];

/** Whether the function allocates at run time in `.local` memory. */
export function hasDynamic(f: Function): boolean {
  for (let i = 0; i < f.instructionCount; i++)
    if (DYNAMIC.has(baseOf(f.opcodes.text(f.opcode[i])))) return true;
  return false;
}

/** Writes a function again whose addresses can all be followed. Without a frame of its own only its accesses change. */
export function rewriteFunction(
  bound: PtxBound,
  item: FunctionItem,
  body: Block,
  frame: Frame,
  layout: Layout,
  choice: { readonly frameAlignment: number; readonly isPerThread: boolean },
): Rewrite {
  const { text } = bound.parsed;
  const registers = stackRegisters(wordsOf(bound.parsed), choice.isPerThread);
  const hasPointer = hasDynamic(frame.function);
  const hasStack = layout.bytes > 0 || hasPointer;
  const shape: StackShape = {
    bytes: layout.bytes,
    alignment: layout.alignment,
    frameAlignment: choice.frameAlignment,
    isPublished: hasStack && !frame.isLeaf,
    hasPointer,
    isPerThread: choice.isPerThread,
  };
  const code: TextEdit[] = [];
  const elementBytes = elementBytesOf(bound);
  const indentation = indentationOf(text, body);
  let hasSizes = false;
  for (const instruction of instructionsOf(body)) {
    const guard = guardOf(text, instruction);
    const dynamic = dynamicCode(text, instruction, registers, shape);
    if (dynamic !== undefined) {
      hasSizes ||= dynamic.some(({ operands }) => operands.startsWith(`${registers.bytes},`));
      code.push(instead(text, instruction, dynamic, guard));
      continue;
    }
    if (shape.isPublished && behaviourOf(instruction.opcode.text).isReturn) {
      const own = blanksBefore(text, instruction.start) ?? indentation;
      code.push(linesBefore(text, instruction.start, [restore(registers)], own, guard));
    }
    code.push(...retarget(instruction, layout, registers, elementBytes));
    if (takesParameter(instruction, layout)) code.push(madeGeneric(text, instruction, guard));
  }
  if (!hasStack) return { edits: code, bytes: 0, usesSlots: false };
  const entry = [...declarations(registers, shape, hasSizes), ...prologue(registers, shape)];
  const edits = [
    ...declarationsGone(text, frame),
    linesBefore(text, firstCode(body), entry, indentation),
    ...code,
  ];
  if (shape.isPublished && !endsInLeaving(body) && !isNoreturn(item))
    edits.push(linesBefore(text, body.end - 1, [restore(registers)], indentation));
  return { edits, bytes: layout.bytes, usesSlots: true };
}

/** `mov` of the address of a parameter of the function. */
const takesParameter = ({ opcode, operands }: Instruction, layout: Layout): boolean =>
  opcode.text.startsWith('mov.') &&
  operands.some((operand) => operand.kind === 'name' && layout.isParameterAt(operand.name.start));

/** Parameters stay in the local window, so that their addresses are made generic where they are taken. */
function madeGeneric(text: string, { operands, end }: Instruction, guard: string): TextEdit {
  const register = text.slice(operands[0].start, operands[0].end);
  return behind(text, end, [{ opcode: 'cvta.local.u64', operands: `${register}, ${register}` }], guard);
}

/** Blanks before the first instruction that begins a line. */
function indentationOf(text: string, body: Block): string {
  for (const { start } of instructionsOf(body)) {
    const blanks = blanksBefore(text, start);
    if (blanks !== undefined) return blanks;
  }
  return '\t';
}

const guardOf = (text: string, { guard }: Instruction): string =>
  guard === undefined ? '' : text.slice(guard.start, guard.end);

const isNoreturn = (item: FunctionItem): boolean =>
  item.directives.some(({ name }) => name.text === '.noreturn');

/** What stands in the place of `alloca`, `stacksave` and `stackrestore`; undefined for other instructions. */
function dynamicCode(
  text: string,
  { opcode, operands }: Instruction,
  registers: StackRegisters,
  shape: StackShape,
): Statement[] | undefined {
  const base = baseOf(opcode.text);
  if (!DYNAMIC.has(base)) return undefined;
  const word = (k: number): string => text.slice(operands[k].start, operands[k].end);
  if (base === 'stacksave') return saveStack(registers, word(0));
  if (base === 'stackrestore') return restoreStack(registers, shape, word(0));
  const size = operands[1];
  const asked = operands.at(2);
  const alignment = asked?.kind === 'constant' ? Number(asked.value.integer ?? 1n) : 1;
  const bytes = size.kind === 'constant' ? (size.value.integer ?? 0n) : word(1);
  return allocate(registers, shape, word(0), bytes, alignment);
}

/** Statements that say nothing to the assembler of what is executed. */
const isSilent = (s: TreeStatement): boolean =>
  s.kind === 'variable' ||
  s.kind === 'loc' ||
  s.kind === 'section' ||
  s.kind === 'function' ||
  s.kind === 'error';

/** Where the first statement stands that is executed, or where the body ends. */
const firstCode = (body: Block): number => body.statements.find((s) => !isSilent(s))?.start ?? body.end - 1;

/** Instructions in text order, nested blocks included. */
export function* instructionsOf(body: Block): Generator<Instruction> {
  const open: { readonly block: Block; next: number }[] = [{ block: body, next: 0 }];
  while (open.length > 0) {
    const top = open[open.length - 1];
    const statement = top.block.statements.at(top.next++);
    if (statement === undefined) open.pop();
    else if (statement.kind === 'block') open.push({ block: statement, next: 0 });
    else if (statement.kind === 'instruction') yield statement;
  }
}

/** Whether control never comes to the closing brace. */
function endsInLeaving(body: Block): boolean {
  let last: TreeStatement | undefined = body;
  while (last?.kind === 'block') last = last.statements.findLast((s: TreeStatement) => !isSilent(s));
  return last?.kind === 'instruction' && last.guard === undefined && behaviourOf(last.opcode.text).leaves;
}

/** The declarations of the `.local` variables; those that stand side by side go as one, so that no empty line is left. */
function declarationsGone(text: string, frame: Frame): TextEdit[] {
  const extents = new Map<number, Span>();
  for (const { space, extent } of frame.objects)
    if (space === 'local' && extent !== undefined) extents.set(extent.start, extent);
  const joined: Span[] = [];
  for (const extent of [...extents.values()].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && /^[ \t]*$/.test(text.slice(last.end, extent.start)))
      joined[joined.length - 1] = { start: last.start, end: extent.end };
    else joined.push(extent);
  }
  return joined.map((extent) => ({ span: wholeLine(text, extent), newText: '' }));
}

/** Bytes of one element of the variable that an operand names: what an index counts. */
function elementBytesOf({ functions, symbols }: PtxBound): (node: NameOperand) => number {
  const sizes = new Map<number, number>();
  for (const { declaration, type, vector } of functions.at(0)?.declared ?? [])
    if (declaration !== undefined) sizes.set(declaration.start, typeBytes(type) * vector);
  return (node) => {
    const at = occurrenceAt(symbols, node.name.start);
    const declared = at < 0 ? undefined : symbols.symbols[symbols.occurrenceSymbol[at]].declaration;
    return sizes.get(declared?.start ?? -1) ?? 0;
  };
}
