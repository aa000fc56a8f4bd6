import { CodeKind, Elision, type AllocatedFunction } from '../../ir/allocated.js';
import { OperandFlag } from '../../ir/function.js';
import { isPhysical, NoRegister, physicalClass, physicalIndex, type Place } from '../../ir/place.js';
import type { Listing } from '../target.js';
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
  const { origin } = c.code;
  const waits = waitsOf(c);
  const lines: string[] = [];
  const source: number[] = [];
  const add = (text: string, instruction: number): void => {
    lines.push(text);
    source.push(instruction);
  };
  const used = Object.entries(c.stats.registers)
    .map(([registerClass, count]) => `${count} ${registerClass}`)
    .join(', ');
  add(`// ${c.source.name}: ${c.model}; ${used} registers as compiled`, -1);
  for (let b = 0; b < allocated.blockCount; b++) {
    add(`${blockName(c, b)}:`, -1);
    for (let at = allocated.blockStart[b]; at < allocated.blockStart[b + 1]; at++)
      add(lineOf(c, at, waits[at], branchTarget(c, b), text), origin[allocated.instruction[at]]);
    const exits = exitsOf(c, b);
    if (exits !== '') add(exits, -1);
  }
  return { lines, source: new Int32Array(source) };
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

/** Where a split edge leads; source blocks say so by their branches. */
function exitsOf(c: NvidiaCompilation, block: number): string {
  const { allocated } = c;
  if (block < allocated.source.blockCount) return '';
  return `${' '.repeat(13)}${'BRA'.padEnd(WIDTH)} ${blockName(c, allocated.successors[allocated.successorStart[block]])}`;
}

const WIDTH = 12;

/** Where a branch at the end of the block goes: its last successor, since a fall-through comes first. */
function branchTarget(c: NvidiaCompilation, block: number): string {
  const { successorStart, successors } = c.allocated;
  const last = successorStart[block + 1] - 1;
  return last < successorStart[block] ? '' : blockName(c, successors[last]);
}

function lineOf(c: NvidiaCompilation, at: number, wait: number, target: string, text: string): string {
  const { allocated } = c;
  const i = allocated.instruction[at];
  const original = originalText(c, i);
  const cycles = wait > 0 ? `[${wait}]`.padStart(7) : '       ';
  const kind = allocated.kind[at] as CodeKind;
  if (kind === CodeKind.Elided)
    return `${' '.repeat(13)}// ${original}: ${elisionWords(allocated.elision[at])}`;
  if (isEntry(allocated, at))
    return `${' '.repeat(13)}// from the caller: ${operandsOf(c, at, target, text).operands}`;
  const { mnemonic } = classOfCode(allocated, at);
  const wide = kind === CodeKind.Store || kind === CodeKind.Reload ? suffix(c, at) : '';
  const { guard, operands } = operandsOf(c, at, target, text);
  const line = `${cycles} ${guard.padEnd(4)} ${(mnemonic + wide).padEnd(WIDTH)} ${operands}`;
  return `${line.padEnd(48)} // ${comment(c, at, original)}`;
}

/** The source's opcode, and those that were folded into its instruction. */
function originalText({ source, code }: NvidiaCompilation, i: number): string {
  const { f, executesStart, executes } = code;
  const text = f.opcodes.text(f.opcode[i]);
  if (executesStart[i] === executesStart[i + 1]) return 'move';
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

function comment({ allocated }: NvidiaCompilation, at: number, original: string): string {
  const name = allocated.register[at] >= 0 ? allocated.source.registerNames[allocated.register[at]] : '';
  switch (allocated.kind[at] as CodeKind) {
    case CodeKind.Store:
      return isInMemory(allocated, at) ? `spill ${name}` : `keep ${name} in a general register`;
    case CodeKind.Reload:
      return isInMemory(allocated, at) ? `reload ${name}` : `take ${name} back`;
    case CodeKind.Copy:
      return `move ${name}`;
    case CodeKind.Recompute:
      return `${original}, recomputed for ${name}`;
    case CodeKind.Original:
    case CodeKind.Elided:
      return original;
    default:
      return original;
  }
}

interface OperandTexts {
  readonly guard: string;
  readonly operands: string;
}

function operandsOf(c: NvidiaCompilation, at: number, target: string, text: string): OperandTexts {
  const { allocated } = c;
  const { source } = allocated;
  const kind = allocated.kind[at] as CodeKind;
  const place = (k: number): Place => allocated.operandPlace[allocated.operandStart[at] + k];
  const slot = slotText(allocated, at);
  const plain = (operands: string): OperandTexts => ({ guard: '', operands });
  if (kind === CodeKind.Store) return plain(`${slot}, ${registerText(place(0), 0)}`);
  if (kind === CodeKind.Reload) return plain(`${registerText(place(0), 0)}, ${slot}`);
  if (kind === CodeKind.Copy) return plain(`${registerText(place(0), 0)}, ${registerText(place(1), 0)}`);
  const i = allocated.instruction[at];
  const first = source.operandStart[i];
  const end = source.operandStart[i + 1];
  const texts: string[] = [];
  let guard = '';
  for (let o = first; o < end; o++) {
    const flags = source.operandFlags[o];
    const shown = place(o - first);
    if (shown === NoRegister.Label && target !== '') texts.push(target);
    else if ((flags & OperandFlag.Guard) !== 0) guard = guardText(c, o, shown, text);
    else if ((flags & OperandFlag.Address) === 0) texts.push(operandText(c, o, shown, text));
    else {
      let address = operandText(c, o, shown, text);
      // The constant offset of an address is an operand of its own behind the base.
      const offset = o + 1;
      if (offset < end && isOffset(c, offset, place(offset - first))) {
        const written = writtenText(c, offset, text);
        address += written.startsWith('-') ? written : `+${written || 'imm'}`;
        o++;
      }
      texts.push(`[${address}]`);
    }
  }
  return { guard, operands: texts.join(', ') };
}

const isOffset = ({ code: { f } }: NvidiaCompilation, o: number, place: Place): boolean =>
  place === NoRegister.Immediate && (f.operandFlags[o] & OperandFlag.Address) !== 0;

/** `@!P0` where the payload says that the predicate's negation is meant. */
function guardText(c: NvidiaCompilation, o: number, place: Place, text: string): string {
  return `@${payloadText(c, o).startsWith('!') ? '!' : ''}${operandText(c, o, place, text)}`;
}

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
function slotText(allocated: AllocatedFunction, at: number): string {
  const slot = Math.max(0, allocated.slot[at]);
  return isInMemory(allocated, at) ? `[R1+0x${(slot * 4).toString(16)}]` : `kept.${slot}`;
}

const registerText = (place: Place, offset: number): string =>
  isPhysical(place)
    ? `${registerPrefixes[physicalClass(place)] ?? 'X'}${physicalIndex(place) + offset}`
    : '?';

function operandText(c: NvidiaCompilation, o: number, place: Place, text: string): string {
  if (isPhysical(place)) return registerText(place, c.code.f.operandOffset[o]);
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
