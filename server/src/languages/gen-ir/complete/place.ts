import type { Span } from '../../../text/span.js';
import { isLineEnd, isWord } from '../parser/scanner.js';

/**
 * Where the cursor is, from the text of its line before it: half-typed text has no tree worth the name. What is
 * being typed is the word that ends at the cursor.
 */
export type Place = { readonly span: Span; readonly prefix: string } & (
  | { readonly kind: 'nothing' }
  /** The first word of a line. */
  | { readonly kind: 'statement' }
  /** `.` at the start of a line. */
  | { readonly kind: 'directive' }
  /** Behind a directive: its words so far. */
  | { readonly kind: 'argument'; readonly words: readonly string[] }
  /** `(+`: a flag. */
  | { readonly kind: 'flag' }
  /** `(+f0.0.`: how the channels are joined. */
  | { readonly kind: 'mode' }
  /** Behind a predicate. */
  | { readonly kind: 'operation' }
  /** `add(8).`, `cmp.` */
  | { readonly kind: 'modifier' }
  /** `cmp.l.`: the flag of a condition. */
  | { readonly kind: 'conditionFlag' }
  /** An operand; 0 is the destination. */
  | { readonly kind: 'operand'; readonly opcode: string; readonly index: number }
  /** `vgrf3.`: mask or swizzle. */
  | { readonly kind: 'channels'; readonly index: number }
  /** `vgrf3:` */
  | { readonly kind: 'type' }
  /** Behind the operands. */
  | { readonly kind: 'flagWord' }
  /** Inside `{...}`. */
  | { readonly kind: 'attribute' }
);

/** Most of a line that is looked at. */
const REACH = 1000;

export function placeAt(text: string, offset: number): Place {
  let line = offset;
  while (line > 0 && !isLineEnd(text.charCodeAt(line - 1)) && offset - line < REACH) line--;
  let start = offset;
  while (start > line && isWord(text.charCodeAt(start - 1))) start--;
  const before = text.slice(line, start);
  const span = { start, end: offset };
  const typed = { span, prefix: text.slice(start, offset) };
  if (/;|\/\//.test(before)) return { kind: 'nothing', ...typed };
  if (/^\s*\./.test(before)) return inDirective(before, line, offset, typed);
  const code = before.replace(/^\s*(\{ *\d+\})?\s*(\d+:)?/, '').trimStart();
  if (code === '') return { kind: 'statement', ...typed };
  return inInstruction(code, typed);
}

type Typed = Pick<Place, 'span' | 'prefix'>;

function inDirective(before: string, line: number, offset: number, typed: Typed): Place {
  if (/^\s*\.$/.test(before)) {
    const start = line + before.length - 1;
    return { kind: 'directive', span: { start, end: offset }, prefix: `.${typed.prefix}` };
  }
  return { kind: 'argument', words: before.trim().split(/[\s,]+/), ...typed };
}

function inInstruction(code: string, typed: Typed): Place {
  const predicate = /^\([-+]f\d\.\d(\.\w+)?\)\s*/.exec(code);
  if (predicate === null && /^\([-+]?(f?\d?\.?)?$/.test(code)) return { kind: 'flag', ...typed };
  if (predicate === null && /^\([-+]f\d\.\d\.$/.test(code)) return { kind: 'mode', ...typed };
  const rest = predicate === null ? code : code.slice(predicate[0].length);
  if (rest === '') return { kind: 'operation', ...typed };
  const head = /^([a-z_][\w<>,]*)((?:\.\w+)*)(\(\d+\))?((?:\.\w+)*)/.exec(rest);
  if (head === null) return { kind: 'nothing', ...typed };
  const behind = rest.slice(head[0].length);
  if (behind === '.') {
    const modifiers = `${head[2]}${head[4]}`;
    const isCondition = /\.(z|nz|g|ge|l|le|r|o|u)$/.test(modifiers);
    return { kind: isCondition ? 'conditionFlag' : 'modifier', ...typed };
  }
  if (/^\(\d*$/.test(behind) || behind === '' || head[3] === undefined) return { kind: 'nothing', ...typed };
  return inOperands(head[1], behind.replace(/\((ex_)?mlen: *\d+\)|\(EOT\)/g, ''), typed);
}

function inOperands(opcode: string, behind: string, typed: Typed): Place {
  const brace = behind.lastIndexOf('{');
  if (brace >= 0)
    return behind.includes('}', brace) ? { kind: 'nothing', ...typed } : { kind: 'attribute', ...typed };
  const operands = behind.replace(/\[[^\]]*\]/g, '0').split(',');
  const index = operands.length - 1;
  const current = operands[index].trimStart();
  if (current.endsWith(':')) return { kind: 'type', ...typed };
  if (/^-?\|?(vgrf|attr|u|m)\d+(\+\d+\.\d+)?\.$/.test(current)) return { kind: 'channels', index, ...typed };
  if (/^[-|]*$/.test(current)) return { kind: 'operand', opcode, index, ...typed };
  if (/\s$/.test(current)) return { kind: 'flagWord', ...typed };
  return { kind: 'nothing', ...typed };
}
