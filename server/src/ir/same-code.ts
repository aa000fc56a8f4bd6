/**
 * Functions that differ in their attributes alone, such as a kernel that stands in several files, each for another machine:
 * what is found by looking at the code of one holds for all of them.
 */
import { functionWith, type Function } from './function.js';

const firsts = new WeakMap<Function, Function>();

/** The function of which this one has the code: what is known of code is kept under it. */
export const codeOf = (f: Function): Function => firsts.get(f) ?? f;

/** The same code under other attributes. */
export function withAttributes(f: Function, attributes: Function['attributes']): Function {
  if (attributes === f.attributes) return f;
  const other = functionWith(f, { attributes });
  firsts.set(other, codeOf(f));
  return other;
}
