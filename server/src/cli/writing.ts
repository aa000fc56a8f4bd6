/** Writes files and standard output so that all of a text gets there, or it is told why not. */
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Names of what a process has open already, as `/dev/stdout`: opening the file behind one would begin at its start. */
const OPEN_FILE = /^\/(?:dev\/(?:fd\/(\d+)|(stdout)|(stderr))|proc\/self\/fd\/(\d+))$/;

/** As Linux: links that lead to links. */
const MOST_LINKS = 40;

/**
 * Puts the text in the place of a file at once, so that nobody reads half of it: it is written beside the file and
 * renamed. Links stay links, and the file keeps its mode and, where that is allowed, its owner. What is no regular file
 * (a device, a pipe) is written to as it is, and so is a file beside which nothing can be put. A file that nobody may
 * write stays. Throws as Node does.
 */
export function writeFile(path: string, text: string): void {
  const bytes = Buffer.from(text);
  const open = OPEN_FILE.exec(path);
  if (open !== null) {
    const number = open[1] ?? open[4] ?? (open[2] === undefined ? 2 : 1);
    return writeQuietly(Number(number), bytes);
  }
  const known = statSync(path, { throwIfNoEntry: false });
  if (known !== undefined && !known.isFile()) return writeInPlace(path, bytes);
  if (known !== undefined) {
    accessSync(path, constants.W_OK);
    // the administrator passes every check; a file without any right to write is meant to stay
    if ((known.mode & ANY_MAY_WRITE) === 0)
      throw Object.assign(new Error(`EACCES: read-only file, open '${path}'`), { code: 'EACCES' });
  }
  const place = known === undefined ? linked(path) : realpathSync(path);
  try {
    replace(place, bytes, known);
  } catch (error) {
    if (known === undefined || !NOT_BESIDE.has(codeOf(error))) throw error;
    writeInPlace(place, bytes);
  }
}

const ANY_MAY_WRITE = 0o222;

/** The folder takes no files, or the file is one that cannot be replaced, as one that is mounted by itself. */
const NOT_BESIDE = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'EROFS']);

const codeOf = (error: unknown): string => (error as { readonly code?: string }).code ?? '';

function replace(place: string, bytes: Uint8Array, known: Stats | undefined): void {
  const folder = mkdtempSync(join(dirname(place), '.spillway-'));
  try {
    const whole = join(folder, 'whole');
    writeInPlace(whole, bytes);
    if (known !== undefined) {
      keepOwner(whole, known);
      chmodSync(whole, known.mode & 0o7777);
    }
    renameSync(whole, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function keepOwner(path: string, { uid, gid }: Stats): void {
  const fresh = statSync(path);
  if (fresh.uid === uid && fresh.gid === gid) return;
  try {
    chownSync(path, uid, gid);
  } catch {
    // only the administrator gives files away
  }
}

/** Where a link that leads to nothing yet says that the file is to be. */
function linked(path: string): string {
  let place = path;
  for (let k = 0; k < MOST_LINKS; k++) {
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return place;
    // parts of the path that are links themselves count before `..` does
    place = resolve(realpathSync(dirname(place)), readlinkSync(place));
  }
  throw Object.assign(new Error(`ELOOP: too many links, open '${path}'`), { code: 'ELOOP' });
}

function writeInPlace(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'w');
  try {
    writeQuietly(file, bytes);
  } finally {
    closeSync(file);
  }
}

/** A reader that has seen enough closes the pipe; that is no fault. */
function writeQuietly(file: number, bytes: Uint8Array): void {
  try {
    writeAll(file, bytes);
  } catch (error) {
    if (!isClosedPipe(error)) throw error;
  }
}

export const isClosedPipe = (error: unknown): boolean => codeOf(error) === 'EPIPE' || codeOf(error) === 'EOF';

/** Every byte, however few are taken at once. Throws as Node does. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;)
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      // a pipe that is full, and that the other side has made answer at once
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
}

const faults: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'it may not be written',
  EPERM: 'it may not be written',
  EROFS: 'its file system is read-only',
  EISDIR: 'it is a directory; give a file',
  ENOSPC: 'no space is left',
  EDQUOT: 'the quota is used up',
  EFBIG: 'it would be larger than files may be',
  ELOOP: 'links lead round in a circle',
  ENAMETOOLONG: 'its name is too long',
  ENXIO: 'it is a socket, which cannot be opened',
  EBADF: 'nothing is open under this number',
  EIO: 'the device reports an error',
};

/** Why something cannot be written, in words without the path. */
export function writeFault(error: unknown): string {
  const code = codeOf(error);
  return (
    (Object.hasOwn(faults, code) ? faults[code] : undefined) ??
    (error instanceof Error ? error.message : String(error))
  );
}
