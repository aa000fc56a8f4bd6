import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smNumber } from '../../../../server/src/languages/ptx/isa/versions.js';

/**
 * Samples of single instructions, and ptxas's verdict on them. A sample is one line, `sm_90a 8.0 | instruction;`,
 * without declarations: every sample sees the same registers and variables (`registers`, `variables`). A rejected
 * sample carries the code of the problem that must be found: `sm_80 7.0 isa/version | instruction;`.
 */
export interface Sample {
  readonly arch: string;
  readonly version: string;
  readonly text: string;
  /** For rejected ones: the problem's code. */
  readonly code?: string;
}

/** Registers `%<name><0 .. count-1>` by name: type and count. */
export const registers: ReadonlyMap<string, readonly [type: string, count: number]> = new Map([
  ['p', ['pred', 32]],
  ['h', ['b16', 32]],
  ['r', ['b32', 300]],
  ['rd', ['b64', 140]],
  ['f', ['f32', 300]],
  ['fd', ['f64', 64]],
  ['u', ['u32', 8]],
  ['s', ['s32', 8]],
  ['ud', ['u64', 8]],
  ['sd', ['s64', 8]],
  ['uh', ['u16', 8]],
  ['sh', ['s16', 8]],
  ['hf', ['f16', 8]],
  ['hp', ['f16x2', 8]],
  ['q', ['b128', 8]],
]);

export const variables: ReadonlyMap<string, readonly [space: string, declaration: string]> = new Map([
  ['shm', ['shared', '.shared .align 128 .b8 shm[1024];']],
  ['gbl', ['global', '.global .align 128 .b8 gbl[1024];']],
  ['cst', ['const', '.const .align 16 .b8 cst[256];']],
  ['lcl', ['local', '.local .align 16 .b8 lcl[64];']],
  ['tex', ['texref', '.global .texref tex;']],
  ['samp', ['samplerref', '.global .samplerref samp;']],
  ['surf', ['surfref', '.global .surfref surf;']],
  ['fun', ['function', '.func fun() { ret; }']],
  ['prm', ['param', '.param .b64 prm']],
  ['L1', ['label', 'L1:']],
]);

/** Samples of a text; blank lines and `//` comments do not count. */
export function readSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const bar = line.indexOf('|');
    if (bar < 0 || line.startsWith('//')) return [];
    const [arch, version, code] = line.slice(0, bar).trim().split(/\s+/);
    const sample = { arch, version, text: line.slice(bar + 1).trim() };
    return [code === undefined ? sample : { ...sample, code }];
  });
}

let isThere: boolean | undefined;
export function hasPtxas(): boolean {
  isThere ??= /release 13\./.test(spawnSync('ptxas', ['--version'], { encoding: 'utf8' }).stdout ?? '');
  if (!isThere) console.log('      (no ptxas 13 on the path: its verdict is not asked)');
  return isThere;
}

const usesSampler = (sample: Sample): boolean => /\bsamp\b/.test(sample.text);

/** `.reg` lines for the registers that a sample names: all of them would be most of ptxas's work. */
function declarations(text: string): string {
  const highest = new Map<string, number>();
  for (const [, name, digits] of text.matchAll(/%([a-z]+)(\d+)/g))
    if (registers.has(name)) highest.set(name, Math.max(highest.get(name) ?? 0, Number(digits)));
  return [...highest]
    .map(([name, number]) => `.reg .${registers.get(name)![0]} %${name}<${number + 1}>;`)
    .join(' ');
}

/** A module with one kernel a sample; sample n stands alone on line `firstLine + 3 n`. */
function moduleOf(samples: readonly Sample[]): { text: string; firstLine: number } {
  const { arch, version } = samples[0];
  const mode = usesSampler(samples[0]) ? ', texmode_independent' : '';
  const shared = [...variables].filter(([name]) => !['lcl', 'prm', 'L1'].includes(name));
  const head = [
    `.version ${version}`,
    `.target ${arch}${mode}`,
    '.address_size 64',
    ...shared.map(([name, [, text]]) => (name === 'samp' && mode === '' ? '' : text)),
  ];
  const body = samples.map(
    ({ text }, index) =>
      `.entry k${index}(.param .b64 prm) { ${declarations(text)} .local .align 16 .b8 lcl[64];\n${text}\nL1: ret; }`,
  );
  return { text: [...head, ...body, ''].join('\n'), firstLine: head.length + 2 };
}

function verdicts(samples: readonly Sample[], folder: string, isMachine: boolean): (string | undefined)[] {
  const { text, firstLine } = moduleOf(samples);
  const path = join(folder, 'samples.ptx');
  writeFileSync(path, text);
  const machine = (smNumber(samples[0].arch) ?? 0) < 75 ? 'sm_75' : samples[0].arch;
  const assembleFor = (arch: string): { status: number | null; stderr: string } =>
    spawnSync('ptxas', [`-arch=${arch}`, path, '-o', join(folder, 'samples.cubin')], { encoding: 'utf8' });
  // A virtual architecture checks everything and generates no code; with textures it dies without a word.
  let run = assembleFor(isMachine ? machine : machine.replace('sm_', 'compute_'));
  if (!isMachine && run.status !== 0 && run.stderr.trim() === '') run = assembleFor(machine);
  const messages = new Array<string | undefined>(samples.length).fill(undefined);
  if (run.status === 0) return messages;
  for (const match of run.stderr.matchAll(/line (\d+); (?:error|fatal)\s*: (.*)/g)) {
    const index = (Number(match[1]) - firstLine) / 3;
    if (Number.isInteger(index) && index >= 0 && index < samples.length) messages[index] ??= match[2];
  }
  if (messages.some((message) => message !== undefined)) return messages;
  if (samples.length === 1) return [run.stderr.trim()];
  // Refused without a line: each alone tells whose fault it is.
  return samples.flatMap((sample) => verdicts([sample], folder, isMachine));
}

/**
 * ptxas's first complaint about each sample, undefined where it has none. Samples of one target and version share
 * a call; when one is refused, those that ptxas may not have read are tried again without it. Widths of addresses are
 * judged only when code is made for a machine (`isMachine`).
 */
export function judge(samples: readonly Sample[], isMachine = false): (string | undefined)[] {
  const groups = new Map<string, { sample: Sample; index: number }[]>();
  samples.forEach((sample, index) => {
    const key = `${sample.arch} ${sample.version} ${usesSampler(sample)}`;
    groups.set(key, [...(groups.get(key) ?? []), { sample, index }]);
  });
  const results = new Array<string | undefined>(samples.length).fill(undefined);
  const folder = mkdtempSync(join(tmpdir(), 'spillway-ptxas-'));
  try {
    for (let rest of groups.values()) {
      while (rest.length > 0) {
        const found = verdicts(
          rest.map(({ sample }) => sample),
          folder,
          isMachine,
        );
        const current = rest;
        found.forEach((message, at) => (results[current[at].index] = message));
        rest = found.some((message) => message !== undefined)
          ? current.filter((_, at) => found[at] === undefined)
          : [];
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

/** The samples that ptxas refuses, with its words. */
export function assemble(samples: readonly Sample[]): string[] {
  return judge(samples).flatMap((message, index) =>
    message === undefined
      ? []
      : [`${samples[index].arch} ${samples[index].version} | ${samples[index].text}  => ${message}`],
  );
}
