import type { Function } from '../server/src/ir/function.js';
import { estimate } from '../server/src/targets/gen/estimate/estimate.js';
import { decode } from '../server/src/targets/gen/decode.js';
import { gen, type GenCompilation } from '../server/src/targets/gen/index.js';
import { scratchTraffic } from '../server/src/targets/gen/spills.js';
import { annotated, dumpAt, genDumps, genStats, type GenDump } from '../test/support/gen-corpus.js';
import { dumpProgram, genFunctionOf } from '../test/support/gen-dump-program.js';
import { largeGenText } from './support/large-gen.js';
import { referenceInputs } from './support/reference-inputs.js';
import { table } from './support/table.js';

/**
 * Our Gen programs beside those of the reference compiler (Mesa's i965), from the same input (its dump directly before
 * register allocation): registers spilled, scratch messages that spilling adds, scratch bytes, and cycles by the one
 * estimate for both (of the reference's final dump with the fields that its text lacks). Then the time of large
 * programs. The gates decide the exit status.
 */
const GATES = {
  /** Spill and fill messages of all cases that spill, and of each of them, beside the reference. */
  messages: 0.9,
  single: 1.1,
  /** Cycles of all SIMD4x2 programs together. */
  cycles: 1,
  /** Milliseconds of processor time of a program of 10 000 instructions. */
  tenThousand: 1000,
  /** Time of an instruction in a program of 100 000 beside one of 10 000. */
  growth: 3,
};
/** What the project aims at beyond the gates. */
const TARGETS = { fills: 0.7, cycles: 0.95 };

interface Figures {
  readonly registers: number;
  readonly spills: number;
  readonly fills: number;
  readonly scratch: number;
  readonly cycles: number;
}

interface Measured {
  readonly name: string;
  readonly isVec4: boolean;
  readonly reference: Figures;
  readonly ours: Figures;
  readonly milliseconds: number;
  readonly failure?: string;
}

