import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sampledOffsets } from '../../server/src/cli/sample.js';
import { selfTest } from '../../server/src/features/self-test.js';
import { Document } from '../../server/src/workspace/document.js';
import { registry } from '../../server/src/workspace/registry.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import { violations } from '../support/json-schema.js';
import { commandPath } from '../support/programs.js';
import { runNow } from '../support/run-now.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const examplesOf = (ending: string): string[] =>
  readdirSync(join(root, 'examples'))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(root, 'examples', name));
const ptxExamples = examplesOf('.ptx');
const gpirExamples = examplesOf('.gpir');
const genExamples = examplesOf('.gen');
const examples = [...ptxExamples, ...gpirExamples, ...genExamples];

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
interface Checked {
  readonly files: readonly { readonly file: string; readonly problems: readonly Problem[] }[];
}
interface Stats {
  readonly functions: readonly {
    readonly file: string;
    readonly name: string;
    readonly limit: number;
    readonly target: { readonly arch: string };
    readonly pressure: { readonly asCompiled: number };
    readonly spills: { readonly registers: number };
    /** Of programs for the geometry processor. */
    readonly words: number;
    readonly bound: number;
    readonly strategy?: string;
  }[];
}

/** What a command says of all examples; asked once. The long search for a short program has tests of its own. */
const asked = new Map<string, unknown>();
function ofAll(command: 'check' | 'stats'): unknown {
  if (!asked.has(command)) asked.set(command, json(command, ...examples, '--effort', 'quick').value);
  return asked.get(command);
}
const filesChecked = (): Checked['files'] => (ofAll('check') as Checked).files;
const functionsIn = (ending: string): Stats['functions'] =>
  (ofAll('stats') as Stats).functions.filter(({ file }) => file.endsWith(ending));

/** Codes of errors by the file's name, where it has some. */
const errorsIn = (ending: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    filesChecked()
      .filter(({ file }) => file.endsWith(ending))
      .map(({ file, problems }) => {
        const errors = problems.filter(({ severity }) => severity === 'error');
        return [basename(file), [...new Set(errors.map(({ code }) => code))]] as const;
      })
      .filter(([, codes]) => codes.length > 0),
  );

/** Places of an example at which every feature is asked; `spillway check --self-test` asks at more. */
const PLACES = 60;

const schema = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, 'docs', `${name}.schema.json`), 'utf8')) as Record<string, unknown>;

describe('spillway on the examples', function () {
  this.timeout(60_000);

  it('what it writes follows the schemas', () => {
    assert.deepEqual(violations(schema('check'), ofAll('check')), []);
    assert.deepEqual(violations(schema('stats'), ofAll('stats')), []);
    for (const example of ptxExamples)
      assert.deepEqual(violations(schema('compile'), json('compile', example).value), [], example);
    for (const example of gpirExamples)
      assert.deepEqual(
        violations(schema('gp-listing'), json('compile', example, '--effort', 'quick').value),
        [],
        example,
      );
  });

  it('programs for the geometry processor fit its words, but for the one that is there not to', () => {
    for (const { name, words, bound } of functionsIn('.gpir')) {
      assert.ok(bound <= words, `${name}: ${words} words, bound ${bound}`);
      assert.equal(words > 512, name === 'arctangent', `${name}: ${words} words`);
    }
    assert.deepEqual(errorsIn('.gpir'), { 'arctangent.gpir': ['hw/program-size'] });
  });

  it('Gen programs have no error, and each tells its story', () => {
    const functions = functionsIn('.gen');
    const spilled = functions.filter(({ spills }) => spills.registers > 0).map(({ name }) => name);
    assert.deepEqual(spilled, ['mirror', 'rain']);
    assert.equal(functions.find(({ name }) => name === 'mirror')?.strategy, 'simd8+temporaries');
    assert.equal(functions.filter(({ name }) => name === 'saxpy').length, 2);
    assert.deepEqual(errorsIn('.gen'), {});
  });

  it('a Gen program is never said to need more registers than it was given', () => {
    const ofStrategy = (strategy: string): Stats['functions'] =>
      (json('stats', ...genExamples, '--strategy', strategy).value as Stats).functions;
    for (const functions of [functionsIn('.gen'), ofStrategy('i965'), ofStrategy('beignet')])
      for (const { name, limit, pressure, strategy } of functions)
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

  it('no allocation is refuted', () => {
    assert.equal(filesChecked().length, examples.length);
    const refuted = filesChecked().filter(({ problems }) =>
      problems.some(({ code }) => code.startsWith('internal/')),
    );
    assert.deepEqual(refuted, []);
  });

  it('every feature answers all over them', () => {
    for (const example of examples) {
      const pair = registry.find(({ language }) => language.extensions.some((end) => example.endsWith(end)));
      assert.ok(pair !== undefined, example);
      const document = Document.open(
        `file://${example}`,
        pair,
        1,
        readFileSync(example, 'utf8'),
        defaultSettings,
        (error) => {
          throw error;
        },
      );
      assert.deepEqual(selfTest(document, sampledOffsets(document, PLACES).offsets), [], example);
    }
  });

  it('the architecture given on the command line is the one that is modelled', () => {
    const reduce = join(root, 'examples', 'reduce.ptx');
    const { functions } = json('stats', reduce, '--arch', 'sm_80').value as Stats;
    assert.deepEqual([...new Set(functions.map(({ target }) => target.arch))], ['sm_80']);
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
