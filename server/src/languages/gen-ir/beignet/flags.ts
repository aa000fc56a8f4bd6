import type { Span } from '../../../text/span.js';
import type { FlagName, Line, SelectionLine } from './tree.js';

/**
 * Which flag each comparison writes. Beignet's dump does not print it (the destination is a bare `arf`), so it is
 * taken from the readers: within a block, the first predicate that names a bool register for the first time reads
 * the oldest comparison that nobody has claimed (bools are written in the order in which they are used, nearly
 * always); a physical flag, which Beignet only uses for a moment, reads the youngest one. A predicate without such
 * a comparison in its block claims the youngest unclaimed one of the text before. What stays unclaimed writes f0.1,
 * Beignet's flag for temporary results.
 */
export interface WrittenFlags {
  /** By line of the code; lines that write no flag are absent. */
  readonly written: ReadonlyMap<Line, FlagName>;
  /** The first comparison whose flag is assumed. */
  readonly firstAssumed: SelectionLine | undefined;
}

export const TEMPORARY_FLAG = 1;

const temporary: FlagName = { kind: 'physical', number: TEMPORARY_FLAG, span: { start: -1, end: -1 } };

/** Where a flag is written that the line does not name: the bare `arf`. */
export function placeOfFlag({ destinations, opcode }: SelectionLine): Span {
  const { start, end } = destinations.find(({ kind }) => kind === 'file') ?? opcode;
  return { start, end };
}

/** The flag as the line writes it, at the place where it does. */
function assumed(line: SelectionLine, flag: FlagName): FlagName {
  const span = placeOfFlag(line);
  switch (flag.kind) {
    case 'virtual':
      return { kind: 'virtual', register: { ...span, number: flag.register.number } };
    case 'physical':
      return { ...flag, span };
    case 'unknown':
      return flag;
  }
}

export function writtenFlags(code: readonly Line[]): WrittenFlags {
  const written = new Map<Line, FlagName>();
  let firstAssumed: SelectionLine | undefined;
  /** Comparisons of this block without a flag; those before `oldest` are claimed. */
  let block: (SelectionLine | undefined)[] = [];
  let oldest = 0;
  const before: SelectionLine[] = [];
  const seen = new Set<number>();

  const closeBlock = (): void => {
    for (let k = oldest; k < block.length; k++) {
      const line = block[k];
      if (line !== undefined) before.push(line);
    }
    block = [];
    oldest = 0;
  };
  const claim = (flag: FlagName): void => {
    if (flag.kind === 'virtual') {
      if (seen.has(flag.register.number)) return;
      seen.add(flag.register.number);
      while (oldest < block.length && block[oldest] === undefined) oldest++;
      const line = oldest < block.length ? block[oldest++] : before.pop();
      if (line !== undefined) written.set(line, assumed(line, flag));
    } else if (flag.kind === 'physical') {
      const line = block.length > oldest ? block.pop() : undefined;
      if (line !== undefined) written.set(line, assumed(line, flag));
    }
  };

  for (const line of code) {
    if (line.kind === 'label') closeBlock();
    if (line.kind !== 'selection') continue;
    if (line.predicate !== undefined) claim(line.predicate.flag);
    if (line.flag !== undefined && line.flag.kind !== 'unknown') {
      written.set(line, line.flag);
      if (line.flag.kind === 'virtual') seen.add(line.flag.register.number);
    } else if (line.opcode.text === 'CMP' || line.opcode.text === 'I64CMP' || line.flag !== undefined) {
      firstAssumed ??= line;
      block.push(line);
    }
  }
  closeBlock();
  for (const line of before) if (!written.has(line)) written.set(line, assumed(line, temporary));
  return { written, firstAssumed };
}
