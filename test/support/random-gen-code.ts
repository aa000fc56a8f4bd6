import type { Instruction, RegisterOperand, Type } from '../../server/src/targets/gen/program.js';
import { g, imm, ins, m, nowhere, v } from './gen-machine.js';
import { Operands } from './random-gen-operands.js';
import { SCRATCH } from './random-gen-tree.js';

/** Straight-line code of a random program: arithmetic, partial writes, 64-bit values, scratch, messages. */
export class Code extends Operands {
  protected operation(): Instruction[] {
    const { random } = this;
    const kind = random.next();
    if (kind < 0.42) return [this.arithmetic()];
    if (kind < 0.52) return [this.integer()];
    if (kind < 0.58) return this.select();
    if (kind < 0.62) return [this.compare(this.anyFlag())];
    if (kind < 0.66) return [this.partial()];
    if (kind < 0.7) return this.long();
    if (kind < 0.74) return this.ownScratch();
    if (kind < 0.78) return [ins('mov', this.destination('F'), [imm(random.next() * 4)], this.all())];
    if (kind < 0.86)
      return [ins('mov', this.destination('F'), [this.source('F', false)], this.all(this.predicated()))];
    return this.message();
  }

  protected arithmetic(): Instruction {
    const { random } = this;
    const name = random.pick([
      'add',
      'mul',
      'mad',
      'frc',
      'rndd',
      'add',
      'mul',
      'lrp',
      ...(this.isVec4 ? ['dp4', 'dp3', 'dph'] : ['avg']),
    ]);
    const type: Type = name === 'avg' ? 'D' : 'F';
    const count = name === 'mad' || name === 'lrp' ? 3 : name === 'frc' || name === 'rndd' ? 1 : 2;
    const sources = Array.from({ length: count }, (_, k) =>
      count === 2 && k === 1 && random.chance(0.15) && type === 'F'
        ? imm(random.next() * 2)
        : this.source(type),
    );
    return ins(
      name,
      this.destination(type),
      sources,
      this.all({ ...this.predicated(), saturate: random.chance(0.1) }),
    );
  }

  protected integer(): Instruction {
    const { random } = this;
    const name = random.pick(['add', 'and', 'or', 'xor', 'shl', 'asr', 'mov']);
    const plain = (): RegisterOperand => this.source('D', false);
    const sources =
      name === 'mov'
        ? [this.source('F')]
        : [plain(), random.chance(0.4) ? imm(random.below(12), 'D') : plain()];
    return ins(name, this.destination('D'), sources, this.all(this.predicated()));
  }

  protected select(): Instruction[] {
    const { random } = this;
    const sources = [this.source('F'), this.source('F')];
    if (random.chance(0.4))
      return [
        ins(
          'sel',
          this.destination('F'),
          sources,
          this.all({ condition: { test: random.pick(['l', 'ge'] as const), flag: this.flag(0) } }),
        ),
      ];
    const flag = this.anyFlag();
    return [
      this.compare(flag),
      ins(
        'sel',
        this.destination('F'),
        sources,
        this.all({ predicate: { flag, inverse: random.chance(0.5), mode: 'normal' } }),
      ),
    ];
  }

  /** Writes less than a register's channels: every other word, one channel, one half. */
  protected partial(): Instruction {
    const { random } = this;
    if (this.isVec4) {
      const value = random.pick(this.singles);
      const half = random.below(2);
      return ins(
        'mov',
        v(value.number, { offset: 16 * half, mask: 1 + random.below(15) }),
        [v(random.pick(this.singles).number, { offset: 16 * half })],
        { execSize: 4, group: 4 * half, noMask: random.chance(0.3) },
      );
    }
    const value = random.pick(this.singles);
    const choice = random.below(3);
    if (choice === 0)
      return ins(
        'mov',
        v(value.number, { type: 'UW', stride: 2, offset: 2 * random.below(2) }),
        [this.source('UD', false)],
        this.all(),
      );
    if (choice === 1)
      return ins(
        'mov',
        v(value.number, { type: 'UD', offset: 4 * random.below(8) }),
        [imm(random.below(100), 'UD')],
        { execSize: 1, noMask: true },
      );
    if (this.shape.width === 16) {
      const half = random.below(2);
      return ins(
        'add',
        v(value.number, { offset: 32 * half }),
        [v(random.pick(this.singles).number, { offset: 32 * half }), imm(1)],
        {
          execSize: 8,
          group: 8 * half,
        },
      );
    }
    return ins('mov', this.destination('F'), [this.source('F')], this.all({ noMask: true }));
  }

  protected long(): Instruction[] {
    const { random } = this;
    if (this.isSelection) {
      const type = 'UQ';
      const wide = this.wide[0].number;
      return random.chance(0.5)
        ? [ins('add', v(wide, { type }), [v(wide, { type }), this.source('UD', false)], this.all())]
        : [ins('mov', this.destination('UD'), [v(wide, { type })], this.all())];
    }
    if (this.isVec4) return [this.arithmetic()];
    const value = this.wide.find(({ registers }) => registers >= 2 * this.perValue)!;
    const type = 'DF';
    return random.chance(0.5)
      ? [ins('mov', v(value.number, { type }), [this.source('F')], this.all())]
      : [
          ins(
            'mul',
            v(value.number, { type }),
            [v(value.number, { type }), v(value.number, { type })],
            this.all(),
          ),
        ];
  }

