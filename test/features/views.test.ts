import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { peakText } from '../../server/src/features/hover-peak.js';
import { liveAtInstruction } from '../../server/src/features/peak.js';
import { blockFacts, boxLines, graphOf, summaryWords } from '../../client/src/views/control-flow/graph.js';
import { layered } from '../../client/src/views/control-flow/layout.js';
import { controlFlowView } from '../../server/src/features/views/control-flow.js';
import {
  placeKinds,
  type ControlFlowView,
  type LiveRangesView,
} from '../../server/src/features/views/data.js';
import { shownFunction, type ShownFunction } from '../../server/src/features/views/function.js';
import { liveRangesView } from '../../server/src/features/views/live-ranges.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';
import { languageForPath, registry } from '../../server/src/workspace/registry.js';
import { corpusOrSkip } from '../support/corpus.js';
import { snapshotOf } from '../support/snapshot.js';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';

const examples = new URL('../../../examples/', import.meta.url);

const exampleSnapshots: readonly { name: string; snapshot: Snapshot }[] = readdirSync(examples).flatMap(
  (name) => {
    const pair = registry.find(({ language }) => language.extensions.some((end) => name.endsWith(end)));
    if (pair === undefined) return [];
    const text = readFileSync(new URL(name, examples), 'utf8');
    return [{ name, snapshot: snapshotOf(text, pair.language, pair.target) }];
  },
);

/** Some files of a long list, evenly spread. */
const someOf = (all: readonly string[], most: number): string[] =>
  all.filter((_, k) => Math.floor((k * most) / all.length) !== Math.floor(((k - 1) * most) / all.length));

/** Smaller files below a folder: larger ones tell no more. */
const inputsBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size < 60_000)
    .sort();

/** Dumps of Gen programs end with `.txt`. */
function snapshotOfFile(path: string): Snapshot | undefined {
  const text = readFileSync(path, 'utf8');
  const pair = languageForPath(path.replace(/\.txt$/, '.gen'));
  return pair === undefined ? undefined : snapshotOf(text, pair.language, pair.target);
}

const functionsOf = (s: Snapshot): ShownFunction[] =>
  s.units.flatMap((unit) => {
    const { compilation } = unit;
    return compilation === undefined ? [] : [{ unit, compilation }];
  });

const toy = (text: string): Snapshot => snapshotOf(text, toyLanguage, toyTarget);

function pictureOf<V>(s: Snapshot, view: (s: Snapshot, shown: ShownFunction) => V, name?: string): V {
  const shown = shownFunction(s, { name });
  assert.ok(shown);
  return view(s, shown);
}

const listOf = (start: readonly number[], all: readonly number[], k: number): readonly number[] =>
  all.slice(start[k], start[k + 1]);

/** Units of each class at each point, counted segment by segment. */
function unitsAtPoints({ registers, classes, instructions }: LiveRangesView): number[][] {
  const units = classes.map(() => Array<number>(2 * instructions.line.length + 1).fill(0));
  registers.names.forEach((_, r) => {
    const ofClass = units[registers.class[r]];
    if (ofClass === undefined) return;
    for (let k = registers.segmentStart[r]; k < registers.segmentStart[r + 1]; k++)
      for (let point = registers.from[k]; point < registers.to[k]; point++)
        ofClass[point] += registers.width[r];
  });
  return units;
}

/** The bars are the curve: at each instruction the units of what is live add up to what it needs as written. */
function assertBarsAreTheCurve(view: LiveRangesView, where: string): void {
  const live = unitsAtPoints(view);
  view.classes.forEach(({ name, asWritten }, k) =>
    asWritten.forEach((needed, i) =>
      assert.equal(
        Math.ceil(Math.max(live[k][2 * i], live[k][2 * i + 1])),
        needed,
        `${where}, ${view.name}: ${name} at ${i}`,
      ),
    ),
  );
}

/** Whether every way from block 0 to `to` passes `through`: nothing is reached any more when it is taken away. */
function isPassed(view: ControlFlowView, through: number, to: number): boolean {
  if (through === 0 || through === to) return true;
  const seen = new Set([0]);
  const pending = [0];
  for (let b = pending.pop(); b !== undefined; b = pending.pop())
    for (const edge of view.edges)
      if (edge.from === b && edge.to !== through && !seen.has(edge.to)) {
        seen.add(edge.to);
        pending.push(edge.to);
      }
  return !seen.has(to);
}

