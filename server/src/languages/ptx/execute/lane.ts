import type { Argument, Decoded, SymbolPlace } from '../semantics/decode.js';
import { poison, Unsupported } from '../semantics/faults.js';
import type { Place, Thread } from '../semantics/handler.js';
import { constantBits, widthOf } from '../semantics/types.js';
import { genericAddress, LOCAL_BYTES, placeOf, type Owner } from './addresses.js';
import type { Block } from './block.js';
import type { Prepared } from './prepare.js';
import { GARBAGE, hex, makeRegion, readBytes, writeBytes, type Region } from './regions.js';

/**
 * One thread of a grid: a frame of registers, parameters and local memory for each call that it is in. A register
 * holds a number of as many bits as it has, or undefined: never written. Local and parameter memory of a frame is
 * never given out a second time while there are addresses left, so that an address of a dead frame stays dead.
 */
export interface Frame {
  readonly code: Prepared;
  readonly file: (bigint | undefined)[];
  readonly caller: Frame | undefined;
  readonly parameterBase: number;
  readonly parameters: DataView;
  readonly localBase: number;
  readonly locals: DataView;
  /** What `alloca` gave out, oldest first. */
  readonly dynamic: Region[];
}

const GAP = 64;
const ALIGNMENT = 512;
/** Low addresses belong to nobody, so that 0 is no variable. */
const FIRST_ADDRESS = 64;
const NO_BYTES = new DataView(new ArrayBuffer(0));

const align = (address: number, to: number): number => Math.ceil(address / to) * to;

function garbage(bytes: number): DataView {
  if (bytes === 0) return NO_BYTES;
  return new DataView(new Uint8Array(bytes).fill(GARBAGE).buffer);
}

export class Lane implements Thread, Owner {
  frame!: Frame;
  depth = 0;
  isDone = false;
  readonly block: number;
  private localTop = FIRST_ADDRESS;
  private parameterTop = FIRST_ADDRESS;
  private ticks = 0n;

  constructor(
    readonly cta: Block,
    /** Number in the warp. */
    readonly number: number,
    /** Number of the warp in the block. */
    readonly warp: number,
    /** Number in the grid. */
    readonly thread: number,
    readonly position: readonly [number, number, number],
  ) {
    this.block = cta.number;
  }

  /** Opens the frame of a call; the caller's stays as it is. */
  enter(code: Prepared): Frame {
    const { paramBytes, localBytes, source } = code.code;
    const caller = this.depth === 0 ? undefined : this.frame;
    const frame: Frame = {
      code,
      file: new Array<bigint | undefined>(source.registerCount).fill(undefined),
      caller,
      parameterBase: this.room('param', paramBytes),
      parameters: garbage(paramBytes),
      localBase: this.room('local', localBytes),
      locals: garbage(localBytes),
      dynamic: [],
    };
    this.frame = frame;
    this.depth++;
    return frame;
  }

  leave(): void {
    this.depth--;
    if (this.frame.caller !== undefined) this.frame = this.frame.caller;
  }

  /** Fresh addresses for a frame's variables, which are aligned within it to 512 bytes at most. */
  private room(space: 'local' | 'param', bytes: number): number {
    const top = space === 'local' ? this.localTop : this.parameterTop;
    if (bytes === 0) return top;
    let start = align(top, ALIGNMENT);
    if (start + bytes > LOCAL_BYTES) start = align(this.liveEnd(space), ALIGNMENT);
    if (start + bytes > LOCAL_BYTES)
      throw new Unsupported(`more than ${LOCAL_BYTES} bytes of ${space} memory`);
    if (space === 'local') this.localTop = start + bytes + GAP;
    else this.parameterTop = start + bytes + GAP;
    return start;
  }

  /** Above all addresses that are alive: from here on they may be used again when none is fresh. */
  private liveEnd(space: 'local' | 'param'): number {
    let end = FIRST_ADDRESS;
    for (
      let f: Frame | undefined = this.depth === 0 ? undefined : this.frame;
      f !== undefined;
      f = f.caller
    ) {
      if (space === 'param') end = Math.max(end, f.parameterBase + f.parameters.byteLength + GAP);
      else {
        end = Math.max(end, f.localBase + f.locals.byteLength + GAP);
        for (const region of f.dynamic) end = Math.max(end, region.start + region.bytes.length + GAP);
      }
    }
    return end;
  }

  /** Local memory until the function returns or `stackrestore` gives it back. */
  allocate(bytes: number, alignment: number): bigint {
    const room = this.room('local', bytes + alignment);
    const start = align(room, Math.max(1, alignment));
    this.frame.dynamic.push(makeRegion('an alloca', start, new Uint8Array(bytes).fill(GARBAGE)));
    return BigInt(start);
  }

