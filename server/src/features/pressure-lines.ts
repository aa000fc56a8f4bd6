import type { Compilation } from '../targets/target.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { peaksIn, spillsIn } from './pressure-sites.js';
import { firstLineOf, idOf, instructionLines } from './views/function.js';
import type { SameView } from './views/data.js';

/**
 * The pressure on the lines of a document: for each line with an instruction, the registers of the first class that
 * are needed there; where the peaks are, and where spilled values go. Made once for each compilation: after an edit
 * only the functions that it changes are looked at, and only those are sent.
 */
export interface PressureLines {
  /** The same id means the same content; only `line` may differ. */
  readonly id: string;
  readonly name: string;
  /** Names the model in words: `sm_90, limit 255`. */
  readonly model: string;
  /** The line in which the function's text begins; the other lines count from there, zero-based. */
  readonly line: number;
  /** What is counted: `32-bit register`. */
  readonly unit: string;
  /** Registers that the class may have. */
  readonly limit: number;
  readonly peakWritten: number;
  readonly peakCompiled: number;
  /** Lines with instructions, ascending; and the most that one of a line's instructions needs. */
  readonly lines: readonly number[];
  readonly asWritten: readonly number[];
  readonly asCompiled: readonly number[];
  readonly peaks: readonly PeakLine[];
  readonly spills: readonly SpillLine[];
}

/** A figure is given in the view in which the line is a peak. */
export interface PeakLine {
  readonly line: number;
  readonly asWritten?: number;
  readonly asCompiled?: number;
}

/** Names of the registers that are stored after the line's instructions and reloaded before them. */
export interface SpillLine {
  readonly line: number;
  readonly stores: readonly string[];
  readonly reloads: readonly string[];
}

/** Of all functions, in text order; for those whose id is in `known` only their place. */
export function pressureLines(s: Snapshot, known: ReadonlySet<string>): (PressureLines | SameView)[] {
  return s.units.flatMap((unit) => {
    const c = unit.compilation;
    if (c === undefined || c.source.instructionCount === 0) return [];
    const line = firstLineOf(s, unit);
    const id = idOf(c);
    return [known.has(id) ? { same: id, line } : { ...contentOf(s, unit, c), line }];
  });
}

type Content = Omit<PressureLines, 'line'>;

const contents = new WeakMap<Compilation, Content>();

function contentOf(s: Snapshot, unit: Unit, c: Compilation): Content {
  let content = contents.get(c);
  if (content === undefined) contents.set(c, (content = makeContent(s, unit, c)));
  return content;
}

function makeContent(s: Snapshot, unit: Unit, c: Compilation): Content {
  const { source: f } = c;
  const lineOf = instructionLines(s, { unit, compilation: c });
  const names = (registers: readonly number[]): string[] => registers.map((r) => f.registerNames[r]);
  return {
    id: idOf(c),
    name: f.name,
    model: c.model,
    unit: f.classes[0].unit,
    limit: c.stats.limit,
    peakWritten: c.asWritten.peak[0],
    peakCompiled: c.asCompiled.peak[0],
    ...figuresByLine(lineOf, c),
    peaks: peaksIn(c).map(({ instruction, ...figures }) => ({ line: lineOf[instruction], ...figures })),
    spills: spillsIn(c).map(({ instruction, stores, reloads }) => ({
      line: lineOf[instruction],
      stores: names(stores),
      reloads: names(reloads),
    })),
  };
}

function figuresByLine(
  lineOf: Int32Array,
  { asWritten, asCompiled }: Compilation,
): Pick<Content, 'lines' | 'asWritten' | 'asCompiled'> {
  const end = lineOf.reduce((last, line) => Math.max(last, line), -1) + 1;
  const written = new Int32Array(end).fill(-1);
  const compiled = new Int32Array(end);
  for (let i = 0; i < lineOf.length; i++) {
    const line = lineOf[i];
    written[line] = Math.max(written[line], asWritten.during[0][i]);
    compiled[line] = Math.max(compiled[line], asCompiled.during[0][i]);
  }
  const lines: number[] = [];
  for (let line = 0; line < end; line++) if (written[line] >= 0) lines.push(line);
  return {
    lines,
    asWritten: lines.map((line) => written[line]),
    asCompiled: lines.map((line) => compiled[line]),
  };
}
