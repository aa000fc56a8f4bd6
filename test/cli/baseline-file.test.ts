import assert from 'node:assert/strict';
import { FILE, baseline, checked, entry, statuses } from '../support/baseline.js';
import { Folder, kernel } from '../support/command.js';

describe('spillway baseline: the file and the options', () => {
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