  /** What `stacksave` hands out: how much this function has allocated, in the form of an address. */
  savedStack(): bigint {
    return BigInt(this.frame.localBase) * 0x1_0000n + BigInt(this.frame.dynamic.length);
  }

  restoreStack(saved: bigint): void {
    const count = Number(saved & 0xffffn);
    if (saved >> 16n !== BigInt(this.frame.localBase) || count > this.frame.dynamic.length)
      throw new Unsupported(`${hex(saved)} is nothing that stacksave of this call gave`);
    this.frame.dynamic.length = count;
  }

  readRegister(register: number): bigint {
    const value = this.frame.file[register];
    if (value === undefined) throw poison;
    return value;
  }

  writeRegister(register: number, value: bigint | undefined): void {
    const { file, code } = this.frame;
    file[register] =
      value === undefined ? undefined : BigInt.asUintN(32 * code.source.registerWidth[register], value);
  }

  read(a: Argument, type: string): bigint {
    const bits = widthOf(type);
    switch (a.kind) {
      case 'register': {
        const register = this.frame.code.source.operandPlace[a.operand];
        const value = register < 0 ? undefined : this.frame.file[register];
        if (value === undefined) throw poison;
        return BigInt.asUintN(bits, value);
      }
      case 'constant':
        return constantBits(a.value, type);
      case 'special':
        return BigInt.asUintN(bits, this.special(a.name));
      case 'symbol':
        return BigInt.asUintN(bits, this.addressOf(a.symbol) + a.offset);
      case 'function':
        return this.cta.grid.module.addressOfFunction(a.name);
      case 'not':
        return this.read(a.operand, type) ^ 1n;
      case 'vector': {
        const part = bits / a.elements.length;
        let whole = 0n;
        a.elements.forEach((e, k) => (whole |= this.read(e, `b${part}`) << BigInt(part * k)));
        return whole;
      }
      default:
        throw new Unsupported(`an operand of kind ${a.kind}`);
    }
  }

