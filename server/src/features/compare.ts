/**
 * What if: the figures of one function under other targets and limits. Each row is compiled anew, so this goes on in
 * steps; what is found is remembered for as long as the function and those that it calls are the same.
 */
import type { Function } from '../ir/function.js';
import {
  emptyModule,
  type Alternative,
  type Compilation,
  type Target,
  type TargetOptions,
} from '../targets/target.js';
import type { Snapshot, Unit } from '../workspace/snapshot.js';
import { bestOf, type Figures } from './compare-best.js';
import type { Column, Comparison, ComparisonRow } from './compare-data.js';
import { summaryIn } from './code-lens.js';
import { driven } from './steps.js';

/** `undefined` is yielded between pieces of work, a row when it is known. */
export type ComparisonSteps = Generator<ComparisonRow | undefined, Comparison | undefined>;

/** The comparison of the function in a unit; undefined for one that is not compiled, or has nothing to compare. */
export function* comparison(s: Snapshot, unit: Unit): ComparisonSteps {
  const present = unit.compilation;
  const alternatives = present === undefined ? undefined : s.target.alternatives?.(present);
  if (present === undefined || alternatives === undefined || alternatives.length === 0) return undefined;
  const options = s.settings.targets[s.target.id] ?? {};
  const found: ComparisonRow[] = [];
  for (const alternative of alternatives) {
    yield undefined;
    // where a search goes on while nobody waits, what is at hand may be half of it
    const outcome =
      alternative.isPresent && s.target.improve === undefined
        ? outcomeOf(s.target, present)
        : yield* compiled(s, present.source, { ...options, ...alternative.options });
    const row = rowOf(s.target, alternative, outcome);
    found.push(row);
    yield row;
  }
  const rows = foldScales(found, alternatives);
  const kept = columns.map((column, c) => isTelling(column, new Set(rows.map(({ cells }) => cells[c]))));
  const used = columns.filter((_, c) => kept[c]);
  return {
    function: present.source.name,
    model: present.model,
    summary: summaryIn(s, unit, present),
    columns: used.map(({ id, title }) => ({ id, title: titleOf(s.target, id, title) })),
    rows: rows.map((row) => ({ ...row, cells: row.cells.filter((_, c) => kept[c]) })),
    best: bestOf(rows),
    settled: settledGroups(s.target, present),
  };
}

const settledGroups = (target: Target, c: Compilation): Comparison['settled'] =>
  (target.settled?.(c) ?? []).flatMap(({ group, why }) => (group === undefined ? [] : [{ group, why }]));

/** Whether a column says something: some figures are left out where all rows have none, or all the same. */
function isTelling({ unless }: ColumnOf, cells: ReadonlySet<string>): boolean {
  const [only] = cells;
  if (cells.size !== 1) return true;
  return only !== '' && unless !== 'same' && (unless !== 'zero' || only !== '0');
}

