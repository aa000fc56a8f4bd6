/**
 * Executes the source program, instruction by instruction as the text says: the meaning that compiled code must
 * have. Numbers are float32 (arithmetic.ts). What was never written is undefined, and what is computed from it; the
 * pieces of special functions are no numbers until `complex1` or `postlog2` ends their sequence.
 */
import { blockOf, type Function } from '../../ir/function.js';
import { interpret, LEAVE, NEXT, type Run, type Semantics } from '../../ir/interpret.js';
import { bitsToFloat, componentOf, isNegated, Space, spaceOf, vectorOf } from '../../ir/payload.js';
import { isPhysical, isVirtual, NoRegister, physicalIndex } from '../../ir/place.js';
import { arithmetic, isArithmetic, type Arithmetic } from './arithmetic.js';
import { scalar } from './simulate.js';
import { executePiece, isSequenceOperation, type Computed } from './unfinished.js';

export interface SourceInputs {
  /** Scalars by `4 * vector + component`; what is not there is undefined. */
  readonly attributes: ArrayLike<number>;
  readonly uniforms: ArrayLike<number>;
  /** Registers that hold something at the start, as the source writes them: `@acc`, `$3.x`. */
  readonly registers?: ReadonlyMap<string, number>;
}

export interface SourceRun extends Run {
  /** Varyings stored, by `4 * vector + component`; undefined where that is what was stored. */
  readonly varyings: ReadonlyMap<number, number | undefined>;
  /** Registers of `.live_out` at the end, as the source writes them. */
  readonly liveOut: ReadonlyMap<string, number | undefined>;
  /** Some result was NaN: operations that only differ there are all correct. */
  readonly meetsNaN: boolean;
  /** Something was computed or stored from what was never written. */
  readonly meetsUndefined: boolean;
}

/** Runs at most `steps` instructions; never throws. */
export function runSource(f: Function, inputs: SourceInputs, steps: number): SourceRun {
  const machine = sourceMachine(f, inputs);
  const run = interpret(f, machine, { steps });
  const { varyings, liveOut, meetsNaN, meetsUndefined } = machine;
  return { ...run, varyings, liveOut, meetsNaN, meetsUndefined };
}

export interface SourceMachine extends Semantics {
  readonly varyings: ReadonlyMap<number, number | undefined>;
  readonly liveOut: ReadonlyMap<string, number | undefined>;
  readonly meetsNaN: boolean;
  readonly meetsUndefined: boolean;
}

/**
 * The state of one run. Values stand in a table of its own and not in the interpreter's registers, which hold bits,
 * because not all values are numbers.
 */
function sourceMachine(f: Function, inputs: SourceInputs): SourceMachine {
  return new State(f, inputs);
}

type Value = Computed | undefined;

class State implements SourceMachine {
  readonly varyings = new Map<number, number | undefined>();
  readonly liveOut = new Map<string, number | undefined>();
  meetsNaN = false;
  meetsUndefined = false;
  /** By virtual register. */
  private readonly values: Value[] = [];
  /** By physical register, `4 * vector + component`. */
  private readonly physical: Value[] = [];
  private readonly temporaries = new Map<number, Value>();
  private readonly payload: Int32Array;

  constructor(
    private readonly f: Function,
    private readonly inputs: SourceInputs,
  ) {
    this.payload = f.operandPayload ?? new Int32Array(f.operandPlace.length);
  }

  execute(i: number): number | string {
    const { f } = this;
    const op = f.opcodes.text(f.opcode[i]);
    const first = f.operandStart[i];
    const count = f.operandStart[i + 1] - first;
    switch (op) {
      case 'entry':
        for (let o = first; o < first + count; o++)
          this.write(o, this.inputs.registers?.get(registerName(f, o)));
        return NEXT;
      case 'live_out':
        for (let o = first; o < first + count; o++)
          this.liveOut.set(registerName(f, o), numberOf(this.plain(o)));
        return i + 1 === f.instructionCount ? LEAVE : NEXT;
      case 'branch':
        return 0;
      case 'branch_cond':
        return this.branch(i, count < 2 ? undefined : this.read(first + 1));
      case 'const':
      case 'mov':
        return this.move(first, count);
      default:
        if (op.startsWith('ld_') || op.startsWith('st_')) return this.move(first, count);
        return this.compute(op, first, count);
    }
  }

