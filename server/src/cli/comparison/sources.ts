/** Files of the command line: folders become the files in them, and each gets a name by which it is found again. */
import nodePath from 'node:path';
import { languageForPath } from '../../workspace/registry.js';
import { UsageError } from '../arguments.js';
import type { Disk } from '../disk.js';
import type { Context } from '../inputs.js';

/** The files in and under a folder whose names say a language that is known. */
export const sourcesIn = (folder: string, disk: Disk, { pairs }: Context): string[] =>
  disk.filesIn(folder).filter((file) => languageForPath(file, pairs) !== undefined);

/** The fault of a folder that holds no sources. */
export const noSources = (folder: string, { pairs }: Context): UsageError =>
  new UsageError(
    `${folder} holds no file that is called ${pairs.flatMap(({ language }) => language.extensions.map((ending) => `*${ending}`)).join(', ')}`,
  );

/** The paths with each folder replaced by its sources. Throws `UsageError` for a folder without one. */
export function expanded(paths: readonly string[], disk: Disk, context: Context): string[] {
  return paths.flatMap((path) => {
    if (path === '-' || disk.kindOf(path) !== 'folder') return [path];
    const found = sourcesIn(path, disk, context);
    if (found.length === 0) throw noSources(path, context);
    return found;
  });
}

/** The path of a file seen from a folder, with `/`; both absolute, of one kind of system. */
export function nameFrom(folder: string, file: string, system: typeof nodePath = nodePath): string {
  return system.relative(folder, file).split(system.sep).join('/');
}

/** The folder of a file, and names of files seen from it. */
export function namesBeside(
  file: string,
  { folder }: Disk,
): {
  readonly nameOf: (path: string) => string;
  /** A path by which the file of a name can be read. */
  readonly pathOf: (name: string) => string;
} {
  const from = nodePath.dirname(nodePath.resolve(folder, file));
  return {
    nameOf: (path) => nameFrom(from, nodePath.resolve(folder, path)),
    pathOf: (name) => nodePath.relative(folder, nodePath.resolve(from, name)),
  };
}

/** Names of files in a folder, seen from it; a file by itself has its last name. */
export function namesWithin(path: string, disk: Disk | undefined): (file: string) => string {
  if (disk?.kindOf(path) !== 'folder') return (file) => nodePath.basename(file);
  const from = nodePath.resolve(disk.folder, path);
  return (file) => nameFrom(from, nodePath.resolve(disk.folder, file));
}
