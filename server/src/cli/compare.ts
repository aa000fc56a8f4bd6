/** `spillway compare`: the figures of functions under other targets and limits. */
import { compareWholly } from '../features/compare.js';
import type { Comparison, ComparisonRow } from '../features/compare-data.js';
import { comparisonMarkdown, comparisonText } from '../features/compare-text.js';
import { kebab, UsageError } from './arguments.js';
import { compiledFunctions, tellErrors, tellIgnored } from './functions.js';
import { loadInputs, type Context } from './inputs.js';

interface Compared {
  readonly file: string;
  readonly line: number;
  readonly comparison: Comparison;
}

const formats: Readonly<Record<string, ((all: readonly Compared[]) => string) | undefined>> = {
  text: (all) =>
    all.map(({ file, line, comparison }) => `${file}:${line}: ${comparisonText(comparison)}`).join('\n'),
  json: (all) => `${JSON.stringify({ version: 1, functions: all.map(json) }, undefined, 1)}\n`,
  md: (all) => all.map(({ comparison }) => comparisonMarkdown(comparison)).join('\n'),
};

export function compare(context: Context): number {
  const { args, io } = context;
  const format = formats[args.format ?? 'text'];
  if (format === undefined)
    throw new UsageError(`--format is '${args.format}'; compare has ${Object.keys(formats).join(', ')}`);
  const { inputs, failed } = loadInputs(context);
  const functions = compiledFunctions(inputs, args.functionName);
  tellIgnored(functions, context);
  const compared = functions.flatMap(({ input, unit, line }): Compared[] => {
    const comparison = compareWholly(input.document, unit);
    return comparison === undefined ? [] : [{ file: input.path, line, comparison }];
  });
  io.out(format(compared));
  const haveErrors = tellErrors(inputs, context);
  if (failed) return 2;
  return haveErrors ? 1 : 0;
}

function json({ file, line, comparison }: Compared): object {
  const { function: name, model, rows, best, settled } = comparison;
  return {
    file,
    line,
    name,
    model,
    rows: rows.map((row) => ({
      group: row.group,
      name: row.name,
      options: optionsOf(row),
      present: row.isPresent,
      best: best.some(({ row: number }) => rows[number] === row),
      alike: row.alike,
      figures: row.figures,
      ...(row.problem !== undefined && { problem: row.problem }),
    })),
    best: best.map(({ group, row, why }) => ({ group, name: rows[row].name, why })),
    settled,
  };
}

/** As the command line takes them: `--arch sm_90`. What is taken away is not there. */
const optionsOf = ({ settings }: ComparisonRow): string[] =>
  Object.entries(settings).flatMap(([key, value]) =>
    value === null ? [] : [`--${kebab(key.slice(key.lastIndexOf('.') + 1))}`, String(value)],
  );
