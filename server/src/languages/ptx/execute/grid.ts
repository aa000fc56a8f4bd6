import { Poison, Unsupported } from '../semantics/faults.js';
import type { ProgramUnit, PtxModule } from '../semantics/module.js';
import { MOST_BLOCKS, MOST_THREADS } from './addresses.js';
import { Block } from './block.js';
import { describePlace, placeOfFault, Stop, type Fault } from './fault.js';
import { standardHooks, type Hook } from './hooks.js';
import type { Prepared } from './prepare.js';
import { programOf } from './program.js';
import { GARBAGE, hex, makeRegion, Regions, type Region } from './regions.js';
import { StackArea, type Holder } from './stacks.js';
import type { Warp } from './warp.js';

/**
 * Runs a kernel of a PTX module on a grid: all blocks at once, warps interleaved by a seeded schedule, the same for
 * the same seed. Ends where all threads have, or at the first fault.
 *
 * What stays outside: the memory model (all threads see each write at once), textures, matrices, asynchronous
 * copies, clusters.
 */
export type Dimensions = readonly [number, number, number];

/** A kernel's argument: a number, the address of a buffer or variable, or the bytes of a structure. */
export type LaunchArgument =
  bigint | number | { readonly address: string; readonly offset?: number } | { readonly bytes: Uint8Array };

export interface GridOptions {
  readonly entry: string;
  readonly grid?: Dimensions;
  readonly block?: Dimensions;
  readonly arguments?: readonly LaunchArgument[];
  /** Global memory by name with its contents, which is copied. */
  readonly buffers?: Readonly<Record<string, Uint8Array>>;
  /** Pointers in buffers: the address of `to` is stored in `buffer` at byte `at`. */
  readonly links?: readonly { readonly buffer: string; readonly at: number; readonly to: string }[];
  /** Chooses the order in which warps run; 0: in turn. */
  readonly seed?: number;
  /** Instructions of single threads that may be executed; 10 000 000 without. */
  readonly steps?: number;
  /** Threads of a warp, 32 without. With 1 each thread is interleaved with each other. */
  readonly lanes?: number;
  /** Bytes of `.extern .shared` arrays without a size. */
  readonly dynamicShared?: number;
  /** Functions without a body, by name, beside `vprintf`, `malloc`, `free`. */
  readonly hooks?: Readonly<Record<string, Hook>>;
  readonly stacks?: StackOptions;
}

export interface StackOptions {
  /** Size of each stack. */
  readonly bytes: number;
  /** Who has one; each warp when absent. */
  readonly holder?: Holder;
  /** The array of stack pointers to fill before the kernel starts; absent: the kernel does it itself. */
  readonly slots?: string;
}

/** The name by which arguments mean the area of software stacks. */
export const STACK_AREA = 'software stacks';

export interface GridResult {
  readonly fault: Fault | undefined;
  /** Executed instructions, each thread's for itself. */
  readonly steps: number;
  /** Buffers and the module's global variables by name, as the run left them. */
  readonly memory: ReadonlyMap<string, Uint8Array>;
  /** What `vprintf` wrote, call by call. */
  readonly output: readonly string[];
  readonly stacks: StackArea | undefined;
}

const BUFFERS = 0x7f00_0000_0000;
const HEAP = 0x6000_0000_0000;
const STACKS = 0x5000_0000_0000;
const APART = 0x1000;

type Filled = Required<Omit<GridOptions, 'stacks' | 'entry'>>;

export class Grid {
  readonly module: PtxModule;
  readonly device = new Regions('global');
  readonly output: string[] = [];
  readonly options: Filled;
  readonly stacks: StackArea | undefined;
  readonly blocks: readonly Block[];
  readonly entry: Prepared | undefined;
  private readonly named = new Map<string, Region>();
  private readonly functions: ReadonlyMap<string, Prepared>;
  private readonly specials: ReadonlyMap<string, bigint>;
  private heap = HEAP;

  constructor(units: readonly ProgramUnit[], options: GridOptions) {
    this.options = {
      grid: [1, 1, 1],
      block: [1, 1, 1],
      arguments: [],
      buffers: {},
      links: [],
      seed: 0,
      steps: 10_000_000,
      lanes: 32,
      dynamicShared: 0,
      hooks: {},
      ...options,
    };
    const { module, functions } = programOf(units);
    this.module = module;
    this.functions = functions;
    this.specials = specialsOf(this.options);
    this.placeVariables();
    this.placeBuffers();
    const [gx, gy, gz] = this.options.grid;
    const count = gx * gy * gz;
    if (options.stacks !== undefined) this.stacks = this.placeStacks(options.stacks, count);
    this.entry = this.function(options.entry);
    this.blocks = Array.from(
      { length: count },
      (_, n) => new Block(this, n, [n % gx, Math.floor(n / gx) % gy, Math.floor(n / (gx * gy))]),
    );
    if (this.stacks !== undefined && options.stacks?.slots !== undefined)
      this.setStackPointers(this.stacks, options.stacks.slots);
  }

