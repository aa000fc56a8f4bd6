import { OperandFlag } from '../../../../ir/function.js';
import type { CommonPass } from '../code.js';
import { Draft } from './draft.js';
import { isInteger, Op } from './forms.js';
import { narrow } from './narrow.js';
import { ValueTable } from './value-table.js';
import { rules } from './rules.js';
import { SignificantBits } from './significant-bits.js';

/**
 * Instruction selection as ptxas does it: copies, conversions of addresses, negations and widenings are read through
 * an operand; products are added up in one instruction; sums of three, shifted sums and chains of logic are one
 * instruction each; constants in an address are its offset; and what was computed before on every path is not computed
 * again. One walk over the blocks in reverse post-order, in which what an instruction takes in is folded already.
 */
export const fold: CommonPass = (code, context) => {
  const draft = new Draft(narrow(code, context));
  const { f, cfg, isDead } = draft;
  const values = new ValueTable(draft);
  const bits = new SignificantBits(draft);
  for (const block of cfg.order) {
    values.enter();
    for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) {
      if (isDead[i]) continue;
      if (!isMove(draft, i)) {
        rules(draft, i);
        if (!bits.isIdle(i)) values.number(i);
      }
      bits.note(i);
      draft.passed(i);
    }
  }
  return draft.finish();
};

/** A whole value moved from register to register: its result is its source. */
function isMove(draft: Draft, i: number): boolean {
  const { f } = draft;
  const form = draft.form(i);
  const to = draft.first[i];
  if (draft.end[i] - to !== 2) return false;
  const isMoved =
    form.op === Op.Move ||
    (form.op === Op.Convert &&
      form.bits === form.fromBits &&
      isInteger(form.kind) &&
      isInteger(form.fromKind));
  if (!isMoved) return false;
  const [r, s] = [draft.place.at(to), draft.place.at(to + 1)];
  if (r < 0 || s < 0 || !draft.isValue(r) || !draft.isValue(draft.canonical(s))) return false;
  const from = draft.from.at(to + 1);
  if (f.operandFlags[from] !== OperandFlag.Use || f.operandWidth[from] !== f.registerWidth[s]) return false;
  if (f.registerClass[r] !== f.registerClass[s] || f.registerWidth[r] !== f.registerWidth[s]) return false;
  if (draft.text(to + 1) !== '') return false;
  draft.passThrough(i);
  return true;
}
