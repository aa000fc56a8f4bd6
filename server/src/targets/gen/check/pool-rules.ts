import type { Violation } from '../../../passes/check-allocation.js';
import { GRF_BYTES, type Instruction, type Operand, type Program } from '../program.js';
import { isRegister, readFootprint, writeFootprint } from './footprint.js';

/**
 * The reserved pool of Beignet's spill code (facts A.14, A.16, F25): a pool register is valid for one instruction,
 * spill and unspill instructions not counted; two sources of one instruction never share a slot, nor do two
 * destinations. Read in text order, as the code is made block by block.
 */
export function checkPool(program: Program, most: number): Violation[] {
  const { pool } = program;
  const violations: Violation[] = [];
  if (pool === undefined) return violations;
  const [first, end] = [pool.first * GRF_BYTES, (pool.first + pool.count) * GRF_BYTES];
  const report = (code: number, message: string) => {
    if (violations.length < most)
      violations.push({
        instruction: program.instructions[code].origin,
        code,
        message: `code ${code}: ${message}`,
      });
  };
  const inPool = (operand: Operand, footprint: readonly (readonly [number, number])[]): number[] => {
    if (!isRegister(operand) || operand.file !== 'grf') return [];
    const registers = new Set<number>();
    for (const [from, to] of footprint)
      for (let byte = from; byte < to; byte++) {
        const at = operand.grf * GRF_BYTES + byte;
        if (at >= first && at < end) registers.add(Math.floor(at / GRF_BYTES));
      }
    return [...registers];
  };
  const shared = (lists: readonly number[][]): number => {
    const seen = new Map<number, number>();
    for (const [k, list] of lists.entries())
      for (const register of list) {
        if (seen.has(register) && seen.get(register) !== k) return register;
        seen.set(register, k);
      }
    return -1;
  };
  let loaded = new Set<number>();
  let written = new Set<number>();
  let isFresh = false;
  program.instructions.forEach((instruction: Instruction, code) => {
    const sources = instruction.sources.map((operand, k) =>
      inPool(operand, readFootprint(program, instruction, k)),
    );
    const destinations = instruction.destinations.map((operand, k) =>
      inPool(operand, writeFootprint(program, instruction, k)),
    );
    const { scratch } = instruction.opcode;
    if (scratch === 'read') {
      if (!isFresh) loaded = new Set();
      isFresh = true;
      for (const register of destinations[0] ?? []) loaded.add(register);
      return;
    }
    if (scratch === 'write') {
      for (const register of sources[0] ?? [])
        if (!written.has(register))
          report(
            code,
            `stores g${register} of the spill pool, which the instruction before it did not write`,
          );
      return;
    }
    for (const register of sources.flat())
      if (!isFresh || !loaded.has(register))
        report(
          code,
          `reads g${register} of the spill pool, which it did not load: the value is taken to have survived`,
        );
    const source = shared(sources);
    if (source >= 0) report(code, `two sources share g${source} of the spill pool`);
    const destination = shared(destinations);
    if (destination >= 0) report(code, `two destinations share g${destination} of the spill pool`);
    written = new Set(destinations.flat());
    loaded = new Set();
    isFresh = false;
  });
  return violations;
}
