import assert from 'node:assert/strict';
import { allocateWithPool } from '../../../../server/src/targets/gen/scalar/allocate-program.js';
import { listing, selection, type SelectionOptions } from '../../../support/gen-programs.js';

function code(text: string, options: SelectionOptions = {}): string[] {
  const allocation = allocateWithPool(selection(text, options).program, { reserved: 0 });
  assert.equal(allocation.kind, 'allocated');
  return listing(allocation.code);
}

/** Guards and conditions of the lines only. */
const flags = (lines: readonly string[]): string[] =>
  lines.map((line) => (/^\([-+](\S+)\)/.exec(line) ?? /\.(f\d\.\d)/.exec(line))?.[1] ?? '');

describe('flags of bools', () => {
  it('are handed out as f0.0, f1.1, f1.0; a pure flag has no register', () => {
    const lines = code(`dword a
      bool p q r
      cmp.l.p null = 1 2
      cmp.l.q null = 1 3
      cmp.l.r null = 1 4
      (+p) mov a = 1
      (+q) mov a = 2
      (+r) mov a = 3`);
    assert.deepEqual(flags(lines), ['f0.0', 'f1.1', 'f1.0', 'f0.0', 'f1.1', 'f1.0']);
  });

  it('are given back inside the block', () => {
    const lines = code(`dword a
      bool p q r s
      cmp.l.p null = 1 2
      cmp.l.q null = 1 3
      cmp.l.r null = 1 4
      (+q) mov a = 1
      cmp.l.s null = 1 2
      (+s) mov a = 2
      (+p) mov a = 2
      (+r) mov a = 3`);
    assert.deepEqual(flags(lines), ['f0.0', 'f1.1', 'f1.0', 'f1.1', 'f1.1', 'f1.1', 'f0.0', 'f1.0']);
  });

  it('a fourth evicts the one that ends last, but never f0.0: it then lives in a register and passes f0.1', () => {
    const lines = code(`dword a
      bool p q r s
      cmp.l.p null = 1 2
      cmp.l.q null = 1 3
      cmp.l.r null = 1 4
      cmp.l.s null = 1 5
      (+s) mov a = 1
      (+q) mov a = 2
      (+r) mov a = 3
      (+p) mov a = 4`);
    // p ends last but has f0.0; r ends after q: r is evicted and s gets f1.0
    assert.deepEqual(lines, [
      'mov(1) g1 = 65535 !nomask',
      'cmp.l.f0.0 null = 1 2',
      'cmp.l.f1.1 null = 1 3',
      'cmp.l.f0.1 null = 1 4',
      '(+f0.1) sel g1+16 = g1<0> 0',
      'cmp.l.f1.0 null = 1 5',
      '(+f1.0) mov g2 = 1',
      '(+f1.1) mov g2 = 2',
      '(+f0.1) mov g2 = 3',
      '(+f0.0) mov g2 = 4',
    ]);
  });

  it('a bool that crosses blocks is copied to its register, and compared with 0 once where it is used', () => {
    const lines = code(`dword a
      bool p
      L0 -> 1
      cmp.l.p null = 1 2
      L1
      (+p) mov a = 1
      (-p) mov a = 2`);
    assert.deepEqual(lines, [
      'mov(1) g1 = 65535 !nomask',
      'cmp.l.f0.0 null = 1 2',
      '(+f0.0) sel g1+16 = g1<0> 0',
      'cmp.nz.f0.0 null = g1+16 0 !nomask',
      '(+f0.0) mov g2 = 1',
      '(-f0.0) mov g2 = 2',
    ]);
  });

  it('a bool that an instruction writes as a register must be compared again', () => {
    const lines = code(`dword a
      bool p q
      cmp.l.p null = 1 2
      (+p) mov a = 1
      and p:UW = p:UW q:UW
      (+p) mov a = 2`);
    assert.equal(lines.filter((line) => line.startsWith('cmp.nz')).length, 1);
    assert.ok(lines.at(-2)!.startsWith('cmp.nz.f0.0'));
  });

  it('a jump keeps its flag from the start of the block', () => {
    const lines = code(`dword a
      bool p q r s
      L0 -> 0 1
      cmp.l.q null = 1 2
      cmp.l.r null = 1 2
      (+q) mov a = 1
      (+r) mov a = 1
      cmp.l.p null = 1 2
      (+p) jmpi
      L1
      mov a = 2`);
    // p comes first in the block though q and r are set before it
    assert.deepEqual(flags(lines).slice(0, 6), ['f1.1', 'f1.0', 'f1.1', 'f1.0', 'f0.0', 'f0.0']);
  });

  it('leaves alone the flags that the text names', () => {
    const lines = code(`dword a
      bool p q
      cmp.l.f0.0 null = 1 2
      cmp.l.p null = 1 2
      (+f0.0) mov a = 1
      (+p) mov a = 1`);
    assert.deepEqual(flags(lines), ['f0.0', 'f1.1', 'f0.0', 'f1.1']);
  });

  it('has no need of anything where there are no bools', () => {
    assert.deepEqual(code('dword a\n mov a = 1'), ['mov g1 = 1']);
  });
});
