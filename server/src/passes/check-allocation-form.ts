import { CodeKind, Elision, type AllocatedFunction } from '../ir/allocated.js';
import { InstructionFlag, OperandFlag, nameOf } from '../ir/function.js';
import { isPhysical, isVirtual, physicalClass, physicalIndex, virtual } from '../ir/place.js';
import type { CheckOptions, Violation } from './check-allocation.js';

/**
 * What can be said of an allocated program without following values: every source instruction once and in order
 * in its block, edges as in the source, every operand in a place of its class, in range, aligned, fixed and tied
 * ones where they must be, two results of one instruction apart, spill code well formed, elisions of instructions
 * that may be elided.
 */
export function formViolations(a: AllocatedFunction, options: CheckOptions): Violation[] {
  const violations: Violation[] = [];
  const most = options.most ?? 100;
  const report: Report = (at, message) => {
    if (violations.length >= most) return;
    const instruction = at >= 0 && at < a.count ? a.instruction[at] : -1;
    const where = instruction >= 0 ? `at instruction ${instruction}: ` : '';
    violations.push({ instruction, code: at, message: where + message });
  };
  checkBlocks(a, report);
  if (violations.length > 0) return violations;
  checkRegisterFile(a, options, report);
  for (let at = 0; at < a.count && violations.length < most; at++) checkCode(a, at, options, report);
  return violations;
}

type Report = (at: number, message: string) => void;

const CANNOT_BE_DEAD =
  InstructionFlag.SideEffect |
  InstructionFlag.WritesMemory |
  InstructionFlag.Call |
  InstructionFlag.Branch |
  InstructionFlag.Return |
  InstructionFlag.Barrier;

const isSourceInstruction = (kind: number): boolean => kind === CodeKind.Original || kind === CodeKind.Elided;

function checkBlocks(a: AllocatedFunction, report: Report): void {
  const f = a.source;
  if (a.blockCount < f.blockCount) {
    report(-1, `has ${a.blockCount} blocks, the source ${f.blockCount}`);
    return;
  }
  if (a.blockStart[0] !== 0 || a.blockStart[a.blockCount] !== a.count)
    report(-1, 'blocks do not cover the code');
  for (let b = 0; b < a.blockCount; b++) {
    const isEdge = b >= f.blockCount;
    if (isEdge && a.successorStart[b + 1] - a.successorStart[b] !== 1)
      report(-1, `block ${b}, which splits an edge, has not exactly one successor`);
    let next = isEdge ? 0 : f.blockStart[b];
    const end = isEdge ? 0 : f.blockStart[b + 1];
    let isClosed = false;
    for (let at = a.blockStart[b]; at < a.blockStart[b + 1]; at++) {
      if (a.instruction[at] < 0 || a.instruction[at] >= f.instructionCount) {
        report(at, `code ${at} names the source instruction ${a.instruction[at]}, which there is not`);
        continue;
      }
      if (isClosed) report(at, `stands behind the end of block ${b}`);
      if (!isSourceInstruction(a.kind[at])) continue;
      const i = a.instruction[at];
      if (i !== next || next >= end) {
        report(
          at,
          next < end ? `stands where instruction ${next} must be` : `is not of block ${b}, or is there twice`,
        );
        return;
      }
      next++;
      isClosed =
        next === end && (f.instructionFlags[i] & (InstructionFlag.Branch | InstructionFlag.Return)) !== 0;
    }
    if (next < end) report(-1, `instruction ${next} of block ${b} is missing`);
    if (!isEdge) checkEdges(a, b, report);
  }
}

function checkEdges(a: AllocatedFunction, block: number, report: Report): void {
  const f = a.source;
  const resolve = (to: number): number => {
    for (let steps = 0; to >= f.blockCount && steps <= a.blockCount; steps++)
      to = a.successors[a.successorStart[to]];
    return to;
  };
  const expected = f.successors.subarray(f.successorStart[block], f.successorStart[block + 1]);
  const found = a.successors.subarray(a.successorStart[block], a.successorStart[block + 1]).map(resolve);
  if (expected.length !== found.length || expected.some((to, k) => found[k] !== to))
    report(
      -1,
      `block ${block} leads to blocks ${[...found].join(', ')}, in the source to ${[...expected].join(', ')}`,
    );
}

function checkRegisterFile(a: AllocatedFunction, { available }: CheckOptions, report: Report): void {
  a.source.classes.forEach((c, n) => {
    const units = available?.[n];
    if (units !== undefined && a.unitsUsed[n] > units)
      report(-1, `uses ${a.unitsUsed[n]} units of ${c.name}, and there are ${units}`);
  });
}

function checkCode(a: AllocatedFunction, at: number, options: CheckOptions, report: Report): void {
  const f = a.source;
  const i = a.instruction[at];
  const given = a.operandStart[at + 1] - a.operandStart[at];
  const kind: CodeKind = a.kind[at];
  if (kind === CodeKind.Original || kind === CodeKind.Recompute) {
    if (given !== f.operandStart[i + 1] - f.operandStart[i]) {
      report(at, `has ${given} operands, the source ${f.operandStart[i + 1] - f.operandStart[i]}`);
      return;
    }
    checkOperands(a, at, options, report);
    if (kind === CodeKind.Recompute) checkRecompute(a, at, report);
    return;
  }
  if (kind === CodeKind.Elided) {
    checkElision(a, at, report);
    return;
  }
  const register = a.register[at];
  if (register < 0 || register >= f.registerCount) {
    report(at, `spill code for the register ${register}, which there is not`);
    return;
  }
  if (given !== (kind === CodeKind.Copy ? 2 : 1)) {
    report(at, `spill code for ${nameOf(f, virtual(register))} has ${given} operands`);
    return;
  }
  for (let o = a.operandStart[at]; o < a.operandStart[at + 1]; o++)
    checkPlace(a, at, a.operandPlace[o], register, options, report);
  if (kind === CodeKind.Copy) return;
  const c = f.registerClass[register];
  if (a.slot[at] < 0 || a.slot[at] + f.registerWidth[register] > a.slotUnits[c])
    report(
      at,
      `spill slot ${a.slot[at]} of ${nameOf(f, virtual(register))} lies outside the ${a.slotUnits[c]} there are`,
    );
}

