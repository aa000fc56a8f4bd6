import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import nodePath from 'node:path';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nameFrom } from '../../server/src/cli/comparison/sources.js';
import { processDisk } from '../../server/src/cli/disk.js';
import { processIo } from '../../server/src/cli/io.js';
import { registry } from '../../server/src/workspace/registry.js';
import { version } from '../../server/src/workspace/version.js';
import { Folder, kernel } from '../support/command.js';
import { violations } from '../support/json-schema.js';
import { runNow } from '../support/run-now.js';

const root = join(fileURLToPath(new URL('.', import.meta.url)), '..', '..', '..');
const schema = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, 'docs', `${name}.schema.json`), 'utf8')) as Record<string, unknown>;

const FILE = 'spillway-baseline.json';
/** A baseline made by hand. */
const baseline = (functions: readonly object[], more: object = {}): string =>
  JSON.stringify({ kind: 'spillway baseline', version: 1, spillway: version, ...more, functions });
/** Of the kernel `k` with five registers in a.toy: 32 registers are shared by 8 warps, so 6 warps fit. */
const entry = (more: object = {}): object => ({
  file: 'a.toy',
  name: 'k',
  target: 'toy-machine toy-1',
  model: 'toy machine, limit 8',
  registers: 5,
  occupancy: 6,
  spills: 0,
  ...more,
});

interface Written {
  readonly functions: readonly {
    readonly file: string;
    readonly name: string;
    readonly nth?: number;
    readonly target: string;
    readonly registers?: number;
    readonly errors?: number;
  }[];
}
const written = (folder: Folder, path = FILE): Written['functions'] =>
  (JSON.parse(folder.text(path)) as Written).functions;
const named = (folder: Folder): string[] =>
  written(folder).map(({ file, name, nth, registers }) => `${file} ${name}${nth ?? ''} ${registers}`);

interface Checked {
  readonly passed: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly functions: readonly {
    readonly status: string;
    readonly file: string;
    readonly name: string;
    readonly line?: number;
    readonly before?: Readonly<Record<string, unknown>>;
    readonly changes: readonly {
      readonly metric: string;
      readonly before: number;
      readonly after: number;
      readonly verdict: string;
      readonly allowed: number | string;
    }[];
  }[];
}
/** What `baseline check` says in JSON, which follows the schema; and its status. */
function checked(folder: Folder, ...argv: string[]): Checked & { status: number; error: string } {
  const { out, status, error } = folder.run('baseline', 'check', '--format', 'json', ...argv);
  const report = JSON.parse(out) as Checked;
  assert.deepEqual(violations(schema('baseline-check'), report), []);
  return { ...report, status, error };
}
const statuses = ({ functions }: Checked): string[] =>
  functions.map(({ name, status }) => `${name} ${status}`);

