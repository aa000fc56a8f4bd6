import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { STACK_AREA } from '../../../../server/src/languages/ptx/execute/grid.js';
import { moveToSoftStack } from '../../../../server/src/languages/ptx/soft-stack/index.js';
import { applyEdits } from '../../../../server/src/text/edit.js';
import { corpusOrSkip, filesOf } from '../../../support/corpus.js';
import { isLongSearch, runs } from '../../../support/fuzz.js';
import { genericLaunch } from '../../../support/generic-launch.js';
import { asWords, run, runWell, sameBeforeAndAfter } from '../../../support/ptx-module-run.js';
import { unitsOf } from '../../../support/ptx-run.js';
import { complaints } from '../../../support/ptxas-verdict.js';
import { randomMixedModule, randomStackModule, stackModuleText } from '../../../support/random-ptx-stack.js';
import {
  kernelOptions,
  movedModule,
  tryModule,
  withStacks,
  type Trial,
} from '../../../support/soft-stack-trial.js';
import { bindText } from '../bound.js';
import { hasPtxas } from '../isa/assembler.js';

/**
 * The transformation is right when nobody can tell the difference: programs leave the same memory and print the same
 * before and after, for one, two and four warps under random orders, and no stack grows into another.
 */
const trials: readonly Trial[] = [
  { blocks: 1, warps: 1, width: 1, lanes: 'uniform', hasWrapper: false, seeds: [0] },
  { blocks: 1, warps: 2, width: 1, lanes: 'uniform', hasWrapper: true, seeds: [1, 2] },
  { blocks: 2, warps: 4, width: 1, lanes: 'uniform', hasWrapper: true, seeds: [3] },
  { blocks: 1, warps: 2, width: 4, lanes: 'uniform', hasWrapper: false, seeds: [5] },
  { blocks: 1, warps: 2, width: 3, lanes: 'own', hasWrapper: false, seeds: [6] },
  { blocks: 2, warps: 2, width: 2, lanes: 'own', hasWrapper: true, seeds: [7] },
];

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..', '..', 'examples');

/** Tries all kernels of a file; returns how many ran to their end and had something to move. */
function tryKernels(
  text: string,
  block: readonly [number, number, number],
  only?: readonly string[],
): number {
  const units = unitsOf(text);
  const moved = moveToSoftStack(bindText(text), { lanes: 'own' });
  if (moved.edits.length === 0) return 0;
  let count = 0;
  for (const unit of units) {
    if (unit.function?.isEntry !== true || only?.includes(unit.function.name) === false) continue;
    const options = { ...genericLaunch(unit, block), lanes: block[0] };
    if (run(units, options).fault !== undefined) continue;
    sameBeforeAndAfter(text, (t) => applyEdits(t, moved.edits), options, {
      seeds: [1],
      after: withStacks(options, 'own', false),
    });
    count++;
  }
  return count;
}

describe('soft stacks: before and after', () => {
  for (const trial of trials) {
    const { blocks, warps, width, lanes, hasWrapper } = trial;
    const how = `${blocks} blocks of ${warps} warps of ${width}, a stack for each ${lanes === 'own' ? 'lane' : 'warp'}`;
    it(`random modules: ${how}${hasWrapper ? ', set up by a wrapper' : ''}`, () => {
      let used = 0;
      fc.assert(
        fc.property(randomStackModule, (m) => {
          used += Number((tryModule(m, trial)?.deepest ?? 0) > 0);
        }),
        { numRuns: runs(4) },
      );
      assert.ok(used >= runs(2), `${used} modules used their stacks`);
    }).timeout(120_000);
  }

  it('random modules of which parts stay as they are', () => {
    fc.assert(
      fc.property(randomMixedModule, (m) => void tryModule(m, trials[4])),
      { numRuns: runs(4) },
    );
  }).timeout(120_000);

  it('random modules whose lanes differ or not, of which nothing is said', () => {
    const options = kernelOptions({ ...trials[4], blocks: 1 });
    let count = 0;
    fc.assert(
      fc.property(randomStackModule, (m) => {
        const text = stackModuleText(m);
        const { edits, functions } = moveToSoftStack(bindText(text), {});
        if (functions.length === 0) return;
        count++;
        sameBeforeAndAfter(text, (t) => applyEdits(t, edits), options, {
          seeds: [1],
          after: withStacks(options, 'uniform', false),
        });
      }),
      { numRuns: runs(6) },
    );
    assert.ok(count > 0);
  }).timeout(120_000);

  it('every example', () => {
    for (const path of filesOf(examples, '.ptx')) tryKernels(readFileSync(path, 'utf8'), [4, 2, 1]);
  });

  it('the example of stacks, whose kernel sets them up itself', () => {
    // tally(w) is w, and w more by add_up; the mean of 0, 1 and 2; frames of 16 bytes, one after the other
    const before = readFileSync(join(examples, 'stacks.ptx'), 'utf8');
    const { edits } = moveToSoftStack(bindText(before), { lanes: 'uniform' });
    assert.ok(edits.length > 0);
    for (const text of [before, applyEdits(before, edits)]) {
      for (const seed of [1, 2, 3]) {
        const { memory, stacks } = runWell(text, {
          entry: 'main_kernel',
          block: [1, 3, 1],
          lanes: 1,
          seed,
          buffers: { output: new Uint8Array(8) },
          arguments: [{ address: 'output' }, { address: STACK_AREA }, 256],
          stacks: { bytes: 256 },
        });
        const [sum, mean] = asWords(memory.get('output'));
        assert.ok([0, 2, 4].includes(sum), String(sum));
        assert.equal(mean, 0x3f80_0000);
        assert.deepEqual(stacks?.violations(), []);
        assert.deepEqual(
          [0, 1, 2].map((warp) => stacks?.depthOf(warp)),
          [16, 16, 16],
        );
      }
    }
  });

  it('kernels of compilers, each thread with a stack of its own', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'dev');
    const names = 'call-virt lup-dyn vm-stk'.split(' ');
    const isWanted = (path: string): boolean =>
      isLongSearch || names.some((name) => basename(path) === `${name}.90.ptx`);
    let count = 0;
    for (const path of filesOf(folder, '.ptx')) {
      const text = isWanted(path) ? readFileSync(path, 'latin1') : '';
      if (text.includes('.local')) count += tryKernels(text, [4, 2, 1]);
    }
    assert.ok(count >= names.length, `${count} kernels`);
  }).timeout(300_000);

  it('gives what ptxas assembles', function () {
    if (!hasPtxas()) this.skip();
    const sample = fc.sample(randomStackModule, { numRuns: isLongSearch ? 100 : 3, seed: 11 });
    sample.forEach((m, k) => {
      const text = movedModule(m, stackModuleText(m), k % 2 === 0 ? 'uniform' : 'own', k % 3 > 0);
      assert.equal(complaints(text, 'sm_90'), '', text);
    });
    for (const path of filesOf(examples, '.ptx')) {
      if (basename(path) === 'broken.ptx') continue;
      const text = readFileSync(path, 'utf8');
      const { edits } = moveToSoftStack(bindText(text), { lanes: 'own' });
      if (edits.length > 0) assert.equal(complaints(applyEdits(text, edits), 'sm_90'), '', path);
    }
  }).timeout(60_000);
});
