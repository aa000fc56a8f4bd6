import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { figuresIn } from '../../server/src/cli/comparison/metrics.js';
import { paired } from '../../server/src/cli/comparison/pairing.js';
import { spread } from '../../server/src/cli/comparison/summary.js';
import { processIo } from '../../server/src/cli/io.js';
import { run } from '../../server/src/cli/run.js';
import { threadsOf } from '../../server/src/cli/threads/threads.js';
import { registry } from '../../server/src/workspace/registry.js';
import { Folder, kernel } from '../support/command.js';
import { violations } from '../support/json-schema.js';
import { commandPath } from '../support/programs.js';
import { ptxHead } from '../support/ptx.js';

const root = join(fileURLToPath(new URL('.', import.meta.url)), '..', '..', '..');
const schema = JSON.parse(readFileSync(join(root, 'docs', 'diff.schema.json'), 'utf8')) as Record<
  string,
  unknown
>;

interface Element {
  readonly file: string;
  readonly name: string;
  readonly line?: number;
  readonly changes: readonly { metric: string; before: number; after: number; isBetter: boolean }[];
  readonly before?: Readonly<Record<string, unknown>>;
}
interface Spread {
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}
interface Direction {
  readonly functions: number;
  readonly absolute?: Spread;
  readonly percent?: Spread;
}
interface Diff {
  readonly before: { readonly source: string; readonly spillway?: string; readonly functions: number };
  readonly counts: Readonly<Record<string, number>>;
  readonly metrics: readonly {
    readonly target: string;
    readonly metric: string;
    readonly functions: number;
    readonly before: number;
    readonly after: number;
    readonly unchanged: number;
    readonly helped: Direction;
    readonly hurt: Direction;
  }[];
  readonly functions: readonly Element[];
  readonly new: readonly Element[];
  readonly gone: readonly Element[];
  readonly faulty: readonly Element[];
}

/** What `diff` says in JSON, which follows the schema; and its status. */
function compared(
  folder: Folder,
  ...argv: string[]
): Diff & { readonly status: number; readonly error: string } {
  const { out, status, error } = folder.run('diff', '--format', 'json', ...argv);
  const value = JSON.parse(out) as Diff;
  assert.deepEqual(violations(schema, value), []);
  return { ...value, status, error };
}
const metric = (diff: Diff, key: string): Diff['metrics'][number] => {
  const found = diff.metrics.find((one) => one.metric === key);
  assert.ok(found, key);
  return found;
};
/** Figures by hand, as `stats --format json` has them. */
const stats = (functions: readonly object[], version = 1): string => JSON.stringify({ version, functions });
const f = (name: string, more: object = {}): object => ({
  file: 'a.x',
  name,
  target: { name: 'machine', arch: 'one' },
  model: 'one',
  ...more,
});

