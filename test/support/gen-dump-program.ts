import type { Function } from '../../server/src/ir/function.js';
import { genIr } from '../../server/src/languages/gen-ir/index.js';
import { decode } from '../../server/src/targets/gen/decode.js';
import type { Program } from '../../server/src/targets/gen/program.js';
import type { Problem } from '../../server/src/text/problem.js';
import { annotated, type GenDump } from './gen-corpus.js';

/** A dump through the language and the decoder, and the VGRF number of each of its virtual registers. */
export interface DumpProgram {
  readonly program: Program;
  readonly vgrf: readonly number[];
}

type Options = Parameters<typeof annotated>[1];

export function dumpProgram(dump: GenDump, options: Options = {}): DumpProgram {
  const { source } = genFunctionOf(annotated(dump, options));
  if (source === undefined) throw new Error(`${dump.path} holds no program`);
  const program = decode(source);
  return { program, vgrf: program.registers.map(({ name }) => Number(/\d+/.exec(name)?.[0] ?? -1)) };
}

/** The program of a text with one unit, as the language lowers it, and what the language says of it. */
export function genFunctionOf(text: string): {
  readonly source: Function | undefined;
  readonly problems: readonly Problem[];
} {
  const unit = genIr.parse(text);
  const bound = genIr.bind(unit, {
    earlier: () => [],
    later: () => [],
    names: () => [],
    setting: () => undefined,
    isFirst: true,
  });
  return { source: genIr.lower(bound), problems: [...unit.problems, ...bound.problems] };
}
