import assert from 'node:assert/strict';
import { lowered } from './support.js';

/** The text without what the marks of these names span. */
function without(text: string, ...names: string[]): string {
  const f = lowered(text);
  const cuts: [number, number][] = [];
  for (let o = 0; o < f.operandPlace.length; o++) {
    const payload = f.operandTexts?.text(f.operandPayload?.[o] ?? 0) ?? '';
    if (names.includes(payload.replace('mark:', '')) && payload.startsWith('mark:'))
      cuts.push([f.operandSpanStart[o], f.operandSpanEnd[o]]);
  }
  assert.equal(cuts.length, names.length, `marks of ${names.join()}`);
  return cuts
    .sort((a, b) => b[0] - a[0])
    .reduce((left, [start, end]) => left.slice(0, start) + left.slice(end), text);
}

describe('gen-ir lowering', () => {
  it('says where each word of an instruction stands, so that a fix can delete it', () => {
    const head = '   4: (+f0.0.x) add(8).sat.ge.f0.1 vgrf6.x:F, vgrf6.xyyy:F, 1F NoMask';
    assert.equal(without(head, 'pred'), head.replace('(+f0.0.x) ', ''));
    assert.equal(without(head, 'sat'), head.replace('.sat', ''));
    assert.equal(without(head, 'cond'), head.replace('.ge.f0.1', ''));
    assert.equal(without(head, 'NoMask'), head.replace(' NoMask', ''));
    const group = 'mov(4) vgrf12+1.0:DF, vgrf13+1.0.xyzw:DF NoMask group4 {NoDDClr}';
    assert.equal(without(group, 'group'), group.replace(' group4', ''));
    assert.equal(without(group, 'NoDDClr'), group.replace(' {NoDDClr}', ''));
    const braces = 'mov(8) vgrf1.x:F, 0D {mlen 2, NoDDClr NoDDChk}';
    // among several attributes a mark is the word: which comma goes with it depends on what else goes
    assert.equal(without(braces, 'NoDDClr'), braces.replace('NoDDClr', ''));
    assert.equal(without(braces, 'braces'), 'mov(8) vgrf1.x:F, 0D');
    const scalar = '   1: send(8) (mlen: 4) (EOT) (null):UD, 0u, 0u, vgrf14:F ';
    assert.equal(without(scalar, 'mlen'), scalar.replace('(mlen: 4) ', ''));
    assert.equal(without(scalar, 'eot'), scalar.replace('(EOT) ', ''));
  });
});
