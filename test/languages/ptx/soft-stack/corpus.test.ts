import assert from 'node:assert/strict';
import { basename } from 'node:path';
import {
  moveToSoftStack,
  type SoftStackOptions,
} from '../../../../server/src/languages/ptx/soft-stack/index.js';
import { rewritten } from '../../../../server/src/languages/ptx/soft-stack/formatted.js';
import { stackProblems } from '../../../../server/src/languages/ptx/stack/module.js';
import { corpusOrSkip, spread } from '../../../support/corpus.js';
import { assemble, ptxasOrSkip } from '../../../support/ptxas.js';
import { bindText } from '../bound.js';
import { compilerOutput } from '../support.js';

/** What compilers write with `.local` arrays, one machine of each kernel. */
function inputs(folder: string): { name: string; text: string }[] {
  const families = new Map<string, { name: string; text: string }>();
  for (const { path, text } of compilerOutput(folder)) {
    if (!path.endsWith('.ptx') || !/^\s*\.local\b/m.test(text)) continue;
    const name = basename(path);
    const family = name.replace(/\.\d+\.ptx$|_sm\d+\.ptx$|_sm_\d+\.as\.ptx$/, '');
    if (!families.has(family)) families.set(family, { name, text });
  }
  return [...families.values()];
}

/** Debug information describes the depots; without it their functions are like others. */
const withoutDebug = (text: string): string =>
  !/^\.target \w+, debug/m.test(text)
    ? text
    : text.replace(/^\s*\.section[^]*/m, '').replace(/^(\.target \w+), debug/m, '$1');

interface Outcome {
  readonly moved: number;
  /** By what is in the way, in short. */
  readonly refused: Readonly<Record<string, number>>;
  readonly results: readonly { readonly name: string; readonly before: string; readonly after: string }[];
}

const ways: readonly (readonly [string, RegExp])[] = [
  ['lanes', /would share|only a part of the warp/],
  ['simt', /stacks of lanes in a SIMT region/],
  ['openacc', /OpenACC/],
  ['debug', /debug information/],
];

function moveAll(texts: readonly { name: string; text: string }[], options: SoftStackOptions): Outcome {
  let moved = 0;
  const refused: Record<string, number> = {};
  const results: { name: string; before: string; after: string }[] = [];
  for (const { name, text } of texts) {
    const units = bindText(text);
    const { edits, functions, refusals } = moveToSoftStack(units, options);
    moved += functions.length;
    for (const { reason } of refusals) {
      const way = ways.find(([, words]) => words.test(reason))?.[0] ?? reason;
      refused[way] = (refused[way] ?? 0) + 1;
    }
    if (edits.length > 0) results.push({ name, before: text, after: rewritten(text, units, edits) });
  }
  return { moved, refused, results };
}

describe('soft stack: what compilers write', () => {
  it('can be moved but for what belongs into .local memory, and our own checks find nothing wrong', function () {
    this.timeout(120_000);
    const texts = inputs(corpusOrSkip(this, 'ptx')).map(({ name, text }) => ({
      name,
      text: withoutDebug(text),
    }));
    const { moved, refused, results } = moveAll(texts, { lanes: 'uniform' });
    assert.deepEqual(Object.keys(refused).sort(), ['openacc', 'simt']);
    assert.ok(moved >= 50, String(moved));
    for (const { name, after } of results) {
      assert.doesNotMatch(after, /(?:ld|st)\.local|cvta\.local|__local_depot/, name);
      const units = bindText(after);
      const problems = [
        ...units.flatMap(({ parsed, bound }) => [...parsed.problems, ...bound.problems]),
        ...[...stackProblems(units).values()].flat(),
      ];
      // set-up is the launching program's, and lanes were said to be alike
      const found = problems.filter(
        ({ code, severity }) =>
          (severity === 'error' || code.startsWith('stack/')) &&
          code !== 'stack/no-setup' &&
          code !== 'stack/divergent-call',
      );
      assert.deepEqual(
        found.map(({ code, message }) => `${code}: ${message}`),
        [],
        name,
      );
      // nothing is left to do the second time
      assert.deepEqual(moveToSoftStack(units, { lanes: 'uniform' }).edits, [], name);
    }
    console.log(`    (${moved} functions moved; refused: ${JSON.stringify(refused)})`);
  });

  it('is refused where the threads of a warp keep values of their own', function () {
    this.timeout(120_000);
    const { moved, refused } = moveAll(inputs(corpusOrSkip(this, 'ptx')), { lanes: 'checked' });
    assert.ok((refused.lanes ?? 0) > 20, JSON.stringify(refused));
    assert.deepEqual(Object.keys(refused).sort(), ['debug', 'lanes', 'openacc', 'simt']);
    console.log(`    (${moved} functions moved; refused: ${JSON.stringify(refused)})`);
  });

  it('assembles afterwards, with entries that set stacks up', function () {
    this.timeout(300_000);
    const texts = spread(inputs(corpusOrSkip(this, 'ptx')), 2);
    ptxasOrSkip(this);
    const outputs = texts.flatMap(({ name, text }, k) => {
      const lanes = k % 2 === 0 ? 'own' : 'uniform';
      const mainKernel = /\.entry (\w+)/.exec(text)?.[1];
      const options: SoftStackOptions = { lanes, ...(mainKernel === undefined ? {} : { mainKernel }) };
      const { results } = moveAll([{ name, text: withoutDebug(text) }], options);
      return results.map(({ after }) => ({ name, after }));
    });
    assert.ok(outputs.length > 15, String(outputs.length));
    const verdicts = assemble(outputs.map(({ after }) => after));
    outputs.forEach(({ name }, k) => assert.equal(verdicts[k], '', name));
  });
});