/** The whole comparison at once, for callers that nobody waits for. */
export function compareWholly(s: Snapshot, unit: Unit): Comparison | undefined {
  const steps = comparison(s, unit);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

interface Outcome {
  readonly figures: Figures;
  readonly problem?: string;
}

interface Known extends Outcome {
  /** The functions that the compilation asked for, as they were. */
  readonly asked: ReadonlyMap<string, Function | undefined>;
}

const remembered = new WeakMap<Function, Map<string, Known>>();
/** Outcomes that are remembered of one function: a comparison has about twenty. */
const MOST_REMEMBERED = 64;

/** What a function comes to under other options, as far as the target searches. */
function* compiled(s: Snapshot, source: Function, options: TargetOptions): Generator<undefined, Outcome> {
  const key = JSON.stringify([s.target.id, ...s.target.options.map(({ name }) => options[name] ?? null)]);
  const ofFunction = remembered.get(source) ?? new Map<string, Known>();
  remembered.set(source, ofFunction);
  const known = ofFunction.get(key);
  if (known !== undefined && [...known.asked].every(([name, f]) => s.definition(name) === f)) return known;
  const asked = new Map<string, Function | undefined>();
  const module = {
    ...emptyModule,
    definition: (name: string): Function | undefined => {
      const f = s.definition(name);
      asked.set(name, f);
      return f;
    },
  };
  let outcome: Outcome;
  try {
    let compilation = yield* driven(s.target.compileInSteps?.(source, options, module));
    compilation ??= s.target.compile(source, options, module);
    compilation = (yield* driven(s.target.improve?.(compilation))) ?? compilation;
    outcome = outcomeOf(s.target, compilation);
  } catch (error) {
    outcome = { figures: {}, problem: `fault: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (ofFunction.size >= MOST_REMEMBERED) ofFunction.clear();
  ofFunction.set(key, { ...outcome, asked });
  return outcome;
}

function outcomeOf(target: Target, c: Compilation): Outcome {
  const { stats } = c;
  const lanes = target.display?.lanes?.(c);
  const error = c.problems.find(({ severity }) => severity === 'error');
  const { words } = stats.more ?? {};
  const figures: Figures = {
    registers: stats.registers[c.source.classes[0].name] ?? 0,
    ...(stats.registersRange !== undefined && { range: stats.registersRange }),
    spilled: stats.spills.registers,
    stores: stats.spills.stores,
    loads: stats.spills.loads,
    ...(stats.scratchBytes !== undefined && { scratchBytes: stats.scratchBytes }),
    ...(stats.frameBytes !== undefined && { frameBytes: stats.frameBytes }),
    ...(stats.occupancy !== undefined && {
      warps: stats.occupancy.warps,
      maxWarps: stats.occupancy.maxWarps,
    }),
    ...(stats.cycles !== undefined && { cycles: stats.cycles }),
    ...(lanes !== undefined && { lanes }),
    ...(typeof words === 'number' && { words }),
  };
  return { figures, ...(error !== undefined && { problem: error.message }) };
}

interface ColumnOf extends Column {
  cell(figures: Figures): string;
  /** Left out where all rows say the same, or zero. */
  readonly unless?: 'same' | 'zero';
}

const shown = (figure: number | undefined): string => (figure === undefined ? '' : String(figure));

const columns: readonly ColumnOf[] = [
  {
    id: 'registers',
    title: 'registers',
    cell: ({ registers, range }) =>
      range === undefined || range[0] === range[1]
        ? shown(registers)
        : `${registers ?? ''} (${range[0]} to ${range[1]})`,
  },
  { id: 'spilled', title: 'spilled', cell: ({ spilled }) => shown(spilled) },
  {
    id: 'traffic',
    title: 'stores + reloads',
    cell: ({ stores, loads }) => (stores === undefined || loads === undefined ? '' : `${stores} + ${loads}`),
  },
  {
    id: 'occupancy',
    title: 'warps',
    cell: ({ warps, maxWarps }) => (warps === undefined ? '' : `${warps} of ${maxWarps ?? '?'}`),
  },
  { id: 'words', title: 'words', cell: ({ words }) => shown(words) },
  { id: 'cycles', title: 'cycles', cell: ({ cycles }) => shown(cycles) },
  { id: 'lanes', title: 'lanes', cell: ({ lanes }) => shown(lanes), unless: 'same' },
  { id: 'frame', title: 'frame bytes', cell: ({ frameBytes }) => shown(frameBytes), unless: 'zero' },
  { id: 'scratch', title: 'spill bytes', cell: ({ scratchBytes }) => shown(scratchBytes), unless: 'zero' },
];

const titleOf = ({ display }: Target, id: string, title: string): string =>
  id === 'cycles' && display?.cyclesNote !== undefined ? `${title} (${display.cyclesNote})` : title;

function rowOf(
  target: Target,
  { group, name, options, isPresent }: Alternative,
  outcome: Outcome,
): ComparisonRow {
  const settings = Object.entries(options).map(([option, value]) => [
    `targets.${target.id}.${option}`,
    value ?? null,
  ]);
  return {
    group,
    name,
    settings: Object.fromEntries(settings) as ComparisonRow['settings'],
    isPresent,
    cells: columns.map(({ cell }) => cell(outcome.figures)),
    alike: [],
    ...outcome,
  };
}

/** Of rows on a scale that follow each other with the same figures one is left: the present one, else the first. */
function foldScales(rows: readonly ComparisonRow[], alternatives: readonly Alternative[]): ComparisonRow[] {
  const runs: ComparisonRow[][] = [];
  rows.forEach((row, k) => {
    const run = runs.at(-1);
    const isSame =
      alternatives[k].isOnScale === true &&
      run?.[0].group === row.group &&
      run[0].problem === row.problem &&
      JSON.stringify(run[0].figures) === JSON.stringify(row.figures);
    if (isSame) run?.push(row);
    else runs.push([row]);
  });
  return runs.map((run) => {
    const kept = run.find(({ isPresent }) => isPresent) ?? run[0];
    return { ...kept, alike: run.filter((row) => row !== kept).map(({ name }) => name) };
  });
}
