import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pressureLines, type PressureLines } from '../../server/src/features/pressure-lines.js';
import {
  nextSite,
  peaksIn,
  type Direction,
  type SiteKind,
} from '../../server/src/features/pressure-sites.js';
import { Document } from '../../server/src/workspace/document.js';
import { registry } from '../../server/src/workspace/registry.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';
import { Draft } from '../../server/src/workspace/store.js';
import { snapshotOf } from '../support/snapshot.js';
import { toySnapshot } from '../support/toy/programs.js';

/** Four values live at the third load; with three registers one of them goes to memory. */
const text = `# first
kernel k {
  reg a, b, c, d
  const a, 1
  load b, [a] # wait
  load c, [a]
  load d, [a]
  add d, d, c  add d, d, b
  store [a], d
  ret
}
fn f { ret }
`;

const all = (s: Snapshot): PressureLines[] =>
  pressureLines(s, new Set()).map((f) => {
    assert.ok(!('same' in f));
    return f;
  });

const examples = new URL('../../../examples/', import.meta.url);
/** Of each language: with and without spills, some with several functions. */
const exampleSnapshots = ['spill.ptx', 'stacks.ptx', 'fog.gpir', 'rain.gen', 'saxpy.gen'].map((name) => {
  const pair = registry.find(({ language }) => language.extensions.some((end) => name.endsWith(end)));
  assert.ok(pair);
  const source = readFileSync(new URL(name, examples), 'utf8');
  return { name, snapshot: snapshotOf(source, pair.language, pair.target) };
});

describe('pressure on the lines', () => {
  it('gives each line the most that one of its instructions needs', () => {
    const [k, f] = all(toySnapshot(text));
    assert.deepEqual(
      k.lines.map((line) => line + k.line + 1),
      [4, 5, 6, 7, 8, 9, 10],
    );
    // a; a b; a b c; a b c d; all four are read or kept by the first addition; a d; nothing
    assert.deepEqual(k.asWritten, [1, 2, 3, 4, 4, 2, 0]);
    assert.deepEqual([k.peakWritten, k.peakCompiled, k.name], [4, 4, 'k']);
    assert.deepEqual(k.peaks, [{ line: 6 - k.line, asCompiled: 4, asWritten: 4 }]);
    assert.deepEqual([f.name, f.asWritten, f.peaks], ['f', [0], []]);
  });

  it('tells what is stored and reloaded where', () => {
    const [k] = all(toySnapshot(text, 3));
    assert.equal(k.limit, 3);
    const spills = k.spills.map(({ line, stores, reloads }) => ({
      line: k.line + line + 1,
      stores,
      reloads,
    }));
    assert.deepEqual(spills, [
      { line: 5, stores: ['b'], reloads: [] },
      { line: 8, stores: [], reloads: ['b'] },
    ]);
    assert.deepEqual(
      k.peaks.map(({ asWritten, asCompiled }) => [asWritten, asCompiled]),
      [[4, 3]],
    );
  });

  it('takes a wave for a peak of its own where the pressure has fallen below half before it', () => {
    const wave = (n: number): string => {
      const names = Array.from({ length: n }, (_, k) => `r${k}`);
      const sums = names.slice(1).map((r) => `  add r0, r0, ${r}`);
      return [...names.map((r) => `  const ${r}, 1`), ...sums, '  store [r0], r0'].join('\n');
    };
    const needs = (...waves: number[]): (number | undefined)[] => {
      const body = waves.map(wave).join('\n');
      const s = toySnapshot(`kernel k {\n  reg r0, r1, r2, r3, r4, r5, r6, r7\n${body}\n  ret\n}\n`);
      return all(s)[0].peaks.map(({ asCompiled }) => asCompiled);
    };
    assert.deepEqual(needs(8, 6, 8), [8, 6, 8]);
    assert.deepEqual(needs(8, 5, 8), [8, 8], '5 are less than three quarters of 8');
  });

  it('is sent anew only for the function that an edit changes', () => {
    const edited = (s: Document, start: number, newText: string): Document => {
      const draft = new Draft(s);
      draft.apply({ span: { start, end: start }, newText });
      return draft.finish(s.version + 1);
    };
    const open = toySnapshot(text);
    assert.ok(open instanceof Document);
    const known = new Set(all(open).map(({ id }) => id));
    const areKnown = (s: Snapshot): boolean[] => pressureLines(s, known).map((f) => 'same' in f);
    const longer = edited(open, open.text.indexOf('ret\n'), 'const a, 2\n  ');
    assert.deepEqual(areKnown(longer), [false, true]);
    assert.equal(pressureLines(longer, known)[1].line, all(open)[1].line + 1);
    const changed = edited(open, open.text.indexOf('ret }'), 'reg x const x, 1 ');
    assert.deepEqual(areKnown(changed), [true, false]);
    const withoutIds = (s: Snapshot): object[] => all(s).map((f) => ({ ...f, id: '' }));
    assert.deepEqual(withoutIds(changed), withoutIds(toySnapshot(changed.text)));
  });

  for (const { name, snapshot } of exampleSnapshots)
    it(`agrees with the compilation: ${name}`, () => {
      const functions = all(snapshot);
      assert.deepEqual(JSON.parse(JSON.stringify(functions)), functions, 'survives the wire');
      const compiled = snapshot.units.flatMap(({ compilation }) => compilation ?? []);
      assert.equal(functions.length, compiled.length);
      for (const [k, f] of functions.entries()) {
        const c = compiled[k];
        assert.equal(Math.max(...f.asWritten), c.asWritten.peak[0]);
        assert.equal(Math.max(...f.asCompiled), c.asCompiled.peak[0]);
        assert.deepEqual(
          [...f.lines].sort((a, b) => a - b),
          f.lines,
        );
        // the peaks that everything else names are among them
        const summits = peaksIn(c);
        assert.ok(
          summits.some((p) => p.asCompiled !== undefined && p.instruction === c.asCompiled.peakAt[0]),
        );
        assert.ok(summits.some((p) => p.asWritten !== undefined && p.instruction === c.asWritten.peakAt[0]));
        // between two neighbours the compiled program needs less than half at some instruction
        const needed = c.asCompiled.during[0];
        const high = summits.filter((p) => p.asCompiled !== undefined);
        for (let k = 1; k < high.length; k++) {
          const between = needed.slice(high[k - 1].instruction, high[k].instruction).filter((n) => n > 0);
          assert.ok(Math.min(...between) < c.asCompiled.peak[0] / 2);
        }
        const touched = new Set(c.spills.flatMap(({ stores, reloads }) => [...stores, ...reloads]));
        assert.ok(f.spills.length <= touched.size && f.spills.length > 0 === touched.size > 0);
      }
    });
});

