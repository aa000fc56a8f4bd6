import fc from 'fast-check';

/**
 * Random gpir programs as text. Every program is valid and ends: registers and temporaries are written before they
 * are read (fragments may be handed some), loops count in a register that nothing else writes, and values are used
 * only where their definition dominates. What would make numbers infinite or undefined is mostly guarded, so that
 * outputs can be compared. The shapes favour what is hard to compile: high pressure, values across blocks, special
 * functions in rows, negations and constants everywhere, preassigned registers, temporaries.
 */
export interface Choices {
  /** In 0 to n - 1. Where it returns 0 throughout, a program becomes as simple as it gets. */
  below(n: number): number;
}

export interface Shape {
  readonly name: string;
  /** Mean number of statements of the outermost region. */
  readonly statements: number;
  /** Weights of the kinds of statement. */
  readonly weights: Readonly<Partial<Record<StatementKind, number>>>;
  /** Of 16 operands, how many are negated. */
  readonly negated: number;
  /** How far back operands reach: few recent values, or any. */
  readonly reach: number;
  readonly isFragment?: boolean;
}

type StatementKind =
  | 'arithmetic'
  | 'special'
  | 'sequence'
  | 'load'
  | 'varying'
  | 'storeRegister'
  | 'loadRegister'
  | 'temporary'
  | 'if'
  | 'ifElse'
  | 'repeat'
  | 'while';

const STRAIGHT = { arithmetic: 12, load: 4, varying: 2, special: 1 };

export const gpirShapes: readonly Shape[] = [
  { name: 'straight', statements: 14, weights: STRAIGHT, negated: 3, reach: 8 },
  {
    name: 'special functions',
    statements: 10,
    weights: { special: 6, sequence: 3, arithmetic: 4, load: 2, varying: 1 },
    negated: 4,
    reach: 6,
  },
  {
    name: 'pressure',
    statements: 40,
    weights: { arithmetic: 10, load: 8, varying: 1, special: 1 },
    negated: 1,
    reach: 64,
  },
  {
    name: 'negations and constants',
    statements: 14,
    weights: { arithmetic: 16, varying: 2, special: 1 },
    negated: 10,
    reach: 6,
  },
  {
    name: 'branches',
    statements: 8,
    weights: { ...STRAIGHT, if: 2, ifElse: 3, storeRegister: 3, loadRegister: 3 },
    negated: 2,
    reach: 16,
  },
  {
    name: 'loops',
    statements: 6,
    weights: { ...STRAIGHT, repeat: 3, while: 2, if: 1, storeRegister: 4, loadRegister: 3 },
    negated: 2,
    reach: 12,
  },
  {
    name: 'values across blocks',
    statements: 18,
    weights: { arithmetic: 10, load: 6, if: 2, repeat: 1, loadRegister: 1, storeRegister: 2 },
    negated: 2,
    reach: 64,
  },
  {
    name: 'temporaries',
    statements: 10,
    weights: { ...STRAIGHT, temporary: 6, if: 1, repeat: 1, storeRegister: 1 },
    negated: 2,
    reach: 8,
  },
  {
    name: 'fragment',
    statements: 10,
    weights: { ...STRAIGHT, storeRegister: 5, loadRegister: 5, if: 1, ifElse: 1 },
    negated: 2,
    reach: 8,
    isFragment: true,
  },
];

/** Text of a program of a shape; of any shape without one. */
export function randomGpir(choices: Choices, shape?: Shape): string {
  return new Generator(choices, shape ?? gpirShapes[choices.below(gpirShapes.length)]).program();
}

/** For fast-check: a list of choices, which it can shorten and lower. */
export const gpirPrograms = (shape?: Shape): fc.Arbitrary<string> =>
  fc
    .array(fc.nat({ max: 0xffff }), { maxLength: 600, size: 'max' })
    .map((numbers) => randomGpir(new ListedChoices(numbers), shape));

class ListedChoices implements Choices {
  private next = 0;

  constructor(private readonly numbers: readonly number[]) {}

  below(n: number): number {
    return (this.numbers[this.next++] ?? 0) % n;
  }
}

/** A value, and how large it may be: an upper bound for log2 of its magnitude, roughly. */
interface Value {
  readonly name: string;
  readonly size: number;
}

/** What may be read at a point. Inner regions see copies, which end with them. */
interface Scope {
  values: Value[];
  registers: Set<string>;
  temporaries: Set<string>;
}