/** Processor time of an action in milliseconds: what else the computer does at the time hardly changes it. */
function processorTime(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const functions = new Map<string, Function>();

function functionOf(dump: GenDump, platform: 'ivb' | 'hsw'): Function {
  const key = `${dump.path} ${platform}`;
  const known = functions.get(key);
  if (known !== undefined) return known;
  const { source } = genFunctionOf(annotated(dump, { platform, dependencyBits: false }));
  if (source === undefined) throw new Error(`${dump.path} holds no program`);
  functions.set(key, source);
  return source;
}

/** The final dump of the reference, the input that both start from, and what the reference says of itself. */
function measure(folder: string, final: GenDump): Measured | undefined {
  const input = dumpAt(final, folder, 'A');
  const row = genStats(folder).get(`${final.shader} ${final.stage} ${final.platform} ${final.width}`);
  if (input === undefined || row === undefined) return undefined;
  const source = functionOf(input, final.platform);
  const reference = dumpProgram(final).program;
  const own = scratchTraffic(decode(source), true);
  const theirs = scratchTraffic(reference, true);
  let compilation: GenCompilation | undefined;
  const milliseconds = processorTime(() => (compilation = gen.compile(source, {})));
  if (compilation === undefined) return undefined;
  const { stats } = compilation;
  return {
    name: `${final.shader}.${final.width}.${final.platform}`,
    isVec4: final.width === '4x2',
    reference: {
      registers: Number(row.ra_spills),
      spills: theirs.stores - own.stores,
      fills: theirs.loads - own.loads,
      scratch: Number(row.scratch_bytes),
      cycles: estimate(reference).cycles,
    },
    ours: {
      registers: stats.spills.registers,
      spills: stats.spills.stores,
      fills: stats.spills.loads,
      scratch: stats.scratchBytes ?? 0,
      cycles: stats.cycles ?? Infinity,
    },
    milliseconds,
    ...(compilation.code === undefined && {
      failure:
        compilation.problems.find(({ code }) => code === 'pressure/allocation')?.message ?? 'no program',
    }),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
const messages = ({ spills, fills }: Figures): number => spills + fills;

function printPrograms(programs: readonly Measured[]): void {
  console.log(
    'gen: what the reference made of a program, and ours (as "reference ours"); cycles by one estimate',
  );
  console.log(
    table(
      [
        'program',
        'registers spilled',
        '',
        'spills',
        '',
        'fills',
        '',
        'of ref.',
        'scratch',
        '',
        'cycles',
        '',
        'of ref.',
        'ms',
      ],
      programs
        .filter((p) => messages(p.reference) + messages(p.ours) > 0 || p.ours.cycles > p.reference.cycles)
        .map(({ name, reference, ours, milliseconds }) => [
          name,
          reference.registers,
          ours.registers,
          reference.spills,
          ours.spills,
          reference.fills,
          ours.fills,
          messages(ours) / messages(reference),
          reference.scratch,
          ours.scratch,
          reference.cycles,
          ours.cycles,
          ours.cycles / reference.cycles,
          milliseconds,
        ]),
    ),
  );
  console.log('(programs without spills that need no more cycles than the reference are left out)\n');
}

/** One line a gate, and whether all hold. */
class Verdict {
  holds = true;

  gate(text: string, isMet: boolean): void {
    console.log(`${isMet ? 'met   ' : 'MISSED'}  ${text}`);
    this.holds &&= isMet;
  }
}

function judge(programs: readonly Measured[], verdict: Verdict): void {
  const groups: readonly (readonly [string, readonly Measured[]])[] = [
    ['SIMD4x2', programs.filter(({ isVec4 }) => isVec4)],
    ['scalar', programs.filter(({ isVec4 }) => !isVec4)],
    ['all', programs],
  ];
  console.log(
    table(
      [
        'total',
        'programs',
        'spilling',
        'spills',
        'ours',
        'fills',
        'ours',
        'messages',
        'fills',
        'cycles',
        'ours',
        'cycles',
      ],
      groups.map(([name, all]) => {
        const total = (of: (f: Figures) => number): [number, number] => [
          sum(all.map(({ reference }) => of(reference))),
          sum(all.map(({ ours }) => of(ours))),
        ];
        const [spills, fills, cycles] = [
          total((f) => f.spills),
          total((f) => f.fills),
          total((f) => f.cycles),
        ];
        const both = total(messages);
        return [
          name,
          all.length,
          all.filter(({ reference }) => messages(reference) > 0).length,
          ...spills,
          ...fills,
          both[1] / both[0],
          fills[1] / fills[0],
          ...cycles,
          cycles[1] / cycles[0],
        ];
      }),
    ),
  );
  console.log(`aims beyond the gates: fills ${TARGETS.fills}, cycles ${TARGETS.cycles} of the reference\n`);
  const spilling = programs.filter(({ reference }) => messages(reference) > 0);
  const ratio =
    sum(spilling.map(({ ours }) => messages(ours))) / sum(spilling.map((p) => messages(p.reference)));
  verdict.gate(
    `spill and fill messages ${ratio.toFixed(3)} of the reference, at most ${GATES.messages}`,
    ratio <= GATES.messages,
  );
  const above = programs.filter((p) => messages(p.ours) > GATES.single * messages(p.reference));
  verdict.gate(
    `programs above ${GATES.single} of the reference: ${above.map((p) => `${p.name} ${messages(p.ours)}/${messages(p.reference)}`).join(', ') || 'none'}`,
    above.length === 0,
  );
  const vec4 = programs.filter(({ isVec4 }) => isVec4);
  const cycles = sum(vec4.map((p) => p.ours.cycles)) / sum(vec4.map((p) => p.reference.cycles));
  verdict.gate(
    `cycles ${cycles.toFixed(3)} of the reference over all SIMD4x2 programs, at most ${GATES.cycles}`,
    cycles <= GATES.cycles,
  );
  const failed = programs.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`${name}: ${failure}`],
  );
  verdict.gate(
    `programs that the reference compiles and we do not: ${failed.join('; ') || 'none'}`,
    failed.length === 0,
  );
}

const sizes = [1_000, 10_000, 100_000];

function judgeTime(verdict: Verdict): void {
  const rows = (['fits', 'spills'] as const).map((kind) => {
    const times = sizes.map((size) => {
      const { source } = genFunctionOf(largeGenText(size, kind === 'spills'));
      if (source === undefined) throw new Error('the large program does not parse');
      const [first, second] = [0, 1].map(() => processorTime(() => gen.compile(source, {})));
      return size >= 100_000 ? first : Math.min(first, second);
    });
    return { kind, times };
  });
  console.log(
    table(
      ['large programs', ...sizes.map((size) => `${size} ms`), '10 000 / 1 000', '100 000 / 10 000'],
      rows.map(({ kind, times }) => [kind, ...times, times[1] / times[0], times[2] / times[1]]),
    ),
  );
  for (const { kind, times } of rows) {
    verdict.gate(
      `10 000 instructions (${kind}) in ${times[1].toFixed(0)} ms, under ${GATES.tenThousand}`,
      times[1] < GATES.tenThousand,
    );
    const growth = times[2] / times[1] / 10;
    verdict.gate(
      `an instruction of 100 000 (${kind}) costs ${growth.toFixed(2)} times one of 10 000, at most ${GATES.growth}`,
      growth <= GATES.growth,
    );
  }
}

export function genBench(): void {
  const verdict = new Verdict();
  const folder = referenceInputs('gen', 'gen');
  if (folder !== undefined) {
    const programs = genDumps(folder, ['C']).flatMap((final) => measure(folder, final) ?? []);
    printPrograms(programs);
    judge(programs, verdict);
    console.log();
  }
  judgeTime(verdict);
  if (!verdict.holds) process.exitCode = 1;
}
