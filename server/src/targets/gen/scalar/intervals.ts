import { bytesRead, bytesWritten, registersTouched } from '../access.js';
import { isLiveAtEntry, type BlockRuns } from '../../../passes/liveness.js';
import { GRF_BYTES, type Instruction, type Operand, type Program, typeSize } from '../program.js';
import type { Skeleton } from './skeleton.js';

/**
 * Intervals of Beignet's linear scan (facts A.8): one `[min, max]` a register, in instruction identifiers. Instruction
 * k has identifier 2k. A definition is a point at the identifier; so is a source, but for sources of one hardware
 * instruction that are read the way the result is written: these end one earlier, so that the result may take their
 * place. A register that is live where a block begins or ends reaches as far. What the dispatch hands over begins at 0.
 *
 * The loop rule: lanes leave a loop in different iterations, and what a lane defined in its last one must survive the
 * iterations of the others. A value that is defined in a loop and live at one of its exits is live in all of it.
 */
export interface Intervals {
  /** By virtual register; `UNUSED` and `-UNUSED` where nothing mentions it. */
  readonly min: Int32Array;
  readonly max: Int32Array;
  /** Last point of each hardware register that the program names, -UNUSED for others. */
  readonly grfMax: Int32Array;
  /** By virtual register: the only block that it is mentioned in, -1 where there are several or none. Never live at its borders. */
  readonly onlyBlock: Int32Array;
}

/** As the reference's dump writes an interval that nothing has touched. */
export const UNUSED = 0x7fff_ffff;

export const idOf = (instruction: number): number => 2 * instruction;

export function intervalsOf(skeleton: Skeleton): Intervals {
  const { program, cellStart, grfCell, isPayload } = skeleton;
  const { registers } = program;
  const cells = skeleton.liveness.entry.start.length - 1;
  const points = new Points(cells);
  operandPoints(program, cellStart, grfCell, points);
  blockPoints(skeleton, points);
  loopPoints(skeleton, points);

  const min = new Int32Array(registers.length).fill(UNUSED);
  const max = new Int32Array(registers.length).fill(-UNUSED);
  for (let r = 0; r < registers.length; r++) {
    for (let c = cellStart[r]; c < cellStart[r + 1]; c++) {
      min[r] = Math.min(min[r], points.min[c]);
      max[r] = Math.max(max[r], points.max[c]);
    }
    if (isPayload[r]) min[r] = Math.min(min[r], 0);
  }
  const grfMax = Int32Array.from(grfCell, (cell) => (cell < 0 ? -UNUSED : points.max[cell]));
  return { min, max, grfMax, onlyBlock: onlyBlocks(skeleton) };
}

class Points {
  readonly min: Int32Array;
  readonly max: Int32Array;

  constructor(count: number) {
    this.min = new Int32Array(count).fill(UNUSED);
    this.max = new Int32Array(count).fill(-UNUSED);
  }

  add(cell: number, point: number): void {
    if (point < this.min[cell]) this.min[cell] = point;
    if (point > this.max[cell]) this.max[cell] = point;
  }
}

function operandPoints(program: Program, cellStart: Int32Array, grfCell: Int32Array, points: Points): void {
  const add = (operand: Operand, bytes: number, point: number): void => {
    if (operand.file === 'virtual')
      for (let c = cellStart[operand.register]; c < cellStart[operand.register + 1]; c++)
        points.add(c, point);
    else if (operand.file === 'grf') {
      const first = operand.grf + Math.floor(operand.offset / GRF_BYTES);
      const end = Math.min(first + Math.max(1, registersTouched(operand.offset, bytes)), grfCell.length);
      for (let grf = first; grf < end; grf++) points.add(grfCell[grf], point);
    }
  };
  program.instructions.forEach((instruction, k) => {
    const id = idOf(k);
    instruction.sources.forEach((source, n) => {
      const bytes = bytesRead(instruction, n, program.dialect);
      // the halves of a wide instruction run one after the other: a result must not lie on one half of a named source
      const isHalved = source.file === 'grf' && bytes > GRF_BYTES;
      add(source, bytes, endsBefore(instruction, source) && !isHalved ? id - 1 : id);
    });
    instruction.destinations.forEach((destination, n) => {
      add(destination, bytesWritten(instruction, n, program.dialect), id);
    });
    for (const flag of [instruction.predicate?.flag, instruction.condition?.flag])
      if (flag?.kind === 'virtual') points.add(cellStart[flag.register], id);
  });
  for (const operand of program.liveOut) add(operand, 1, idOf(program.instructions.length));
}

/** True where the result may lie in the source's place: one hardware instruction, and the regions are the same. */
export function endsBefore(instruction: Instruction, source: Operand): boolean {
  if (!instruction.opcode.isNative || instruction.destinations.length === 0) return false;
  return instruction.destinations.every((destination) => isSameRegion(source, destination));
}

function isSameRegion(source: Operand, destination: Operand): boolean {
  if (source.file === 'immediate' || destination.file === 'immediate') return false;
  const files = ['virtual', 'grf'];
  if (!files.includes(source.file) || !files.includes(destination.file)) return false;
  return (
    typeSize(source.type) === typeSize(destination.type) &&
    source.stride === destination.stride &&
    source.region === undefined &&
    destination.region === undefined
  );
}

/**
 * The point that a register which is live into a block must reach: the second instruction where the first is a label,
 * as in the reference; else the gap before the first instruction.
 */
function entryPoint(program: Program, block: number): number {
  const first = program.blockStart[block];
  if (block === 0) return idOf(first);
  const hasLabel =
    first < program.blockStart[block + 1] && program.instructions[first].opcode.flow === 'label';
  return hasLabel && first + 1 < program.blockStart[block + 1] ? idOf(first + 1) : idOf(first) - 1;
}

