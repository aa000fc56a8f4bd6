import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { gpir } from '../../../server/src/languages/gpir/index.js';
import { unitEnd } from '../../../server/src/languages/gpir/split.js';
import type { GpirUnit, Operand, Statement } from '../../../server/src/languages/gpir/tree.js';
import type { Span } from '../../../server/src/text/span.js';
import { corpusOrSkip, filesOf, rowsOf } from '../../support/corpus.js';
import { runs } from '../../support/fuzz.js';
import { gpirPiece, gpirText } from '../../support/gpir-typing.js';
import { alone, bound, lowered, problemsOf } from './support.js';

/** What must hold of every tree, whatever the text. */
function checkTree(text: string): GpirUnit {
  const unit = gpir.parse(text);
  const { tokens } = unit;
  let end = 0;
  for (let i = 0; i < tokens.count; i++) {
    assert.ok(tokens.start[i] >= end && tokens.end[i] > tokens.start[i]);
    assert.match(
      text.slice(end, tokens.start[i]),
      /^[\s\0-\x20\u200b\u200c\u200d\u2060\ufeff]*$/,
      'gaps are blanks',
    );
    end = tokens.end[i];
  }
  assert.match(text.slice(end), /^[\s\0-\x20\u200b\u200c\u200d\u2060\ufeff]*$/);
  inOrder(unit.statements, { start: 0, end: text.length }, false);
  for (const statement of unit.statements) {
    if (statement.kind !== 'instruction') continue;
    inOrder(statement.operands, statement, true);
    checkNames(text, statement, statement.operands);
  }
  for (const problem of [...unit.problems, ...gpir.bind(unit, alone).problems]) {
    const { start, end: stop } = problem.span;
    assert.ok(0 <= start && start <= stop && stop <= text.length, problem.message);
    assert.doesNotMatch(text.slice(start, stop).trim(), /[\n\r]/, 'a problem lies in one line');
    assert.ok(problem.message.length < 400);
  }
  return unit;
}

function inOrder(spans: readonly Span[], within: Span, mayTouch: boolean): void {
  let end = within.start;
  for (const s of spans) {
    assert.ok(s.start >= end && s.end >= s.start && (mayTouch || s.end > s.start), `${s.start}-${s.end}`);
    end = s.end;
  }
  assert.ok(end <= within.end);
}

function checkNames(text: string, statement: Statement, operands: readonly Operand[]): void {
  if (statement.kind !== 'instruction') return;
  for (const name of [statement.result, statement.opcode])
    if (name !== undefined) assert.equal(text.slice(name.start, name.end), name.text);
  for (const operand of operands)
    if (operand.kind !== 'number' && operand.kind !== 'missing')
      assert.equal(text.slice(operand.name.start, operand.name.end), operand.name.text);
}

/** Everything that the language is asked for, at a place. */
function askAll(text: string, offset: number): void {
  const unit = gpir.parse(text);
  const whole = gpir.bind(unit, alone);
  const { symbols } = whole;
  for (let k = 1; k < symbols.occurrenceStart.length; k++)
    assert.ok(symbols.occurrenceStart[k] >= symbols.occurrenceEnd[k - 1], 'occurrences are sorted');
  const lexical = gpir.lexical(whole);
  for (let k = 1; k < lexical.start.length; k++) assert.ok(lexical.start[k] >= lexical.end[k - 1]);
  const f = gpir.lower(whole);
  if (f !== undefined) for (const i of symbols.occurrenceInstruction) assert.ok(i < f.instructionCount);
  gpir.describe(whole, offset);
  gpir.complete(whole, offset, alone);
  gpir.signatures(whole, offset);
  gpir.folds(unit);
  gpir.enclosing(unit, offset);
  gpir.links(whole, alone);
  gpir.format(unit, { tabSize: 2, insertSpaces: true });
}

