/**
 * What a listing's lines are about, for an editor: which word each operand was computed in (the network's results are
 * read one or two words later, so this needs no search), what only hands values on, and which units do nothing.
 */
import type { ListingWriter } from '../listing-writer.js';
import { MentionRole } from '../target.js';
import type { Listed } from './listing.js';
import { componentNames } from './places.js';
import { resultOf, type Role } from './sites.js';
import { blockName, MUL0_CELL } from './word-text.js';
import { unitNames, UNITS } from './word.js';

/** A word's line: the columns of its cells, and where the comment begins. */
export interface WrittenWord {
  readonly text: string;
  readonly commentStart: number;
  /** By cell (`wordCells`); undefined where there is no column. */
  readonly cells: readonly (
    { readonly start: number; readonly end: number; readonly isEmpty: boolean } | undefined
  )[];
}

/** Places in numbers: results of units, components of registers and of temporaries. */
const REGISTERS = 1 << 8;
const TEMPORARIES = 1 << 16;

/** The cell of the stores and the branch. */
const STORE_CELL = MUL0_CELL + UNITS;

interface WordSite {
  readonly instruction: number;
  readonly slot: string;
  readonly role: Role;
}

export class WordDetails {
  private readonly sites: readonly WordSite[][];
  private readonly registerOfName: ReadonlyMap<string, number>;

  constructor(
    private readonly c: Listed,
    private readonly writer: ListingWriter,
    private readonly words: readonly WrittenWord[],
  ) {
    this.sites = words.map(() => []);
    c.sites.ofInstruction.forEach((all, instruction) => {
      for (const { word, slot, role } of all) this.sites.at(word)?.push({ instruction, slot, role });
    });
    this.registerOfName = new Map(c.source.registerNames.map((name, register) => [name, register]));
  }

  /** Of the word whose line was written last, in a block that begins with word `first`. */
  write(at: number, first: number, lineOfBlock: readonly number[]): void {
    const { writer, words } = this;
    const line = writer.next - 1;
    const owner = this.c.sites.ownerOfWord[at];
    for (const instruction of new Set(this.sites[at].map((site) => site.instruction)))
      if (instruction !== owner) writer.carry(instruction);
    this.marks(at);
    const lineOfWord = (word: number): number => (word < first ? -1 : line - (at - word));
    this.results(at);
    const { text, commentStart } = words[at];
    for (const found of text.slice(0, commentStart).matchAll(operands)) {
      const start = found.index;
      const span = { start, end: start + found[0].length };
      const { carets, unit, stored, file, vector, components, label } = found.groups ?? {};
      if (carets !== undefined) {
        const place = unitNames.indexOf(unit as never);
        const definition = lineOfWord(at - carets.length);
        writer.mention({ ...span, role: MentionRole.Read, place, definition });
      } else if (stored !== undefined) {
        const place = unitNames.indexOf(stored as never);
        writer.mention({ ...span, role: MentionRole.Read, place, definition: line });
      } else if (label !== undefined) {
        const block = this.c.code.blocks.findIndex((_, b) => blockName(this.c.code, b) === label);
        const from = start + 'branch '.length;
        if (block >= 0)
          writer.mention({
            start: from,
            end: span.end,
            role: MentionRole.Read,
            definition: lineOfBlock[block],
          });
      } else if (vector !== undefined) {
        const base = file === 't' ? TEMPORARIES : REGISTERS;
        const place = base + 4 * Number(vector) + componentNames.indexOf(components[0] as never);
        const isStore = text.startsWith(' = ', span.end);
        const role = isStore ? MentionRole.Write : MentionRole.Read;
        writer.mention({
          ...span,
          role,
          place,
          units: components.length,
          register: this.held(at, found[0], isStore),
        });
      }
    }
    for (const found of text.slice(commentStart).matchAll(/[^\s,;]+/g)) {
      const register = this.registerOfName.get(found[0]);
      if (register === undefined) continue;
      const start = commentStart + found.index;
      writer.mention({ start, end: start + found[0].length, role: MentionRole.Name, register });
    }
  }

  /** What each unit of the word computes. */
  private results(at: number): void {
    this.words[at].cells.forEach((cell, k) => {
      const unit = k - MUL0_CELL;
      if (cell === undefined || cell.isEmpty || unit < 0 || unit >= UNITS) return;
      const slot = unitNames[unit];
      const site = this.sites[at].find((one) => one.slot === slot);
      const register = site === undefined ? -1 : resultOf(this.c.source, site.instruction);
      const { start } = cell;
      this.writer.mention({
        start,
        end: start + slot.length,
        role: MentionRole.Write,
        place: unit,
        register,
      });
    });
  }

  /** The source register that a register or temporary holds here, where the word keeps it or takes it back; else -1. */
  private held(at: number, text: string, isStore: boolean): number {
    const component = text.at(-1) ?? '';
    const site = this.sites[at].find(
      ({ role, slot }) =>
        slot.endsWith(`.${component}`) &&
        (isStore ? role === 'keep' : role === 'reload' && slot.startsWith('reg')),
    );
    return site === undefined ? -1 : resultOf(this.c.source, site.instruction);
  }

  private marks(at: number): void {
    const { cells, text } = this.words[at];
    if (cells.every((cell) => cell === undefined)) this.writer.mark({ kind: 'empty' });
    cells.forEach((cell, k) => {
      if (cell === undefined) return;
      const { start, end } = cell;
      const unit = k - MUL0_CELL;
      const isUnit = unit >= 0 && unit < UNITS;
      if (cell.isEmpty) {
        if (isUnit && start < text.length)
          this.writer.mark({ kind: 'empty', start, end: Math.min(end, text.length) });
        return;
      }
      const role = isUnit ? 'move' : k === STORE_CELL ? 'keep' : 'reload';
      const ofCell = isUnit ? unitNames[unit] : k === STORE_CELL ? 'store' : k < 2 ? `reg${k}` : undefined;
      const site =
        ofCell === undefined
          ? undefined
          : this.sites[at].find((one) => one.role === role && one.slot.split('.')[0] === ofCell);
      if (site === undefined) return;
      const register = resultOf(this.c.source, site.instruction);
      this.writer.mark({ kind: role === 'keep' ? 'store' : role, start, end, register });
    });
  }
}

/** What can be looked up in a word: `^^mul0`, `$3.xy`, `t9.z`, the units behind ` = ` of a store, a branch's label. */
const operands =
  /(?<carets>\^{1,2})(?<unit>mul0|mul1|add0|add1|pass|complex)\b|(?<=[ =,] )(?<stored>mul0|mul1|add0|add1|pass|complex)(?=,? |$)(?<=(?:= |= \w+, )\w+)|(?<![\w^])(?<file>[$t])(?<vector>\d+)\.(?<components>[xyzw]+)|branch (?<label>\S+)/g;
