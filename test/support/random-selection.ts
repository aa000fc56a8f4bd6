import fc from 'fast-check';
import type { Program } from '../../server/src/targets/gen/program.js';
import { blocksOf } from './gen-machine.js';
import { listing, selection } from './gen-programs.js';

/**
 * Random selection programs that the interpreter can execute: structured control flow with loops that end, messages,
 * bools as flags and as registers, uniform and narrow registers, 64-bit moves, halves in SIMD16. Everything that is
 * read has been written before, and all dwords are stored at the end.
 */
export interface RandomSelectionOptions {
  readonly width: 8 | 16;
  readonly dwords: number;
  /** Statements at each level. */
  readonly statements: number;
  readonly depth: number;
}

type Statement =
  | { readonly kind: 'plain'; readonly pick: readonly number[] }
  | {
      readonly kind: 'branch';
      readonly pick: readonly number[];
      readonly then: Statement[];
      readonly otherwise: Statement[];
    }
  | { readonly kind: 'loop'; readonly pick: readonly number[]; readonly body: Statement[] };

const picks = fc.array(fc.nat(9999), { minLength: 6, maxLength: 6 });

function statements({ statements: length, depth }: RandomSelectionOptions): fc.Arbitrary<Statement[]> {
  const plain = picks.map((pick): Statement => ({ kind: 'plain', pick }));
  const of = (level: number): fc.Arbitrary<Statement[]> => {
    if (level === 0) return fc.array(plain, { minLength: 1, maxLength: length });
    const inner = of(level - 1);
    const branch = fc
      .tuple(picks, inner, fc.oneof(fc.constant<Statement[]>([]), inner))
      .map(([pick, then, otherwise]): Statement => ({ kind: 'branch', pick, then, otherwise }));
    const loop = fc.tuple(picks, inner).map(([pick, body]): Statement => ({ kind: 'loop', pick, body }));
    return fc.array(
      fc.oneof(
        { weight: 6, arbitrary: plain },
        { weight: 1, arbitrary: branch },
        { weight: 1, arbitrary: loop },
      ),
      { minLength: 1, maxLength: length },
    );
  };
  return of(depth);
}

export const randomSelection = (options: RandomSelectionOptions): fc.Arbitrary<Program> =>
  statements(options).map((list) => new Writer(options).program(list));

class Writer {
  private readonly lines: string[] = [];
  private counters = 0;
  private temporaries = 0;
  private readonly dwords: readonly string[];

  constructor(private readonly options: RandomSelectionOptions) {
    this.dwords = Array.from({ length: options.dwords }, (_, k) => `d${k}`);
  }

  program(list: readonly Statement[]): Program {
    const { width } = this.options;
    const step = width / 8;
    this.dwords.forEach((name, k) => this.add(`add ${name} = g${1 + step * (k % 4)} ${k}`));
    this.add(`mov addr = g${1 + 4 * step}`);
    for (const name of ['q0', 'q1']) this.add(`mov ${name}:UQ = d0`);
    for (const name of ['w0', 'w1']) this.add(`mov ${name}:UW = d1:UW<2>`.replace('d1:UW<2>', 'd1<2>:UW'));
    for (const name of ['u0', 'u1']) this.add(`mov(1) ${name} = g1<0> !nomask`);
    this.add(`add d0 = in0 in1`);
    this.add(`add d1 = d1 inu:UW`);
    for (const name of ['p', 'q', 'r', 's', 't'])
      this.add(`cmp.l.${name} null:D = d0:D ${name.charCodeAt(0)}:D`);
    list.forEach((statement) => this.statement(statement));
    for (let k = 0; k + 2 < this.dwords.length; k += 3)
      this.add(`untyped_write = addr d${k} d${k + 1} d${k + 2} ${k}`);
    for (const name of ['q0', 'q1']) this.add(`untyped_write = addr ${name} 100`.replace(name, 'd0'));
    const head = [
      `dword in0 in1 in2 addr ${this.dwords.join(' ')}`,
      'uniform word inu',
      'bool inp',
      `dword ${Array.from({ length: this.counters }, (_, k) => `n${k} on${k}`).join(' ')}`,
      `dword ${Array.from({ length: this.temporaries }, (_, k) => `t${k}`).join(' ')}`,
      'qword q0 q1',
      'word w0 w1',
      'uniform dword u0 u1',
      'bool p q r s t',
    ];
    const { program } = selection([...head, ...this.lines].join('\n'), { width, firstFree: 1 + 5 * step });
    const made = { ...program, ...blocksOf(program.instructions) };
    // a failing property shows the text
    return Object.assign(made, { [fc.toStringMethod]: () => listing(made).join('\n') });
  }

