import type { Fix, Problem } from '../../../text/problem.js';
import { directives } from '../isa/directives.js';
import { directiveGateProblem } from '../isa/gates.js';
import type { Name } from '../tree.js';
import type { Context } from './context.js';

/**
 * What the file's `.version` and `.target` do not allow, with fixes that raise them. Without a header nothing can be
 * said.
 */
export function checkDirectiveGate(context: Context, name: Name): void {
  const directive = directives.get(name.text);
  if (directive === undefined) return;
  const span = { start: name.start, end: name.end };
  const problem = directiveGateProblem(directive, span, context.header.gates);
  if (problem !== undefined && isKnownHeader(context, problem))
    context.problems.push(anchored(context, problem));
}

/** Whether the header has the directive that the problem is about. */
export function isKnownHeader({ header }: Context, problem: Problem): boolean {
  if (header.version === undefined && problem.code === 'isa/version') return false;
  return header.target !== undefined || problem.code !== 'isa/target';
}

/**
 * Fixes of version and target problems give the new value of a header directive, whose declaration is the old value.
 * Without such a directive there is nothing to replace.
 */
export function anchored(context: Context, problem: Problem): Problem {
  if (problem.fixes === undefined) return problem;
  const { mentions, environment } = context;
  const fixes: Fix[] = [];
  for (const fix of problem.fixes) {
    const edits = fix.edits.map((edit) => {
      const { anchor } = edit;
      if (anchor === undefined || !anchor.startsWith('.')) return edit;
      const declaration = mentions.has(anchor) ? environment.earlier(anchor).at(0) : undefined;
      if (declaration === undefined) return undefined;
      return { ...edit, span: { start: 0, end: declaration.span.end - declaration.span.start } };
    });
    if (edits.every((edit) => edit !== undefined)) fixes.push({ ...fix, edits });
  }
  return { ...problem, fixes };
}
