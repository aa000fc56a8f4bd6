import assert from 'node:assert/strict';
import { genIr } from '../../../../server/src/languages/gen-ir/index.js';
import { definition } from '../../../../server/src/features/definition.js';
import { references } from '../../../../server/src/features/references.js';
import { rename } from '../../../../server/src/features/rename.js';
import { hover } from '../../../../server/src/features/hover.js';
import { foldingRanges, selectionRanges } from '../../../../server/src/features/structure.js';
import type { Snapshot } from '../../../../server/src/workspace/snapshot.js';
import { snapshotOf } from '../../../support/snapshot.js';
import { toyTarget } from '../../../support/toy/target.js';
import { mixed, saxpyAllocation, saxpyIr, saxpySelection, spilled, sumFork } from './kernels.js';

/** A whole standard output: what the driver and the program print, and the sections between. */
const capture = `Beignet: device found\n${saxpyIr}\nbuild options: -DN=4\n${saxpySelection}${saxpyAllocation}elapsed 3 ms\n${mixed}${spilled}${sumFork}`;

const snapshot = (text: string): Snapshot => snapshotOf(text, genIr, toyTarget);

/** Position of the `nth` occurrence of `what`. */
function at(s: Snapshot, text: string, what: string, nth = 0): { line: number; character: number } {
  let offset = text.indexOf(what);
  for (let k = 0; k < nth; k++) offset = text.indexOf(what, offset + 1);
  assert.ok(offset >= 0);
  return s.lines.positionAt(offset + 1);
}

