import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { maliGp, type GpCompilation } from '../server/src/targets/mali-gp/index.js';
import { verify } from '../server/src/targets/mali-gp/verify.js';
import { WORD_LIMIT } from '../server/src/targets/mali-gp/word.js';
import { rowsOf } from '../test/support/corpus.js';
import { findGpCheck, type GpCase } from '../test/support/gp-check.js';
import { gpirFunction } from '../test/support/gp-trial.js';
import { referenceInputs } from './support/reference-inputs.js';
import { quantile, table } from './support/table.js';

/**
 * Words for the geometry processor, beside those of the reference compiler (Mesa's lima, counts.tsv) and the proven
 * lower bound; time of the quick answer and of the search for a better one; and the verdict of the independent checker
 * and of our own on every listing. The gates below decide the exit status.
 */
const GATES = {
  /** Words in total over the programs that the reference compiles, and of each of them, beside the reference. */
  total: 0.95,
  single: 1.05,
  kmscube: 40,
  /** Milliseconds of processor time of the quick answer, warm: for programs of up to 100 reference words, and for each. */
  hundredWords: 20,
  anyProgram: 1000,
};
/** What the project aims at beyond the gates. */
const TARGETS = { total: 0.8, medianOverBound: 1.25 };

interface Measured {
  readonly name: string;
  /** Words of the reference, or why it gives up. */
  readonly reference: number | string;
  readonly quick: number;
  readonly words: number;
  readonly bound: number;
  readonly quickMilliseconds: number;
  readonly improveMilliseconds: number;
  readonly errors: readonly string[];
  readonly faults: readonly string[];
  readonly check: GpCase;
}

