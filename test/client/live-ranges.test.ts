import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  arrange,
  firstEndingAfter,
  registerAt,
  type Order,
} from '../../client/src/views/live-ranges/columns.js';
import {
  columnLeft,
  contentSize,
  frameOf,
  hitAt,
  HEADER_HEIGHT,
  pointTop,
  pressureScale,
  revealed,
  rowTop,
  visibleColumns,
  visibleRows,
  zoomed,
  type Viewport,
} from '../../client/src/views/live-ranges/geometry.js';
import { MinHeap } from '../../client/src/views/live-ranges/heap.js';
import { actionOf, stepped } from '../../client/src/views/live-ranges/keys.js';
import {
  isLiveDuring,
  lineOfRow,
  liveDuring,
  modelOf,
  rowOfLine,
  type Model,
} from '../../client/src/views/live-ranges/model.js';
import {
  isFixed,
  liveRows,
  registerFacts,
  rowAnnouncement,
  summaryWords,
} from '../../client/src/views/live-ranges/text.js';
import type { LiveRangesView } from '../../server/src/features/views/data.js';
import { shownFunction } from '../../server/src/features/views/function.js';
import { liveRangesView } from '../../server/src/features/views/live-ranges.js';
import { languageForPath } from '../../server/src/workspace/registry.js';
import { runs } from '../support/fuzz.js';
import { snapshotOf } from '../support/snapshot.js';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';

interface RandomRegister {
  readonly segments: readonly (readonly [from: number, to: number])[];
  readonly width: number;
  readonly shownClass: number;
  readonly kind: number;
  readonly index: number;
}

/** A function that is nothing but its registers. */
function viewOf(count: number, registers: readonly RandomRegister[]): LiveRangesView {
  const segmentStart = [0];
  for (const { segments } of registers)
    segmentStart.push(segmentStart[segmentStart.length - 1] + segments.length);
  const none = registers.map(() => 0).concat(0);
  const zeros = Array<number>(count).fill(0);
  const shownClass = (name: string) => ({
    name,
    unit: `${name} unit`,
    asWritten: zeros,
    asCompiled: zeros,
    peakWritten: 0,
    peakWrittenAt: -1,
    peakCompiled: 0,
    peakCompiledAt: -1,
  });
  return {
    id: 'x',
    name: 'f',
    language: 'Toy',
    target: 'toy',
    model: 'toy, limit 8',
    line: 10,
    lineCount: 3 * count,
    summary: '',
    instructions: {
      line: zeros.map((_, i) => 2 * i + 1),
      text: zeros.map((_, i) => `instruction ${i}`).join('\n'),
    },
    blocks: { start: [0, count], name: [''], loopDepth: [0] },
    classes: [shownClass('general'), shownClass('predicate')],
    registers: {
      virtualCount: registers.length,
      names: registers.map((_, r) => `%r${r}`),
      class: registers.map((r) => r.shownClass),
      width: registers.map((r) => r.width),
      definitionStart: none,
      definitions: [],
      useStart: none,
      uses: [],
      segmentStart,
      from: registers.flatMap(({ segments }) => segments.map(([from]) => from)),
      to: registers.flatMap(({ segments }) => segments.map(([, to]) => to)),
      kind: registers.map((r) => r.kind),
      index: registers.map((r) => (r.kind === 0 ? r.index : -1)),
      placeClass: registers.map((r) => (r.kind === 0 ? r.shownClass : -1)),
      placeClasses: ['general', 'predicate'],
      place: registers.map(() => ''),
    },
    spills: [],
    limit: 8,
    limitedBy: 'option',
    occupancySteps: [],
  };
}

const COUNT = 30;

const randomModel = (widths: readonly number[] = [1, 1, 1, 2, 4]): fc.Arbitrary<Model> =>
  fc
    .array(
      fc.record({
        segments: fc
          .uniqueArray(fc.nat({ max: 2 * COUNT }), { minLength: 0, maxLength: 6 })
          .map((points) => points.sort((a, b) => a - b))
          .map((points) =>
            points.flatMap((p, k): [number, number][] => (k % 2 === 1 ? [[points[k - 1], p]] : [])),
          ),
        width: fc.constantFrom(...widths),
        shownClass: fc.constantFrom(0, 0, 1),
        kind: fc.constantFrom(0, 0, 0, 1, 2, 3),
        index: fc.nat({ max: 5 }),
      }),
      { maxLength: 24 },
    )
    .map((registers) => modelOf(viewOf(COUNT, registers)));

const orders: readonly Order[] = ['packed', 'definition', 'place'];
const all = { shownClass: -1, text: '' };

