/**
 * Which unit or port bounds a block: the argument that gives the largest proven bound (bound.ts), with what the block
 * asks of the units beside it.
 */
import type { Problem } from '../../../text/problem.js';
import { count } from '../../../text/words.js';
import type { BlockBound, BoundReason } from '../bound.js';
import type { ScheduledBlock } from '../compilation.js';
import { Unit, type Word } from '../word.js';
import type { Compiled } from './index.js';
import { blockSpan } from './spans.js';

/** Blocks of fewer words are not worth a line. */
const SHORT = 6;

export function unitProblems(c: Compiled): Problem[] {
  return c.blocks.flatMap((block, b): Problem[] => {
    const { schedule, bound, task } = block;
    if (schedule.words.length < SHORT || bound.words === 0) return [];
    const name = c.blocks.length === 1 ? c.source.name : task.block.label || `block ${b}`;
    return [
      {
        code: 'pressure/units',
        severity: 'hint',
        span: blockSpan(c, b),
        message: `${name}: ${count(schedule.words.length, 'word')}, at least ${bound.words} (${c.model}): bound by ${boundWords(bound)}; in use: ${usageWords(block)}`,
      },
    ];
  });
}

const sentences: Readonly<Record<BoundReason, string>> = {
  'critical path': 'the critical path',
  multipliers: 'MUL0 and MUL1',
  adders: 'ADD0 and ADD1',
  'multipliers and adders': 'MUL and ADD together',
  pass: 'PASS',
  complex: 'COMPLEX',
  'all units': 'the units together',
  'uniform port': 'the uniform port',
  'attribute port': 'the attribute port',
  'register ports': 'the register ports',
  stores: 'the stores',
};

/** `MUL0 and MUL1 (36 words); the uniform port would need 30, the critical path 21`. */
export function boundWords({ by, words, parts }: BlockBound): string {
  const next = (Object.entries(parts) as [BoundReason, number][])
    .filter(([reason, n]) => reason !== by && n > 0)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 2)
    .map(([reason, n]) => `${sentences[reason]} ${n}`);
  const rest = next.length === 0 ? '' : `; next: ${next.join(', ')}`;
  return `${sentences[by]} (${count(words, 'word')}${rest})`;
}

/** Slots in use of those that the words have: `MUL 70 of 80, ADD 44 of 80, ...`. */
export function usageWords({ schedule: { words } }: Pick<ScheduledBlock, 'schedule'>): string {
  const used = usageOf(words);
  const n = words.length;
  return [
    `MUL ${used.multipliers} of ${2 * n}`,
    `ADD ${used.adders} of ${2 * n}`,
    `PASS ${used.pass} of ${n}`,
    `COMPLEX ${used.complex} of ${n}`,
    `uniform port ${used.uniform} of ${n}`,
    `of them ${count(used.moves, 'move')}`,
  ].join(', ');
}

export interface Usage {
  readonly multipliers: number;
  readonly adders: number;
  readonly pass: number;
  readonly complex: number;
  /** Words that load a vector through the uniform port. */
  readonly uniform: number;
  readonly moves: number;
}

function usageOf(words: readonly Word[]): Usage {
  const used = { multipliers: 0, adders: 0, pass: 0, complex: 0, uniform: 0, moves: 0 };
  for (const { units, uniform } of words) {
    if (uniform !== undefined) used.uniform++;
    units.forEach((work, unit) => {
      if (work === undefined) return;
      if (unit === Unit.Mul0 || unit === Unit.Mul1) used.multipliers++;
      else if (unit === Unit.Add0 || unit === Unit.Add1) used.adders++;
      else if (unit === Unit.Pass) used.pass++;
      else used.complex++;
      if (work.op === 'complex1' || work.op === 'select') used.multipliers++;
      if (work.purpose === 'move' || work.purpose === 'load') used.moves++;
    });
  }
  return used;
}
