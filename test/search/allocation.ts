import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import type { ProgramUnit } from '../../server/src/languages/ptx/semantics/program.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { verify } from '../../server/src/targets/nvidia/verify.js';
import { assertCorrect, SHAPES } from '../support/allocation.js';
import { runCompiled, sameWrites } from '../support/compiled.js';
import { corpus, filesOf } from '../support/corpus.js';
import { runKernel, unitsOf } from '../support/ptx-run.js';
import { randomFunction } from '../support/random-function.js';
import { randomKernel } from '../support/random-ptx.js';
import { seed, times } from './options.js';
import { Search } from './properties.js';

/**
 * Whether allocations are right at any register limit: random functions before the checker, random kernels and
 * reference kernels before the checker and the interpreter, which runs them before and after.
 *   --seed N   the seed (printed)   --times N   times the usual number (2 000 functions, 200 kernels, 300 references)
 */
const STEPS = 2000;
const limits = fc.integer({ min: 16, max: 96 });

function sameAfter(units: readonly ProgramUnit[], name: string, limit: number): void {
  const source = runKernel(units, name, { steps: STEPS });
  sameWrites(source, runCompiled(units, name, limit, STEPS), limit, `${name}, limit ${limit}`);
}

const search = new Search(seed);
SHAPES.forEach((shape, n) =>
  search.property(
    `random functions, shape ${n}`,
    500 * times,
    fc.tuple(randomFunction(shape), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 7 })),
    ([f, general, predicates]) => assertCorrect(f, general, predicates),
  ),
);
search.property('random kernels', 200 * times, fc.tuple(randomKernel, limits), ([text, limit]) =>
  sameAfter(unitsOf(text), 'k', limit),
);
if (corpus === undefined) console.log('reference kernels: not tried, SPILLWAY_CORPUS names none');
else {
  const folder = join(corpus, 'ptx');
  const paths = ['generated', 'dev'].flatMap((part) => filesOf(join(folder, part), '.ptx'));
  const pick = fc.record({ path: fc.constantFrom(...paths), which: fc.nat(), limit: limits });
  search.property('reference kernels', 300 * times, pick, ({ path, which, limit }) => {
    const units = unitsOf(readFileSync(path, 'latin1'));
    const kernels = units.flatMap((unit) => (unit.function?.isEntry === true ? [unit.function] : []));
    if (kernels.length === 0) return;
    const f = kernels[which % kernels.length];
    const violations = verify(nvidia.compile(f, { maxRegisters: Math.max(24, limit) }));
    if (violations.length > 0) throw new Error(`${basename(path)} ${f.name}: ${JSON.stringify(violations)}`);
    sameAfter(units, f.name, limit);
  });
}
search.finish();
