import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lex } from '../../../server/src/languages/ptx/lexer.js';
import { parseSyntax } from '../../../server/src/languages/ptx/parser/parse.js';
import { unitEnd } from '../../../server/src/languages/ptx/split.js';
import { corpusOrSkip } from '../../support/corpus.js';
import { runs } from '../../support/fuzz.js';
import { boundaries, compilerOutput, parseUnits, syntaxProblems } from './support.js';

/** Pieces that meet the parser's special cases more often than random characters do. */
const piece = fc.constantFrom(
  ...(
    '.version 8.0|.target sm_80, debug|.address_size 64|.visible |.extern |.entry k|.func (.reg .b32 r) f|(|)|{|}|[|]|' +
    '<|>|;|;\n|,|\n|\r\n| |\t|@p |@!|:|L:|.reg .b32 %r<10>;|.reg .v4 .f32 v;|.param .u64 p|.ptr .global .align 8 |' +
    'mov.u32 %r1, 5;|ld.global.v2.u32 {%r1, _}, [%rd1+-4];|call (r), f, (a);|ret;|+|-|*|/|%|?|!|~|=|==|<<|&&|.|..|::|' +
    '0x1F|0f3F800000|089|1.5|12abc|"a"|"|//c\n|/*|*/|/* c */|#line 1\n|#|.section .debug_info {|.b8 1, 2|.pragma "x";|' +
    '.loc 1 2 3|.file 1 "a.cu"|T: .branchtargets L|P: .callprototype _ (.param .b32 _);|.maxntid 1, 2, 3|' +
    '.global .align 4 .b8 t[4] = {1, 2};|= {|generic(t)+4|\u2212|ö|\u00a0|\ud800|WARP_SZ|(.s64)|.alias a, b;|tex.2d|\\'
  ).split('|'),
);

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
);

function checkText(text: string): void {
  let covered = 0;
  for (const { start, end, syntax } of parseUnits(text)) {
    assert.equal(start, covered);
    assert.ok(end > start || text === '');
    covered = end;
    checkTokens(syntax.text);
    checkSpans(syntax.items, 0, syntax.text.length);
    for (const problem of syntax.problems) {
      checkSpan(problem.span, syntax.text.length);
      assert.ok(problem.message.length > 0 && !problem.message.endsWith('.'), problem.message);
      for (const fix of problem.fixes ?? [])
        for (const edit of fix.edits) checkSpan(edit.span, syntax.text.length);
    }
  }
  assert.equal(covered, text.length);
}

const checkSpan = (span: { start: number; end: number }, length: number): void =>
  assert.ok(0 <= span.start && span.start <= span.end && span.end <= length, JSON.stringify(span));

/** Tokens in order, and nothing but blanks between them. */
function checkTokens(text: string): void {
  const tokens = lex(text);
  let at = 0;
  for (let i = 0; i < tokens.count; i++) {
    assert.match(text.slice(at, tokens.start[i]), /^[\s\0-\x20\u200b-\u200d\u2060\ufeff]*$/);
    assert.ok(tokens.end[i] > tokens.start[i] && tokens.start[i] >= at);
    at = tokens.end[i];
  }
  assert.match(text.slice(at), /^[\s\0-\x20\u200b-\u200d\u2060\ufeff]*$/);
}

/** Every node inside its parent. Names that stand for absent text have empty spans at their place. */
function checkSpans(node: unknown, low: number, high: number): void {
  if (Array.isArray(node)) {
    for (const element of node) checkSpans(element, low, high);
    return;
  }
  if (typeof node !== 'object' || node === null || !('start' in node) || !('end' in node)) return;
  const { start, end } = node as { start: number; end: number };
  assert.ok(
    low <= start && start <= end && end <= high,
    `${JSON.stringify(node, bigints)} in ${low}..${high}`,
  );
  for (const value of Object.values(node)) checkSpans(value, start, end);
}

const bigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);

