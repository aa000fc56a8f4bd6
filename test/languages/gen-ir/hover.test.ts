import assert from 'node:assert/strict';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import { operations } from '../../../server/src/languages/gen-ir/reference/operations.js';
import { fixture } from '../../support/fixture.js';
import { bound } from './support.js';

/** The reference text at `$0`. */
function textAt(marked: string): string {
  const f = fixture(marked);
  return genIr.describe(bound(f.text), f.cursor)?.text ?? '';
}

/** The piece of text that the reference text at `$0` is about. */
function pieceAt(marked: string): string | undefined {
  const f = fixture(marked);
  const span = genIr.describe(bound(f.text), f.cursor)?.span;
  return span === undefined ? undefined : f.text.slice(span.start, span.end);
}

describe('gen-ir hover', () => {
  it('explains every operation', () => {
    for (const name of operations().keys()) {
      const text = textAt(`$0${name}(8) (null):UD`);
      assert.ok(text.includes(name) && text.length > 20, name);
    }
  });

  it('gives the byte that an offset means, in the units of the file', () => {
    assert.match(textAt('mov(8) vgrf1$0+1.16:F, u0.xyzw:F'), /1 × 32 \+ 16 = byte 48 of 96/);
    assert.match(textAt('mov(8) vgrf1:F, u3+$01.8.xyzw:F'), /1 × 16 \+ 8 = byte 24/);
    assert.match(textAt('.mode simd8\nmov(8) vgrf1:F, u3+$00.4<0>:F'), /0 × 4 \+ 4 = byte 4/);
    assert.match(textAt('mov(8) vgrf1+$00.0:F, u0.xyzw:F'), /not as large as the register/);
  });

  it('explains masks and swizzles by channel', () => {
    assert.match(textAt('mov(8) vgrf1.$0xw:F, u0.xyzw:F'), /x, w of each vertex are written; y, z keep/);
    assert.match(textAt('mov(8) vgrf1.xw:F, vgrf2.$0yzwx:F'), /x reads y, w reads x/);
  });

  it('says how much of a register an operand touches', () => {
    assert.match(textAt('mov(8) $0vgrf1+1.0:F, u0.xyzw:F'), /writes bytes 32 to 63/);
    assert.match(
      textAt('mov(8) vgrf1:DF, $0vgrf2.xyzw:DF'),
      /64 bytes, as its operands say.* reads bytes 0 to 63/,
    );
    assert.match(textAt('send(8) (mlen: 2) $0vgrf1:UD, 0u, 0u, vgrf2:F'), /the line does not tell/);
  });

  it('explains what stands around the operands', () => {
    assert.match(textAt('($0+f0.1.any4h) mov(8) vgrf1:F, 0D'), /bit of f0\.1 is set/);
    assert.match(textAt('(-f0.0) sel($08) vgrf1:F, u0.xyzw:F, 0D'), /four channels of both vertices/);
    assert.match(textAt('(-f0.0$0) sel(8) vgrf1:F, u0.xyzw:F, 0D'), /first source .* is clear/);
    assert.match(textAt('cmp(8).$0ge.f0.1 null:F, u0.xyzw:F, 0D'), /greater or equal.*f0\.1/);
    assert.match(textAt('sel(8).$0l vgrf1:F, u0.xyzw:F, 0D'), /no flag is written/);
    assert.match(textAt('mov(8).s$0at vgrf1:F, 0D'), /clamped/);
    assert.match(textAt('mov(8) vgrf1:F, 0D No$0Mask'), /control flow/);
    assert.match(textAt('mov(8) vgrf1.x:F, 0D {No$0DDClr}'), /scoreboard/);
    assert.match(textAt('mov(8) vgrf1:$0F, 0D'), /32-bit float, 4 bytes/);
    assert.match(textAt('.tar$0get hsw'), /machine/);
    assert.match(textAt('.target hs$0w'), /Haswell/);
    assert.match(textAt('{ $012}    7: mov(8) vgrf1:F, 0f '), /12 registers .* live/);
    assert.match(textAt('{ 12}    $07: mov(8) vgrf1:F, 0f '), /Number of the instruction/);
    assert.match(textAt('START B$01 <-B0'), /compared/);
  });

  it('shows the float behind the bits of an integer constant', () => {
    assert.match(textAt('mov(8) vgrf1:D, $01056964608D'), /0x3f000000.*as a float they are 0\.5/);
    assert.match(textAt('.mode simd8\nadd(8) vgrf1:UW, g1<0>:UW, $011001010V'), /0, 1, 0, 1, 0, 0, 1, 1/);
  });

  it('tells the bytes of both vertices that a mask lets through', () => {
    assert.match(textAt('mov(8) vgr$0f1.xy:F, 0F'), /writes bytes 0 to 7 and 16 to 23\./);
    assert.match(textAt('mov(8) vgr$0f1.xzw:F, 0F'), /writes bytes 0 to 3, 8 to 15, 16 to 19 and 24 to 31\./);
  });

  it('is about what the cursor is on', () => {
    assert.equal(pieceAt('mov(8) vgrf1:F, -|vgr$0f2.xyzz|:F'), 'vgrf2');
    assert.equal(pieceAt('mov(8) vgrf1:F, -|vgrf2.x$0yzz|:F'), 'xyzz');
    assert.equal(pieceAt('mov(8) vgrf1:F ; no$0thing'), undefined);
  });
});

describe('gen-ir signatures', () => {
  const parameterAt = (marked: string): string | undefined => {
    const f = fixture(marked);
    const found = genIr.signatures(bound(f.text), f.cursor);
    return found?.items[0].parameters.at(found.activeParameter)?.label;
  };

  it('names the operand at the cursor, the destination first', () => {
    assert.equal(parameterAt('mad(8) vgrf1:F, $0'), 'c');
    assert.equal(parameterAt('mad(8) $0vgrf1:F, vgrf2.xyzw:F'), 'dst');
    assert.equal(parameterAt('sel(8).l vgrf1:F, [1F, 0F, 0F, 0F], $0'), 'b');
    assert.equal(parameterAt('mad(8) vgrf1:F ; a, $0'), undefined);
    assert.equal(parameterAt('nothing(8) vgrf1:F, $0'), undefined);
  });
});
