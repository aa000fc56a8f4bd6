import { virtual } from '../../server/src/ir/place.js';
import type { Instruction, Register } from '../../server/src/targets/gen/program.js';
import type { Random } from '../search/random.js';
import { g, imm, ins, nowhere, v } from './gen-machine.js';
import { Code } from './random-gen-code.js';
import type { Value } from './random-gen-operands.js';
import type { RandomProgram, Shape, Statement } from './random-gen-tree.js';

/**
 * Random programs of the EU for properties of what works on `Program`: structured control flow, loops that end,
 * masks, predicates, results of several registers, messages, 64-bit values, payload registers, and spill code that is
 * there already.
 */
export function randomProgram(random: Random, shape: Shape): RandomProgram {
  return new Maker(random, shape).make();
}

const LOOPS = 3;

class Maker extends Code {
  make(): RandomProgram {
    const { random, shape } = this;
    for (let k = 0; k < shape.registers; k++) this.singles.push(this.declare(this.perValue));
    if (!this.isSelection)
      for (let k = 0; k < 2; k++) this.wide.push(this.declare(this.perValue * random.pick([2, 3, 4])));
    else this.wide.push(this.declare(this.perValue * 2, 'qword'));
    for (let k = 0; k < LOOPS; k++) this.counters.push(this.declare(this.perValue));
    if (this.isSelection)
      for (let k = 0; k < 2; k++) {
        this.bools.push({ number: this.sizes.length, registers: 1 });
        this.sizes.push(2 * shape.width);
        this.families.push('bool');
      }
    const statements: Statement[] = [...this.singles, ...this.wide].map((value) => ({
      kind: 'code',
      code: this.initial(value),
    }));
    for (const bool of this.bools)
      statements.push({
        kind: 'code',
        code: [this.compare({ kind: 'virtual', register: virtual(bool.number) })],
      });
    if (!this.isSelection) statements.push({ kind: 'code', code: [this.compare(this.flag(0))] });
    statements.push(...this.block(shape.statements, 0));
    const registers = this.sizes.map((bytes, number): Register => ({
      name: `v${number}`,
      bytes,
      alignment: Math.min(32 * this.perValue, bytes),
      isUniform: false,
      ...(this.isSelection && { family: this.families[number] as NonNullable<Register['family']> }),
    }));
    return { shape, registers, statements, end: this.end() };
  }

  /** Every register gets a value at first, so that no branch depends on nothing; a few only in part. */
  private initial(value: Value): Instruction[] {
    const { random } = this;
    const code: Instruction[] = [];
    if (this.isSelection && value.registers > this.perValue) {
      const type = 'UQ';
      return [ins('mov', v(value.number, { type }), [imm(random.below(1000), 'UD')], this.all())];
    }
    for (let k = 0; k < value.registers; k += this.perValue) {
      const to = v(value.number, { offset: 32 * k });
      code.push(
        random.chance(0.5)
          ? ins('mov', to, [this.payload('F')], this.all())
          : ins('mov', to, [imm(random.next() * 8 - 4)], this.all()),
      );
    }
    return code;
  }

  private block(budget: number, depth: number): Statement[] {
    const { random } = this;
    const list: Statement[] = [];
    for (let left = budget; left > 0;) {
      const size = Math.min(left, 1 + random.below(5));
      if (depth < 3 && left > 2 && random.chance(0.12)) {
        list.push(this.branch(size, depth + 1));
        left -= size + 2;
      } else if (depth < 3 && left > 3 && this.loops < LOOPS && random.chance(0.08)) {
        list.push(this.loop(size, depth + 1));
        left -= size + 3;
      } else {
        list.push({ kind: 'code', code: this.operation() });
        left--;
      }
    }
    return list;
  }

  /** In vec4 most conditions are those of whole vertices, as the reference's are; some part the channels of one. */
  private branch(size: number, depth: number): Statement {
    const { random } = this;
    const flag = this.anyFlag();
    const mode = this.isVec4 ? random.pick(['x', 'any4h', 'all4h', 'normal'] as const) : 'normal';
    return {
      kind: 'if',
      test: this.compare(flag),
      branch: ins('if', undefined, [], { predicate: { flag, inverse: random.chance(0.3), mode } }),
      then: this.block(size, depth),
      otherwise: random.chance(0.6) ? this.block(size, depth) : [],
    };
  }

  /** Counts to at most three, in each vertex or channel to a number of its own. */
  private loop(size: number, depth: number): Statement {
    const { random } = this;
    const counter = this.counters[this.loops++];
    const type = 'D';
    const flag = this.anyFlag();
    const limit = random.chance(0.5)
      ? imm(1 + random.below(3), type)
      : g(2, { type, ...(this.isVec4 ? { swizzle: 0 } : this.shape.width === 16 ? this.one() : {}) });
    const mode = this.isVec4 ? ('x' as const) : ('normal' as const);
    return {
      kind: 'loop',
      begin: [ins('mov', v(counter.number, { type }), [imm(0, type)], this.all())],
      top: [
        ins('add', v(counter.number, { type }), [v(counter.number, { type }), imm(1, type)], this.all()),
        ins(
          'cmp',
          nowhere(type),
          [v(counter.number, { type }), limit],
          this.all({ condition: { test: 'ge', flag } }),
        ),
        ins('break', undefined, [], { predicate: { flag, inverse: false, mode } }),
        ins(
          'cmp',
          nowhere(type),
          [v(counter.number, { type }), imm(3, type)],
          this.all({ condition: { test: 'g', flag } }),
        ),
        ins('break', undefined, [], { predicate: { flag, inverse: false, mode } }),
      ],
      body: this.block(size, depth),
    };
  }

  private end(): Instruction[] {
    const code: Instruction[] = [];
    for (let k = 0; k < (this.shape.registers > 5 ? 3 : 1); k++) code.push(...this.output());
    if (!this.isVec4 && !this.isSelection) {
      const zero = imm(0, 'UD');
      for (const value of this.singles.slice(0, 4))
        code.push(
          ins(
            'send',
            undefined,
            [zero, zero, v(value.number)],
            this.all({ message: { mlen: value.registers, descriptor: value.number } }),
          ),
        );
    }
    return code;
  }
}
