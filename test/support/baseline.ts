/** Baselines made by hand and by the command, for files in memory of the toy language. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../../server/src/workspace/version.js';
import { Folder, kernel } from './command.js';
import { violations } from './json-schema.js';

export const root = join(fileURLToPath(new URL('.', import.meta.url)), '..', '..', '..');
export const schema = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, 'docs', `${name}.schema.json`), 'utf8')) as Record<string, unknown>;

export const FILE = 'spillway-baseline.json';
/** A baseline made by hand. */
export const baseline = (functions: readonly object[], more: object = {}): string =>
  JSON.stringify({ kind: 'spillway baseline', version: 1, spillway: version, ...more, functions });
/** Of the kernel `k` with five registers in a.toy: 32 registers are shared by 8 warps, so 6 warps fit. */
export const entry = (more: object = {}): object => ({
  file: 'a.toy',
  name: 'k',
  target: 'toy-machine toy-1',
  model: 'toy machine, limit 8',
  registers: 5,
  occupancy: 6,
  spills: 0,
  ...more,
});

export interface Written {
  readonly functions: readonly {
    readonly file: string;
    readonly name: string;
    readonly nth?: number;
    readonly target: string;
    readonly registers?: number;
    readonly errors?: number;
  }[];
}
export const written = (folder: Folder, path = FILE): Written['functions'] =>
  (JSON.parse(folder.text(path)) as Written).functions;
export const named = (folder: Folder): string[] =>
  written(folder).map(({ file, name, nth, registers }) => `${file} ${name}${nth ?? ''} ${registers}`);

export interface Checked {
  readonly passed: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly functions: readonly {
    readonly status: string;
    readonly file: string;
    readonly name: string;
    readonly line?: number;
    readonly before?: Readonly<Record<string, unknown>>;
    readonly changes: readonly {
      readonly metric: string;
      readonly before: number;
      readonly after: number;
      readonly verdict: string;
      readonly allowed: number | string;
    }[];
  }[];
}
/** What `baseline check` says in JSON, which follows the schema; and its status. */
export function checked(folder: Folder, ...argv: string[]): Checked & { status: number; error: string } {
  const { out, status, error } = folder.run('baseline', 'check', '--format', 'json', ...argv);
  const report = JSON.parse(out) as Checked;
  assert.deepEqual(violations(schema('baseline-check'), report), []);
  return { ...report, status, error };
}
export const statuses = ({ functions }: Checked): string[] =>
  functions.map(({ name, status }) => `${name} ${status}`);

/** `k` with so many values at once, and a baseline that knows it. */
export const at = (live: number, known: object = entry()): Folder =>
  new Folder({ 'a.toy': kernel('k', live), [FILE]: baseline([known]) });
