import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { corpus } from './corpus.js';

/**
 * The independent checker of compiled GP programs, `tools/gp_check.py` beside the corpus, written in Python from the
 * fact sheets. Where it or Python 3 is absent, the calling test is skipped.
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
import json, sys, gp_check
def one(case):
    try: return gp_check.check(case['source'], case['listing'], exact=True)
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

export function gpCheckOrSkip(test: Mocha.Context): GpCheck {
  isPresent ??=
    folder !== undefined &&
    existsSync(join(folder, 'gp_check.py')) &&
    spawnSync('python3', ['--version']).status === 0;
  if (!isPresent) {
    console.log('    (the checker tools/gp_check.py or Python 3 is absent: a comparison is skipped)');
    test.skip();
  }
  test.timeout(60_000);
  return {
    problems: (cases) => python(checkScript, cases) as string[][],
    outputs: (all) =>
      (python(runScript, all) as Record<string, string>[]).map((texts) =>
        Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, numberOf(text)])),
      ),
  };
}

const numberOf = (text: string): number =>
  text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text);
