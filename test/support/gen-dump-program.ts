import { genIr } from '../../server/src/languages/gen-ir/index.js';
import { decode } from '../../server/src/targets/gen/decode.js';
import type { Program } from '../../server/src/targets/gen/program.js';
import { annotated, type GenDump } from './gen-corpus.js';

/** A dump through the language and the decoder, and the VGRF number of each of its virtual registers. */
export interface DumpProgram {
  readonly program: Program;
  readonly vgrf: readonly number[];
}

export function dumpProgram(dump: GenDump, options: Parameters<typeof annotated>[1] = {}): DumpProgram {
  const unit = genIr.parse(annotated(dump, options));
  const lowered = genIr.lower(
    genIr.bind(unit, {
      earlier: () => [],
      later: () => [],
      names: () => [],
      setting: () => undefined,
      isFirst: true,
    }),
  );
  if (lowered === undefined) throw new Error(`${dump.path} holds no program`);
  const program = decode(lowered);
  return { program, vgrf: program.registers.map(({ name }) => Number(/\d+/.exec(name)?.[0] ?? -1)) };
}