  /** Stores the pointers that buffers hold. Throws `Unsupported` where one names nothing. */
  link(): void {
    for (const { buffer, at, to } of this.options.links) {
      const region = this.named.get(buffer);
      if (region === undefined || at + 8 > region.bytes.length)
        throw new Unsupported(`there is no room for a pointer in ${buffer} at ${at}`);
      region.view.setBigUint64(at, this.addressOf(to), true);
    }
  }

  function(name: string): Prepared | undefined {
    return this.functions.get(name);
  }

  hook(name: string): Hook | undefined {
    return this.options.hooks[name] ?? standardHooks[name];
  }

  special(name: string): bigint | undefined {
    return this.specials.get(name);
  }

  /** Address of a buffer or a variable of global memory. */
  addressOf(name: string): bigint {
    const region = this.named.get(name);
    if (region === undefined) throw new Unsupported(`there is no buffer or global variable ${name}`);
    return BigInt(region.start);
  }

  allocate(bytes: number): bigint {
    const start = this.heap;
    this.heap = Math.ceil((start + Math.max(1, bytes) + 64) / 64) * 64;
    this.device.add(makeRegion('a block of malloc', start, new Uint8Array(bytes).fill(GARBAGE)));
    return BigInt(start);
  }

  free(address: bigint): void {
    if (address === 0n) return;
    const region = this.device.at(Number(address));
    if (region === undefined || region.start !== Number(address) || region.start < HEAP || region.isDead)
      throw new Unsupported(`free of ${hex(address)}, which malloc did not give`);
    region.isDead = true;
  }

  /** Buffers and global variables. */
  memory(): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.named].map(([name, region]) => [name, region.bytes]));
  }

  private placeVariables(): void {
    const { placed } = this.module;
    for (const { name, space, address, bytes } of placed) {
      if (space !== 'global' && space !== 'const') continue;
      const region = makeRegion(name, Number(address), new Uint8Array(bytes), space === 'const');
      this.device.add(region);
      if (space === 'global') this.named.set(name, region);
    }
    this.module.initialize((space, address, bytes, value) => {
      if (space !== 'global' && space !== 'const') return;
      const region = this.device.at(Number(address));
      if (region === undefined) return;
      for (let k = 0; k < bytes; k++) {
        const at = Number(address) - region.start + k;
        region.bytes[at] = Number((value >> BigInt(8 * k)) & 0xffn);
      }
    });
  }

  private placeBuffers(): void {
    let at = BUFFERS;
    for (const [name, contents] of Object.entries(this.options.buffers)) {
      this.add(makeRegion(name, at, Uint8Array.from(contents)));
      at = Math.ceil((at + contents.length + APART) / APART) * APART;
    }
  }

  private placeStacks({ bytes, holder = 'warp' }: StackOptions, blocks: number): StackArea {
    const [x, y, z] = this.options.block;
    const perBlock = holder === 'warp' ? y : x * y * z;
    const contents = new Uint8Array(blocks * perBlock * bytes).fill(GARBAGE);
    const region = makeRegion(STACK_AREA, STACKS, contents);
    this.add(region);
    return new StackArea(region, holder, perBlock, bytes);
  }

  private setStackPointers(stacks: StackArea, slots: string): void {
    const symbol = this.module.variable(slots);
    if (symbol === undefined || symbol.space !== 'shared') return;
    for (const block of this.blocks)
      for (let n = 0; n < stacks.perBlock && 8 * (n + 1) <= symbol.bytes; n++) {
        const { view } = block.shared.find(Number(symbol.address), 8);
        view.setBigUint64(8 * n, BigInt(stacks.blockOf(block.number * stacks.perBlock + n).end), true);
      }
  }

  private add(region: Region): void {
    this.device.add(region);
    this.named.set(region.name, region);
  }
}

function specialsOf({ grid, block, lanes, dynamicShared }: Filled): ReadonlyMap<string, bigint> {
  const axes = ['x', 'y', 'z'] as const;
  return new Map([
    ['WARP_SZ', 32n],
    ...axes.map((a, k): [string, bigint] => [`%ntid.${a}`, BigInt(block[k])]),
    ...axes.map((a, k): [string, bigint] => [`%nctaid.${a}`, BigInt(grid[k])]),
    ...axes.map((a): [string, bigint] => [`%cluster_nctaid.${a}`, 1n]),
    ...axes.map((a, k): [string, bigint] => [`%nclusterid.${a}`, BigInt(grid[k])]),
    ['%nwarpid', BigInt(Math.ceil((block[0] * block[1] * block[2]) / lanes))],
    ['%nsmid', 1n],
    ['%dynamic_smem_size', BigInt(dynamicShared)],
  ]);
}

