/** What small Gen programs leave when the interpreter runs them. */
import { strict as assert } from 'node:assert';
import { run } from '../../server/src/targets/gen/simulate/run.js';
import type { Instruction, Program, Type } from '../../server/src/targets/gen/program.js';
import { imm, ins, program, v, type ProgramOptions } from './gen-machine.js';

export const OPTIONS = { seed: 1, steps: 1000 };

/** Dwords of the only result of a program, undefined where unknown. */
export function result(p: Program): (number | undefined)[] {
  const { end, message, liveOut } = run(p, OPTIONS);
  assert.equal(end, 'left', message);
  const view = new DataView(liveOut[0].bytes.buffer);
  return Array.from({ length: liveOut[0].bytes.length / 4 }, (_, k) =>
    liveOut[0].unknown[4 * k] ? undefined : view.getInt32(4 * k, true),
  );
}

const float = new DataView(new ArrayBuffer(4));
export function bitsOf(value: number): number {
  float.setFloat32(0, value);
  return float.getInt32(0);
}

export function scalar(
  instructions: Instruction[],
  out: number,
  type: Type = 'D',
  more: ProgramOptions = {},
) {
  return result(
    program(instructions, {
      dialect: 'scalar',
      bytes: Array.from({ length: 8 }, () => 64),
      liveOut: [v(out, { type })],
      ...more,
    }),
  );
}

/** What one integer or float operation leaves in channel 0. */
export function one(
  name: string,
  sources: [number, Type][],
  type: Type,
  more: Partial<Instruction> = {},
): number {
  const moves = sources.map(([value, t], k) => ins('mov', v(k, { type: t }), [imm(value, t)]));
  const reads = sources.map(([, t], k) => v(k, { type: t }));
  return scalar([...moves, ins(name, v(7, { type }), reads, more)], 7, type)[0]!;
}
