/**
 * Which function of before is which one of after. The same file, name, number and target is the same function. What is
 * left is paired by less and less, but only where exactly one on either side is left to choose from, and files are
 * paired as a whole: functions of one file are looked for in one file. So a file may have moved, then have got another
 * name, then be compiled for another architecture of the machine.
 */
import type { Figures } from './figures.js';

export interface Pair {
  readonly before: Figures;
  readonly after: Figures;
}

export interface Pairing {
  /** In the order of `after`. */
  readonly pairs: readonly Pair[];
  readonly gone: readonly Figures[];
  readonly added: readonly Figures[];
}

export const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const machineOf = (target: string): string => target.split(' ', 1)[0];

/** From the strictest to the most generous. */
const keys: readonly ((f: Figures) => readonly unknown[])[] = [
  ({ file, name, nth, target }) => [file, name, nth, target],
  ({ file, name, nth, target }) => [lastPart(file), name, nth, target],
  ({ name, nth, target }) => [name, nth, target],
  ({ file, name, nth, target }) => [file, name, nth, machineOf(target)],
  ({ name, nth, target }) => [name, nth, machineOf(target)],
];

export function paired(before: readonly Figures[], after: readonly Figures[]): Pairing {
  const partner = new Map<Figures, Figures>();
  const taken = new Set<Figures>();
  const newFile = new Map<string, string>();
  const oldFile = new Map<string, string>();
  const pair = (old: Figures, f: Figures): void => {
    partner.set(f, old);
    taken.add(old);
    newFile.set(old.file, f.file);
    oldFile.set(f.file, old.file);
  };
  const isPossible = (old: Figures, f: Figures): boolean =>
    (newFile.get(old.file) ?? f.file) === f.file && (oldFile.get(f.file) ?? old.file) === old.file;
  for (const key of keys) {
    const left = singly(
      before.filter((f) => !taken.has(f)),
      key,
    );
    if (left.size === 0) break;
    for (const [text, f] of singly(
      after.filter((one) => !partner.has(one)),
      key,
    )) {
      const old = left.get(text);
      if (f !== undefined && old !== undefined && isPossible(old, f)) pair(old, f);
    }
  }
  return {
    pairs: after.flatMap((f) => {
      const other = partner.get(f);
      return other === undefined ? [] : [{ before: other, after: f }];
    }),
    gone: before.filter((f) => !taken.has(f)),
    added: after.filter((f) => !partner.has(f)),
  };
}

/** By key; undefined for a key that several have. */
function singly(
  functions: readonly Figures[],
  key: (f: Figures) => readonly unknown[],
): Map<string, Figures | undefined> {
  const found = new Map<string, Figures | undefined>();
  for (const f of functions) {
    const text = JSON.stringify(key(f));
    found.set(text, found.has(text) ? undefined : f);
  }
  return found;
}
