import assert from 'node:assert/strict';
import { frameOf, type Frame } from '../../../../server/src/languages/ptx/stack/frame.js';
import { LineIndex } from '../../../../server/src/text/line-index.js';
import type { Problem } from '../../../../server/src/text/problem.js';
import { stackProblems } from '../../../../server/src/languages/ptx/stack/module.js';
import { applyEdits, checkDiagnostics, fixture } from '../../../support/fixture.js';
import { bindText } from '../bound.js';

export const head = '.version 7.0\n.target sm_75\n.address_size 64\n';
export const stacks = '.extern .shared .u64 __nvptx_stacks[32];\n';

/** A frame with what its numbers stand for in the text. */
export interface SeenFrame {
  readonly frame: Frame;
  /** The text of an instruction, blanks made one. */
  show(instruction: number): string;
  /** The one-based line of an instruction. */
  line(instruction: number): number;
}

/** The frame of the function of that name, or of the only one with a body. */
export function frameIn(text: string, name?: string): SeenFrame {
  const lines = LineIndex.of(text);
  const unit = bindText(text).find(({ bound }) => {
    const item = bound.functions.at(0)?.item;
    return item !== undefined && (name === undefined || item.name?.text === name);
  });
  assert.ok(unit !== undefined, 'there is such a function');
  const frame = frameOf(unit.bound);
  assert.ok(frame !== undefined);
  const { function: f } = frame;
  return {
    frame,
    show: (i) =>
      unit.bound.parsed.text.slice(f.spanStart[i], f.spanEnd[i]).replace(/\s+/g, ' ').replace(/;$/, ''),
    line: (i) => lines.lineAt(unit.start + f.spanStart[i]) + 1,
  };
}

/**
 * A function with a soft frame, its registers named as nobody names them: `bytes` large, published where it is not a
 * leaf, restored before `ret`.
 */
export function softFunction(
  name: string,
  bytes: number,
  body: string,
  { publish = true, restore = true, declarations = '' } = {},
): string {
  return `.visible .func ${name} (.param .u64 in)
{
	.reg .u64 %a<32>;
	.reg .u32 %b<16>;
	.reg .pred %p<8>;
	${declarations}
	mov.u32 %b0, %tid.y;
	mul.wide.u32 %a0, %b0, 8;
	mov.u64 %a1, __nvptx_stacks;
	add.u64 %a2, %a1, %a0;
	ld.shared.u64 %a3, [%a2];
	sub.u64 %a4, %a3, ${bytes};
${publish ? '\tst.shared.u64 [%a2], %a4;\n' : ''}${body}
${restore ? '\tst.shared.u64 [%a2], %a3;\n\tret;\n' : ''}}
`;
}

/** A function that may use the stack. */
export const use = '.extern .func use (.param .u64 x);\n';

/** Hands a register to `use`. */
export const pass = (register: string): string =>
  `\t{\n\t.param .u64 p0;\n\tst.param.u64 [p0], ${register};\n\tcall use, (p0);\n\t}`;

/** A module with soft stacks. */
export const soft = (text: string): string => head + stacks + use + text;

export interface PlacedProblem extends Problem {
  /** Of the unit, in the document. */
  readonly start: number;
}

export function stackFindings(text: string): PlacedProblem[] {
  const units = bindText(text);
  const problems = stackProblems(units);
  return units.flatMap(({ start }, n) => (problems.get(n) ?? []).map((problem) => ({ ...problem, start })));
}

/** The findings are those that the text marks, and no others. */
export function checkStack(marked: string): PlacedProblem[] {
  const f = fixture(marked);
  const found = stackFindings(f.text);
  checkDiagnostics(
    f,
    found.map(({ start, span, severity, code, message }) => ({
      range: f.lines.range({ start: start + span.start, end: start + span.end }),
      severity,
      code,
      message,
    })),
  );
  return found;
}

/** The text after the first fix of every finding, which must leave none. Related places lie inside the text. */
export function checkFixes(marked: string): string {
  const { text } = fixture(marked);
  const found = checkStack(marked);
  assert.ok(found.length > 0, 'something is found');
  let fixed = text;
  for (let round = 0; round < 10; round++) {
    const next = stackFindings(fixed).find(({ fixes }) => fixes !== undefined);
    if (next === undefined) break;
    fixed = applyEdits(
      fixed,
      (next.fixes?.[0].edits ?? []).map(({ span, newText }) => ({
        span: { start: next.start + span.start, end: next.start + span.end },
        newText,
      })),
    );
  }
  assert.deepEqual(
    stackFindings(fixed).map(({ code, message }) => `${code}: ${message}`),
    [],
  );
  return fixed;
}
