import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { parseArguments } from '../../../server/src/cli/arguments.js';
import { processIo } from '../../../server/src/cli/io.js';
import { partOf } from '../../../server/src/cli/stats.js';
import { grouped, planFor } from '../../../server/src/cli/threads/plan.js';
import { threadsOf } from '../../../server/src/cli/threads/threads.js';
import { registry } from '../../../server/src/workspace/registry.js';
import { commandPath } from '../../support/programs.js';
import { ptxHead } from '../../support/ptx.js';

describe('files shared among threads', () => {
  it('files have two threads while the code is new, and one where it works for long', () => {
    const megabyte = 1_000_000;
    const plan = (megabytes: number, processors: number): string => {
      const { groups, isHalved } = planFor(megabytes * megabyte, processors);
      return `${groups}${isHalved ? ' in halves' : ''}`;
    };
    assert.equal(plan(0, 8), '1');
    assert.equal(plan(0.4, 8), '1', 'a second thread is not worth its start');
    assert.equal(plan(5, 2), '1 in halves');
    assert.equal(plan(30, 2), '2');
    assert.equal(plan(5, 4), '2 in halves');
    assert.equal(plan(5, 1), '1');
    assert.equal(plan(30, 1), '1');
    assert.equal(plan(1, 16), '2 in halves', 'half a megabyte is the least for a group');
    assert.equal(plan(1000, 64), '8');
    assert.equal(plan(100, 64), '8 in halves');
  });

  it('groups are neighbours in order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000)), fc.integer({ min: 1, max: 8 }), (sizes, most) => {
        const files = sizes.map((_, k) => `${k}.ptx`);
        const groups = grouped(files, sizes, most);
        assert.deepEqual(groups.flat(), files);
        assert.ok(groups.length <= most);
      }),
    );
    assert.deepEqual(grouped(['a', 'b', 'c', 'd'], [500, 500, 500, 500], 2), [
      ['a', 'b'],
      ['c', 'd'],
    ]);
    assert.equal(grouped(['a', '-'], [5000, 0], 4).length, 1, 'standard input is for the first thread');
  });

  for (const isHalved of [false, true])
    it(`a thread says what the main one would${isHalved ? ', with one more that compiles' : ''}`, async function () {
      this.timeout(20_000);
      const folder = mkdtempSync(join(tmpdir(), 'spillway-'));
      try {
        const kernel = join(folder, 'k.ptx');
        writeFileSync(
          kernel,
          `${ptxHead}.entry k(.param .u64 p) { .reg .b32 %r<3>; mov.u32 %r1, %tid.x; bad %r1; ret; }\n`,
        );
        const args = parseArguments(['stats', kernel, join(folder, 'missing.ptx')], registry);
        let told = '';
        const io = { ...processIo, error: (text: string) => void (told += text) };
        const here = partOf({ args, io, pairs: registry });
        const there = await threadsOf(pathToFileURL(commandPath)).partOf(args, isHalved);
        assert.equal(here.functions.length, 1);
        assert.match(here.errors, /k\.ptx: 1 error;/);
        assert.match(told, /missing\.ptx: there is no such file/);
        assert.deepEqual(there, { ...here, told });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
});
