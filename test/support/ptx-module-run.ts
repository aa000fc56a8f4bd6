import { describeFault, type Fault } from '../../server/src/languages/ptx/execute/fault.js';
import {
  runGrid,
  STACK_AREA,
  type GridOptions,
  type GridResult,
} from '../../server/src/languages/ptx/execute/grid.js';
import type { ProgramUnit } from '../../server/src/languages/ptx/semantics/module.js';
import { unitsOf } from './ptx-run.js';

/** Runs a PTX text on a grid; see `GridOptions`. Pass units instead of a text that is run often. */
export const run = (program: string | readonly ProgramUnit[], options: GridOptions): GridResult =>
  runGrid(typeof program === 'string' ? unitsOf(program) : program, options);

/** The same, and whoever calls it expects no fault. */
export function runWell(program: string | readonly ProgramUnit[], options: GridOptions): GridResult {
  const result = run(program, options);
  if (result.fault !== undefined) throw new Error(explain(result.fault, program));
  return result;
}

/** The fault with its line, where the text is at hand. */
export function explain(fault: Fault, program: string | readonly ProgramUnit[]): string {
  const { place } = fault;
  const words = `${fault.kind}: ${describeFault(fault)}`;
  if (place === undefined || place.offset < 0 || typeof program !== 'string') return words;
  const start = startOf(program, place.function);
  const at = program.slice(0, start + place.offset).split('\n');
  const text = program.slice(start + place.offset).split(/;/)[0];
  return `${words}\nline ${at.length}: ${text.trim()};`;
}

/** Where the unit of a function starts. */
function startOf(text: string, name: string): number {
  let start = 0;
  for (const { parsed, function: f } of unitsOf(text)) {
    if (f?.name === name) return start;
    start += parsed.text.length;
  }
  return 0;
}

export const words = (...values: readonly number[]): Uint8Array =>
  new Uint8Array(Uint32Array.from(values, (v) => v >>> 0).buffer);

export const asWords = (bytes: Uint8Array | undefined): readonly number[] =>
  bytes === undefined ? [] : [...new Uint32Array(bytes.slice().buffer)];

export const asDoubles = (bytes: Uint8Array | undefined): readonly number[] =>
  bytes === undefined ? [] : [...new Float64Array(bytes.slice().buffer)];

/** What a run leaves for others to see: buffers and variables without the stacks, and what was printed. */
export function outcome(result: GridResult): { readonly [name: string]: string } {
  const memory = [...result.memory]
    .filter(([name]) => name !== STACK_AREA)
    .map(([name, bytes]) => [name, Buffer.from(bytes).toString('hex')]);
  return Object.fromEntries([...memory, ['(printed)', [...result.output].sort().join('')]]) as Record<
    string,
    string
  >;
}

export interface BeforeAndAfter {
  /** How often the transformed program is run, each time with another order of warps. */
  readonly seeds: readonly number[];
  /** How the transformed program is run where that differs: its entry, arguments, stacks. */
  readonly after: Partial<GridOptions>;
}

/**
 * Runs a program, and what a transformation made of it under several orders of warps: all must leave the same memory and
 * text behind, and no holder of a stack may write into another's. Throws a sentence about the first difference.
 * Returns what the runs took; undefined when the program itself does not come to an end.
 */
export function sameBeforeAndAfter(
  before: string,
  transform: (text: string) => string,
  options: GridOptions,
  { seeds, after: changes }: BeforeAndAfter,
): { readonly steps: number; readonly deepest: number } | undefined {
  const source = run(before, options);
  if (source.fault?.kind === 'limit') return undefined;
  if (source.fault !== undefined) throw new Error(`before: ${explain(source.fault, before)}`);
  const expected = outcome(source);
  const text = transform(before);
  const units = unitsOf(text);
  let { steps } = source;
  let deepest = 0;
  for (const seed of seeds) {
    // restoring and publishing pointers costs instructions, but no multiple of what was there
    const result = run(units, { ...options, seed, steps: 50_000 + 20 * source.steps, ...changes });
    const where = `after, seed ${seed}`;
    if (result.fault !== undefined) throw new Error(`${where}: ${explain(result.fault, text)}`);
    const found = outcome(result);
    for (const [name, bytes] of Object.entries(expected))
      if (found[name] !== bytes)
        throw new Error(`${where}: ${name} is\n${found[name]}\nand was before\n${bytes}`);
    const [violation] = result.stacks?.violations() ?? [];
    if (violation !== undefined) throw new Error(`${where}: ${violation}`);
    steps += result.steps;
    result.stacks?.uses.forEach((_, k) => (deepest = Math.max(deepest, result.stacks!.depthOf(k))));
  }
  return { steps, deepest };
}
