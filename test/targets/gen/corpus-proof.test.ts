import { strict as assert } from 'node:assert';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import { checkAllocation, checkSchedule } from '../../../server/src/targets/gen/check/index.js';
import { decode } from '../../../server/src/targets/gen/decode.js';
import { compare, executable } from '../../../server/src/targets/gen/simulate/compare.js';
import { strategies } from '../../../server/src/targets/gen/strategies.js';
import { alone } from '../../languages/gen-ir/support.js';
import { corpusOrSkip } from '../../support/corpus.js';
import { annotated, genDumps } from '../../support/gen-corpus.js';

/** Everything that the reference's shaders are compiled to here is proved, and executed beside its source. */
const LONGEST = process.env['SPILLWAY_GEN_PROGRAMS'] === undefined ? 60 : Infinity;

describe('gen: the reference shaders', () => {
  for (const strategy of ['best', 'i965'] as const)
    it(`${strategy}: allocations are proved and compute the same`, function () {
      const folder = corpusOrSkip(this, 'gen');
      let count = 0;
      for (const dump of genDumps(folder, ['A'])) {
        const source = genIr.lower(
          genIr.bind(genIr.parse(annotated(dump, { dependencyBits: false })), alone),
        );
        assert.ok(source);
        const program = decode(source);
        if (program.instructions.length > LONGEST) continue;
        const name = `${dump.shader} ${dump.width} ${strategy}`;
        const { prepare, allocate, finish } = strategies[strategy][program.dialect];
        const { lowered, allocation } = allocate(prepare?.(program) ?? program, {});
        if (allocation.kind === 'refused') continue;
        assert.deepEqual(checkAllocation(lowered, allocation, { most: 3 }), [], name);
        let { code } = allocation;
        for (const pass of finish) code = pass(code);
        assert.deepEqual(checkSchedule(allocation.code, code, { most: 3 }), [], name);
        const options = { seeds: [1], steps: 5000 };
        assert.equal(executable(program, options), undefined, name);
        assert.equal(compare(program, code, options), undefined, name);
        count++;
      }
      assert.ok(count > 20, `only ${count} programs`);
    }).timeout(0);
});
