import { virtual } from '../../server/src/ir/place.js';
import type {
  FlagReference,
  Instruction,
  Program,
  Register,
  RegisterOperand,
  Type,
} from '../../server/src/targets/gen/program.js';
import type { Random } from '../search/random.js';
import { blocksOf, g, imm, ins, m, nowhere, program, u, v, type InstructionOptions } from './gen-machine.js';

/**
 * Random programs of the EU for properties of what works on `Program`: structured control flow, loops that end,
 * masks, predicates, results of several registers, messages, 64-bit values, payload registers, and spill code that is
 * there already. A program is made from a tree of statements, so that a failing one can be made smaller by leaving
 * statements out: `assemble` makes a program of any such tree, since everything that a statement needs it either
 * makes itself or finds in registers that the program's beginning sets.
 */
export interface Shape {
  readonly dialect: Program['dialect'];
  readonly width: 8 | 16;
  /** Virtual registers that statements work on. */
  readonly registers: number;
  readonly statements: number;
  /** Registers of the machine that may be used, beside payload. */
  readonly room: number;
}

export type Statement =
  | { readonly kind: 'code'; readonly code: readonly Instruction[] }
  | {
      readonly kind: 'if';
      readonly test: Instruction;
      readonly branch: Instruction;
      readonly then: Statement[];
      readonly otherwise: Statement[];
    }
  | {
      readonly kind: 'loop';
      readonly begin: readonly Instruction[];
      readonly top: readonly Instruction[];
      readonly body: Statement[];
    };

export interface RandomProgram {
  readonly shape: Shape;
  readonly registers: readonly Register[];
  readonly statements: readonly Statement[];
  /** What every program ends with. */
  readonly end: readonly Instruction[];
}

const FIRST_FREE = 4;
const SCRATCH = 128;
const LOOPS = 3;

export function randomProgram(random: Random, shape: Shape): RandomProgram {
  return new Maker(random, shape).make();
}

/** The program of a tree of statements. */
export function assemble({ shape, registers, statements, end }: RandomProgram): Program {
  const code: Instruction[] = [];
  const walk = (list: readonly Statement[]) => {
    for (const statement of list) {
      if (statement.kind === 'code') code.push(...statement.code);
      else if (statement.kind === 'if') {
        code.push(statement.test, statement.branch);
        walk(statement.then);
        if (statement.otherwise.length > 0) {
          code.push(ins('else', undefined));
          walk(statement.otherwise);
        }
        code.push(ins('endif', undefined));
      } else {
        code.push(...statement.begin, ins('do', undefined), ...statement.top);
        walk(statement.body);
        code.push(ins('while', undefined));
      }
    }
  };
  walk(statements);
  code.push(...end);
  const { dialect, width } = shape;
  const instructions = code.map((instruction, origin) => ({
    ...instruction,
    origin,
    ...(instruction.opcode.flow !== undefined && { execSize: width }),
  }));
  return {
    ...program(instructions, {
      dialect,
      width,
      registers,
      firstFree: FIRST_FREE,
      registerLimit: FIRST_FREE + shape.room,
    }),
    ...blocksOf(instructions),
    scratchBytes: SCRATCH,
  };
}

/** Trees that are smaller by one statement, or by one level. */
export function* smaller(made: RandomProgram): Generator<RandomProgram> {
  for (const statements of smallerLists(made.statements)) yield { ...made, statements };
}

function* smallerLists(list: readonly Statement[]): Generator<Statement[]> {
  for (let size = list.length; size > 1; size = Math.ceil(size / 2))
    for (let at = 0; at < list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)];
  for (let at = 0; at < list.length; at++) {
    const statement = list[at];
    const put = (...instead: Statement[]): Statement[] => [
      ...list.slice(0, at),
      ...instead,
      ...list.slice(at + 1),
    ];
    if (list.length > 0) yield put();
    if (statement.kind === 'if') {
      yield put(...statement.then, ...statement.otherwise);
      if (statement.otherwise.length > 0) yield put({ ...statement, otherwise: [] });
      for (const then of smallerLists(statement.then)) yield put({ ...statement, then });
      for (const otherwise of smallerLists(statement.otherwise)) yield put({ ...statement, otherwise });
    } else if (statement.kind === 'loop') {
      yield put(...statement.body);
      for (const body of smallerLists(statement.body)) yield put({ ...statement, body });
    } else if (statement.code.length > 1)
      for (let k = 0; k < statement.code.length; k++)
        yield put({ kind: 'code', code: [...statement.code.slice(0, k), ...statement.code.slice(k + 1)] });
  }
}