  private add(line: string): void {
    this.lines.push(line);
  }

  private statement(statement: Statement): void {
    const [a] = statement.pick;
    const flag = 'pqrst'[a % 5];
    const sign = statement.pick[1] % 2 ? '+' : '-';
    if (statement.kind === 'plain') this.plain(statement.pick);
    else if (statement.kind === 'branch') {
      this.add(`(${sign}${flag}) if`);
      statement.then.forEach((each) => this.statement(each));
      if (statement.otherwise.length > 0) {
        this.add('else');
        statement.otherwise.forEach((each) => this.statement(each));
      }
      this.add('endif');
    } else {
      const counter = `n${this.counters++}`;
      this.add(`and ${counter} = ${this.dword(statement.pick[2])} 3`);
      this.add('do');
      statement.body.forEach((each) => this.statement(each));
      // leaves the loop with the lanes, in different iterations
      const last = `o${counter}`;
      this.add(`add ${last} = ${this.dword(statement.pick[3])} ${this.dword(statement.pick[4])}`);
      this.add(`add ${counter}:D = ${counter}:D -1:D`);
      this.add(`cmp.g.${flag} null:D = ${counter}:D 0:D`);
      this.add(`(+${flag}) while`);
      const user = this.dword(statement.pick[5]);
      this.add(`add ${user} = ${last} ${user}`);
    }
  }

  private dword(pick: number): string {
    return this.dwords[pick % this.dwords.length];
  }

  private plain([what, x, y, z, f, n]: readonly number[]): void {
    const [a, b, c] = [x, y, z].map((pick) => this.dword(pick));
    const flag = 'pqrst'[f % 5];
    const other = 'pqrst'[n % 5];
    const fresh = (): string => `t${this.temporaries++}`;
    const [t, u] = [fresh(), fresh()];
    const shapes: readonly string[][] = [
      [`add ${t} = ${a} ${b}`, `xor ${u} = ${t} ${c}`, `add ${a} = ${u} ${t}`],
      [`mov ${t} = ${a}`, `mov ${u} = ${t}`, `mov ${a} = ${u}`],
      [`add ${a} = ${b} ${c}`],
      [`xor ${a} = ${b} ${c}`],
      [`mov ${a} = ${b}`],
      [`add ${a} = ${a} ${n}`],
      [`mad ${a}:D = ${a}:D ${b}:D ${c}:D`],
      [`(+${flag}) mov ${a} = ${b}`],
      [`(-${flag}) add ${a} = ${b} ${c}`],
      [`(+${flag}) sel ${a} = ${b} ${c}`],
      [`cmp.l.${flag} null:D = ${a}:D ${b}:D`],
      [`(+${other}) cmp.ge.${flag} null:D = ${a}:D ${b}:D`],
      [`and ${flag}:UW = ${flag}:UW ${other}:UW`],
      [`untyped_read ${a} ${b === a ? 'addr' : b} = ${c} 1`.replace(' addr =', ' ='), `and addr = ${c} 60`],
      [`untyped_write = addr ${a} ${b} 2`],
      [`untyped_write = addr u${n % 2} 3`],
      [`add ${a} = ${b} u${n % 2}`],
      [`(+inp) add ${a} = ${b} in2`],
      [`untyped_write = in2 ${a} 4`],
      [`mov(1) u${n % 2} = ${a}<0> !nomask`],
      [`mov q${n % 2}:UQ = ${a}`],
      [`mov q${n % 2}:UQ = q${f % 2}:UQ`],
      [`mov ${a} = q${n % 2}<2>`],
      [`mov w${n % 2}:UW = ${a}<2>:UW`],
      [`add ${a} = ${b} w${n % 2}:UW`],
      [`add(1) ${a} = ${b}<0> ${c}<0>`],
    ];
    const halves: readonly string[][] = [
      [`add(8) ${a} = ${b} ${c}`, `xor(8) ${a}+32 = ${b}+32 ${c}+32 !group8`],
      [`mov(8) ${a}+32 = ${b}+32 !group8`],
    ];
    const list = this.options.width === 16 ? [...shapes, ...halves] : shapes;
    for (const line of list[what % list.length]) this.add(line);
  }
}
