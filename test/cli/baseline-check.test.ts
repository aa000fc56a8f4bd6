import assert from 'node:assert/strict';
import { FILE, at, baseline, checked, entry, statuses } from '../support/baseline.js';
import { Folder, kernel } from '../support/command.js';

describe('spillway baseline check', () => {
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

  it('refuses to hold figures of one limit to those of another', () => {
    const { out, error, status } = at(5).run('baseline', 'check', '--registers', '4');
    assert.equal(status, 2);
    assert.equal(out, '');
    assert.match(error, /has no figures made with --registers 4, only with no such option; without/);
    const wrong = at(5, entry({ options: ['--registers'] })).run('baseline', 'check');
    assert.match(wrong.error, /functions\[0\] has options \["--registers"\]/);
    assert.equal(wrong.status, 2);
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
});
