import { readFileSync, statSync } from 'node:fs';
import { processDisk, type Disk } from './disk.js';
import type { Threads } from './threads/threads.js';
import { isClosedPipe, writeAll, writeFault } from './writing.js';

/** Where a command reads and writes. Tests give their own. */
export interface Io {
  /** Results. */
  out(text: string): void;
  /** Messages, never results. */
  error(text: string): void;
  /** The text of a file, or of standard input for `-`. Throws with a message for people. */
  read(path: string): string;
  readonly outIsTerminal: boolean;
  readonly errorIsTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absent where there is one thread only. */
  readonly threads?: Threads;
  /** Absent where there is nothing but texts to read. */
  readonly disk?: Disk;
}

export const processIo: Io = {
  out: toStandardOutput,
  error: (text) => void process.stderr.write(text),
  read: (path) => decode(readFileSync(path === '-' ? 0 : checkedPath(path))),
  outIsTerminal: process.stdout.isTTY === true,
  errorIsTerminal: process.stderr.isTTY === true,
  environment: process.env,
  disk: processDisk,
};

/**
 * All of it, or the end: with status 2 and the reason, as where the disk is full. A reader that has seen enough
 * (`| head`) closes the pipe; that is no fault. Terminals are left to Node, which knows their encoding.
 */
function toStandardOutput(text: string): void {
  if (process.stdout.isTTY) return void process.stdout.write(text);
  try {
    writeAll(process.stdout.fd, Buffer.from(text));
  } catch (error) {
    if (isClosedPipe(error)) process.exit(0);
    process.stderr.write(`spillway: standard output: ${writeFault(error)}\n`);
    process.exit(2);
  }
}

function checkedPath(path: string): string {
  if (statSync(path).isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
  return path;
}

/** UTF-8. A byte order mark stays, since assemblers refuse it; bytes that are no UTF-8 become replacement characters, which are reported where they stand. */
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Why a file cannot be read, in words without the path; undefined for a directory, where the way out depends on what was wanted. */
export function readFault(error: unknown): string | undefined {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be read';
  if (code === 'EISDIR') return undefined;
  return message ?? String(error);
}
