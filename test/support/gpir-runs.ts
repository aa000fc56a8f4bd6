import type { Evaluation, EvaluationInputs } from '../../server/src/targets/mali-gp/evaluate.js';
import type { Program } from '../../server/src/targets/mali-gp/graph.js';
import { runGpir, type GpirText } from './gpir-text.js';

const components = 'xyzw';

/** A small deterministic generator of numbers in [0, 1). */
export function generator(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

const special = [0, 1, -1, 0.5, 2, 3, -0.5, 10, 1e-3, 1e6];

function inputNumber(random: () => number, style: number): number {
  if (random() < 0.15) return special[Math.floor(random() * special.length)];
  const wide = style % 3 === 0 ? 1 : style % 3 === 1 ? 4 : 20;
  return Math.fround((style % 2 === 0 ? random() : 2 * random() - 1) * wide);
}

export interface Comparison {
  /** Inputs for which the source met no NaN and ended. */
  readonly compared: number;
  /** The first difference, in words. */
  readonly difference: string | undefined;
}

/** Runs source and lowered program on `trials` random inputs; equal means bit by bit, 0 and -0 being one number. */
export function compareRuns(
  source: GpirText,
  run: (inputs: EvaluationInputs) => Evaluation,
  program: Program,
  trials: number,
  seed = 1,
): Comparison {
  let compared = 0;
  for (let trial = 0; trial < 4 * trials && compared < trials; trial++) {
    const values = new Map<string, number>();
    const random = generator(seed * 7919 + trial * 104_729 + 1);
    const input = (name: string): number => {
      let value = values.get(name);
      if (value === undefined) values.set(name, (value = inputNumber(random, trial)));
      return value;
    };
    const expected = runGpir(source, input);
    if (expected.meetsNaN || !expected.hasEnded) continue;
    compared++;
    const place = (letter: string) => (at: number) => input(`${letter}${at >> 2}.${components[at & 3]}`);
    const actual = run({
      attribute: place('a'),
      uniform: place('u'),
      register: (r) => (program.registers[r].isLiveIn ? input(program.registers[r].name) : NaN),
    });
    const difference = differenceOf(source, expected, actual, program);
    if (difference !== undefined) return { compared, difference: `trial ${trial}: ${difference}` };
  }
  return { compared, difference: undefined };
}

function differenceOf(
  source: GpirText,
  expected: ReturnType<typeof runGpir>,
  actual: Evaluation,
  program: Program,
): string | undefined {
  if (!actual.hasEnded) return 'does not end';
  for (const [at] of actual.varyings) {
    const name = `v${at >> 2}.${components[at & 3]}`;
    if (!expected.varyings.has(name)) return `${name} is stored`;
  }
  for (const [name, value] of expected.varyings) {
    const at = 4 * Number(name.slice(1, -2)) + components.indexOf(name.at(-1)!);
    const found = actual.varyings.get(at);
    if (found !== value) return `${name} is ${found}, expected ${value}`;
  }
  for (const name of source.liveOut) {
    const found = actual.registers[program.registers.findIndex((r) => r.name === name)];
    const value = expected.cells.get(name);
    if (value !== undefined && found !== value) return `${name} is ${found}, expected ${value}`;
  }
  return undefined;
}