  write(a: Argument, type: string, value: bigint): void {
    const bits = widthOf(type);
    switch (a.kind) {
      case 'register': {
        const register = this.frame.code.source.operandPlace[a.operand];
        if (register >= 0)
          this.writeRegister(
            register,
            type.startsWith('s') ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value),
          );
        return;
      }
      case 'pair':
        this.write(a.first, type, value);
        return;
      case 'vector': {
        const part = bits / a.elements.length;
        a.elements.forEach((e, k) => this.write(e, `b${part}`, value >> BigInt(part * k)));
        return;
      }
      case 'sink':
        return;
      default:
        throw new Unsupported(`a result in an operand of kind ${a.kind}`);
    }
  }

  /** The register is no longer known. */
  spoil(operand: number): void {
    const register = this.frame.code.source.operandPlace[operand];
    if (register >= 0) this.frame.file[register] = undefined;
  }

  readCarry(d: Decoded): bigint {
    return d.carry < 0 ? 0n : this.readRegister(this.frame.code.source.operandPlace[d.carry]);
  }

  writeCarry(d: Decoded, value: bigint): void {
    if (d.carry >= 0) this.writeRegister(this.frame.code.source.operandPlace[d.carry], value);
  }

  addressOf(symbol: SymbolPlace): bigint {
    if (!symbol.isInFrame) return symbol.address;
    const { frame } = this;
    return symbol.address + BigInt(symbol.space === 'param' ? frame.parameterBase : frame.localBase);
  }

  locate(a: Argument, space: string | undefined): Place {
    if (a.kind === 'symbol') {
      const { symbol } = a;
      const address = this.addressOf(symbol) + a.offset;
      if (space === undefined) return this.resolve(address);
      if (space !== symbol.space)
        throw new Unsupported(`${symbol.name} is in ${symbol.space} memory, not in ${space} memory`);
      return { space, address };
    }
    if (a.kind !== 'address') throw new Unsupported(`a memory operand of kind ${a.kind}`);
    if (a.hasMore) throw new Unsupported('a memory operand of several parts');
    const { base } = a;
    if (base?.kind === 'symbol') return this.locate({ ...base, offset: base.offset + a.offset }, space);
    const start = base === undefined ? 0n : this.read(base, 'b64');
    const address = BigInt.asUintN(64, start + a.offset);
    return space === undefined ? this.resolve(address) : { space, address };
  }

  load({ space, address }: Place, bytes: number): bigint {
    const at = Number(address);
    switch (space) {
      case 'global':
      case 'const': {
        const region = this.cta.grid.device.find(at, bytes);
        return readBytes(region.view, at - region.start, bytes);
      }
      case 'shared': {
        const region = this.cta.shared.find(at, bytes);
        return readBytes(region.view, at - region.start, bytes);
      }
      default: {
        const { view, offset } = this.private(space, at, bytes);
        return readBytes(view, offset, bytes);
      }
    }
  }

  store({ space, address }: Place, bytes: number, value: bigint): void {
    const at = Number(address);
    switch (space) {
      case 'global':
      case 'const': {
        const { grid } = this.cta;
        const region = grid.device.find(at, bytes);
        if (region.isReadOnly || space === 'const')
          throw new Unsupported(`${region.name} at ${hex(address)} is in constant memory`);
        if (region === grid.stacks?.area) grid.stacks.write(this, at, bytes);
        writeBytes(region.view, at - region.start, bytes, value);
        return;
      }
      case 'shared': {
        const region = this.cta.shared.find(at, bytes);
        writeBytes(region.view, at - region.start, bytes, value);
        return;
      }
      default: {
        const { view, offset } = this.private(space, at, bytes);
        writeBytes(view, offset, bytes, value);
      }
    }
  }

  /** Local or parameter memory of a frame that is alive. */
  private private(space: string, at: number, bytes: number): { view: DataView; offset: number } {
    const place = `${bytes} byte${bytes === 1 ? '' : 's'} at ${space} address ${hex(at)}`;
    if (space !== 'local' && space !== 'param') throw new Unsupported(`${place}: there is no such space`);
    if (at % bytes !== 0) throw new Unsupported(`${place}: not aligned to ${bytes}`);
    for (let frame: Frame | undefined = this.frame; frame !== undefined; frame = frame.caller) {
      const base = space === 'local' ? frame.localBase : frame.parameterBase;
      const view = space === 'local' ? frame.locals : frame.parameters;
      const offset = at - base;
      if (view.byteLength > 0 && offset >= 0 && offset < view.byteLength + GAP) {
        const variables = space === 'local' ? frame.code.locals : frame.code.parameters;
        const variable = below(variables, offset);
        const past = variable === undefined ? 1 : offset + bytes - Number(variable.address) - variable.bytes;
        if (past <= 0) return { view, offset };
        throw new Unsupported(
          `${place}: ends ${past} bytes behind ${variable?.name ?? 'the frame'} of ${frame.code.name}`,
        );
      }
      if (space !== 'local') continue;
      for (const region of frame.dynamic) {
        if (at >= region.start && at + bytes <= region.start + region.bytes.length)
          return { view: region.view, offset: at - region.start };
      }
    }
    const wasGiven = at >= FIRST_ADDRESS && at < (space === 'local' ? this.localTop : this.parameterTop);
    throw new Unsupported(
      `${place}: ${wasGiven ? 'outside of every variable of a call that has not returned' : 'never declared'}`,
    );
  }

  generic(space: string, address: bigint): bigint {
    return genericAddress(this, space, address);
  }

  resolve(address: bigint): Place {
    return placeOf(this, address);
  }

  special(name: string): bigint {
    if (name.startsWith('%clock') || name.startsWith('%globaltimer')) return (this.ticks += 64n);
    const known = this.cta.grid.special(name);
    if (known !== undefined) return known;
    const dimension = 'xyz'.indexOf(name.slice(-1));
    switch (name) {
      case '%tid.x':
      case '%tid.y':
      case '%tid.z':
        return BigInt(this.position[dimension]);
      case '%ctaid.x':
      case '%ctaid.y':
      case '%ctaid.z':
        return BigInt(this.cta.position[dimension]);
      case '%laneid':
        return BigInt(this.number);
      case '%warpid':
        return BigInt(this.warp);
      case '%lanemask_eq':
        return 1n << BigInt(this.number);
      case '%lanemask_lt':
        return (1n << BigInt(this.number)) - 1n;
      case '%lanemask_le':
        return (2n << BigInt(this.number)) - 1n;
      case '%lanemask_gt':
        return 0xffff_ffffn & ~((2n << BigInt(this.number)) - 1n);
      case '%lanemask_ge':
        return 0xffff_ffffn & ~((1n << BigInt(this.number)) - 1n);
      default:
        return 0n;
    }
  }
}

/** The variable that starts at or last before the offset. */
function below(variables: readonly SymbolPlace[], offset: number): SymbolPlace | undefined {
  let low = 0;
  let high = variables.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Number(variables[middle].address) <= offset) low = middle + 1;
    else high = middle;
  }
  return variables.at(low - 1) === undefined || low === 0 ? undefined : variables[low - 1];
}
