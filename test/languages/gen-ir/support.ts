import type { Function } from '../../../server/src/ir/function.js';
import type { MesaBound } from '../../../server/src/languages/gen-ir/bind/index.js';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import { mesa } from '../../../server/src/languages/gen-ir/mesa.js';
import type { Instruction } from '../../../server/src/languages/gen-ir/tree.js';
import type { Environment } from '../../../server/src/languages/language.js';
import type { Problem } from '../../../server/src/text/problem.js';
import type { Snapshot } from '../../../server/src/workspace/snapshot.js';
import { checkDiagnostics, fixture } from '../../support/fixture.js';
import { snapshotOf } from '../../support/snapshot.js';
import { toyTarget } from '../../support/toy/target.js';

export const alone: Environment = {
  earlier: () => [],
  later: () => [],
  names: () => [],
  setting: () => undefined,
  isFirst: true,
};

/** The one program of a text. */
export const bound = (text: string): MesaBound => mesa.bind(mesa.parse(text), alone);

export function lowered(text: string): Function {
  const found = genIr.lower(bound(text));
  if (found === undefined) throw new Error('there is no program');
  return found;
}

/** Small examples read much that nothing writes: that is not what they are about. */
const isAside = ({ severity, code }: Problem): boolean =>
  severity === 'hint' || code.startsWith('name/never-');

export const problemsOf = (text: string): Problem[] => {
  const unit = bound(text);
  return [...unit.parsed.problems, ...unit.problems].filter((problem) => !isAside(problem));
};

export const instructionsOf = (text: string): readonly Instruction[] => bound(text).instructions;

/** Heads of the lowered instructions, with the texts of their operands but for the marks. */
export function canonical(text: string): string[] {
  const f = lowered(text);
  const lines: string[] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    const operands: string[] = [];
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      operands.push(f.operandTexts?.text(f.operandPayload?.[o] ?? 0) ?? '');
    while (operands.at(-1)?.startsWith('mark:') === true) operands.pop();
    lines.push([f.opcodes.text(f.opcode[i]), ...operands].join(' | '));
  }
  return lines;
}

export const genSnapshot = (text: string): Snapshot => snapshotOf(text, genIr, toyTarget);

/** The problems of a text are those that it marks: `^^^ error syntax/operand: start of the message`. `withHints`: all of them. */
export function check(marked: string, withHints = false): void {
  const f = fixture(marked);
  const found = genSnapshot(f.text).units.flatMap(({ start, parsed, bound: unit }) =>
    [...parsed.problems, ...unit.problems].map((problem) => ({
      ...problem,
      range: f.lines.range({ start: start + problem.span.start, end: start + problem.span.end }),
    })),
  );
  checkDiagnostics(
    f,
    found.filter((problem) => withHints || !isAside(problem)),
  );
}
