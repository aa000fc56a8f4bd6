import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Function } from '../../../server/src/ir/function.js';
import { ptx } from '../../../server/src/languages/ptx/index.js';
import { nvidia } from '../../../server/src/targets/nvidia/index.js';
import { verify } from '../../../server/src/targets/nvidia/verify.js';
import { Document } from '../../../server/src/workspace/document.js';
import { defaultSettings } from '../../../server/src/workspace/settings.js';
import { corpus, corpusOrSkip, filesOf } from '../../support/corpus.js';

/** Each so manieth file: real shapes, in seconds. */
const STRIDE = 12;

function functionsOf(path: string): Function[] {
  const text = readFileSync(path, 'utf8');
  const document = Document.open(
    `file://${path}`,
    { language: ptx, target: nvidia },
    1,
    text,
    defaultSettings,
    (error) => {
      throw error;
    },
  );
  return document.units.flatMap((unit) => (unit.function ? [unit.function] : []));
}

describe('nvidia on compiled kernels', () => {
  it('allocates them rightly without a limit and at 32 registers', function () {
    this.timeout(60_000);
    if (corpus === undefined) {
      this.skip();
      return;
    }
    const folder = join(corpus, 'ptx', 'dev');
    const files = readdirSync(folder)
      .filter((name) => name.endsWith('.ptx'))
      .sort();
    let functions = 0;
    for (let k = 0; k < files.length; k += STRIDE) {
      for (const f of functionsOf(join(folder, files[k]))) {
        functions++;
        for (const maxRegisters of [undefined, 32]) {
          const c = nvidia.compile(f, { maxRegisters });
          assert.deepEqual(verify(c), [], `${files[k]} ${f.name}`);
          assert.ok(c.stats.registers.general <= c.stats.limit);
        }
      }
    }
    assert.ok(functions > 0);
  });

  it('reports no error for what ptxas accepts', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'reject', 'accepted');
    for (const path of filesOf(folder, '.ptx'))
      for (const f of functionsOf(path)) {
        const errors = nvidia.compile(f, {}).problems.filter(({ severity }) => severity === 'error');
        assert.deepEqual(errors, [], path);
      }
  });
});