const exitPoint = (program: Program, block: number): number => idOf(program.blockStart[block + 1] - 1);

function blockPoints({ program, liveness }: Skeleton, points: Points): void {
  const each = (runs: BlockRuns, cell: number, visit: (block: number) => void): void => {
    // a run is of consecutive blocks: its first and last one reach farthest
    for (let k = runs.start[cell]; k < runs.start[cell + 1]; k++) {
      visit(runs.from[k] - 1);
      visit(runs.to[k] - 2);
    }
  };
  const cells = liveness.entry.start.length - 1;
  for (let cell = 0; cell < cells; cell++) {
    each(liveness.entry, cell, (block) => {
      if (block >= 0 && program.blockStart[block] < program.blockStart[block + 1])
        points.add(cell, entryPoint(program, block));
    });
    each(liveness.exit, cell, (block) => {
      if (block >= 0) points.add(cell, Math.max(exitPoint(program, block), 0));
    });
  }
}

interface LoopFacts {
  /** First and last block of the body in text order. */
  first: number;
  last: number;
  /** Blocks outside that an edge from inside leads to. */
  readonly exits: Set<number>;
}

/** By header; blocks as in the skeleton. Inner loops hand their extent to the outer ones. */
function loopFacts({ cfg, loops }: Skeleton): Map<number, LoopFacts> {
  const facts = new Map<number, LoopFacts>();
  const nesting = new Int32Array(cfg.blockCount);
  for (const h of cfg.order) {
    if (loops.header[h] !== h) continue;
    nesting[h] = 1 + (loops.outer[h] < 0 ? 0 : nesting[loops.outer[h]]);
    facts.set(h, { first: h, last: h, exits: new Set() });
  }
  for (let block = 0; block < cfg.blockCount; block++) {
    const inner = facts.get(loops.header[block]);
    if (inner === undefined) continue;
    inner.first = Math.min(inner.first, block);
    inner.last = Math.max(inner.last, block);
    for (let e = cfg.successorStart[block]; e < cfg.successorStart[block + 1]; e++) {
      let from = loops.header[block];
      let to = loops.header[cfg.successors[e]];
      while (from >= 0 && from !== to) {
        const [depth, other] = [nesting[from], to < 0 ? 0 : nesting[to]];
        if (depth >= other) {
          facts.get(from)!.exits.add(cfg.successors[e]);
          from = loops.outer[from];
        }
        if (other >= depth && to >= 0) to = loops.outer[to];
      }
    }
  }
  const innerFirst = [...facts.keys()].sort((a, b) => nesting[b] - nesting[a]);
  for (const h of innerFirst) {
    const outer = facts.get(loops.outer[h]);
    if (outer === undefined) continue;
    outer.first = Math.min(outer.first, facts.get(h)!.first);
    outer.last = Math.max(outer.last, facts.get(h)!.last);
  }
  return facts;
}

function loopPoints(skeleton: Skeleton, points: Points): void {
  const { program, loops, liveness, cellStart, grfCell } = skeleton;
  const facts = loopFacts(skeleton);
  if (facts.size === 0) return;
  /** Loops that a cell has been stretched over already: cell and header in one number. */
  const known = new Set<number>();
  const cells = liveness.entry.start.length - 1;
  const define = (cell: number, block: number): void => {
    if (isWithinBlock(liveness.exit, cell)) return;
    for (let h = loops.header[block]; h >= 0; h = loops.outer[h]) {
      const key = h * cells + cell;
      if (known.has(key)) continue;
      known.add(key);
      const { first, last, exits } = facts.get(h)!;
      if (![...exits].some((exit) => isLiveAtEntry(liveness, cell, exit))) continue;
      points.add(cell, entryPoint(program, first - 1));
      points.add(cell, exitPoint(program, last - 1));
    }
  };
  for (let block = 0; block + 1 < program.blockStart.length; block++) {
    if (loops.header[block + 1] < 0) continue;
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      const { destinations, condition } = program.instructions[i];
      for (const operand of destinations) {
        if (operand.file === 'virtual')
          for (let c = cellStart[operand.register]; c < cellStart[operand.register + 1]; c++)
            define(c, block + 1);
        else if (operand.file === 'grf' && grfCell[operand.grf] >= 0) define(grfCell[operand.grf], block + 1);
      }
      if (condition?.flag.kind === 'virtual') define(cellStart[condition.flag.register], block + 1);
    }
  }
}

const isWithinBlock = (exit: BlockRuns, cell: number): boolean => exit.start[cell] === exit.start[cell + 1];

function onlyBlocks({ program, liveness, cellStart, isPayload }: Skeleton): Int32Array {
  const only = new Int32Array(program.registers.length).fill(-1);
  const isSpread = Uint8Array.from(isPayload);
  for (let block = 0; block + 1 < program.blockStart.length; block++) {
    const mention = (register: number): void => {
      if (only[register] < 0) only[register] = block;
      else if (only[register] !== block) isSpread[register] = 1;
    };
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      const { sources, destinations, predicate, condition } = program.instructions[i];
      for (const operand of sources) if (operand.file === 'virtual') mention(operand.register);
      for (const operand of destinations) if (operand.file === 'virtual') mention(operand.register);
      if (predicate?.flag.kind === 'virtual') mention(predicate.flag.register);
      if (condition?.flag.kind === 'virtual') mention(condition.flag.register);
    }
  }
  for (const operand of program.liveOut) if (operand.file === 'virtual') isSpread[operand.register] = 1;
  for (let r = 0; r < only.length; r++)
    for (let c = cellStart[r]; c < cellStart[r + 1]; c++)
      if (isSpread[r] || !isWithinBlock(liveness.exit, c) || !isWithinBlock(liveness.entry, c)) only[r] = -1;
  return only;
}