const COMPONENTS = 'xyzw';
const LARGE = 30;
const NUMBERS = '0 1 -1 0.5 2 -2 0.25 3 10 -0.125 1e-3 0x3fc00000 0xbf800000 -0 100 0.75'.split(' ');
const COMPARISONS = ['lt', 'ge', 'eq', 'ne'];
const BINARY = ['add', 'mul', 'add', 'mul', 'min', 'max', 'add', 'mul', ...COMPARISONS];
const UNARY = ['neg', 'abs', 'floor', 'ceil', 'sign', 'mov'];

class Generator {
  private readonly lines: string[] = [];
  private readonly counters = new Set<string>();
  private readonly writtenRegisters = new Set<string>();
  private unread: Value[] = [];
  private scope: Scope = { values: [], registers: new Set(), temporaries: new Set() };
  private names = 0;
  /** Statements that may still be written, whatever the choices say. */
  private left: number;

  constructor(
    private readonly choices: Choices,
    private readonly shape: Shape,
  ) {
    this.left = 4 * shape.statements;
  }

  program(): string {
    if (this.shape.isFragment) for (const name of this.someRegisters()) this.scope.registers.add(name);
    if (this.choices.below(3) > 0 || this.shape.isFragment) this.lines.push(`${this.fresh('block')}:`);
    this.region(this.shape.statements, 0);
    this.outputs();
    const head = ['.program random'];
    if (this.shape.isFragment) head.push(`.live_out ${[...this.liveOut()].join(', ')}`);
    return [...head, ...this.lines, ''].join('\n');
  }

  /** The registers of a fragment that are handed over at its end. */
  private liveOut(): Set<string> {
    const names = [...this.scope.registers].filter((name) => !this.counters.has(name));
    const kept = new Set(names.filter((_, index) => index === 0 || this.chance(10)));
    if (kept.size === 0) kept.add('@a');
    return kept;
  }

  private someRegisters(): string[] {
    return Array.from({ length: 1 + this.choices.below(4) }, () => this.registerName());
  }

  private outputs(): void {
    const wanted = this.unread.slice(-6);
    if (wanted.length === 0 && this.scope.values.length > 0) wanted.push(this.scope.values.at(-1)!);
    let vector = this.choices.below(4);
    for (const [index, value] of wanted.entries()) {
      if (this.scope.values.includes(value))
        this.emit(`st_var v${vector}.${COMPONENTS[index & 3]}, ${value.name}`);
      if ((index & 3) === 3) vector++;
    }
    for (const name of this.scope.registers) {
      if (!this.counters.has(name) && !this.shape.isFragment && this.chance(6))
        this.storeVarying(this.load(name));
    }
  }

  private emit(line: string): void {
    this.lines.push(`  ${line}`);
  }

  private fresh(prefix: string): string {
    return `${prefix}${this.names++}`;
  }

