/** The file system, for commands that do more than read texts. Tests give their own. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFile } from './writing.js';

export interface Disk {
  /** Where relative paths begin. */
  readonly folder: string;
  /** A stream is what is neither a regular file nor a folder: a pipe or a device. */
  kindOf(path: string): 'file' | 'stream' | 'folder' | undefined;
  /** All files in and under a folder, sorted, hidden ones and node_modules left out; links to folders are not followed. */
  filesIn(folder: string): readonly string[];
  /** Puts the text in the place of the file, at once where it is a regular one: nobody reads half of it. Throws as Node does. */
  write(path: string, text: string): void;
}

export const processDisk: Disk = {
  get folder() {
    return process.cwd();
  },
  kindOf: (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined
      ? undefined
      : found.isDirectory()
        ? 'folder'
        : found.isFile()
          ? 'file'
          : 'stream';
  },
  filesIn: (folder) => [...filesUnder(folder)].sort(),
  write: writeFile,
};

function* filesUnder(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else if (entry.isFile() || (entry.isSymbolicLink() && processDisk.kindOf(path) === 'file')) yield path;
  }
}