describe('the next peak or spill', () => {
  const two = `${text}kernel last {\n  reg x\n  const x, 1\n  store [x], x\n  ret\n}\n`;

  /** One-based lines of so many steps from a place, with `*` where the search went round. */
  function walk(
    s: Snapshot,
    kind: SiteKind,
    direction: Direction,
    steps: number,
    line: number,
  ): (string | undefined)[] {
    let position = { line: line - 1, character: 0 };
    return Array.from({ length: steps }, () => {
      const site = nextSite(s, position, kind, direction);
      if (site === undefined) return undefined;
      position = site.range.start;
      return `${position.line + 1}${site.isWrapped ? '*' : ''}`;
    });
  }

  it('goes from function to function and round the ends', () => {
    const s = toySnapshot(two);
    assert.deepEqual(walk(s, 'peak', 'next', 4, 1), ['7', '15', '7*', '15']);
    assert.deepEqual(walk(s, 'peak', 'previous', 4, 9), ['7', '15*', '7', '15*']);
    assert.deepEqual(walk(s, 'peak', 'next', 1, 7), ['7'], 'the cursor stands before the instruction');
  });

  it('finds stores and reloads, and comes back to the only one', () => {
    const s = toySnapshot(two, 3);
    assert.deepEqual(walk(s, 'spill', 'next', 3, 1), ['5', '8', '5*']);
    assert.deepEqual(walk(s, 'spill', 'previous', 2, 20), ['8', '5']);
    const site = nextSite(s, { line: 0, character: 0 }, 'spill', 'next');
    assert.equal(site?.label, `Spill in k: stores b (${all(s)[0].model})`);
    const one = toySnapshot(text);
    assert.deepEqual(walk(one, 'peak', 'next', 2, 7), ['7', '7*']);
  });

  it('finds nothing where there is nothing', () => {
    assert.equal(nextSite(toySnapshot(text), { line: 0, character: 0 }, 'spill', 'next'), undefined);
    for (const empty of ['', 'version 1\n', 'fn f { ret }\n'])
      for (const kind of ['peak', 'spill'] as const)
        assert.equal(nextSite(toySnapshot(empty), { line: 9, character: 9 }, kind, 'previous'), undefined);
  });
});
