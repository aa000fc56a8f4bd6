import type { VirtualRegister } from '../../../ir/place.js';
import { bytesRead, bytesWritten, registersTouched } from '../access.js';
import type { Refused } from '../allocation.js';
import {
  GRF_BYTES,
  typeSize,
  type HardwareOperand,
  type Instruction,
  type Operand,
  type Program,
  type Type,
  type VirtualOperand,
} from '../program.js';
import { hardwareOperand } from './emitted.js';
import { familyOf } from './families.js';
import { onRegister } from './place-operands.js';
import { poolSlots, type PoolOperand } from './pool-slots.js';
import { reloadMessage, storeMessage } from './spill-messages.js';
import type { VectorPlan } from './vectors.js';

/**
 * Spill code (facts A.14, spillRegs; semantics A.16). A spilled register owns no register: every source is reloaded
 * into the pool directly before its instruction, every destination stored from the pool directly behind it, whatever
 * the neighbours do with the same register. Reloads come in reverse order, so that source 0 is the last to be loaded,
 * and the store of destination 0 comes first, because both may use the pool's second register for gathering.
 *
 * Reloads fill all lanes. Stores keep the instruction's mask and predicate, so that lanes which did not write keep
 * what scratch has; `sel` has a predicate but writes all lanes, so its store drops it.
 *
 * The i965 dialect says the same with its own messages, whose header and payload lie in the last message registers.
 */
export interface Pool {
  readonly first: number;
  readonly count: number;
}

export interface SpillSites {
  readonly stores: number[];
  readonly reloads: number[];
}

/** Instructions around one instruction, and what it becomes. */
export interface Spilled {
  readonly kind: 'code';
  readonly before: readonly Instruction[];
  readonly instruction: Instruction;
  readonly after: readonly Instruction[];
  /** The spilled register of each one in `before` and `after`. */
  readonly carriesBefore: readonly VirtualRegister[];
  readonly carriesAfter: readonly VirtualRegister[];
}

interface SpilledOperand extends PoolOperand {
  readonly index: number;
  readonly operand: VirtualOperand;
  /** First GRF of the register that the operand touches. */
  readonly from: number;
}

export class SpillCode {
  /** Type of the last store of each register in program order: reloads speak of it in the same terms. */
  private readonly storedAs = new Map<VirtualRegister, Type>();

  constructor(
    private readonly program: Program,
    private readonly plan: VectorPlan,
    private readonly pool: Pool,
    /** Byte offset in scratch of each spilled register, -1 for those that live in the pool alone. */
    private readonly offset: ReadonlyMap<VirtualRegister, number>,
  ) {}

  /** Undefined where the instruction touches nothing spilled. */
  around(instruction: Instruction, number: number): Spilled | Refused | undefined {
    if (instruction.opcode.scratch !== undefined) return undefined;
    const { dialect } = this.program;
    const sources = this.spilled(instruction.sources, (k) => bytesRead(instruction, k, dialect));
    const destinations = this.spilled(instruction.destinations, (k) => bytesWritten(instruction, k, dialect));
    if (sources.length + destinations.length === 0) return undefined;
    const first = this.firstSlot(instruction);
    const all = [...sources, ...destinations];
    const { slots, end } = poolSlots(all, instruction.execSize, first);
    if (end > this.pool.count) return this.overflow(instruction, end, number);
    if (first > 1 && all.some(({ isQword }) => isQword)) return this.staged(instruction, number);

    const newSources = [...instruction.sources];
    const before: Instruction[] = [];
    const carriesBefore: VirtualRegister[] = [];
    sources.forEach((spilled, n) => {
      newSources[spilled.index] = this.inPool(spilled, slots[n]);
      const reload = this.reload(spilled, slots[n]);
      if (reload === undefined) return;
      before.unshift(reload);
      carriesBefore.unshift(spilled.operand.register);
    });
    const newDestinations = [...instruction.destinations];
    const after: Instruction[] = [];
    const carriesAfter: VirtualRegister[] = [];
    destinations.forEach((spilled, n) => {
      const slot = slots[sources.length + n];
      newDestinations[spilled.index] = this.inPool(spilled, slot);
      const store = this.store(instruction, spilled, slot);
      if (store === undefined) return;
      after.push(store);
      carriesAfter.push(spilled.operand.register);
    });
    return {
      kind: 'code',
      before,
      instruction: { ...instruction, sources: newSources, destinations: newDestinations },
      after,
      carriesBefore,
      carriesAfter,
    };
  }

