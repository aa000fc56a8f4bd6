/**
 * What the machine cannot hold: more than 512 words (a branch target has 9 bits), more than 512 vectors behind the
 * uniform port, more registers handed over than there are.
 */
import type { Problem, RelatedPlace } from '../../../text/problem.js';
import { span } from '../../../text/span.js';
import { count } from '../../../text/words.js';
import { REGISTER_COMPONENTS } from '../graph.js';
import { opNames } from '../operations.js';
import { UNIFORM_VECTORS, WORD_LIMIT } from '../word.js';
import type { Compiled } from './index.js';
import { blockSpan, instructionSpan, nameSpan } from './spans.js';

/** Stretches of lines beyond the limit that are marked. */
const MOST_STRETCHES = 6;

export const limitProblems = (c: Compiled): Problem[] => [
  ...sizeProblems(c),
  ...spaceProblems(c),
  ...registerProblems(c),
  ...scheduleProblems(c),
];

function sizeProblems(c: Compiled): Problem[] {
  const { source: f, code, model } = c;
  const excess = code.words.length - WORD_LIMIT;
  if (excess <= 0) return [];
  const stretches = stretchesBeyond(c);
  const [first, last] = stretches.at(0) ?? [-1, -1];
  const message =
    `${f.name} has ${code.words.length} words, ${excess} more than the ${WORD_LIMIT} that a branch can reach (${model}); ` +
    `its bound is ${String(c.stats.more?.['bound'])}; most of its operations: ${largestOperations(c)}`;
  const main: Problem = {
    code: 'hw/program-size',
    severity: 'error',
    span: first < 0 ? nameSpan(f) : span(f.spanStart[first], f.spanEnd[last]),
    message,
    related: largestBlocks(c),
  };
  const others = stretches.slice(1, MOST_STRETCHES).map(([from, to]): Problem => ({
    code: 'hw/program-size',
    severity: 'error',
    span: span(f.spanStart[from], f.spanEnd[to]),
    message: `beyond the ${WORD_LIMIT} words that a program can have: word ${firstWord(c, from)} of ${code.words.length} (${model})`,
  }));
  return [main, ...others];
}

const firstWord = ({ sites }: Compiled, instruction: number): number =>
  sites.ofInstruction[instruction].at(0)?.word ?? -1;

/** Runs of instructions that execute wholly beyond the limit, as first and last; what executes nowhere ends no run. */
function stretchesBeyond(c: Compiled): [number, number][] {
  const stretches: [number, number][] = [];
  let isOpen = false;
  c.sites.ofInstruction.forEach((sites, i) => {
    if (sites.length === 0) return;
    const isBeyond = sites[0].word >= WORD_LIMIT;
    if (isBeyond && isOpen) stretches[stretches.length - 1][1] = i;
    else if (isBeyond) stretches.push([i, i]);
    isOpen = isBeyond;
  });
  return stretches;
}

function largestOperations({ graph, blocks }: Compiled): string {
  const counts = new Map<string, number>();
  for (const { schedule } of blocks)
    for (const { units } of schedule.words)
      for (const work of units) {
        if (work === undefined) continue;
        // the steps of a special function count as the function
        const name =
          work.purpose === 'operation' && work.node >= 0 ? opNames[graph.nodes[work.node].op] : 'move';
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, 4)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ');
}

function largestBlocks(c: Compiled): RelatedPlace[] {
  if (c.blocks.length < 2) return [];
  return c.blocks
    .map(({ schedule, task }, b) => ({ b, words: schedule.words.length, label: task.block.label }))
    .sort((x, y) => y.words - x.words || x.b - y.b)
    .slice(0, 3)
    .map(({ b, words, label }) => ({
      span: blockSpan(c, b),
      message: `${label === '' ? 'this block' : label} has ${count(words, 'word')}`,
    }));
}

function spaceProblems(c: Compiled): Problem[] {
  const { code, source: f, stats, model } = c;
  const constants = new Set(code.constants.map(({ vector }) => vector)).size;
  const temporaries = Number(stats.more?.['temporaries'] ?? 0);
  const needed = code.uniforms + constants + temporaries;
  if (needed <= UNIFORM_VECTORS) return [];
  return [
    {
      code: 'hw/uniform-space',
      severity: 'error',
      span: nameSpan(f),
      message:
        `${f.name} needs ${needed} vectors of uniform space, ${needed - UNIFORM_VECTORS} more than the ${UNIFORM_VECTORS} that the uniform port can address ` +
        `(${model}): ${code.uniforms} of uniforms, ${constants} of constants, ${temporaries} of temporaries`,
    },
  ];
}

/** Registers that have no place though nothing can be done about them. */
function registerProblems({ source: f, parts, model }: Compiled): Problem[] {
  const { unplaced, program } = parts.allocation;
  if (unplaced.length === 0) return [];
  const names = unplaced.slice(0, 6).map((register) => program.registers[register].name);
  return [
    {
      code: 'hw/registers',
      severity: 'error',
      span: nameSpan(f),
      message:
        `${count(unplaced.length, 'register')} of ${f.name} can have no place: more than ${REGISTER_COMPONENTS} are handed over, or fixed to the same place, at once (${model}): ` +
        `${names.join(', ')}${unplaced.length > names.length ? ', ...' : ''}; hand over fewer in .live_out, or write them as @names`,
    },
  ];
}

function scheduleProblems(c: Compiled): Problem[] {
  return c.blocks.flatMap(({ schedule, task }, b): Problem[] =>
    schedule.failed === undefined
      ? []
      : [
          {
            code: 'hw/values',
            severity: 'error',
            span: blockSpan(c, b),
            message: `more values live at once in ${task.block.label === '' ? c.source.name : task.block.label} than registers and the bypass network hold (${c.model}); no code is shown for it: split the block`,
            related: peakOf(c, b),
          },
        ],
  );
}

function peakOf({ source, parts }: Compiled, block: number): RelatedPlace[] {
  const { ordered, peakInstruction } = parts.allocation.pressure[block];
  if (peakInstruction < 0) return [];
  return [{ span: instructionSpan(source, peakInstruction), message: `${ordered} values live here` }];
}
