import { CodeKind, type AllocatedFunction } from '../../server/src/ir/allocated.js';
import { InstructionFlag, OperandFlag } from '../../server/src/ir/function.js';
import { isPhysical, isVirtual, physicalClass, physicalIndex } from '../../server/src/ir/place.js';

/**
 * Runs a source and its allocated program side by side along one path, every result a fresh token, and compares
 * what each source instruction reads. The oracle for the allocation checker: it follows one path at a time with
 * concrete values where the checker reasons over all of them. Only virtual registers in the source.
 */
interface Token {
  readonly made: number;
  /** What a partial write kept; undefined where the register had no value. */
  readonly old: Token | undefined;
}

const whole: Token = { made: -1, old: undefined };

/** Undefined in the source: whatever the compiled program has there is right. */
function same(source: Token | undefined, compiled: Token | undefined): boolean {
  for (;;) {
    if (source === undefined || source === compiled) return true;
    if (compiled === undefined || source.made !== compiled.made) return false;
    [source, compiled] = [source.old, compiled.old];
  }
}

/** Where the two part company, in words, or undefined. `choose(n)` picks a number below n. */
export function runsApart(
  a: AllocatedFunction,
  choose: (n: number) => number,
  steps = 60,
): string | undefined {
  const f = a.source;
  const registers = new Map<string, Token>();
  const units = new Map<string, Token>();
  const constants = new Map<number, Token>();
  let fresh = 0;
  const set = (map: Map<string, Token>, key: string, token: Token | undefined): void => {
    if (token === undefined) map.delete(key);
    else map.set(key, token);
  };
  const unitKey = (place: number, k: number): string =>
    isPhysical(place) ? `${physicalClass(place)}:${physicalIndex(place) + k}` : 'none';
  const constant = (i: number): Token => {
    const token = constants.get(i) ?? { made: fresh++, old: whole };
    constants.set(i, token);
    return token;
  };

  /** One source instruction: `at` is its code, or -1 when the compiled program does not execute it. */
  const execute = (i: number, at: number): string | undefined => {
    const first = f.operandStart[i];
    const place = (o: number): number => (at < 0 ? 0 : a.operandPlace[a.operandStart[at] + o - first]);
    const isCopy = (f.instructionFlags[i] & InstructionFlag.Copy) !== 0;
    const isConstant = (f.instructionFlags[i] & InstructionFlag.Constant) !== 0;
    const takes = choose(2) === 1;
    const writes: (() => void)[] = [];
    for (let o = first; o < f.operandStart[i + 1]; o++) {
      const r = f.operandPlace[o];
      if (!isVirtual(r)) continue;
      const flags = f.operandFlags[o];
      for (let k = f.operandOffset[o]; k < f.operandOffset[o] + f.operandWidth[o]; k++) {
        const key = `${r}:${k}`;
        const unit = unitKey(place(o), k);
        const token = registers.get(key);
        const held = units.get(unit);
        if ((flags & OperandFlag.Use) !== 0 && at >= 0 && !same(token, held))
          return `instruction ${i} reads another ${f.registerNames[r]}`;
        if ((flags & OperandFlag.Definition) === 0) continue;
        const made = fresh++;
        if ((flags & OperandFlag.Predicated) !== 0 && !takes) continue;
        const keeps = (flags & OperandFlag.Partial) !== 0;
        const result = (old: Token | undefined): Token =>
          isConstant ? constant(i) : { made, old: keeps ? old : whole };
        const copied = isCopy ? registers.get(`${f.operandPlace[first + 1]}:${k}`) : result(token);
        const copiedUnit = isCopy ? units.get(unitKey(place(first + 1), k)) : result(held);
        writes.push(() => set(registers, key, copied));
        if (at >= 0) writes.push(() => set(units, unit, copiedUnit));
      }
    }
    for (const write of writes) write();
    return undefined;
  };

  for (let block = 0, n = 0; n < steps; n++) {
    for (let at = a.blockStart[block]; at < a.blockStart[block + 1]; at++) {
      const r = a.register[at];
      const slot = (k: number): string => `slot${f.registerClass[r]}:${a.slot[at] + k}`;
      const operand =
        (number: number) =>
        (k: number): string =>
          unitKey(a.operandPlace[a.operandStart[at] + number], k);
      const move = (from: (k: number) => string, to: (k: number) => string): void => {
        const values = Array.from({ length: f.registerWidth[r] }, (_, k) => units.get(from(k)));
        values.forEach((value, k) => set(units, to(k), value));
      };
      let fault: string | undefined;
      switch (a.kind[at] as CodeKind) {
        case CodeKind.Original:
          fault = execute(a.instruction[at], at);
          break;
        case CodeKind.Elided:
          fault = execute(a.instruction[at], -1);
          break;
        case CodeKind.Recompute:
          for (let k = 0; k < f.registerWidth[r]; k++) units.set(operand(0)(k), constant(a.instruction[at]));
          break;
        case CodeKind.Store:
          move(operand(0), slot);
          break;
        case CodeKind.Reload:
          move(slot, operand(0));
          break;
        case CodeKind.Copy:
          move(operand(1), operand(0));
      }
      if (fault !== undefined) return fault;
    }
    const out = a.successorStart[block + 1] - a.successorStart[block];
    if (out === 0) return undefined;
    block = a.successors[a.successorStart[block] + choose(out)];
  }
  return undefined;
}
