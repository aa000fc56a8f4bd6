import assert from 'node:assert/strict';
import { codeLenses } from '../../server/src/features/code-lens.js';
import { diagnostics } from '../../server/src/features/diagnostics.js';
import { hover } from '../../server/src/features/hover.js';
import { inlayHints } from '../../server/src/features/inlay-hints.js';
import { status } from '../../server/src/features/status.js';
import type { Code } from '../../server/src/text/codes.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import { checkDiagnostics, fixture } from '../support/fixture.js';
import { gpirSnapshot } from '../support/gpir-compile.js';

const component = (i: number): string => `${i >> 2}.${'xyzw'[i & 3]}`;
const lines = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('');

/** The findings of some codes are exactly those that the text marks. */
function check(marked: string, ...codes: readonly Code[]): ReturnType<typeof diagnostics>['items'] {
  const f = fixture(marked);
  const { items } = diagnostics(gpirSnapshot(f.text));
  const found = items.filter(({ code }) => codes.includes(code as Code));
  checkDiagnostics(f, found);
  return found;
}

describe('findings about the geometry processor', () => {
  it('a reciprocal that is stored at once waits for its last step', () => {
    // complex2 and rcp_impl, complex1, then one word in which nothing can read it, then a move that is stored
    const [found] = check(
      `
.program p
  %r = rcp a0.x
  st_var v0.x, %r
//^^^^^^^^^^^^^^^ hint stall/words: 1 word without an operation: waits for the special function of %r, whose result can be read exactly 2 words after
`,
      'stall/words',
    );
    assert.deepEqual(
      found.related.map(({ location, message }) => [location.range.start.line, message]),
      [[1, 'the producer']],
    );
  });

  it('a register at the end of a block is stored two words before it', () => {
    check(
      `
.program p
.live_out @a
  %s = mul a0.x, u0.x
  st_reg @a, %s
//^^^^^^^^^^^^^ hint stall/words: 2 words without an operation: follows the store of @a to $
`,
      'stall/words',
    );
  });

  it('so is one in front of a branch: the word between them idles', () => {
    check(
      `
.program p
.live_out @a
top:
  %s = mul a0.x, u0.x
  st_reg @a, %s
  branch_cond top, %s
//^^^^^^^^^^^^^^^^^^^ hint stall/words: 1 word without an operation: follows the store of @a to $0.x: no register can be stored in the last 2 words
end:
  st_var v0.x, 1
`,
      'stall/words',
    );
  });

  it('fourteen independent products are bound by the two multipliers', () => {
    check(
      `
.program products
//       ^^^^^^^^ hint pressure/units: products: 7 words, at least 7 (mali-400 gp, 512 words): bound by MUL0 and MUL1 (7 words
${lines(14, (i) => `  %m${i} = mul a${component(i)}, u0.x\n  st_var v${component(i)}, %m${i}\n`)}`,
      'pressure/units',
    );
  });

  it('a chain is bound by itself: each sum is there one word later', () => {
    check(
      `
.program chain
//       ^^^^^ hint pressure/units: chain: 9 words, at least 9 (mali-400 gp, 512 words): bound by the critical path (9 words
  %v0 = ld_att a0.x
${lines(9, (i) => `  %v${i + 1} = ${i % 2 === 0 ? 'add' : 'mul'} %v${i}, a0.y\n`)}  st_var v0.x, %v9
`,
      'pressure/units',
    );
  });

  it('a program over 512 words: an error on the lines beyond, with by how much', () => {
    // a chain of 520 operations, one a word: word 512 computes %v513
    const found = check(
      `
.program long
  %v0 = ld_att a0.x
${lines(512, (i) => `  %v${i + 1} = ${i % 2 === 0 ? 'add' : 'mul'} %v${i}, a0.y\n`)}  %v513 = add %v512, a0.y
  %v514 = mul %v513, a0.y
  st_var v0.x, %v514
`,
    );
    assert.equal(found.length, 0);
    const text =
      '.program long\n  %v0 = ld_att a0.x\n' +
      lines(514, (i) => `  %v${i + 1} = ${i % 2 === 0 ? 'add' : 'mul'} %v${i}, a0.y\n`) +
      '  st_var v0.x, %v514\n';
    const [problem, ...others] = diagnostics(gpirSnapshot(text)).items.filter(
      ({ code }) => code === 'hw/program-size',
    );
    assert.deepEqual(others, []);
    assert.equal(problem.severity, 'error');
    assert.match(problem.message, /^long has 514 words, 2 more than the 512 .* its bound is 514; .*257 add/);
    assert.deepEqual([problem.range.start.line, problem.range.end.line], [514, 516], '%v513 to the store');
  });

  it('uniforms to the last vector leave no room for a constant', () => {
    check(
      `
.program p
//       ^ error hw/uniform-space: p needs 513 vectors of uniform space, 1 more than the 512
  %x = mul u511.x, 0.3
  st_var v0.x, %x
`,
      'hw/uniform-space',
    );
  });

  it('65 registers are handed over, and there are 64', () => {
    check(
      `
.program p
//       ^ error hw/registers: 1 register of p can have no place
.live_out ${Array.from({ length: 65 }, (_, i) => `@r${i}`).join(', ')}
${lines(65, (i) => `  st_reg @r${i}, a${component(i % 64)}\n`)}`,
      'hw/registers',
    );
  });

  it('products that all wait for a chain of reciprocals are more than the network holds', () => {
    const text =
      '.program p\n' +
      lines(20, (i) => `  %p${i} = mul a${component(i)}, u${component(i)}\n`) +
      '  %r0 = rcp a9.x\n' +
      lines(4, (i) => `  %s${i + 1} = add %r${i}, u9.x\n  %r${i + 1} = rcp %s${i + 1}\n`) +
      lines(20, (i) => `  %q${i} = mul %p${i}, %r4\n  st_var v${component(i)}, %q${i}\n`);
    const { items } = diagnostics(gpirSnapshot(text));
    const pressure = items.filter(({ code }) => code === 'pressure/values');
    assert.equal(pressure.length, 1);
    assert.match(
      pressure[0].message,
      /^\d+ values of the block live after word \d+, and the bypass network holds 11/,
    );
    assert.ok(Number(/^\d+/.exec(pressure[0].message)?.[0]) > 11);
    const waiting = items.filter(({ code }) => code === 'spill/value');
    assert.ok(waiting.length > 0 && waiting.length <= 6, 'a few of them, no flood');
    for (const { message, severity, range, related } of waiting) {
      assert.equal(severity, 'hint');
      const [, name, from, to] =
        /^(%\w+) waits in \$\d+\.[xyzw] from word (\d+) to word (\d+)/.exec(message) ?? [];
      assert.ok(Number(to) - Number(from) >= 3, 'a register can be read 3 words after its store');
      const line = text.split('\n')[range.start.line];
      assert.equal(line.slice(range.start.character, range.end.character), name);
      assert.ok(related.some(({ message: what }) => what === `${name} is read from the register here`));
    }
  });

  it('eighty values across a loop are more than the register file holds: some live in temporary memory', () => {
    const text =
      '.program p\n  %v0 = ld_att a0.x\n' +
      lines(80, (i) => `  %v${i + 1} = ${i % 2 === 0 ? 'add' : 'mul'} %v${i}, a1.${'xyzw'[i & 3]}\n`) +
      '  st_reg @i, a2.x\nloop:\n  %i = ld_reg @i\n  %j = add %i, -1\n  st_reg @i, %j\n  branch_cond loop, %j\n' +
      'after:\n  %s0 = ld_reg @i\n' +
      lines(80, (i) => `  %s${i + 1} = ${i % 2 === 0 ? 'add' : 'mul'} %s${i}, %v${80 - i}\n`) +
      '  st_var v0.x, %s80\n';
    const { items } = diagnostics(gpirSnapshot(text));
    const [registers, ...more] = items.filter(({ code }) => code === 'pressure/registers');
    assert.deepEqual(more, []);
    assert.equal(registers.severity, 'information');
    const spilled = Number(/(\d+) kept in temporary memory/.exec(registers.message)?.[1]);
    // 80 values and the counter cross the loop, 64 components: at least 17 cannot stay
    assert.ok(spilled > 0 && spilled <= 81 - 17 + 17);
    const temporaries = items.filter(({ code }) => code === 'spill/temporary');
    assert.equal(temporaries.length, Math.min(spilled, 32));
    for (const { message, severity } of temporaries) {
      assert.equal(severity, 'information');
      assert.match(message, /^%v\d+ lives in temporary memory, with 1 store and \d+ reload/);
    }
    assert.ok(items.every(({ severity }) => severity !== 'error'));
  });
});

