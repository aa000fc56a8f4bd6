import { OperandFlag, type Function } from '../../../ir/function.js';
import { EntityKind, type Entity } from '../bind/entities.js';
import type { PtxBound } from '../bind/index.js';
import { byteSize } from '../declarations.js';
import { typeBytes } from '../types.js';
import { textOf } from './calls.js';
import type { FrameObject, FrameRegister } from './frame.js';
import type { Origins } from './origins.js';

/** The `.local` variables of a function, and the registers that hold their addresses. */

export const isLocalVariable = (e: Entity): boolean =>
  e.kind === EntityKind.Variable && e.fact?.kind === 'variable' && e.fact.space === '.local';

/** In text order, each behind the one before it, at its alignment. */
export function localVariables(bound: PtxBound): FrameObject[] {
  const objects: FrameObject[] = [];
  let end = 0;
  for (const e of bound.functions.at(0)?.declared ?? []) {
    if (!isLocalVariable(e) || e.fact?.kind !== 'variable') continue;
    const { fact, name, declaration, extent } = e;
    const alignment = fact.alignment > 0 ? fact.alignment : Math.max(1, typeBytes(fact.type) * fact.vector);
    const offset = Math.ceil(end / alignment) * alignment;
    const bytes = byteSize(fact);
    objects.push({ name, space: 'local', offset, bytes, alignment, areas: [], span: declaration, extent });
    end = offset + bytes;
  }
  return objects;
}

/** Which of `localVariables` a symbol operand names; -1 for none. An inner block may use a name again. */
export function localResolver(bound: PtxBound, f: Function): (operand: number) => number {
  const byName = new Map<string, { readonly object: number; readonly entity: Entity }[]>();
  let object = 0;
  for (const entity of bound.functions.at(0)?.declared ?? []) {
    if (!isLocalVariable(entity)) continue;
    const same = byName.get(entity.name);
    if (same === undefined) byName.set(entity.name, [{ object, entity }]);
    else same.push({ object, entity });
    object++;
  }
  return (operand) => {
    const found = byName.get(textOf(f, operand));
    if (found === undefined) return -1;
    const at = f.operandSpanStart[operand];
    return found.findLast(({ entity }) => encloses(entity, at))?.object ?? -1;
  };
}

const encloses = ({ scope }: Entity, offset: number): boolean =>
  scope === undefined || (scope.start <= offset && offset < scope.end);

/** Registers that are given the address of a variable's start, in text order; each once a form. */
export function localPointersOf(f: Function, { table, ofOperand }: Origins): FrameRegister[] {
  const found = new Map<string, FrameRegister>();
  for (let i = 0; i < f.instructionCount; i++)
    for (let k = f.operandStart[i]; k < f.operandStart[i + 1]; k++) {
      if (f.operandPlace[k] < 0 || (f.operandFlags[k] & OperandFlag.Definition) === 0) continue;
      const origin = table.of(ofOperand[k]);
      if (origin?.kind !== 'local' || !origin.isCertain || origin.offset !== 0) continue;
      const key = `${origin.object} ${origin.isGeneric}`;
      if (!found.has(key)) found.set(key, registerAt(f, i, k, origin.isGeneric));
    }
  return [...found.values()];
}

export const registerAt = (
  f: Function,
  instruction: number,
  operand: number,
  isGeneric: boolean,
): FrameRegister => ({
  name: f.registerNames[f.operandPlace[operand]],
  register: f.operandPlace[operand],
  instruction,
  span: { start: f.operandSpanStart[operand], end: f.operandSpanEnd[operand] },
  isGeneric,
});