  /** Scratch that the program itself uses, as spill code that is there already. */
  protected ownScratch(): Instruction[] {
    const { random } = this;
    const slot = 64 * random.below(SCRATCH / 64);
    const to = random.pick(this.singles).number;
    const from = random.pick(this.singles).number;
    if (this.isVec4) {
      const index = imm(slot / 16, 'D');
      return [
        ins('gfx4_scratch_write', g(0, { mask: 1 + random.below(15) }), [v(from), index], {
          message: { mlen: 3, baseMrf: 13, scratchOffset: slot },
        }),
        ins('gfx4_scratch_read', v(to), [index], { message: { mlen: 2, baseMrf: 14, scratchOffset: slot } }),
      ];
    }
    if (this.isSelection) return [this.integer()];
    return [
      ins(
        'gfx4_scratch_write',
        nowhere(),
        [v(from)],
        this.all({ message: { mlen: 1 + this.perValue, baseMrf: 15 - this.perValue, scratchOffset: slot } }),
      ),
      ins('gfx7_scratch_read', v(to), [], this.all({ noMask: true, message: { scratchOffset: slot } })),
    ];
  }

  protected message(): Instruction[] {
    if (this.isVec4) return this.vec4Message();
    return this.isSelection ? this.surfaceMessage() : this.send();
  }

  protected vec4Message(): Instruction[] {
    const { random } = this;
    const to = (): RegisterOperand => v(random.pick(this.singles).number);
    switch (random.below(4)) {
      case 0:
        return [
          ins(
            'untyped_surface_read',
            { ...to(), type: 'UD' },
            [v(random.pick(this.singles).number, { type: 'UD' }), imm(34, 'UD'), imm(4, 'UD')],
            { message: { mlen: 1 } },
          ),
        ];
      case 1:
        return [
          ins(
            'pull_constant_load_gfx7',
            to(),
            [imm(3, 'UD'), v(random.pick(this.singles).number, { type: 'D' })],
            { message: { mlen: 1 } },
          ),
        ];
      case 2:
        return [
          ins('mov', m(2, { mask: 1 + random.below(15) }), [this.source('F')]),
          ins('mov', m(3), [this.source('F')]),
          ins('tex', to(), [imm(1, 'UD'), imm(1, 'UD')], { message: { mlen: 2, baseMrf: 2, header: 0 } }),
        ];
      default:
        return this.output();
    }
  }

  protected send(): Instruction[] {
    const { random } = this;
    const zero = imm(0, 'UD');
    const payload = random.pick(this.wide);
    const code = random.chance(0.6)
      ? Array.from({ length: payload.registers / this.perValue }, (_, k) =>
          ins('mov', v(payload.number, { offset: 32 * this.perValue * k }), [this.source('F')], this.all()),
        )
      : [];
    // The data cache's message types: 1 reads, 10 writes (facts C.1).
    const type = (number: number): number => (number << 14) | random.below(9);
    const sampler = { mlen: payload.registers, sharedFunction: 'sampler', descriptor: type(2) };
    const read = { mlen: payload.registers, sharedFunction: 'data_cache', descriptor: type(1) };
    const write = { mlen: payload.registers, sharedFunction: 'data_cache', descriptor: type(10) };
    if (random.chance(0.3))
      return [...code, ins('send', undefined, [zero, zero, v(payload.number)], this.all({ message: write }))];
    const response = random.pick([...this.wide, ...this.singles].filter((value) => value !== payload));
    return [
      ...code,
      ins(
        'send',
        v(response.number),
        [zero, zero, v(payload.number)],
        this.all({ message: { ...random.pick([sampler, read]), rlen: response.registers } }),
      ),
    ];
  }

  protected surfaceMessage(): Instruction[] {
    const { random } = this;
    const data = (type: Type): RegisterOperand => v(random.pick(this.singles).number, { type });
    const distinct = (count: number): RegisterOperand[] => {
      const pool = [...this.singles];
      return Array.from({ length: count }, () =>
        v(pool.splice(random.below(pool.length), 1)[0].number, { type: 'UD' }),
      );
    };
    const surface = imm(random.below(3), 'UD');
    const count = 1 + random.below(Math.min(4, this.singles.length));
    if (random.chance(0.5))
      return [
        ins('untyped_read', undefined, [data('UD'), surface], this.all({ destinations: distinct(count) })),
      ];
    return [
      ins(
        'untyped_write',
        undefined,
        [data('UD'), ...Array.from({ length: count }, () => data('UD')), surface],
        this.all(),
      ),
    ];
  }

  /** Lets the world see some of the registers. */
  protected output(): Instruction[] {
    const { random } = this;
    if (this.isVec4)
      return [
        ins('mov', m(1), [g(0)]),
        ins('mov', m(2), [this.source('F')]),
        ins('mov', m(3, { mask: 1 + random.below(15) }), [this.source('F')]),
        ins('vs_urb_write', undefined, [], { message: { mlen: 3, baseMrf: 1 } }),
      ];
    if (this.isSelection) {
      const values = [...this.singles, ...this.singles].slice(random.below(this.singles.length)).slice(0, 4);
      return [
        ins(
          'untyped_write',
          undefined,
          [
            v(values[0].number, { type: 'UD' }),
            ...values.map(({ number }) => v(number, { type: 'UD' })),
            imm(9, 'UD'),
          ],
          this.all(),
        ),
      ];
    }
    return this.send();
  }
}
