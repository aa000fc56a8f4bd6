import type { Severity } from '../text/problem.js';
import { count } from '../text/words.js';
import { countOf, type CheckedFile } from './checked.js';
import { coloursFor } from './colours.js';
import type { Context } from './inputs.js';
import { sarif } from './sarif.js';
import { excerpt } from './excerpt.js';
import { annotation, type GithubLevel } from './github.js';

type Format = (files: readonly CheckedFile[], context: Context) => string;

export const checkFormats: Readonly<Record<string, Format | undefined>> = {
  text,
  json,
  sarif: (files) => sarif(files),
  github,
};

function text(files: readonly CheckedFile[], { args, io }: Context): string {
  const colours = coloursFor(io);
  const parts: string[] = [];
  for (const { path, input, items } of files)
    for (const { range, severity, code, message, related } of items) {
      if (severity === 'hint' && !args.hints) continue;
      const place = `${path}:${range.start.line + 1}:${range.start.character + 1}`;
      parts.push(
        `${colours.strong(place)}: ${colours.severity[severity](severity)}: ${message} ${colours.faint(`[${code}]`)}\n`,
        excerpt(input.document, range, colours.severity[severity]),
      );
      for (const other of related)
        parts.push(
          `  ${path}:${other.location.range.start.line + 1}:${other.location.range.start.character + 1}: ${other.message}\n`,
        );
    }
  const hints = countOf(files, 'hint');
  const hidden = hints > 0 && !args.hints ? ` (${count(hints, 'hint')} with --hints)` : '';
  parts.push(
    `${count(files.length, 'file')}: ${count(countOf(files, 'error'), 'error')}, ${count(countOf(files, 'warning'), 'warning')}${hidden}\n`,
  );
  return parts.join('');
}

/** docs/check.schema.json. Lines and columns are one-based, columns in UTF-16 code units, ends exclusive. */
function json(files: readonly CheckedFile[]): string {
  const place = (range: CheckedFile['items'][number]['range']): object => ({
    line: range.start.line + 1,
    column: range.start.character + 1,
    endLine: range.end.line + 1,
    endColumn: range.end.character + 1,
  });
  const document = {
    version: 1,
    files: files.map(({ path, items }) => ({
      file: path,
      problems: items.map((item) => ({
        code: item.code,
        severity: item.severity,
        ...place(item.range),
        message: item.message,
        related: item.related.map(({ location, message }) => ({ ...place(location.range), message })),
      })),
    })),
    errors: countOf(files, 'error'),
    warnings: countOf(files, 'warning'),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** GitHub's runner knows three levels. */
const githubLevels: Readonly<Record<Severity, GithubLevel | undefined>> = {
  error: 'error',
  warning: 'warning',
  information: 'notice',
  hint: undefined,
};

function github(files: readonly CheckedFile[]): string {
  return files
    .flatMap(({ path, items }) =>
      items.flatMap(({ range: { start, end }, severity, code, message }) => {
        const level = githubLevels[severity];
        if (level === undefined) return [];
        const columns =
          start.line === end.line ? { col: start.character + 1, endColumn: end.character + 1 } : {};
        const place = { file: path, line: start.line + 1, endLine: end.line + 1, ...columns };
        return [annotation(level, { ...place, title: code }, message)];
      }),
    )
    .join('');
}
