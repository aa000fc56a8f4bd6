import assert from 'node:assert/strict';
import { codeLenses } from '../../server/src/features/code-lens.js';
import { inlayHints } from '../../server/src/features/inlay-hints.js';
import { status } from '../../server/src/features/status.js';
import type { Settings } from '../../server/src/workspace/settings.js';
import { toySnapshot } from '../support/toy/programs.js';

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

function hintsOf(hints: Partial<Settings['inlayHints']>, from = 0, to = 100, registers?: number): string[] {
  const inlay = { pressure: 'off', stalls: false, places: false, minimumStall: 1, ...hints } as const;
  const s = toySnapshot(text, registers, { inlayHints: inlay });
  return inlayHints(s, { start: { line: from, character: 0 }, end: { line: to, character: 0 } }).map(
    (h) => `${h.position.line + 1}:${h.position.character} ${h.label}`,
  );
}

describe('inlay hints', () => {
  it('all: live after each instruction, at the end of its line or of itself', () =>
    assert.deepEqual(hintsOf({ pressure: 'all' }), [
      '4:12 live 1',
      '5:20 live 2',
      '6:13 live 3',
      '7:13 live 4',
      '8:13 live 3',
      '8:26 live 2',
      '9:14 live 0',
      '10:5 live 0',
      '12:12 live 0',
    ]));

  it('peaks: where most are needed, as written too where that differs', () => {
    assert.deepEqual(hintsOf({ pressure: 'peaks' }), ['7:13 peak 4 as written and as compiled']);
    // without b: a c at the second load, a c d at the third
    assert.deepEqual(hintsOf({ pressure: 'peaks' }, 0, 100, 3), ['7:13 peak 3 as compiled, 4 as written']);
  });

  it('stalls from the least worth showing on', () => {
    // add waits 19 for d; the next add 3 more for d; the store 3
    assert.deepEqual(hintsOf({ stalls: true }), ['8:13 stall 19', '8:26 stall 3', '9:14 stall 3']);
    assert.deepEqual(hintsOf({ stalls: true, places: true, minimumStall: 4 }), ['8:13 stall 19']);
  });

  it('only in the range', () => {
    assert.deepEqual(hintsOf({ pressure: 'all' }, 5, 6), ['6:13 live 3']);
    assert.deepEqual(hintsOf({ pressure: 'peaks' }, 0, 4), []);
  });

  it('off', () => assert.deepEqual(hintsOf({}), []));

  it('name class and model in the tooltip', () => {
    const s = toySnapshot(text, 3, {
      inlayHints: { pressure: 'all', stalls: true, places: true, minimumStall: 10 },
    });
    const whole = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    for (const h of inlayHints(s, whole)) assert.match(h.tooltip, /toy machine, limit 3/);
  });
});

describe('code lens', () => {
  it('sums up each function and leads to the peak', () => {
    assert.deepEqual(codeLenses(toySnapshot(text, 3)), [
      {
        range: { start: { line: 1, character: 7 }, end: { line: 1, character: 8 } },
        title: 'toy machine · 3 registers (limit 3) · spills 1 (4 bytes) · 8 of 8 warps',
        command: { id: 'spillway.showPeak', arguments: ['file:///a.toy', 6, 2] },
      },
      {
        range: { start: { line: 11, character: 3 }, end: { line: 11, character: 4 } },
        title: 'toy machine · 0 registers (limit 3) · spills 0 · 8 of 8 warps',
        command: { id: 'spillway.showPeak', arguments: ['file:///a.toy', 11, 7] },
      },
    ]);
    assert.deepEqual(codeLenses(toySnapshot(text, 3, { codeLens: false })), []);
  });
});

describe('status', () => {
  it('tells language, target, model and the function at the cursor', () => {
    const s = toySnapshot(text, 3);
    assert.deepEqual(status(s, { line: 4, character: 0 }), {
      language: 'Toy',
      target: 'Toy machine',
      model: 'toy machine, limit 3',
      settings: ['targets.toy-machine.registers'],
      function: 'k',
      summary: 'toy machine · 3 registers (limit 3) · spills 1 (4 bytes) · 8 of 8 warps',
    });
  });

  it('does not give the name of the machine for a model where nothing is compiled', () => {
    const start = { line: 0, character: 0 };
    for (const none of ['', 'global g'])
      assert.equal(status(toySnapshot(none), start).model, 'no function', none);
    assert.equal(status(toySnapshot(`global g\n${text}`, 3), start).model, 'not compiled yet');
  });
});
