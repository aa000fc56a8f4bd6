import { blockOf, InstructionFlag } from '../../../ir/function.js';
import { interpret, NEXT, sourceFile, type Registers, type Semantics } from '../../../ir/interpret.js';
import type { Argument, Decoded, DecodedFunction, SymbolPlace } from './decode.js';
import { threadHandlers } from './handle-control.js';
import type { Place, Thread } from './handler.js';
import { poison, Poison, Unsupported } from './faults.js';
import { isStrict, spoilResults } from './poison.js';
import { generic, resolve, type PtxProgram } from './program.js';
import { constantBits, widthOf } from './types.js';

/**
 * One PTX thread in one function: executes source instructions on whatever registers it is given, virtual or
 * physical. It runs as a warp of one lane: a vote is its own vote, a shuffle gives its own value, barriers do not
 * wait. Approximate functions (`sin.approx`, `ex2.approx`, ...) are deterministic, good to compare two runs of one
 * program, not to predict a GPU's last bits. What it cannot execute it names: matrices, textures, asynchronous
 * copies, tensor memory, video instructions.
 */
export class PtxThread implements Semantics, Thread {
  private instruction = 0;
  private registers: Registers | undefined;
  /** Bytes of parameter and local memory below this call's own. */
  constructor(
    readonly program: PtxProgram,
    readonly code: DecodedFunction,
    readonly budget: Budget,
    private readonly base: { readonly param: bigint; readonly local: bigint } = { param: 0n, local: 0n },
    private readonly depth = 0,
  ) {}

  execute(instruction: number, registers: Registers): number | string {
    if ((this.code.source.instructionFlags[instruction] & InstructionFlag.Entry) !== 0) return NEXT;
    const d = this.code.code[instruction];
    if (d === undefined) return 'the instruction was not decoded';
    const handler = threadHandlers.get(d.mnemonic);
    if (handler === undefined) return `cannot execute ${d.text}`;
    this.instruction = instruction;
    this.registers = registers;
    try {
      if (d.guard !== undefined) {
        const guard = registers.read(d.guard.operand);
        if (guard === undefined) return `the guard of ${d.text} was never written`;
        if ((guard !== 0n) === d.guard.isNegated) return NEXT;
      }
      return handler(this, d) ?? NEXT;
    } catch (error) {
      if (error instanceof Poison) {
        if (!isStrict(d)) {
          spoilResults(d, (operand) => registers.write(operand, undefined));
          return NEXT;
        }
        return `${d.text} takes a value that was never written`;
      }
      if (error instanceof Unsupported) return `cannot execute ${d.text}: ${error.message}`;
      throw error;
    }
  }

  read(a: Argument, type: string): bigint {
    const bits = widthOf(type);
    switch (a.kind) {
      case 'register': {
        const value = this.registers!.read(a.operand);
        if (value === undefined) throw poison;
        return BigInt.asUintN(bits, value);
      }
      case 'constant':
        return constantBits(a.value, type);
      case 'special':
        return BigInt.asUintN(bits, this.program.special(a.name));
      case 'symbol':
        return BigInt.asUintN(bits, this.addressOf(a.symbol) + a.offset);
      case 'function':
        return this.program.addressOfFunction(a.name);
      case 'not':
        return this.read(a.operand, type) ^ 1n;
      case 'vector': {
        const part = BigInt(bits / a.elements.length);
        return a.elements.reduce(
          (whole, e, k) => whole | (this.read(e, `b${part}`) << (part * BigInt(k))),
          0n,
        );
      }
      default:
        throw new Unsupported(`an operand of kind ${a.kind}`);
    }
  }

  write(a: Argument, type: string, value: bigint): void {
    const bits = widthOf(type);
    if (a.kind === 'register')
      this.registers!.write(
        a.operand,
        type.startsWith('s') ? BigInt.asUintN(128, BigInt.asIntN(bits, value)) : BigInt.asUintN(bits, value),
      );
    else if (a.kind === 'pair') this.write(a.first, type, value);
    else if (a.kind === 'vector') {
      const part = bits / a.elements.length;
      a.elements.forEach((e, k) => this.write(e, `b${part}`, value >> BigInt(part * k)));
    } else if (a.kind !== 'sink') throw new Unsupported(`a result in an operand of kind ${a.kind}`);
  }

  readCarry(d: Decoded): bigint {
    const value = d.carry < 0 ? 0n : this.registers!.read(d.carry);
    if (value === undefined) throw poison;
    return value;
  }

  writeCarry(d: Decoded, value: bigint): void {
    if (d.carry >= 0) this.registers!.write(d.carry, value);
  }

  addressOf(symbol: SymbolPlace): bigint {
    if (!symbol.isInFrame) return symbol.address;
    return symbol.address + (symbol.space === 'param' ? this.base.param : this.base.local);
  }