const anyViewport: fc.Arbitrary<Viewport> = fc.record({
  scrollX: fc.nat({ max: 300 }),
  scrollY: fc.nat({ max: 900 }),
  width: fc.integer({ min: 500, max: 1400 }),
  height: fc.integer({ min: 120, max: 900 }),
  rowHeight: fc.constantFrom(0.3, 1, 2.5, 7, 12, 18, 28),
});

describe('columns of the live-range picture', () => {
  it('never hold two registers at one point, in any order', () => {
    fc.assert(
      fc.property(randomModel(), (m) => {
        for (const order of orders) {
          const a = arrange(m, order, all);
          for (let r = 0; r < m.registerCount; r++) {
            assert.equal(a.column[r] >= 0, m.first[r] >= 0, 'what is ever live is shown');
            if (a.column[r] < 0) continue;
            assert.ok(a.column[r] + a.span[r] <= a.columnCount);
            for (let q = 0; q < r; q++) {
              if (a.column[q] < 0) continue;
              const sharesColumn =
                a.column[r] < a.column[q] + a.span[q] && a.column[q] < a.column[r] + a.span[r];
              const overlaps = m.first[r] < m.last[q] && m.first[q] < m.last[r];
              assert.ok(!sharesColumn || !overlaps, `${order}: ${q} and ${r}`);
            }
          }
        }
      }),
      { numRuns: runs(150) },
    );
  });

  it('are as many as registers of one unit live at once, where they are packed', () => {
    fc.assert(
      fc.property(randomModel([1]), (m) => {
        let most = 0;
        for (let point = 0; point < 2 * COUNT; point++) {
          let live = 0;
          for (let r = 0; r < m.registerCount; r++) if (m.first[r] <= point && point < m.last[r]) live++;
          most = Math.max(most, live);
        }
        assert.equal(arrange(m, 'packed', all).columnCount, most);
      }),
      { numRuns: runs(150) },
    );
  });

  it('find the register at a point as a search through all does', () => {
    fc.assert(
      fc.property(randomModel(), fc.constantFrom(...orders), (m, order) => {
        const a = arrange(m, order, all);
        for (let c = -1; c <= a.columnCount; c++)
          for (let point = 0; point < 2 * COUNT; point++) {
            let expected = -1;
            for (let r = 0; r < m.registerCount; r++) {
              const isIn = a.column[r] >= 0 && a.column[r] <= c && c < a.column[r] + a.span[r];
              if (isIn && m.first[r] <= point && point < m.last[r]) expected = r;
            }
            assert.equal(registerAt(m, a, c, point), expected);
            if (expected >= 0) assert.equal(a.register[firstEndingAfter(m, a, c, point)], expected);
          }
      }),
      { numRuns: runs(60) },
    );
  });

  it('show what passes the filter', () => {
    const register = (shownClass: number): RandomRegister => ({
      segments: [[0, 4]],
      width: 1,
      shownClass,
      kind: 0,
      index: 0,
    });
    const m = modelOf(viewOf(4, [register(0), register(1), register(0)]));
    const shown = (shownClass: number, text: string): number[] => {
      const { column } = arrange(m, 'packed', { shownClass, text });
      return [...column.keys()].filter((r) => column[r] >= 0);
    };
    assert.deepEqual(shown(-1, ''), [0, 1, 2]);
    assert.deepEqual(shown(1, ''), [1]);
    assert.deepEqual(shown(-1, ' R2  r1 '), [1, 2]);
    assert.deepEqual(shown(0, 'r1'), []);
  });

  it('stand together by place', () => {
    const at = (index: number, from: number): RandomRegister => ({
      segments: [[from, from + 2]],
      width: 1,
      shownClass: 0,
      kind: 0,
      index,
    });
    const spilled: RandomRegister = { ...at(0, 0), kind: 1 };
    const a = arrange(modelOf(viewOf(4, [at(3, 0), spilled, at(0, 1), at(3, 2)])), 'place', all);
    assert.deepEqual(
      a.groups.map(({ label, span }) => `${label} ${span}`),
      ['G0 1', 'G3 1', 'spilled 1'],
    );
    assert.equal(a.column[0], a.column[3]);
  });
});