  /** Behind the pool registers that the text itself names in this instruction: operands never share a slot. */
  private firstSlot({ sources, destinations }: Instruction): number {
    let first = 1;
    for (const operands of [sources, destinations])
      for (const operand of operands) {
        if (operand.file !== 'grf') continue;
        const slot = operand.grf + Math.floor(operand.offset / GRF_BYTES) - this.pool.first;
        if (slot >= 0 && slot < this.pool.count) first = Math.max(first, slot + this.program.width / 8);
      }
    return first;
  }

  private spilled(operands: readonly Operand[], bytesOf: (k: number) => number): SpilledOperand[] {
    const found: SpilledOperand[] = [];
    operands.forEach((operand, index) => {
      if (operand.file !== 'virtual' || !this.offset.has(operand.register)) return;
      found.push({
        index,
        operand,
        isQword: familyOf(this.program, this.plan.registers[operand.register]) === 'qword',
        from: Math.floor(operand.offset / GRF_BYTES),
        registers: Math.max(1, registersTouched(operand.offset, bytesOf(index))),
      });
    });
    return found;
  }

  private inPool({ operand, from }: SpilledOperand, slot: number): HardwareOperand {
    const grf = this.pool.first + slot;
    return onRegister({ ...operand, offset: operand.offset - from * GRF_BYTES }, grf);
  }

  private reload(spilled: SpilledOperand, slot: number): Instruction | undefined {
    const { operand, from, registers, isQword } = spilled;
    const scratchOffset = this.offsetOf(operand.register, from);
    if (scratchOffset === undefined) return undefined;
    const size = isQword ? 8 : 4;
    const asStored = this.storedAs.get(operand.register) ?? operand.type;
    const type = typeSize(asStored) === size ? asStored : isQword ? 'UQ' : 'UD';
    return reloadMessage(
      this.program,
      hardwareOperand(this.pool.first + slot, type),
      registers,
      scratchOffset,
    );
  }

  private store(instruction: Instruction, spilled: SpilledOperand, slot: number): Instruction | undefined {
    const { operand, from, registers, isQword } = spilled;
    const scratchOffset = this.offsetOf(operand.register, from);
    if (scratchOffset === undefined) return undefined;
    const size = isQword ? 8 : 4;
    const type = typeSize(operand.type) === size ? operand.type : isQword ? 'UQ' : 'UD';
    this.storedAs.set(operand.register, type);
    return storeMessage(
      this.program,
      instruction,
      hardwareOperand(this.pool.first + slot, type),
      registers,
      scratchOffset,
    );
  }

  /** Undefined for a register that lives for one instruction only: no memory, no spill code. */
  private offsetOf(register: VirtualRegister, grf: number): number | undefined {
    const offset = this.offset.get(register)!;
    return offset < 0 ? undefined : offset + grf * GRF_BYTES;
  }

  private staged(instruction: Instruction, number: number): Refused {
    return {
      kind: 'refused',
      reason: 'REGISTER_SPILL_FAIL',
      detail:
        `${instruction.opcode.name} names pool registers, of which the second is needed to gather the halves of its ` +
        'spilled 64-bit operands',
      instruction: number,
    };
  }

  private overflow(instruction: Instruction, end: number, number: number): Refused {
    return {
      kind: 'refused',
      reason: 'REGISTER_SPILL_FAIL',
      detail:
        `the spilled operands of ${instruction.opcode.name} need pool registers up to ${end - 1}, header included ` +
        `${end}; the pool has ${this.pool.count}`,
      instruction: number,
    };
  }
}
