import { bytesRead, bytesWritten, registersTouched } from '../access.js';
import { depthAfter, loopWeight } from '../loop-weight.js';
import type { FlagReference, Instruction, Program } from '../program.js';
import type { Estimate } from './estimate.js';
import { firstResource, flagResources, resourcesOf, type Resources } from './resources.js';

/**
 * Clocks of a program of Beignet's selection, by the table of its own scheduler (gen_insn_gen7_schedule_info.hxx;
 * facts A.17): an instruction issues in order once its operands are there, keeps the issue for its cost, and its
 * results are there after its latency. No units: the table has none. Not comparable with i965's estimate.
 */
export interface SelectionTiming {
  readonly latency: number;
  /** Clocks of issue in SIMD16 and in SIMD8. */
  readonly issue: readonly [simd16: number, simd8: number];
}

const row = (latency: number, simd16: number, simd8: number): SelectionTiming => ({
  latency,
  issue: [simd16, simd8],
});

const ordinary = row(20, 4, 2);

const rows: ReadonlyMap<string, SelectionTiming> = new Map(
  (
    [
      ['label do undef live_out ir_label', row(0, 0, 0)],
      ['if else endif while jmpi brd brc break cont ir_bra', row(14, 1, 1)],
      [
        'i64add i64sub i64satadd i64satsub mul_hi i64_mul_hi hadd rhadd i64hadd i64rhadd i64shl i64shr i64asr i64mul i64madsat i64and i64or i64xor sel_int64 bswap convi_to_i64 convi64_to_i convi64_to_f convf_to_i64 upsample_long load_int64_imm f64div',
        row(20, 40, 20),
      ],
      ['i64cmp i64div i64rem', row(20, 80, 20)],
      ['indirect_move nop wait', row(20, 2, 2)],
      ['eot ir_ret', row(20, 1, 1)],
      ['pack_byte unpack_byte pack_long unpack_long', row(40, 1, 1)],
      [
        'barrier fence read64 read64a64 write64 write64a64 typed_write atomic atomica64 calc_timestamp store_profiling workgroup_op subgroup_op printf obread obwrite mbread mbwrite ir_atomic ir_sync',
        row(80, 1, 1),
      ],
      [
        'untyped_read untyped_reada64 untyped_write untyped_writea64 byte_gather byte_gathera64 byte_scatter byte_scattera64 dword_gather sample ir_load ir_store',
        row(160, 1, 1),
      ],
      ['vme ime', row(320, 1, 1)],
      ['spill_reg spill', row(20, 1, 1)],
      ['unspill_reg unspill', row(160, 1, 1)],
    ] as const
  ).flatMap(([names, timing]) => names.split(' ').map((name): [string, SelectionTiming] => [name, timing])),
);

export const selectionTiming = (instruction: Instruction): SelectionTiming =>
  rows.get(instruction.opcode.name) ?? ordinary;

export const issueClocks = (program: Program, timing: SelectionTiming): number =>
  timing.issue[program.width === 16 ? 0 : 1];

export function estimateSelection(program: Program): Estimate {
  const { instructions } = program;
  const resources = resourcesOf(program);
  const ready = new Int32Array(resources.count);
  const readyBy = new Int32Array(resources.count).fill(-1);
  const made = {
    clocks: new Int32Array(instructions.length),
    waits: new Int32Array(instructions.length),
    weights: new Float64Array(instructions.length),
    causes: new Int32Array(instructions.length).fill(-1),
    producers: new Int32Array(instructions.length).fill(-1),
  };
  let time = 0;
  let cycles = 0;
  let depth = 0;
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i];
    const timing = selectionTiming(instruction);
    let start = time;
    eachRead(program, resources, instruction, (resource) => {
      if (ready[resource] <= start) return;
      start = ready[resource];
      made.causes[i] = resource;
      made.producers[i] = readyBy[resource];
    });
    made.waits[i] = start - time;
    made.clocks[i] = start - time + issueClocks(program, timing);
    made.weights[i] = loopWeight(depth);
    cycles += made.clocks[i] * made.weights[i];
    time += made.clocks[i];
    eachWritten(program, resources, instruction, (resource) => {
      ready[resource] = start + timing.latency;
      readyBy[resource] = i;
    });
    depth = depthAfter(instruction.opcode, depth);
  }
  return { model: 'beignet', cycles, ...made };
}

function eachRead(
  program: Program,
  resources: Resources,
  instruction: Instruction,
  visit: (resource: number) => void,
): void {
  for (let k = 0; k < instruction.sources.length; k++) {
    const source = instruction.sources[k];
    if (source.file === 'immediate') continue;
    visitRange(
      firstResource(program, resources, source),
      source.offset,
      bytesRead(instruction, k, program.dialect),
      visit,
    );
  }
  if (instruction.predicate !== undefined)
    visitFlag(program, resources, instruction, instruction.predicate.flag, visit);
}

function eachWritten(
  program: Program,
  resources: Resources,
  instruction: Instruction,
  visit: (resource: number) => void,
): void {
  for (let k = 0; k < instruction.destinations.length; k++) {
    const destination = instruction.destinations[k];
    if (destination.file === 'immediate') continue;
    const bytes = bytesWritten(instruction, k, program.dialect);
    visitRange(firstResource(program, resources, destination), destination.offset, bytes, visit);
  }
  if (instruction.condition !== undefined)
    visitFlag(program, resources, instruction, instruction.condition.flag, visit);
}

function visitRange(first: number, offset: number, bytes: number, visit: (resource: number) => void): void {
  if (first < 0) return;
  const count = registersTouched(offset & 31, bytes);
  for (let resource = first; resource < first + count; resource++) visit(resource);
}

function visitFlag(
  program: Program,
  resources: Resources,
  instruction: Instruction,
  flag: FlagReference,
  visit: (resource: number) => void,
): void {
  if (flag.kind === 'virtual') {
    visit(resources.firstOfRegister[flag.register]);
    return;
  }
  const range = flagResources(program, instruction, flag);
  if (range === undefined) return;
  for (let resource = range[0]; resource <= range[1]; resource++) visit(resource);
}
