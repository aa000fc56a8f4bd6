import assert from 'node:assert/strict';
import {
  architectureOf,
  architectures,
  atLeast,
  canRunOn,
  hasSpecific,
  isaVersion,
  isaVersions,
  nearestTarget,
  nearestVersion,
  versionAtLeast,
  versionRank,
} from '../../../../server/src/languages/ptx/isa/versions.js';

describe('ptx isa versions', () => {
  it('compares by number, not by text', () => {
    assert.ok(versionAtLeast('8.0', '7.8'));
    assert.ok(!versionAtLeast('6.5', '7.0'));
    assert.ok(versionAtLeast('10.0', '9.0'));
    assert.ok(!versionAtLeast('', '1.0'));
    assert.ok(Number.isNaN(versionRank('8')));
  });

  it('are in rising order and carry their CUDA release', () => {
    const ranks = isaVersions.map((version) => versionRank(version.name));
    assert.deepEqual(
      ranks,
      ranks.toSorted((a, b) => a - b),
    );
    assert.equal(isaVersion('7.8')?.cuda, '11.8');
    assert.equal(isaVersion('9.1'), undefined);
  });

  it('have a nearest neighbour for one that does not exist', () => {
    assert.equal(nearestVersion('7.9'), '7.8');
    assert.equal(nearestVersion('9.1'), '9.0');
    assert.equal(nearestVersion('6.6'), '6.5');
    assert.equal(nearestVersion('abc'), '9.0');
  });
});

describe('ptx targets', () => {
  it('name versions that exist', () => {
    for (const entry of architectures) assert.ok(isaVersion(entry.isa), entry.name);
  });

  it('order by number, whatever the suffix', () => {
    assert.ok(atLeast('sm_90a', 90));
    assert.ok(atLeast('sm_100f', 90));
    assert.ok(!atLeast('sm_89', 90));
    assert.ok(!atLeast('rubbish', 10));
  });

  it('keep architecture features to one machine and family features to a family', () => {
    assert.ok(hasSpecific('sm_90a', 'sm_90a'));
    assert.ok(!hasSpecific('sm_100a', 'sm_90a'));
    assert.ok(hasSpecific('sm_103a', 'sm_90a sm_100f'));
    assert.ok(hasSpecific('sm_100a', 'sm_100f'));
    assert.ok(!hasSpecific('sm_100', 'sm_100f'));
    assert.ok(!hasSpecific('sm_100f', 'sm_100a'));
    assert.ok(!hasSpecific('sm_100a', 'sm_103f'));
    assert.ok(hasSpecific('sm_101a', 'sm_110f'));
    assert.ok(hasSpecific('sm_121f', 'sm_120f'));
  });

  it('run where ptxas retargets them', () => {
    assert.ok(canRunOn('sm_80', 'sm_121a'));
    assert.ok(canRunOn('sm_100f', 'sm_103'));
    assert.ok(!canRunOn('sm_100f', 'sm_110f'));
    assert.ok(!canRunOn('sm_90a', 'sm_100a'));
    assert.ok(!canRunOn('sm_120f', 'sm_103f'));
  });

  it('suggest a target for a wrong name', () => {
    assert.equal(nearestTarget('sm_71'), 'sm_70');
    assert.equal(nearestTarget('sm_80a'), 'sm_80');
    assert.equal(nearestTarget('compute_90a'), 'sm_90a');
    assert.equal(nearestTarget('sm_8.6'), 'sm_86');
    assert.equal(nearestTarget('SM_75'), 'sm_75');
    assert.equal(nearestTarget('hopper'), 'sm_75');
    assert.equal(nearestTarget('sm_5'), 'sm_10');
    assert.equal(architectureOf('sm_86')?.generation, 'Ampere');
  });
});
