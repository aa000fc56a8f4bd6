import type { TextEdit } from '../../../text/span.js';
import type { Instruction, NameOperand, Operand } from '../tree.js';
import type { Layout } from './layout.js';
import type { StackRegisters } from './registers.js';
import { namesLocal, ruleOf } from './rules.js';

/**
 * The edits that make one instruction work with generic addresses of the moved frame: `.local` goes from accesses,
 * `cvta` becomes a copy, a variable's name becomes the frame's register and an offset. Everything else of the
 * instruction stays as it was written.
 */
export function retarget(
  instruction: Instruction,
  layout: Layout,
  registers: StackRegisters,
  elementBytes: (name: NameOperand) => number,
): TextEdit[] {
  const { opcode, operands } = instruction;
  const rule = ruleOf(opcode.text);
  const edits: TextEdit[] = [];
  const address = (node: NameOperand, displacement: bigint): { base: string; offset: bigint } | undefined => {
    const start = layout.offsetAt(node.name.start);
    if (start === undefined) return undefined;
    const index = (node.index?.integer ?? 0n) * BigInt(elementBytes(node));
    return {
      base: registers.frame,
      offset: BigInt(start) + index + (node.offset?.integer ?? 0n) + displacement,
    };
  };
  let isSum = false;
  const visit = (operand: Operand): void => {
    if (operand.kind === 'address' && operand.base?.kind === 'name') {
      const found = address(operand.base, operand.offset?.integer ?? 0n);
      if (found !== undefined) edits.push({ span: spanOf(operand), newText: bracketed(found) });
    } else if (operand.kind === 'name') {
      const found = address(operand, 0n);
      if (found === undefined) return;
      if (rule === 'access') edits.push({ span: spanOf(operand), newText: bracketed(found) });
      else {
        isSum = found.offset !== 0n;
        const newText = isSum ? `${found.base}, ${found.offset}` : found.base;
        edits.push({ span: spanOf(operand), newText });
      }
    }
  };
  operands.forEach(visit);
  const fresh = freshOpcode(opcode.text, rule, isSum);
  if (fresh !== opcode.text) edits.push({ span: spanOf(opcode), newText: fresh });
  return edits;
}

const spanOf = ({ start, end }: { start: number; end: number }): { start: number; end: number } => ({
  start,
  end,
});

const bracketed = ({ base, offset }: { base: string; offset: bigint }): string =>
  offset === 0n ? `[${base}]` : `[${base}+${offset}]`;

function freshOpcode(opcode: string, rule: ReturnType<typeof ruleOf>, isSum: boolean): string {
  if (rule === 'access') return namesLocal(opcode) ? opcode.replace(/\.local(?=\.|$)/, '') : opcode;
  const type = opcode.slice(opcode.lastIndexOf('.') + 1);
  // there is no add of bits
  if (isSum) return `add.${type === 'b64' ? 'u64' : type}`;
  return rule === 'to-generic' || rule === 'to-local' ? `mov.${type}` : opcode;
}
