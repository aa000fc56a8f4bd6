import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import type { Operand } from '../../../server/src/languages/gen-ir/operand.js';
import { unitEnd } from '../../../server/src/languages/gen-ir/split.js';
import type { MesaUnit } from '../../../server/src/languages/gen-ir/tree.js';
import { parse } from '../../../server/src/languages/gen-ir/parser/parse.js';
import type { Span } from '../../../server/src/text/span.js';
import { corpusOrSkip, filesOf } from '../../support/corpus.js';
import { runs } from '../../support/fuzz.js';
import { genPiece, genText } from '../../support/gen-typing.js';
import { alone, lowered } from './support.js';

const blanks = /^[\s\0-\x20\u200b\u200c\u200d\u2060\ufeff]*$/;

/** What must hold of every tree, whatever the text. */
function checkTree(text: string): MesaUnit {
  const unit = parse(text);
  const pieces: Span[] = [...unit.statements];
  for (let k = 0; k < unit.comments.length; k += 2)
    pieces.push({ start: unit.comments[k], end: unit.comments[k + 1] });
  pieces.sort((a, b) => a.start - b.start || a.end - b.end);
  let end = 0;
  for (const piece of pieces) {
    assert.ok(piece.start >= end && piece.end >= piece.start, `${piece.start}-${piece.end} behind ${end}`);
    assert.match(text.slice(end, piece.start), blanks, 'gaps are blanks');
    end = piece.end;
  }
  assert.match(text.slice(end), blanks);
  for (const statement of unit.statements) {
    if (statement.kind !== 'instruction') continue;
    let last = statement.opcode.end;
    assert.equal(text.slice(statement.opcode.start, statement.opcode.end), statement.opcode.text);
    for (const operand of [statement.destination, ...statement.sources]) {
      assert.ok(operand.start >= last && operand.end >= operand.start && operand.end <= statement.end);
      last = operand.end;
      checkOperand(text, operand);
    }
  }
  for (const { span, message } of [...unit.problems, ...genIr.bind(unit, alone).problems]) {
    assert.ok(0 <= span.start && span.start <= span.end && span.end <= text.length, message);
    assert.doesNotMatch(text.slice(span.start, span.end).trim(), /[\n\r]/, 'a problem lies in one line');
    assert.ok(message.length < 400);
  }
  return unit;
}

/** The spans that an operand computes are those of its parts. */
function checkOperand(text: string, operand: Operand): void {
  const { file, offsetStart, channelsStart, typeStart } = operand;
  if (file === 'missing' || file === 'immediate' || file === 'none') return;
  assert.match(text.slice(operand.nameStart, operand.nameEnd), /^[A-Za-z_][\w.]*$/);
  if (offsetStart >= 0) assert.match(text.slice(offsetStart, operand.offsetEnd), /^\+\d+\.\d+$/);
  if (channelsStart >= 0) assert.match(text.slice(channelsStart, operand.channelsEnd), /^[xyzw]+$/);
  if (typeStart >= 0) assert.equal(text.slice(typeStart, operand.typeEnd), operand.type);
}

/** Everything that the language is asked for, at a place. */
function askAll(text: string, offset: number): void {
  const unit = genIr.parse(text);
  const whole = genIr.bind(unit, alone);
  const { symbols } = whole;
  for (let k = 1; k < symbols.occurrenceStart.length; k++)
    assert.ok(symbols.occurrenceStart[k] >= symbols.occurrenceEnd[k - 1], 'occurrences are sorted');
  const lexical = genIr.lexical(whole);
  for (let k = 1; k < lexical.start.length; k++) assert.ok(lexical.start[k] >= lexical.end[k - 1]);
  const f = genIr.lower(whole);
  if (f !== undefined) for (const i of symbols.occurrenceInstruction) assert.ok(i < f.instructionCount);
  genIr.describe(whole, offset);
  genIr.complete(whole, offset, alone);
  genIr.signatures(whole, offset);
  genIr.folds(unit);
  genIr.enclosing(unit, offset);
  genIr.links(whole, alone);
  genIr.format(unit, { tabSize: 2, insertSpaces: true });
}

