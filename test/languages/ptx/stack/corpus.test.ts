import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { frameOf } from '../../../../server/src/languages/ptx/stack/frame.js';
import { LineIndex } from '../../../../server/src/text/line-index.js';
import { corpusOrSkip, filesOf, rowsOf, spread } from '../../../support/corpus.js';
import { bindText } from '../bound.js';
import { compilerOutput } from '../support.js';
import { stackFindings } from './support.js';

/** Findings in compilers' output that were looked at and are right, as `file:line code`, with the reason. */
const judgedTrue: ReadonlyMap<string, string> = new Map();

describe('ptx stack frames of real compilers', function () {
  this.timeout(300_000);

  it('gives no false alarm', function () {
    const alarms: string[] = [];
    for (const { path, text } of spread(compilerOutput(corpusOrSkip(this, 'ptx')), 3, 1)) {
      const lines = LineIndex.of(text);
      for (const { severity, code, message, start, span } of stackFindings(text)) {
        if (severity !== 'error' && severity !== 'warning') continue;
        const place = `${basename(path)}:${lines.lineAt(start + span.start) + 1} ${code}`;
        if (!judgedTrue.has(place)) alarms.push(`${place}: ${message}`);
      }
    }
    assert.deepEqual(alarms, []);
  });

  it("reads GCC's prologues, epilogues and allocations", function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'generated');
    let published = 0;
    let leaves = 0;
    let allocations = 0;
    for (const path of filesOf(folder, '.s').filter((name) => basename(name).startsWith('gcc12_omp')))
      for (const { bound } of bindText(readFileSync(path, 'latin1'))) {
        const frame = frameOf(bound);
        const { soft } = frame ?? {};
        if (frame === undefined || soft === undefined || soft.loads.length === 0) continue;
        const name = frame.function.name;
        // the names that GCC gives say independently what each register holds
        assert.deepEqual(
          [soft.slot?.name, soft.saved?.name, soft.frame?.name, soft.stack?.name],
          ['%sspslot', '%sspprev', '%frame', '%stack'],
          name,
        );
        assert.equal(soft.bytes % 8, 0, name);
        assert.equal(soft.publishes.length > 0, !frame.isLeaf, name);
        if (frame.isLeaf) leaves++;
        else {
          published++;
          const returns = bound.parsed.text.match(/^\s*ret;/gm)?.length ?? 0;
          assert.ok(soft.restores.length >= Math.min(1, returns), name);
        }
        const text = bound.parsed.text.match(/sub\.u64\s+%stack, %stack, %r/g) ?? [];
        assert.equal(frame.dynamic.length, text.length, name);
        allocations += text.length;
        for (const { publishes } of frame.dynamic) assert.ok(publishes.length > 0 || frame.isLeaf, name);
      }
    assert.ok(published > 40 && leaves > 3 && allocations > 5, `${published} ${leaves} ${allocations}`);
  });

  it("gives .local frames the size of ptxas's stack frame", function () {
    const root = corpusOrSkip(this, 'ptx');
    let compared = 0;
    for (const part of ['generated', 'dev']) {
      const measured = new Map<string, number>();
      for (const row of rowsOf(join(root, part, 'ptxas.tsv')))
        // ptxas adds what it spills, and what calls need; 0 says that it keeps the variables in registers
        if (row.cfg === 'def' && Number(row.stack) > 0 && Number(row.spill_store) === 0)
          measured.set(`${row.file} ${row.kernel}`, Number(row.stack));
      for (const path of filesOf(join(root, part), '.ptx')) {
        if (![...measured.keys()].some((key) => key.startsWith(`${basename(path)} `))) continue;
        for (const { bound } of bindText(readFileSync(path, 'latin1'))) {
          const frame = frameOf(bound);
          const stack = measured.get(`${basename(path)} ${frame?.function.name}`);
          if (frame?.function.isEntry !== true || stack === undefined || !frame.isLeaf) continue;
          compared++;
          assert.equal(
            Math.ceil(frame.localBytes / 8) * 8,
            stack,
            `${basename(path)} ${frame.function.name}`,
          );
        }
      }
    }
    assert.ok(compared >= 8, `${compared}`);
  });
});