describe('geometry of the live-range picture', () => {
  it('hits what is drawn at a pixel', () => {
    fc.assert(
      fc.property(randomModel(), anyViewport, fc.constantFrom(...orders), (m, viewport, order) => {
        const a = arrange(m, order, all);
        const frame = frameOf(m, viewport);
        for (let r = 0; r < m.registerCount; r++) {
          if (a.column[r] < 0) continue;
          const x = columnLeft(viewport, frame, a.column[r]) + (a.span[r] * frame.columnWidth) / 2;
          const point = m.first[r];
          const y = pointTop(viewport, frame, point) + viewport.rowHeight / 4;
          if (x < frame.registers || y < HEADER_HEIGHT) continue;
          const hit = hitAt(m, a, viewport, frame, x, y);
          assert.deepEqual(hit, { part: 'registers', row: point >> 1, register: r });
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('looks at the rows and columns that are visible, and at no others', () => {
    fc.assert(
      fc.property(randomModel(), anyViewport, (m, viewport) => {
        const a = arrange(m, 'definition', all);
        const frame = frameOf(m, viewport);
        const [first, end] = visibleRows(viewport, frame, m.count);
        for (let i = 0; i < m.count; i++) {
          const top = rowTop(viewport, frame, i);
          const isVisible = top + viewport.rowHeight > HEADER_HEIGHT + 1e-6 && top < viewport.height - 1e-6;
          if (isVisible) assert.ok(first <= i && i < end, `row ${i}`);
          else if (first <= i && i < end) {
            // at a border it may be off by what rounding makes of it
            assert.ok(top + viewport.rowHeight > HEADER_HEIGHT - 1 && top < viewport.height + 1);
          }
        }
        const [firstColumn, endColumn] = visibleColumns(viewport, frame, a.columnCount);
        for (let c = 0; c < a.columnCount; c++) {
          const left = columnLeft(viewport, frame, c);
          const isVisible = left + frame.columnWidth > frame.registers && left < viewport.width;
          assert.equal(firstColumn <= c && c < endColumn, isVisible, `column ${c}`);
        }
        const size = contentSize(m, a, frame, viewport.rowHeight);
        assert.ok(size.height >= rowTop({ ...viewport, scrollY: 0 }, frame, m.count));
      }),
      { numRuns: runs(100) },
    );
  });

  it('keeps what is under the pointer when it zooms, as far as the ends allow', () => {
    fc.assert(
      fc.property(anyViewport, fc.double({ min: 0.01, max: 60, noNaN: true }), (viewport, wanted) => {
        const y = viewport.height / 2;
        const before = (viewport.scrollY + y - HEADER_HEIGHT) / viewport.rowHeight;
        const next = zoomed(viewport, 1000, wanted, y);
        const after = (next.scrollY + y - HEADER_HEIGHT) / next.rowHeight;
        if (next.scrollY > 0) assert.ok(Math.abs(before - after) < 1e-6 * Math.max(1, before));
        assert.ok(next.rowHeight > 0 && next.rowHeight <= 28);
      }),
      { numRuns: runs(200) },
    );
  });

  it('scrolls to a row, and not at all when it is visible', () => {
    fc.assert(
      fc.property(anyViewport, fc.nat({ max: 2000 }), (viewport, row) => {
        const scrollY = revealed(viewport, row);
        const top = row * viewport.rowHeight - scrollY;
        assert.ok(top >= -1e-6 && top + viewport.rowHeight <= viewport.height - HEADER_HEIGHT + 1e-6);
        assert.equal(revealed({ ...viewport, scrollY }, row), scrollY);
      }),
      { numRuns: runs(200) },
    );
  });

  it('shows a limit that is near the peak, and the steps below the end of the scale', () => {
    const steps = [
      { registers: 32, warps: 64 },
      { registers: 40, warps: 48 },
      { registers: 255, warps: 8 },
    ];
    assert.equal(pressureScale(20, 255, steps).showsLimit, false);
    assert.ok(pressureScale(20, 24, steps).showsLimit);
    assert.deepEqual(
      pressureScale(35, 255, steps).steps.map(({ registers }) => registers),
      [32, 40],
    );
    assert.ok(pressureScale(35, 255, steps).most >= 40);
    assert.ok(pressureScale(0, 0, []).most > 0);
  });
});

const text = [
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

function toyModel(): Model {
  const s = snapshotOf(`version 1\n${text}`, toyLanguage, toyTarget);
  const shown = shownFunction(s, { name: 'k' });
  assert.ok(shown);
  return modelOf(liveRangesView(s, shown));
}

describe('the live-range picture in words', () => {
  const m = toyModel();
  const rowIn = (line: number): number => rowOfLine(m, line - 1);
  const register = (name: string): number => m.view.registers.names.indexOf(name);

  it('finds the instruction of a line', () => {
    assert.equal(rowIn(5), 0);
    assert.equal(rowIn(6), 0, 'a label: the instruction above it');
    assert.equal(rowIn(7), 1);
    assert.equal(rowIn(2), -1, 'above the first one');
    assert.equal(rowIn(99), m.count - 1);
    for (let i = 0; i < m.count; i++) assert.equal(rowOfLine(m, lineOfRow(m, i)), i);
  });

  it('says what is known of a register', () => {
    const facts = new Map(registerFacts(m, register('b')));
    assert.equal(facts.get('Written'), '7');
    assert.equal(facts.get('Read'), '8, 9');
    assert.equal(facts.get('Live'), '7–9');
  });

  it('lists who is live: first what is touched, then by the distance of the next use', () => {
    const rows = (line: number): string[] =>
      liveRows(m, rowIn(line), -1).map(({ name, role }) => `${name}: ${role}`);
    assert.deepEqual(rows(8), ['a: read and written here', 'b: read here']);
    assert.deepEqual(rows(9), ['a: read here', 'b: last read here', 'p: written here']);
    assert.deepEqual(rows(10), ['p: last read here', 'a: next read: 11']);
    assert.deepEqual(liveRows(m, -1, -1), []);
  });

  it('agrees with the ranges about who is live', () => {
    fc.assert(
      fc.property(randomModel(), (random) => {
        for (let i = 0; i < random.count; i++) {
          const live = new Set(liveDuring(random, i, -1));
          for (let r = 0; r < random.registerCount; r++)
            assert.equal(live.has(r), isLiveDuring(random, r, i), `${r} at ${i}`);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('reads a line aloud, and the whole picture', () => {
    assert.match(
      rowAnnouncement(m, rowIn(8), -1),
      /^Line 8: add a, a, b\. Live: \d+ as written.*\. Live: a, read and written here; b, read here\.$/,
    );
    assert.match(rowAnnouncement(m, -1, -1), /No instruction/);
    assert.match(summaryWords(m), /^Live ranges of k, .*: 7 instructions, .*Nothing is spilled\.$/);
  });

  it('names a payload, says that it was there before, and groups it by its place', () => {
    const text = readFileSync(new URL('../../../examples/rain.gen', import.meta.url), 'utf8');
    const pair = languageForPath('rain.gen');
    assert.ok(pair);
    const snapshot = snapshotOf(text, pair.language, pair.target);
    const shown = shownFunction(snapshot, {});
    assert.ok(shown);
    const rain = modelOf(liveRangesView(snapshot, shown));
    const bar = rain.view.registers.names.indexOf('payload g0–g2');
    assert.ok(isFixed(rain, bar));
    const facts = new Map(registerFacts(rain, bar));
    assert.equal(facts.get('Written'), 'before the first instruction');
    assert.equal(facts.get('Size'), '3 GRFs');
    assert.match(facts.get('Place') ?? '', /0–2$/);
    // three of what is needed in the first line, and there is nothing else before it
    assert.deepEqual(liveRows(rain, 0, 0).at(-1)?.role, 'read here');
    assert.match(rowAnnouncement(rain, 0, 0), /payload g0–g2, read here/);
    // g0 is copied into the header of the last message
    assert.equal(liveRows(rain, 30, 0).find(({ register }) => register === bar)?.role, 'next read: 57');
    assert.match(summaryWords(rain), /virtual registers\. Beside them hold values: payload g0–g2\./);
    const { groups, column } = arrange(rain, 'place', all);
    const at = groups.find((group) => group.column <= column[bar] && column[bar] < group.column + group.span);
    assert.equal(at?.label, 'G0');
  });

  it('has words for an empty function', () => {
    const empty = modelOf(viewOf(0, []));
    assert.equal(rowOfLine(empty, 11), -1);
    assert.match(summaryWords(empty), /0 instructions/);
    assert.equal(arrange(empty, 'packed', all).columnCount, 0);
  });
});

describe('keys of the live-range picture', () => {
  it('step inside the function', () => {
    const row = (key: string, from: number): number => {
      const action = actionOf(key);
      assert.equal(action?.kind, 'row');
      return stepped(from, action.step, 10, 25);
    };
    assert.equal(row('ArrowDown', 3), 4);
    assert.equal(row('ArrowUp', 0), 0);
    assert.equal(row('PageDown', 20), 24);
    assert.equal(row('End', 0), 24);
    assert.equal(row('Home', 7), 0);
    assert.equal(row('ArrowDown', -1), 0);
    assert.equal(actionOf('x'), undefined);
    assert.equal(stepped(-1, { rows: 1 }, 10, 0), -1);
  });
});

describe('the heap', () => {
  it('gives numbers back in order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (numbers) => {
        const heap = new MinHeap();
        for (const n of numbers) heap.push(n);
        const out: number[] = [];
        while (heap.size > 0) out.push(heap.pop()!);
        assert.deepEqual(
          out,
          numbers.sort((a, b) => a - b),
        );
      }),
      { numRuns: runs(100) },
    );
  });
});