/** A small generator of equally likely 32-bit numbers (Marsaglia's xorshift). */
function generator(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

const fault = (kind: Fault['kind'], message: string): Fault => ({ kind, message, place: undefined });

export function runGrid(units: readonly ProgramUnit[], options: GridOptions): GridResult {
  const grid = new Grid(units, options);
  const end = (found: Fault | undefined, steps: number): GridResult => ({
    fault: found,
    steps,
    memory: grid.memory(),
    output: grid.output,
    stacks: grid.stacks,
  });
  const refused = begin(grid, options.entry);
  if (refused !== undefined) return end(fault('fault', refused), 0);
  const counter = { steps: 0 };
  try {
    schedule(grid, counter);
    return end(undefined, counter.steps);
  } catch (error) {
    if (error instanceof Stop) return end(error.fault, counter.steps);
    throw error;
  }
}

/** Opens the kernel's frame in each thread; a sentence when that cannot be. */
function begin(grid: Grid, name: string): string | undefined {
  const { entry } = grid;
  if (entry === undefined) return `there is no function ${name} with a body`;
  const [x, y, z] = grid.options.block;
  if (grid.blocks.length > MOST_BLOCKS || grid.blocks.length * x * y * z > MOST_THREADS)
    return `a grid of more than ${MOST_THREADS} threads`;
  const { inputs } = entry.code;
  if (grid.options.arguments.length !== inputs.length)
    return `${name} takes ${inputs.length} arguments, not ${grid.options.arguments.length}`;
  try {
    grid.link();
    const values = grid.options.arguments.map((a, k) => bytesOf(grid, a, inputs[k].bytes));
    for (const block of grid.blocks)
      for (const warp of block.warps) {
        for (const lane of warp.lanes) {
          const { parameters } = lane.enter(entry);
          inputs.forEach(({ place }, k) => {
            if (place !== undefined) new Uint8Array(parameters.buffer).set(values[k], Number(place.address));
          });
        }
        warp.start(entry);
      }
  } catch (error) {
    if (error instanceof Unsupported || error instanceof Poison) return error.message;
    throw error;
  }
  return undefined;
}

function bytesOf(grid: Grid, a: LaunchArgument, bytes: number): Uint8Array {
  const result = new Uint8Array(bytes);
  if (typeof a === 'object' && 'bytes' in a) {
    result.set(a.bytes.subarray(0, bytes));
    return result;
  }
  const value = typeof a === 'object' ? grid.addressOf(a.address) + BigInt(a.offset ?? 0) : BigInt(a);
  for (let k = 0; k < bytes; k++) result[k] = Number((value >> BigInt(8 * k)) & 0xffn);
  return result;
}

/** Longest run of one warp when they take turns, and when chance says. */
const TURN = 64;
const LONGEST = 24;

/** Runs warps until all have ended. Warps that wait are left out until somebody releases them. */
function schedule(grid: Grid, counter: { steps: number }): void {
  const { seed, steps: limit } = grid.options;
  const random = generator(seed);
  let warps = grid.blocks.flatMap((block) => block.warps);
  for (let turn = 0; ; turn++) {
    warps = warps.filter((warp) => warp.groups.length > 0);
    if (warps.length === 0) return;
    const ready = warps.filter((warp) => warp.current !== undefined);
    if (ready.length === 0) throw new Stop(deadlock(warps));
    const warp = ready[(seed === 0 ? turn : random()) % ready.length];
    // short and long runs alike, so that both near and far instructions of two warps meet
    const run = seed === 0 ? TURN : 1 + (random() % (1 + (random() % LONGEST)));
    for (let k = 0; k < run && warp.current !== undefined; k++) {
      if (counter.steps >= limit) throw new Stop(tooLong(warp, limit));
      counter.steps += warp.step();
    }
  }
}

function tooLong(warp: Warp, limit: number): Fault {
  const g = warp.current!;
  const place = placeOfFault(g.activation.code, g.position, g.lanes[0]);
  return { kind: 'limit', message: `not at an end after ${limit} instructions`, place };
}

function deadlock(warps: readonly Warp[]): Fault {
  const waiting = warps.flatMap((warp) =>
    warp.groups.map(
      (g) =>
        `${describePlace(placeOfFault(g.activation.code, g.position, g.lanes[0]))}${
          g.lanes.length > 1 ? ` and ${g.lanes.length - 1} more` : ''
        } at ${g.waiting?.what ?? 'nothing'}`,
    ),
  );
  const more = waiting.length > 6 ? `; and ${waiting.length - 6} groups more` : '';
  return fault('deadlock', `every thread waits: ${waiting.slice(0, 6).join('; ')}${more}`);
}
