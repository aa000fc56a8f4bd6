/** `spillway check`: every problem, and a proof that each allocation means what its source means. */
import type * as data from '../features/data.js';
import { diagnostics } from '../features/diagnostics.js';
import { selfTest } from '../features/self-test.js';
import { checkAllocation } from '../passes/check-allocation.js';
import { count } from '../text/words.js';
import type { Unit } from '../workspace/snapshot.js';
import { UsageError } from './arguments.js';
import { checkFormats } from './check-formats.js';
import { countOf, type CheckedFile } from './checked.js';
import { loadInputs, type Context, type Input } from './inputs.js';
import { sampledOffsets } from './sample.js';

export function check(context: Context): number {
  const { args, io } = context;
  const format = checkFormats[args.format ?? 'text'];
  if (format === undefined)
    throw new UsageError(`--format is '${args.format}'; check has ${Object.keys(checkFormats).join(', ')}`);
  const { inputs, failed } = loadInputs(context);
  const checked = inputs.map((input) => checkOne(input, args.functionName));
  io.out(format(checked, context));
  const isSound = !args.selfTest || inputs.map((input) => runSelfTest(input, context)).every(Boolean);
  if (failed) return 2;
  return isSound && countOf(checked, 'error') === 0 ? 0 : 1;
}

function checkOne(input: Input, functionName: string | undefined): CheckedFile {
  const { document, path } = input;
  const all = [...diagnostics(document).items, ...unsound(input)];
  if (functionName === undefined) return { path, input, items: all };
  const kept = document.units.filter((unit) => unit.function?.name === functionName);
  const items = all.filter(({ range }) => {
    const offset = document.lines.offsetAt(range.start);
    return kept.some(({ start, end }) => start <= offset && offset < end);
  });
  return { path, input, items };
}

/**
 * What the independent checker refutes; a fault of Spillway, never of the program. A unit with an error has no code to
 * speak of: what is wrong in it is told already.
 */
function unsound({ document }: Input): data.Diagnostic[] {
  return document.units.flatMap((unit) => {
    const compilation = unit.compilation;
    if (compilation === undefined || isFaulty(unit)) return [];
    const { source, allocated } = compilation;
    const violations =
      document.target.verify?.(compilation) ?? (allocated === undefined ? [] : checkAllocation(allocated));
    return violations.map(({ instruction, message }): data.Diagnostic => {
      const start = unit.start + (instruction < 0 ? source.nameStart : source.spanStart[instruction]);
      const end = unit.start + (instruction < 0 ? source.nameEnd : source.spanEnd[instruction]);
      return {
        range: document.lines.range({ start, end }),
        severity: 'error',
        code: 'internal/allocation',
        message: `fault in Spillway, please report it: the ${allocated === undefined ? 'compiled code' : 'allocation'} of ${source.name} is wrong: ${message}`,
        documentation: 'docs/cli.md#internal-faults',
        related: [],
        tags: [],
      };
    });
  });
}

/** Whether a unit has an error of its own, whatever severity the settings give it. */
const isFaulty = ({ parsed, bound, compilation }: Unit): boolean =>
  [parsed.problems, bound.problems, compilation?.problems ?? []].some((problems) =>
    problems.some(({ severity }) => severity === 'error'),
  );

/** Runs every feature over a sample of the places of a file. True when nothing failed, and nothing had failed before. */
function runSelfTest({ document, path, faults: compilerFaults }: Input, { io }: Context): boolean {
  const { offsets, places } = sampledOffsets(document);
  const faults = [...selfTest(document, offsets), ...compilerFaults];
  io.error(
    `self-test of ${path}: every feature at ${offsets.length} of ${count(places, 'place')}, ${count(faults.length, 'fault')}\n`,
  );
  for (const fault of faults) io.error(`  ${fault}\n`);
  return faults.length === 0;
}
