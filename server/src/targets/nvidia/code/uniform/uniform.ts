import { functionWith, InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import { controlFlow } from '../../../../passes/cfg.js';
import { isDefinition, kills, occurrencesOf, type Occurrences } from '../../../../passes/occurrences.js';
import { machine } from '../../architectures.js';
import { analysisOf } from '../analysis.js';
import { codeWith, GENERAL, PREDICATE, UNIFORM, type MachineCode, type Modelled } from '../code.js';
import { Op } from '../fold/forms.js';
import { isGuarded, operandText } from '../operands.js';
import { datapathsOf, hasUniformField, takesField, type Datapath } from './datapath.js';
import { divergentRegisters } from './divergence.js';

/**
 * Values that are the same in all lanes, in uniform registers (UR0 to UR62, sm_75 to sm_90): they take no register of
 * a thread.
 *
 * What ptxas 13.0 was seen to do in about sixty small kernels for sm_75, sm_80 and sm_90: a value is computed on the
 * uniform datapath when every operand can be had there and every reader can take it from there. A reader is another
 * uniform instruction, or a vector instruction with a field for a constant that neither a constant nor a second uniform
 * value wants: `x * u + 7`, `x * u + n` and `x * u + v` leave u and v in vector registers, together with all that is
 * computed from them. Stored values, values that are shifted, branches and products that are scaled in an address
 * are no readers of that kind. Nothing is computed there under a guard, be it the same in all lanes, so nothing of
 * small branches that become predicated; a predicated instruction may read it. A pointer that a loop moves on is kept
 * there; from sm_80 on only one with a single access, which copies it into a pair of vector registers (sm_75 addresses
 * memory with uniform registers).
 */
export function uniform(code: MachineCode, context: Modelled): MachineCode {
  const { f } = code;
  const occurrences = occurrencesOf(f);
  const isDivergent = divergentRegisters(f, controlFlow(f), occurrences);
  const choice = new Choice(f, occurrences, isDivergent, context);
  const isUniform = choice.solve();
  const registerClass = f.registerClass.slice();
  let units = 0;
  for (let r = 0; r < f.registerCount; r++) {
    if (isUniform[r] === 0 || registerClass[r] !== GENERAL) continue;
    registerClass[r] = UNIFORM;
    units += f.registerWidth[r];
  }
  if (units === 0) return code;
  const inClasses = functionWith(f, {
    registerClass,
    instructionFlags: flagsBetweenFiles(f, registerClass),
  });
  if (units > MOST_LIVE && analysisOf(inClasses).pressure.peak[UNIFORM] > MOST_LIVE) return code;
  return codeWith(code, {
    f: inClasses,
    temporaries: withAddressCopies(code, isUniform, context),
  });
}

/** The version from which no access reads its address from uniform registers. */
const COPYING = 80;

const unlikeMoves = new Set([Op.ShiftLeft, Op.ShiftAdd, Op.Add3, Op.Multiply, Op.MultiplyAdd, Op.Pure]);

/**
 * More at once than this stay in vector registers: the file has 63, and the order that instructions get later keeps
 * some of them longer.
 */
const MOST_LIVE = machine.uniformRegisters - 15;

/** From sm_80 on: a pair of vector registers at each access to memory through a uniform address. */
function withAddressCopies(
  { f, temporaries }: MachineCode,
  isUniform: Uint8Array,
  context: Modelled,
): Uint8Array {
  let needed: Uint8Array | undefined;
  for (let i = 0; i < f.instructionCount; i++)
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || (f.operandFlags[o] & OperandFlag.Address) === 0 || isUniform[r] === 0) continue;
      if (f.registerWidth[r] !== 2) continue;
      if (!context.isSince(COPYING)) return temporaries;
      needed ??= temporaries.slice();
      needed[i] = Math.min(255, needed[i] + 2);
    }
  return needed ?? temporaries;
}

class Choice {
  /** By register: in a uniform register, as far as is known. */
  private readonly chosen: Uint8Array;
  /** By register: one definition, a constant or parameter: to be had on either datapath. */
  private readonly isConstant: Uint8Array;
  private readonly definitions: Uint8Array;
  private readonly lost: number[] = [];
  private readonly datapath: (opcode: number) => Datapath;

  constructor(
    private readonly f: Function,
    private readonly occurrences: Occurrences,
    private readonly isDivergent: Uint8Array,
    private readonly context: Modelled,
  ) {
    this.chosen = new Uint8Array(f.registerCount).fill(1);
    this.isConstant = new Uint8Array(f.registerCount);
    this.definitions = new Uint8Array(f.registerCount);
    this.datapath = datapathsOf(f.opcodes);
  }

  solve(): Uint8Array {
    const { f, chosen, lost } = this;
    this.begin();
    for (let i = 0; i < f.instructionCount; i++) if (this.touchesChosen(i)) this.check(i);
    for (let r = lost.pop(); r !== undefined; r = lost.pop()) {
      const { start, instruction } = this.occurrences;
      for (let k = start[r]; k < start[r + 1]; k++) this.check(instruction[k]);
    }
    this.constants();
    return chosen;
  }

