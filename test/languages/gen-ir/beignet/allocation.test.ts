import assert from 'node:assert/strict';
import { spilled } from './kernels.js';
import { bound, linesOf, problemsOf } from './support.js';

describe('Beignet: register allocation', () => {
  it('F10 reads padded places, temporaries without memory and rows without an interval', () => {
    const rows = linesOf(spilled, 'allocation');
    const of = (number: number): (typeof rows)[number] =>
      rows.find((row) => row.register.number === number) ?? assert.fail(`no %${number}`);
    assert.deepEqual([of(44).grf, of(44).subregister, of(44).family, of(44).bytes], [6, 1, 'b', 16]);
    assert.deepEqual([of(45).grf, of(45).first, of(45).last, of(45).useCount], [10, -1, 30, 12]);
    assert.deepEqual([of(61).slot, of(61).grf], [0, -1]);
    assert.equal(of(62).slot, -1);
    assert.ok(of(3).first > of(3).last, 'no interval');
    assert.deepEqual(problemsOf(spilled), []);
  });

  it('names the registers, and compiles nothing', () => {
    const { symbols, code } = bound(spilled);
    assert.equal(code.length, 0);
    assert.equal(symbols.symbols.length, 7);
    assert.ok(symbols.symbols.every((s) => s.register === -1));
  });

  it('reports a row that it cannot read', () => {
    const text = `## register allocation ##\n%0       g2  .0  D  32X\t[  0        -> 18      ]use count: 3\n`;
    assert.deepEqual(
      problemsOf(text).map((p) => p.code),
      ['syntax/statement'],
    );
  });
});
