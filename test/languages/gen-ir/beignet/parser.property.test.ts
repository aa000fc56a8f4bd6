import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../../support/fuzz.js';
import type { Span } from '../../../../server/src/text/span.js';
import { mixed, saxpyAllocation, saxpyIr, saxpySelection, spilled, sumFork } from './kernels.js';
import { bound } from './support.js';
import { lowerBeignet } from '../../../../server/src/languages/gen-ir/beignet/lower.js';

const kernels = [mixed, saxpyAllocation, saxpyIr, saxpySelection, spilled, sumFork];

/** What must hold of every tree, whatever the text. */
function check(text: string): void {
  const unit = bound(text);
  let end = 0;
  for (const line of unit.parsed.lines) {
    assert.ok(line.start >= end && line.end > line.start && line.end <= text.length);
    assert.doesNotMatch(text.slice(line.start, line.end), /[\n\r]/, 'a line is a line');
    end = line.end;
    const parts: Span[] = [];
    if (line.kind === 'selection') parts.push(...line.destinations, ...line.sources);
    else if (line.kind === 'ir') parts.push(...line.registers);
    let last = line.start;
    for (const part of parts) {
      assert.ok(part.start >= last && part.end > part.start && part.end <= line.end);
      last = part.end;
    }
    if (line.kind === 'selection' || line.kind === 'ir')
      assert.equal(text.slice(line.opcode.start, line.opcode.end), line.opcode.text);
  }
  for (const { span, message } of [...unit.parsed.problems, ...unit.problems]) {
    assert.ok(span.start >= 0 && span.start <= span.end && span.end <= text.length, message);
    assert.ok(message.length < 400);
  }
  const { occurrenceStart, occurrenceEnd, occurrenceInstruction } = unit.symbols;
  for (let k = 0; k < occurrenceStart.length; k++)
    assert.ok(
      occurrenceEnd[k] > occurrenceStart[k] && (k === 0 || occurrenceStart[k] >= occurrenceEnd[k - 1]),
    );
  const f = lowerBeignet(unit);
  if (f === undefined) return;
  assert.equal(f.instructionCount, unit.code.length);
  assert.ok(occurrenceInstruction.every((i) => i < f.instructionCount));
  for (let i = 0; i < f.instructionCount; i++)
    assert.deepEqual([f.spanStart[i], f.spanEnd[i]], [unit.code[i].start, unit.code[i].end]);
  assert.equal(f.operandPayload?.length ?? 0, f.operandPlace.length);
}

const piece = fc.oneof(
  fc.constantFrom(
    ...'[4] ( ) (f44) (f0.1) \t : = ; , < > { } % %45 <8,8,1> <1> :F : :UD ADD(16) CMP.l(8) IF(16) 0x3f 1.5e-05:F arf null acc.0 L3 L3: jip=L1 {NoMask ## $0 LABEL BRA<%4> -> label$1 .decl.dword g6 .1 @-1 [ -> ]use 16B - (abs) inf:F'.split(
      ' ',
    ),
  ),
  fc.constantFrom('\n', '\r\n', '\t', ' '),
  fc.string({ maxLength: 4 }),
);

describe('Beignet: any text', () => {
  it('parses whatever pieces stand behind a section head', () => {
    const head = fc.constantFrom(
      "k's SELECTION IR begin:\n",
      '.decl_function k\n',
      '## register allocation ##\n',
      '',
    );
    fc.assert(
      fc.property(head, fc.array(piece, { maxLength: 60 }), (start, pieces) => {
        check(start + pieces.join(''));
      }),
      { numRuns: runs(300) },
    );
  });

  it('parses kernels with a piece cut out and another put in', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kernels),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat({ max: 30 }),
        fc.array(piece, { maxLength: 4 }),
        (text, at, length, pieces) => {
          const from = Math.floor(at * text.length);
          check(text.slice(0, from) + pieces.join('') + text.slice(from + length));
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('keeps the kernels with any line end', () => {
    for (const text of kernels) {
      check(text);
      check(text.replaceAll('\n', '\r\n'));
      check(text.replaceAll('\n', '\r'));
    }
  });
});
