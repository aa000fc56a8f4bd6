import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { Rewrite } from '../../../server/src/features/rewrites/candidates.js';
import { reordered } from '../../../server/src/features/rewrites/reorder.js';
import { runs } from '../../support/fuzz.js';
import { randomKernel } from '../../support/random-ptx.js';
import { assertSameResults, peakAsWritten, rewritesAt, shuffled } from '../../support/rewrites.js';

/** Sums of loads that all stand first, though each is needed only once and late. */
const WIDE = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
.maxnreg 24
{
    .reg .b32 %r<40>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
${Array.from({ length: 30 }, (_, k) => `    ld.global.u32 %r${k + 1}, [%d1+${4 * k}]; // word ${k}`).join('\n')}
    // from here on they are used up
${Array.from({ length: 29 }, (_, k) => `    add.u32 %r1, %r1, %r${k + 2};`).join('\n')}
    st.global.u32 [%d1], %r1;
    ret;
}
`;

describe('reorder', function () {
  this.timeout(60_000);

  it('puts a block in the order of the compiled program where that lowers a figure', () => {
    const { actions, apply, text } = rewritesAt(WIDE.replace('k(.param', '$0k(.param'));
    const action = actions.find((a) => a.title.startsWith('Reorder'));
    if (action === undefined) assert.fail(actions.map((a) => a.title).join('; '));
    const [, was, is] = /peak as written (\d+) → (\d+)/.exec(action.title) ?? [];
    const after = apply(/^Reorder/);
    assert.deepEqual([peakAsWritten(text), peakAsWritten(after)], [Number(was), Number(is)]);
    // every line is still there, with its comment
    assert.deepEqual(after.split('\n').sort(), text.split('\n').sort());
  });

  it('ends a run at declarations, labels, calls, barriers and the clock', () => {
    const fences = [
      '.reg .u32 x;',
      'L:',
      'bar.sync 0;',
      'mov.u32 %r9, %clock;',
      '{ .reg .u32 y;\n}',
      '.loc 1 1 1',
    ];
    for (const fence of fences) {
      const body = `mov.u32 %r1, 1;\n${fence}\nmov.u32 %r2, 2;`;
      const text = `.version 8.0\n.target sm_90\n.address_size 64\n.file 1 "a.cu"\n.entry k {\n.reg .b32 %r<10>;\n${body}\nret;\n}\n`;
      const found: Rewrite[] = [];
      assertSameResults(text, (s, unit) => {
        const f = unit.function;
        if (f === undefined) return [];
        const position = Int32Array.from({ length: f.instructionCount }, (_, k) => -k + 100);
        for (let b = 0; b < f.blockCount; b++) {
          const one = reordered(s, unit, f, b, position);
          if (one !== undefined) found.push(one);
        }
        return found;
      });
      assert.deepEqual(found, [], fence);
    }
  });

  it('takes comments above a statement along', () => {
    const text = `.version 8.0
.target sm_90
.address_size 64
.entry k {
    .reg .b32 %r<10>;
    mov.u32 %r1, 1;
    // two
    /* is
       even */
    mov.u32 %r2, 2; // at the end
    ret;
}
`;
    let made = '';
    assertSameResults(text, (s, unit) => {
      const f = unit.function;
      const found = f && reordered(s, unit, f, 0, Int32Array.of(2, 1, 3));
      made = found?.edits[0].newText ?? '';
      return found === undefined ? [] : [found];
    });
    assert.equal(
      made,
      '    // two\n    /* is\n       even */\n    mov.u32 %r2, 2; // at the end\n    mov.u32 %r1, 1;\n',
    );
  });

  it('keeps what examples compute, in any order that the dependences allow', () => {
    let count = 0;
    for (const file of readdirSync('examples').filter(
      (name) => name.endsWith('.ptx') && name !== 'broken.ptx',
    ))
      count += assertSameResults(readFileSync(`examples/${file}`, 'utf8'), shuffled(7), 8);
    assert.ok(count >= 5, `${count} blocks were reordered`);
  });

  it('keeps what random kernels compute', () => {
    let count = 0;
    fc.assert(
      fc.property(randomKernel, fc.nat(), (text, seed) => {
        count += assertSameResults(text, shuffled(seed), 6);
      }),
      { numRuns: runs(10) },
    );
    assert.ok(count > 20, `${count} blocks were reordered`);
  });
});
