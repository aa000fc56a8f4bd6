import { CodeKind, Elision } from '../../ir/allocated.js';
import { OperandFlag } from '../../ir/function.js';
import {
  isPhysical,
  NoRegister,
  physicalClass,
  physicalIndex,
  type PhysicalRegister,
  type Place,
} from '../../ir/place.js';
import { ListingWriter, type Mention } from '../listing-writer.js';
import { MentionRole, type Listing, type MarkKind } from '../target.js';
import { registerPrefixes } from './code/code.js';
import type { NvidiaCompilation } from './compile.js';
import { launchableOf } from './limits.js';
import { classOfCode, codeWithoutPlaces, isEntry, timingOf, isInMemory } from './stalls.js';

/**
 * The compiled program in the manner of the machine's assembly: R and P registers, spill code as STL and LDL, the
 * cycles waited before each line, and the PTX that it comes from. It is the model's program, not ptxas's: one line
 * stands for the whole sequence that an opcode may be.
 */
export function listingOf(c: NvidiaCompilation, text = ''): Listing {
  const { allocated } = c;
  const waits = waitsOf(c);
  const writer = new ListingWriter('//');
  const used = Object.entries(c.stats.registers)
    .map(([registerClass, count]) => `${count} ${registerClass}`)
    .join(', ');
  writer.heading(`// ${c.source.name}: ${c.model}; ${used} registers as compiled`);
  const starts = blockLines(c);
  const { successorStart, successors } = allocated;
  for (let b = 0; b < allocated.blockCount; b++) {
    const following = successors.subarray(successorStart[b], successorStart[b + 1]);
    writer.block(following);
    writer.line(`${blockName(c, b)}:`);
    // A branch at the end of the block goes to its last successor, since a fall-through comes first.
    const target = following.at(-1) ?? -1;
    for (let at = allocated.blockStart[b]; at < allocated.blockStart[b + 1]; at++)
      writeLine(writer, c, at, waits[at], { block: target, line: starts[target] ?? -1 }, text);
    if (b >= allocated.source.blockCount) writeExit(writer, c, target, starts[target]);
  }
  return writer.finish();
}

/** The line of each block's label: one heading, and one line a piece of code. */
function blockLines({ allocated }: NvidiaCompilation): Int32Array {
  const lines = new Int32Array(allocated.blockCount);
  for (let b = 0, line = 1; b < lines.length; b++) {
    lines[b] = line;
    const exits = b >= allocated.source.blockCount ? 1 : 0;
    line += 1 + allocated.blockStart[b + 1] - allocated.blockStart[b] + exits;
  }
  return lines;
}

/** Cycles waited before each piece of the code: where nothing is spilled, as if each register had a place of its own. */
function waitsOf({ allocated, code, source, options, stats }: NvidiaCompilation): Int32Array {
  const { family } = launchableOf(source, options).architecture;
  if (stats.spills.registers > 0) return timingOf(allocated, family).waits;
  const { waits } = timingOf(codeWithoutPlaces(code.f), family);
  return allocated.instruction.map((i, at) =>
    allocated.kind[at] === (CodeKind.Original as number) ? waits[i] : 0,
  );
}

function blockName({ code: { f } }: NvidiaCompilation, block: number): string {
  if (block >= f.blockCount) return `.edge_${block - f.blockCount}`;
  return f.blockNames[block] || `.L_${block}`;
}

const WIDTH = 12;
const INDENT = 13;
/** Column of the comment, behind operands that leave room for it. */
const COMMENT = 48;

/** Where a split edge leads; source blocks say so by their branches. */
function writeExit(writer: ListingWriter, c: NvidiaCompilation, target: number, definition: number): void {
  const name = blockName(c, target);
  const start = INDENT + WIDTH + 1;
  writer.line(`${' '.repeat(INDENT)}${'BRA'.padEnd(WIDTH)} ${name}`);
  writer.mention({ start, end: start + name.length, role: MentionRole.Read, definition });
}

interface Branch {
  /** Where it goes, and the line of that block's label; -1 at the end of a function. */
  readonly block: number;
  readonly line: number;
}

