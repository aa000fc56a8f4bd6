import type { Problem } from '../../../text/problem.js';
import { span } from '../../../text/span.js';
import { count } from '../../../text/words.js';
import type { Launchable } from '../limits.js';
import type { Advised } from './advised.js';
import { callProblems } from './calls.js';
import { launchBoundProblems } from './launch-bounds.js';
import { reallocationProblems } from './setmaxnreg.js';
import { wgmmaProblems } from './wgmma.js';

/** Findings that explain a figure, each for a question that people have asked in public about ptxas's own. */
export const adviceOf = (c: Advised, launchable: Launchable): Problem[] => [
  ...launchBoundProblems(c, launchable),
  ...reallocationProblems(c, launchable),
  ...wgmmaProblems(c),
  ...callProblems(c),
  ...arrayProblems(c),
];

/** Local arrays are in ptxas's stack frame and look like spills to tools that read only that. */
function arrayProblems({ source: f, stats }: Advised): Problem[] {
  const bytes = stats.frameBytes ?? 0;
  if (bytes === 0 || stats.spills.registers > 0) return [];
  return [
    {
      code: 'spill/local-array',
      severity: 'hint',
      span: span(f.nameStart, f.nameEnd),
      message: `${count(bytes, 'byte')} of local memory are arrays that ${f.name} declares (.local), not spills: no register is spilled; they cost what loads and stores to local memory cost`,
    },
  ];
}
