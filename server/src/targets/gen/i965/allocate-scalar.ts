import type { VirtualRegister } from '../../../ir/place.js';
import { registersOf } from '../access.js';
import type { Allocation } from '../allocation.js';
import { liveScalar } from '../live/scalar.js';
import type { LiveRanges } from '../live/ranges.js';
import { GRF_BYTES, type Instruction, type Program } from '../program.js';
import { allocate, type BackEnd, type I965Options, type Pair, type SpillSites } from './allocate.js';
import { scalarCosts } from './costs.js';
import { InterferenceGraph, NEVER, type HardwareRange } from './graph.js';
import { LiveIndex } from './live-index.js';
import { payloadLastUses } from './payload.js';
import { ScalarSpiller } from './spiller-scalar.js';

/**
 * Register allocation of scalar programs as i965's fs back-end does it (brw_fs_reg_allocate.cpp). Liveness and costs
 * stay those of the program as given: a temporary lives from the instruction before its own to the one behind it, and
 * keeps off the places of registers that were spilled before. Payload registers are free behind their last use. The
 * first register that is spilled takes the last message registers for good (m14 and m15 in SIMD8, m13 to m15 from
 * SIMD16 on: g126 or g125 to g127), and the payload of the message that ends the thread, which lies at the file's end,
 * moves down.
 */
export function allocateScalar(program: Program, options: I965Options = {}): Allocation {
  const live = liveScalar(program);
  return allocate(program, live, scalarCosts(program, live), new ScalarBackEnd(program, live), options);
}

const FILE = 128;

class ScalarBackEnd implements BackEnd {
  readonly order = 'hardware first';
  readonly usedScratch: number;
  private readonly baseMrf: number;
  private readonly spiller: ScalarSpiller;
  private index: LiveIndex;
  /** Registers that were spilled before the first colouring: nothing knows of them any more. */
  private readonly isGone: Uint8Array;
  /** Messages that end the thread, by instruction of the input. */
  private readonly ends: readonly number[];
  /** As many as there are in the program as given. */
  private readonly givenHazards: readonly Pair[];
  private knownHazards: number;
  private hasSpilled = false;
  /** GRFs at the file's end that the messages of spill code take, where message registers are GRFs. */
  private reserved = 0;

  constructor(
    private readonly program: Program,
    private readonly live: LiveRanges,
  ) {
    this.baseMrf = program.platform.messageRegisters - Math.min(2, program.width / 8) - 1;
    this.usedScratch = usedScratch(program);
    this.spiller = new ScalarSpiller(program, this.baseMrf);
    this.isGone = new Uint8Array(program.registers.length);
    this.index = new LiveIndex(live, program.instructions.length, this.isGone);
    this.givenHazards = [...this.spiller.hazards];
    this.knownHazards = this.givenHazards.length;
    this.ends = [...program.instructions.keys()].filter((i) => program.instructions[i].message.isEndOfThread);
  }

  graph(spilled: readonly VirtualRegister[]): InterferenceGraph {
    if (spilled.length === 0) return this.given();
    for (const register of spilled) this.isGone[register] = 1;
    this.index = new LiveIndex(this.live, this.program.instructions.length, this.isGone);
    this.reserve();
    return this.updated(this.given(), []);
  }

  /** Of the program as given, but for registers that are gone. */
  private given(): InterferenceGraph {
    const { program, live, givenHazards } = this;
    // the reference numbers payload registers first, an even count of them in SIMD16, then all message registers
    const lanes = program.width / 8;
    const payload = Math.ceil(program.firstFree / lanes) * lanes;
    const graph = new InterferenceGraph(
      program.registerLimit,
      this.hardware(),
      payload + (this.reserved > 0 ? program.platform.messageRegisters : 0),
    );
    program.registers.forEach((register, r) => {
      const isThere = live.start[r] >= 0 && this.isGone[r] === 0;
      graph.add(registersOf(register), isThere ? live.start[r] : NEVER, isThere ? live.end[r] : -1);
    });
    graph.connectAll();
    graph.connectPairs(givenHazards, 0, givenHazards.length);
    this.forceEnds(graph, (i) => program.instructions[i]);
    return graph;
  }

  private reserve(): void {
    const { messageRegisters, messageWindow } = this.program.platform;
    this.hasSpilled = true;
    if (messageWindow !== undefined) this.reserved = messageRegisters - this.baseMrf;
  }

  private hardware(): HardwareRange[] {
    const { program, reserved, hasSpilled } = this;
    const ranges: HardwareRange[] = [];
    payloadLastUses(program).forEach((lastUse, grf) => {
      // the header of scratch messages is a copy of g0
      const isHeader = grf === 0 && hasSpilled;
      if (isHeader) ranges.push({ grf, lastUse: program.instructions.length });
      else if (lastUse >= 0) ranges.push({ grf, lastUse });
    });
    for (let grf = FILE - reserved; grf < Math.min(FILE, program.registerLimit); grf++)
      ranges.push({ grf, lastUse: NEVER });
    return ranges;
  }

  /** The message that ends the thread sends from the highest registers that are free: the hardware lets them go last. */
  private forceEnds(graph: InterferenceGraph, at: (i: number) => Instruction): void {
    if (this.program.platform.generation < 7) return;
    for (const i of this.ends) {
      const { opcode, sources } = at(i);
      const payload = sources.at(opcode.name === 'send' ? 2 : 0);
      if (payload?.file === 'virtual')
        graph.forced.set(payload.register, FILE - this.reserved - graph.size.at(payload.register));
    }
  }

  spill(register: VirtualRegister, slot: number): SpillSites {
    return this.spiller.spill(register, slot);
  }

  updated(known: InterferenceGraph, spilled: readonly VirtualRegister[]): InterferenceGraph {
    const { spiller, program, index } = this;
    let graph = known;
    if (!this.hasSpilled) {
      this.reserve();
      graph = this.given();
    }
    for (const register of spilled) graph.isolate(register, true);
    for (let node = graph.count; node < spiller.registers.length; node++) {
      const at = spiller.temporaryAt[node - program.registers.length];
      graph.add(registersOf(spiller.registers[node]), at - 1, at + 1);
      index.forEachLive(at, (other) => {
        graph.connect(node, other);
      });
      for (const other of spiller.temporariesAt(at)) if (other < node) graph.connect(node, other);
    }
    graph.connectPairs(spiller.hazards, this.knownHazards, spiller.hazards.length);
    this.knownHazards = spiller.hazards.length;
    this.forceEnds(graph, (i) => spiller.at(i));
    return graph;
  }

  finish(): ReturnType<BackEnd['finish']> {
    return this.spiller.finish();
  }
}

/** Bytes of scratch that the program uses already, for arrays: what it says, or what its messages name. */
function usedScratch(program: Program): number {
  let bytes = program.scratchBytes;
  for (const { opcode, message, execSize } of program.instructions)
    if (opcode.scratch !== undefined && message.scratchOffset !== undefined)
      bytes = Math.max(bytes, message.scratchOffset + execSize * 4);
  return Math.ceil(bytes / GRF_BYTES) * GRF_BYTES;
}
