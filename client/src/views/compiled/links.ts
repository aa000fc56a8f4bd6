/**
 * From lines of a source to lines of its compiled code and back. One source line may be on many lines (an instruction
 * that was copied when its loop was unrolled), one line may carry out many source lines. Lines are zero-based.
 */
export interface LineLinks {
  /** Lines of the code that carry out a line of the source, ascending. */
  codeOf(sourceLine: number): readonly number[];
  /** Lines of the source that a line of the code carries out, what it stands for first. */
  sourceOf(codeLine: number): readonly number[];
}

/** Inclusive. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

const none: readonly number[] = [];

/** `pairs` is what the server sends: line of the code, line of the source, and so on, by line of the code. */
export function lineLinks(pairs: readonly number[]): LineLinks {
  const code = new Map<number, number[]>();
  const source = new Map<number, number[]>();
  const add = (to: Map<number, number[]>, key: number, value: number): void => {
    const known = to.get(key);
    if (known === undefined) to.set(key, [value]);
    else known.push(value);
  };
  for (let k = 0; k + 1 < pairs.length; k += 2) {
    add(source, pairs[k], pairs[k + 1]);
    add(code, pairs[k + 1], pairs[k]);
  }
  return { codeOf: (line) => code.get(line) ?? none, sourceOf: (line) => source.get(line) ?? none };
}

/** All lines that belong to the selected ones on the other side, ascending, each once. */
export function linkedLines(
  of: (line: number) => readonly number[],
  selected: readonly LineRange[],
): number[] {
  const found = new Set<number>();
  for (const { first, last } of selected)
    for (let line = first; line <= last; line++) for (const other of of(line)) found.add(other);
  return [...found].sort((a, b) => a - b);
}

/** Neighbouring lines as ranges. */
export function rangesOf(lines: readonly number[]): LineRange[] {
  const ranges: LineRange[] = [];
  for (const line of lines) {
    const open = ranges.at(-1);
    if (open !== undefined && line <= open.last + 1)
      ranges[ranges.length - 1] = { first: open.first, last: Math.max(open.last, line) };
    else ranges.push({ first: line, last: line });
  }
  return ranges;
}

/**
 * The range to go to: of those the one that holds or is nearest to `from`, the line where the other cursor stands;
 * of two at the same distance the first. Undefined where there is none.
 */
export function nearestRange(ranges: readonly LineRange[], from: number): LineRange | undefined {
  const distance = ({ first, last }: LineRange): number =>
    from < first ? first - from : from > last ? from - last : 0;
  let best: LineRange | undefined;
  for (const range of ranges) if (best === undefined || distance(range) < distance(best)) best = range;
  return best;
}

export type Direction = 'toCode' | 'toSource';

/**
 * What the other side is to show for a selection: every linked line, and where its cursor goes. A single line of the
 * code leads to what it stands for, not to what was folded into it.
 */
export function follow(
  { codeOf, sourceOf }: LineLinks,
  direction: Direction,
  selected: readonly LineRange[],
  otherCursor: number,
): { readonly highlighted: readonly LineRange[]; readonly goTo: LineRange | undefined } {
  const highlighted = rangesOf(linkedLines(direction === 'toCode' ? codeOf : sourceOf, selected));
  const isSingle = selected.length === 1 && selected[0].first === selected[0].last;
  const standsFor = isSingle && direction === 'toSource' ? sourceOf(selected[0].first).at(0) : undefined;
  const goTo =
    standsFor === undefined ? nearestRange(highlighted, otherCursor) : { first: standsFor, last: standsFor };
  return { highlighted, goTo: isSingle && goTo !== undefined ? atOneLine(goTo, otherCursor) : goTo };
}

/** A cursor goes to one line: the nearest. */
function atOneLine({ first, last }: LineRange, from: number): LineRange {
  const line = Math.min(last, Math.max(first, from));
  return { first: line, last: line };
}
