import { placeOf } from '../../ir/function.js';
import { isVirtual } from '../../ir/place.js';
import { ListingWriter } from '../listing-writer.js';
import { MentionRole, type Listing, type MarkKind } from '../target.js';
import { bytesRead, bytesWritten, isConditional, writesAll, writesFlag } from './access.js';
import type { GenCompilation } from './compilation.js';
import { ownersOf } from './pressure.js';
import { GRF_BYTES, type Instruction, type Operand, type Program } from './program.js';
import { flagText, instructionText, operandText } from './text.js';

/**
 * The compiled program as text: directives that say what a dump leaves out, then the instructions with
 * hardware registers. Where nothing fitted, the program that went into allocation.
 */
export function listingOf(compilation: GenCompilation): Listing {
  const program = compilation.code ?? compilation.lowered;
  const { instructions, blockStart, successors } = program;
  const waits = compilation.code === undefined ? undefined : compilation.estimate?.waits;
  const owners = ownersOf(program);
  const writer = new ListingWriter(';');
  for (const line of header(program)) writer.line(line);
  const blocks = blockStart.length - 1;
  const labelled = blocks > 1 ? 1 : 0;
  const first = writer.next;
  const lineOfBlock = (block: number): number => first + blockStart[block] + block * labelled;
  for (let block = 0; block < blocks; block++) {
    writer.block(successors[block]);
    if (blocks > 1) writeBlockLine(writer, program, block, lineOfBlock);
    for (let i = blockStart[block]; i < blockStart[block + 1]; i++) {
      const instruction = instructions[i];
      const number = String(i).padStart(4);
      const text = instructionText({ program, source: compilation.source }, instruction);
      writer.line(`${number}: ${text}`, instruction.origin);
      if (instruction.origin < 0 && owners[i] >= 0) writer.carry(owners[i]);
      const start = number.length + 2;
      const cycles = waits?.[i] ?? 0;
      if (cycles > 0)
        writer.mark({ kind: 'wait', cycles, start: number.length - String(i).length, end: number.length });
      const kind = addedFor(instruction);
      if (kind !== undefined) writer.mark({ kind, start });
      new Mentioner(writer, compilation, program, instruction, lineOfBlock).write(text, start);
    }
  }
  return writer.finish();
}

const modes: Readonly<Record<string, string>> = { '8': 'simd8', '16': 'simd16', '32': 'simd32' };

function header(program: Program): string[] {
  const { dialect, width, platform, phase, firstFree } = program;
  return [
    '.gen 1',
    `.target ${platform.name}`,
    `.mode ${dialect === 'vec4' ? 'simd4x2' : modes[String(width)]}`,
    `.phase ${phase}`,
    ...(firstFree > 0 ? [`.payload g0${firstFree > 1 ? `-g${firstFree - 1}` : ''}`] : []),
    ...(program.uniforms > 0 ? [`.uniforms ${program.uniforms}`] : []),
    `.grf_limit ${program.registerLimit}`,
  ];
}

/** `START B0 ->B1`: each edge leads to the line of its block. */
function writeBlockLine(
  writer: ListingWriter,
  { successors }: Program,
  block: number,
  lineOfBlock: (block: number) => number,
): void {
  let text = `START B${block}`;
  const edges = successors[block].map((to) => {
    const start = text.length + ' ->'.length;
    text += ` ->B${to}`;
    return { start, end: text.length, role: MentionRole.Read, definition: lineOfBlock(to) };
  });
  writer.line(text);
  for (const edge of edges) writer.mention(edge);
}

/** What code that allocation has added is there for. */
function addedFor({ opcode, origin, sources }: Instruction): MarkKind | undefined {
  if (origin >= 0) return undefined;
  if (opcode.scratch !== undefined) return opcode.scratch === 'write' ? 'store' : 'reload';
  if (opcode.name.toLowerCase() !== 'mov') return undefined;
  return sources.every(({ file }) => file === 'immediate') ? 'recomputed' : 'move';
}

/** Places in numbers: bytes of the register file, message registers, flags, bytes of scratch. */
const MESSAGES = 1 << 20;
const FLAGS = 2 << 20;
const ACCUMULATORS = 3 << 20;
const SCRATCH = 4 << 20;

