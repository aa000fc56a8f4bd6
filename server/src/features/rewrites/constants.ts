import { blockOf, InstructionFlag, type Function } from '../../ir/function.js';
import { isDefinition, isUse, kills } from '../../passes/occurrences.js';
import type { Compilation } from '../../targets/target.js';
import type { TextEdit } from '../../text/span.js';
import type { Snapshot, Unit } from '../../workspace/snapshot.js';
import { registerOccurrences } from '../reaching.js';
import { heldOver, meansTheSame, peaksOf, statementOf, type Rewrite } from './candidates.js';

/**
 * Rematerialisation by hand (Briggs, Cooper, Torczon, "Rematerialization", PLDI 1992): a value that depends on nothing
 * that changes need not be kept over a long stretch. Its one definition is repeated before distant uses, into the same
 * register, so that the register is free in between; where no use stays near, the first one goes.
 */
export function constantRewrites(s: Snapshot, unit: Unit, c: Compilation): Rewrite[] {
  const peaks = peaksOf(c);
  const spilled = c.spills.map(({ register }) => register).filter((register) => register >= 0);
  const registers = new Set([...spilled, ...peaks.flatMap((peak) => heldOver(c, peak))]);
  return [...registers].flatMap((register) => repeated(s, unit, c.source, register, peaks) ?? []);
}

/** Every constant that can be made again, whether or not that is worth anything. */
export function* allConstants(s: Snapshot, unit: Unit, f: Function): Generator<Rewrite> {
  for (let register = 0; register < f.registerCount; register++) {
    const rewrite = repeated(s, unit, f, register, [], 1);
    if (rewrite !== undefined) yield rewrite;
  }
}

/** Uses closer than this to the mention before them, in one block, go on sharing its value. */
const DISTANT = 16;
/** With more copies than this the instructions cost more than the register. */
const MOST_COPIES = 8;

function repeated(
  s: Snapshot,
  unit: Unit,
  f: Function,
  register: number,
  peaks: readonly number[],
  distance = DISTANT,
): Rewrite | undefined {
  const definition = constantDefinition(f, register);
  if (definition < 0) return undefined;
  const { distant, isShared, mentions } = usesOf(f, register, definition, distance);
  if (distant.length === 0 || distant.length > MOST_COPIES) return undefined;
  if (distant.some((use) => !meansTheSame(unit, f, definition, use))) return undefined;
  const { text } = unit.parsed;
  const own = text.slice(f.spanStart[definition], f.spanEnd[definition]);
  const edits: TextEdit[] = distant.map((use) => {
    const at = f.spanStart[use];
    return { span: { start: at, end: at }, newText: `${own}${lineEndOf(text)}${indentation(text, at)}` };
  });
  if (!isShared) {
    const { start, end } = statementOf(s, unit, f, definition) ?? {
      start: f.spanStart[definition],
      end: f.spanEnd[definition],
    };
    edits.push({ span: { start, end }, newText: '' });
  }
  edits.sort((a, b) => a.span.start - b.span.start);
  const lines = distant.map((use) => s.lines.lineAt(unit.start + f.spanStart[use]) + 1);
  const where = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.join(', ')}`;
  return {
    title: `Compute \`${f.registerNames[register]}\` again in ${where} instead of keeping it`,
    anchors: [...mentions, ...peaks],
    ...ordered(f, definition, distant, isShared),
    edits,
  };
}

/** The one instruction that defines the register, whole and unguarded, if it reads no register; else -1. */
function constantDefinition(f: Function, register: number): number {
  const { start, operand, instruction } = registerOccurrences(f);
  let definition = -1;
  for (let k = start[register]; k < start[register + 1]; k++) {
    if (!isDefinition(f, operand[k])) continue;
    if (definition >= 0 || !kills(f, operand[k])) return -1;
    definition = instruction[k];
  }
  if (definition < 0 || (f.instructionFlags[definition] & InstructionFlag.Constant) === 0) return -1;
  for (let o = f.operandStart[definition]; o < f.operandStart[definition + 1]; o++)
    if (f.operandPlace[o] >= 0 && f.operandPlace[o] !== register) return -1;
  return definition;
}

interface Uses {
  /** Instructions before which the value is computed again. */
  readonly distant: readonly number[];
  /** Whether the first definition keeps any. */
  readonly isShared: boolean;
  readonly mentions: readonly number[];
}

function usesOf(f: Function, register: number, definition: number, distance: number): Uses {
  const { start, operand, instruction } = registerOccurrences(f);
  const distant: number[] = [];
  const mentions: number[] = [];
  let isShared = false;
  let isOfFirst = false;
  let block = -1;
  for (let k = start[register]; k < start[register + 1]; k++) {
    const i = instruction[k];
    const before = mentions.at(-1) ?? -1;
    if (i === before || (i !== definition && !isUse(f, operand[k]))) continue;
    const home = blockOf(f, i);
    if (i === definition) isOfFirst = true;
    else if (home !== block || i - before >= distance) {
      distant.push(i);
      isOfFirst = false;
    } else if (isOfFirst) isShared = true;
    mentions.push(i);
    block = home;
  }
  return { distant, isShared, mentions };
}

/** The instructions with the definition before each of `distant`, and in its own place if it is still needed there. */
function ordered(
  f: Function,
  definition: number,
  distant: readonly number[],
  isKept: boolean,
): Pick<Rewrite, 'order' | 'blockStart'> {
  const before = new Set(distant);
  const order: number[] = [];
  const blockStart = new Int32Array(f.blockCount + 1);
  for (let b = 0; b < f.blockCount; b++) {
    blockStart[b] = order.length;
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      if (before.has(i)) order.push(definition);
      if (i !== definition || isKept) order.push(i);
    }
  }
  blockStart[f.blockCount] = order.length;
  return { order: Int32Array.from(order), blockStart };
}

const lineEndOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** Blanks in front of the first word of the line that holds `offset`. */
function indentation(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}