const lit = `.program lit
.attribute a0 in_position
  %x = ld_att a0.x
  %k = mul %x, u0.x
  %r = rcp %k
  %s = add %r, u0.y
  st_var v0.x, %s
  %n = neg %s
  %m = mul %n, %k
  st_var v0.y, %m
`;

describe('what an editor shows of a gpir program', () => {
  it('the code lens: words, bound, peak, registers, moves spilled', () => {
    const [lens, ...others] = codeLenses(gpirSnapshot(lit));
    assert.deepEqual(others, []);
    // mul, rcp in 2 words and one more before it can be read, add, mul
    assert.match(
      lens.title,
      /^lit: 6 words · bound 6 · peak \d+\/11 values · \d+ registers? · \d+ moves? spilled$/,
    );
    assert.equal(lens.range.start.line, 0);
    assert.equal(status(gpirSnapshot(lit), { line: 3, character: 2 }).summary, lens.title);
  });

  it('hints: the word and the slot of each instruction, and waits', () => {
    const s = gpirSnapshot(lit);
    const hints = inlayHints(s, { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } });
    const on = (line: number): string[] =>
      hints.filter((h) => h.position.line === line).map(({ label }) => label);
    assert.match(on(3)[0], /^w0 mul[01]$/);
    assert.match(on(4)[0], /^w1–2 mul0$/);
    assert.match(on(5)[0], /^w4 add[01]$/);
    assert.ok(on(5).includes('stall 1'));
    assert.match(on(6)[0], /^w4 store\.x$/);
    assert.deepEqual(on(7), [], 'the multiplication negates');
  });

  it('hints can be switched off', () => {
    const s = gpirSnapshot(lit, {
      inlayHints: { ...defaultSettings.inlayHints, places: false, stalls: false, pressure: 'off' },
    });
    assert.deepEqual(
      inlayHints(s, { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } }),
      [],
    );
  });

  const hoverOn = (find: string, offset = 0): string => {
    const s = gpirSnapshot(lit);
    return hover(s, s.lines.positionAt(lit.indexOf(find) + offset))?.contents ?? '';
  };

  const hoverIn = (text: string, find: string): string => {
    const s = gpirSnapshot(text);
    return hover(s, s.lines.positionAt(text.indexOf(find)))?.contents ?? '';
  };

  const named = `.program named
.attribute a0 in_position
.uniform u0 scale
.varying v0 gl_Position position
  %x = mul a0.x, u0.x
  st_var v0.x, %x
  st_var v0.y, a1.x
`;

  it('hover heads speak of programs, attributes, uniforms and varyings', () => {
    for (const [find, head] of [
      ['named', '**program** `named`'],
      ['a0 in', '**attribute** `a0` : `in_position`'],
      ['in_position', '**name of a0** `in_position`'],
      ['u0 scale', '**uniform** `u0` : `scale`'],
      ['v0 gl', '**varying** `v0` : `gl_Position position`'],
      ['a1.x', '**attribute** `a1`'],
      ['%x', '**value** `%x`'],
    ])
      assert.equal(hoverIn(named, find).split('\n')[0], head);
  });

  it('hover on a program counts values and register components', () => {
    const text = hoverIn(named, 'named');
    assert.match(text, /\| Values \| \d+, limit 11 \(machine\) \|/);
    assert.match(text, /\| Register components \| 0 \|/);
  });

  it('hover on a register: its place as the listing writes it', () => {
    // the only register of the program, in the first component
    const text = '.program p\n.live_out @a\n  %s = mul a0.x, u0.x\n  st_reg @a, %s\n';
    assert.match(hoverIn(text, '@a'), /\| Place as compiled \| \$0\.x \|/);
  });

  it('hover leaves out what goes without saying: the class of a value, loop depth 0', () => {
    assert.doesNotMatch(hoverIn(named, '%x'), /Class|Loop depth/);
    const loop =
      '.program p\ntop:\n  %x = mul a0.x, u0.x\n  st_reg @a, %x\n  branch_cond top, %x\nend:\n  st_var v0.x, 1\n';
    assert.match(hoverIn(loop, '%x'), /\| Loop depth \| 1 \|/);
  });

  it('a value of which only the negative is computed says so', () => {
    // the maximum with 0 takes either sign, the reciprocal only -%d: the sum is computed the other way round
    const text =
      '.program p\n  %d = add a0.x, a1.x\n  %n = neg %d\n  %r = rcp %n\n  %m = max %d, 0\n' +
      '  st_var v0.x, %r\n  st_var v0.y, %m\n';
    const found = hoverIn(text, '%d');
    assert.match(found, /\| Place as compiled \| none: its negative goes from unit to unit \|/);
    assert.match(found, /\| Computed \| w\d add[01] \|/);
  });

  it('hover on a value: where it is computed, moved, kept, read', () => {
    const text = hoverOn('%k = mul');
    assert.match(text, /\| Computed \| w0 mul[01] \|/);
    assert.match(text, /\| Readers \| line 5 \(w1–2 mul0\), line 9 \(w5 mul[01]\) \|/);
    assert.match(text, /mali-400 gp, 512 words/);
  });

  it('hover on an instruction: its words and what is held after them', () => {
    const text = hoverOn('rcp %k', 1);
    assert.match(text, /\| Computed \| w1 mul0, w1 complex, w2 mul0 \|/);
    assert.match(text, /\| Held after word 2 \| \d+ of 11 values \(.*`%r`.*\), \d+ registers? \|/);
  });

  it('hover on a program and on a label: words, bound, what bounds it', () => {
    assert.match(hoverOn('lit'), /\| Bound \| the critical path \(6 words/);
    const blocks = `.program p\n  branch_cond end, a0.x\nbody:\n  %s = mul a0.y, u0.x\n  st_reg @a, %s\nend:\n  st_var v0.x, 1\n`;
    const s = gpirSnapshot(blocks);
    const text = hover(s, s.lines.positionAt(blocks.indexOf('end:') + 1))?.contents ?? '';
    assert.match(text, /\| Words \| \d+, w\d+ to w\d+/);
    assert.match(text, /\| Bound \| /);
  });
});
