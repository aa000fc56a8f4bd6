import assert from 'node:assert/strict';
import { after, describe, it } from 'mocha';
import type { Function } from '../../../server/src/ir/function.js';
import { estimate } from '../../../server/src/targets/gen/estimate/estimate.js';
import { gen, type GenCompilation } from '../../../server/src/targets/gen/index.js';
import { scratchTraffic } from '../../../server/src/targets/gen/spills.js';
import type { Problem } from '../../../server/src/text/problem.js';
import { corpusOrSkip, spread } from '../../support/corpus.js';
import { isLongSearch } from '../../support/fuzz.js';
import { annotated, dumpAt, genDumps, genStats, statsKey, type GenDump } from '../../support/gen-corpus.js';
import { dumpProgram, genFunctionOf } from '../../support/gen-dump-program.js';

/**
 * The whole target on the dumps of the reference. `npm run bench -- gen` compares all of them; here are every eighth
 * program and the cases that spill, all of them in a long search.
 */
const STEP = 8;

const functions = new Map<string, { source: Function; problems: readonly Problem[] }>();

function read(dump: GenDump): { source: Function; problems: readonly Problem[] } {
  const known = functions.get(dump.path);
  if (known !== undefined) return known;
  const { source, problems } = genFunctionOf(annotated(dump, { dependencyBits: dump.phase === 'C' }));
  assert.ok(source !== undefined, dump.path);
  const made = { source, problems };
  functions.set(dump.path, made);
  return made;
}

const compilations = new Map<string, GenCompilation>();

function compiled(dump: GenDump): GenCompilation {
  const known = compilations.get(dump.path);
  if (known !== undefined) return known;
  const made = gen.compile(read(dump).source, {});
  compilations.set(dump.path, made);
  return made;
}

const messages = ({ stores, loads }: { stores: number; loads: number }): number => stores + loads;

/** What a program may be told that the reference compiled. */
const aboutFigures = /^(?:spill|pressure|stall|dump)\//;

describe('Gen: the dumps of the reference', function () {
  this.timeout(240_000);
  after(() => {
    functions.clear();
    compilations.clear();
  });

  it('are read in every phase without an error or a warning about the program', function () {
    const folder = corpusOrSkip(this, 'gen');
    for (const dump of spread(genDumps(folder, ['S', 'A', 'P', 'B', 'C']), STEP)) {
      const { source, problems } = read(dump);
      const isAllocated = dump.phase === 'B' || dump.phase === 'C';
      const found = [
        ...problems,
        ...(isAllocated ? gen.compile(source, {}).problems : compiled(dump).problems),
      ];
      const wrong = found.filter(
        ({ severity, code }) => severity === 'error' || (severity === 'warning' && !aboutFigures.test(code)),
      );
      assert.deepEqual(wrong, [], dump.path);
    }
  });

  it('compile to programs that are proven, and that do the same as their source', function () {
    const folder = corpusOrSkip(this, 'gen');
    for (const dump of spread(genDumps(folder, ['A']), STEP)) {
      const compilation = compiled(dump);
      assert.ok(compilation.code !== undefined, dump.path);
      assert.deepEqual(gen.verify?.(compilation), [], dump.path);
    }
  });

  it('need at most 0.9 of the scratch messages of the reference, none above 1.1, and not more cycles', function () {
    const folder = corpusOrSkip(this, 'gen');
    const stats = genStats(folder);
    const ours = { messages: 0, cycles: 0 };
    const theirs = { messages: 0, cycles: 0 };
    for (const [k, final] of genDumps(folder, ['C']).entries()) {
      const input = dumpAt(final, folder, 'A');
      if (input?.platform !== final.platform) continue;
      const spills = Number(stats.get(statsKey(final))?.ra_spills) > 0;
      if (!isLongSearch && k % STEP > 0 && !spills) continue;
      const compilation = compiled(input);
      const reference = dumpProgram(final).program;
      const added =
        messages(scratchTraffic(reference, true)) - messages(scratchTraffic(compilation.program, true));
      const { stores, loads } = compilation.stats.spills;
      assert.ok(
        stores + loads <= 1.1 * added,
        `${final.path}: ${stores + loads} messages, the reference ${added}`,
      );
      if (spills) {
        ours.messages += stores + loads;
        theirs.messages += added;
      }
      if (final.width !== '4x2') continue;
      ours.cycles += compilation.stats.cycles ?? Infinity;
      theirs.cycles += estimate(reference).cycles;
    }
    assert.ok(ours.messages <= 0.9 * theirs.messages, `${ours.messages} of ${theirs.messages} messages`);
    assert.ok(ours.cycles <= theirs.cycles, `${ours.cycles} of ${theirs.cycles} cycles`);
  });
});
