/** The file system, for commands that do more than read texts. Tests give their own. */
import { mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface Disk {
  /** Where relative paths begin. */
  readonly folder: string;
  kindOf(path: string): 'file' | 'folder' | undefined;
  /** All files in and under a folder, sorted, hidden ones and node_modules left out; links to folders are not followed. */
  filesIn(folder: string): readonly string[];
  /** Puts the text in the place of the file, at once: nobody reads half of it. Throws as Node does. */
  write(path: string, text: string): void;
}

export const processDisk: Disk = {
  get folder() {
    return process.cwd();
  },
  kindOf: (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? undefined : found.isDirectory() ? 'folder' : 'file';
  },
  filesIn: (folder) => [...filesUnder(folder)].sort(),
  write,
};

function* filesUnder(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else if (entry.isFile() || (entry.isSymbolicLink() && processDisk.kindOf(path) === 'file')) yield path;
  }
}

/** Writes beside the file, then renames; a link stays one, and the file keeps its mode. */
function write(path: string, text: string): void {
  const known = statSync(path, { throwIfNoEntry: false });
  const place = known === undefined ? path : realpathSync(path);
  const folder = mkdtempSync(join(dirname(place), `.${basename(place)}-`));
  try {
    const whole = join(folder, basename(place));
    writeFileSync(whole, text, known === undefined ? {} : { mode: known.mode });
    renameSync(whole, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
