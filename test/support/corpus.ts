import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLongSearch } from './fuzz.js';

/**
 * Reference inputs, which are not part of the repository: the folder that SPILLWAY_CORPUS names, else
 * `../shared/corpus` beside the repository. A test that needs them calls `corpusOrSkip(this, 'ptx')`.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

export const corpus: string | undefined = [
  process.env.SPILLWAY_CORPUS,
  join(root, '..', 'shared', 'corpus'),
  join(root, '..', '..', 'shared', 'corpus'),
].find((folder) => folder !== undefined && existsSync(folder));

let told = false;

/** The corpus folder of a language, or the calling test is skipped (with one message a run). */
export function corpusOrSkip(test: Mocha.Context, language: string): string {
  const folder = corpus === undefined ? undefined : join(corpus, language);
  if (folder !== undefined && existsSync(folder)) return folder;
  if (!told)
    console.log('    (reference inputs are absent: set SPILLWAY_CORPUS; tests that need them are skipped)');
  told = true;
  test.skip();
}

/** Paths of the files of a folder with one of the endings, sorted. */
export function filesOf(folder: string, ...endings: string[]): string[] {
  return readdirSync(folder)
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .sort()
    .map((name) => join(folder, name));
}

/**
 * Every `step`-th of many inputs that are much alike, such as one kernel compiled for each architecture, which stand
 * side by side; in a long search all of them.
 */
export const spread = <T>(inputs: readonly T[], step: number, from = 0): readonly T[] =>
  isLongSearch ? inputs : inputs.filter((_, k) => k % step === from);

/** The rows of a tab-separated file, by the names of its first line. */
export function rowsOf(path: string): Record<string, string>[] {
  const [head, ...lines] = readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '');
  const names = head.split('\t');
  return lines.map((line) =>
    Object.fromEntries(line.split('\t').map((cell, column) => [names[column], cell])),
  );
}