describe('Beignet: a captured output', () => {
  const s = snapshot(capture);

  it('is cut into sections, a register allocation with its selection, and has no false error', () => {
    const units = s.units.map(({ parsed }) => (parsed as { section?: string }).section);
    assert.deepEqual(units, ['genIr', 'selection', 'selection', 'selection']);
    for (const { parsed, bound } of s.units)
      assert.deepEqual(
        [...parsed.problems, ...bound.problems].filter((p) => p.severity !== 'hint'),
        [],
      );
    assert.equal(s.units.map(({ parsed }) => parsed.text).join(''), capture);
  });

  it('goes from a read, and from a row of the register allocation, to the definitions', () => {
    const lineOf = (text: string, from = 0): number => s.lines.lineAt(capture.indexOf(text, from));
    const start = capture.indexOf(saxpySelection);
    const write = lineOf('%46<1>:D\t:\t%46', start);
    const first = lineOf('%46<1>:D\t:\t%3', start);
    const read = s.lines.positionAt(capture.indexOf('%46<8,8,1>:D\t2:D', start) + 1);
    assert.deepEqual(
      definition(s, read).map(({ range }) => range.start.line),
      [write],
    );
    const row = s.lines.positionAt(capture.indexOf('%46      g6') + 1);
    assert.deepEqual(
      definition(s, row).map(({ range }) => range.start.line),
      [first, write],
    );
  });

  it('takes a comparison for the definition of the flag that is assumed', () => {
    const start = capture.indexOf(saxpySelection);
    const place = (what: string, by: number) => s.lines.positionAt(capture.indexOf(what, start) + by);
    const compare = place('arf', 0);
    const lines = (found: readonly { range: { start: { line: number } } }[]): number[] =>
      found.map(({ range }) => range.start.line);
    const read = place('(f45)', 2);
    const row = place('%45 ', 1);
    assert.deepEqual(definition(s, read), definition(s, compare));
    assert.deepEqual(lines(definition(s, read)), [compare.line]);
    assert.deepEqual(lines(definition(s, row)), [compare.line]);
    assert.deepEqual(lines(references(s, read, true)), [compare.line, read.line, row.line]);
    assert.match(hover(s, compare)?.contents ?? '', /That of %45 is assumed/);
    assert.ok('refused' in rename(s, read, '%99'));
  });

  it('tells on a register where Beignet put it', () => {
    const text = hover(s, s.lines.positionAt(capture.indexOf('%9<0,1,0>') + 1))?.contents ?? '';
    assert.match(text, /Family `dword`: one value for all lanes, 4 bytes/);
    assert.match(text, /in g1, byte 20; live from \[0\] to \[2\]/);
    const row = hover(s, at(s, capture, '%62      @-1'))?.contents ?? '';
    assert.match(row, /no memory: it lives for one instruction, in the pool; live at \[12\] only; 2 uses/);
    const none = hover(s, at(s, capture, '%3       g0'))?.contents ?? '';
    assert.match(none, /no interval/);
  });

  it('explains opcodes of both vocabularies, with the function of a MATH', () => {
    const textAt = (what: string): string =>
      hover(s, s.lines.positionAt(capture.indexOf(what) + 1))?.contents ?? '';
    assert.match(textAt('UNTYPED_READ(16)'), /one address a lane/);
    assert.match(textAt('MATH.rsq(16)'), /MATH\.rsq.*1 ÷ √a/s);
    assert.match(textAt('MAD.float %53'), /a × b \+ c/);
    assert.match(textAt('## register allocation'), /OCL_OUTPUT_REG_ALLOC/);
  });

  it('tells on the name of a kernel the figures of that section, and renames it in all of them', () => {
    const selection = capture.indexOf("saxpy's SELECTION IR begin");
    assert.match(hover(s, s.lines.positionAt(selection + 1))?.contents ?? '', /\*\*kernel\*\* `saxpy`/);
    const renamed = rename(s, s.lines.positionAt(selection + 1), 'axpy');
    assert.ok('edits' in renamed, JSON.stringify(renamed));
    assert.equal(renamed.edits.length, 3, 'GEN IR, begin and end of the selection');
  });

  it('renames a register with its declarations and its row', () => {
    const at = s.lines.positionAt(capture.indexOf('%48<8,8,1>') + 1);
    const renamed = rename(s, at, '%77');
    assert.ok('edits' in renamed, JSON.stringify(renamed));
    assert.equal(renamed.edits.length, 3);
    const flag = rename(s, s.lines.positionAt(capture.indexOf('(f45)') + 2), '%78');
    assert.ok('refused' in flag, 'f45 and %45 are one register with two spellings');
  });

  it('folds sections, blocks and the parts of an IF', () => {
    const lines = capture.split('\n');
    const folded = foldingRanges(s).map((f) => [
      lines[f.startLine].trim().split('\t')[0],
      f.endLine - f.startLine,
    ]);
    assert.ok(folded.some(([head, n]) => head === '.decl_function saxpy' && Number(n) > 30));
    assert.ok(folded.some(([head]) => head === '## register allocation ##'));
    const branch = foldingRanges(s).filter((f) => lines[f.startLine].includes('IF(16)'));
    assert.deepEqual(
      branch.map(
        (f) => lines[f.endLine + 1].includes('ELSE(16)') || lines[f.endLine + 1].includes('ENDIF(16)'),
      ),
      branch.map(() => true),
    );
  });

  it('grows a selection from the name to the section', () => {
    const position = at(s, capture, '%48<8,8,1>');
    const [ranges] = selectionRanges(s, [position]);
    const texts = ranges.map(({ start, end }) =>
      capture.slice(s.lines.offsetAt(start), s.lines.offsetAt(end)),
    );
    assert.equal(texts[0], '%48');
    assert.equal(texts[1], '%48<8,8,1>:D');
    assert.match(texts[2], /^ADD\(16\)/);
    assert.match(texts[3], /^\[12\]/);
    assert.ok(texts.some((t) => t.startsWith('[0]')));
  });

  it('colours what is no name, sorted, and apart from every name', () => {
    for (const { parsed, bound } of s.units) {
      const { start, end } = s.language.lexical(bound);
      const { occurrenceStart, occurrenceEnd } = bound.symbols;
      const spans = [
        ...Array.from(start, (from, k) => [from, end[k]]),
        ...Array.from(occurrenceStart, (from, k) => [from, occurrenceEnd[k]]),
      ];
      assert.ok(start.length > 0 && start.every((from, k) => k === 0 || from >= end[k - 1]));
      spans.sort((a, b) => a[0] - b[0]);
      for (let k = 1; k < spans.length; k++)
        assert.ok(spans[k][0] >= spans[k - 1][1], parsed.text.slice(spans[k - 1][0], spans[k][1]));
    }
  });
});