function writeLine(
  writer: ListingWriter,
  c: NvidiaCompilation,
  at: number,
  wait: number,
  branch: Branch,
  text: string,
): void {
  const { allocated, code } = c;
  const i = allocated.instruction[at];
  const kind = allocated.kind[at] as CodeKind;
  const original = originalText(c, i);
  const source = code.origin[i];
  if (kind === CodeKind.Elided) {
    writer.line(`${' '.repeat(INDENT)}// ${original}: ${elisionWords(allocated.elision[at])}`, source);
    carryExecuted(writer, c, i, source);
    writer.mark({ kind: 'elided' });
    return;
  }
  const { guard, operands } = operandsOf(c, at, branch, text);
  if (isEntry(allocated, at)) {
    const head = `${' '.repeat(INDENT)}// from the caller: `;
    writer.line(head + textOf(operands), source);
    mentionAll(writer, operands, head.length);
    return;
  }
  const { mnemonic } = classOfCode(allocated, at);
  const wide = kind === CodeKind.Store || kind === CodeKind.Reload ? suffix(c, at) : '';
  const cycles = wait > 0 ? `[${wait}]`.padStart(7) : '       ';
  const guardText = guard === undefined ? '' : guard.before + guard.text;
  const head = `${cycles} ${guardText.padEnd(4)} ${(mnemonic + wide).padEnd(WIDTH)} `;
  const { note, register } = comment(c, at, original);
  writer.line(`${(head + textOf(operands)).padEnd(COMMENT)} // ${note}`, source);
  if (kind === CodeKind.Original) carryExecuted(writer, c, i, source);
  if (wait > 0)
    writer.mark({ kind: 'wait', cycles: wait, start: cycles.lastIndexOf('['), end: cycles.length });
  const mark = markKinds[kind] ?? (original === MOVE ? 'move' : undefined);
  const length = head.length + textOf(operands).length;
  if (mark !== undefined)
    writer.mark({ kind: mark, start: cycles.length + (guard === undefined ? 6 : 1), end: length, register });
  if (guard !== undefined) mentionAll(writer, [guard], cycles.length + 1);
  mentionAll(writer, operands, head.length, guard !== undefined);
  if (register < 0 || kind === CodeKind.Original) return;
  const name = c.source.registerNames[register];
  const end = Math.max(length, COMMENT) + ' // '.length + note.length;
  if (note.endsWith(name))
    writer.mention({ start: end - name.length, end, role: MentionRole.Name, register });
}

const markKinds: Partial<Record<CodeKind, MarkKind>> = {
  [CodeKind.Store]: 'store',
  [CodeKind.Reload]: 'reload',
  [CodeKind.Copy]: 'move',
  [CodeKind.Recompute]: 'recomputed',
};

/** What was folded into an instruction is carried out by its line too. */
function carryExecuted(
  writer: ListingWriter,
  { code, source }: NvidiaCompilation,
  i: number,
  told: number,
): void {
  const { executesStart, executes } = code;
  for (let k = executesStart[i]; k < executesStart[i + 1]; k++) {
    const number = executes[k] < 0 ? ~executes[k] : executes[k];
    if (number !== told && number < source.instructionCount) writer.carry(number);
  }
}

/** One operand as it is shown. */
interface Piece {
  readonly text: string;
  /** What stands before and behind it: `[`, `+8]`. */
  readonly before: string;
  readonly after: string;
  /** What it mentions; absent for a constant. */
  readonly mention?: Omit<Mention, 'start' | 'end'>;
}

const plain = (text: string): Piece => ({ text, before: '', after: '' });

const textOf = (pieces: readonly Piece[]): string =>
  pieces.map(({ text, before, after }) => before + text + after).join(', ');

function mentionAll(
  writer: ListingWriter,
  pieces: readonly Piece[],
  column: number,
  isGuarded = false,
): void {
  let start = column;
  for (const { text, before, after, mention } of pieces) {
    start += before.length;
    if (mention !== undefined) {
      const keeps = isGuarded && (mention.role & MentionRole.Write) !== 0 ? MentionRole.Keeps : 0;
      const { role, place, units, register, definition } = mention;
      const end = start + text.length;
      writer.mention({ start, end, role: role | keeps, place, units, register, definition });
    }
    start += text.length + after.length + ', '.length;
  }
}

/** What is said of an instruction that executes none of the source's. */
const MOVE = 'move';