/** Processor time of an action in milliseconds: what else the computer does at the time hardly changes it. */
function processorTime(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function improved(compilation: GpCompilation): GpCompilation {
  const search = maliGp.improve?.(compilation);
  for (let step = search?.next(); step !== undefined; step = search?.next()) if (step.done) return step.value;
  return compilation;
}

function read(folder: string, row: Readonly<Record<string, string>>) {
  const text = readFileSync(join(folder, `${row.name}.gpir`), 'utf8');
  const { source, problems } = gpirFunction(text);
  if (!source) throw new Error(`${row.name} holds no program`);
  return { text, source, problems };
}

function measure(folder: string, row: Readonly<Record<string, string>>): Measured {
  const { text, source, problems } = read(folder, row);
  const quick = maliGp.compile(source, {});
  let best = quick;
  const improveMilliseconds = processorTime(() => {
    best = improved(quick);
  });
  return {
    name: row.name,
    reference: row.words === '' ? row.outcome : Number(row.words),
    quick: quick.code.words.length,
    words: best.code.words.length,
    bound: best.blocks.reduce((sum, { bound }) => sum + bound.words, 0),
    quickMilliseconds: quantile(
      Array.from({ length: 5 }, () => processorTime(() => maliGp.compile(source, {}))),
      0.5,
    ),
    improveMilliseconds,
    errors: [...problems, ...best.problems]
      .filter(({ severity }) => severity === 'error')
      .map(({ code, message }) => `${code}: ${message}`),
    faults: [quick, best].flatMap(({ code }) => verify(source, code).map(({ message }) => message)),
    check: { source: text, listing: maliGp.json?.(best) },
  };
}

const isCompiledByReference = (program: Measured): program is Measured & { reference: number } =>
  typeof program.reference === 'number';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

function printPrograms(programs: readonly Measured[]): void {
  console.log(
    'gpir: words for mali-400 gp; ms of processor time, of 5 warm runs the median (quick) and of one run (search for a better program)',
  );
  console.log(
    table(
      ['program', 'reference', 'quick', 'best', 'bound', 'of reference', 'of bound', 'quick ms', 'search ms'],
      programs.map((p) => [
        p.name,
        p.reference,
        p.quick,
        p.words,
        p.bound,
        isCompiledByReference(p) ? p.words / p.reference : '',
        p.words / p.bound,
        p.quickMilliseconds,
        p.improveMilliseconds,
      ]),
    ),
  );
}

/** One line a gate, and whether all hold. */
class Verdict {
  holds = true;

  gate(text: string, isMet: boolean): void {
    console.log(`${isMet ? 'met   ' : 'MISSED'}  ${text}`);
    this.holds &&= isMet;
  }
}

function judgeWords(programs: readonly Measured[], verdict: Verdict): void {
  const compared = programs.filter(isCompiledByReference);
  const total = (of: (p: Measured & { reference: number }) => number): number => sum(compared.map(of));
  const reference = total((p) => p.reference);
  const ratio = total((p) => p.words) / reference;
  console.log(
    table(
      ['total', 'programs', 'reference', 'quick', 'best', 'bound', 'quick/reference', 'best/reference'],
      [
        [
          'compiled by the reference',
          compared.length,
          reference,
          total((p) => p.quick),
          total((p) => p.words),
          total((p) => p.bound),
          total((p) => p.quick) / reference,
          ratio,
        ],
      ],
    ),
  );
  const ours = quantile(
    programs.map((p) => p.words / p.bound),
    0.5,
  );
  const theirs = quantile(
    compared.map((p) => p.reference / p.bound),
    0.5,
  );
  console.log(
    `median of words beside the bound: ${ours.toFixed(2)}, reference ${theirs.toFixed(2)} (aim: ${TARGETS.medianOverBound}); aim for the total: ${TARGETS.total}\n`,
  );
  verdict.gate(`total ${ratio.toFixed(3)} of the reference, at most ${GATES.total}`, ratio <= GATES.total);
  const above = compared.filter((p) => p.words > GATES.single * p.reference);
  verdict.gate(
    `programs above ${GATES.single} of the reference: ${above.map((p) => `${p.name} ${p.words}/${p.reference}`).join(', ') || 'none'}`,
    above.length === 0,
  );
  const kmscube = programs.find((p) => p.name === 'kmscube')?.words ?? Infinity;
  verdict.gate(`kmscube ${kmscube} words, at most ${GATES.kmscube}`, kmscube <= GATES.kmscube);
  const below = programs.filter((p) => p.words < p.bound);
  verdict.gate(
    `programs with fewer words than proven: ${below.map((p) => p.name).join(', ') || 'none'}`,
    below.length === 0,
  );
}

function judgeRejected(programs: readonly Measured[], verdict: Verdict): void {
  for (const p of programs.filter((program) => !isCompiledByReference(program))) {
    const isTooLong = p.words > WORD_LIMIT;
    const isSaid = p.errors.some((error) => error.includes(String(WORD_LIMIT)));
    const outcome = isTooLong
      ? isSaid
        ? `${p.words} words, and the diagnostic says so`
        : `${p.words} words, and no diagnostic says so`
      : p.errors.length > 0
        ? p.errors[0]
        : `${p.words} words`;
    verdict.gate(
      `rejected by the reference (${p.reference}): ${p.name}: ${outcome}`,
      isTooLong ? isSaid : p.errors.length === 0,
    );
  }
  const broken = programs.filter((p) => isCompiledByReference(p) && p.errors.length > 0);
  verdict.gate(
    `errors in programs that the reference compiles: ${broken.map((p) => `${p.name}: ${p.errors[0]}`).join(', ') || 'none'}`,
    broken.length === 0,
  );
}

function judgeTime(programs: readonly Measured[], verdict: Verdict): void {
  const slowest = (among: readonly Measured[]): Measured =>
    among.reduce((a, b) => (b.quickMilliseconds > a.quickMilliseconds ? b : a));
  const small = slowest(programs.filter((p) => isCompiledByReference(p) && p.reference <= 100));
  verdict.gate(
    `slowest quick answer of programs up to 100 reference words: ${small.name} ${small.quickMilliseconds.toFixed(1)} ms, under ${GATES.hundredWords}`,
    small.quickMilliseconds < GATES.hundredWords,
  );
  const all = slowest(programs);
  verdict.gate(
    `slowest quick answer: ${all.name} ${all.quickMilliseconds.toFixed(0)} ms, under ${GATES.anyProgram}`,
    all.quickMilliseconds < GATES.anyProgram,
  );
}

function judgeCode(programs: readonly Measured[], verdict: Verdict): void {
  const faulty = programs.filter((p) => p.faults.length > 0);
  verdict.gate(
    `refused by our own check: ${faulty.map((p) => `${p.name}: ${p.faults[0]}`).join('; ') || 'none'}`,
    faulty.length === 0,
  );
  const check = findGpCheck();
  if (check === undefined) {
    console.log('        the independent checker or Python 3 is absent: not asked');
    return;
  }
  const asked = programs.filter((p) => p.words <= WORD_LIMIT);
  const problems = check.problems(asked.map((p) => p.check));
  const refused = asked.flatMap((p, index) =>
    problems[index].length > 0 ? [`${p.name}: ${problems[index][0]}`] : [],
  );
  verdict.gate(
    `independent checker: ${asked.length - refused.length} accepted, ${refused.length} refused${refused.map((r) => `\n        ${r}`).join('')}`,
    refused.length === 0,
  );
}

export function gpir(): void {
  const folder = referenceInputs('gpir', 'gpir');
  if (folder === undefined) return;
  const rows = rowsOf(join(folder, 'counts.tsv'));
  // everything once before anything is measured
  for (const row of rows) maliGp.compile(read(folder, row).source, {});
  const programs = rows.map((row) => measure(folder, row));
  printPrograms(programs);
  console.log();
  const verdict = new Verdict();
  judgeWords(programs, verdict);
  judgeRejected(programs, verdict);
  judgeTime(programs, verdict);
  judgeCode(programs, verdict);
  if (!verdict.holds) process.exitCode = 1;
}
