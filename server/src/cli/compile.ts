/** `spillway compile`: what the back-end makes of a file, with the source lines above what became of them. */
import { isAllocated } from '../targets/target.js';
import { UsageError } from './arguments.js';
import { coloursFor, type Colours } from './colours.js';
import { functionJson } from './compile-json.js';
import { compiledFunctions, tellErrors, type CompiledFunction } from './functions.js';
import { loadInputs, type Context } from './inputs.js';

export function compile(context: Context): number {
  const { args, io } = context;
  const format = args.format ?? 'text';
  if (format !== 'text' && format !== 'json')
    throw new UsageError(`--format is '${format}'; compile has text, json`);
  if (args.files.length > 1) throw new UsageError('compile takes one file');
  const { inputs, failed } = loadInputs(context);
  const functions = compiledFunctions(inputs, args.functionName);
  const haveErrors = tellErrors(inputs, context);
  if (functions.length === 0 && inputs.some(({ document }) => document.target.json !== undefined)) {
    // the machine's own form is that of one program, which an empty list is not
    if (!haveErrors && !failed) io.error(`spillway: ${inputs[0].path}: there is no program\n`);
    return failed ? 2 : 1;
  }
  if (format === 'json') io.out(`${JSON.stringify(json(functions), undefined, 1)}\n`);
  else for (const compiled of functions) io.out(listing(compiled, coloursFor(io)));
  if (failed) return 2;
  return haveErrors ? 1 : 0;
}

/**
 * The functions in the general form (docs/compile.schema.json). A machine with a form of its own gets that, one
 * program a file, since its readers expect the bare program.
 */
function json(functions: readonly CompiledFunction[]): object {
  const own = functions.flatMap(({ input, compilation }) => input.document.target.json?.(compilation) ?? []);
  if (own.length > 1)
    throw new UsageError(`the file has ${own.length} programs; choose one with --function NAME`);
  if (own.length === 1) return own[0];
  const allocated = functions.flatMap((compiled) =>
    isAllocated(compiled.compilation) ? [functionJson(compiled, compiled.compilation)] : [],
  );
  return { version: 1, functions: allocated };
}

function listing({ input, unit, compilation, line }: CompiledFunction, colours: Colours): string {
  const { document, path } = input;
  const { lines, source } = document.target.listing(compilation, document.lines.slice(unit.start, unit.end));
  const parts = [
    `${colours.strong(`${path}:${line}: ${compilation.source.name}`)} (${compilation.model}, as compiled)\n`,
  ];
  let shown = -1;
  lines.forEach((text, k) => {
    const instruction = source[k];
    if (instruction >= 0) {
      const at = document.lines.lineAt(unit.start + compilation.source.spanStart[instruction]);
      if (at !== shown) {
        shown = at;
        const content = document.lines
          .slice(document.lines.startOf(at), document.lines.contentEnd(at))
          .trim();
        parts.push(colours.faint(`${String(at + 1).padStart(6)} | ${content}`), '\n');
      }
    }
    parts.push(`         ${text}\n`);
  });
  parts.push('\n');
  return parts.join('');
}
