import assert from 'node:assert/strict';
import { codeActions } from '../../../server/src/features/code-actions.js';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import type { GenCompilation } from '../../../server/src/targets/gen/compilation.js';
import { gen } from '../../../server/src/targets/gen/index.js';
import { defaultSettings } from '../../../server/src/workspace/settings.js';
import type { Snapshot } from '../../../server/src/workspace/snapshot.js';
import { applyEdits } from '../../support/fixture.js';
import { executionUnit } from '../../support/gen-rewrites.js';
import { assertSameResults, splits } from '../../support/rewrites.js';
import { snapshotOf } from '../../support/snapshot.js';

/**
 * Six vectors that a loop reads in every round, and six more that are needed together with them in front of it: some
 * have to be spilled, and whoever spills one of the former reloads it in every round.
 */
const LOOP = `.gen 1
.program rounds
.target ivb
.stage vs
.mode simd4x2
.payload g0-g2
.grf_limit 14
.vgrf 91 size 1 type UD address
  mov(8) vgrf91:UD, g2.0.xxxx:UD
${Array.from(
  { length: 12 },
  (_, k) =>
    `  untyped_surface_read(8) vgrf${k + 1}:UD, vgrf91.xyzw:UD, 34U, 4U\n  add(8) vgrf91:UD, vgrf91.xxxx:UD, 16U`,
).join('\n')}
  mov(8) vgrf90:F, 0.000000F
${Array.from({ length: 12 }, (_, k) => `  mad(8) vgrf90:F, vgrf90.xyzw:F, vgrf${7 + (k % 6)}.xyzw:F, vgrf${7 + (k % 6)}.yzwx:F`).join('\n')}
  mov(8) vgrf92:D, 0D
  do(8)
  cmp.ge.f0.0(8) null:D, vgrf92.xyzw:D, 8D
  (+f0.0) break(8)
${Array.from({ length: 6 }, (_, k) => `  mad(8) vgrf90:F, vgrf90.xyzw:F, vgrf${6 - k}.xyzw:F, vgrf${6 - k}.zwxy:F`).join('\n')}
  add(8) vgrf92:D, vgrf92.xyzw:D, 1D
  while(8)
  mov(8) m1:UD, g0.0.xyzw:UD
  mov(8) m2:F, 0.000000F
  mov(8) m3:F, vgrf90.xyzw:F
  vs_urb_write(8) (null):UD {mlen 3, base_mrf 1, eot}
`;

function snapshot(text: string, strategy: 'i965' | 'best'): Snapshot {
  const settings = { ...defaultSettings, targets: { ...defaultSettings.targets, gen: { strategy } } };
  return snapshotOf(text, genIr, gen, { settings });
}

const spillBytes = (s: Snapshot): number => {
  const { stats } = s.units[0].compilation as GenCompilation;
  return stats.spills.storeBytes + stats.spills.loadBytes;
};

describe('split', function () {
  this.timeout(60_000);

  for (const strategy of ['i965', 'best'] as const)
    it(`cuts a range in front of the loop that reads it, so that it is reloaded there (${strategy})`, () => {
      const s = snapshot(LOOP, strategy);
      const at = s.lines.positionAt(LOOP.indexOf('rounds'));
      const action = codeActions(s, { start: at, end: at }, { only: ['refactor.rewrite'] }).find((a) =>
        a.title.startsWith('Split `vgrf1` with a copy'),
      );
      assert.ok(action !== undefined);
      const [, was, is] = /bytes spilled and reloaded (\d+) → (\d+)/.exec(action.title) ?? [];
      const after = applyEdits(
        LOOP,
        action.edits.map(({ range, newText }) => ({
          span: { start: s.lines.offsetAt(range.start), end: s.lines.offsetAt(range.end) },
          newText,
        })),
      );
      assert.match(after, /mov\(8\) vgrf93:UD, vgrf1\.xyzw:UD NoMask\n {2}do\(8\)/);
      assert.match(after, /mad\(8\) vgrf90:F, vgrf90\.xyzw:F, vgrf93\.xyzw:F, vgrf93\.zwxy:F/);
      assert.deepEqual([spillBytes(s), spillBytes(snapshot(after, strategy))], [Number(was), Number(is)]);
      assert.ok(Number(is) < Number(was));
    });

  it('gives unrelated values under one name a name each', () => {
    const text = `.gen 1
.mode simd8
  mov(8) vgrf0:F, u0<0>:F
  add(8) vgrf1:F, vgrf0:F, vgrf0:F
  mov(8) vgrf0:F, u1<0>:F
  mul(8) vgrf2:F, vgrf0:F, vgrf1:F
  send(8) (mlen: 1) (EOT) (null):UD, 0u, 0u, vgrf2:F
`;
    const texts: string[] = [];
    assertSameResults(
      text,
      (s, unit) => {
        const found = [...splits(s, unit)];
        texts.push(...found.map(({ title }) => title));
        return found;
      },
      Infinity,
      executionUnit,
    );
    assert.deepEqual(
      texts.filter((t) => t.includes('into its')),
      ['Split `vgrf0` into its 2 values'],
    );
  });

  it('puts no copy where lanes wait, and leaves alone what crosses lanes there', () => {
    const inside = `.gen 1
.mode simd8
  mov(8) vgrf0:F, u0<0>:F
  cmp.ge.f0.0(8) null:F, vgrf0:F, 1F
  (+f0.0) if(8)
  add(8) vgrf1:F, vgrf0:F, 1F
  add(8) vgrf2:F, vgrf1:F, 2F
  add(8) vgrf3:F, vgrf2:F, vgrf0:F
  add(8) vgrf3:F, vgrf3:F, vgrf0:F
  endif(8)
  send(8) (mlen: 1) (EOT) (null):UD, 0u, 0u, vgrf3:F
`;
    const linesOf = (text: string): string[] => {
      const s = snapshot(text, 'best');
      return [...splits(s, s.units[0])].map(({ title }) => title).filter((t) => t.includes('vgrf0'));
    };
    // in front of the `if`, and nowhere behind it
    assert.deepEqual(linesOf(inside), ['Split `vgrf0` with a copy in line 5']);
    const behind = inside.replace(
      '  endif(8)\n',
      '  endif(8)\n  mov(8) vgrf9:F, u2<0>:F\n  add(8) vgrf3:F, vgrf0:F, vgrf9:F\n  add(8) vgrf3:F, vgrf0:F, vgrf3:F\n',
    );
    assert.ok(linesOf(behind).some((t) => t.endsWith('in line 12')));
    assert.deepEqual(linesOf(behind.replace('vgrf2:F, vgrf0:F', 'vgrf2:F, vgrf0<0>:F')), []);
  });
});
