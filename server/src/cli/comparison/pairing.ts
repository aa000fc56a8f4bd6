/**
 * Which function of before is which one of after. The same file, name, number, target and options is the same function. What is
 * left is paired by less and less, but only where exactly one on either side is left to choose from, and files are
 * paired as a whole: functions of one file are looked for in one file. So a file may have moved, then have got another
 * name, then be compiled for another architecture of the machine.
 *
 * Numbers of functions of one name say little once there are more or fewer of them: then equal figures come first.
 */
import { optionsKey, type Figures } from './figures.js';

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

type Key = (f: Figures) => readonly unknown[];

/** From the strictest to the most generous. */
const keys: readonly Key[] = [
  ({ file, name, nth, target, options }) => [file, name, nth, target, optionsKey(options)],
  ({ file, name, nth, target, options }) => [lastPart(file), name, nth, target, optionsKey(options)],
  ({ name, nth, target, options }) => [name, nth, target, optionsKey(options)],
  ({ file, name, nth, target, options }) => [file, name, nth, machineOf(target), optionsKey(options)],
  ({ name, nth, target, options }) => [name, nth, machineOf(target), optionsKey(options)],
];

const nameKey: Key = ({ file, name, target, options }) => [file, name, target, optionsKey(options)];
const likeness: Key = (f) => [
  ...nameKey(f),
  f.strategy,
  Object.entries(f.metrics).sort(([a], [b]) => (a < b ? -1 : 1)),
];

/** Functions of a name that a file has more than once, and not as often as before. */
function renumbered(before: readonly Figures[], after: readonly Figures[]): (f: Figures) => boolean {
  const textOf = (f: Figures): string => JSON.stringify(nameKey(f));
  const counted = (functions: readonly Figures[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const f of functions) counts.set(textOf(f), (counts.get(textOf(f)) ?? 0) + 1);
    return counts;
  };
  const [old, now] = [counted(before), counted(after)];
  return (f) => old.get(textOf(f)) !== now.get(textOf(f));
}

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
  const pairBy = (key: Key, isConcerned: (f: Figures) => boolean = () => true): void => {
    const left = singly(
      before.filter((f) => !taken.has(f) && isConcerned(f)),
      key,
    );
    if (left.size === 0) return;
    for (const [text, f] of singly(
      after.filter((one) => !partner.has(one) && isConcerned(one)),
      key,
    )) {
      const old = left.get(text);
      if (f !== undefined && old !== undefined && isPossible(old, f)) pair(old, f);
    }
  };
  pairBy(likeness, renumbered(before, after));
  for (const key of keys) pairBy(key);
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
function singly(functions: readonly Figures[], key: Key): Map<string, Figures | undefined> {
  const found = new Map<string, Figures | undefined>();
  for (const f of functions) {
    const text = JSON.stringify(key(f));
    found.set(text, found.has(text) ? undefined : f);
  }
  return found;
}
