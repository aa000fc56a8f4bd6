/** The command on files in memory, with the toy language: what it says, and what it writes. */
import nodePath from 'node:path';
import type { Disk } from '../../server/src/cli/disk.js';
import type { Io } from '../../server/src/cli/io.js';
import type { Pair } from '../../server/src/workspace/registry.js';
import { runNow } from './run-now.js';
import { toyLanguage } from './toy/language.js';
import { toyTarget } from './toy/target.js';

/** The toy machine gives no registers to anybody, so there is nothing to prove. */
export const toyPairs: readonly Pair[] = [
  { language: toyLanguage, target: { ...toyTarget, verify: () => [] } },
];

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

/** A folder in memory: texts by absolute path below `/work`. */
export class Folder {
  readonly texts = new Map<string, string>();
  writes = 0;

  constructor(
    files: Readonly<Record<string, string>> = {},
    private readonly pairs: readonly Pair[] = toyPairs,
  ) {
    for (const [path, text] of Object.entries(files)) this.put(path, text);
  }

  put(path: string, text: string): this {
    this.texts.set(absolute(path), text);
    return this;
  }

  remove(path: string): this {
    this.texts.delete(absolute(path));
    return this;
  }

  text(path: string): string {
    return this.texts.get(absolute(path)) ?? '';
  }

  run(...argv: string[]): Ran {
    let out = '';
    let error = '';
    const disk: Disk = {
      folder: '/work',
      kindOf: (path) => {
        const place = absolute(path);
        if (this.texts.has(place)) return 'file';
        return [...this.texts.keys()].some((known) => known.startsWith(`${place}/`)) ? 'folder' : undefined;
      },
      filesIn: (folder) =>
        [...this.texts.keys()]
          .filter((known) => known.startsWith(`${absolute(folder)}/`))
          .map((known) => nodePath.posix.join(folder, nodePath.posix.relative(absolute(folder), known)))
          .sort(),
      write: (path, text) => {
        this.writes++;
        this.put(path, text);
      },
    };
    const io: Io = {
      out: (text) => void (out += text),
      error: (text) => void (error += text),
      read: (path) => {
        const text = this.texts.get(path === '-' ? '-' : absolute(path));
        if (text !== undefined) return text;
        throw Object.assign(new Error(path), { code: disk.kindOf(path) === 'folder' ? 'EISDIR' : 'ENOENT' });
      },
      outIsTerminal: false,
      errorIsTerminal: false,
      environment: {},
      disk,
    };
    const status = runNow(argv, io, this.pairs);
    return { status, out, error };
  }

  /** Standard input. */
  pipe(text: string): this {
    this.texts.set('-', text);
    return this;
  }
}

const absolute = (path: string): string => nodePath.posix.resolve('/work', path);

/** A kernel that loads `live` values and needs them all at once: `live` + 1 registers before any spill. */
export const kernel = (name: string, live: number): string => `kernel ${name}(n) {
  reg a, r<${live}>
  param a, n
${Array.from({ length: live }, (_, i) => `  load r${i}, [a]`).join('\n')}
${Array.from({ length: live }, (_, i) => `  store [r${i}], r${live - 1 - i}`).join('\n')}
  ret
}
`;
