import assert from 'node:assert/strict';
import { hover } from '../../server/src/features/hover.js';
import { fixture } from '../support/fixture.js';
import { toySnapshot } from '../support/toy/programs.js';

/** Every part must stand in the hover, in this order; blanks count once. */
function check(marked: string, registers: number | undefined, ...parts: readonly string[]): string {
  const f = fixture(marked);
  const found = hover(toySnapshot(f.text, registers), f.lines.positionAt(f.cursor));
  assert.ok(found !== undefined, 'there must be a hover');
  const text = found.contents.replace(/\s+/g, ' ');
  let at = 0;
  for (const part of parts) {
    const next = text.indexOf(part, at);
    assert.ok(next >= 0, `\`${part}\` is not in the rest of:\n${found.contents}`);
    at = next + part.length;
  }
  return found.contents;
}

/** Limit 3: four values at the third load; b waits and spills, as counted in toy.test.ts. */
const spilling = (line: string, marked: string): string =>
  `
kernel k {
  reg a, b, c, d
  const a, 1
  load b, [a]
  load c, [a]
  load d, [a]
  add d, d, c
  add d, d, b
  store [a], d
  ret
}`.replace(line, marked);

describe('hover', () => {
  it('a register: class, mentions, life, place', () =>
    void check(
      spilling('const a, 1', 'const $0a, 1'),
      undefined,
      '**register** `a` : `reg`',
      'Class | general, 1 register ',
      'Written | once: line 3 ',
      'Read | 4 times: lines 4, 5, 6, 9 ',
      // from the write in line 3 (its second half) to the read in line 9: 12 half steps
      'Live as written | lines 3–9 (6 instructions)',
      'Loop depth | 0',
      'Place as compiled | general register 0',
      'toy machine, limit 8',
    ));

  it('a spilled register: why, what it costs, where', () =>
    void check(
      spilling('load b', 'load $0b'),
      3,
      'Place as compiled | spilled, slot 0, 4 bytes',
      '**Spilled** at the peak in line 6: cheapest of those live through the peak',
      '1 store after line 4',
      '1 reload before line 8',
      '8 bytes a thread',
      'toy machine, limit 3',
    ));

  it('a register in loops and one with a hole', () => {
    check(
      'kernel k {\n reg a\n pred p\n const a, 1\ntop:\n less p, $0a, a\n branch p, top\n ret }',
      undefined,
      'Loop depth | 1',
    );
    check(
      'kernel k {\n reg a\n const a, 1\n store [a], a\n ret\n const $0a, 2\n store [a], a\n ret }',
      undefined,
      'Live as written | lines 3–4, 6–7',
    );
  });

  it('an instruction: reference, stall with its producer, pressure', () =>
    void check(
      spilling('add d, d, c', 'a$0dd d, d, c'),
      undefined,
      '`add`: Adds two registers.',
      // issued one cycle after a load of 20 cycles
      '**Stall** 19 cycles: waits for the load of d, line 6',
      // a, b and d
      'registers | 3 | 3 |',
      'toy machine, limit 8',
    ));

  it('the blank before an instruction: who is live there', () => {
    const contents = check(
      spilling('  load c, [a]', ' $0 load c, [a]'),
      undefined,
      '**Pressure** in `k`',
      ': 3 as compiled, 3 as written',
      '| `b` | 1 | 4 | – | 8 |',
      '| `a` | 1 | 3 |',
      '| `c` | 1 | 5 |',
    );
    assert.doesNotMatch(contents, /`d`/);
    check(spilling('  load d, [a]', ' $0 load d, [a]'), undefined, '**Peak** of `k`', '4 as compiled');
    const none = fixture('kernel k {\n $0 \n  reg a # no instruction\n  const a, 1\n}\n');
    assert.equal(hover(toySnapshot(none.text), none.lines.positionAt(none.cursor)), undefined);
  });

  it('the peak: who is live, longest idle first, and what the next step needs', () => {
    const text = check(
      spilling('load d,', 'loa$0d d,'),
      8,
      '**Peak** of `k`, in registers: 4 as compiled, 4 as written',
      // b: read in line 8, two instructions on, written two before; c: one on, one before
      '| `b` | 1 | 4 | – | 8 | 4 |',
      '| `c` | 1 | 5 | – | 7 | 2 |',
      '| `a` | 1 | 3 | 5 | 6 | 0 |',
    );
    assert.ok(!text.includes('Next step'), '4 registers of 32 give all 8 warps');
  });

  it('the next occupancy step names what to free', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const text = `kernel k {
  reg ${names.join(', ')}
${names.map((n) => `  const ${n}, 1`).join('\n')}
  st$0ore [e], e
${names.map((n) => `  store [${n}], ${n}`).join('\n')}
}`;
    // 5 registers: 32 / 5 = 6 warps; 7 would need at most 32 / 7 = 4, and 4 registers give 32 / 4 = 8
    check(
      text.replace('st$0ore', 'store').replace('const e', 'con$0st e'),
      undefined,
      '8 warps need at most 4 general registers, 1 fewer than now; here `a` would do; 2 more instructions need more than 4',
    );
  });

  it('a label: its block, the loop, from where, and what is live on entry', () =>
    void check(
      `kernel k {
  reg a, b, c
  pred p
  const a, 1
  const b, 2
t$0op:
  load c, [a]
  less p, c, b
  branch p, top
  store [a], a
  ret
}`,
      undefined,
      '**label** `top`',
      'Block | 3 instructions, lines 7–9 |',
      'Loop depth | 1, head of a loop |',
      'Reached from | line 5 (falls through), line 9 (branch) |',
      // a and b come in; c and p are made in the block
      'Live on entry as written | 2 registers, 0 predicates |',
      'Live on entry as compiled | 2 registers, 0 predicates |',
      'toy machine, limit 8',
    ));

  it('an instruction: which values wait around it, and for what', () => {
    void check(
      'kernel k {\n  reg a, b\n  const a, 1\n  const b, 2\n  $0store [b], b\n  store [a], b\n}',
      undefined,
      'Idle longest, of 2 live: `a` (last touched line 3, next use line 6)',
    );
    void check(
      'kernel k {\n  reg a, b\n  pred p\n  const a, 1\n  const b, 2\ntop:\n  less p, b, a\n  $0store [b], b\n  branch p, top\n}',
      undefined,
      '`a` (last touched line 7, next use line 7 in the next turn of the loop)',
    );
  });

  it('a kernel: its figures', () =>
    void check(
      spilling('kernel k', 'kernel $0k'),
      3,
      '**kernel** `k` : `kernel(0)`',
      'toy machine, limit 3',
      'Instructions | 8 |',
      'Registers, general | 3, limit 3 (option) |',
      'Peak as written | 4 |',
      'Peak as compiled | 3 |',
      'Spilled | 1 (1 store, 1 reload, 8 bytes) |',
      'Spill slots | 4 bytes a thread |',
      'Occupancy | 8 of 8 warps (32 threads a block, assumed)',
    ));

  it('a call shows the figures of the function called', () =>
    void check(
      'kernel k { call $0f }\nfn f {\n reg a\n const a, 1\n ret }\n',
      undefined,
      '**function** `f`',
      'Instructions | 2 |',
    ));

  it('nothing where nothing is', () => {
    const s = toySnapshot('kernel k {\n\n}\n');
    assert.equal(hover(s, { line: 1, character: 0 }), undefined);
  });
});
