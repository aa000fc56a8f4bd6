import { virtual } from '../../../ir/place.js';
import { GRF_BYTES, XYZW, type Program, type Register, type Type, type VirtualOperand } from '../program.js';

/** Registers of one GRF that a lowering adds to a program, named on from the highest number of its own. */
export class NewRegisters {
  readonly #program: Program;
  readonly #made: Register[] = [];
  #next: number;

  constructor(program: Program) {
    this.#program = program;
    this.#next = 0;
    for (const { name } of program.registers)
      this.#next = Math.max(this.#next, Number(/^vgrf(\d+)$/.exec(name)?.[1] ?? -1) + 1);
  }

  /** A new register as an operand: all channels in their places. */
  operand(type: Type): VirtualOperand {
    const register = virtual(this.#program.registers.length + this.#made.length);
    this.#made.push({
      name: `vgrf${this.#next++}`,
      bytes: GRF_BYTES,
      alignment: GRF_BYTES,
      isUniform: false,
    });
    return {
      file: 'virtual',
      register,
      type,
      offset: 0,
      negate: false,
      absolute: false,
      swizzle: XYZW,
      mask: 15,
      stride: 1,
      operand: -1,
    };
  }

  addTo(program: Program): Program {
    return this.#made.length === 0
      ? program
      : { ...program, registers: [...program.registers, ...this.#made] };
  }
}
