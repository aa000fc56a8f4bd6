import assert from 'node:assert/strict';
import { registry } from '../../server/src/workspace/registry.js';
import { version } from '../../server/src/workspace/version.js';
import { Folder, kernel } from '../support/command.js';

const FILE = 'spillway-baseline.json';
const files = { 'a.toy': kernel('k', 5), 'in/b.toy': kernel('b', 4) };

/** The folder with a baseline of both files, and its text. */
function kept(): { folder: Folder; text: string } {
  const folder = new Folder(files);
  assert.equal(folder.run('baseline', 'write', 'a.toy', 'in').status, 0);
  return { folder, text: folder.text(FILE) };
}

describe('a baseline that cannot be read is made anew from the files that it names', () => {
  const { text } = kept();
  const lines = text.split('\n');
  const merged = [
    ...lines.slice(0, 5),
    '<<<<<<< ours',
    ...lines.slice(5, 7),
    '=======',
    lines[5],
    lines[6].replace(/"registers": \d+/, '"registers": 9'),
    '>>>>>>> theirs',
    ...lines.slice(7),
  ].join('\n');
  const broken = {
    'marks of a merge': merged,
    'the end is missing': text.slice(0, text.lastIndexOf('"occupancy"')),
    'a later format': text.replace('"version": 1', '"version": 2'),
    'a wrong figure': text.replace(/"registers": \d+/, '"registers": "many"'),
    'a figure that is none': text.replace('"registers"', '"regsters"'),
  };
  for (const [what, old] of Object.entries(broken))
    it(`${what}: without files`, () => {
      const folder = new Folder({ ...files, [FILE]: old });
      const checked = folder.run('baseline', 'check');
      assert.equal(checked.status, 2);
      assert.match(
        checked.error,
        /'spillway baseline write --baseline spillway-baseline\.json' makes it anew/,
      );
      const made = folder.run('baseline', 'write', '--baseline', FILE);
      assert.equal(made.status, 0, made.error);
      assert.match(made.error, /it is made anew from 2 files/);
      assert.equal(folder.text(FILE), text);
    });

  it('with files: those, and what it names', () => {
    const folder = new Folder({ ...files, 'c.toy': kernel('c', 3), [FILE]: merged });
    const { status, error } = folder.run('baseline', 'write', 'c.toy');
    assert.equal(status, 0, error);
    for (const name of ['a.toy', 'in/b.toy', 'c.toy'])
      assert.ok(folder.text(FILE).includes(`"file": "${name}"`));
  });

  it('files that it names and that are gone are left out', () => {
    const folder = new Folder({ 'a.toy': files['a.toy'], [FILE]: merged });
    assert.match(folder.run('baseline', 'write').error, /made anew from 1 file\n/);
    assert.ok(!folder.text(FILE).includes('b.toy'));
  });

  it('without a name in it, files must be given', () => {
    for (const old of ['', '{', '[]']) {
      const folder = new Folder({ ...files, [FILE]: old });
      const { status, error } = folder.run('baseline', 'write');
      assert.equal(status, 2);
      assert.match(error, /write --baseline spillway-baseline\.json FILE\.\.\.' makes it anew/);
      assert.equal(folder.text(FILE), old);
      assert.equal(folder.run('baseline', 'write', 'a.toy').status, 0);
    }
  });

  it('a file that has never been a baseline is not written over', () => {
    for (const old of ['{"name": "package"}', '# notes', '{']) {
      const folder = new Folder({ ...files, 'other.json': old });
      const { status, error } = folder.run('baseline', 'write', '--baseline', 'other.json', 'a.toy');
      assert.equal(status, 2);
      assert.match(error, /give --baseline the name of a baseline, or of a file that is not there yet/);
      assert.equal(folder.text('other.json'), old);
    }
  });
});

describe('a gate that has looked at nothing fails', () => {
  it('where the baseline is of another folder', () => {
    const { text } = kept();
    const folder = new Folder({ 'other.toy': kernel('other', 5), 'deep/baseline.json': text });
    for (const argv of [['.'], []]) {
      const { status, out, error } = folder.run(
        'baseline',
        'check',
        '--baseline',
        'deep/baseline.json',
        ...argv,
      );
      assert.equal(status, 1);
      assert.match(out, /0 functions compared .*; the gate fails/);
      assert.match(error, /the gate has compared nothing: .* begins with a\.toy, seen from its own folder/);
    }
  });

  it('not where all files have moved', () => {
    const { text } = kept();
    const folder = new Folder({ ...files, 'deep/baseline.json': text });
    const { status, out } = folder.run('baseline', 'check', '--baseline', 'deep/baseline.json', '.');
    assert.equal(status, 0);
    assert.match(out, /2 functions compared .*the gate passes/);
  });

  it('not where a new file alone was to be looked at', () => {
    const { folder } = kept();
    folder.put('fresh.toy', kernel('fresh', 2));
    assert.equal(folder.run('baseline', 'check', 'fresh.toy').status, 0);
  });

  it('paths may begin with ./', () => {
    const { text } = kept();
    const folder = new Folder({ ...files, [FILE]: text.replaceAll('"file": "', '"file": "./') });
    const { status, out } = folder.run('baseline', 'check', '.');
    assert.equal(status, 0);
    assert.match(out, /2 functions compared .*: 2 the same; the gate passes/);
  });
});

it('a command to be copied has words that a shell would take apart in quotes', () => {
  const folder = new Folder({ "k é's.toy": kernel('k', 5) });
  folder.put(
    FILE,
    JSON.stringify({ kind: 'spillway baseline', version: 1, spillway: version, functions: [] }),
  );
  const { error } = folder.run('baseline', 'check', "k é's.toy");
  assert.ok(error.includes(`'spillway baseline write 'k é'\\''s.toy'' keeps`), error);
});

describe('a baseline of two machines', () => {
  const text =
    '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n.visible .entry l() { ret; }\n';
  const entries = (folder: Folder): string[] =>
    (JSON.parse(folder.text(FILE)) as { functions: { name: string; target: string }[] }).functions.map(
      ({ name, target }) => `${name} ${target}`,
    );
  const both = (): Folder => {
    const folder = new Folder({ 'a.ptx': text }, registry);
    assert.equal(folder.run('baseline', 'write', 'a.ptx').status, 0);
    assert.equal(folder.run('baseline', 'write', '--arch', 'sm_90', 'a.ptx').status, 0);
    return folder;
  };

  it('keeps what an option chose the machine of, and compares it without the option too', () => {
    const folder = both();
    const four = ['k nvidia sm_80', 'k nvidia sm_90', 'l nvidia sm_80', 'l nvidia sm_90'];
    assert.deepEqual(entries(folder), four);
    const { status, out } = folder.run('baseline', 'check', '--strict');
    assert.equal(status, 0, out);
    assert.match(out, /4 functions compared .*: 4 the same; the gate passes/);
    for (const argv of [[], ['a.ptx'], ['--function', 'k', 'a.ptx']]) {
      assert.equal(folder.run('baseline', 'write', ...argv).status, 0);
      assert.deepEqual(entries(folder), four);
    }
  });

  it('misses a function that is gone for all of them', () => {
    const folder = both();
    folder.put('a.ptx', text.replace('.visible .entry l() { ret; }', ''));
    const { status, out } = folder.run('baseline', 'check', '--strict');
    assert.equal(status, 1);
    assert.match(out, /2 functions compared .*: 2 the same, 2 gone; the gate fails/);
  });

  it('takes another .target in the source for another machine of the same function', () => {
    const folder = new Folder({ 'a.ptx': text }, registry);
    folder.run('baseline', 'write', 'a.ptx');
    folder.put('a.ptx', text.replace('sm_80', 'sm_90'));
    assert.match(folder.run('baseline', 'check').out, /2 functions compared .*2 for another target/);
  });
});

it('functions of one name: when one is deleted, the others are found by their figures', () => {
  const folder = new Folder({ 'a.toy': `${kernel('p', 5)}\n${kernel('p', 3)}` });
  folder.run('baseline', 'write', 'a.toy');
  // the toy language takes the second one for an error, others do not
  folder.put(FILE, folder.text(FILE).replace('"errors": 1, ', ''));
  folder.put('a.toy', kernel('p', 3));
  const { status, out } = folder.run('baseline', 'check');
  assert.equal(status, 0, out);
  assert.match(out, /1 function compared .*: 1 the same, 1 gone; the gate passes/);
});

it('standard input and output keep no baseline', () => {
  const { status, error } = new Folder(files).run('baseline', 'write', '--baseline', '-', 'a.toy');
  assert.equal(status, 2);
  assert.match(error, /--baseline takes a file/);
});
