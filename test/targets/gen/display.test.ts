import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { display } from '../../../server/src/targets/gen/display.js';
import { gen } from '../../../server/src/targets/gen/index.js';
import type { Function } from '../../../server/src/ir/function.js';
import { listingOf } from '../../../server/src/targets/gen/listing.js';
import { genFunctionOf } from '../../support/gen-dump-program.js';

function functionOf(text: string): Function {
  const { source } = genFunctionOf(text);
  assert.ok(source !== undefined);
  return source;
}

/** Eight constants, read twice in the same order, in five registers beside the payload. */
const constants = [
  '.gen 1',
  '.target ivb',
  '.mode simd4x2',
  '.payload g0-g2',
  '.grf_limit 8',
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((r) => `mov(8) vgrf${r}:F, ${r}.500000F`),
  'mov(8) vgrf9:F, g2.0.xyzw:F',
  ...[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8].map(
    (r) => `mad(8) vgrf9:F, vgrf9.xyzw:F, vgrf${r}.xyzw:F, vgrf${r}.yzwx:F`,
  ),
  'mov(8) m1:UD, g0.0.xyzw:UD',
  'mov(8) m2:F, vgrf9.xyzw:F',
  'vs_urb_write(8) (null):UD {mlen 3, base_mrf 1, eot}',
].join('\n');

describe('gen: what a person is shown', () => {
  it('recomputed registers name the lines in front of which the listing computes them again', () => {
    const source = functionOf(constants);
    const c = gen.compile(source, {});
    const { lines, source: origins } = listingOf(c);
    const recomputed = c.spilled.filter(({ how }) => how === 'recomputed');
    assert.ok(recomputed.length > 0);
    for (const { register } of recomputed) {
      const value = `mov\\(8\\) g\\d+:F, ${source.registerNames[register].replace(/^\D+/, '')}\\.500000F`;
      const behind = lines.flatMap((text, k) =>
        origins[k] < 0 && new RegExp(value).test(text)
          ? [origins.slice(k).find((origin) => origin >= 0) ?? -1]
          : [],
      );
      const rows = new Map(display.ofRegister?.(c, register, (instruction) => instruction));
      assert.equal(rows.get('Computed again before'), behind.map((i) => `line ${i}`).join(', '));
      assert.equal(rows.get('Reloaded before'), undefined);
    }
  });

  it('a selection listing says which label, where a jump goes and which flag a comparison writes', () => {
    const source = functionOf(
      [
        "k's SELECTION IR begin:",
        '[0]    \t  L0:',
        '[2]    \tCMP.ge(16)          arf     \t:\t%46<8,8,1>:D\t%44<0,1,0>:D\t',
        '[4](f45)\tJMPI(1)             :\t0:D\t; jip=L7',
        '[6]    \tADD(16)             %46<1>:D\t:\t%46<8,8,1>:D\t1:D\t',
        '[8]    \t  L7:',
        '[10]    \tEOT(16)             :\t',
        "k's SELECTION IR end.",
      ].join('\n'),
    );
    const { lines } = listingOf(gen.compile(source, {}));
    const text = lines.join('\n');
    assert.match(text, /0: +L0:/);
    assert.match(text, /CMP\.ge\(16\)\[f\d\.\d\]/);
    assert.match(text, /JMPI\(1\).*; jip=L7/);
    assert.match(text, / L7:/);
  });

  it('where nothing was allocated one message says so, with the figures', () => {
    const { problems } = gen.compile(functionOf(constants.replace('grf_limit 8', 'grf_limit 3')), {});
    const about = problems.filter(({ code }) => code.startsWith('pressure/'));
    assert.deepEqual(
      about.map(({ code }) => code),
      ['pressure/allocation'],
    );
    assert.match(about[0].message, /into 3 registers \(\.grf_limit\), with \d+ live at once as written/);
  });

  it('assumes no response of a send that has none', () => {
    const source = functionOf('0: send(8) (mlen: 4) (EOT) (null):UD, 0u, 0u, g2:F');
    const { problems } = gen.compile(source, {});
    assert.ok(problems.every(({ message }) => !message.includes('{rlen')));
  });
});
