import type { Section } from './tree.js';

/**
 * Where sections begin in a captured standard output: `NAME's SELECTION IR begin:`, `.decl_function NAME`,
 * `## register allocation ##` (Beignet's gen_insn_selection_output.cpp, ir/function.cpp, gen_reg_allocation.cpp).
 */
export const SELECTION_BEGIN = "'s SELECTION IR begin:";
export const SELECTION_END = "'s SELECTION IR end.";
export const FUNCTION_BEGIN = '.decl_function';
export const FUNCTION_END = '.end_function';
export const ALLOCATION_BEGIN = '## register allocation ##';
export const SPILLED_BEGIN = '## spilled registers:';

/** The section that the line from `start` to `end` (without its line end) begins. */
export function sectionAt(text: string, start: number, end: number): Section | undefined {
  const at = skipBlanks(text, start, end);
  switch (text.charCodeAt(at)) {
    case 35: // #
      return text.startsWith(ALLOCATION_BEGIN, at) ? 'allocation' : undefined;
    case 46: // .
      return text.startsWith(FUNCTION_BEGIN, at) && isBlankAt(text, at + FUNCTION_BEGIN.length, end)
        ? 'genIr'
        : undefined;
    default: {
      // the header ends its line, so that looking for it costs nothing on other lines
      const last = trimmedEnd(text, at, end);
      const from = last - SELECTION_BEGIN.length;
      return from > at && text.startsWith(SELECTION_BEGIN, from) ? 'selection' : undefined;
    }
  }
}

export function lineEnd(text: string, from: number): number {
  let i = from;
  while (i < text.length && text.charCodeAt(i) !== 10 && text.charCodeAt(i) !== 13) i++;
  return i;
}

/** Start of the line behind the line end at `end`. */
export const nextLine = (text: string, end: number): number =>
  text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10 ? end + 2 : end + 1;

export const isBlank = (code: number): boolean => code === 32 || code === 9;

const isBlankAt = (text: string, at: number, end: number): boolean =>
  at >= end || isBlank(text.charCodeAt(at));

export function skipBlanks(text: string, from: number, end: number): number {
  let i = from;
  while (i < end && isBlank(text.charCodeAt(i))) i++;
  return i;
}

/** The end without the blanks before it. */
export function trimmedEnd(text: string, start: number, end: number): number {
  let i = end;
  while (i > start && isBlank(text.charCodeAt(i - 1))) i--;
  return i;
}
