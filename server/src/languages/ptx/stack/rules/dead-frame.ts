import type { Problem } from '../../../../text/problem.js';
import { opcodeSpan, type FunctionRule } from './subject.js';

/** A frame is gone when its function returns: an address of it that is returned points at what the next call puts there. */
export const deadFrame: FunctionRule = (subject) => {
  const { frame } = subject;
  const problems: Problem[] = [];
  for (const { kind, instruction, object, isCertain, space } of frame.escapes) {
    if (kind !== 'returned') continue;
    const place = object < 0 ? undefined : frame.objects[object];
    const what =
      place === undefined
        ? `an address of the frame (${space === 'soft' ? 'soft stack' : '.local'})`
        : `the address of '${place.name}'`;
    problems.push({
      code: 'stack/dead-frame',
      severity: isCertain ? 'error' : 'warning',
      span: opcodeSpan(subject, instruction),
      message: `'${frame.function.name}' returns ${what}${isCertain ? '' : ' on some path'}, which is gone when it has returned; let the caller pass the memory`,
      ...(place?.span !== undefined && {
        related: [
          {
            span: { start: place.span.start, end: place.span.end },
            message: `'${place.name}' is declared here`,
          },
        ],
      }),
    });
  }
  return problems;
};
