import assert from 'node:assert/strict';
import { references } from '../../../server/src/features/references.js';
import { rename } from '../../../server/src/features/rename.js';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import { sectionKind, unitEnd } from '../../../server/src/languages/gen-ir/split.js';
import { applyEdits, checkMarks, fixture } from '../../support/fixture.js';
import { genSnapshot, lowered } from './support.js';

function renamed(marked: string, name: string): string {
  const f = fixture(marked);
  const answer = rename(genSnapshot(f.text), f.lines.positionAt(f.cursor), name);
  if ('refused' in answer) return `refused: ${answer.refused}`;
  return applyEdits(
    f.text,
    answer.edits.map(({ range, newText }) => ({
      span: { start: f.lines.offsetAt(range.start), end: f.lines.offsetAt(range.end) },
      newText,
    })),
  );
}

/** The units of a text. */
function units(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = unitEnd(text, at);
    found.push(text.slice(at, end));
    at = end;
  }
  return found;
}

describe('gen-ir features', () => {
  it('finds every mention of a register, whatever the spelling of its declaration', () => {
    const f = fixture(`
.vgrf 3 size 1
      ^ ref
mov(8) vgrf3.x:F, 0D
       ^^^^^ ref
add(8) vgrf30:F, $0vgrf3.xxxx:F, -|vgrf3.xxxx|:F
                 ^^^^^ ref
                                 ^^^^^ ref
`);
    const found = references(genSnapshot(f.text), f.lines.positionAt(f.cursor), true);
    checkMarks(
      f,
      found.map(({ range }) => range),
      'ref',
    );
  });

  it('renames a register to a number that is free, with its declaration', () => {
    const text = '.vgrf 3 size 1\nmov(8) vg$0rf3.x:F, 0D\nadd(8) vgrf4:F, vgrf3.xxxx:F, 0D\n';
    assert.equal(
      renamed(text, 'vgrf9'),
      '.vgrf vgrf9 size 1\nmov(8) vgrf9.x:F, 0D\nadd(8) vgrf4:F, vgrf9.xxxx:F, 0D\n',
    );
    assert.match(renamed(text, 'vgrf4'), /^refused/);
    assert.match(renamed(text, 'sum'), /^refused/);
    assert.match(renamed('mov(8) $0g3:F, 0D', 'g4'), /^refused/);
  });

  it('begins a program at .gen, at .program, and where the numbers fall back to 0', () => {
    const first = '.gen 1\n.program a\nmov(8) vgrf1:F, 0D\n';
    const second = '; about b\n.program b\nmov(8) vgrf1:F, 0D\n\n';
    const third = '   0: mov(8) vgrf1:F, 0D\n   1: mov(8) vgrf1:F, 0D\n';
    assert.deepEqual(units(first + second), [first, second]);
    assert.deepEqual(units(third + third), [third, third]);
    const heading = 'vertex shader:\n';
    assert.deepEqual(units(third + heading + third), [third, heading + third]);
    // A number that repeats, or that falls back to another one, begins nothing.
    assert.equal(units('   3: mov(8) vgrf1:F, 0D\n   2: mov(8) vgrf1:F, 0D\n').length, 1);
    assert.equal(units('   0: mov(8) vgrf1:F, 0D\n   0: mov(8) vgrf1:F, 0D\n').length, 1);
  });

  it("keeps a register allocation with the selection before it, and cuts Beignet's sections apart", () => {
    const ir = '.decl_function k\n## 0 registers ##\n.end_function\n\n';
    const selection = "k's SELECTION IR begin:\n[0]    \t  L0:\nk's SELECTION IR end.\n\n";
    const allocation = '## register allocation ##\n\n';
    assert.deepEqual(units(ir + selection + allocation), [ir, selection + allocation]);
    assert.deepEqual([ir, selection, allocation].map(sectionKind), [
      'genIr',
      'selection',
      'registerAllocation',
    ]);
  });

  it('is one error where two programs have one name', () => {
    const [, second] = genSnapshot('.program a\nmov(8) vgrf1:F, 0D\n.program a\nmov(8) vgrf1:F, 0D\n').units;
    assert.deepEqual(
      second.bound.problems.filter(({ severity }) => severity === 'error').map(({ code }) => code),
      ['name/duplicate'],
    );
  });

  it('builds blocks from labels and jumps in scalar programs', () => {
    const f = lowered(`
.gen 1
.mode simd8
mov(8) vgrf1:F, 0f
loop: add(8) vgrf1:F, vgrf1:F, 1f
cmp.l.f0.0(8) null:F, vgrf1:F, 9f
(+f0.0) jmpi(1) loop
mov(8) g4:F, vgrf1:F
`);
    assert.deepEqual([...f.blockStart], [0, 1, 4, 5]);
    const edges = Array.from({ length: f.blockCount }, (_, b) => [
      ...f.successors.subarray(f.successorStart[b], f.successorStart[b + 1]),
    ]);
    assert.deepEqual(edges, [[1], [2, 1], []]);
    assert.equal(f.blockNames[1], 'loop');
    assert.equal(f.opcodes.text(f.opcode[3]), 'jmpi(1) pred=+f0.0 target=1');
  });

  it('lets the thread also go where only other channels go', () => {
    const f = lowered(`
   0: do(8) (null):UD
   1: (+f0.0) if(8) (null):UD
   2: break(8) (null):UD
   3: else(8) (null):UD
   4: cont(8) (null):UD
   5: endif(8) (null):UD
   6: while(8) (null):UD
   7: mov(8) m2:F, 0D
`);
    const edges = Array.from({ length: f.blockCount }, (_, b) =>
      [...f.successors.subarray(f.successorStart[b], f.successorStart[b + 1])].sort(),
    );
    // Blocks: do | if | break | else | cont | endif while | mov
    assert.deepEqual([...f.blockStart.slice(0, -1)], [0, 1, 2, 3, 4, 5, 7]);
    assert.deepEqual(edges, [
      [1, 6], // into the loop; behind it, with channels that others keep looping
      [2, 4], // then; else begins behind the instruction `else`
      [0, 6], // out of the loop; round again for the channels that stay
      [4, 5], // into the else branch with the other channels; to endif
      [1, 5], // next round; on with the channels that did not continue
      [1], // an unpredicated while goes back
      [],
    ]);
  });

  it('reads the pseudo instructions of the standalone format', () => {
    const text = `
.gen 1
.mode simd4x2
spill(8) s4.xy:F, vgrf1.xyyy:F
unspill(8) vgrf2:F, s4:F
simd4x2_merge(8) vgrf3.xyz:F, vgrf1.xyzw:F, vgrf2.xyzw:F
unaligned_oword_block_read(8) vgrf4:F, vgrf3.xyzw:UD, surface, 1U
`;
    const f = lowered(text);
    assert.equal(f.instructionCount, 4);
    assert.equal(genIr.parse(text).problems.length, 0);
    const payloads = Array.from({ length: 3 }, (_, k) =>
      f.operandTexts?.text(f.operandPayload?.[f.operandStart[3] + 1 + k] ?? 0),
    );
    assert.deepEqual(payloads, ['v:UD', 'word:surface', '#UD:00000001']);
  });
});
