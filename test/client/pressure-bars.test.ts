import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  barStyles,
  barsOf,
  barSvg,
  LEVELS,
  levelOf,
  marksOf,
  merged,
  SHADES,
  styleOf,
  type LineRange,
} from '../../client/src/views/pressure/bars.js';
import type { PressureLines } from '../../server/src/features/pressure-lines.js';
import { runs } from '../support/fuzz.js';

function functionOf(more: Partial<PressureLines>): PressureLines {
  const asCompiled = more.asCompiled ?? [];
  return {
    id: 'f',
    name: 'f',
    model: 'a machine',
    line: 0,
    unit: 'register',
    limit: 16,
    peakWritten: Math.max(0, ...asCompiled),
    peakCompiled: Math.max(0, ...asCompiled),
    lines: asCompiled.map((_, k) => k),
    asWritten: asCompiled,
    asCompiled,
    peaks: [],
    spills: [],
    ...more,
  };
}

const everywhere = [{ first: -100, last: 1_000_000 }];
const range = (first: number, last = first): LineRange => ({ first, last });

describe('bars for the pressure on the lines', () => {
  it('are as long as the share of the scale, and never vanish where something is needed', () => {
    assert.deepEqual(
      [0, 1, 8, 9, 16, 40].map((needed) => levelOf(needed, 16)),
      [0, 1, 4, 5, LEVELS, LEVELS],
    );
    assert.equal(levelOf(1, 255), 1);
    assert.equal(levelOf(3, 0), 0);
  });

  it('join lines of the same style, and leave a gap where there is no instruction', () => {
    const f = functionOf({ line: 10, lines: [0, 1, 3, 4], asCompiled: [8, 8, 8, 0], limit: 16 });
    assert.deepEqual([...barsOf([f], 'gutter', 'peak', everywhere)], [['bar8', [range(10, 11), range(13)]]]);
    assert.deepEqual([...barsOf([f], 'gutter', 'limit', everywhere).keys()], ['bar4']);
  });

  it('tell lines that do not fit as they are written', () => {
    const f = functionOf({ asCompiled: [4, 4], asWritten: [4, 5], limit: 4 });
    assert.deepEqual(
      [...barsOf([f], 'gutter', 'peak', everywhere)],
      [
        ['bar8', [range(0)]],
        ['over8', [range(1)]],
      ],
    );
    assert.deepEqual([...barsOf([f], 'background', 'peak', everywhere).keys()], ['shade4', 'shadeOver']);
  });

  it('are those of the visible lines, each once, whatever overlaps', () => {
    const figures = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), needed: fc.nat(9) }), {
      maxLength: 20,
    });
    const ranges = fc.array(fc.record({ first: fc.integer({ min: -5, max: 40 }), length: fc.nat(12) }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(figures, ranges, fc.constantFrom('peak', 'limit'), (entries, seen, scale) => {
        let line = -1;
        const lines = entries.map(({ gap }) => (line += gap));
        const asCompiled = entries.map(({ needed }) => needed);
        const f = functionOf({ line: 3, lines, asCompiled, asWritten: asCompiled, limit: 6 });
        const visible = seen.map(({ first, length }) => range(first, first + length));
        const drawn = new Map<number, string>();
        for (const [key, found] of barsOf([f], 'gutter', scale, visible))
          for (const { first, last } of found)
            for (let at = first; at <= last; at++) {
              assert.ok(!drawn.has(at), `line ${at} twice`);
              drawn.set(at, key);
            }
        const full = scale === 'limit' ? 6 : Math.max(0, ...asCompiled);
        const expected = new Map<number, string>();
        lines.forEach((own, k) => {
          const at = own + 3;
          const isVisible = visible.some(({ first, last }) => first <= at && at <= last);
          const level = levelOf(asCompiled[k], full);
          if (isVisible && level > 0) expected.set(at, styleOf('gutter', level, asCompiled[k] > 6));
        });
        assert.deepEqual(new Map([...drawn].sort(([a], [b]) => a - b)), expected);
      }),
      { numRuns: runs(60) },
    );
  });

  it('have a fixed number of styles', () => {
    assert.equal(new Set(barStyles.map(({ key }) => key)).size, 2 * LEVELS);
    const shades = new Set(Array.from({ length: LEVELS }, (_, k) => styleOf('background', k + 1, false)));
    assert.equal(shades.size, SHADES);
    assert.equal(
      new Set(barStyles.map(({ level, isOver }) => barSvg(level, isOver, 'dark'))).size,
      2 * LEVELS,
    );
  });

  it('are seen on light and on dark ground', () => {
    for (const [theme, ground] of [
      ['light', 1],
      ['dark', 0],
    ] as const)
      for (const isOver of [false, true]) {
        const colour = /fill="#([0-9a-f]{6})"/.exec(barSvg(LEVELS, isOver, theme))?.[1] ?? '';
        const luminance = luminanceOf(colour);
        const contrast = (Math.max(luminance, ground) + 0.05) / (Math.min(luminance, ground) + 0.05);
        assert.ok(contrast >= 3, `${colour} on ${theme}: ${contrast}`);
      }
  });
});

/** As WCAG 2 defines it. */
function luminanceOf(colour: string): number {
  const [r, g, b] = [0, 2, 4].map((at) => {
    const c = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

describe('the figures that are known', () => {
  const a = functionOf({ id: 'a', line: 1 });
  const b = functionOf({ id: 'b', line: 9 });

  it('move with their functions, and go with them', () => {
    assert.deepEqual(merged([a, b], [{ same: 'b', line: 12 }]), [{ ...b, line: 12 }]);
    const c = functionOf({ id: 'c', line: 3 });
    assert.deepEqual(merged([a, b], [c, { same: 'a', line: 7 }, { same: 'unknown', line: 9 }]), [
      c,
      { ...a, line: 7 },
    ]);
  });

  it('mark each line of the ruler once', () => {
    const f = functionOf({
      line: 5,
      peaks: [
        { line: 2, asCompiled: 3 },
        { line: 2, asWritten: 4 },
      ],
      spills: [{ line: 1, stores: ['x'], reloads: [] }],
    });
    assert.deepEqual(marksOf([f, a]), { peaks: [7], spills: [6] });
  });
});
