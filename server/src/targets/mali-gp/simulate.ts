/**
 * Executes instruction words as the geometry processor does, with its timing. There is no register operand: a
 * value is reachable for two words through the bypass network (results of the complex unit for one, of complex1 in
 * the second word only), or through the two read ports. A word reads its ports, all units compute at once, the
 * stores are written, the branch is taken.
 *
 * What the machine leaves undefined is a fault and ends the run: an idle unit, an unloaded port, anything from
 * beyond the block's start, a register less than 3 words or a temporary less than 4 after its store. Machine facts:
 * public source of Mesa's lima compiler, measured over its output; temporaries are a model. What a word may hold is
 * not asked here but in rules.ts.
 */
import { arithmetic, type Arithmetic } from './arithmetic.js';
import { executePiece, isSequenceOperation, unfinishedUse, type Computed } from './unfinished.js';
import {
  Unit,
  UNITS,
  unitNames,
  type CompiledProgram,
  type Source,
  type StoreHalf,
  type UniformPort,
  type UnitWork,
  type Word,
} from './word.js';

/** Words from the store of a register to the first that may read it. */
export const REGISTER_LATENCY = 3;
/** The same for a temporary, and from setting an address register to its use in a load. */
export const TEMPORARY_LATENCY = 4;

/** What the machine finds when it starts; scalars by `4 * vector + component`. */
export interface MachineInputs {
  readonly attributes: ArrayLike<number>;
  readonly uniforms: ArrayLike<number>;
  /** Registers that hold something at the start. */
  readonly registers?: ReadonlyMap<number, number>;
}

export interface Fault {
  readonly word: number;
  /** Absent where no unit is at fault. */
  readonly unit?: Unit;
  /** In words, place included: `word 12, add0: source 2 reads mul1 of word 11, which idles there`. */
  readonly message: string;
}

export interface MachineRun {
  /** It left the program, executed `steps` words and had not, or did what the machine does not define. */
  readonly end: 'left' | 'limit' | 'fault';
  readonly fault?: Fault;
  /** Words executed. */
  readonly steps: number;
  /** Varyings stored, by `4 * vector + component`. */
  readonly varyings: ReadonlyMap<number, number>;
  /** Registers that hold something at the end. */
  readonly registers: ReadonlyMap<number, number>;
}

/** Runs at most `steps` words. Takes any words whatever; never throws. */
export function simulate(program: CompiledProgram, inputs: MachineInputs, steps: number): MachineRun {
  return new Machine(program, inputs).run(steps);
}

/** A scalar in a register or temporary, and the step that stored it. */
interface Cell {
  readonly value: number;
  readonly step: number;
}

/** What read port 0 carried in a word: registers as they were before the word's stores. */
interface PortZero {
  readonly step: number;
  readonly isAttribute: boolean;
  readonly vector: number;
  readonly cells: readonly (Cell | undefined)[];
}

const BEFORE = -Infinity;

const numeric: ReadonlyMap<string, Arithmetic> = new Map(Object.entries(arithmetic));

const after = (value: number | string): number | string => (typeof value === 'string' ? `, ${value}` : value);

class Machine {
  private readonly starts: ReadonlySet<number>;
  private readonly constants: ReadonlyMap<number, number>;
  private readonly registers = new Map<number, Cell>();
  private readonly temporaries = new Map<number, Cell>();
  /** addr0 for stores, addr1 to addr3 for loads. */
  private readonly addresses: (Cell | undefined)[] = [];
  private readonly varyings = new Map<number, number>();
  /** Results by unit, of this word and the two before it in its block. */
  private results: (Computed | undefined)[] = [];
  private previous: (Computed | undefined)[] = [];
  private beforePrevious: (Computed | undefined)[] = [];
  private portZero: PortZero | undefined;
  private previousPortZero: PortZero | undefined;
  /** Words of the block that were executed before this one. */
  private age = 0;
  private pc = 0;
  private step = 0;
  private fault: Fault | undefined;

  constructor(
    private readonly program: CompiledProgram,
    private readonly inputs: MachineInputs,
  ) {
    this.starts = new Set(program.blocks.map(({ start }) => start));
    this.constants = new Map(program.constants.map((c) => [4 * c.vector + c.component, c.value]));
    for (const [place, value] of inputs.registers ?? []) this.registers.set(place, { value, step: BEFORE });
  }

  run(limit: number): MachineRun {
    const { words } = this.program;
    while (this.pc < words.length && this.fault === undefined && this.step < limit) this.word(words[this.pc]);
    return {
      end: this.fault !== undefined ? 'fault' : this.pc < words.length ? 'limit' : 'left',
      ...(this.fault !== undefined && { fault: this.fault }),
      steps: this.step,
      varyings: this.varyings,
      registers: new Map(Array.from(this.registers, ([place, { value }]) => [place, value])),
    };
  }

