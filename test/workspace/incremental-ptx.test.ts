import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { ptx } from '../../server/src/languages/ptx/index.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { Document } from '../../server/src/workspace/document.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';
import { Draft } from '../../server/src/workspace/store.js';
import { snapshotOf } from '../support/snapshot.js';

const pair = { language: ptx, target: nvidia };
const fail = (error: unknown): never => {
  throw error;
};

/** What a person would see of a snapshot, at absolute places. */
function seen(snapshot: Snapshot): unknown {
  return snapshot.units.map((unit) => ({
    start: unit.start,
    end: unit.end,
    problems: [...unit.parsed.problems, ...unit.bound.problems, ...(unit.compilation?.problems ?? [])],
    symbols: unit.bound.symbols.symbols.length,
    occurrences: Array.from(unit.bound.symbols.occurrenceStart),
    instructions: unit.function?.instructionCount,
    stats: unit.compilation?.stats,
  }));
}

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'examples');
const texts = readdirSync(examples)
  .filter((name) => name.endsWith('.ptx'))
  .map((name) => readFileSync(join(examples, name), 'utf8'));

/** What a person types or pastes, whole or half. */
const typed = fc.constantFrom(
  '',
  ';',
  '{',
  '}',
  '\n',
  '/*',
  '*/',
  '//',
  '"',
  '.reg .b32 %q<4>;\n',
  '\tadd.s32 \t%r1, %r1, 1;\n',
  '.global .u32 g;\n',
  '.extern .func f (.param .b32 a);\n',
  '.func f (.param .b32 a)\n{\n\tret;\n}\n',
  '.visible .entry k()\n{\n\tret;\n}\n',
  '.version 6.0\n',
  '.target sm_75\n',
  'L: ',
  '%r1',
  'ld.',
);
const step = fc.record({
  at: fc.nat(),
  length: fc.oneof(fc.constant(0), fc.nat({ max: 8 }), fc.nat({ max: 400 })),
  newText: typed,
  undo: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
});

const runs = Number(process.env['SPILLWAY_FUZZ_RUNS'] ?? 25);

describe('incremental store, PTX', () => {
  it('after every step of a random edit script equals the result from scratch', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(step, { maxLength: 5 }), (first, steps) => {
        let document = Document.open('file:///a.ptx', pair, 1, first, defaultSettings, fail);
        const history = [first];
        for (const { at, length, newText, undo } of steps) {
          const draft = new Draft(document);
          const start = at % (draft.lines.text.length + 1);
          const end = Math.min(draft.lines.text.length, start + length);
          if (undo && history.length > 1) draft.replace(history.splice(-2)[0]);
          else draft.apply({ span: { start, end }, newText });
          document = draft.finish(document.version + 1);
          history.push(document.text);
          assert.deepEqual(seen(document), seen(snapshotOf(document.text, ptx, nvidia)));
        }
      }),
      { numRuns: runs },
    );
  });
});
