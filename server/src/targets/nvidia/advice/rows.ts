import { InstructionFlag } from '../../../ir/function.js';
import { heldAt, smallestSet } from '../../../passes/peak.js';
import { count, wordsOf } from '../../../text/words.js';
import type { Compilation, Row } from '../../target.js';
import { machine } from '../architectures.js';
import { analysisOf } from '../code/analysis.js';
import { GENERAL, PREDICATE } from '../code/code.js';
import type { NvidiaCompilation } from '../compile.js';
import { launchableOf } from '../limits.js';
import { nextSharedStep } from '../occupancy.js';
import { crossingAt, crossingInWords } from './calls.js';

/** What people ask about figures of a whole function, for a hover over its name. */
export function functionRows(c: NvidiaCompilation): Row[] {
  const rows: Row[] = Object.entries(c.stats.more ?? {}).map(([name, value]) => [inWords(name), `${value}`]);
  rows.push(...occupancyRows(c), ['Names', namesInWords(c)]);
  const arrays = c.stats.frameBytes ?? 0;
  const slots = c.stats.scratchBytes ?? 0;
  if (arrays > 0)
    rows.push([
      'Local memory',
      `${count(arrays, 'byte')} of arrays that the source declares, ${count(slots, 'byte')} of spills; ptxas's stack frame counts both`,
    ]);
  return rows;
}

/** Most names in one row. */
const MOST_NAMES = 6;

/** What the next step of occupancy needs: which registers to free, how much shared memory, how large a block. */
function occupancyRows({ source, code, stats, options }: NvidiaCompilation): Row[] {
  const { occupancy } = stats;
  if (occupancy === undefined || occupancy.warps === occupancy.maxWarps) return [];
  const launchable = launchableOf(source, options);
  const { architecture, threads, threadsAssumed } = launchable;
  if (occupancy.limitedBy === 'sharedMemory') {
    const sharedBytes = launchable.staticShared + launchable.dynamicShared;
    const step = nextSharedStep(architecture, {
      registers: stats.registers.general,
      threads,
      threadsAssumed,
      sharedBytes,
    });
    if (step === undefined) return [];
    return [
      [
        'Next step',
        `${count(step.warps, 'warp')} with at most ${count(step.bytes, 'byte')} of shared memory a block, now ${sharedBytes}`,
      ],
    ];
  }
  if (occupancy.limitedBy === 'blocks') {
    const least = (architecture.maxWarps / architecture.maxBlocks) * machine.threadsPerWarp;
    return [
      [
        'Next step',
        `larger blocks: an SM holds ${architecture.maxBlocks} of them, whatever their size; ${least} threads each would fill it`,
      ],
    ];
  }
  const excess = occupancy.nextStep === null ? 0 : stats.registers.general - occupancy.nextStep.registers;
  const { f } = code;
  const { pressure, ranges, liveness } = analysisOf(f);
  const at = pressure.peakAt[GENERAL];
  if (excess <= 0 || at < 0) return [];
  const free = smallestSet(heldAt(f, ranges, liveness.occurrences, GENERAL, at), excess);
  if (free.length === 0) return [];
  const names = free.slice(0, MOST_NAMES).map(({ register }) => `\`${f.registerNames[register]}\``);
  const more = free.length - names.length;
  return [
    [
      'To free for it',
      `${count(excess, 'register')} at the peak; idle there: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    ],
  ];
}

function inWords(key: string): string {
  const words = wordsOf(key);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * How many names there are says nothing of how many registers are needed: what counts is how many values live at
 * once. `69 64-bit, 2 32-bit, 6 predicate: 140 registers if all lived at once; at most 37 do`.
 */
function namesInWords({ source: f, stats }: Compilation): string {
  const byWidth = new Map<number, number>();
  let predicates = 0;
  let units = 0;
  for (let r = 0; r < f.registerCount; r++) {
    if (f.registerClass[r] === PREDICATE) predicates++;
    if (f.registerClass[r] !== GENERAL) continue;
    byWidth.set(f.registerWidth[r], (byWidth.get(f.registerWidth[r]) ?? 0) + 1);
    units += f.registerWidth[r];
  }
  const kinds = [...byWidth]
    .sort(([a], [b]) => b - a)
    .map(([width, n]) => `${n} ${width === 1 ? 'up to 32-bit' : `${32 * width}-bit`}`);
  if (predicates > 0) kinds.push(`${predicates} predicate`);
  if (kinds.length === 0) return 'none';
  return `${kinds.join(', ')}: ${count(units, 'register')} if all lived at once; at most ${stats.pressure.asWritten} do as written`;
}

/** For a hover over an instruction: what lives across a call. */
export function instructionAdvice(c: Compilation, i: number): Row[] {
  const f = c.source;
  if ((f.instructionFlags[i] & InstructionFlag.Call) === 0) return [];
  return [['Across the call', crossingInWords(f, crossingAt(f, c.liveRanges, i))]];
}
