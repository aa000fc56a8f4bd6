import assert from 'node:assert/strict';
import { virtual } from '../../../../server/src/ir/place.js';
import { allocateScalar } from '../../../../server/src/targets/gen/i965/allocate-scalar.js';
import { allocateVec4 } from '../../../../server/src/targets/gen/i965/allocate-vec4.js';
import { scalarCosts, vec4Costs } from '../../../../server/src/targets/gen/i965/costs.js';
import { liveScalar } from '../../../../server/src/targets/gen/live/scalar.js';
import { liveVec4 } from '../../../../server/src/targets/gen/live/vec4.js';
import type { Operand, Program } from '../../../../server/src/targets/gen/program.js';
import { scratchSize } from '../../../../server/src/targets/gen/scratch-size.js';
import { corpusOrSkip } from '../../../support/corpus.js';
import { dumpAt, genDumps, genStats, statsKey, type GenDump } from '../../../support/gen-corpus.js';
import { dumpProgram, type DumpProgram } from '../../../support/gen-dump-program.js';

const nameOf = ({ shader, width, platform, phase }: GenDump): string =>
  `${shader} ${width} ${platform} ${phase}`;

/**
 * With the registers that nothing mentions, which a text does not know: they too take their turn when places are given
 * round robin.
 */
function numberedAsThere({ program, vgrf }: DumpProgram, sizes: readonly number[]): Program {
  const rename = (operand: Operand): Operand =>
    operand.file === 'virtual' ? { ...operand, register: virtual(vgrf[operand.register]) } : operand;
  return {
    ...program,
    registers: sizes.map((size, r) => ({
      name: `vgrf${r}`,
      bytes: 32 * size,
      alignment: 32,
      isUniform: false,
    })),
    instructions: program.instructions.map((instruction) => ({
      ...instruction,
      sources: instruction.sources.map(rename),
      destinations: instruction.destinations.map(rename),
    })),
  };
}

describe('i965, against the reference compiler', () => {
  it('has its live range for every register of every dump', function () {
    this.timeout(60_000);
    const folder = corpusOrSkip(this, 'gen');
    for (const dump of genDumps(folder, ['A', 'P'])) {
      const { program, vgrf } = dumpProgram(dump);
      const live = program.dialect === 'vec4' ? liveVec4(program) : liveScalar(program);
      const wanted = dump.meta().live!;
      for (let r = 0; r < vgrf.length; r++)
        assert.deepEqual(
          [live.start[r], live.end[r]],
          wanted[vgrf[r]] ?? [-1, -1],
          `${nameOf(dump)} vgrf${vgrf[r]}`,
        );
    }
  });

  it('has its costs at the first register that is spilled', function () {
    this.timeout(60_000);
    const folder = corpusOrSkip(this, 'gen');
    for (const dump of [...genDumps(folder, ['A'], ['4x2']), ...genDumps(folder, ['P'])]) {
      const wanted = dump.meta().first_spill_costs ?? [];
      if (wanted.length === 0) continue;
      const { program, vgrf } = dumpProgram(dump);
      const costs =
        program.dialect === 'vec4' ? vec4Costs(program) : scalarCosts(program, liveScalar(program));
      for (let r = 0; r < vgrf.length; r++) {
        const want = wanted[vgrf[r]] ?? Infinity;
        // the reference prints six or seven digits
        if (want !== costs[r])
          assert.ok(
            Math.abs(want - costs[r]) <= 1e-5 * Math.abs(want),
            `${nameOf(dump)} vgrf${vgrf[r]}: ${costs[r]}, not ${want}`,
          );
      }
    }
  });

  it('spills its registers in its order to its slots, and gives the others its places, in SIMD4x2', function () {
    this.timeout(60_000);
    const folder = corpusOrSkip(this, 'gen');
    const stats = genStats(folder);
    for (const dump of genDumps(folder, ['A'], ['4x2'])) {
      const meta = dump.meta();
      const program = numberedAsThere(dumpProgram(dump), meta.vgrf_sizes!);
      const allocation = allocateVec4(program);
      assert.ok(allocation.kind === 'allocated', nameOf(dump));
      assert.deepEqual(
        allocation.spilled.map(({ register, bytes, scratchOffset, cost }) => [
          register,
          bytes / 32,
          scratchOffset / 32,
          cost,
        ]),
        (meta.spill_log ?? []).map(([register, size, slot, cost]) => [register, size, slot, cost]),
        nameOf(dump),
      );
      if (meta.spilled === true)
        assert.equal(scratchSize(program, allocation.scratchBytes), meta.total_scratch);
      const messages = (name: string): string =>
        String(allocation.code.instructions.filter(({ opcode }) => opcode.name === name).length);
      const row = stats.get(statsKey(dump));
      if (row !== undefined) {
        assert.equal(messages('gfx4_scratch_write'), row.spills, nameOf(dump));
        assert.equal(messages('gfx4_scratch_read'), row.fills, nameOf(dump));
      }
      const places = dumpAt(dump, folder, 'B')?.meta().vgrf_to_grf;
      if (places !== undefined)
        program.registers.forEach((_, r) => {
          if (allocation.address[r] >= 0)
            assert.equal(allocation.address[r], 32 * places[r], `${nameOf(dump)} vgrf${r}`);
        });
    }
  });

  it('does so in scalar programs, with the messages of its scratch code', function () {
    this.timeout(60_000);
    const folder = corpusOrSkip(this, 'gen');
    for (const dump of genDumps(folder, ['P'])) {
      const meta = dump.meta();
      const program = numberedAsThere(dumpProgram(dump), meta.vgrf_sizes!);
      const wasAllocated = meta.result === 'ok';
      const allocation = allocateScalar(program, { maySpill: wasAllocated });
      assert.equal(allocation.kind === 'allocated', wasAllocated, nameOf(dump));
      const there = dumpAt(dump, folder, 'B');
      if (allocation.kind !== 'allocated' || there === undefined) continue;
      // where arrays lie in scratch the text does not say, so that slots are counted from the first
      const first = meta.spill_log?.[0]?.[2] ?? 0;
      assert.deepEqual(
        allocation.spilled.map(({ register, bytes, scratchOffset }) => [
          register,
          bytes / 32,
          scratchOffset + first,
        ]),
        (meta.spill_log ?? []).map(([register, size, slot]) => [register, size, slot]),
        nameOf(dump),
      );
      const places = there.meta().vgrf_to_grf!;
      program.registers.forEach((_, r) => {
        if (allocation.address[r] >= 0)
          assert.equal(allocation.address[r], 32 * places[r], `${nameOf(dump)} vgrf${r}`);
      });
      assert.deepEqual(
        scratchMessages(allocation.code),
        scratchMessages(dumpProgram(there).program),
        nameOf(dump),
      );
    }
  });
});

/** Instruction number, lanes and first GRF of each scratch message. */
const scratchMessages = ({ instructions }: Program): string[] =>
  instructions.flatMap(({ opcode, execSize, noMask, destinations, sources }, i) =>
    opcode.scratch === undefined
      ? []
      : `${i}: ${opcode.name}(${execSize}) ${noMask} ` +
        [...destinations, ...sources].map((operand) => (operand.file === 'grf' ? operand.grf : '')).join(' '),
  );
