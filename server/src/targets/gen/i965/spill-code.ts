import type { VirtualRegister } from '../../../ir/place.js';
import type { Instruction, Program, Register } from '../program.js';

/** A program into which instructions are inserted around those that it has, which may be replaced but stay in place. */
export class SpillCode {
  /** The program's own instructions, as they are now; undefined where one has been dropped. */
  readonly own: (Instruction | undefined)[];
  private readonly before: (Instruction[] | undefined)[] = [];
  private readonly after: (Instruction[] | undefined)[] = [];
  /** By inserted instruction: whose value it moves. */
  private readonly carried = new Map<Instruction, VirtualRegister>();

  constructor(private readonly program: Program) {
    this.own = [...program.instructions];
  }

  /** Inserts right before or right behind what stands at `at`; among themselves in the order in which they come. */
  insert(at: number, where: 'before' | 'after', instruction: Instruction, carries: VirtualRegister): void {
    (this[where][at] ??= []).push(instruction);
    this.carried.set(instruction, carries);
  }

  /** The program as it is now, with the register whose value an inserted instruction moves, -1 elsewhere. */
  finish(registers: readonly Register[]): { readonly program: Program; readonly carries: Int32Array } {
    const instructions: Instruction[] = [];
    const carries: number[] = [];
    const blockStart = new Int32Array(this.program.blockStart.length);
    for (let block = 0; block + 1 < blockStart.length; block++) {
      blockStart[block] = instructions.length;
      for (let at = this.program.blockStart[block]; at < this.program.blockStart[block + 1]; at++) {
        const own = this.own[at];
        for (const list of [this.before[at], own === undefined ? undefined : [own], this.after[at]])
          for (const instruction of list ?? []) {
            instructions.push(instruction);
            carries.push(this.carried.get(instruction) ?? -1);
          }
      }
    }
    blockStart[blockStart.length - 1] = instructions.length;
    return {
      program: { ...this.program, registers, instructions, blockStart },
      carries: Int32Array.from(carries),
    };
  }
}