describe('spillway diff', () => {
  it('counts what was helped, hurt and unchanged, with totals, least, middle and most', () => {
    const registers = (...all: number[]): string =>
      stats(all.map((general, i) => f(`k${i}`, { registers: { general } })));
    const folder = new Folder({
      'old.json': registers(10, 20, 40, 8, 5),
      'new.json': registers(8, 19, 30, 10, 5),
    });
    const diff = compared(folder, 'old.json', 'new.json');
    assert.equal(diff.status, 0);
    const one = metric(diff, 'registers');
    assert.deepEqual([one.before, one.after, one.functions, one.unchanged], [83, 72, 5, 1]);
    assert.deepEqual(one.helped, {
      functions: 3,
      absolute: { minimum: 1, median: 2, maximum: 10 },
      percent: { minimum: 5, median: 20, maximum: 25 },
    });
    assert.deepEqual(one.hurt, {
      functions: 1,
      absolute: { minimum: 2, median: 2, maximum: 2 },
      percent: { minimum: 25, median: 25, maximum: 25 },
    });
    assert.deepEqual(diff.counts, {
      both: 5,
      helped: 3,
      hurt: 1,
      mixed: 0,
      unchanged: 1,
      new: 0,
      gone: 0,
      faulty: 0,
    });

    const { out } = folder.run('diff', 'old.json', 'new.json');
    assert.match(out, /^registers +83 +72 +-11 \(-13\.25%\) +3 +1 +1$/m);
    assert.match(
      out,
      /^registers: helped 3: by 1 to 10, median 2; 5% to 25%, median 20%\n +a\.x: k2 \(one\): 40 → 30 \(-10, -25%\)\n +a\.x: k0 .*\n +a\.x: k1 /m,
    );
    assert.match(out, /^registers: hurt 1: by 2; 25%$/m);
  });

  it('knows in which direction each figure is better', () => {
    const sides = (warps: number, cycles: number): string =>
      stats([f('k', { occupancy: { warps }, cycles })]);
    const folder = new Folder({ 'old.json': sides(32, 100), 'new.json': sides(48, 120) });
    const diff = compared(folder, 'old.json', 'new.json');
    assert.equal(metric(diff, 'occupancy').helped.functions, 1);
    assert.equal(metric(diff, 'cycles').hurt.functions, 1);
    assert.equal(diff.counts['mixed'], 1);
    const back = compared(folder, 'new.json', 'old.json');
    assert.equal(metric(back, 'occupancy').hurt.functions, 1);
    assert.equal(metric(back, 'cycles').helped.functions, 1);
  });

  it('leaves out of the totals what one side does not know', () => {
    const folder = new Folder({
      'old.json': stats([f('a', { cycles: 10 }), f('b'), f('c', { registers: { general: 1 } })]),
      'new.json': stats([
        f('a', { cycles: 12 }),
        f('b', { cycles: 99 }),
        f('c', { registers: { predicate: 1 } }),
      ]),
    });
    const diff = compared(folder, 'old.json', 'new.json');
    assert.deepEqual(
      diff.metrics.map((one) => [one.metric, one.functions, one.before, one.after]),
      [['cycles', 1, 10, 12]],
    );
  });

  it('adds up no figures of different machines', () => {
    const other = { target: { name: 'another', arch: 'two' } };
    const folder = new Folder({
      'old.json': stats([f('a', { cycles: 10 }), f('b', { cycles: 1000, ...other })]),
      'new.json': stats([f('a', { cycles: 11 }), f('b', { cycles: 1000, ...other })]),
    });
    const diff = compared(folder, 'old.json', 'new.json');
    assert.deepEqual(
      diff.metrics.map(({ target, before }) => [target, before]),
      [
        ['machine one', 10],
        ['another two', 1000],
      ],
    );
    assert.match(
      folder.run('diff', 'old.json', 'new.json').out,
      /^another two, 1 function: nothing changed$/m,
    );
  });

  it('compares two architectures of a machine, and says so', () => {
    const folder = new Folder({
      'old.json': stats([f('a', { cycles: 10 })]),
      'new.json': stats([f('a', { cycles: 11, target: { name: 'machine', arch: 'two' } })]),
    });
    assert.equal(
      metric(compared(folder, 'old.json', 'new.json'), 'cycles').target,
      'machine one → machine two',
    );
  });

  it('names what is new and gone, and what has an error', () => {
    const broken = kernel('broken', 3).replace('[r0]', '[nowhere]');
    const folder = new Folder({
      'old/a.toy': kernel('k', 3) + kernel('old', 1) + kernel('broken', 3),
      'new/a.toy': kernel('k', 3) + broken + kernel('fresh', 1),
    });
    const diff = compared(folder, 'old', 'new');
    assert.equal(diff.status, 1);
    assert.match(diff.error, /new\/a\.toy: 1 error/);
    assert.deepEqual(
      [diff.new, diff.gone, diff.faulty].map((all) => all.map(({ name }) => name)),
      [['fresh'], ['old'], ['broken']],
    );
    assert.deepEqual(diff.functions, []);
    const { out } = folder.run('diff', 'old', 'new');
    assert.match(out, /1 unchanged; 1 new, 1 gone, 1 not compared because of errors/);
    assert.match(out, /^gone\n {2}a\.toy:12: old \(toy-machine toy-1\)$/m);
  });

  it('compares sources: folders by the names in them, single files whatever they are called', () => {
    const folder = new Folder({
      'old/in/a.toy': kernel('k', 5),
      'old/b.toy': kernel('k', 2),
      'new/in/a.toy': kernel('k', 6),
      'new/b.toy': kernel('k', 2),
      'before.toy': kernel('k', 5),
      'after.toy': kernel('k', 6),
    });
    for (const [old, now, file] of [
      ['old', 'new', 'in/a.toy'],
      ['before.toy', 'after.toy', 'after.toy'],
      ['./old/', 'new', 'in/a.toy'],
    ]) {
      const diff = compared(folder, old, now);
      assert.deepEqual(
        diff.functions.map((one) => [one.file, one.name, one.line]),
        [[file, 'k', 1]],
      );
      assert.deepEqual(
        diff.functions[0].changes.filter((change) => change.metric === 'registers'),
        [{ metric: 'registers', before: 5, after: 6, isBetter: false }],
      );
    }
  });

  it('compares a baseline, JSON of stats and sources with one another', () => {
    const folder = new Folder({ 'k/a.toy': kernel('k', 5), 'k/b.toy': kernel('l', 2) });
    folder.run('baseline', 'write', 'k');
    folder.put('stats.json', folder.run('stats', 'k/a.toy', 'k/b.toy', '--format', 'json').out);
    folder.put('k/a.toy', kernel('k', 4));
    for (const old of ['spillway-baseline.json', 'stats.json']) {
      const diff = compared(folder, old, 'k');
      assert.deepEqual([diff.counts['both'], diff.counts['helped']], [2, 1], old);
    }
    assert.equal(typeof compared(folder, 'spillway-baseline.json', 'k').before.spillway, 'string');
    assert.deepEqual(compared(folder, 'spillway-baseline.json', 'stats.json').functions, []);
  });

  it('reads either side from standard input: JSON, or sources with --language', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 5) });
    const json = folder.run('stats', 'a.toy', '--format', 'json').out;
    folder.put('a.toy', kernel('k', 4));
    assert.equal(compared(folder.pipe(json), '-', 'a.toy').counts['helped'], 1);
    assert.equal(
      compared(folder.pipe(`\ufeff${json.replaceAll('\n', '\r\n')}`), '-', 'a.toy').counts['helped'],
      1,
    );
    assert.equal(compared(folder, 'a.toy', '-').counts['hurt'], 1);
    assert.equal(
      compared(folder.pipe(kernel('k', 5)), '-', 'a.toy', '--language', 'toy').counts['helped'],
      1,
    );
  });

  it('lists as many functions as --top says, the largest share first', () => {
    const side = (by: number): string =>
      stats(Array.from({ length: 30 }, (_, i) => f(`k${i}`, { cycles: 100 + by * i })));
    const folder = new Folder({ 'old.json': side(0), 'new.json': side(1) });
    const listed = (...argv: string[]): number[] =>
      [...folder.run('diff', 'old.json', 'new.json', ...argv).out.matchAll(/^ {2}a\.x: k(\d+) /gm)].map(
        ([, i]) => Number(i),
      );
    assert.deepEqual(listed(), [29, 28, 27, 26, 25]);
    assert.deepEqual(listed('--top', '2'), [29, 28]);
    assert.deepEqual(listed('--top', '0'), []);
    assert.equal(listed('--top', '100').length, 29);
    assert.match(folder.run('diff', 'old.json', 'new.json').out, /and 24 more/);
  });

  it('what was nothing has changed most, and has no share', () => {
    const side = (...all: number[]): string => stats(all.map((cycles, i) => f(`k${i}`, { cycles })));
    const folder = new Folder({ 'old.json': side(10, 0, 0), 'new.json': side(20, 1, 2) });
    const { hurt } = metric(compared(folder, 'old.json', 'new.json'), 'cycles');
    assert.deepEqual(hurt, {
      functions: 3,
      absolute: { minimum: 1, median: 2, maximum: 10 },
      percent: { minimum: 100, median: 100, maximum: 100 },
    });
    const { out } = folder.run('diff', 'old.json', 'new.json');
    assert.match(out, /k2 \(one\): 0 → 2 \(\+2\)\n.*k1 \(one\): 0 → 1 \(\+1\)\n.*k0 /);
  });

  it('--function compares one function, also one that is on one side only', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 5), 'b.toy': kernel('k', 6) + kernel('l', 2) });
    assert.deepEqual(compared(folder, 'a.toy', 'b.toy', '--function', 'l').counts['new'], 1);
    assert.deepEqual(compared(folder, 'a.toy', 'b.toy', '--function', 'k').counts['hurt'], 1);
    const { status, error } = folder.run('diff', 'a.toy', 'b.toy', '--function', 'm');
    assert.deepEqual([status, error], [2, "spillway: no function is called 'm'\n"]);
  });

  it('options of a machine hold for the sources', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 6) });
    folder.put('a.json', folder.run('stats', 'a.toy', '--format', 'json').out);
    const diff = compared(folder, 'a.json', 'a.toy', '--registers', '4');
    assert.ok(metric(diff, 'spills').after > 0);
    assert.deepEqual(diff.functions[0].before, { model: 'toy machine, limit 8' });
    const { status, error } = folder.run('diff', 'a.json', 'a.json', '--registers', '4');
    assert.equal(status, 2);
    assert.match(error, /options of a machine are for sources/);
  });

  it('md: tables that are whole, whatever names are', () => {
    const names = ['a|b', '`c`', '<d>', '__e__'];
    const side = (by: number): string => stats(names.map((name) => f(name, { cycles: 10 + by })));
    const folder = new Folder({ 'old.json': side(0), 'new.json': side(1) });
    const { out } = folder.run('diff', 'old.json', 'new.json', '--format', 'md');
    assert.match(out, /^### Spillway: old\.json → new\.json\n/);
    assert.match(out, /^\| cycles \| 40 \| 44 \| \+4 \(\+10%\) \| 0 \| 4 \| 0 \|$/m);
    assert.match(out, /<details><summary>cycles: hurt 4: by 1; 10%<\/summary>\n\n\|/);
    const rows = out.split('\n').filter((one) => one.startsWith('| a\\.x') || one.includes('a.x:'));
    assert.ok(rows.length >= names.length, `${rows.length} rows`);
    for (const line of rows) assert.equal(line.replace(/\\./g, '').split('|').length, 6, line);
  });

  it('totals of huge counts', () => {
    const side = (cycles: number): string => stats([f('a', { cycles }), f('b', { cycles: 1 })]);
    const folder = new Folder({ 'old.json': side(2 ** 52), 'new.json': side(2 ** 52 + 2) });
    assert.equal(metric(compared(folder, 'old.json', 'new.json'), 'cycles').after, 2 ** 52 + 3);
  });

  it('what it cannot read, and wrong usage: status 2, nothing on standard output, and a way out', () => {
    const files = {
      'a.toy': kernel('k', 5),
      'notes.txt': 'hello',
      'bad.json': '{',
      'none.json': '{"version": 1}',
      'check.json': '{"kind": "spillway diff", "version": 1, "functions": []}',
      'two.json': stats([], 2),
      'text.json': stats([f('k', { cycles: 'many' })]),
      'null.json': stats([f('k', { registers: { general: null } })]),
      'odd.json': stats([{ name: 'k' }]),
      'target.json': stats([{ file: 'a', name: 'k', target: 'sm_90' }]),
      'empty.json': '',
      'in/notes.txt': '',
    };
    const cases: readonly (readonly [string[], RegExp])[] = [
      [[], /diff needs two files or folders, before and after/],
      [['a.toy'], /needs two/],
      [['a.toy', 'a.toy', 'a.toy'], /needs two/],
      [['-', '-'], /standard input can be read only once/],
      [['a.toy', 'a.toy', '--format', 'csv'], /--format is 'csv'; diff has text, json, md/],
      [['a.toy', 'a.toy', '--top', 'x'], /--top is 'x'/],
      [['a.toy', 'missing.json'], /missing\.json: there is no such file/],
      [['a.toy', 'notes.txt'], /notes\.txt is neither JSON of .* give --language/],
      [['bad.json', 'a.toy'], /bad\.json is not JSON/],
      [['empty.json', 'a.toy'], /empty\.json is not JSON/],
      [['none.json', 'a.toy'], /none\.json holds no figures; 'spillway stats --format json' and/],
      [['check.json', 'a.toy'], /check\.json holds no figures/],
      [['two.json', 'a.toy'], /is of version 2, which this Spillway does not know, only 1/],
      [['text.json', 'a.toy'], /text\.json: 'cycles' is "many"; it must be a number/],
      [['null.json', 'a.toy'], /'registers\.general' is null/],
      [['odd.json', 'a.toy'], /functions\[0\] has no file or no name/],
      [['target.json', 'a.toy'], /functions\[0\] has no target/],
      [['in', 'in'], /in holds no file that is called \*\.toy/],
    ];
    for (const [argv, message] of cases) {
      const { status, out, error } = new Folder(files).run('diff', ...argv);
      assert.deepEqual([status, out], [2, ''], argv.join(' '));
      assert.match(error, message);
    }
    const other = new Folder(files).run('stats', 'a.toy', '--top', '3');
    assert.match(other.error, /--top is an option of diff, not of stats/);
  });

  it('a folder without sources on one side: all that the other has is new, or gone', () => {
    const folder = new Folder({ 'in/notes.txt': '', 'a.toy': kernel('k', 5) });
    for (const [argv, word] of [
      [['in', 'a.toy'], /1 new/],
      [['a.toy', 'in'], /1 gone/],
    ] as const) {
      const { status, out } = folder.run('diff', ...argv);
      assert.equal(status, 0);
      assert.match(out, word);
    }
  });
});