/** A whole register in a place of its class, in range and aligned. */
function checkPlace(
  a: AllocatedFunction,
  at: number,
  place: number,
  register: number,
  options: CheckOptions,
  report: Report,
): void {
  const f = a.source;
  const name = nameOf(f, virtual(register));
  if (!isPhysical(place)) {
    report(at, `${name} has no place`);
    return;
  }
  const c = physicalClass(place);
  const index = physicalIndex(place);
  const width = f.registerWidth[register];
  if (c !== f.registerClass[register]) {
    report(at, `${name} is in a register of the class ${f.classes[c]?.name ?? c}`);
    return;
  }
  if (index + width > a.unitsUsed[c])
    report(at, `${name} takes units ${index} to ${index + width - 1}, and unitsUsed says ${a.unitsUsed[c]}`);
  const alignment = options.alignment?.(c, width) ?? 1;
  if (index % alignment !== 0)
    report(at, `${name} starts at unit ${index} and must start on a multiple of ${alignment}`);
}

function checkOperands(a: AllocatedFunction, at: number, options: CheckOptions, report: Report): void {
  const f = a.source;
  const i = a.instruction[at];
  const first = f.operandStart[i];
  const placeOf = (o: number): number => a.operandPlace[a.operandStart[at] + o - first];
  const written = new Map<number, number>();
  for (let o = first; o < f.operandStart[i + 1]; o++) {
    const source = f.operandPlace[o];
    const place = placeOf(o);
    if (!isVirtual(source)) {
      if (place !== source) report(at, `operand ${o - first} was no virtual register and has changed`);
      continue;
    }
    checkPlace(a, at, place, source, options, report);
    const fixed = f.operandFixed.get(o);
    if (fixed !== undefined && fixed !== place) report(at, `${nameOf(f, source)} is not where it is fixed`);
    const tied = f.operandTied[o];
    if (tied >= first && tied < f.operandStart[i + 1] && placeOf(tied) !== place)
      report(at, `${nameOf(f, source)} is tied to operand ${tied - first} and is elsewhere`);
    if ((f.operandFlags[o] & OperandFlag.Definition) === 0 || !isPhysical(place)) continue;
    for (let k = 0; k < f.operandWidth[o]; k++) {
      const unit = physicalClass(place) * 65536 + physicalIndex(place) + f.operandOffset[o] + k;
      const other = written.get(unit);
      if (other !== undefined && other !== source)
        report(at, `writes ${nameOf(f, source)} and ${nameOf(f, virtual(other))} to one register`);
      written.set(unit, source);
    }
  }
}

/** The one register that an instruction defines wholly and unconditionally while reading none, or -1. */
export function wholeResult(a: AllocatedFunction, instruction: number): number {
  const f = a.source;
  let found = -1;
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
    const place = f.operandPlace[o];
    if (!isVirtual(place) && !isPhysical(place)) continue;
    if (found >= 0 || !isVirtual(place) || f.operandFlags[o] !== OperandFlag.Definition) return -1;
    if (f.operandWidth[o] < f.registerWidth[place]) return -1;
    found = place;
  }
  return found;
}

function checkRecompute(a: AllocatedFunction, at: number, report: Report): void {
  const f = a.source;
  const i = a.instruction[at];
  if ((f.instructionFlags[i] & InstructionFlag.Constant) === 0)
    report(at, 'is recomputed and is no constant');
  if (a.register[at] < 0 || wholeResult(a, i) !== a.register[at])
    report(at, `is recomputed for register ${a.register[at]}, which is not its only operand in a register`);
}

function checkElision(a: AllocatedFunction, at: number, report: Report): void {
  const f = a.source;
  const flags = f.instructionFlags[a.instruction[at]];
  if (a.operandStart[at + 1] !== a.operandStart[at]) report(at, 'is elided and has operands');
  switch (a.elision[at]) {
    case Elision.Copy: {
      const first = f.operandStart[a.instruction[at]];
      const [to, from] = [f.operandPlace[first], f.operandPlace[first + 1]];
      const fits =
        (flags & InstructionFlag.Copy) !== 0 &&
        isVirtual(to) &&
        isVirtual(from) &&
        f.operandFlags[first] === OperandFlag.Definition &&
        f.registerClass[to] === f.registerClass[from] &&
        f.registerWidth[to] === f.registerWidth[from];
      if (!fits) report(at, 'is elided as a copy and is none');
      return;
    }
    case Elision.Recomputed:
      if ((flags & InstructionFlag.Constant) === 0 || wholeResult(a, a.instruction[at]) < 0)
        report(at, 'is elided as recomputed and is no constant');
      return;
    case Elision.Dead:
      if ((flags & CANNOT_BE_DEAD) !== 0) report(at, 'is elided as dead and has an effect');
      return;
    default:
      report(at, 'is elided without a reason');
  }
}
