/**
 * The arithmetic of the pool (facts A.14, spillRegs): within one instruction every spilled operand gets pool registers
 * of its own, sources first, then destinations. Register 0 of the pool is the message's header. Register 1 is the
 * first slot, and also where the halves of 64-bit data are gathered, so the first qword leaves it out.
 *
 * The reference advances by an eighth of the instruction's width: an instruction of one lane would not advance at all,
 * and two operands of it would share a slot. Here every operand advances by one at least.
 */
export interface PoolOperand {
  readonly isQword: boolean;
  /** GRFs that the operand touches. */
  readonly registers: number;
}

export interface PoolSlots {
  /** First pool register of each operand. */
  readonly slots: readonly number[];
  /** First pool register that is not used: the instruction fits while this is at most the size of the pool. */
  readonly end: number;
}

/** `first` is the first slot: behind what hardware operands of the instruction take of the pool, 1 where they take nothing. */
export function poolSlots(operands: readonly PoolOperand[], width: number, first = 1): PoolSlots {
  const step = Math.max(1, Math.floor(width / 8));
  const slots: number[] = [];
  let end = first;
  let isStaged = false;
  for (const { isQword, registers } of operands) {
    if (isQword && !isStaged) {
      end += step;
      isStaged = true;
    }
    slots.push(end);
    end += Math.max(isQword ? 2 * step : step, registers);
  }
  return { slots, end };
}