  locate(a: Argument, space: string | undefined): Place {
    if (a.kind === 'symbol') return { space: a.symbol.space, address: this.addressOf(a.symbol) + a.offset };
    if (a.kind !== 'address') throw new Unsupported(`a memory operand of kind ${a.kind}`);
    if (a.hasMore) throw new Unsupported('a memory operand of several parts');
    const { base } = a;
    if (base?.kind === 'symbol') {
      const found = this.locate(base, space);
      return { ...found, address: found.address + a.offset };
    }
    const start = base === undefined ? 0n : this.read(base, 'b64');
    const address = BigInt.asUintN(64, start + a.offset);
    return space === undefined ? resolve(address) : { space, address };
  }

  load(at: Place, bytes: number): bigint {
    const fault = this.program.memory.fault(at.space, at.address, bytes);
    if (fault !== undefined) throw new Unsupported(fault);
    return this.program.memory.read(at.space, at.address, bytes);
  }

  store(at: Place, bytes: number, value: bigint): void {
    const fault = this.program.memory.fault(at.space, at.address, bytes);
    if (fault !== undefined) throw new Unsupported(fault);
    this.program.memory.write(at.space, at.address, bytes, value);
  }

  generic(space: string, address: bigint): bigint {
    return generic(space, address);
  }

  resolve(address: bigint): Place {
    return resolve(address);
  }

  /** Number of the successor that a taken branch goes to: the last one, the fall-through stands first. */
  taken(): number {
    const { source } = this.code;
    const block = this.currentBlock();
    return source.successorStart[block + 1] - source.successorStart[block] - 1;
  }

  /** The successor that starts with a label. */
  labelled(name: string): number {
    const { source } = this.code;
    const block = this.currentBlock();
    for (let e = source.successorStart[block]; e < source.successorStart[block + 1]; e++)
      if (source.blockNames[source.successors[e]] === name) return e - source.successorStart[block];
    throw new Unsupported(`a branch to ${name}, a second label of its block`);
  }

  private currentBlock(): number {
    return blockOf(this.code.source, this.instruction);
  }

  /** Calls a function of the module: arguments are copied to its parameters, results back. */
  call(name: string, results: readonly Argument[], inputs: readonly Argument[]): void {
    const callee = this.program.function(name);
    if (callee === undefined) throw new Unsupported(`a call of ${name}, which has no body here`);
    if (this.depth >= 64) throw new Unsupported('calls nested more than 64 deep');
    const base = {
      param: this.base.param + BigInt(this.code.paramBytes + 64),
      local: this.base.local + BigInt(this.code.localBytes + 64),
    };
    const frame = { param: (base.param / 16n) * 16n, local: (base.local / 16n) * 16n };
    const thread = new PtxThread(this.program, callee, this.budget, frame, this.depth + 1);
    const file = sourceFile(callee.source);
    callee.inputs.forEach((input, k) => {
      const argument = inputs[k] as Argument | undefined;
      if (argument === undefined) throw new Unsupported(`a call of ${name} with too few arguments`);
      if (input.place === undefined) {
        if (input.register >= 0)
          file.writeRegister(input.register, this.read(argument, `b${8 * Math.max(1, input.bytes)}`));
      } else {
        const to = thread.addressOf(input.place);
        if (argument.kind === 'symbol') this.copy(this.addressOf(argument.symbol), to, input.bytes);
        else this.program.memory.write('param', to, input.bytes, this.read(argument, `b${8 * input.bytes}`));
      }
    });
    const run = interpret(callee.source, thread, { steps: this.budget.steps }, file);
    this.budget.steps -= run.steps;
    if (run.end === 'limit') throw new Unsupported('more steps in a call than are allowed');
    if (run.end === 'stopped') throw new Unsupported(`in ${name}: ${run.message}`);
    callee.outputs.forEach((output, k) => {
      const result = results[k] as Argument | undefined;
      if (result === undefined) return;
      if (output.place === undefined) {
        const value = output.register >= 0 ? file.readRegister(output.register) : 0n;
        if (value === undefined) throw poison;
        this.write(result, `b${8 * Math.max(1, output.bytes)}`, value);
      } else if (result.kind === 'symbol') {
        this.copy(thread.addressOf(output.place), this.addressOf(result.symbol), output.bytes);
      } else {
        const value = this.program.memory.read('param', thread.addressOf(output.place), output.bytes);
        this.write(result, `b${8 * output.bytes}`, value);
      }
    });
  }

  private copy(from: bigint, to: bigint, bytes: number): void {
    const { memory } = this.program;
    for (let k = 0n; k < BigInt(bytes); k++)
      memory.write('param', to + k, 1, memory.read('param', from + k, 1));
  }
}

/** Source instructions that all calls together may still execute. */
export interface Budget {
  steps: number;
}