/** The source's opcode, and those that were folded into its instruction. */
function originalText({ source, code }: NvidiaCompilation, i: number): string {
  const { f, executesStart, executes } = code;
  const text = f.opcodes.text(f.opcode[i]);
  if (executesStart[i] === executesStart[i + 1]) return MOVE;
  const folded: string[] = [];
  for (let k = executesStart[i]; k + 1 < executesStart[i + 1]; k++) {
    const number = executes[k] < 0 ? ~executes[k] : executes[k];
    if (number < source.instructionCount) folded.push(source.opcodes.text(source.opcode[number]));
  }
  return folded.length === 0 ? text : `${text} with ${folded.join(', ')}`;
}

function elisionWords(elision: number): string {
  if (elision === Elision.Dead) return 'dead, left out';
  if (elision === Elision.Copy) return 'copy, folded';
  return 'recomputed where it is used';
}

function suffix({ allocated }: NvidiaCompilation, at: number): string {
  const width = allocated.source.registerWidth[allocated.register[at]];
  return width > 1 ? `.${width * 32}` : '';
}

interface Comment {
  readonly note: string;
  /** The source register that the line is for, or -1. */
  readonly register: number;
}

function comment({ allocated, code }: NvidiaCompilation, at: number, original: string): Comment {
  const own = allocated.register[at];
  const register = own >= 0 ? code.registerOrigin[own] : -1;
  const name = own >= 0 ? allocated.source.registerNames[own] : '';
  const say = (note: string): Comment => ({ note, register });
  switch (allocated.kind[at] as CodeKind) {
    case CodeKind.Store:
      return say(isInMemory(allocated, at) ? `spill ${name}` : `keep ${name} in a general register`);
    case CodeKind.Reload:
      return say(isInMemory(allocated, at) ? `reload ${name}` : `take ${name} back`);
    case CodeKind.Copy:
      return say(`move ${name}`);
    case CodeKind.Recompute:
      return say(`${original}, recomputed for ${name}`);
    case CodeKind.Original:
    case CodeKind.Elided:
      return say(original);
    default:
      return say(original);
  }
}

interface OperandTexts {
  readonly guard: Piece | undefined;
  readonly operands: readonly Piece[];
}

function operandsOf(c: NvidiaCompilation, at: number, branch: Branch, text: string): OperandTexts {
  const { allocated } = c;
  const { source } = allocated;
  const kind = allocated.kind[at] as CodeKind;
  const place = (k: number): Place => allocated.operandPlace[allocated.operandStart[at] + k];
  const all = (...operands: Piece[]): OperandTexts => ({ guard: undefined, operands });
  const own = (k: number, role: number): Piece => ownPiece(c, at, place(k), role);
  if (kind === CodeKind.Store) return all(slotPiece(c, at, MentionRole.Write), own(0, MentionRole.Read));
  if (kind === CodeKind.Reload) return all(own(0, MentionRole.Write), slotPiece(c, at, MentionRole.Read));
  if (kind === CodeKind.Copy) return all(own(0, MentionRole.Write), own(1, MentionRole.Read));
  const i = allocated.instruction[at];
  const first = source.operandStart[i];
  const end = source.operandStart[i + 1];
  const operands: Piece[] = [];
  let guard: Piece | undefined;
  for (let o = first; o < end; o++) {
    const flags = source.operandFlags[o];
    const shown = place(o - first);
    if (shown === NoRegister.Label && branch.block >= 0) operands.push(labelPiece(c, branch));
    else if ((flags & OperandFlag.Guard) !== 0) guard = guardPiece(c, o, shown, text);
    else if ((flags & OperandFlag.Address) === 0) operands.push(operandPiece(c, o, shown, text));
    else {
      let after = ']';
      const address = operandPiece(c, o, shown, text);
      // The constant offset of an address is an operand of its own behind the base.
      const offset = o + 1;
      if (offset < end && isOffset(c, offset, place(offset - first))) {
        const written = writtenText(c, offset, text);
        after = `${written.startsWith('-') ? written : `+${written || 'imm'}`}]`;
        o++;
      }
      operands.push({ ...address, before: '[', after });
    }
  }
  return { guard, operands };
}

const labelPiece = (c: NvidiaCompilation, { block, line }: Branch): Piece => ({
  ...plain(blockName(c, block)),
  mention: { role: MentionRole.Read, definition: line },
});

const isOffset = ({ code: { f } }: NvidiaCompilation, o: number, place: Place): boolean =>
  place === NoRegister.Immediate && (f.operandFlags[o] & OperandFlag.Address) !== 0;