  /** True for about `n` of 16, false where the choices have run out. */
  private chance(n: number): boolean {
    return this.choices.below(16) >= 16 - n;
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.choices.below(items.length)];
  }

  private define(text: string, size: number): Value {
    const value = { name: `%${this.fresh('v')}`, size };
    this.emit(`${value.name} = ${text}`);
    this.scope.values.push(value);
    this.unread.push(value);
    return value;
  }

  // -- operands

  private location(): string {
    const kind = this.choices.below(3);
    const component = this.pick([...COMPONENTS]);
    if (kind === 2 && this.scope.temporaries.size > 0) return this.pick([...this.scope.temporaries]);
    return kind === 1 ? `a${this.choices.below(3)}.${component}` : `u${this.choices.below(5)}.${component}`;
  }

  /** A value in scope, a recent one by preference; loads one where there is none. */
  private value(): Value {
    const { values } = this.scope;
    if (values.length === 0) return this.load(this.location());
    const value = values[values.length - 1 - this.choices.below(Math.min(values.length, this.shape.reach))];
    const position = this.unread.indexOf(value);
    if (position >= 0) this.unread.splice(position, 1);
    return value;
  }

  private operand(): { text: string; size: number } {
    const kind = this.choices.below(16);
    const sign = this.chance(this.shape.negated) ? '-' : '';
    if (kind === 15) return { text: this.pick(NUMBERS), size: 7 };
    if (kind === 14) return { text: sign + this.location(), size: 3 };
    const registers = [...this.scope.registers];
    if (kind === 13 && registers.length > 0) return { text: sign + this.pick(registers), size: 12 };
    const value = this.value();
    return { text: sign + value.name, size: value.size };
  }

  private load(from: string): Value {
    if (from.startsWith('@') || from.startsWith('$')) return this.define(`ld_reg ${from}`, 12);
    const operation = { a: 'ld_att', u: 'ld_uni', t: 'ld_tmp' }[from[0]] ?? 'mov';
    return this.define(`${operation} ${from}`, 3);
  }

  private registerName(): string {
    const kind = this.choices.below(8);
    if (kind >= 6) return `$${this.pick([0, 3, 15, 1])}.${this.pick([...COMPONENTS])}`;
    return `@${this.pick(['a', 'b', 'c', 'd', 'e', 'f'])}`;
  }

  /** Something to compare with 0. */
  private condition(): string {
    if (this.chance(3)) return this.value().name;
    const compared = this.define(
      `${this.pick(COMPARISONS)} ${this.operand().text}, ${this.operand().text}`,
      0,
    );
    if (!this.chance(3)) return compared.name;
    return this.define(`not ${compared.name}`, 0).name;
  }

  // -- statements

  private region(statements: number, depth: number): void {
    while (this.left > 0 && this.choices.below(statements + 1) > 0) {
      this.left--;
      this.statement(depth);
    }
  }

  private statement(depth: number): void {
    const weights = Object.entries(this.shape.weights) as [StatementKind, number][];
    let ticket = this.choices.below(weights.reduce((sum, [, weight]) => sum + weight, 0));
    const [kind] = weights.find(([, weight]) => (ticket -= weight) < 0) ?? weights[0];
    switch (kind) {
      case 'arithmetic':
        return this.arithmetic();
      case 'special':
        return this.special();
      case 'sequence':
        return this.sequence();
      case 'load':
        return void this.load(this.location());
      case 'varying':
        return this.storeVarying(this.value());
      case 'storeRegister':
        return this.storeRegister();
      case 'loadRegister':
        return this.scope.registers.size > 0
          ? void this.load(this.pick([...this.scope.registers]))
          : undefined;
      case 'temporary':
        return this.temporary();
      default:
        return depth < 3 ? this.control(kind, depth + 1) : this.arithmetic();
    }
  }

  private arithmetic(): void {
    const kind = this.choices.below(16);
    if (kind >= 14) {
      const [condition, a, b] = [this.operand(), this.operand(), this.operand()];
      this.define(`select ${condition.text}, ${a.text}, ${b.text}`, Math.max(a.size, b.size));
      return;
    }
    if (kind >= 11) {
      const { text, size } = this.operand();
      this.define(`${this.pick(UNARY)} ${text}`, size);
      return;
    }
    const operation = this.pick(BINARY);
    const [a, b] = [this.operand(), this.operand()];
    const size = operation === 'mul' ? a.size + b.size : Math.max(a.size, b.size) + 1;
    const value = this.define(
      `${operation} ${a.text}, ${b.text}`,
      COMPARISONS.includes(operation) ? 0 : size,
    );
    if (value.size > LARGE) this.bounded(value, 8);
  }

  /** `value` within plus and minus 2^size. */
  private bounded(value: { text: string } | Value, size: number): Value {
    const limit = String(2 ** size);
    const below = this.define(`min ${'name' in value ? value.name : value.text}, ${limit}`, LARGE);
    return this.define(`max ${below.name}, -${limit}`, size);
  }

  private positive(): Value {
    const operand = this.operand();
    if (this.chance(1)) return this.define(`mov ${operand.text}`, operand.size);
    if (this.chance(6)) return this.define(`max ${operand.text}, 0.25`, operand.size);
    const magnitude = this.define(`abs ${operand.text}`, operand.size);
    return this.define(`add ${magnitude.name}, 0.5`, operand.size + 1);
  }

  private special(): void {
    const operation = this.pick(['rcp', 'rsqrt', 'exp2', 'log2', 'exp', 'log', 'exp2', 'rcp']);
    const sign = this.chance(this.shape.negated >> 1) && operation.startsWith('e') ? '-' : '';
    const argument = operation.startsWith('e') ? this.bounded(this.operand(), 3) : this.positive();
    this.define(`${operation} ${sign}${argument.name}`, 11);
  }

  /** A special function as its author spells it out. */
  private sequence(): void {
    const operation = this.pick(['rcp', 'rsqrt', 'exp2', 'log2']);
    let argument = (operation === 'exp2' ? this.bounded(this.operand(), 3) : this.positive()).name;
    const step = (text: string): string => {
      const name = `%${this.fresh('s')}`;
      this.emit(`${name} = ${text}`);
      return name;
    };
    if (operation === 'exp2') argument = step(`preexp2 ${argument}`);
    const square = step(`complex2 ${argument}`);
    const guess = step(`${operation}_impl ${argument}`);
    const result = `complex1 ${guess}, ${square}, ${argument}`;
    this.define(operation === 'log2' ? `postlog2 ${step(result)}` : result, 11);
  }

  private storeVarying(value: Value): void {
    const place = this.choices.below(16);
    this.emit(`st_var v${place >> 2}.${COMPONENTS[place & 3]}, ${value.name}`);
  }

  private storeRegister(): void {
    const name = this.registerName();
    if (this.counters.has(name)) return;
    const value = this.value();
    this.emit(`st_reg ${name}, ${value.size > 12 ? this.bounded(value, 8).name : value.name}`);
    this.scope.registers.add(name);
    this.writtenRegisters.add(name);
  }

  private temporary(): void {
    const place = this.choices.below(12);
    const name = `t${place >> 2}.${COMPONENTS[place & 3]}`;
    if (this.scope.temporaries.has(name) && this.chance(9)) return void this.load(name);
    const value = this.value();
    this.emit(`st_tmp ${name}, ${value.size > 12 ? this.bounded(value, 8).name : value.name}`);
    this.scope.temporaries.add(name);
  }

  // -- control flow

  /** Writes a region whose definitions end with it. */
  private inner(statements: number, depth: number): Scope {
    const outer = this.scope;
    this.scope = {
      values: [...outer.values],
      registers: new Set(outer.registers),
      temporaries: new Set(outer.temporaries),
    };
    this.region(statements, depth);
    const reached = this.scope;
    this.scope = outer;
    this.unread = this.unread.filter((value) => outer.values.includes(value));
    return reached;
  }

  private control(kind: StatementKind, depth: number): void {
    const statements = Math.max(2, this.shape.statements >> 1);
    switch (kind) {
      case 'if':
        return this.if(statements, depth);
      case 'ifElse':
        return this.ifElse(statements, depth);
      case 'repeat':
        return this.repeat(statements, depth);
      default:
        return this.while(statements, depth);
    }
  }

  private label(name: string): void {
    this.lines.push(`${name}:`);
  }

  private if(statements: number, depth: number): void {
    const end = this.fresh('end');
    this.emit(`branch_cond ${end}, ${this.condition()}`);
    this.label(this.fresh('then'));
    this.inner(statements, depth);
    this.label(end);
  }

  private ifElse(statements: number, depth: number): void {
    const [taken, end] = [this.fresh('taken'), this.fresh('end')];
    this.emit(`branch_cond ${taken}, ${this.condition()}`);
    const other = this.fresh('other');
    // both branches spelt out, the second one to the next block
    if (this.chance(4)) this.emit(`branch ${other}`);
    this.label(other);
    const first = this.inner(statements, depth);
    this.emit(`branch ${end}`);
    this.label(taken);
    const second = this.inner(statements, depth);
    this.label(end);
    for (const name of first.registers) if (second.registers.has(name)) this.scope.registers.add(name);
    for (const name of first.temporaries) if (second.temporaries.has(name)) this.scope.temporaries.add(name);
  }

  private counter(): string {
    const name = `@${this.fresh('count')}`;
    this.counters.add(name);
    this.emit(`st_reg ${name}, 0`);
    return name;
  }

  /** Runs the body 1 to 4 times; what it defines dominates what follows. */
  private repeat(statements: number, depth: number): void {
    const counter = this.counter();
    const head = this.fresh('repeat');
    this.label(head);
    this.region(statements, depth);
    const passes = this.define(`add ${counter}, 1`, 3);
    this.emit(`st_reg ${counter}, ${passes.name}`);
    this.emit(
      `branch_cond ${head}, ${this.define(`lt ${passes.name}, ${1 + this.choices.below(4)}`, 0).name}`,
    );
    this.label(this.fresh('after'));
  }

  /** Runs the body 0 to 3 times, leaves it in the middle now and then. */
  private while(statements: number, depth: number): void {
    const counter = this.counter();
    const [head, out] = [this.fresh('while'), this.fresh('out')];
    this.label(head);
    const passes = this.define(`ld_reg ${counter}`, 3);
    this.emit(`branch_cond ${out}, ${this.define(`ge ${passes.name}, ${this.choices.below(4)}`, 0).name}`);
    this.label(this.fresh('body'));
    const outer = this.scope;
    this.scope = {
      values: [...outer.values],
      registers: new Set(outer.registers),
      temporaries: new Set(outer.temporaries),
    };
    this.region(statements, depth);
    if (this.chance(4)) {
      this.emit(`branch_cond ${out}, ${this.condition()}`);
      this.label(this.fresh('on'));
    }
    this.emit(`st_reg ${counter}, ${this.define(`add ${passes.name}, 1`, 3).name}`);
    this.emit(`branch ${head}`);
    this.label(out);
    this.scope = outer;
    this.unread = this.unread.filter((value) => outer.values.includes(value));
  }
}
