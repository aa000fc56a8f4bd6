import type { Program } from '../program.js';
import { run, type Run } from './run.js';
import type { Output } from './memory.js';

/**
 * Whether a compiled program does what its source does on given inputs: the same messages out, the same memory, the
 * same results handed over. Values that the source itself leaves unknown may be anything.
 */
export interface Difference {
  /** Instruction of the compiled program, or -1. */
  readonly instruction: number;
  readonly message: string;
}

export interface CompareOptions {
  /** One pair of runs for each. */
  readonly seeds: readonly number[];
  readonly steps: number;
}

/** The first difference, or undefined; also undefined where the source cannot be executed (`executable` says why). */
export function compare(source: Program, compiled: Program, options: CompareOptions): Difference | undefined {
  for (const seed of options.seeds) {
    const expected = run(source, { seed, steps: options.steps });
    if (expected.end === 'stopped') return undefined;
    // Spill code takes steps too: with as many again for each the compiled program is not cut short.
    const actual = run(compiled, { seed, steps: options.steps * 8 });
    const found = difference(expected, actual, compiled);
    if (found !== undefined) return { ...found, message: `with inputs ${seed}: ${found.message}` };
  }
  return undefined;
}

/** Why a program cannot be executed, or undefined. */
export function executable(program: Program, options: CompareOptions): string | undefined {
  for (const seed of options.seeds) {
    const { end, message, instruction } = run(program, { seed, steps: options.steps });
    if (end === 'stopped') return `instruction ${instruction}: ${message}`;
  }
  return undefined;
}

function difference(expected: Run, actual: Run, compiled: Program): Difference | undefined {
  if (actual.misuse.length > 0) return actual.misuse[0];
  if (actual.end === 'stopped') return { instruction: actual.instruction, message: actual.message };
  const isWhole = expected.end === 'left';
  if (isWhole && actual.end !== 'left')
    return {
      instruction: actual.instruction,
      message: `the source ends after ${expected.steps} instructions, the compiled program does not (${actual.end})`,
    };
  return (
    outputDifference(expected, actual, compiled, isWhole) ??
    (isWhole ? (memoryDifference(expected, actual) ?? liveOutDifference(expected, actual)) : undefined)
  );
}

function outputDifference(
  expected: Run,
  actual: Run,
  compiled: Program,
  isWhole: boolean,
): Difference | undefined {
  const streams = byStream(actual.outputs);
  for (const [stream, wanted] of byStream(expected.outputs)) {
    const got = streams.get(stream) ?? [];
    streams.delete(stream);
    for (let k = 0; k < Math.min(wanted.length, got.length); k++) {
      const word = differingWord(wanted[k], got[k]);
      if (word === undefined) continue;
      const at = compiled.instructions.findIndex((instruction) => instruction.origin === got[k].origin);
      return {
        instruction: at,
        message: `message ${k} of ${stream} (source instruction ${wanted[k].origin}): ${word}`,
      };
    }
    if (got.length < wanted.length || (isWhole && got.length > wanted.length))
      return {
        instruction: -1,
        message: `${got.length} messages of ${stream} instead of ${wanted.length}`,
      };
  }
  const [extra] = streams.keys();
  return isWhole && extra !== undefined
    ? { instruction: -1, message: `messages of ${extra} that the source does not send` }
    : undefined;
}

function byStream(outputs: readonly Output[]): Map<string, Output[]> {
  const streams = new Map<string, Output[]>();
  for (const output of outputs) {
    const known = streams.get(output.stream);
    if (known === undefined) streams.set(output.stream, [output]);
    else known.push(output);
  }
  return streams;
}

const hex = (bits: number): string => `0x${(bits >>> 0).toString(16).padStart(8, '0')}`;

function differingWord(wanted: Output, got: Output): string | undefined {
  if (wanted.words.length !== got.words.length)
    return `${got.words.length} words instead of ${wanted.words.length}`;
  for (let k = 0; k < wanted.words.length; k++) {
    if (wanted.unknown[k] !== 0) continue;
    if (got.unknown[k] !== 0) return `word ${k} is unknown instead of ${hex(wanted.words[k])}`;
    if (got.words[k] !== wanted.words[k])
      return `word ${k} is ${hex(got.words[k])} instead of ${hex(wanted.words[k])}`;
  }
  return undefined;
}

function memoryDifference(expected: Run, actual: Run): Difference | undefined {
  for (const [surface, cells] of expected.memory.surfaces)
    for (const [index, { bits, unknown }] of cells) {
      if (unknown !== 0) continue;
      const got = actual.memory.surfaces.get(surface)?.get(index);
      const address = `surface ${surface}, byte ${4 * index}`;
      if (got === undefined) return { instruction: -1, message: `${address} is never written` };
      if (got.unknown !== 0 || got.bits !== bits)
        return { instruction: -1, message: `${address} holds ${hex(got.bits)} instead of ${hex(bits)}` };
    }
  return undefined;
}

function liveOutDifference(expected: Run, actual: Run): Difference | undefined {
  for (let o = 0; o < expected.liveOut.length; o++) {
    const wanted = expected.liveOut[o];
    const got = actual.liveOut[o] as (typeof expected.liveOut)[number] | undefined;
    if (got === undefined || got.bytes.length !== wanted.bytes.length)
      return { instruction: -1, message: `result ${o} is not handed over` };
    for (let k = 0; k < wanted.bytes.length; k++) {
      if (wanted.unknown[k] !== 0) continue;
      if (got.unknown[k] !== 0) return { instruction: -1, message: `byte ${k} of result ${o} is unknown` };
      if (got.bytes[k] !== wanted.bytes[k])
        return {
          instruction: -1,
          message: `byte ${k} of result ${o} is ${got.bytes[k]} instead of ${wanted.bytes[k]}`,
        };
    }
  }
  return undefined;
}