describe('PTX parser, any text', () => {
  it('never throws, covers the text, keeps every byte and every span inside', () => {
    fc.assert(fc.property(anyText, checkText), { numRuns: runs(1500) });
  });

  it('takes every truncation and every small damage of what compilers write', function () {
    const files = compilerOutput(corpusOrSkip(this, 'ptx')).filter(({ text }) => text.length < 30_000);
    const damage = fc.record({
      file: fc.nat({ max: files.length - 1 }),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.constantFrom(0, 1, 2, 10, 100),
      insert: fc.oneof(fc.constant(''), piece),
      isCut: fc.boolean(),
    });
    fc.assert(
      fc.property(damage, ({ file, at, length, insert, isCut }) => {
        const text = files[file].text;
        const from = Math.floor(at * text.length);
        checkText(text.slice(0, from) + insert + (isCut ? '' : text.slice(from + length)));
      }),
      { numRuns: runs(60) },
    );
  });

  it('finds one unit in the text of one unit', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { syntax } of parseUnits(text))
          assert.equal(boundaries(syntax.text).length, 1, syntax.text);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('PTX parser, half-typed lines', () => {
  const instructions = (text: string): number => {
    let count = 0;
    const pending: unknown[] = parseUnits(text).map(({ syntax }) => syntax.items);
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (Array.isArray(node)) pending.push(...(node as unknown[]));
      else if (typeof node === 'object' && node !== null && 'kind' in node) {
        if (node.kind === 'instruction') count++;
        if (node.kind === 'function' && 'body' in node) pending.push(node.body);
        if (node.kind === 'block' && 'statements' in node) pending.push(node.statements);
      }
    }
    return count;
  };

  /** A line with one statement, behind a line that ends one; `choice` picks among them. */
  function statementLines(lines: readonly string[], choice: number): number | undefined {
    const fitting = lines.flatMap((content, i) =>
      /^\s[^{}"/;]*;$/.test(content) && /[;{}:]\s*$/.test(lines[i - 1] ?? '') ? [i] : [],
    );
    return fitting[Math.min(fitting.length - 1, Math.floor(choice * fitting.length))];
  }

  it('give one problem at their place, and the statements around them stay', function () {
    const files = compilerOutput(corpusOrSkip(this, 'ptx')).filter(({ text }) => text.length < 12_000);
    const cut = fc.record({
      file: fc.nat({ max: files.length - 1 }),
      line: fc.double({ min: 0, max: 1, noNaN: true }),
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(cut, ({ file, line, keep }) => {
        const text = files[file].text;
        const lines = text.split('\n');
        const at = statementLines(lines, line);
        if (at === undefined) return;
        const whole = lines[at];
        lines[at] = whole.slice(0, Math.floor(keep * whole.length));
        const cutText = lines.join('\n');
        const found = syntaxProblems(cutText);
        assert.ok(
          found.length <= 1,
          JSON.stringify([whole, lines[at], found.map((problem) => problem.message)]),
        );
        assert.ok(
          found.every((problem) => problem.line === at + 1 || problem.line === at),
          lines[at],
        );
        assert.ok(Math.abs(instructions(cutText) - instructions(text)) <= 1, JSON.stringify(lines[at]));
      }),
      { numRuns: runs(120) },
    );
  });
});

describe('PTX units under edits', () => {
  /** The rule of a document: begin one unit before the first that the edit touches, stop at a known boundary. */
  function resplit(
    old: readonly number[],
    text: string,
    from: number,
    removed: number,
    inserted: number,
  ): number[] {
    const edited = old.findIndex((end) => end >= from);
    const first = Math.max(0, (edited < 0 ? old.length - 1 : edited) - 1);
    const ends = old.slice(0, first);
    const shift = inserted - removed;
    const known = new Set(old.filter((end) => end >= from + removed).map((end) => end + shift));
    let at = first === 0 ? 0 : old[first - 1];
    do {
      at = unitEnd(text, at);
      ends.push(at);
      if (at > from + inserted && known.has(at)) {
        ends.push(...old.map((end) => end + shift).filter((end) => end > at));
        return ends;
      }
    } while (at < text.length);
    return ends;
  }

  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat({ max: 20 }),
    insert: fc.oneof(fc.constant(''), piece),
  });

  function follow(start: string, edits: readonly { at: number; remove: number; insert: string }[]): void {
    let text = start;
    let ends = boundaries(text);
    for (const { at, remove, insert } of edits) {
      const from = Math.floor(at * text.length);
      const removed = Math.min(remove, text.length - from);
      text = text.slice(0, from) + insert + text.slice(from + removed);
      ends = resplit(ends, text, from, removed, insert.length);
      assert.deepEqual(ends, boundaries(text), JSON.stringify(text));
    }
  }

  it('are the same from around the edit as from scratch, in pieces of everything', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.array(edit, { maxLength: 8 }), (pieces, edits) =>
        follow(pieces.join(''), edits),
      ),
      { numRuns: runs(1000) },
    );
  });

  it('are the same from around the edit as from scratch, in real files', function () {
    const files = compilerOutput(corpusOrSkip(this, 'ptx')).filter(({ text }) => text.length < 20_000);
    fc.assert(
      fc.property(fc.nat({ max: files.length - 1 }), fc.array(edit, { maxLength: 10 }), (file, edits) =>
        follow(files[file].text, edits),
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('PTX parser, large shapes', () => {
  const body = (content: string): string => `.entry k()\n{\n${content}\n}\n`;
  const parsed = (text: string): number =>
    parseUnits(text).reduce((sum, { syntax }) => sum + syntax.problems.length, 0);

  it('takes a line of 1 MB', () => {
    assert.equal(parsed(body('mov.u32 %r1, %r2; '.repeat(60_000))), 0);
    assert.ok(parsed(`.entry k() { mov.u32 ${'a'.repeat(1_000_000)}`) >= 1);
    assert.ok(parsed(body(`mov.u32 %r1, ${'9'.repeat(1_000_000)};`)) === 1);
    assert.ok(parsed('.'.repeat(1_000_000)) >= 1);
  });

  it('takes 100 000 nested braces, parentheses, operators and lists', () => {
    const nested = (open: string, close: string): string => open.repeat(100_000) + close.repeat(100_000);
    assert.equal(parsed(body(nested('{', '}'))), 1);
    assert.equal(parsed(body('{'.repeat(100_000))), 2);
    assert.ok(parsed(body('}'.repeat(100_000))) >= 1);
    for (const [open, close] of [
      ['(', ')'],
      ['[', ']'],
      ['{', '}'],
      ['-', ''],
      ['(.s64)', ''],
      ['1?', ''],
      ['1?1:', ''],
      ['1+', ''],
      ['!', ''],
      ['a|', ''],
      ['a[', ''],
    ])
      assert.ok(parsed(body(`mov.u32 %r1, ${nested(open, close)};`)) <= 3, open);
    assert.ok(parsed(`.global .b32 a[1] = ${nested('{', '}')};`) <= 2);
  });

  it('takes 100 000 commas, labels, semicolons and declarators', () => {
    assert.ok(parsed(body(`mov.u32 ${','.repeat(100_000)};`)) >= 1);
    assert.equal(parsed(body('L:'.repeat(100_000))), 0);
    assert.ok(parsed(body(';'.repeat(100_000))) >= 1);
    assert.equal(parsed(body(`.reg .b32 ${'a,'.repeat(100_000)}a;`)), 0);
    assert.equal(parsed(body(`mov.b64 d, {${'a,'.repeat(100_000)}a};`)), 0);
  });

  it('reports no more than one problem a mistake with its tree whole behind it', () => {
    const text = body('mov.u32 %r1, %r2\nadd.u32 %r1, %r1 %r2;\nld.global.u32 %r1, [%rd1-4];\nret;');
    const { syntax } = parseUnits(text)[0];
    assert.deepEqual(
      syntax.problems.map((problem) => problem.code),
      ['syntax/missing-semicolon', 'syntax/missing-comma', 'syntax/address'],
    );
    const item = parseSyntax(text).items[0];
    assert.ok(item.kind === 'function' && item.body?.statements.length === 4);
  });
});
