import type { Pair } from '../workspace/registry.js';
import { allowedFor } from '../workspace/settings.js';
import { optionsOfTargets } from './arguments.js';

export function help(pairs: readonly Pair[]): string {
  const ofTargets = [...optionsOfTargets(pairs)].map(([name, [option]]): [string, string] => [
    `--${name} ${option.type === 'boolean' ? '' : option.type === 'integer' ? 'N' : name.toUpperCase()}`.trimEnd(),
    `${option.description.replace(/\.$/, '')}: ${allowedFor(option)}`,
  ]);
  return `spillway: what the hardware will make of shader IR

usage: spillway COMMAND [OPTION...] FILE...     (- is standard input)

commands
${table([
  ['check FILE...', 'problems; --format text, json, sarif, github'],
  ['stats FILE...', 'registers, spills, occupancy, cycles; --format text, json, md, csv'],
  ['compile FILE', 'the compiled program with source lines; --format text, json'],
  ['compare FILE...', 'the figures under other targets and limits; --format text, json, md'],
  ['show FILE...', 'the source with what an editor shows on its lines'],
  ['soft-stack FILE', 'PTX with its .local frames moved to soft stacks; docs/soft-stack.md'],
  ['baseline write [FILE...]', 'keep the figures of files or folders in spillway-baseline.json'],
  ['baseline check [FILE...]', 'fail where they are worse now; --format text, json, md, sarif, github'],
  [
    'diff OLD NEW',
    'what changed: two sources, folders, or JSON of stats or baseline; --format text, json, md',
  ],
  ['serve', 'the language server; --stdio, --node-ipc'],
])}
options
${table([
  ...ofTargets,
  ['--function NAME', 'only this function; soft-stack: only these'],
  ['--config FILE', 'settings as JSON, with the keys of the spillway.* settings'],
  ['--language ID', `the language of the files: ${pairs.map(({ language }) => language.id).join(', ')}`],
  ['--format NAME', 'see the commands'],
  ['--hints', 'check, show: hints too'],
  ['--verify', "stats: also ptxas's own figures, and how far the model is from them"],
  ['--ptxas PATH', 'the program that --verify asks; without it the setting ptx.ptxas, else ptxas on PATH'],
  ['--baseline FILE', 'baseline: another file than spillway-baseline.json'],
  ['--allow METRIC=N', 'baseline check: how much worse a figure may get: registers=2, cycles=5%, words=any'],
  ['--strict', 'baseline check: new, vanished and retargeted functions fail too'],
  ['--top N', 'diff: functions to list for a metric and direction, else 5'],
  ['--main-kernel [NAME]', 'soft-stack: also make the entry that sets the stacks up'],
  ['--per-lane', 'soft-stack: a stack for each lane, not one a warp'],
  ['--uniform', 'soft-stack: all lanes of a warp do the same, or one runs; nothing is checked'],
  ['--frame-alignment N', 'soft-stack: 8 or 16, which frames are multiples of; 16 without it'],
  ['--check', 'soft-stack: say what would be done'],
  ['--output FILE, -o', 'soft-stack: write there, all or nothing'],
  ['--self-test', 'check: run every editor feature all over the files, for bug reports'],
  ['--help, --version', ''],
])}
exit status: 0 done, 1 problems of severity error or a failed gate, 2 wrong usage or unreadable input
`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = rows.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd()).join('\n') + '\n';
}