interface Value {
  readonly number: number;
  readonly registers: number;
}

class Maker {
  private readonly sizes: number[] = [];
  private readonly families: (Register['family'] | 'scalar')[] = [];
  private readonly singles: Value[] = [];
  private readonly wide: Value[] = [];
  private readonly counters: Value[] = [];
  private readonly bools: Value[] = [];
  private loops = 0;
  private readonly perValue: number;

  constructor(
    private readonly random: Random,
    private readonly shape: Shape,
  ) {
    this.perValue = shape.width / 8;
  }

  private get isVec4(): boolean {
    return this.shape.dialect === 'vec4';
  }

  private get isSelection(): boolean {
    return this.shape.dialect === 'selection';
  }

  private declare(registers: number, family: Register['family'] = 'dword'): Value {
    this.sizes.push(registers * 32);
    this.families.push(family);
    return { number: this.sizes.length - 1, registers };
  }

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

  private all(more: InstructionOptions = {}): InstructionOptions {
    return { execSize: this.isVec4 ? 8 : this.shape.width, ...more };
  }

  private payload(type: Type): RegisterOperand {
    const { random } = this;
    if (this.isVec4) return g(1 + random.below(FIRST_FREE - 1), { type });
    // A channel each for all is what 16 channels can have of two registers.
    const isOne = this.shape.width === 16 || random.chance(0.3);
    const offset = isOne ? 4 * random.below(8) : 0;
    return g(1 + random.below(FIRST_FREE - 1), { type, offset, ...(isOne && this.one()) });
  }

  /** One element for all channels, as each dialect writes it. */
  private one(): Partial<RegisterOperand> {
    return this.isSelection ? { stride: 0, region: [0, 1, 0] } : { stride: 0 };
  }

  private flag(number: 0 | 1): FlagReference {
    return { kind: 'hardware', flag: number };
  }

  private anyFlag(): FlagReference {
    const { random } = this;
    if (this.isSelection) return { kind: 'virtual', register: virtual(random.pick(this.bools).number) };
    return this.flag(0);
  }

  private compare(flag: FlagReference): Instruction {
    const test = this.random.pick(['l', 'ge', 'z', 'nz', 'g'] as const);
    return ins(
      'cmp',
      nowhere(),
      [this.source('F'), this.source('F')],
      this.all({ condition: { test, flag } }),
    );
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

  /** In vec4 both conditions of a branch are those of whole vertices, as the reference's are. */
  private branch(size: number, depth: number): Statement {
    const { random } = this;
    const flag = this.anyFlag();
    const mode = this.isVec4 ? random.pick(['x', 'any4h', 'all4h'] as const) : 'normal';
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

  private source(type: Type, mayModify = true): RegisterOperand {
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

  private destination(type: Type, isWhole = false): RegisterOperand {
    const { random } = this;
    const value =
      random.chance(0.15) && !this.isSelection ? random.pick(this.wide) : random.pick(this.singles);
    const offset = 32 * this.perValue * random.below(value.registers / this.perValue);
    const mask = this.isVec4 && !isWhole && random.chance(0.5) ? 1 + random.below(15) : 15;
    return v(value.number, { type, offset, mask });
  }

  private predicated(): InstructionOptions {
    const { random } = this;
    if (!random.chance(0.12)) return {};
    const mode = this.isVec4 ? random.pick(['normal', 'x', 'y', 'any4h', 'all4h'] as const) : 'normal';
    return { predicate: { flag: this.anyFlag(), inverse: random.chance(0.4), mode } };
  }

  private operation(): Instruction[] {
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

  private arithmetic(): Instruction {
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

  private integer(): Instruction {
    const { random } = this;
    const name = random.pick(['add', 'and', 'or', 'xor', 'shl', 'asr', 'mov']);
    const plain = (): RegisterOperand => this.source('D', false);
    const sources =
      name === 'mov'
        ? [this.source('F')]
        : [plain(), random.chance(0.4) ? imm(random.below(12), 'D') : plain()];
    return ins(name, this.destination('D'), sources, this.all(this.predicated()));
  }

  private select(): Instruction[] {
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
  private partial(): Instruction {
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

  private long(): Instruction[] {
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
  private ownScratch(): Instruction[] {
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

  private message(): Instruction[] {
    if (this.isVec4) return this.vec4Message();
    return this.isSelection ? this.surfaceMessage() : this.send();
  }

  private vec4Message(): Instruction[] {
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

  private send(): Instruction[] {
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

  private surfaceMessage(): Instruction[] {
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
  private output(): Instruction[] {
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