/** The operands of one instruction, which stand in its text in their order. */
class Mentioner {
  private from = 0;

  constructor(
    private readonly writer: ListingWriter,
    private readonly compilation: GenCompilation,
    private readonly program: Program,
    private readonly instruction: Instruction,
    private readonly lineOfBlock: (block: number) => number,
  ) {}

  write(text: string, column: number): void {
    const { instruction, program } = this;
    const find = (word: string): { start: number; end: number } | undefined => {
      const at = text.indexOf(word, this.from);
      if (at < 0) return undefined;
      this.from = at + word.length;
      return { start: column + at, end: column + this.from };
    };
    const { predicate, condition, message, opcode } = instruction;
    if (predicate !== undefined && predicate.flag.kind === 'hardware') {
      const span = find(flagText(predicate.flag));
      if (span !== undefined)
        this.writer.mention({ ...span, role: MentionRole.Read, place: FLAGS + predicate.flag.flag });
    }
    if (condition !== undefined && writesFlag(instruction) && condition.flag.kind === 'hardware') {
      const span = find(flagText(condition.flag));
      const role = MentionRole.Write | (predicate === undefined ? 0 : MentionRole.Keeps);
      if (span !== undefined) this.writer.mention({ ...span, role, place: FLAGS + condition.flag.flag });
    }
    const operand = (one: Operand, k: number, isDestination: boolean): void => {
      const span = find(
        operandText({ program, source: this.compilation.source }, one, isDestination).trimEnd(),
      );
      const place = span === undefined ? undefined : this.placeOf(one, k, isDestination);
      if (span !== undefined && place !== undefined)
        this.writer.mention({ ...span, ...place, register: this.registerOf(one) });
    };
    instruction.destinations.forEach((one, k) => operand(one, k, true));
    instruction.sources.forEach((one, k) => operand(one, k, false));
    if (message.scratchOffset !== undefined) {
      const span = find(`offset ${message.scratchOffset}`);
      const role = opcode.scratch === 'write' ? MentionRole.Write : MentionRole.Read;
      if (span !== undefined) this.writer.mention({ ...span, role, place: SCRATCH + message.scratchOffset });
    }
    const label = instruction.target < 0 ? undefined : /jip=(\S+)/.exec(text);
    if (label) {
      const start = column + label.index + 'jip='.length;
      const definition = this.lineOfBlock(instruction.target);
      this.writer.mention({ start, end: start + label[1].length, role: MentionRole.Read, definition });
    }
  }

  private placeOf(
    operand: Operand,
    k: number,
    isDestination: boolean,
  ): { place: number; units: number; role: number } | undefined {
    const { instruction, program } = this;
    const { dialect } = program;
    // the scratch write's g0 is a name for "no result"
    const writes = isDestination && instruction.opcode.scratch !== 'write';
    const keeps = writes && (isConditional(instruction) || !writesAll(instruction, k, dialect));
    const role = writes ? MentionRole.Write | (keeps ? MentionRole.Keeps : 0) : MentionRole.Read;
    switch (operand.file) {
      case 'grf': {
        const bytes = isDestination
          ? bytesWritten(instruction, k, dialect)
          : bytesRead(instruction, k, dialect);
        return { place: operand.grf * GRF_BYTES + operand.offset, units: Math.max(1, bytes), role };
      }
      case 'message':
        return { place: MESSAGES + operand.number, units: 1, role };
      case 'flag':
        return { place: FLAGS + operand.number, units: 1, role };
      case 'accumulator':
        return { place: ACCUMULATORS + operand.number, units: 1, role };
      case 'slot':
        return { place: SCRATCH + operand.number * GRF_BYTES, units: GRF_BYTES, role };
      default:
        return undefined;
    }
  }

  /** The source register that stood where this operand stands. */
  private registerOf({ operand }: Operand): number {
    const { source } = this.compilation;
    if (operand < 0 || operand >= source.operandPlace.length) return -1;
    const place = placeOf(source, operand);
    return isVirtual(place) ? place : -1;
  }
}
