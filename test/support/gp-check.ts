import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { corpus } from './corpus.js';

/**
 * The independent checker of compiled GP programs, `tools/gp_check.py` beside the corpus, written in Python from the
 * fact sheets. Where it or Python 3 is absent, the calling test is skipped. Outputs must be equal bit for bit, but in
 * programs with exp or log, which it rounds once and the machine computes in two steps.
 */
export interface GpCheck {
  /** For each case the checker's problems; none for code that it accepts. All cases in one process. */
  problems(cases: readonly GpCase[]): readonly (readonly string[])[];
  /** Outputs of the checker's own source interpreter, by name (`v0.x`, `@acc`); NaN where undefined. */
  outputs(runs: readonly GpSourceRun[]): readonly Readonly<Record<string, number>>[];
}

export interface GpCase {
  readonly source: string;
  readonly listing: unknown;
}

export interface GpSourceRun {
  readonly source: string;
  /** 16 vectors of 4. */
  readonly attributes: readonly (readonly number[])[];
  readonly uniforms: readonly (readonly number[])[];
  readonly registers: Readonly<Record<string, number>>;
}

const folder = corpus === undefined ? undefined : join(corpus, '..', 'tools');

const checkScript = `
import json, re, sys, gp_check
def one(case):
    exact = not re.search(r'=\\s*(exp|log)\\b', case['source'])
    try: return gp_check.check(case['source'], case['listing'], exact=exact)
    except gp_check.SourceError as e: return ['source: %s' % e]
print(json.dumps([one(c) for c in json.load(sys.stdin)]))`;

const runScript = `
import json, sys, gp_check
def number(v): return float(v) if isinstance(v, float) else float('nan')
def one(r):
    s = gp_check.Source(r['source'])
    out, regs = s.run(r['attributes'], r['uniforms'], r['registers'])[:2]
    d = {'v%d.%s' % (i, 'xyzw'[c]): number(v) for (i, c), v in out.items()}
    d.update({k: number(v) for k, v in regs.items()})
    return {k: repr(v) for k, v in d.items()}
print(json.dumps([one(r) for r in json.load(sys.stdin, parse_int=float)]))`;

function python(script: string, input: unknown): unknown {
  const { stdout, stderr, status } = spawnSync('python3', ['-B', '-c', script], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: folder },
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`the checker failed: ${stderr}`);
  return JSON.parse(stdout);
}

let isPresent: boolean | undefined;

/** The checker, or undefined where it or Python 3 is absent. */
export function findGpCheck(): GpCheck | undefined {
  isPresent ??=
    folder !== undefined &&
    existsSync(join(folder, 'gp_check.py')) &&
    spawnSync('python3', ['--version']).status === 0;
  if (!isPresent) return undefined;
  return {
    problems: (cases) => python(checkScript, cases) as string[][],
    outputs: (all) =>
      (python(runScript, all) as Record<string, string>[]).map((texts) =>
        Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, numberOf(text)])),
      ),
  };
}

export function gpCheckOrSkip(test: Mocha.Context): GpCheck {
  const check = findGpCheck();
  if (check === undefined) {
    console.log('    (the checker tools/gp_check.py or Python 3 is absent: a comparison is skipped)');
    test.skip();
  }
  test.timeout(60_000);
  return check;
}

const numberOf = (text: string): number =>
  text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text);