describe('gen-ir parser, any text', function () {
  this.timeout(30_000);

  it('keeps every byte and never throws', () =>
    fc.assert(
      fc.property(fc.oneof(genText, fc.string({ unit: 'binary' }), fc.string()), fc.nat(), (text, n) => {
        checkTree(text);
        askAll(text, n % (text.length + 1));
      }),
      { numRuns: runs(400) },
    ));

  it('cuts any text into units that are whole', () =>
    fc.assert(
      fc.property(fc.array(genPiece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        for (let at = 0; at < text.length;) {
          const end = unitEnd(text, at);
          assert.ok(end > at && end <= text.length);
          assert.equal(unitEnd(text.slice(at, end), 0), end - at, 'a unit is cut no further');
          at = end;
        }
      }),
      { numRuns: runs(300) },
    ));

  it('costs one line what is wrong with one line', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('vgrf1', ':F', ',', '-', '(', '|', 'x', ' ', '.', '+', '<', '[', '{'), {
          maxLength: 12,
        }),
        (noise) => {
          const before = '.gen 1\nmov(8) vgrf1:F, 0D\nadd(8) vgrf2:F, vgrf1.xyzw:F, 1F\n';
          const after = '\nmov(8) m2:F, vgrf1.xyzw:F\nmov(8) m3:F, vgrf2.xyzw:F\n';
          const line = noise.join('');
          const text = before + line + after;
          const errors = parse(text).problems;
          for (const { span } of errors)
            assert.ok(span.start >= before.length && span.end <= before.length + line.length);
          const f = lowered(text);
          const opcodes = Array.from(f.opcode, (opcode) => f.opcodes.text(opcode));
          assert.deepEqual(opcodes.slice(0, 2), ['mov(8)', 'add(8)']);
          assert.deepEqual(opcodes.slice(-2), ['mov(8)', 'mov(8)']);
        },
      ),
      { numRuns: runs(300) },
    ));

  it('survives every truncation and mutation of a dump', function () {
    const folder = corpusOrSkip(this, 'gen');
    const texts = filesOf(`${folder}/hsw`, '.txt')
      .map((path) => readFileSync(path, 'utf8'))
      .filter((text) => text.length < 6000);
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.nat(),
        fc.nat({ max: 30 }),
        fc.oneof(fc.constant(''), fc.string({ maxLength: 3 }), genPiece),
        (text, n, removed, put) => {
          const at = n % text.length;
          const mutated = text.slice(0, at) + put + text.slice(at + removed);
          checkTree(mutated);
          askAll(mutated, at);
          checkTree(text.slice(0, at));
          genIr.bind(genIr.parse(text.slice(at)), alone);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('gen-ir, large', () => {
  it('is linear in every direction', () => {
    const many = (count: number, line: (k: number) => string): string =>
      Array.from({ length: count }, (_, k) => line(k)).join('');
    for (const text of [
      many(10_000, (k) => `add(8) vgrf${k}:F, vgrf${k - 1}.xyzw:F, vgrf${(k * 7919) % 10_000}.xyzw:F\n`),
      many(10_000, (k) => `mov(8) vgrf${1_000_000 * k}:F, 0D\n`),
      many(10_000, (k) => `.vgrf ${k} size ${k % 3}\n`),
      many(5_000, () => 'if(8) (null):UD\n') + many(5_000, () => 'endif(8) (null):UD\n'),
      many(5_000, () => 'do(8) (null):UD\n') + many(5_000, () => '(+f0.0) break(8) (null):UD\n'),
      many(5_000, () => 'do(8) (null):UD\n') + many(5_000, () => 'while(8) (null):UD\n'),
      `do(8) (null):UD\n${many(10_000, () => '(+f0.0) break(8) (null):UD\n')}while(8) (null):UD\n`,
      many(5_000, (k) => `l${k}: (+f0.0) jmpi(8) l${(k * 31) % 5_000}\n`),
      many(10_000, () => '.gen 1\n'),
      many(10_000, () => '; .gen 1\n'),
      many(10_000, () => '   0: mov(8) vgrf1:F, 0D\n   1: mov(8) vgrf1:F, 0D\n'),
      many(10_000, (k) => `START B${k}\n`),
      `mov(8) vgrf1:F, ${many(25_000, (k) => `vgrf${k}:F, `)}0D`,
      `mov(8) vgrf1:F, ${many(25_000, () => '[1F, 0F, 0F, 0F], ')}0D`,
      `mov(8) vgrf1:F, ${'['.repeat(50_000)}`,
      `mov(8) vgrf1:F, 0D {${many(25_000, () => 'mlen 2, ')}}`,
      `mov(8) vgrf1:F, 0D ${many(10_000, () => '{mlen 2} ')}`,
      `mov(8) vgrf1:F, 0D ${many(25_000, () => 'NoMask ')}`,
      `mov(8)${many(25_000, () => '.sat')} vgrf1:F, 0D`,
      `${many(25_000, () => '(mlen: 2) ')}`,
      'a'.repeat(200_000),
      '('.repeat(100_000),
      `mov(8) vgrf1:F, ${'9'.repeat(100_000)}D`,
      `mov(8) vgrf1:F, ${'-|'.repeat(50_000)}`,
      `.live_out ${many(25_000, (k) => `vgrf${k}, `)}`,
      `.payload ${many(25_000, (k) => `g${k}, `)}`,
    ]) {
      for (let at = 0; at < text.length;) {
        const end = unitEnd(text, at);
        const unit = genIr.bind(genIr.parse(text.slice(at, end)), alone);
        genIr.lexical(unit);
        genIr.lower(unit);
        at = end;
      }
    }
  }).timeout(30_000);
});
