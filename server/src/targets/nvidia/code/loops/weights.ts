import type { Function } from '../../../../ir/function.js';
import type { OpcodeTable } from '../../../../ir/function.js';
import { classify } from '../../classify.js';

/**
 * How heavy ptxas takes an instruction to be when it decides about unrolling.
 *
 * Measured with ptxas 13.0: loops of single-precision multiply-adds with one to three other instructions among them;
 * the weight is the number of multiply-adds that an instruction displaces from the largest loop that is unrolled.
 * One for everything that computes, 64-bit and double precision included (sequences are made later), but what an
 * approximation of single precision does for denormal numbers is there already (`approximations`); two for a load,
 * a store or a barrier, whatever their width; eleven for an atomic. Divisions and roots that are called, votes,
 * fences and calls keep a loop from being unrolled at all; shuffles and barriers of some
 * threads keep it from being unrolled in part, barriers of the block unless all threads are seen to run it equally often.
 */
export const enum Role {
  Plain,
  Load,
  SharedLoad,
  /** Unrolled where the trip count is known, never in part. */
  Convergent,
  /** A barrier that all threads of a warp meet together. */
  Barrier,
  Atomic,
  /** Never unrolled. */
  Barred,
}

interface Weight {
  readonly role: Role;
  readonly weight: number;
}

const plain: Weight = { role: Role.Plain, weight: 1 };
const two: Weight = { role: Role.Plain, weight: 2 };
const barrier: Weight = { role: Role.Barrier, weight: 2 };
const barred: Weight = { role: Role.Barred, weight: 0 };

const roots: Readonly<Record<string, Weight>> = {
  atom: { role: Role.Atomic, weight: 11 },
  red: { role: Role.Atomic, weight: 11 },
  bar: barrier,
  barrier: { role: Role.Convergent, weight: 2 },
  st: two,
  ld: { role: Role.Load, weight: 2 },
  ldu: { role: Role.Load, weight: 2 },
  tex: { role: Role.Load, weight: 2 },
  tld4: { role: Role.Load, weight: 2 },
  suld: { role: Role.Load, weight: 2 },
  shfl: { role: Role.Convergent, weight: 1 },
  vote: barred,
  match: barred,
  activemask: barred,
  membar: barred,
  fence: barred,
  call: barred,
  nanosleep: barred,
  brx: barred,
};

/**
 * Without `.ftz`: the argument is scaled where it is denormal, and the result scaled back. With it one instruction, two
 * for a division, eight for one over the full range. Measured on sm_80.
 */
const approximations: Readonly<Record<string, readonly [full: number, flushing: number]>> = {
  'div.approx': [7, 2],
  'div.full': [12, 8],
  'ex2.approx': [6, 1],
  'lg2.approx': [6, 1],
  'rcp.approx': [7, 1],
  'rsqrt.approx': [6, 1],
  'sqrt.approx': [6, 1],
};

function weightOfText(opcodes: OpcodeTable, opcode: number): Weight {
  const text = opcodes.text(opcode);
  const words = text.split('.');
  const [root] = words;
  if (root === 'ld' && words[1].startsWith('param')) return { role: Role.Plain, weight: 0 };
  if (root === 'ld' && words.some((word) => word.startsWith('shared')))
    return { role: Role.SharedLoad, weight: 2 };
  if (root === 'barrier' && words.includes('aligned')) return barrier;
  if (text === 'bar.warp.sync') return roots.barrier;
  if (Object.hasOwn(roots, root)) return roots[root];
  const approximation = `${root}.${words[1]}`;
  if (words.at(-1) === 'f32' && Object.hasOwn(approximations, approximation)) {
    const [full, flushing] = approximations[approximation];
    return { role: Role.Plain, weight: words.includes('ftz') ? flushing : full };
  }
  const { unit, row } = classify(opcodes, opcode);
  if (unit !== 'sequence') return plain;
  // a 32-bit integer division stands in the loop itself, 24 instructions long
  return row === 'divide32' ? { role: Role.Convergent, weight: 24 } : barred;
}

const cache = new WeakMap<OpcodeTable, Weight[]>();

export interface LoopWeight {
  /** Weight of one iteration without the counter's addition, the comparison and the branch. */
  readonly weight: number;
  readonly loads: number;
  readonly sharedLoads: number;
  readonly atomics: number;
  readonly isConvergent: boolean;
  readonly hasBarrier: boolean;
  readonly isBarred: boolean;
}

/** `ignored`: instructions of the loop's own bookkeeping. */
export function weightOf(f: Function, blocks: readonly number[], ignored: ReadonlySet<number>): LoopWeight {
  let known = cache.get(f.opcodes);
  if (known === undefined) cache.set(f.opcodes, (known = []));
  let weight = 0;
  let loads = 0;
  let sharedLoads = 0;
  let atomics = 0;
  let isConvergent = false;
  let hasBarrier = false;
  let isBarred = false;
  for (const block of blocks) {
    for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) {
      if (ignored.has(i)) continue;
      const of = (known[f.opcode[i]] ??= weightOfText(f.opcodes, f.opcode[i]));
      weight += of.weight;
      if (of.role === Role.Load) loads++;
      else if (of.role === Role.SharedLoad) sharedLoads++;
      else if (of.role === Role.Atomic) atomics++;
      else if (of.role === Role.Convergent) isConvergent = true;
      else if (of.role === Role.Barrier) hasBarrier = true;
      else if (of.role === Role.Barred) isBarred = true;
    }
  }
  return { weight, loads, sharedLoads, atomics, isConvergent, hasBarrier, isBarred };
}