  private word(word: Word): void {
    if (this.starts.has(this.pc)) this.age = 0;
    this.step++;
    this.results = new Array<Computed | undefined>(UNITS).fill(undefined);
    this.portZero = this.loadPortZero(word);
    if (word.uniform?.kind === 'temporary') this.checkTemporary(word.uniform);
    for (let unit: Unit = 0; unit < UNITS && this.fault === undefined; unit++) {
      const work = word.units[unit];
      if (work !== undefined) this.results[unit] = this.compute(word, unit, work);
    }
    for (let half = 0; half < 2 && this.fault === undefined; half++) {
      const store = half === 0 ? word.xy : word.zw;
      if (store !== undefined) this.store(word, store, 2 * half);
    }
    if (this.fault !== undefined) return;
    const next = this.next(word);
    this.beforePrevious = this.previous;
    this.previous = this.results;
    this.previousPortZero = this.portZero;
    this.age++;
    if (next !== this.pc + 1) this.age = 0;
    this.pc = next;
  }

  private fail(message: string, unit?: Unit): undefined {
    const where = unit === undefined ? `word ${this.pc}` : `word ${this.pc}, ${unitNames[unit]}`;
    this.fault ??= {
      word: this.pc,
      ...(unit !== undefined && { unit }),
      message: `${where}: ${message}`,
    };
    return undefined;
  }

  // Ports

  private loadPortZero({ reg0 }: Word): PortZero | undefined {
    if (reg0 === undefined) return undefined;
    const isAttribute = reg0.kind === 'attribute';
    const cells = [0, 1, 2, 3].map((component): Cell | undefined => {
      const place = 4 * reg0.vector + component;
      if (!isAttribute) return this.registers.get(place);
      const value: number | undefined = this.inputs.attributes[place];
      return value === undefined ? undefined : { value, step: BEFORE };
    });
    return { step: this.step, isAttribute, vector: reg0.vector, cells };
  }

  private readPortZero(port: PortZero | undefined, component: number): number | string {
    if (port === undefined) return 'which loads nothing';
    const cell = port.cells[component];
    if (port.isAttribute) return cell?.value ?? `attribute a${port.vector}, which does not exist`;
    return registerValue(cell, 4 * port.vector + component, port.step);
  }

  private readUniform(port: UniformPort | undefined, component: number): number | string {
    if (port === undefined) return 'which loads nothing';
    if (port.kind === 'constants') return port.values[component] ?? 'which loads no constant there';
    const vector = this.addressed(port);
    if (typeof vector === 'string') return vector;
    const place = 4 * vector + component;
    if (port.kind === 'temporary')
      return this.temporaries.get(place)?.value ?? `${scalar('t', place)}, which was never stored`;
    if (vector < this.program.uniforms)
      return this.inputs.uniforms[place] ?? `${scalar('u', place)}, which has no value`;
    return (
      this.constants.get(place) ??
      `${scalar('u', place)}, which is neither a uniform nor a constant of the program`
    );
  }

  /** The vector that a port loads, its address register added. */
  private addressed(port: Exclude<UniformPort, { kind: 'constants' }>): number | string {
    if (port.offset === undefined) return port.vector;
    const address = this.addresses[port.offset];
    if (address === undefined) return `addr${port.offset}, which was never set`;
    if (this.step - address.step < TEMPORARY_LATENCY)
      return `addr${port.offset} ${late(this.step - address.step, 'it was set', TEMPORARY_LATENCY)}`;
    return port.vector + Math.trunc(address.value);
  }

  private checkTemporary(port: Extract<UniformPort, { kind: 'temporary' }>): void {
    const vector = this.addressed(port);
    if (typeof vector === 'string') return;
    for (let place = 4 * vector; place < 4 * vector + 4; place++) {
      const distance = this.step - (this.temporaries.get(place)?.step ?? BEFORE);
      if (distance < TEMPORARY_LATENCY)
        this.fail(`loads ${scalar('t', place)} ${late(distance, 'its store', TEMPORARY_LATENCY)}`);
    }
  }

  // Units

  private compute(word: Word, unit: Unit, work: UnitWork): Computed | undefined {
    const { op } = work;
    const operands: Computed[] = [];
    for (let k = 0; k < work.sources.length; k++) {
      const operand = this.operand(word, unit, work, k);
      if (operand === undefined) return undefined;
      operands.push(operand);
    }
    if (operands.length < (op === 'complex1' ? 3 : 1)) return this.fail(`${op} lacks a source`, unit);
    const operation = numeric.get(op);
    if (operation === undefined && isSequenceOperation(op)) {
      const result = executePiece(op, operands);
      return typeof result === 'string' ? this.fail(result, unit) : result;
    }
    for (const operand of operands)
      if (typeof operand !== 'number') return this.fail(unfinishedUse(op, operand), unit);
    const numbers = operands as number[];
    if (operation !== undefined) {
      const result = operation(numbers[0], numbers[1], numbers[2]);
      return work.negate ? -result : result;
    }
    this.addresses[op === 'store_addr' ? 0 : Number(op.slice(-1))] = { value: numbers[0], step: this.step };
    return undefined;
  }

