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
import { nameFrom } from '../../server/src/cli/comparison/sources.js';
import { processDisk } from '../../server/src/cli/disk.js';
import { processIo } from '../../server/src/cli/io.js';
import { registry } from '../../server/src/workspace/registry.js';
import { version } from '../../server/src/workspace/version.js';
import { FILE, baseline, entry, named, root, schema, written } from '../support/baseline.js';
import { Folder, kernel } from '../support/command.js';
import { violations } from '../support/json-schema.js';
import { runNow } from '../support/run-now.js';

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
      const tight = [examples[0], '--max-registers', '24'];
      assert.equal(run('check', ...tight), 2);
      assert.equal(run('write', ...tight), 0);
      assert.deepEqual(violations(schema('baseline'), JSON.parse(readFileSync(path, 'utf8'))), []);
      assert.equal(run('check', ...tight), 0);
      assert.equal(run('check'), 0);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/("spills": )[1-9]\d*/g, '$10'));
      assert.equal(run('check', examples[1]), 1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
