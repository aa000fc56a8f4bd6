import { applyEdits } from '../../../../server/src/text/edit.js';
import {
  moveToSoftStack,
  type SoftStackOptions,
  type SoftStackRewrite,
} from '../../../../server/src/languages/ptx/soft-stack/index.js';
import { bindText, errorsOf } from '../bound.js';

export const head = '.version 7.8\n.target sm_75\n.address_size 64\n';

export interface Moved extends SoftStackRewrite {
  readonly text: string;
}

/** One stack a warp without questions, where nothing else is asked for: most tests are not about lanes. */
export function moved(text: string, options: SoftStackOptions = { lanes: 'uniform' }): Moved {
  const result = moveToSoftStack(bindText(text), options);
  return { ...result, text: applyEdits(text, result.edits) };
}

/** A `.func f` with this body, one statement a line. */
export const func = (body: string, signature = 'f(.param .u64 p)'): string =>
  `${head}.visible .func ${signature}\n{\n${body
    .trim()
    .split('\n')
    .map((line) => (line.trim().endsWith(':') ? line.trim() : `\t${line.trim()}`))
    .join('\n')}\n}\n`;

/** The lines of the body, trimmed, with blanks in a row as one. */
export const linesOf = (text: string): string[] =>
  text
    .slice(text.indexOf('{') + 1, text.lastIndexOf('}'))
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '');

/** The reason why `f` is refused, with the line where; the text stays as it is. */
export function refusalOf(text: string, options?: SoftStackOptions): string {
  const { edits, refusals } = moved(text, options);
  if (edits.length > 0 || refusals.length !== 1) return `${edits.length} edits, ${refusals.length} refusals`;
  const [{ span, reason }] = refusals;
  return `line ${text.slice(0, span.start).split('\n').length}: ${reason}`;
}

/** Errors that our own checks find in a result. */
export const errorsIn = (text: string): string[] =>
  errorsOf(text).map(({ line, message }) => `${line}: ${message}`);
