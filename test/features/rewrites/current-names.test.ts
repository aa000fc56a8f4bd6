import assert from 'node:assert/strict';
import { isCurrentEverywhere } from '../../../server/src/features/rewrites/current-names.js';
import { buildFunction } from '../../support/build-function.js';

/** Whether `a` and `b` are names of one register that is read rightly. Lines `copy` are the copies that were put in. */
function isRight(text: string): boolean {
  const f = buildFunction(text);
  const order = Int32Array.from({ length: f.instructionCount }, (_, k) =>
    f.opcodes.text(f.opcode[k]) === 'copy' ? -1 : k,
  );
  return isCurrentEverywhere(f, order, (r) => ['a', 'b', 'c'].includes(f.registerNames[r]));
}

describe('current names of a split register', () => {
  const right: Readonly<Record<string, string>> = {
    'a copy and its reader': 'regs a b x\na = const\nb = copy a\nx = op b\nx = op a',
    'two values that follow each other': 'regs a b x\na = const\nx = op a\nb = const\nx = op b',
    'a chain of copies': 'regs a b c x\na = const\nb = copy a\nc = copy b\nx = op c',
    'a part written to the current name': 'regs a b:2 x\nb = const\nb.lo = op x\nx = op b',
    'a copy in front of a loop':
      'regs a b x\nE:\na = const\nb = copy a\nL:\nx = op b\nbranch x\n-> L D\nD:\nx = op b',
    'both sides of a branch':
      'regs a b x\nE:\na = const\nbranch x\n-> T F\nT:\nb = copy a\n-> J\nF:\nb = const\nJ:\nx = op b',
    'a name that is read where nothing was written yet': 'regs a b x\nx = op b\na = const\nx = op a',
  };
  for (const [what, text] of Object.entries(right))
    it(`takes ${what}`, () => {
      assert.equal(isRight(text), true);
    });

  const wrong: Readonly<Record<string, string>> = {
    'a name that was written before the copy': 'regs a b x\na = const\nb = copy a\na = op x\nx = op b',
    'the old name behind a write to the new one': 'regs a b x\na = const\nb = copy a\nb = op x\nx = op a',
    'a copy on one side of a branch':
      'regs a b x\nE:\na = const\nbranch x\n-> T J\nT:\nb = copy a\nJ:\nx = op b',
    'a loop that comes back with the other name':
      'regs a b x\nE:\na = const\nL:\nx = op a\nb = copy a\nb = op b\nbranch x\n-> L D\nD:\nx = op b',
    'a write under a guard to another name': 'regs a b x p:p\na = const\n@p b = op x\nx = op b',
    'a copy of what is not current': 'regs a b c x\na = const\nb = copy a\na = op x\nc = copy b\nx = op c',
    'a copy under a guard': 'regs a b x p:p\na = const\n@p b = copy a\nx = op b',
    'a copy of a half': 'regs a:2 b:2 x\na = const\nb.lo = copy a\nx = op b',
  };
  for (const [what, text] of Object.entries(wrong))
    it(`refuses ${what}`, () => {
      assert.equal(isRight(text), false);
    });
});
