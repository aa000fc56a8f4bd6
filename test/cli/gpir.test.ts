import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ListingJson } from '../../server/src/targets/mali-gp/listing-json.js';
import { readListingJson } from '../../server/src/targets/mali-gp/read-listing-json.js';
import { checkRules } from '../../server/src/targets/mali-gp/rules.js';
import { runNow } from '../support/run-now.js';
import { registry } from '../../server/src/workspace/registry.js';
import { violations } from '../support/json-schema.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const example = (name: string): string => join(root, 'examples', `${name}.gpir`);
const schema = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, 'docs', `${name}.schema.json`), 'utf8')) as Record<string, unknown>;

function spillway(argv: readonly string[], files: Readonly<Record<string, string>> = {}) {
  let out = '';
  let error = '';
  const io = {
    out: (text: string) => void (out += text),
    error: (text: string) => void (error += text),
    read: (path: string) => files[path] ?? readFileSync(path, 'utf8'),
    outIsTerminal: false,
    errorIsTerminal: false,
    environment: {},
  };
  const status = runNow(argv, io, registry);
  return { status, out, error };
}

interface Figures {
  readonly words: number;
  readonly bound: number;
  readonly ratio: number;
  readonly cycles: number;
}

function figures(path: string, ...options: string[]): Figures {
  const { out } = spillway(['stats', path, '--format', 'json', ...options]);
  const value = JSON.parse(out) as { functions: Figures[] };
  assert.deepEqual(violations(schema('stats'), value), []);
  return value.functions[0];
}