  /** What cannot be there whatever its readers do. */
  private begin(): void {
    const { f, chosen, isConstant, isDivergent, definitions } = this;
    for (let i = 0; i < f.instructionCount; i++) {
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
        const r = f.operandPlace[o];
        if (r < 0 || isDivergent[r] !== 0 || !isDefinition(f, o)) continue;
        if (!kills(f, o) || !this.isFit(i)) chosen[r] = 0;
        if (definitions[r] < 2) definitions[r]++;
        const isPlain = (f.instructionFlags[i] & InstructionFlag.Constant) !== 0;
        isConstant[r] = Number(isPlain && definitions[r] === 1 && !this.readsSpecial(i));
      }
    }
    for (let r = 0; r < f.registerCount; r++)
      if (definitions[r] === 0) {
        chosen[r] = 0;
        isConstant[r] = 0;
      }
  }

  /** Whether the uniform datapath has the instruction. */
  private isFit(i: number): boolean {
    const { f } = this;
    const { isUniform, form } = this.datapath(f.opcode[i]);
    if (
      (f.instructionFlags[i] & InstructionFlag.Constant) !== 0 &&
      (form.op === Op.Move || form.op === Op.ParameterLoad)
    )
      return true;
    return isUniform && f.operandStart[i] < f.operandStart[i + 1] && !isGuarded(f, i);
  }

  /** A special register that costs an instruction on either datapath, such as `%ctaid.x`; `%ntid` is a constant. */
  private readsSpecial(i: number): boolean {
    const { f } = this;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (f.operandPlace[o] === NoRegister.SpecialConstant && !operandText(f, o).startsWith('%n'))
        return true;
    return false;
  }

  private touchesChosen(i: number): boolean {
    const { f, chosen } = this;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (f.operandPlace[o] >= 0 && chosen[f.operandPlace[o]] !== 0) return true;
    return false;
  }

  /** What instruction `i` asks of its operands and results, as things stand. */
  private check(i: number): void {
    if (this.isOnDatapath(i)) {
      if (this.hasUniformSources(i)) return;
      this.dropResults(i);
    }
    const { f } = this;
    const { form } = this.datapath(f.opcode[i]);
    let taken = 0;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0) taken += Number(!isDefinition(f, o) && takesField(f, i, o));
      else taken += Number(!isDefinition(f, o) && this.chosen[r] !== 0 && this.isConstant[r] === 0);
    }
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || this.chosen[r] === 0 || this.isConstant[r] !== 0 || isDefinition(f, o)) continue;
      const isReader =
        (f.operandFlags[o] & OperandFlag.Address) !== 0
          ? this.isAddress(r)
          : taken === 1 && hasUniformField(f, i, o, form);
      if (!isReader) this.drop(r);
    }
  }

  private isOnDatapath(i: number): boolean {
    const { f } = this;
    let results = 0;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || !isDefinition(f, o)) continue;
      if (this.chosen[r] === 0) return false;
      results++;
    }
    return results > 0;
  }

  private hasUniformSources(i: number): boolean {
    const { f } = this;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (r < 0 || isDefinition(f, o) || (f.operandFlags[o] & OperandFlag.Guard) !== 0) continue;
      if (this.chosen[r] === 0 && this.isConstant[r] === 0) return false;
    }
    return true;
  }

  private dropResults(i: number): void {
    const { f } = this;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (f.operandPlace[o] >= 0 && isDefinition(f, o)) this.drop(f.operandPlace[o]);
  }

  private drop(r: number): void {
    if (this.chosen[r] === 0) return;
    this.chosen[r] = 0;
    this.lost.push(r);
  }

  /**
   * A pointer that a loop moves on; an address in shared memory that is not scaled on the way (a scaled index would
   * be scaled by the access itself, which only a vector register can be).
   */
  private isAddress(r: number): boolean {
    const { f, definitions } = this;
    if (f.registerWidth[r] === 2)
      return definitions[r] > 1 && (this.accesses(r) === 1 || !this.context.isSince(COPYING));
    if (definitions[r] > 1) return true;
    const { start, operand, instruction } = this.occurrences;
    for (let k = start[r]; k < start[r + 1]; k++) {
      if (!isDefinition(f, operand[k])) continue;
      const { op } = this.datapath(f.opcode[instruction[k]]).form;
      return !unlikeMoves.has(op);
    }
    return false;
  }

  private accesses(r: number): number {
    const { start, operand } = this.occurrences;
    let count = 0;
    for (let k = start[r]; k < start[r + 1]; k++)
      if ((this.f.operandFlags[operand[k]] & OperandFlag.Address) !== 0) count++;
    return count;
  }

  /** A constant stays in a vector register where a vector instruction reads it from there. */
  private constants(): void {
    const { f, chosen, isConstant } = this;
    for (let i = 0; i < f.instructionCount; i++) {
      if (this.isOnDatapath(i)) continue;
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
        const r = f.operandPlace[o];
        if (r >= 0 && isConstant[r] !== 0) chosen[r] = 0;
      }
    }
    for (let r = 0; r < f.registerCount; r++) if (f.registerClass[r] === PREDICATE) chosen[r] = 0;
  }
}

/** What moves a value between the two files is no copy any more, which an allocator could fold. */
function flagsBetweenFiles(f: Function, registerClass: Uint8Array): Uint16Array {
  const flags = f.instructionFlags.slice();
  for (let i = 0; i < f.instructionCount; i++) {
    if ((flags[i] & InstructionFlag.Copy) === 0) continue;
    const to = f.operandPlace[f.operandStart[i]];
    const from = f.operandPlace[f.operandStart[i] + 1];
    if (to >= 0 && from >= 0 && registerClass[to] !== registerClass[from]) flags[i] &= ~InstructionFlag.Copy;
  }
  return flags;
}
