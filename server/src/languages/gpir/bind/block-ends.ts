import type { Instruction, Statement } from '../tree.js';
import { freshName, report, type Context } from './context.js';

/**
 * A branch ends its block: only `branch_cond` may have one more instruction behind it, a `branch`. (The branch of a
 * machine word is its block's last word, and nothing is in flight behind it.)
 */
export function checkBlockEnds(context: Context): void {
  const { statements } = context.unit;
  for (let s = 0; s < statements.length; s++) {
    const node = statements[s];
    if (!isInstruction(node) || !isBranch(node)) continue;
    const next = following(statements, s);
    if (next === undefined || next.kind === 'label') continue;
    if (node.opcode.text === 'branch_cond' && isInstruction(next) && next.opcode.text === 'branch') continue;
    reportInside(context, node, next);
  }
}

const isInstruction = (statement: Statement | undefined): statement is Instruction =>
  statement?.kind === 'instruction';

const isBranch = (node: Instruction): boolean =>
  node.opcode.text === 'branch' || node.opcode.text === 'branch_cond';

/** The next label or instruction. */
function following(statements: readonly Statement[], s: number): Statement | undefined {
  for (let k = s + 1; k < statements.length; k++)
    if (statements[k].kind === 'label' || statements[k].kind === 'instruction') return statements[k];
  return undefined;
}

function reportInside(context: Context, node: Instruction, next: Statement): void {
  const label = freshName(context, 'block', (x) => context.labels.has(x));
  const { text } = context.unit;
  const at = lineStart(text, next.start);
  report(
    context,
    'isa/block-end',
    'error',
    { start: node.opcode.start, end: node.opcode.end },
    `'${node.opcode.text}' stands inside a block: a label must follow it`,
    {
      related: [{ span: { start: next.start, end: next.end }, message: 'here the block goes on' }],
      fixes: [
        {
          title: `Insert the label '${label}'`,
          edits: [{ span: { start: at, end: at }, newText: `${label}:\n` }],
        },
      ],
    },
  );
}

function lineStart(text: string, offset: number): number {
  let i = offset;
  while (i > 0 && text[i - 1] !== '\n' && text[i - 1] !== '\r') i--;
  return i;
}