  private move(first: number, count: number): number {
    if (count >= 2) this.write(first, this.read(first + 1));
    return NEXT;
  }

  private compute(op: string, first: number, count: number): number | string {
    if (op === 'select') {
      const [condition, whereTrue, whereFalse] = [1, 2, 3].map((k) =>
        k < count ? this.read(first + k) : undefined,
      );
      const isKnown = typeof condition === 'number';
      this.write(first, isKnown ? (condition !== 0 ? whereTrue : whereFalse) : undefined);
      return NEXT;
    }
    const operands: Computed[] = [];
    for (let o = first + 1; o < first + count; o++) {
      const value = this.read(o);
      if (value !== undefined) operands.push(value);
    }
    const isComplete = operands.length === count - 1;
    if (isSequenceOperation(op)) {
      const result = isComplete ? executePiece(op, operands) : undefined;
      if (typeof result === 'string') return result;
      this.write(first, result);
      return NEXT;
    }
    if (!isArithmetic(op)) return `no meaning is known of '${op}'`;
    const numbers = operands.filter((value) => typeof value === 'number');
    const operation: Arithmetic = arithmetic[op];
    const isDefined = isComplete && numbers.length === operands.length;
    this.write(first, isDefined ? operation(numbers[0], numbers[1], numbers[2]) : undefined);
    return NEXT;
  }

  /** The successor of a taken branch is the last in its block's list; behind the last block the program ends. */
  private branch(i: number, condition: Value): number | string {
    const { f } = this;
    if (typeof condition !== 'number') return 'branches on what was never written';
    const block = blockOf(f, i);
    if (condition !== 0) return Math.max(0, f.successorStart[block + 1] - f.successorStart[block] - 1);
    const isEnd = i + 1 === f.blockStart[block + 1] && block + 1 === f.blockCount;
    return isEnd ? LEAVE : NEXT;
  }

  // Operands

  private read(o: number): Value {
    const value = this.plain(o);
    if (value === undefined) this.meetsUndefined = true;
    if (!isNegated(this.payload[o]) || this.f.operandPlace[o] === (NoRegister.Immediate as number))
      return value;
    return typeof value === 'number' ? -value : undefined;
  }

  private plain(o: number): Value {
    const place = this.f.operandPlace[o];
    if (isVirtual(place)) return this.values[place];
    if (isPhysical(place)) return this.physical[physicalIndex(place)];
    if (place === (NoRegister.Immediate as number)) return bitsToFloat(this.payload[o]);
    if (place !== (NoRegister.Symbol as number)) return undefined;
    const at = 4 * vectorOf(this.payload[o]) + componentOf(this.payload[o]);
    switch (spaceOf(this.payload[o])) {
      case Space.Attribute:
        return at < this.inputs.attributes.length ? this.inputs.attributes[at] : undefined;
      case Space.Uniform:
        return at < this.inputs.uniforms.length ? this.inputs.uniforms[at] : undefined;
      case Space.Temporary:
        return this.temporaries.get(at);
      default:
        return undefined;
    }
  }

  private write(o: number, value: Value): void {
    if (Number.isNaN(value)) this.meetsNaN = true;
    const place = this.f.operandPlace[o];
    if (isVirtual(place)) this.values[place] = value;
    else if (isPhysical(place)) this.physical[physicalIndex(place)] = value;
    else if (place === (NoRegister.Symbol as number)) {
      const at = 4 * vectorOf(this.payload[o]) + componentOf(this.payload[o]);
      const space = spaceOf(this.payload[o]);
      if (space === Space.Varying) this.varyings.set(at, numberOf(value));
      else if (space === Space.Temporary) this.temporaries.set(at, value);
    }
  }
}

/** Registers that the source finds written when it starts, as it writes them. */
export function entryRegisters(f: Function): readonly string[] {
  if (f.instructionCount === 0 || f.opcodes.text(f.opcode[0]) !== 'entry') return [];
  return Array.from({ length: f.operandStart[1] - f.operandStart[0] }, (_, k) => registerName(f, k));
}

function registerName(f: Function, o: number): string {
  const place = f.operandPlace[o];
  if (isVirtual(place)) return f.registerNames[place];
  return isPhysical(place) ? scalar('$', physicalIndex(place)) : '';
}

const numberOf = (value: Value): number | undefined => (typeof value === 'number' ? value : undefined);
