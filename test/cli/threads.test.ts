import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { parseArguments } from '../../server/src/cli/arguments.js';
import { processIo } from '../../server/src/cli/io.js';
import { partOf } from '../../server/src/cli/stats.js';
import { grouped, threadsFor, threadsOf } from '../../server/src/cli/threads.js';
import { registry } from '../../server/src/workspace/registry.js';
import { commandPath } from '../support/programs.js';
import { ptxHead } from '../support/ptx.js';

describe('files shared among threads', () => {
  it('a thread has two processors while its code is new, and one where it works for long', () => {
    const megabyte = 1_000_000;
    assert.equal(threadsFor(0, 8), 1);
    assert.equal(threadsFor(5 * megabyte, 2), 1);
    assert.equal(threadsFor(30 * megabyte, 2), 2);
    assert.equal(threadsFor(5 * megabyte, 4), 2);
    assert.equal(threadsFor(5 * megabyte, 1), 1);
    assert.equal(threadsFor(megabyte, 16), 2, 'half a megabyte is the least for a thread');
    assert.equal(threadsFor(1000 * megabyte, 64), 8);
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

  it('a thread says what the main one would', async function () {
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
      const there = await threadsOf(pathToFileURL(commandPath)).partOf(args);
      assert.equal(here.functions.length, 1);
      assert.match(here.errors, /k\.ptx: 1 error;/);
      assert.match(told, /missing\.ptx: there is no such file/);
      assert.deepEqual(there, { ...here, told });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
