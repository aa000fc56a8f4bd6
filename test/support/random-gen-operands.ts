import { virtual } from '../../server/src/ir/place.js';
import type {
  FlagReference,
  Instruction,
  Register,
  RegisterOperand,
  Type,
} from '../../server/src/targets/gen/program.js';
import type { Random } from '../search/random.js';
import { g, ins, nowhere, u, v, type InstructionOptions } from './gen-machine.js';
import { FIRST_FREE, type Shape } from './random-gen-tree.js';

export interface Value {
  readonly number: number;
  readonly registers: number;
}

/** Registers of a random program, and operands that name them in all the ways that a dialect has. */
export class Operands {
  protected readonly sizes: number[] = [];
  protected readonly families: (Register['family'] | 'scalar')[] = [];
  protected readonly singles: Value[] = [];
  protected readonly wide: Value[] = [];
  protected readonly counters: Value[] = [];
  protected readonly bools: Value[] = [];
  protected loops = 0;
  protected readonly perValue: number;

  constructor(
    protected readonly random: Random,
    protected readonly shape: Shape,
  ) {
    this.perValue = shape.width / 8;
  }

  protected get isVec4(): boolean {
    return this.shape.dialect === 'vec4';
  }

  protected get isSelection(): boolean {
    return this.shape.dialect === 'selection';
  }

  protected declare(registers: number, family: Register['family'] = 'dword'): Value {
    this.sizes.push(registers * 32);
    this.families.push(family);
    return { number: this.sizes.length - 1, registers };
  }

  protected all(more: InstructionOptions = {}): InstructionOptions {
    return { execSize: this.isVec4 ? 8 : this.shape.width, ...more };
  }

  protected payload(type: Type): RegisterOperand {
    const { random } = this;
    if (this.isVec4) return g(1 + random.below(FIRST_FREE - 1), { type });
    // A channel each for all is what 16 channels can have of two registers.
    const isOne = this.shape.width === 16 || random.chance(0.3);
    const offset = isOne ? 4 * random.below(8) : 0;
    return g(1 + random.below(FIRST_FREE - 1), { type, offset, ...(isOne && this.one()) });
  }

  /** One element for all channels, as each dialect writes it. */
  protected one(): Partial<RegisterOperand> {
    return this.isSelection ? { stride: 0, region: [0, 1, 0] } : { stride: 0 };
  }

  protected flag(number: 0 | 1): FlagReference {
    return { kind: 'hardware', flag: number };
  }

  protected anyFlag(): FlagReference {
    const { random } = this;
    if (this.isSelection) return { kind: 'virtual', register: virtual(random.pick(this.bools).number) };
    return this.flag(0);
  }

  protected compare(flag: FlagReference): Instruction {
    const test = this.random.pick(['l', 'ge', 'z', 'nz', 'g'] as const);
    return ins(
      'cmp',
      nowhere(),
      [this.source('F'), this.source('F')],
      this.all({ condition: { test, flag } }),
    );
  }

  protected source(type: Type, mayModify = true): RegisterOperand {
    const { random } = this;
    if (random.chance(0.1)) return this.payload(type);
    if (random.chance(0.06) && !this.isSelection)
      return u(random.below(8), {
        type,
        stride: this.isVec4 ? 1 : 0,
        ...(this.isVec4 && { swizzle: 0b01_01_01_01 * random.below(4) }),
      });
    const isWide = this.wide.length > 0 && !this.isSelection && random.chance(0.2);
    const value = random.pick(isWide ? this.wide : this.singles);
    const offset = 32 * this.perValue * random.below(value.registers / this.perValue);
    const swizzle = this.isVec4 && random.chance(0.5) ? random.below(256) : 0b11_10_01_00;
    const isOne = !this.isVec4 && random.chance(0.05);
    return v(value.number, {
      type,
      offset: offset + (isOne ? 4 * random.below(8) : 0),
      swizzle,
      negate: mayModify && random.chance(0.15),
      absolute: mayModify && random.chance(0.08),
      ...(isOne && this.one()),
    });
  }

  protected destination(type: Type, isWhole = false): RegisterOperand {
    const { random } = this;
    const value =
      random.chance(0.15) && !this.isSelection ? random.pick(this.wide) : random.pick(this.singles);
    const offset = 32 * this.perValue * random.below(value.registers / this.perValue);
    const mask = this.isVec4 && !isWhole && random.chance(0.5) ? 1 + random.below(15) : 15;
    return v(value.number, { type, offset, mask });
  }

  protected predicated(): InstructionOptions {
    const { random } = this;
    if (!random.chance(0.12)) return {};
    const mode = this.isVec4 ? random.pick(['normal', 'x', 'y', 'any4h', 'all4h'] as const) : 'normal';
    return { predicate: { flag: this.anyFlag(), inverse: random.chance(0.4), mode } };
  }
}
