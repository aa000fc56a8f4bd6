import type { Handler } from '../semantics/handler.js';
import { PtxModule, type ProgramUnit } from '../semantics/module.js';
import type { Lane } from './lane.js';
import { prepare, type Prepared } from './prepare.js';

/** A module with all of its functions made ready: what runs of one text have in common, made once for them all. */
export interface Program {
  readonly module: PtxModule;
  readonly functions: ReadonlyMap<string, Prepared>;
}

const programs = new WeakMap<readonly ProgramUnit[], Program>();

/** Units must not change after they were run. */
export function programOf(units: readonly ProgramUnit[]): Program {
  const known = programs.get(units);
  if (known !== undefined) return known;
  const module = new PtxModule(units);
  // all at once: a variable inside of a function gets its place when the function is decoded
  const functions = new Map(
    module.defined().flatMap((name): [string, Prepared][] => {
      const code = module.function(name);
      return code === undefined ? [] : [[name, prepare(code, stackHandlers)]];
    }),
  );
  const program = { module, functions };
  programs.set(units, program);
  return program;
}

/** Instructions that work on a thread's own stack in local memory. */
const stackHandlers: Readonly<Record<string, Handler>> = {
  alloca: (t, d) => {
    const type = d.types.at(0) ?? 'u64';
    const bytes = Number(t.read(d.operands[1], type));
    const alignment = d.operands.length > 2 ? Number(t.read(d.operands[2], 'u32')) : 8;
    t.write(d.operands[0], type, (t as Lane).allocate(bytes, alignment));
  },
  stacksave: (t, d) => t.write(d.operands[0], d.types.at(0) ?? 'u64', (t as Lane).savedStack()),
  stackrestore: (t, d) => (t as Lane).restoreStack(t.read(d.operands[0], d.types.at(0) ?? 'u64')),
};