describe('spillway on gpir', () => {
  it('compile --format json is the machine’s own form, and the machine accepts it', () => {
    for (const name of ['lit_cube', 'mandelbrot']) {
      const { status, out } = spillway(['compile', example(name), '--format', 'json']);
      assert.equal(status, 0);
      const listing = JSON.parse(out) as ListingJson;
      assert.deepEqual([listing.version, listing.program], [1, name]);
      assert.equal(listing.words.length, figures(example(name)).words);
      assert.deepEqual(checkRules(readListingJson(listing).program), []);
    }
  });

  it('searches to the end, unless little effort is asked for', () => {
    const best = figures(example('fog'));
    const quick = figures(example('fog'), '--effort', 'quick');
    assert.ok(best.bound <= best.words && best.words <= quick.words);
    assert.equal(best.ratio, Math.round((100 * best.words) / best.bound) / 100);
    assert.equal(best.cycles, best.words, 'a word is a cycle');
  });

  it('an option of the other machine is refused with what there is', () => {
    const { status, error } = spillway(['stats', example('fog'), '--arch', 'sm_90']);
    assert.equal(status, 2);
    assert.match(
      error,
      /--arch is an option of NVIDIA; .*fog\.gpir is compiled for Mali-400 GP, which has --effort/,
    );
    assert.equal(
      spillway(['stats', example('fog'), join(root, 'examples', 'saxpy.ptx'), '--arch', 'sm_90']).status,
      0,
    );
  });

  it('a value that belongs to no machine of the files is told as such', () => {
    const { status, error } = spillway(['stats', example('fog'), '--arch', 'mali-450']);
    assert.equal(status, 2);
    assert.match(error, /--arch is an option of NVIDIA; .*which has --effort/);
    assert.match(
      spillway(['stats', example('fog'), '--effort', 'much']).error,
      /--effort is 'much'; it must be quick or best/,
    );
  });

  const blamed: readonly [string, string, number][] = [
    [
      'a register that one arm writes',
      '%c = ge a0.x, 0\nbranch_cond T, %c\nA:\nst_reg @q, 2\nT:\n%q = ld_reg @q\nst_var v0.z, %q\n',
      0,
    ],
    ['a value that needs itself', '%x = add %x, 1\nst_var v0.x, %x\n', 1],
    [
      'a value that one arm defines',
      '%c = ge a0.x, 0\nbranch_cond T, %c\nA:\n%v = add a0.x, 1\nT:\nst_var v0.z, %v\n',
      1,
    ],
    ['a register that nothing writes', '%x = ld_reg $3.x\nst_var v0.x, %x\n', 1],
    ['a piece of a special function by itself', '%x = complex1 a0.x, a0.y, a0.z\nst_var v0.x, %x\n', 1],
    ['no room for constants', '%x = mul u511.x, a0.x\n%y = add %x, 2.5\nst_var v0.x, %y\n', 1],
  ];
  for (const [what, text, expected] of blamed)
    it(`${what} is the program’s affair, not a fault of ours`, () => {
      const { status, out } = spillway(['check', 'p.gpir'], { 'p.gpir': text });
      assert.equal(status, expected);
      assert.ok(!out.includes('internal/'), out);
    });

  it('compile and stats say on standard error that there are errors, and where they are listed', () => {
    const files = { 'p.gpir': '%x = add %y, 1\n%z = add %y, 2\nst_var v0.x, a0.x\n' };
    const [, errors] = /: (\d+) errors/.exec(spillway(['check', 'p.gpir'], files).out) ?? [];
    for (const command of ['compile', 'stats']) {
      const { status, error } = spillway([command, 'p.gpir'], files);
      assert.equal(status, 1);
      assert.equal(error, `p.gpir: ${errors} errors; \`spillway check p.gpir\` lists them\n`);
    }
  });

  it('where there is no program, compile says so and prints none', () => {
    for (const options of [[], ['--format', 'json']]) {
      const { status, out, error } = spillway(['compile', 'empty.gpir', ...options], { 'empty.gpir': '' });
      assert.deepEqual([status, out], [1, '']);
      assert.equal(error, 'spillway: empty.gpir: there is no program\n');
    }
  });

  it('two programs in a file: JSON of one at a time', () => {
    const two = '.program one\n  st_var v0.x, a0.x\n.program two\n  st_var v0.y, a0.y\n';
    const both = spillway(['compile', 'two.gpir', '--format', 'json'], { 'two.gpir': two });
    assert.equal(both.status, 2);
    assert.match(both.error, /has 2 programs; choose one with --function NAME/);
    const one = spillway(['compile', 'two.gpir', '--format', 'json', '--function', 'two'], {
      'two.gpir': two,
    });
    assert.equal((JSON.parse(one.out) as ListingJson).program, 'two');
  });

  it('a program over 512 words fails a check; its figures are there all the same', () => {
    const chain = Array.from(
      { length: 520 },
      (_, i) => `  %v${i + 1} = ${i % 2 ? 'mul' : 'add'} %v${i}, a0.y\n`,
    ).join('');
    const files = { 'long.gpir': `.program long\n  %v0 = ld_att a0.x\n${chain}  st_var v0.x, %v520\n` };
    const checked = spillway(['check', 'long.gpir'], files);
    assert.equal(checked.status, 1);
    assert.match(checked.out, /long\.gpir:515:3: error: long has 520 words, 8 more than the 512/);
    const stats = spillway(['stats', 'long.gpir'], files);
    assert.equal(stats.status, 1);
    assert.match(stats.out, / 520 +520 +1 /);
  });

  it('show has the summary above the program and places behind its lines', () => {
    const text = '.program p\n  %r = rcp a0.x\n  st_var v0.x, %r\n';
    const { out, status } = spillway(['show', 'p.gpir'], { 'p.gpir': text });
    assert.equal(status, 0);
    assert.match(
      out,
      /p: 4 words · bound 4 · peak \d+\/11 values · 0 registers · 0 moves spilled\n1 \| \.program p/,
    );
    assert.match(out, /2 \| {3}%r = rcp a0\.x {4}w0–1 mul0/);
    assert.match(out, /3 \| {3}st_var v0\.x, %r {4}w3 store\.x {2}stall 1/);
  });
});