/** `@!P0` where the payload says that the predicate's negation is meant. */
const guardPiece = (c: NvidiaCompilation, o: number, place: Place, text: string): Piece => ({
  ...operandPiece(c, o, place, text),
  before: payloadText(c, o).startsWith('!') ? '@!' : '@',
});

function payloadText({ code: { f } }: NvidiaCompilation, o: number): string {
  const payload = f.operandPayload?.[o] ?? 0;
  return payload === 0 ? '' : (f.operandTexts?.text(payload) ?? '');
}

/** What stands at the operand in the source, or its value; empty where neither is known. */
function writtenText(c: NvidiaCompilation, o: number, text: string): string {
  const { f } = c.code;
  const start = f.operandSpanStart[o];
  if (start >= 0) {
    const written = text.slice(start, f.operandSpanEnd[o]).replace(/\s+/g, ' ');
    if (written !== '') return written;
  }
  return payloadText(c, o);
}

/** A word of local memory; for what is kept in general registers, which of those kept ones. */
function slotPiece({ allocated, code }: NvidiaCompilation, at: number, role: number): Piece {
  const slot = Math.max(0, allocated.slot[at]);
  const r = allocated.register[at];
  const isMemory = isInMemory(allocated, at);
  return {
    text: isMemory ? `R1+0x${(slot * 4).toString(16)}` : `kept.${slot}`,
    before: isMemory ? '[' : '',
    after: isMemory ? ']' : '',
    mention: {
      role,
      place: SLOTS + allocated.source.registerClass[r] * CLASS_STRIDE + slot,
      units: allocated.source.registerWidth[r],
      register: code.registerOrigin[r],
    },
  };
}

/** Numbers of places in `Mention`: registers by class, behind them the slots of each class. */
const CLASS_STRIDE = 1 << 20;
const SLOTS = 16 * CLASS_STRIDE;

const registerText = (place: Place, offset: number): string =>
  isPhysical(place)
    ? `${registerPrefixes[physicalClass(place)] ?? 'X'}${physicalIndex(place) + offset}`
    : '?';

const placeNumber = (place: PhysicalRegister, offset: number): number =>
  physicalClass(place) * CLASS_STRIDE + physicalIndex(place) + offset;

/** The register of a piece of spill code or a copy. */
function ownPiece({ allocated, code }: NvidiaCompilation, at: number, place: Place, role: number): Piece {
  const piece = plain(registerText(place, 0));
  if (!isPhysical(place)) return piece;
  const r = allocated.register[at];
  const units = allocated.source.registerWidth[r];
  return {
    ...piece,
    mention: { role, place: placeNumber(place, 0), units, register: code.registerOrigin[r] },
  };
}

function operandPiece(c: NvidiaCompilation, o: number, place: Place, text: string): Piece {
  if (!isPhysical(place)) return plain(constantText(c, o, place, text));
  const { f, registerOrigin } = c.code;
  const offset = f.operandOffset[o];
  const from = f.operandPlace[o];
  return {
    text: registerText(place, offset),
    before: '',
    after: '',
    mention: {
      role: roleOf(f.operandFlags[o]),
      place: placeNumber(place, offset),
      units: Math.max(1, f.operandWidth[o]),
      register: from >= 0 ? registerOrigin[from] : -1,
    },
  };
}

function roleOf(flags: number): number {
  const reads = (flags & (OperandFlag.Use | OperandFlag.Guard)) !== 0 ? MentionRole.Read : 0;
  if ((flags & OperandFlag.Definition) === 0) return MentionRole.Read;
  const keeps = (flags & (OperandFlag.Partial | OperandFlag.Predicated)) !== 0 ? MentionRole.Keeps : 0;
  return reads | MentionRole.Write | keeps;
}

function constantText(c: NvidiaCompilation, o: number, place: Place, text: string): string {
  switch (place) {
    case NoRegister.Immediate:
      return writtenText(c, o, text) || 'imm';
    case NoRegister.SpecialConstant:
    case NoRegister.SpecialVolatile:
      return writtenText(c, o, text) || 'SR';
    case NoRegister.Symbol:
      return writtenText(c, o, text) || 'sym';
    case NoRegister.Label:
      return writtenText(c, o, text) || 'label';
    case NoRegister.Sink:
      return 'RZ';
    default:
      return '?';
  }
}