const loop = [
  '# a comment',
  '',
  'kernel k(n) {',
  '  reg a, b',
  '  pred p',
  '  const a, 1',
  'top:',
  '  load b, [a]',
  '  add a, a, b',
  '  less p, a, b',
  '  branch p, top',
  '  store [a], a',
  '  ret',
  '}',
].join('\n');

describe('the picture of live ranges', () => {
  it('says where registers are written, read and live', () => {
    const view = pictureOf(toy(loop), liveRangesView);
    assert.equal(view.name, 'k');
    const a = view.registers.names.indexOf('a');
    const b = view.registers.names.indexOf('b');
    const { definitionStart, definitions, useStart, uses, segmentStart, from, to } = view.registers;
    assert.deepEqual(listOf(definitionStart, definitions, a), [0, 2]);
    assert.deepEqual(listOf(useStart, uses, a), [1, 2, 3, 5]);
    // a: from the write of the constant to the store; b: from the load to the comparison
    assert.deepEqual([listOf(segmentStart, from, a), listOf(segmentStart, to, a)], [[1], [11]]);
    assert.deepEqual([listOf(segmentStart, from, b), listOf(segmentStart, to, b)], [[3], [7]]);
    assert.deepEqual(
      view.instructions.line.map((line) => line + view.line),
      [5, 7, 8, 9, 10, 11, 12],
    );
    assert.equal(view.instructions.text.split('\n')[2], 'add a, a, b');
    assert.deepEqual(view.blocks.name[1], 'top');
    assert.deepEqual(view.blocks.loopDepth.slice(0, 2), [0, 1]);
  });

  it('moves as a whole with the text above it', () => {
    const before = pictureOf(toy(loop), liveRangesView);
    const after = pictureOf(toy(`# one\n# two\nglobal g 4\n${loop}`), liveRangesView);
    assert.deepEqual(
      after.instructions.line.map((line) => line + after.line),
      before.instructions.line.map((line) => line + before.line + 3),
    );
  });

  for (const { name, snapshot } of exampleSnapshots)
    it(`agrees with itself: ${name}`, () => {
      for (const shown of functionsOf(snapshot)) {
        const view = liveRangesView(snapshot, shown);
        const count = view.instructions.line.length;
        assertBarsAreTheCurve(view, name);
        assert.equal(view.instructions.text.split('\n').length, Math.max(1, count));
        assert.deepEqual(JSON.parse(JSON.stringify(view)), view, 'survives the wire');
        view.classes.forEach((shownClass) => {
          assert.equal(shownClass.asWritten.length, count);
          assert.equal(shownClass.asCompiled.length, count);
          assert.equal(Math.max(0, ...shownClass.asCompiled), shownClass.peakCompiled);
        });
        for (const spill of view.spills) {
          assert.ok(view.registers.names[spill.register] !== undefined);
          assert.ok(spill.stores.length + spill.reloads.length > 0);
        }
      }
    });

  for (const folder of ['ptx', 'gpir', 'gen'])
    it(`has bars that add up to the curve: ${folder} reference inputs`, function () {
      this.timeout(120_000);
      const paths = someOf(inputsBelow(corpusOrSkip(this, folder)), 40);
      let shown = 0;
      for (const path of paths) {
        const snapshot = snapshotOfFile(path);
        if (snapshot === undefined) continue;
        for (const one of functionsOf(snapshot).slice(0, 3)) {
          assertBarsAreTheCurve(liveRangesView(snapshot, one), path);
          shown++;
        }
      }
      assert.ok(shown > 0);
    });

  it('has a bar for a payload, which no virtual register stands for', () => {
    const rain = exampleSnapshots.find(({ name }) => name === 'rain.gen');
    assert.ok(rain);
    const { registers, instructions } = pictureOf(rain.snapshot, liveRangesView);
    const bar = registers.names.indexOf('payload g0–g2');
    assert.equal(bar, registers.virtualCount);
    assert.equal(placeKinds[registers.kind[bar]], 'fixed');
    assert.equal(registers.width[bar], 3);
    // SIMD4x2 keeps it to the end; g2 is read by the first instruction
    const { segmentStart, from, to, useStart, uses } = registers;
    assert.deepEqual(
      [listOf(segmentStart, from, bar), listOf(segmentStart, to, bar)],
      [[0], [2 * instructions.line.length]],
    );
    assert.ok(listOf(useStart, uses, bar).includes(0));
  });

  it('lists at the peak who makes it up, parts of registers and payload too', () => {
    for (const { name, snapshot } of exampleSnapshots)
      for (const { unit, compilation: c } of functionsOf(snapshot)) {
        const at = c.asWritten.peakAt[0];
        if (at < 0 || c.asWritten.peak[0] === 0) continue;
        const { holders } = snapshot.target.display ?? {};
        const fixed = (holders?.(c).fixed ?? []).filter(({ from, to }) =>
          [2 * at, 2 * at + 1].some((point) => from.some((start, k) => start <= point && point < to[k])),
        );
        const live = liveAtInstruction(snapshot, c, at, 'asWritten');
        const units = [...live, ...fixed].reduce((sum, { width }) => sum + width, 0);
        // what is read last and what is written there are both on the list, and share a place
        assert.ok(Math.ceil(units) >= c.asWritten.peak[0], `${name} ${units}`);
        const text = peakText(snapshot, unit, c, at);
        for (const held of fixed.slice(0, 6)) assert.ok(text.includes(held.name), `${name}: ${text}`);
      }
  });

  it('has bars for the registers of a program that is allocated already', () => {
    const text = [
      '.gen 1',
      '.program k',
      '.target ivb',
      '.phase hw',
      '.mode simd8',
      '.payload g0-g2',
      '  mov(8) g10:F, g2:F',
      '  add(8) g11:F, g10:F, g10:F',
      '  mov(8) g10:F, g11:F',
      '',
    ].join('\n');
    const pair = registry.find(({ language }) => language.id === 'gen-ir');
    assert.ok(pair);
    const view = pictureOf(snapshotOf(text, pair.language, pair.target), liveRangesView);
    const { names, segmentStart, from, to } = view.registers;
    const segmentsOf = (name: string): number[][] => {
      const bar = names.indexOf(name);
      return [[...listOf(segmentStart, from, bar)], [...listOf(segmentStart, to, bar)]];
    };
    assert.deepEqual(segmentsOf('payload g2'), [[0], [1]]);
    // written at 1 and read at 2; written at 5, and nobody reads that
    assert.deepEqual(segmentsOf('g10'), [
      [1, 5],
      [3, 6],
    ]);
    assert.deepEqual(segmentsOf('g11'), [[3], [5]]);
    assertBarsAreTheCurve(view, 'allocated');
  });

  it('knows the register counts at which the number of warps changes', () => {
    const example = exampleSnapshots.find(({ name }) => name === 'saxpy.ptx');
    assert.ok(example);
    const steps = pictureOf(example.snapshot, liveRangesView).occupancySteps;
    // 65536 registers an SM, in quarters, 256 at a time: 64 warps up to 32 registers, 48 up to 40, 8 with 255
    assert.deepEqual(steps[0].registers, 32);
    assert.equal(steps.at(-1)?.registers, 255);
    assert.equal(steps.at(-1)?.warps, 8);
    steps.slice(1).forEach((step, k) => {
      assert.ok(step.registers > steps[k].registers);
      assert.ok(step.warps < steps[k].warps);
    });
  });
});