describe('spillway baseline write', () => {
  it('keeps the figures of each function in a sorted file that follows its schema', () => {
    const folder = new Folder({
      'b/z.toy': kernel('z', 2),
      'a.toy': kernel('k', 5),
      'b/y.toy': kernel('y', 3),
    });
    const { status, out, error } = folder.run('baseline', 'write', 'b/z.toy', 'b/y.toy', 'a.toy');
    assert.deepEqual([status, out], [0, '']);
    assert.match(error, /^spillway-baseline\.json: 3 functions of 3 files\n$/);
    const value = JSON.parse(folder.text(FILE)) as Record<string, unknown>;
    assert.deepEqual(violations(schema('baseline'), value), []);
    assert.deepEqual([value['version'], value['spillway']], [1, version]);
    assert.deepEqual(named(folder), ['a.toy k 5', 'b/y.toy y 3', 'b/z.toy z 2']);
    for (const [k, v] of Object.entries(entry()))
      assert.deepEqual((written(folder)[0] as unknown as Record<string, unknown>)[k], v, k);
  });

  it('says every figure and its model in two lines a function, so that reviewers see which one changed', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 5), 'b.toy': kernel('l', 3) });
    folder.run('baseline', 'write', 'a.toy', 'b.toy');
    const before = folder.text(FILE).split('\n');
    folder.put('b.toy', kernel('l', 4)).run('baseline', 'write', 'b.toy');
    const after = folder.text(FILE).split('\n');
    assert.equal(before.length, after.length);
    assert.equal(before.filter((line, i) => line !== after[i]).length, 1);
  });

  it('takes folders, and without files those that it knows', () => {
    const folder = new Folder({
      'k/a.toy': kernel('k', 5),
      'k/in/b.toy': kernel('l', 3),
      'k/notes.txt': 'no IR',
    });
    assert.equal(folder.run('baseline', 'write', 'k').status, 0);
    assert.deepEqual(named(folder), ['k/a.toy k 5', 'k/in/b.toy l 3']);
    folder.put('k/a.toy', kernel('k', 6));
    assert.equal(folder.run('baseline', 'write').status, 0);
    assert.deepEqual(named(folder), ['k/a.toy k 6', 'k/in/b.toy l 3']);
    const { status, error } = new Folder({ 'k/notes.txt': '' }).run('baseline', 'write', 'k');
    assert.equal(status, 2);
    assert.match(error, /k holds no file that is called \*\.toy/);
  });

  it('merges: of the files given everything is replaced, of others nothing, of files that are gone nothing stays', () => {
    const folder = new Folder({
      'a.toy': kernel('k', 5) + kernel('old', 2),
      'b.toy': kernel('l', 3),
      'c.toy': kernel('m', 3),
    });
    folder.run('baseline', 'write', 'a.toy', 'b.toy', 'c.toy');
    folder
      .put('a.toy', kernel('k', 4) + kernel('new', 1))
      .put('b.toy', kernel('l', 7))
      .remove('c.toy');
    folder.run('baseline', 'write', 'a.toy');
    assert.deepEqual(named(folder), ['a.toy k 4', 'a.toy new 1', 'b.toy l 3']);
  });

  it('merges one function alone with --function', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 5) + kernel('l', 2) });
    folder.run('baseline', 'write', 'a.toy');
    folder.put('a.toy', kernel('k', 6) + kernel('l', 3));
    assert.equal(folder.run('baseline', 'write', 'a.toy', '--function', 'l').status, 0);
    assert.deepEqual(named(folder), ['a.toy k 5', 'a.toy l 3']);
    assert.equal(folder.run('baseline', 'write', 'a.toy', '--function', 'none').status, 2);
  });

  it('names files from its own folder, with / whatever the system', () => {
    const folder = new Folder({ 'src/a.toy': kernel('k', 5) });
    folder.run('baseline', 'write', './src/../src/a.toy', 'src/a.toy', '--baseline', 'ci/figures.json');
    assert.deepEqual(
      written(folder, 'ci/figures.json').map(({ file }) => file),
      ['../src/a.toy'],
    );
    assert.equal(folder.run('baseline', 'check', '--baseline', 'ci/figures.json').status, 0);
    assert.equal(nameFrom('C:\\work\\ci', 'C:\\work\\src\\a.toy', nodePath.win32), '../src/a.toy');
    assert.equal(nameFrom('C:\\work', 'D:\\src\\a.toy', nodePath.win32), 'D:/src/a.toy');
  });

  it('numbers functions of one name in a file; the same name in two files needs no number', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 2) + kernel('k', 3), 'b.toy': kernel('k', 4) });
    folder.run('baseline', 'write', 'a.toy', 'b.toy');
    assert.deepEqual(named(folder), ['a.toy k 2', 'a.toy k2 3', 'b.toy k 4']);
  });

  it('writes only what has changed', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 5) });
    folder.run('baseline', 'write', 'a.toy');
    assert.match(folder.run('baseline', 'write', 'a.toy').error, /, as before/);
    assert.equal(folder.writes, 1);
  });

  it('leaves the file as it was when one cannot be read: status 2', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 5) });
    const { status, error } = folder.run('baseline', 'write', 'a.toy', 'none.toy');
    assert.equal(status, 2);
    assert.match(error, /none\.toy: there is no such file[^]*is left as it was/);
    assert.equal(folder.writes, 0);
  });

  it('ends with 1 where a function has an error, which is kept with it', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 5).replace('[r0]', '[nowhere]') });
    const { status, error } = folder.run('baseline', 'write', 'a.toy');
    assert.equal(status, 1);
    assert.match(error, /a\.toy: 1 error;/);
    assert.deepEqual(
      written(folder).map(({ errors }) => errors),
      [1],
    );
    assert.deepEqual(violations(schema('baseline'), JSON.parse(folder.text(FILE))), []);
  });

  it('does not mix figures of two versions of Spillway', () => {
    const old = baseline([entry(), entry({ file: 'b.toy' })], { spillway: '0.0.1' });
    const folder = new Folder({ 'a.toy': kernel('k', 5), 'b.toy': kernel('k', 5), [FILE]: old });
    const { status, error } = folder.run('baseline', 'write', 'a.toy');
    assert.equal(status, 2);
    assert.match(error, /Spillway 0\.0\.1 made, this is .*'spillway baseline write' without files/);
    assert.equal(folder.run('baseline', 'write').status, 0);
    assert.equal((JSON.parse(folder.text(FILE)) as { spillway: string }).spillway, version);
  });

  it('writes beside the file and renames: a link stays one, the mode too, and nothing is left behind', () => {
    const folder = mkdtempSync(join(tmpdir(), 'spillway-baseline-'));
    try {
      writeFileSync(join(folder, 'real.json'), 'old', { mode: 0o640 });
      symlinkSync('real.json', join(folder, 'link.json'));
      processDisk.write(join(folder, 'link.json'), 'new');
      assert.equal(readFileSync(join(folder, 'real.json'), 'utf8'), 'new');
      assert.equal(statSync(join(folder, 'real.json')).mode & 0o777, 0o640);
      assert.ok(lstatSync(join(folder, 'link.json')).isSymbolicLink());
      assert.deepEqual(readdirSync(folder).sort(), ['link.json', 'real.json']);
      assert.throws(() => processDisk.write(join(folder, 'none', 'a.json'), ''));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('spillway baseline check', () => {
  const at = (live: number, known: object = entry()): Folder =>
    new Folder({ 'a.toy': kernel('k', live), [FILE]: baseline([known]) });

  it('passes where nothing has changed, with files, a folder, or none given', () => {
    for (const files of [['a.toy'], ['.'], []]) {
      const { status, out, error } = at(5).run('baseline', 'check', ...files);
      assert.deepEqual([status, error], [0, '']);
      assert.equal(out, '1 function compared with spillway-baseline.json: 1 the same; the gate passes\n');
    }
  });

  it('fails on one register more and on fewer warps, and says where, what and by how much', () => {
    const { status, out, error } = at(6).run('baseline', 'check', 'a.toy');
    assert.equal(status, 1);
    assert.match(out, /^worse +a\.toy:1: k \(toy machine, limit 8\)$/m);
    assert.match(out, /^ +registers 5 → 6 \(\+1, \+20%\): worse, allowed 0$/m);
    assert.match(out, /^ +warps 6 → 5 \(-1, -16\.67%\): worse, allowed 0$/m);
    assert.match(out, /1 worse than allowed; the gate fails\n$/);
    assert.match(error, /'spillway baseline write a\.toy' keeps the figures as they are now/);
  });

  it('fails on a new spill even if nothing else is worse', () => {
    // nine values in eight registers: two are spilled, each stored once and reloaded twice at most
    const known = entry({ registers: 8, occupancy: 4 });
    const report = checked(at(9, known));
    assert.equal(report.status, 1);
    assert.deepEqual(
      report.functions[0].changes.map(({ metric, verdict }) => [metric, verdict]),
      [['spills', 'worse']],
    );
  });

  it('passes what is better, and says that the baseline can be written again', () => {
    const { status, out, error } = at(4).run('baseline', 'check', 'a.toy');
    assert.equal(status, 0);
    assert.match(out, /^better +a\.toy:1: k/m);
    assert.match(out, /warps 6 → 8 \(\+2, \+33\.33%\): better/);
    assert.match(error, /baseline write/);
  });

  it('--allow: so many, a share, any; repeated or with commas; in camel or kebab case', () => {
    const allowed: readonly (readonly [string[], number])[] = [
      [['--allow', 'registers=1', '--allow', 'occupancy=1'], 0],
      [['--allow', 'registers=1,occupancy=1'], 0],
      [['--allow', 'registers=20%, occupancy=17%'], 0],
      [['--allow', 'registers=19%,occupancy=17%'], 1],
      [['--allow', 'registers=20%,occupancy=16.6%'], 1],
      [['--allow', 'registers=0.5,occupancy=any'], 1],
      [['--allow', 'registers=any,occupancy=any'], 0],
      [['--allow', 'registers=1'], 1],
      [['--allow', 'registers=1,occupancy=1,spill-bytes=3,spillBytes=4'], 0],
    ];
    for (const [argv, status] of allowed)
      assert.equal(at(6).run('baseline', 'check', ...argv).status, status, argv.join(' '));
    // a share of nothing is nothing
    assert.equal(
      at(9, entry({ registers: 8, occupancy: 4 })).run('baseline', 'check', '--allow', 'spills=500%').status,
      1,
    );
  });

  it('--allow holds builds to figures that no gate looks at otherwise', () => {
    const known = entry({ cycles: 30, 'registers.predicate': 0 });
    const { out, status } = at(5, known).run('baseline', 'check'); // 31 cycles
    assert.equal(status, 0);
    assert.match(out, /^allowed .*\n +cycles 30 → 31 \(\+1, \+3\.33%\): worse\n/m);
    assert.equal(at(5, known).run('baseline', 'check', '--allow', 'cycles=0').status, 1);
    assert.equal(at(5, known).run('baseline', 'check', '--allow', 'cycles=4%').status, 0);
    assert.equal(at(5, known).run('baseline', 'check', '--allow', 'registers.predicate=0').status, 0);
  });

  it('what is unknown on one side is never taken for zero', () => {
    // the baseline says nothing of spills; of words the toy machine has none
    const silent = { ...entry({ registers: 8, occupancy: 4, words: 3 }), spills: undefined };
    const report = checked(at(9, silent));
    assert.equal(report.status, 0);
    assert.deepEqual(report.functions, []);
  });

  it('new and vanished functions are told, and fail with --strict only', () => {
    const folder = new Folder({ 'a.toy': kernel('fresh', 3), [FILE]: baseline([entry()]) });
    const report = checked(folder);
    assert.deepEqual([statuses(report), report.status], [['fresh new', 'k gone'], 0]);
    assert.equal(folder.run('baseline', 'check', '--strict').status, 1);
    assert.match(
      folder.run('baseline', 'check').out,
      /^new .*a\.toy:1: fresh .*\n +3 registers, 0 spilled, 8 warps\n/m,
    );
  });

  it('a file that is gone from the disk has gone; one that is not given is not looked at', () => {
    const folder = new Folder({
      'a.toy': kernel('k', 5),
      'b.toy': kernel('l', 8),
      [FILE]: baseline([entry(), entry({ file: 'b.toy', name: 'l' }), entry({ file: 'c.toy', name: 'm' })]),
    });
    const report = checked(folder, 'a.toy');
    assert.deepEqual([statuses(report), report.counts['notChecked'], report.status], [['m gone'], 1, 0]);
    assert.deepEqual(statuses(checked(folder)), ['l worse', 'm gone']);
  });

  it('a renamed file is found again, with what has got worse in it', () => {
    const known = baseline([entry(), entry({ name: 'l', registers: 3, occupancy: 8 })]);
    const folder = new Folder({ 'new/b.toy': kernel('k', 6) + kernel('l', 3), [FILE]: known });
    const report = checked(folder, 'new');
    assert.deepEqual(statuses(report), ['k worse', 'l same']);
    assert.deepEqual(report.functions[0].before, { file: 'a.toy' });
    assert.match(
      folder.run('baseline', 'check', 'new').out,
      /^moved +new\/b\.toy:\d+: l .*\n +in a\.toy in the baseline/m,
    );
  });

  it('two files that could both be the renamed one are new', () => {
    const folder = new Folder({
      'b.toy': kernel('k', 5),
      'c.toy': kernel('k', 5),
      [FILE]: baseline([entry()]),
    });
    assert.deepEqual(statuses(checked(folder, '.')), ['k new', 'k new', 'k gone']);
  });

  it('a function of a file that is still there does not go to another file', () => {
    const known = baseline([entry(), entry({ name: 'l', registers: 3, occupancy: 8 })]);
    const folder = new Folder({ 'a.toy': kernel('l', 3), 'b.toy': kernel('k', 5), [FILE]: known });
    assert.deepEqual(statuses(checked(folder, '.')), ['k new', 'k gone']);
  });

  it('functions of one name are compared by their number', () => {
    // the first kernel takes nine lines
    const known = baseline([
      entry({ registers: 2, occupancy: 8 }),
      entry({ nth: 2, registers: 3, occupancy: 8 }),
    ]);
    const folder = new Folder({ 'a.toy': kernel('k', 2) + kernel('k', 4), [FILE]: known });
    const report = checked(folder);
    assert.deepEqual(
      report.functions.map(({ line, changes }) => [
        line,
        changes.map(({ before, after }) => [before, after]),
      ]),
      [[10, [[3, 4]]]],
    );
    assert.match(folder.run('baseline', 'check').out, /: k \(2nd\) \(/);
  });

  it('what is compiled for another architecture is not judged, unless --strict', () => {
    const known = baseline([entry({ target: 'toy-machine toy-0', registers: 1 })]);
    const folder = new Folder({ 'a.toy': kernel('k', 5), [FILE]: known });
    const report = checked(folder);
    assert.deepEqual([statuses(report), report.status], [['k retargeted'], 0]);
    assert.equal(folder.run('baseline', 'check', '--strict').status, 1);
    assert.match(
      folder.run('baseline', 'check').out,
      /for toy-machine toy-0 in the baseline, now for toy-machine toy-1/,
    );
  });

  it('with an option of the machine, what was kept for other machines is not looked at and stays', () => {
    const known = baseline([entry({ target: 'toy-machine toy-0' }), entry()]);
    const folder = new Folder({ 'a.toy': kernel('k', 5), [FILE]: known });
    const report = checked(folder, 'a.toy', '--registers', '8');
    assert.deepEqual([report.functions, report.counts['notChecked'], report.status], [[], 1, 0]);
    folder.run('baseline', 'write', 'a.toy', '--registers', '8');
    assert.deepEqual(
      written(folder).map(({ target }) => target),
      ['toy-machine toy-0', 'toy-machine toy-1'],
    );
    folder.run('baseline', 'write', 'a.toy');
    assert.equal(written(folder).length, 1);
  });

  it('another limit shows in the model', () => {
    const { out, status } = at(5).run('baseline', 'check', '--registers', '4');
    assert.equal(status, 1);
    assert.match(out, /k \(toy machine, limit 8 → toy machine, limit 4\)/);
    assert.match(out, /spilled registers 0 → \d+ \(\+\d+\): worse, allowed 0/);
  });

  it('a function with an error, now or then, is not compared; an error now ends with 1', () => {
    const broken = kernel('k', 6).replace('[r0]', '[nowhere]');
    const now = new Folder({ 'a.toy': broken, [FILE]: baseline([entry()]) });
    const report = checked(now);
    assert.deepEqual([statuses(report), report.passed, report.status], [['k faulty'], false, 1]);
    assert.match(report.error, /a\.toy: 1 error/);
    const then = checked(at(6, entry({ errors: 2 })));
    assert.deepEqual([statuses(then), then.status], [['k faulty'], 0]);
  });

  it('a file that cannot be read ends with 2, after the report on the others', () => {
    const { status, out, error } = at(5).run('baseline', 'check', 'a.toy', 'none.toy');
    assert.equal(status, 2);
    assert.match(out, /1 function compared .*the gate fails/);
    assert.match(error, /none\.toy: there is no such file/);
  });

  it('counts as large as numbers get', () => {
    const huge = Number.MAX_SAFE_INTEGER;
    assert.equal(at(5, entry({ cycles: huge })).run('baseline', 'check', '--allow', 'cycles=0').status, 0);
    assert.equal(at(5, entry({ occupancy: huge })).run('baseline', 'check').status, 1);
  });

  it('reads a baseline whatever its line ends, byte order mark, form, and notes beside its functions', () => {
    const known = JSON.stringify(JSON.parse(baseline([entry()], { note: ['x'] })), undefined, 4);
    for (const text of [known, known.replaceAll('\n', '\r\n'), `\ufeff${known}`])
      assert.equal(new Folder({ 'a.toy': kernel('k', 5), [FILE]: text }).run('baseline', 'check').status, 0);
  });

  it('an empty baseline makes everything new; no functions at all pass', () => {
    const empty = baseline([]);
    assert.deepEqual(statuses(checked(new Folder({ 'a.toy': kernel('k', 5), [FILE]: empty }), 'a.toy')), [
      'k new',
    ]);
    const { status, out } = new Folder({ [FILE]: empty }).run('baseline', 'check');
    assert.deepEqual(
      [status, out],
      [0, '0 functions compared with spillway-baseline.json; the gate passes\n'],
    );
  });

  it('what is no baseline of this version: status 2, nothing on standard output, and a way out', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['', /is not JSON/],
      [
        '{',
        /is not JSON: .*'spillway baseline write --baseline spillway-baseline\.json FILE\.\.\.' makes it anew/,
      ],
      [`<<<<<<< ours\n${baseline([])}\n=======\n>>>>>>> theirs\n`, /marks of a merge/],
      ['[]', /is no baseline/],
      ['{"version": 1, "functions": []}', /has no "kind"/],
      [
        baseline([], { version: 2 }),
        /is a baseline of format 2, which this Spillway .* does not know, only 1/,
      ],
      [baseline([], { version: undefined }), /format undefined/],
      [
        baseline([entry()], { spillway: '9.9.9' }),
        /was written by Spillway 9\.9\.9, this is .*baseline write/,
      ],
      [
        baseline([entry({ registers: '5' })]),
        /functions\[0\] is wrong: 'registers' is "5"; it must be a number/,
      ],
      [baseline([entry({ regsters: 5 })]), /functions\[0\] has "regsters", which is no figure/],
      [baseline([entry({ registers: null })]), /'registers' is null/],
      [baseline([entry({ registers: -1 })]), /it must be a number, 0 or more/],
      [baseline([entry({ name: 7 })]), /functions\[0\] has no name/],
      [baseline([entry({ nth: 0 })]), /functions\[0\] has nth 0/],
      [baseline([7 as unknown as object]), /functions\[0\] is no object/],
      [baseline([entry(), entry()]), /functions\[1\] is 'k' of a\.toy for toy-machine toy-1 once more/],
    ];
    for (const [text, message] of cases) {
      const { status, out, error } = new Folder({ 'a.toy': kernel('k', 5), [FILE]: text }).run(
        'baseline',
        'check',
      );
      assert.deepEqual([status, out], [2, ''], text);
      assert.match(error, message);
      if (text !== '') assert.match(error, /baseline write/);
    }
  });

  it('wrong usage: status 2 and what there is', () => {
    const cases: readonly (readonly [string[], RegExp])[] = [
      [['baseline'], /baseline needs 'write' or 'check': 'spillway baseline write kernels\/'/],
      [['baseline', 'a.toy'], /baseline needs 'write' or 'check' before a\.toy/],
      [
        ['baseline', 'check', '--baseline', 'b.json'],
        /there is no b\.json; 'spillway baseline write FILE\.\.\.' makes one/,
      ],
      [['baseline', 'check', '--baseline', 'in'], /in: it is a directory; --baseline takes one JSON file/],
      [['baseline', 'write', '--baseline', 'b.json'], /needs a file or a folder, as there is no b\.json yet/],
      [['baseline', 'write', '-', '--language', 'toy'], /standard input has no name/],
      [
        ['baseline', 'check', '--format', 'csv'],
        /--format is 'csv'; baseline check has text, json, md, sarif, github/,
      ],
      [['baseline', 'write', 'a.toy', '--format', 'json'], /--format is an option of baseline check/],
      [['baseline', 'write', 'a.toy', '--strict'], /--allow and --strict are options of baseline check/],
      [
        ['baseline', 'check', '--allow', 'registers'],
        /--allow is 'registers'; it must be a metric and how much worse/,
      ],
      [
        ['baseline', 'check', '--allow', 'register=1'],
        /names 'register'; there is spills, .*registers\.CLASS \(registers\?\)/,
      ],
      [['baseline', 'check', '--allow', 'registers=-1'], /--allow registers is '-1'; it must be a number/],
      [['baseline', 'check', '--allow', 'registers='], /--allow registers is ''/],
      [['baseline', 'check', '--allow', 'constructor=1'], /names 'constructor'/],
      [
        ['stats', 'a.toy', '--strict'],
        /--baseline, --allow and --strict are options of baseline, not of stats/,
      ],
      [['stats', 'a.toy', '--allow', 'x=1'], /are options of baseline/],
    ];
    for (const [argv, message] of cases) {
      const folder = new Folder({ 'a.toy': kernel('k', 5), [FILE]: baseline([entry()]), 'in/x.txt': '' });
      const { status, out, error } = folder.run(...argv);
      assert.deepEqual([status, out], [2, ''], argv.join(' '));
      assert.match(error, message);
    }
  });
});

describe('spillway baseline check, formats', () => {
  const folder = (): Folder => {
    const made = new Folder({
      'k/a.toy': kernel('k', 5),
      'k/b.toy': kernel('same', 2),
      'k/c.toy': kernel('better', 5),
      'k/d.toy': kernel('gone', 1),
    });
    made.run('baseline', 'write', 'k');
    return made
      .put('k/a.toy', `# moved down\n${kernel('k', 6)}`)
      .put('k/c.toy', kernel('better', 4))
      .put('k/d.toy', kernel('fresh', 1));
  };

  it('github: an error at the function for each figure that is worse, and where the baseline has what is gone', () => {
    const { out, status } = folder().run('baseline', 'check', 'k', '--format', 'github');
    assert.equal(status, 1);
    assert.match(
      out,
      /^::error file=k\/a\.toy,line=2,title=baseline\/registers::k \(toy machine, limit 8\): registers 5 → 6 \(\+1, \+20%25\): worse, allowed 0$/m,
    );
    assert.match(out, /^::error file=k\/a\.toy,line=2,title=baseline\/occupancy::/m);
    assert.match(out, /^::notice file=k\/c\.toy,line=1,title=baseline\/better::/m);
    assert.match(out, /^::notice file=k\/d\.toy,line=1,title=baseline\/new::/m);
    const [, line] =
      /^::warning file=spillway-baseline\.json,line=(\d+),title=baseline\/gone::/m.exec(out) ?? [];
    assert.match(folder().text(FILE).split('\n')[Number(line) - 1], /"name": "gone"/);
    assert.ok(!out.includes('same'));
  });

  it('sarif: the same as results of a run', () => {
    const { out } = folder().run('baseline', 'check', 'k', '--format', 'sarif');
    interface Result {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly locations: readonly {
        physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } };
      }[];
    }
    const log = JSON.parse(out) as {
      version: string;
      runs: { tool: { driver: { rules: { id: string }[] } }; results: Result[] }[];
    };
    assert.equal(log.version, '2.1.0');
    const [{ tool, results }] = log.runs;
    for (const { ruleId, ruleIndex } of results) assert.equal(tool.driver.rules[ruleIndex].id, ruleId);
    assert.deepEqual(
      results
        .filter(({ level }) => level === 'error')
        .map(({ ruleId, locations: [{ physicalLocation: at }] }) => [
          ruleId,
          at.artifactLocation.uri,
          at.region.startLine,
        ]),
      [
        ['baseline/occupancy', 'k/a.toy', 2],
        ['baseline/registers', 'k/a.toy', 2],
      ],
    );
    assert.deepEqual(results.map(({ level }) => level).sort(), ['error', 'error', 'note', 'note', 'warning']);
  });

  it('md: a table with a row a figure', () => {
    const { out } = folder().run('baseline', 'check', 'k', '--format', 'md');
    assert.match(out, /^### Spillway: the gate fails\n\n\|/);
    assert.match(
      out,
      /^\| worse \| k\/a\.toy:2 \| k \| registers 5 → 6 \(\+1, \+20%\) \| toy machine, limit 8 \|$/m,
    );
    const widths = out
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.split('|').length);
    assert.equal(new Set(widths).size, 1);
  });

  it('json and what machines read is alone on standard output', () => {
    for (const format of ['json', 'sarif', 'github', 'md'])
      assert.equal(folder().run('baseline', 'check', 'k', '--format', format).error, '');
  });
});

