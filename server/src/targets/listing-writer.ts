import { IntList } from '../ir/int-list.js';
import type { Listing, ListingMark, Mentions } from './target.js';

/** A place on the line that is being written. */
export interface Mention {
  /** Columns `[start, end)`. */
  readonly start: number;
  readonly end: number;
  readonly role: number;
  /** The first of `units` places in the machine's own numbers; absent for a label or a name. */
  readonly place?: number | undefined;
  readonly units?: number | undefined;
  /** A register of the source; absent or -1: none. */
  readonly register?: number | undefined;
  /** Line that defines it; absent: to be searched. */
  readonly definition?: number | undefined;
}

/**
 * Writes a listing line by line, and what is known of each line beside its text. What is said of a line is said after
 * `line`; blocks are begun in their order. Instructions and registers are those of the source.
 */
export class ListingWriter {
  private readonly lines: string[] = [];
  private readonly source = new IntList();
  private readonly carriesStart = new IntList();
  private readonly carries = new IntList();
  private readonly marks: ListingMark[] = [];
  private readonly columns = Array.from({ length: 8 }, () => new IntList());
  private readonly blockStart = new IntList();
  private readonly successorStart = new IntList();
  private readonly successors = new IntList();
  /** Mentions of the last line, in whatever order. */
  private readonly pending: Mention[] = [];
  private headings = 0;

  constructor(private readonly comment: string) {}

  /** Number of the next line. */
  get next(): number {
    return this.lines.length;
  }

  /** A line that tells of the whole program; before all others. */
  heading(text: string): void {
    this.line(text);
    this.headings = this.lines.length;
  }

  line(text: string, source = -1): void {
    this.flush();
    this.lines.push(text);
    this.source.push(source);
    this.carriesStart.push(this.carries.length);
    if (source >= 0) this.carries.push(source);
  }

  /** The last line does the work of this source instruction too. */
  carry(instruction: number): void {
    this.carries.push(instruction);
  }

  /** The next line is the first of a block. */
  block(successors: Iterable<number>): void {
    this.blockStart.push(this.lines.length);
    this.successorStart.push(this.successors.length);
    for (const to of successors) this.successors.push(to);
  }

  /** Marks columns of the last line; the whole line where none are given. */
  mark(
    mark: Omit<ListingMark, 'line' | 'start' | 'end'> & { readonly start?: number; readonly end?: number },
  ): void {
    const line = this.lines.length - 1;
    const text = this.lines[line];
    const start = mark.start ?? text.length - text.trimStart().length;
    this.marks.push({ ...mark, line, start, end: mark.end ?? text.length });
  }

  /** On the last line. */
  mention(mention: Mention): void {
    this.pending.push(mention);
  }

  private flush(): void {
    const { pending, lines, columns } = this;
    if (pending.length === 0) return;
    if (pending.some((one, k) => k > 0 && one.start < pending[k - 1].start))
      pending.sort((a, b) => a.start - b.start);
    const [lineOf, startOf, endOf, placeOf, unitsOf, roleOf, registerOf, definitionOf] = columns;
    for (const mention of pending) {
      lineOf.push(lines.length - 1);
      startOf.push(mention.start);
      endOf.push(mention.end);
      placeOf.push(mention.place ?? -1);
      unitsOf.push(mention.units ?? 1);
      roleOf.push(mention.role);
      registerOf.push(mention.register ?? -1);
      definitionOf.push(mention.definition ?? -1);
    }
    pending.length = 0;
  }

  finish(): Listing {
    this.flush();
    this.carriesStart.push(this.carries.length);
    this.blockStart.push(this.lines.length);
    this.successorStart.push(this.successors.length);
    return {
      lines: this.lines,
      source: this.source.toArray(),
      details: {
        headings: this.headings,
        comment: this.comment,
        carriesStart: this.carriesStart.toArray(),
        carries: this.carries.toArray(),
        marks: this.marks,
        mentions: this.mentions(),
        blockStart: this.blockStart.toArray(),
        successorStart: this.successorStart.toArray(),
        successors: this.successors.toArray(),
      },
    };
  }

  private mentions(): Mentions {
    const [line, start, end, place, units, role, register, definition] = this.columns.map((c) => c.toArray());
    return {
      count: line.length,
      line,
      start,
      end,
      place,
      units,
      role: Uint8Array.from(role),
      register,
      definition,
    };
  }
}