describe('the picture of control flow', () => {
  it('says what falls through, what is taken and what closes a loop', () => {
    const view = pictureOf(toy(loop), controlFlowView);
    assert.deepEqual(view.edges, [
      { from: 0, to: 1, kind: 'fallThrough', isBack: false },
      { from: 1, to: 2, kind: 'fallThrough', isBack: false },
      { from: 1, to: 1, kind: 'taken', isBack: true },
    ]);
    const [entry, body, end] = view.blocks;
    assert.deepEqual([entry.length, body.length, end.length], [1, 4, 2]);
    assert.deepEqual([body.firstLine + view.line, body.lastLine + view.line], [7, 10]);
    assert.deepEqual([entry.loopDepth, body.loopDepth, end.loopDepth], [0, 1, 0]);
    // a alone is live at the loop's head and behind it
    assert.equal(body.entry[0], 1);
    assert.equal(body.exit[0], 1);
    assert.ok(body.isLoopHead);
  });

  for (const { name, snapshot } of exampleSnapshots)
    it(`agrees with the live ranges: ${name}`, () => {
      for (const shown of functionsOf(snapshot)) {
        const view = controlFlowView(snapshot, shown);
        const ranges = liveRangesView(snapshot, shown);
        const live = unitsAtPoints(ranges);
        const f = shown.compilation.source;
        assert.deepEqual(
          view.blocks.map((b) => b.first),
          ranges.blocks.start.slice(0, -1),
        );
        for (const block of view.blocks) {
          if (block.length === 0) continue;
          block.entry.forEach((units, k) => assert.equal(units, Math.ceil(live[k][2 * block.first])));
          block.peakWritten.forEach((peak, k) =>
            assert.equal(
              peak,
              Math.max(...ranges.classes[k].asWritten.slice(block.first, block.first + block.length)),
            ),
          );
        }
        assert.deepEqual(
          view.edges.map(({ to }) => to),
          Array.from(f.successors.subarray(0, f.successorStart[f.blockCount])),
        );
        for (const edge of view.edges) {
          if (edge.kind === 'fallThrough') assert.equal(edge.to, edge.from + 1);
          if (view.blocks[edge.from].isReachable && view.blocks[edge.to].loopEntries === 0)
            assert.equal(edge.isBack, isPassed(view, edge.to, edge.from), `${edge.from} to ${edge.to}`);
        }
        const waits = shown.compilation.stalls.reduce((sum, { cycles }) => sum + cycles, 0);
        assert.equal(
          view.blocks.reduce((sum, { stallCycles }) => sum + stallCycles, 0),
          waits,
        );
      }
    });
});

