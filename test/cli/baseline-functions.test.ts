import assert from 'node:assert/strict';
import { FILE, baseline, checked, entry, statuses, written } from '../support/baseline.js';
import { Folder, kernel } from '../support/command.js';

describe('spillway baseline check: functions now and then', () => {
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

  it('with options, what was kept with others is not looked at and stays', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 5), [FILE]: baseline([entry()]) });
    assert.equal(folder.run('baseline', 'write', 'a.toy', '--registers', '4').status, 0);
    const options = (): unknown[] => written(folder).map((f) => (f as { options?: object }).options);
    assert.deepEqual(options(), [undefined, { registers: 4 }]);
    const report = checked(folder, 'a.toy', '--registers', '4');
    assert.deepEqual([report.counts['notChecked'], report.status], [1, 0]);
    // one of the two is worse
    folder.put('a.toy', kernel('k', 6));
    assert.equal(folder.run('baseline', 'write', '--registers', '4').status, 0);
    assert.equal(folder.run('baseline', 'check', '--registers', '4').status, 0);
    assert.equal(folder.run('baseline', 'check').status, 1);
  });

  it('without options, each file is compiled as it was for the baseline, a new one as all others', () => {
    const folder = new Folder({ 'a.toy': kernel('k', 5) });
    folder.run('baseline', 'write', 'a.toy', '--registers', '4');
    assert.match(folder.text(FILE), /"options": \{"registers":4\}/);
    const { out, status } = folder.run('baseline', 'check');
    assert.match(out, /1 the same; the gate passes/);
    assert.equal(status, 0);
    folder.put('b.toy', kernel('l', 5));
    folder.run('baseline', 'write', 'a.toy', 'b.toy');
    assert.deepEqual(
      written(folder).map((f) => (f as { model?: string }).model),
      ['toy machine, limit 4', 'toy machine, limit 4'],
    );
  });
});