describe('functions of two sides', () => {
  it('are paired once at most, with a partner of the same name, and all of what is equal is', () => {
    const some = fc.array(
      fc.record({
        file: fc.constantFrom('a', 'b', 'x/a'),
        name: fc.constantFrom('k', 'l', '__proto__'),
        nth: fc.integer({ min: 1, max: 2 }),
        target: fc.constantFrom('m one', 'm two', 'n one'),
      }),
      { maxLength: 12 },
    );
    const keyOf = (one: object): string => JSON.stringify(one);
    const figures = (all: readonly { file: string; name: string; nth: number; target: string }[]) => [
      ...new Map(all.map((one) => [keyOf(one), { ...one, model: '', errors: 0, metrics: {} }])).values(),
    ];
    fc.assert(
      fc.property(some, some, (left, right) => {
        const [before, after] = [figures(left), figures(right)];
        const { pairs, gone, added } = paired(before, after);
        assert.equal(new Set(pairs.map((pair) => pair.before)).size, pairs.length);
        assert.equal(pairs.length + gone.length, before.length);
        assert.equal(pairs.length + added.length, after.length);
        for (const pair of pairs) {
          assert.equal(pair.before.name, pair.after.name);
          assert.equal(pair.before.target[0], pair.after.target[0]);
        }
        const keys = new Set(after.map(keyOf));
        for (const one of before)
          if (keys.has(keyOf(one)))
            assert.ok(pairs.some((p) => p.before === one && keyOf(p.after) === keyOf(one)));
      }),
    );
  });

  it('figures: a sum is known where all of its parts are; the width stands in the strategy', () => {
    assert.deepEqual(figuresIn({ spills: { storeBytes: 4 } }), {});
    assert.deepEqual(figuresIn({ spills: { storeBytes: 4, loadBytes: 8 } }), { spillBytes: 12 });
    assert.deepEqual(figuresIn({ strategy: 'simd16+pool8' }), { width: 16 });
    assert.deepEqual(figuresIn({ strategy: 'none' }), {});
    assert.deepEqual(figuresIn({ registers: { general: 0, flag: 1 } }), {
      registers: 0,
      'registers.flag': 1,
    });
    assert.deepEqual(figuresIn({ frameBytes: 16, stack: { bytes: 16, bytesWithCallees: 80 } }), {
      frameBytes: 16,
      stackBytes: 80,
    });
    // no `stack`: nothing below has a frame, and not that its size is unknown
    assert.deepEqual(figuresIn({ frameBytes: 0 }), { frameBytes: 0, stackBytes: 0 });
    assert.deepEqual(figuresIn(JSON.parse('{"registers": {"__proto__": 3}}') as object), {
      'registers.__proto__': 3,
    });
  });

  it('the spread of numbers is that of a sorted list', () => {
    assert.equal(spread([]), undefined);
    assert.deepEqual(spread([3]), { minimum: 3, median: 3, maximum: 3 });
    assert.deepEqual(spread([10, 9, 1, 2]), { minimum: 1, median: 5.5, maximum: 10 });
  });
});

