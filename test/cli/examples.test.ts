import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandPath } from '../support/programs.js';
import { runNow } from '../support/run-now.js';
import { registry } from '../../server/src/workspace/registry.js';
import { violations } from '../support/json-schema.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const examplesOf = (ending: string): string[] =>
  readdirSync(join(root, 'examples'))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(root, 'examples', name));
const ptxExamples = examplesOf('.ptx');
const gpirExamples = examplesOf('.gpir');
const genExamples = examplesOf('.gen');
const examples = [...ptxExamples, ...gpirExamples, ...genExamples];
/** The long search for a short program has tests of its own. */
const quickly = (example: string): string[] => (example.endsWith('.gpir') ? ['--effort', 'quick'] : []);

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

function command(...argv: string[]): Ran {
  let out = '';
  let error = '';
  const io = {
    out: (text: string) => void (out += text),
    error: (text: string) => void (error += text),
    read: (path: string) => readFileSync(path, 'utf8'),
    outIsTerminal: false,
    errorIsTerminal: false,
    environment: {},
  };
  const status = runNow(argv, io, registry);
  return { status, out, error };
}

function json(...argv: string[]): { value: unknown; error: string } {
  const { out, error } = command(...argv, '--format', 'json');
  return { value: JSON.parse(out) as unknown, error };
}

interface Problem {
  readonly code: string;
  readonly severity: string;
}

const schema = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, 'docs', `${name}.schema.json`), 'utf8')) as Record<string, unknown>;

describe('spillway on the examples', () => {
  it('what it writes follows the schemas', () => {
    assert.deepEqual(violations(schema('check'), json('check', ...examples, '--effort', 'quick').value), []);
    assert.deepEqual(violations(schema('stats'), json('stats', ...examples).value), []);
    for (const example of ptxExamples)
      assert.deepEqual(violations(schema('compile'), json('compile', example).value), [], example);
    for (const example of gpirExamples)
      assert.deepEqual(
        violations(schema('gp-listing'), json('compile', example, ...quickly(example)).value),
        [],
        example,
      );
  });

  it('programs for the geometry processor fit its words, but for the one that is there not to', () => {
    type Stats = { functions: { name: string; words: number; bound: number }[] };
    for (const { name, words, bound } of (json('stats', ...gpirExamples, '--effort', 'quick').value as Stats)
      .functions) {
      assert.ok(bound <= words, `${name}: ${words} words, bound ${bound}`);
      assert.equal(words > 512, name === 'arctangent', `${name}: ${words} words`);
    }
    const problemsOf = (example: string): string[] =>
      (
        json('check', example, ...quickly(example)).value as { files: { problems: Problem[] }[] }
      ).files[0].problems
        .filter(({ severity }) => severity === 'error')
        .map(({ code }) => code);
    for (const example of gpirExamples)
      assert.deepEqual(
        [...new Set(problemsOf(example))],
        example.endsWith('arctangent.gpir') ? ['hw/program-size'] : [],
        example,
      );
  });

  it('Gen programs have no error, and each tells its story', () => {
    type Stats = { functions: { name: string; strategy?: string; spills: { registers: number } }[] };
    const { functions } = json('stats', ...genExamples).value as Stats;
    const spilled = functions.filter(({ spills }) => spills.registers > 0).map(({ name }) => name);
    assert.deepEqual(spilled, ['mirror', 'rain']);
    assert.equal(functions.find(({ name }) => name === 'mirror')?.strategy, 'simd8+temporaries');
    assert.equal(functions.filter(({ name }) => name === 'saxpy').length, 2);
    for (const example of genExamples) {
      const { files } = json('check', example).value as { files: { problems: Problem[] }[] };
      assert.deepEqual(
        files[0].problems.filter(({ severity }) => severity === 'error'),
        [],
        example,
      );
    }
  });

  it('a Gen program is never said to need more registers than it was given', () => {
    type Stats = { functions: { name: string; limit: number; pressure: { asCompiled: number } }[] };
    for (const strategy of ['best', 'i965', 'beignet'])
      for (const { name, limit, pressure } of (
        json('stats', ...genExamples, '--strategy', strategy).value as Stats
      ).functions)
        assert.ok(pressure.asCompiled <= limit, `${name}, ${strategy}: ${pressure.asCompiled} of ${limit}`);
  });

  it('tables name the entry of the strategy list that won, and the model', () => {
    for (const format of ['text', 'md', 'csv']) {
      const table = command('stats', ...genExamples, '--format', format).out;
      assert.match(table, /compiled as/, format);
      assert.match(table, /simd8\+temporaries/, format);
      assert.match(table, /ivb, best, limit 14/, format);
    }
  });

  it('every feature answers at every place, and no allocation is refuted', () => {
    for (const example of examples) {
      const { value, error } = json('check', example, '--self-test', ...quickly(example));
      assert.match(error, /, 0 faults\n$/);
      const { files } = value as { files: { problems: { code: string }[] }[] };
      assert.ok(files[0].problems.every(({ code }) => code !== 'internal/allocation'));
    }
  });

  it('the architecture given on the command line is the one that is modelled', () => {
    const reduce = join(root, 'examples', 'reduce.ptx');
    type Stats = { functions: { limit: number; target: { arch: string } }[] };
    const { functions } = json('stats', reduce, '--arch', 'sm_80').value as Stats;
    assert.ok(functions.every(({ target }) => target.arch === 'sm_80'));
  });

  it('the process: results on standard output, messages on standard error, the status of the contract', () => {
    const process_ = (...argv: string[]): { status: number | null; stdout: string; stderr: string } =>
      spawnSync(process.execPath, [commandPath, ...argv], {
        encoding: 'utf8',
        input: readFileSync(examples[0], 'utf8'),
      });
    const missing = process_('check', 'no-such-file.ptx', '--format', 'json');
    assert.equal(missing.status, 2);
    assert.match(missing.stderr, /no-such-file\.ptx: there is no such file/);
    assert.deepEqual((JSON.parse(missing.stdout) as { files: unknown[] }).files, []);
    const piped = process_('check', '-', '--language', 'ptx', '--format', 'json');
    assert.equal(piped.status, 1, 'broken.ptx is the first example');
    assert.match(piped.stdout, /"file": "-"/);
  });
});
