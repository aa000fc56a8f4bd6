import { InstructionFlag, OperandFlag } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { GENERAL, type MachineCode } from '../code.js';
import { withModifiers } from '../operands.js';
import { CodeWriter } from '../writer.js';
import { EQUAL, type Draft } from './draft.js';

/** Values of `Added.like` that are no instruction. */
export const MOVE = -1;
export const UNUSED = -2;

/** An instruction or a register that the draft has beyond those of the old code. */
export interface Added {
  /** The instruction in front of which it stands; -1 for a register alone. */
  readonly before: number;
  /** The instruction that is computed again, `MOVE` of a constant, or `UNUSED` for a register that nobody reads. */
  readonly like: number;
  /** The register that it computes, or the operand that says the constant. */
  readonly what: number;
  /** Of a constant. */
  readonly payload?: number;
  readonly width?: number;
}

/** The draft as machine code: what is dead is left out, what was added stands in its place. */
export function writeDraft(draft: Draft): MachineCode {
  const { f, added } = draft;
  const writer = new CodeWriter(draft.code);
  const names = added.map(({ like, what, width }) => {
    if (like >= 0) return writer.another(what);
    if (like === MOVE) return writer.register(CONSTANT_NAME, GENERAL, width ?? 1, -1);
    return writer.register(f.registerNames[what], f.registerClass[what], f.registerWidth[what], -1);
  });
  const order = added.map((_, k) => k).sort((a, b) => added[a].before - added[b].before);
  let next = added.reduce((count, { before }) => count + Number(before < 0), 0);
  for (let b = 0; b < f.blockCount; b++) {
    writer.sameBlock(b);
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      for (; next < order.length && added[order[next]].before === i; next++) {
        const { like, what, payload } = added[order[next]];
        if (like >= 0) writeInstruction(draft, writer, like, names[order[next]]);
        else writeMove(writer, i, what, payload ?? 0, names[order[next]]);
      }
      if (!draft.isDead[i]) writeInstruction(draft, writer, i);
    }
  }
  return writer.finish();
}

/** `result`: the register that it writes in place of its own. */
function writeInstruction(draft: Draft, writer: CodeWriter, i: number, result?: number): void {
  const { f } = draft;
  const text = draft.opcode[i] === f.opcode[i] ? undefined : draft.opcodeText(i);
  writer.head(i, nothing, undefined, text);
  writeExecuted(draft, writer, i);
  for (let o = draft.first[i]; o < draft.end[i]; o++) {
    const from = draft.from.at(o);
    const place = draft.place.at(o);
    let flags = draft.flags.at(o);
    if ((flags & OperandFlag.Definition) !== 0) {
      writer.operand(from, result !== undefined && place >= 0 ? result : place);
      continue;
    }
    if (place >= 0 && f.operandPlace[from] < 0) {
      writer.operand(from, place, withModifiers(OperandFlag.Use, draft.modifier.at(o)), 0);
      continue;
    }
    let to = place;
    if (place >= 0 && place < f.registerCount) {
      to = draft.canonical(place);
      if (to !== draft.beforeMoves(place)) flags |= OperandFlag.Equal;
    }
    if ((draft.modifier.at(o) & EQUAL) !== 0) flags |= OperandFlag.Equal;
    writer.operand(from, to, withModifiers(flags, draft.modifier.at(o)), draft.payload.at(o));
  }
}

/** What `i` executes, behind the dropped moves that its operands come through. */
function writeExecuted(draft: Draft, writer: CodeWriter, i: number): void {
  const { executes, executesFirst, executesEnd } = draft;
  if (draft.hasMoves) for (const move of movesInto(draft, i)) writer.alsoExecutes(move);
  for (let k = executesFirst[i]; k < executesEnd[i]; k++) writer.alsoExecutes(executes.at(k));
}

const nothing: readonly number[] = [];

function movesInto(draft: Draft, i: number): readonly number[] {
  const { f, isThrough, definer, executes, executesFirst, executesEnd } = draft;
  let moves: number[] | undefined;
  for (let o = draft.first[i]; o < draft.end[i]; o++) {
    const r = draft.place.at(o);
    if (r < 0 || r >= f.registerCount || !draft.isUseOperand(o)) continue;
    for (let d = definer[r]; d >= 0 && isThrough[d]; d = definer[draft.place.at(draft.first[d] + 1)])
      for (let k = executesEnd[d] - 1; k >= executesFirst[d]; k--) (moves ??= []).push(executes.at(k));
  }
  return moves === undefined ? nothing : moves.reverse();
}

const CONSTANT_NAME = 'constant';

/** `mov.b32 register, constant`: no instruction of the source. */
function writeMove(writer: CodeWriter, at: number, operand: number, payload: number, register: number): void {
  writer.head(at, nothing, InstructionFlag.Constant, 'mov.b32');
  writer.plainOperand(register, OperandFlag.Definition);
  writer.operand(operand, NoRegister.Immediate, 0, payload);
}