describe('spillway diff and baseline over threads', () => {
  it('say the same as one thread', async function () {
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'spillway-diff-'));
    try {
      const files = ['a', 'b'].map((name) => {
        const path = join(folder, `${name}.ptx`);
        writeFileSync(
          path,
          `${ptxHead}.entry ${name}(.param .u64 p) { .reg .b32 %r<3>; mov.u32 %r1, %tid.x; ret; }\n`,
        );
        return path;
      });
      const path = join(folder, 'figures.json');
      const threads = {
        ...threadsOf(pathToFileURL(commandPath)),
        shareOf: (all: readonly string[]) => ({ groups: all.map((file) => [file]), isHalved: true }),
      };
      const ran = async (threaded: boolean, ...argv: string[]): Promise<string> => {
        let out = '';
        const io = { ...processIo, out: (text: string) => void (out += text), error: () => undefined };
        const status = await run(argv, threaded ? { ...io, threads } : io, registry);
        return `${status} ${out}`;
      };
      assert.equal(await ran(true, 'baseline', 'write', ...files, '--baseline', path), '0 ');
      for (const argv of [
        ['baseline', 'check', '--baseline', path, '--format', 'json'],
        ['diff', path, folder, '--format', 'json'],
      ])
        assert.equal(await ran(true, ...argv), await ran(false, ...argv));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
