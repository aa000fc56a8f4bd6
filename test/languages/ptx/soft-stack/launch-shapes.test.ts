import assert from 'node:assert/strict';
import { asWords, runWell } from '../../../support/ptx-module-run.js';
import { softStackRefactorings } from '../../../../server/src/languages/ptx/soft-stack/refactorings.js';
import { bindText } from '../bound.js';
import { head, moved, refusalOf } from './support.js';

/** A kernel that keeps the number of its warp in its frame, behind a barrier. */
const kernel = (
  directive: string,
  index = 'shr.u32 %n, %x, 2;',
): string => `${head}.visible .entry k(.param .u64 out)
${directive}
{
	.local .align 4 .b8 a[16];
	.reg .b64 %rd<4>;
	.reg .b32 %n, %x, %v;
	ld.param.u64 %rd1, [out];
	mov.u32 %x, %tid.x;
	${index}
	st.local.u32 [a], %n;
	bar.sync 0;
	ld.local.u32 %v, [a];
	mad.wide.u32 %rd2, %x, 4, %rd1;
	st.global.u32 [%rd2], %v;
	ret;
}
`;

const fromBlock = (directive: string): string => kernel(directive, 'mov.u32 %n, %ctaid.x;');

describe('soft stack: the blocks that a kernel asks for', () => {
  it('must have a warp in each row', () => {
    for (const [directive, why] of [
      [
        '.reqntid 256, 1, 1',
        /^line 5: it is launched with \.reqntid 256, 1, 1: 8 warps of a block have the same %tid\.y.*--per-lane/,
      ],
      ['.reqntid 1024', /32 warps of a block/],
      ['.reqntid 33, 2', /2 warps of a block/],
      ['.reqntid 8, 16, 1', /with 8 in x it would have more than one slot/],
      ['.reqntid 32, 2, 2', /the same %tid\.y and another %tid\.z/],
      ['.reqntid 16, 33, 1', /there are 32 slots, and %tid\.y goes up to 32/],
    ] as const) {
      for (const lanes of ['checked', 'uniform'] as const)
        assert.match(refusalOf(fromBlock(directive), { lanes }), why, directive);
      assert.deepEqual(moved(fromBlock(directive), { lanes: 'own' }).refusals, []);
    }
  });

  it('may have fewer lanes in a warp, and one thread for each slot', () => {
    for (const directive of [
      '.reqntid 32, 8, 1',
      '.reqntid 32',
      '.reqntid 16',
      '.reqntid 1, 32, 1',
      '.reqntid 32, 32',
    ])
      assert.deepEqual(moved(fromBlock(directive), {}).refusals, [], directive);
  });

  it('speak for what the kernel calls', () => {
    const source = `${head}.func g()\n{\n.local .b32 a;\nst.local.u32 [a], 0;\nret;\n}\n.func h()\n{\ncall g;\nret;\n}\n.entry k()\n.reqntid 64, 1, 1\n{\ncall h;\nret;\n}\n`;
    assert.match(
      refusalOf(source, {}),
      /^line 16: k, from which it is called, is launched with \.reqntid 64, 1, 1: 2 warps/,
    );
    assert.deepEqual(moved(source.replace('call h;', ''), {}).refusals, []);
  });

  it('are told where only their largest size is known', () => {
    const [note, ...others] = moved(fromBlock('.maxntid 1024, 1, 1'), {}).notes;
    assert.deepEqual(others, []);
    assert.match(
      note.message,
      /^\.maxntid 1024, 1, 1 allows blocks in which 32 warps.*at most 32 lanes in x/,
    );
    for (const quiet of ['.maxntid 32, 8, 1', '.maxntid 256, 1, 1\n.reqntid 32, 8, 1', ''])
      assert.deepEqual(moved(fromBlock(quiet), {}).notes, []);
    assert.deepEqual(moved(fromBlock('.maxntid 1024, 1, 1'), { lanes: 'own' }).notes, []);
    const text = fromBlock('.maxntid 32, 2, 2');
    const at = text.indexOf('.entry k');
    const [shared, own] = softStackRefactorings(bindText(text), { start: at, end: at });
    assert.match(shared.title, /^Move stack frame to a soft stack \(\.maxntid 32, 2, 2 allows/);
    assert.equal(own.title, 'Move stack frame to a soft stack for each lane');
  });

  it('hold for an entry that sets the stacks up', () => {
    const once = fromBlock('.reqntid 64, 1, 1')
      .replace(/\t\.local.*\n/, '')
      .replace(/\t(?:st|ld)\.local.*\n/g, '');
    assert.match(refusalOf(once, { mainKernel: 'k' }), /^line 5: it is launched with/);
    assert.deepEqual(moved(once, { mainKernel: 'k', lanes: 'own' }).refusals, []);
  });

  it('would give wrong results', () => {
    // warps of four lanes, so that a block of eight in x has two: both store in slot 0
    const result = (text: string, stacks: boolean): readonly number[] =>
      asWords(
        runWell(text, {
          entry: 'k',
          block: [8, 1, 1],
          lanes: 4,
          buffers: { out: new Uint8Array(32) },
          arguments: [{ address: 'out' }],
          ...(stacks ? { stacks: { bytes: 256, holder: 'warp', slots: '__nvptx_stacks' } as const } : {}),
        }).memory.get('out'),
      );
    const before = [0, 0, 0, 0, 1, 1, 1, 1];
    assert.deepEqual(result(kernel(''), false), before);
    assert.notDeepEqual(result(moved(kernel(''), { lanes: 'uniform' }).text, true), before);
  });
});