describe('spillway baseline on the examples', () => {
  it('holds functions of every language to their own figures, and to themselves it is true', function () {
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'spillway-baseline-'));
    try {
      const path = join(folder, 'figures.json');
      const examples = ['saxpy.ptx', 'spill.ptx', 'fog.gpir', 'saxpy.gen', 'mirror.gen'].map((name) =>
        join(root, 'examples', name),
      );
      let out = '';
      const io = { ...processIo, out: (text: string) => void (out += text), error: () => undefined };
      const run = (...argv: string[]): number =>
        runNow(['baseline', ...argv, '--baseline', path], io, registry);
      assert.equal(run('write', ...examples), 0);
      const value = JSON.parse(readFileSync(path, 'utf8')) as { functions: Record<string, unknown>[] };
      assert.deepEqual(violations(schema('baseline'), value), []);
      const of = (name: string, target: string): Record<string, unknown> =>
        value.functions.find((f) => f['name'] === name && String(f['target']).startsWith(target)) ?? {};
      assert.equal(of('mirror', 'gen')['width'], 8);
      assert.equal(of('saxpy', 'gen')['width'], 16);
      assert.equal(typeof of('fog', 'mali-gp')['words'], 'number');
      assert.ok(!('occupancy' in of('fog', 'mali-gp')));
      assert.ok(Number(of('keep_over_barrier', 'nvidia')['spills']) > 0);
      assert.equal(run('check', ...examples), 0);
      assert.match(out, /the gate passes/);
      // the source of the spilling kernel asks for a limit of 24, that of the other for none
      const tight = ['check', examples[0], '--max-registers', '24'];
      assert.equal(run(...tight), 0);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/("spills": )[1-9]\d*/g, '$10'));
      assert.equal(run('check', examples[1]), 1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
