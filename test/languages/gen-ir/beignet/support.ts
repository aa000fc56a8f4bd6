import { bindBeignet, type BeignetBound } from '../../../../server/src/languages/gen-ir/beignet/bind.js';
import { lowerBeignet } from '../../../../server/src/languages/gen-ir/beignet/lower.js';
import { parseBeignet } from '../../../../server/src/languages/gen-ir/beignet/parse.js';
import type { BeignetUnit, Line } from '../../../../server/src/languages/gen-ir/beignet/tree.js';
import type { Environment } from '../../../../server/src/languages/language.js';
import type { Function } from '../../../../server/src/ir/function.js';
import { isPhysical, isVirtual, physicalClass, physicalIndex } from '../../../../server/src/ir/place.js';
import type { Problem } from '../../../../server/src/text/problem.js';

export const alone: Environment = {
  earlier: () => [],
  later: () => [],
  names: () => [],
  setting: () => undefined,
  isFirst: true,
};

/** What a unit sees that stands in a file with these others. */
export function beside(...others: readonly BeignetUnit[]): Environment {
  const declared = others.flatMap((unit) => unit.declares);
  return { ...alone, earlier: (name) => declared.filter((d) => d.name === name) };
}

export const bound = (text: string, environment = alone): BeignetBound =>
  bindBeignet(parseBeignet(text), environment);

export function lowered(text: string, environment = alone): Function {
  const f = lowerBeignet(bound(text, environment));
  if (f === undefined) throw new Error('there is no program');
  return f;
}

export const problemsOf = (text: string): readonly Problem[] => {
  const unit = bound(text);
  return [...unit.parsed.problems, ...unit.problems];
};

export const linesOf = <K extends Line['kind']>(text: string, kind: K): Extract<Line, { kind: K }>[] =>
  parseBeignet(text).lines.filter((line): line is Extract<Line, { kind: K }> => line.kind === kind);

/** A selection with these lines. */
export const selection = (...lines: readonly string[]): string =>
  `k's SELECTION IR begin:\n${lines.map((line, k) => `[${2 * k}]${line}`).join('\n')}\n\nk's SELECTION IR end.\n`;

/** Instruction `i` as text: its head, and each operand as `role place payload`. */
export function shown(f: Function, i: number): string[] {
  const operands: string[] = [f.opcodes.text(f.opcode[i])];
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    const place = f.operandPlace[o];
    const where = isVirtual(place)
      ? f.registerNames[place]
      : isPhysical(place)
        ? `p${physicalClass(place)}.${physicalIndex(place)}`
        : '-';
    const flags = f.operandFlags[o];
    const role =
      ((flags & 1) !== 0 ? 'u' : '') +
      ((flags & 2) !== 0 ? 'd' : '') +
      ((flags & 4) !== 0 ? '~' : '') +
      ((flags & 8) !== 0 ? '?' : '') +
      ((flags & 16) !== 0 ? 'g' : '');
    operands.push(`${role} ${where} ${f.operandTexts?.text(f.operandPayload?.[o] ?? 0) ?? ''}`);
  }
  return operands;
}

export const successorsOf = (f: Function, block: number): number[] =>
  Array.from(f.successors.subarray(f.successorStart[block], f.successorStart[block + 1]));

export const classOfRegister = (f: Function, name: string): string =>
  f.classes[f.registerClass[f.registerNames.indexOf(name)]].name;