describe('gpir parser, any text', () => {
  it('keeps every byte and never throws', () =>
    fc.assert(
      fc.property(fc.oneof(gpirText, fc.string({ unit: 'binary' }), fc.string()), fc.nat(), (text, n) => {
        checkTree(text);
        askAll(text, n % (text.length + 1));
      }),
      { numRuns: runs(400) },
    ));

  it('cuts any text into units that are whole', () =>
    fc.assert(
      fc.property(fc.array(gpirPiece, { maxLength: 12 }), (pieces) => {
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
        fc.array(fc.constantFrom('%', '=', ',', '-', '(', '1', 'x', ' ', '@', '$', ':'), { maxLength: 12 }),
        (noise) => {
          const before = '%a = ld_att a0.x\n%b = mul %a, %a\n';
          const after = '\nst_var v0.x, %b\nst_var v0.y, %a\n';
          const line = noise.join('');
          const text = before + line + after;
          const errors = gpir.parse(text).problems;
          assert.ok(errors.length <= 1);
          for (const { span } of errors)
            assert.ok(span.start >= before.length && span.end <= before.length + line.length);
          const f = lowered(text);
          const opcodes = Array.from(f.opcode, (opcode) => f.opcodes.text(opcode));
          assert.deepEqual(opcodes.slice(0, 2), ['ld_att', 'mul']);
          assert.deepEqual(opcodes.slice(-2), ['st_var', 'st_var']);
        },
      ),
      { numRuns: runs(300) },
    ));
});

describe('gpir parser, reference inputs', () => {
  it('has no complaint, and an instruction for every line', function () {
    const folder = corpusOrSkip(this, 'gpir');
    const blocks = new Map(rowsOf(`${folder}/counts.tsv`).map((row) => [row.name, row]));
    for (const path of filesOf(folder, '.gpir')) {
      const text = readFileSync(path, 'utf8');
      assert.equal(unitEnd(text, 0), text.length);
      assert.deepEqual(
        problemsOf(text).filter((p) => p.severity !== 'hint'),
        [],
        path,
      );
      const f = lowered(text);
      assert.equal(f.instructionCount, text.split('\n').filter((line) => line.startsWith('  ')).length, path);
      const row = blocks.get(path.replace(/^.*\/|\.gpir$/g, ''));
      const labels = bound(text).symbols.symbols.filter((symbol) => symbol.kind === 'label');
      assert.equal(labels.length, Number(row?.blocks), path);
      assert.ok(f.blockCount <= labels.length, 'labels at one place begin one block');
    }
  });

  it('survives every truncation and mutation', function () {
    const folder = corpusOrSkip(this, 'gpir');
    const texts = filesOf(folder, '.gpir')
      .map((path) => readFileSync(path, 'utf8'))
      .filter((text) => text.length < 9000);
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.nat(),
        fc.nat({ max: 30 }),
        fc.oneof(fc.constant(''), fc.string({ maxLength: 3 }), gpirPiece),
        (text, n, removed, put) => {
          const at = n % text.length;
          const mutated = text.slice(0, at) + put + text.slice(at + removed);
          checkTree(mutated);
          askAll(mutated, at);
          checkTree(text.slice(0, at));
          bound(text.slice(at));
        },
      ),
      { numRuns: runs(80) },
    );
  });
});

describe('gpir, large', () => {
  it('is linear in every direction', () => {
    const many = (count: number, line: (k: number) => string): string =>
      Array.from({ length: count }, (_, k) => line(k)).join('');
    for (const text of [
      many(10_000, (k) => `%v${k} = add %v${k - 1}, %v${k + 1}\n`),
      many(
        10_000,
        (k) => `b${k}: branch_cond b${(k * 7919) % 10_000}, @r${k % 500}\nst_reg @r${(k * 31) % 500}, 1\n`,
      ),
      many(10_000, () => 'branch_cond a, 1\n') + 'a:',
      many(10_000, (k) => `%x${k} = mov missing${k}\n`),
      `%x = add ${many(25_000, (k) => `u${k}.x, `)}1`,
      `%x = add ${many(25_000, () => '- ')}1`,
      `%x = ${many(25_000, () => 'add ')}`,
      many(25_000, (k) => `l${k}: `),
      many(10_000, () => '.program\n'),
      many(10_000, () => '; .program x\n'),
      `${many(25_000, () => ' .program')}\n${' '.repeat(25_000)}.program x`,
      'a'.repeat(200_000),
      '%'.repeat(100_000),
      `%x = mov ${'9'.repeat(100_000)}`,
      `%x = mov ${'1.'.repeat(25_000)}`,
    ]) {
      bound(text);
      gpir.lexical(bound(text));
      for (let at = 0; at < text.length;) at = unitEnd(text, at);
    }
  }).timeout(30_000);
});
