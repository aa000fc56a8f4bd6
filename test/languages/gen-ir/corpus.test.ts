import assert from 'node:assert/strict';
import { genIr, type GenBound } from '../../../server/src/languages/gen-ir/index.js';
import type { MesaBound } from '../../../server/src/languages/gen-ir/bind/index.js';
import { unitEnd } from '../../../server/src/languages/gen-ir/split.js';
import { corpusOrSkip } from '../../support/corpus.js';
import { annotated, genDumps, type GenDump } from '../../support/gen-corpus.js';
import { alone } from './support.js';

function mesaBound(text: string): MesaBound {
  const found: GenBound = genIr.bind(genIr.parse(text), alone);
  if (!('form' in found)) throw new Error('a dump of Mesa');
  return found;
}

/** Lines of a dump that are instructions: those with a number in front. */
const lineCount = (text: string): number => text.match(/^(?:\{ *\d+\} *)? *\d+: /gm)?.length ?? 0;

const dialectOf = (dump: GenDump): string => (dump.width === '4x2' ? 'vec4' : 'scalar');

describe('gen-ir, reference dumps', function () {
  this.timeout(60_000);

  it('reads every line of every phase, without an error or a warning', function () {
    for (const dump of genDumps(corpusOrSkip(this, 'gen'), ['S', 'A', 'P', 'B', 'C'])) {
      const text = dump.text();
      assert.equal(unitEnd(text, 0), text.length, 'one unit');
      const unit = mesaBound(text);
      assert.deepEqual(
        [...unit.parsed.problems, ...unit.problems].filter(({ severity }) => severity !== 'hint'),
        [],
        dump.path,
      );
      assert.equal(unit.parsed.dialect, dialectOf(dump), dump.path);
      const f = genIr.lower(unit);
      assert.equal(f?.instructionCount, lineCount(text), dump.path);
      if (dump.width !== '4x2') assert.equal(f.attributes.width, Number(dump.width), dump.path);
    }
  });

  it('reads the same dumps with all that they lack written beside it', function () {
    for (const dump of genDumps(corpusOrSkip(this, 'gen'), ['A', 'B', 'C'])) {
      const text = annotated(dump);
      const unit = mesaBound(text);
      assert.deepEqual(
        [...unit.parsed.problems, ...unit.problems].filter(({ severity }) => severity !== 'hint'),
        [],
        dump.path,
      );
      const f = genIr.lower(unit);
      assert.equal(f?.instructionCount, lineCount(text), dump.path);
      if (dump.phase === 'A') assert.equal(f.attributes.phase, 'virtual');
      else assert.deepEqual([f.attributes.phase, f.registerCount], ['allocated', 0], dump.path);
    }
  });

  it('infers the sizes that the compiler had', function () {
    let compared = 0;
    let unknown = 0;
    for (const dump of genDumps(corpusOrSkip(this, 'gen'), ['A', 'P'])) {
      const { numbers, sizes, by } = mesaBound(dump.text()).registers;
      const meta = dump.meta();
      for (let r = 0; r < numbers.length; r++) {
        const size = meta.vgrf_sizes?.[numbers[r]] ?? 0;
        // Of the response of a send only what is read of it is known.
        if (by[r] === 'accesses' && dialectOf(dump) === 'scalar') {
          assert.ok(sizes[r] <= size, `${dump.path} vgrf${numbers[r]}`);
          unknown += Number(sizes[r] < size);
        } else assert.equal(sizes[r], size, `${dump.path} vgrf${numbers[r]}`);
        compared++;
      }
    }
    assert.ok(compared > 20_000 && unknown < compared / 200, `${compared} registers, ${unknown} too small`);
  });

  it('finds the blocks that the compiler had', function () {
    for (const dump of genDumps(corpusOrSkip(this, 'gen'), ['A', 'P'])) {
      const { blocks } = mesaBound(dump.text());
      const found = Array.from({ length: blocks.blockCount }, (_, b) => [
        blocks.start[b],
        blocks.start[b + 1] - 1,
      ]);
      assert.deepEqual(found, dump.meta().blocks, dump.path);
    }
  });

  it('takes g0 to the last fixed register that is mentioned as payload, which is right for SIMD4x2', function () {
    for (const dump of genDumps(corpusOrSkip(this, 'gen'), ['A'], ['4x2'])) {
      const { attributes } = mesaBound(dump.text()).facts;
      assert.equal(attributes.firstFree, dump.meta().first_non_payload_grf, dump.path);
    }
  });
});
