/**
 * Byte-addressed, little-endian memory of an interpreted program. Each state space is a sparse row of pages, made
 * when they are first touched; what nobody wrote reads as the space's filling. Every write is logged, so that two
 * runs can be compared write by write.
 */
export interface Write {
  readonly space: string;
  readonly address: bigint;
  readonly bytes: number;
  readonly value: bigint;
}

export interface SpaceOptions {
  /** Contents of bytes that nobody wrote; 0 when absent. Pure. */
  readonly filling?: (address: bigint) => number;
  /** Half-open ranges that may be touched; absent: all. */
  readonly bounds?: readonly { readonly start: bigint; readonly end: bigint }[];
  /** Writes are not logged: the program's own scratch, such as a call's parameters. */
  readonly isPrivate?: boolean;
}

const PAGE = 4096n;

interface Space {
  readonly options: SpaceOptions;
  readonly pages: Map<bigint, Uint8Array>;
}

export class Memory {
  readonly log: Write[] = [];
  private readonly spaces = new Map<string, Space>();

  constructor(spaces: Readonly<Record<string, SpaceOptions>>) {
    for (const [name, options] of Object.entries(spaces))
      this.spaces.set(name, { options, pages: new Map() });
  }

  /** A sentence when the access is out of bounds or not aligned to its size, else undefined. */
  fault(space: string, address: bigint, bytes: number): string | undefined {
    const found = this.spaces.get(space);
    const place = `${bytes} bytes at ${space} address 0x${address.toString(16)}`;
    if (found === undefined) return `${place}: there is no such space`;
    if (address % BigInt(bytes) !== 0n) return `${place}: not aligned`;
    const { bounds } = found.options;
    const end = address + BigInt(bytes);
    if (bounds !== undefined && !bounds.some((b) => b.start <= address && end <= b.end))
      return `${place}: outside of what is declared`;
    return undefined;
  }

  read(space: string, address: bigint, bytes: number): bigint {
    let value = 0n;
    for (let k = bytes - 1; k >= 0; k--)
      value = (value << 8n) | BigInt(this.byte(space, address + BigInt(k)));
    return value;
  }

  write(space: string, address: bigint, bytes: number, value: bigint): void {
    const found = this.spaces.get(space);
    if (found === undefined) return;
    const masked = BigInt.asUintN(8 * bytes, value);
    if (found.options.isPrivate !== true) this.log.push({ space, address, bytes, value: masked });
    for (let k = 0; k < bytes; k++) {
      const at = address + BigInt(k);
      this.page(found, at)[Number(at % PAGE)] = Number((masked >> BigInt(8 * k)) & 0xffn);
    }
  }

  private byte(space: string, address: bigint): number {
    const found = this.spaces.get(space);
    return found === undefined ? 0 : this.page(found, address)[Number(address % PAGE)];
  }

  private page({ options, pages }: Space, address: bigint): Uint8Array {
    const number = address / PAGE;
    let page = pages.get(number);
    if (page !== undefined) return page;
    page = new Uint8Array(Number(PAGE));
    if (options.filling !== undefined)
      for (let k = 0; k < page.length; k++) page[k] = options.filling(number * PAGE + BigInt(k));
    pages.set(number, page);
    return page;
  }
}
