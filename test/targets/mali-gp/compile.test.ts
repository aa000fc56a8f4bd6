import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NETWORK_VALUES } from '../../../server/src/targets/mali-gp/compilation.js';
import { limitProblems } from '../../../server/src/targets/mali-gp/problems/limits.js';
import { maliGp, type GpCompilation } from '../../../server/src/targets/mali-gp/index.js';
import { statsOf } from '../../../server/src/targets/mali-gp/stats.js';
import type { Unit, Word } from '../../../server/src/targets/mali-gp/word.js';
import { runs } from '../../support/fuzz.js';
import { compileGpir, improved } from '../../support/gpir-compile.js';
import { gpirPrograms } from '../../support/random-gpir.js';

/** With at least one instruction. */
const programs = gpirPrograms().filter((text) => text.trim().includes('\n'));

/** Results in flight after word `w`, counted the slow way: each one that some later word of its block reads. */
function inFlight(words: readonly Word[], w: number): number {
  let found = 0;
  for (const made of [w - 1, w])
    for (let unit = 0; unit < 6; unit++) {
      const isRead = words.some(
        ({ units }, reader) =>
          reader > w &&
          units.some((work) =>
            work?.sources.some(
              (source) =>
                source.from === 'unit' && source.unit === (unit as Unit) && reader - source.distance === made,
            ),
          ),
      );
      if (made >= 0 && isRead) found++;
    }
  return found;
}

function checkFigures(c: GpCompilation): void {
  const { stats, code, blocks, occupancy, sites } = c;
  assert.equal(stats.cycles, code.words.length);
  assert.equal(
    stats.more?.['bound'],
    blocks.reduce((sum, { bound }) => sum + bound.words, 0),
  );
  const counted = blocks.flatMap(({ schedule }) => schedule.words.map((_, w) => inFlight(schedule.words, w)));
  assert.deepEqual([...occupancy.values], counted);
  assert.ok(counted.every((n) => n <= NETWORK_VALUES));
  assert.equal(c.asCompiled.peak[0], Math.max(0, ...counted));
  assert.equal(c.asCompiled.peak[0], Math.max(0, ...c.asCompiled.during[0]));
  // every unit that works for a node is at home with that node's instruction
  for (const { schedule, start } of blocks)
    schedule.words.forEach(({ units }, w) => {
      units.forEach((work, unit) => {
        if (work === undefined || work.node < 0 || work.purpose === 'address') return;
        const mine = sites.ofInstruction[c.graph.nodes[work.node].instruction];
        const slot = ['mul0', 'mul1', 'add0', 'add1', 'pass', 'complex'][unit];
        assert.ok(
          mine.some((site) => site.word === start + w && site.slot === slot),
          `word ${start + w} ${slot}`,
        );
      });
    });
  const idle = blocks.flatMap(({ schedule }) => schedule.words).filter(isIdle).length;
  assert.equal(stats.stallCycles, idle);
  assert.equal(
    c.stalls.reduce((sum, { cycles }) => sum + cycles, 0),
    idle,
    'every idle word is explained',
  );
  for (const { storeWord, readWords } of c.kept) assert.ok(readWords.every((w) => w >= storeWord + 3));
}

/** Nothing computed, stored, branched on or addressed. */
const isIdle = ({ units, xy, zw, branch }: Word): boolean =>
  xy === undefined &&
  zw === undefined &&
  branch === undefined &&
  units.every((work) => work === undefined || work.purpose === 'move' || work.purpose === 'load');

describe('compiling gpir', () => {
  it('reports figures that the words bear out, of quick programs and of better ones', () => {
    fc.assert(
      fc.property(programs, (text) => {
        const quick = compileGpir(text);
        checkFigures(quick);
        const better = improved(quick);
        if (better !== quick) checkFigures(better);
        assert.ok(better.code.words.length <= quick.code.words.length);
      }),
      { numRuns: runs(60) },
    );
  });

  it('is pure: the same text gives the same words, and the same better ones', () => {
    fc.assert(
      fc.property(programs, (text) => {
        const [a, b] = [compileGpir(text), compileGpir(text)];
        assert.deepEqual(a.code, b.code);
        assert.deepEqual(a.problems, b.problems);
        assert.deepEqual(improved(a).code, improved(b).code);
        assert.deepEqual(a.code, compileGpir(text).code, 'a search leaves the quick one alone');
      }),
      { numRuns: runs(12) },
    );
  });

  it('keeps the first answer when little effort is asked for', () => {
    const quick = compileGpir('  %r = rcp a0.x\n  st_var v0.x, %r\n', { effort: 'quick' });
    assert.equal(improved(quick), quick);
  });

  it('names what became of each value', () => {
    const c = compileGpir(`
.program p
  %x = ld_att a0.x
  %n = neg %x
  %s = mul %n, u0.x
  %unused = mul %s, u0.y
  st_reg @kept, %s
  branch_cond far, a0.y
  st_var v0.x, 1
far:
  %k = ld_reg @kept
  %t = add %k, %x
  st_var v0.y, %t
`);
    const placeOf = (name: string) => c.placements[c.source.registerNames.indexOf(name)];
    assert.equal(placeOf('%x').kind, 'recomputed', 'an attribute is loaded where it is read');
    assert.equal(placeOf('%n').kind, 'absorbed', 'a multiplication negates for nothing');
    assert.equal(placeOf('%unused').kind, 'unused');
    assert.equal(placeOf('@kept').kind, 'register');
    assert.equal(placeOf('%t').kind, 'network');
  });

  it('says of an instruction with no code why it has none', () => {
    const c = compileGpir('  %x = mul a0.x, u0.x\n  %y = mul %x, u0.y\n  st_var v0.x, %x\n');
    const rows = maliGp.display?.ofInstruction?.(c, 1, (i) => i + 1);
    assert.deepEqual(rows, [['Code', 'none: nothing reads it']]);
    assert.equal(maliGp.display?.place?.(c, 1), undefined);
  });

  it('a block for which no schedule was found is an error that names the block', () => {
    const c = compileGpir('  %x = mul a0.x, u0.x\n  st_var v0.x, %x\n');
    const failed = c.blocks.map((block) => ({
      ...block,
      schedule: { words: [], spills: [], failed: true as const },
    }));
    const [problem, ...others] = limitProblems({ ...c, blocks: failed });
    assert.deepEqual(others, []);
    assert.equal(problem.code, 'hw/values');
    assert.equal(problem.severity, 'error');
    const { temporaries } = c.parts.allocation;
    const stats = statsOf({ ...c, blocks: failed, code: { ...c.code, words: [] }, temporaries });
    assert.deepEqual([stats.cycles, stats.stallCycles], [undefined, undefined]);
    assert.ok(!('words' in (stats.more ?? {})) && !('ratio' in (stats.more ?? {})), 'absent, not zero');
    assert.match(maliGp.display?.summary?.({ ...c, stats }) ?? '', /^program: no program · bound \d+ ·/);
  });
});
