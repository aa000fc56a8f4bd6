import { Role, type References } from './references.js';
import type { Ranges } from './live.js';
import type { Program } from '../program.js';

/**
 * What is stored and reloaded as one: the cells of a virtual register that arithmetic always touches together. A
 * message's result of four components is four atoms, side by side where the message writes them and independent
 * afterwards; a payload that a message reads is bound together, because its parts must stand side by side again.
 */
export interface Atoms {
  readonly count: number;
  /** By atom. */
  readonly firstCell: Int32Array;
  readonly size: Int32Array;
  readonly register: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Part of an access that takes several atoms as they lie: it cannot be brought back elsewhere. */
  readonly isBound: Uint8Array;
  /** The last instruction that reads or writes it together with other atoms, as they lie; -1 for none. */
  readonly lastWhole: Int32Array;
  /** By cell. */
  readonly atomOf: Int32Array;
  /** By atom: its references in order, as a run of `reference` (instruction numbers, without repeats). */
  readonly referenceStart: Int32Array;
  readonly reference: Int32Array;
  /** By atom: instructions that define it. */
  readonly definitionStart: Int32Array;
  readonly definition: Int32Array;
}

export function atomsOf(program: Program, references: References, ranges: Ranges): Atoms {
  // a cell that some arithmetic touches together with the one before it
  const joins = new Uint8Array(references.cellCount + 1);
  for (let i = 0; i < program.instructions.length; i++) {
    if (program.instructions[i].opcode.kind === 'message') continue;
    for (let r = references.start[i]; r < references.start[i + 1]; r++)
      joins.fill(1, references.cell[r] + 1, references.cell[r] + references.count[r]);
  }
  const atomOf = new Int32Array(references.cellCount);
  const firstCell: number[] = [];
  for (let cell = 0; cell < references.cellCount; cell++) {
    const isNew =
      cell === 0 || references.registerOf[cell] !== references.registerOf[cell - 1] || joins[cell] === 0;
    if (isNew) firstCell.push(cell);
    atomOf[cell] = firstCell.length - 1;
  }
  const count = firstCell.length;
  const size = Int32Array.from(
    firstCell,
    (cell, atom) => (firstCell[atom + 1] ?? references.cellCount) - cell,
  );
  const from = new Int32Array(count).fill(-1);
  const to = new Int32Array(count).fill(-1);
  for (let cell = 0; cell < references.cellCount; cell++) {
    if (ranges.from[cell] < 0) continue;
    const atom = atomOf[cell];
    if (from[atom] < 0 || ranges.from[cell] < from[atom]) from[atom] = ranges.from[cell];
    to[atom] = Math.max(to[atom], ranges.to[cell]);
  }
  const isBound = new Uint8Array(count);
  const lastWhole = new Int32Array(count).fill(-1);
  for (let i = 0; i < program.instructions.length; i++)
    for (let r = references.start[i]; r < references.start[i + 1]; r++) {
      const first = atomOf[references.cell[r]];
      const last = atomOf[references.cell[r] + references.count[r] - 1];
      if (first === last) continue;
      lastWhole.fill(i, first, last + 1);
      const isKill = (references.role[r] & Role.Kills) !== 0 && (references.role[r] & Role.Use) === 0;
      if (!isKill) isBound.fill(1, first, last + 1);
    }
  const all = listByAtom(program, references, atomOf, count, Role.Use | Role.Definition);
  const definitions = listByAtom(program, references, atomOf, count, Role.Definition);
  return {
    count,
    firstCell: Int32Array.from(firstCell),
    size,
    register: Int32Array.from(firstCell, (cell) => references.registerOf[cell]),
    from,
    to,
    isBound,
    lastWhole,
    atomOf,
    referenceStart: all.start,
    reference: all.list,
    definitionStart: definitions.start,
    definition: definitions.list,
  };
}

function listByAtom(
  program: Program,
  references: References,
  atomOf: Int32Array,
  count: number,
  roles: number,
): { start: Int32Array; list: Int32Array } {
  const last = new Int32Array(count).fill(-1);
  const start = new Int32Array(count + 1);
  const walk = (found: (atom: number, i: number) => void): void => {
    last.fill(-1);
    for (let i = 0; i < program.instructions.length; i++)
      for (let r = references.start[i]; r < references.start[i + 1]; r++) {
        if ((references.role[r] & roles) === 0) continue;
        for (let cell = references.cell[r]; cell < references.cell[r] + references.count[r]; cell++) {
          const atom = atomOf[cell];
          if (last[atom] === i) continue;
          last[atom] = i;
          found(atom, i);
        }
      }
  };
  walk((atom) => start[atom + 1]++);
  for (let atom = 0; atom < count; atom++) start[atom + 1] += start[atom];
  const list = new Int32Array(start[count]);
  const cursor = start.slice();
  walk((atom, i) => (list[cursor[atom]++] = i));
  return { start, list };
}