  private operand(word: Word, unit: Unit, { op, sources }: UnitWork, k: number): Computed | undefined {
    const source = sources[k];
    const value = this.read(word, source, op);
    if (typeof value === 'string')
      return this.fail(`source ${k + 1} reads ${sourceText(source, this.pc)}${value}`, unit);
    if (!source.negate) return value;
    return typeof value === 'number' ? -value : this.fail(unfinishedUse('a negation', value), unit);
  }

  /** The value, or the rest of the sentence "source 1 reads ...". */
  private read(word: Word, source: Source, op: string): Computed | string {
    switch (source.from) {
      case 'unit':
        return this.bypass(source.unit, source.distance);
      case 'reg0':
        if (source.distance === 0) return after(this.readPortZero(this.portZero, source.component));
        if (this.age < 1) return ', which is in another block';
        return after(this.readPortZero(this.previousPortZero, source.component));
      case 'reg1': {
        if (word.reg1 === undefined) return ', which loads nothing';
        const place = 4 * word.reg1 + source.component;
        return after(registerValue(this.registers.get(place), place, this.step));
      }
      case 'uniform':
        return after(this.readUniform(word.uniform, source.component));
      case 'identity':
        return op === 'mul' ? 1 : 0;
    }
  }

  private bypass(unit: Unit, distance: number): Computed | string {
    if (this.age < distance) return ', which is in another block';
    const value = distance === 1 ? this.previous[unit] : this.beforePrevious[unit];
    if (value === undefined) return ', which has no result there';
    if (unit === Unit.Complex && distance !== 1) return ': a result of the complex unit lives for one word';
    const producer = this.program.words[this.pc - distance].units[unit];
    if (producer?.op === 'complex1' && distance !== 2)
      return ': a result of complex1 is there in the second word after it, not in the first';
    return value;
  }

  // Stores and the branch

  private store(word: Word, { kind, vector, units }: StoreHalf, first: number): void {
    for (let k = 0; k < 2; k++) {
      const unit = units[k];
      if (unit === -1) continue;
      const place = 4 * vector + first + k;
      const value = this.results[unit];
      const fail = (why: string): undefined =>
        this.fail(`stores ${unitNames[unit]} in ${scalar(storePrefixes[kind], place)}${why}`);
      if (value === undefined) fail(', which has no result in this word');
      else if (word.units[unit]?.op === 'complex1')
        fail(': a result of complex1 cannot be stored in its own word');
      else if (typeof value !== 'number') fail(`: ${unfinishedUse('a store', value)}`);
      else if (kind === 'varying') this.varyings.set(place, value);
      else if (kind === 'register') this.registers.set(place, { value, step: this.step });
      else this.storeTemporary(place, value);
    }
  }

  private storeTemporary(place: number, value: number): void {
    const address = this.addresses[0]?.value;
    if (address === undefined) this.fail(`stores ${scalar('t', place)}, but no store address was ever set`);
    else if (address !== place >> 2)
      this.fail(`stores ${scalar('t', place)}, but the address register holds ${address}`);
    else this.temporaries.set(place, { value, step: this.step });
  }

  private next({ branch }: Word): number {
    if (branch === undefined) return this.pc + 1;
    const condition = this.results[Unit.Pass];
    const target = this.program.blocks[branch]?.start;
    if (typeof condition !== 'number') this.fail('branches on pass, which has no number in this word');
    else if (target === undefined) this.fail(`branches to block ${branch}, which does not exist`);
    else if (condition !== 0) return target;
    return this.pc + 1;
  }
}

export const storePrefixes = { varying: 'v', register: '$', temporary: 't' } as const;

/** `$3.x` for place 12. */
export const scalar = (prefix: string, place: number): string =>
  `${prefix}${place >> 2}.${'xyzw'[place & 3]}`;

const late = (distance: number, what: string, latency: number): string =>
  `${distance} ${distance === 1 ? 'word' : 'words'} after ${what}; at least ${latency} are needed`;

function registerValue(cell: Cell | undefined, place: number, step: number): number | string {
  if (cell === undefined) return `${scalar('$', place)}, which was never written`;
  const distance = step - cell.step;
  if (distance >= REGISTER_LATENCY) return cell.value;
  return `${scalar('$', place)} ${late(distance, 'its store', REGISTER_LATENCY)}`;
}

/** What a source names, read in word `at`. */
export function sourceText(source: Source, at: number): string {
  const component = 'component' in source ? `.${'xyzw'[source.component] ?? '?'}` : '';
  switch (source.from) {
    case 'unit':
      return `${unitNames[source.unit]} of word ${at - source.distance}`;
    case 'reg0':
      return `reg0${component} of word ${at - source.distance}`;
    default:
      return `${source.from}${component}`;
  }
}
