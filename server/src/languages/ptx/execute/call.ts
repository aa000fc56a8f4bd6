import type { Argument, Decoded, DecodedFunction } from '../semantics/decode.js';
import { poison, Unsupported } from '../semantics/faults.js';
import type { Lane } from './lane.js';
import type { Prepared } from './prepare.js';
import { readBytes, writeBytes } from './regions.js';

/**
 * Calls: `call (results), f, (inputs);` with both lists optional, an indirect one with its prototype behind. An
 * input is a variable of the caller's `.param` memory, which is copied whole, or a register or constant.
 */
export interface CallSite {
  readonly results: readonly Argument[];
  readonly target: Argument;
  readonly inputs: readonly Argument[];
}

const listed = (a: Argument | undefined): readonly Argument[] =>
  a === undefined || a.kind === 'name' ? [] : a.kind === 'list' ? a.elements : [a];

export function callSite(d: Decoded): CallSite {
  const hasResults = d.operands.at(0)?.kind === 'list';
  return {
    results: hasResults ? listed(d.operands.at(0)) : [],
    target: d.operands.at(hasResults ? 1 : 0) ?? { kind: 'sink' },
    inputs: listed(d.operands.at(hasResults ? 2 : 1)),
  };
}

/** Name of the function that a lane calls. */
export function targetOf(lane: Lane, { target }: CallSite): string {
  if (target.kind === 'function') return target.name;
  if (target.kind === 'name') return target.name;
  const address = lane.read(target, 'b64');
  const name = lane.cta.grid.module.functionAt(address);
  if (name === undefined) throw new Unsupported(`a call of 0x${address.toString(16)}, which is no function`);
  return name;
}

type Passed = Uint8Array | { readonly value: bigint };

/** Opens the callee's frame, with its inputs in it. */
export function enterCall(lane: Lane, callee: Prepared, site: CallSite): void {
  const { code } = callee;
  if (site.inputs.length !== code.inputs.length)
    throw new Unsupported(
      `a call of ${callee.name} with ${site.inputs.length} of ${code.inputs.length} arguments`,
    );
  const passed = site.inputs.map((input, k) => valueOf(lane, input, code.inputs[k].bytes));
  lane.enter(callee);
  passed.forEach((value, k) => receive(lane, code, k, value));
}

function valueOf(lane: Lane, input: Argument, bytes: number): Passed {
  if (input.kind === 'symbol' && input.symbol.isInFrame && input.symbol.space === 'param')
    return bytesOf(lane, input, bytes);
  return { value: lane.read(input, `b${8 * Math.max(1, bytes)}`) };
}

/** Bytes of a `.param` variable of the innermost frame. */
function bytesOf(lane: Lane, a: Extract<Argument, { kind: 'symbol' }>, bytes: number): Uint8Array {
  const { symbol } = a;
  const offset = Number(symbol.address + a.offset);
  if (bytes > symbol.bytes - Number(a.offset))
    throw new Unsupported(`${symbol.name} has ${symbol.bytes} bytes where ${bytes} are passed`);
  const { parameters } = lane.frame;
  return new Uint8Array(parameters.buffer, offset, bytes).slice();
}

function receive(lane: Lane, code: DecodedFunction, k: number, passed: Passed): void {
  const { place, register, bytes } = code.inputs[k];
  if (place === undefined) {
    if (register < 0) return;
    const value =
      passed instanceof Uint8Array
        ? readBytes(new DataView(passed.buffer), 0, Math.min(bytes, passed.length))
        : passed.value;
    lane.writeRegister(register, value);
    return;
  }
  const { parameters } = lane.frame;
  const at = Number(place.address);
  if (passed instanceof Uint8Array) new Uint8Array(parameters.buffer).set(passed, at);
  else writeBytes(parameters, at, bytes, passed.value);
}

/** Closes the frame and hands the results to the caller. */
export function leaveCall(lane: Lane, results: readonly Argument[]): void {
  const { code, parameters } = lane.frame;
  const { outputs } = code.code;
  const values = outputs.map((output): Passed | undefined => {
    if (output.place === undefined) {
      const value = output.register < 0 ? undefined : lane.frame.file[output.register];
      return value === undefined ? undefined : { value };
    }
    return new Uint8Array(parameters.buffer, Number(output.place.address), output.bytes).slice();
  });
  lane.leave();
  results.forEach((result, k) => {
    if (k >= values.length) throw new Unsupported(`${code.name} has ${values.length} results`);
    const { bytes } = outputs[k];
    const value = values[k];
    if (result.kind === 'symbol' && value instanceof Uint8Array) {
      if (bytes > result.symbol.bytes)
        throw new Unsupported(
          `${result.symbol.name} has ${result.symbol.bytes} bytes where ${bytes} are returned`,
        );
      new Uint8Array(lane.frame.parameters.buffer).set(value, Number(result.symbol.address));
    } else setResult(lane, result, bytes, value);
  });
}

function setResult(lane: Lane, result: Argument, bytes: number, value: Passed | undefined): void {
  if (value === undefined) {
    if (result.kind === 'register') lane.spoil(result.operand);
    return;
  }
  const bits = value instanceof Uint8Array ? readBytes(new DataView(value.buffer), 0, bytes) : value.value;
  if (result.kind === 'symbol')
    writeBytes(
      lane.frame.parameters,
      Number(result.symbol.address),
      Math.min(bytes, result.symbol.bytes),
      bits,
    );
  else lane.write(result, `b${8 * Math.max(1, bytes)}`, bits);
}

/** Inputs as numbers, for a function that the program does not contain. */
export function inputValues(lane: Lane, site: CallSite): readonly bigint[] {
  return site.inputs.map((input) => {
    if (input.kind === 'symbol' && input.symbol.isInFrame) {
      const bytes = bytesOf(lane, input, input.symbol.bytes);
      return readBytes(new DataView(bytes.buffer), 0, Math.min(16, bytes.length));
    }
    if (input.kind === 'register') {
      const register = lane.frame.code.source.operandPlace[input.operand];
      if (register < 0) throw poison;
      return lane.readRegister(register);
    }
    return lane.read(input, 'b64');
  });
}

export function giveResult(lane: Lane, site: CallSite, value: bigint): void {
  const result = site.results.at(0);
  if (result === undefined) return;
  if (result.kind === 'symbol')
    writeBytes(lane.frame.parameters, Number(result.symbol.address), result.symbol.bytes, value);
  else lane.write(result, 'b64', value);
}