describe('a loop that is entered at two blocks', () => {
  const text = [
    '.version 7.8',
    '.target sm_80',
    '.address_size 64',
    '.visible .entry irr(.param .u64 A)',
    '{',
    ' .reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %p<3>;',
    ' ld.param.u64 %d1, [A];',
    ' mov.u32 %r1, %tid.x;',
    ' setp.eq.u32 %p1, %r1, 3;',
    ' @%p1 bra M;',
    'K:',
    ' add.u32 %r1, %r1, 5;',
    ' setp.gt.u32 %p2, %r1, 99;',
    ' @%p2 bra E;',
    'M:',
    ' add.u32 %r1, %r1, 7;',
    ' setp.lt.u32 %p1, %r1, 1000;',
    ' @%p1 bra K;',
    'E:',
    ' st.global.u32 [%d1], %r1;',
    ' ret;',
    '}',
    '',
  ].join('\n');
  const pair = languageForPath('irr.ptx');
  assert.ok(pair);
  const view = pictureOf(snapshotOf(text, pair.language, pair.target), controlFlowView);
  const at = (name: string): number => view.blocks.findIndex((block) => block.name === name);

  it('has two entries, and is closed on the ways between them', () => {
    const entries = view.blocks.filter(({ loopEntries }) => loopEntries > 0);
    assert.deepEqual(
      entries.map(({ name, loopEntries }) => [name, loopEntries]),
      [
        ['K', 2],
        ['M', 2],
      ],
    );
    assert.deepEqual(
      view.edges.filter(({ isBack }) => isBack).map(({ from, to }) => [from, to]),
      [
        [at('K'), at('M')],
        [at('M'), at('K')],
      ],
    );
  });

  it('is called so in the picture, which leads down from one entry to the other', () => {
    const graph = graphOf(view);
    assert.match(boxLines(graph.blocks[at('K')])[0], /^3 instructions · two-entry loop$/);
    const facts = new Map(blockFacts(graph, at('M')));
    assert.match(facts.get('Loops around') ?? '', /^1, an entry of a two-entry loop$/);
    assert.match(facts.get('Comes from') ?? '', /K \(falls through, closes a loop\)/);
    assert.match(facts.get('Goes to') ?? '', /K \(branch back\)/);
    assert.match(summaryWords(graph), /1 loop, 1 of them with several entries\./);
    const layout = layered({ sizes: graph.sizes, edges: graph.edges });
    assert.ok(layout.y[at('K')] < layout.y[at('M')]);
  });
});

describe('which function is shown', () => {
  const text = 'version 1\nfn a {\n  ret\n}\nfn b {\n  ret\n}\nglobal g 4\n';
  const nameAt = (line: number, name?: string): string | undefined =>
    shownFunction(toy(text), { name, position: { line, character: 2 } })?.compilation.source.name;

  it('is the one at the cursor, else the next one, else the last', () => {
    assert.equal(nameAt(0), 'a');
    assert.equal(nameAt(2), 'a');
    assert.equal(nameAt(5), 'b');
    assert.equal(nameAt(7), 'b');
    assert.equal(shownFunction(toy('version 1\n'), {}), undefined);
  });

  it('is the one that is asked for by name, while it is there', () => {
    assert.equal(nameAt(2, 'b'), 'b');
    assert.equal(nameAt(2, 'gone'), 'a');
  });
});
