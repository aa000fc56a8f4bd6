import { opcodeOf } from '../opcodes.js';
import { noMessage, typeSize, type Instruction, type Program, type RegisterOperand } from '../program.js';
import { executeAlu } from './alu.js';
import { accessOf, isPlace, noteUnknown, sourceByte } from './elements.js';
import { createFlow, END, executeFlow, UNKNOWN_CONDITION } from './flow.js';
import { createLanes, enable } from './lanes.js';
import { createMemory, type Memory, type Output } from './memory.js';
import { executeMessage } from './messages.js';
import { createState, type State } from './state.js';
import { structureOf, type Structure } from './structure.js';
import { PoolWatch } from './pool-watch.js';

/**
 * Executes a program of the EU, before or after register allocation, on inputs made from a seed: payload registers,
 * constants, attributes, message registers m0 to m12 and memory. Both kinds of program have the same meaning of
 * instructions, only their registers differ, so the source is the specification of the compiled program
 * (compare.ts). Never throws; ends after `steps` instructions.
 */
export interface RunOptions {
  readonly seed: number;
  /** Most instructions to execute. */
  readonly steps: number;
  /** Sees each instruction before it is executed. */
  readonly trace?: (instruction: number, state: State) => void;
}

export interface Run {
  /** `unknown`: a branch depends on what the program never gave a value; nothing after it means anything. */
  readonly end: 'left' | 'limit' | 'unknown' | 'stopped';
  readonly steps: number;
  /** Why it stopped, for `stopped`. */
  readonly message: string;
  /** The last instruction. */
  readonly instruction: number;
  readonly outputs: readonly Output[];
  /** What the program hands over (`.live_out`) as bytes, with their marks of what is unknown. */
  readonly liveOut: readonly { readonly bytes: Uint8Array; readonly unknown: Uint8Array }[];
  /** Memory that the program wrote. */
  readonly memory: Memory;
  /** What an allocated program must not do: a pool register read by an instruction that did not load it. */
  readonly misuse: readonly { readonly instruction: number; readonly message: string }[];
}

/** A stand-in for the instruction that hands a program's results over. */
const liveOutReader: Omit<Instruction, 'execSize'> = {
  opcode: opcodeOf('live_out'),
  group: 0,
  noMask: true,
  saturate: false,
  destinations: [],
  sources: [],
  message: noMessage,
  noDDClear: false,
  noDDCheck: false,
  writesAccumulator: false,
  switchesThread: false,
  target: -1,
  origin: -1,
};

const INPUT_MESSAGE_REGISTERS = 13;
const structures = new WeakMap<Program, Structure>();

export function run(program: Program, options: RunOptions): Run {
  let structure = structures.get(program);
  if (structure === undefined) structures.set(program, (structure = structureOf(program)));
  const state = createState(program, options.seed);
  fillMessageRegisters(state, options.seed);
  const memory = createMemory(options.seed);
  const flow = createFlow(structure, program.width);
  const lanes = createLanes();
  const watch = program.pool === undefined ? undefined : new PoolWatch(program.pool);
  const { instructions } = program;
  let steps = 0;
  let at = 0;
  let last = -1;
  const finish = (end: Run['end'], message = ''): Run => ({
    end,
    steps,
    message,
    instruction: last,
    outputs: memory.outputs,
    liveOut: end === 'left' ? liveOut(state) : [],
    memory,
    misuse: watch?.misuse ?? [],
  });
  if (structure.fault !== undefined) {
    last = structure.fault.instruction;
    return finish('stopped', structure.fault.message);
  }
  while (at >= 0 && at < instructions.length) {
    if (steps >= options.steps) return finish('limit');
    steps++;
    last = at;
    const instruction = instructions[at];
    options.trace?.(at, state);
    watch?.see(instruction, at);
    const access = accessOf(state, instruction);
    const { kind, flow: isFlow } = instruction.opcode;
    if (isFlow !== undefined) {
      const next = executeFlow(flow, state, access, at);
      if (next === UNKNOWN_CONDITION) return finish('unknown', next);
      if (typeof next === 'string') return finish('stopped', next);
      if (access.fault !== undefined) return finish('stopped', access.fault);
      at = next;
      if (next === END) break;
      continue;
    }
    if (kind !== 'marker') {
      enable(lanes, state, instruction, flow.active);
      if (kind === 'message' || kind === 'unknown') executeMessage(access, lanes, memory);
      else executeAlu(access, lanes);
      if (access.fault !== undefined) return finish('stopped', `${instruction.opcode.name}: ${access.fault}`);
      if (instruction.message.isEndOfThread) return finish('left');
    }
    at++;
  }
  return finish('left');
}

/** Message registers below those that spills use hold inputs, so that payloads of which a part is never written compare. */
function fillMessageRegisters(state: State, seed: number): void {
  const { start, step } = state.files.message;
  for (let byte = 0; byte < INPUT_MESSAGE_REGISTERS * step; byte += 4) {
    state.view.setInt32(start + byte, Math.imul(seed ^ byte, 0x9e37_79b1), true);
    state.unknown.fill(0, start + byte, start + byte + 4);
  }
}

function liveOut(state: State): Run['liveOut'] {
  return results(state.program).map((operand) => elements(state, operand));
}

/**
 * What the program hands over: the sources of its instruction `live_out`, which allocators and schedulers rewrite as
 * those of every other instruction. `Program.liveOut` is in the source's registers, and counts for programs without.
 */
function results({ instructions, liveOut }: Program): readonly RegisterOperand[] {
  const reader = instructions.findLast(({ opcode }) => opcode.name === 'live_out');
  if (reader === undefined) return liveOut;
  return reader.sources.filter((operand) => operand.file !== 'immediate');
}

/** The bytes of a register operand, over all channels of the program. */
function elements(state: State, operand: RegisterOperand): { bytes: Uint8Array; unknown: Uint8Array } {
  const none = { bytes: new Uint8Array(0), unknown: new Uint8Array(0) };
  if (!isPlace(operand) || operand.file === 'flag' || operand.file === 'architecture') return none;
  const { program } = state;
  const access = accessOf(state, { ...liveOutReader, execSize: program.width });
  const n = typeSize(operand.type);
  const bytes: number[] = [];
  const unknown: number[] = [];
  for (let c = 0; c < program.width; c++) {
    if (access.isVec4 && ((operand.mask >>> (c & 3)) & 1) === 0) continue;
    const at = sourceByte(access, operand, c);
    if (at < 0) return none;
    access.unknown = 0;
    noteUnknown(access, at, n);
    for (let k = 0; k < n; k++) {
      bytes.push(state.bytes[at + k]);
      unknown.push(state.unknown[at + k]);
    }
  }
  return { bytes: Uint8Array.from(bytes), unknown: Uint8Array.from(unknown) };
}
