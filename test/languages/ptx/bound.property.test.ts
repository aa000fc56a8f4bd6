import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Span } from '../../../server/src/text/span.js';
import { ptx } from '../../../server/src/languages/ptx/index.js';
import { corpusOrSkip, filesOf } from '../../support/corpus.js';
import { runs } from '../../support/fuzz.js';
import { bindText, type PlacedUnit } from './bound.js';

/** Every span that a unit gives lies in its text, occurrences are sorted and apart, and nothing throws. */
function examine(units: readonly PlacedUnit[], offsets: readonly number[]): void {
  for (const { parsed, bound, environment } of units) {
    const { length } = parsed.text;
    const inside = (s: Span, what: string): void =>
      assert.ok(
        0 <= s.start && s.start <= s.end && s.end <= length,
        `${what}: ${s.start}-${s.end} of ${length}`,
      );
    for (const problem of bound.problems) {
      inside(problem.span, problem.code);
      for (const place of problem.related ?? [])
        if (place.anchor === undefined) inside(place.span, problem.code);
      for (const fix of problem.fixes ?? [])
        for (const edit of fix.edits) if (edit.anchor === undefined) inside(edit.span, fix.title);
    }
    const { symbols } = bound;
    for (let i = 0; i < symbols.occurrenceStart.length; i++) {
      inside({ start: symbols.occurrenceStart[i], end: symbols.occurrenceEnd[i] }, 'occurrence');
      if (i > 0)
        assert.ok(symbols.occurrenceStart[i] >= symbols.occurrenceEnd[i - 1], 'occurrences are apart');
      assert.ok(symbols.occurrenceSymbol[i] < symbols.symbols.length);
    }
    for (const symbol of symbols.symbols) {
      for (const s of [symbol.declaration, symbol.extent, symbol.scope])
        if (s !== undefined) inside(s, symbol.name);
      if (symbol.ownDeclaration !== undefined) assert.ok(symbol.ownDeclaration.at <= length);
    }
    const f = ptx.lower(bound);
    if (f !== undefined) {
      for (let i = 0; i < f.instructionCount; i++)
        inside({ start: f.spanStart[i], end: f.spanEnd[i] }, 'instruction');
      for (const symbol of symbols.symbols) assert.ok(symbol.register < f.registerCount);
      for (const instruction of symbols.occurrenceInstruction) assert.ok(instruction < f.instructionCount);
    }
    for (const link of ptx.links(bound, environment)) inside(link.span, 'link');
    for (const at of offsets) {
      const offset = length === 0 ? 0 : at % (length + 1);
      const described = ptx.describe(bound, offset);
      if (described !== undefined) inside(described.span, 'description');
      inside(ptx.complete(bound, offset, environment).span, 'completion');
      ptx.signatures(bound, offset);
    }
  }
}

const word = fc.constantFrom(
  ...(
    '.version .target .entry .func .reg .pred .b32 .u64 .param .shared .align .branchtargets .callprototype sm_80 8.0 ' +
    'add.u32 ld.global.v2.f32 st mov.b64 bra call setp.lt.s32 ret @ ! %p1 %r1 %r<9> %tid.x f k L { } ( ) [ ] < > , ; : | = + - 0 7 0f3F800000 _ // /* */ " \\ ? \u2212'
  ).split(' '),
);
const soup = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '));
const inBody = soup.map(
  (text) => `.version 8.0\n.target sm_80\n.entry k(.param .u64 p) { .reg .b32 %r<4>; ${text} }`,
);

describe('PTX names on any text', function () {
  this.timeout(60_000);

  it('neither throw nor leave the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ maxLength: 200 }), soup, inBody),
        fc.array(fc.nat(), { maxLength: 8 }),
        (text, offsets) => examine(bindText(text), offsets),
      ),
      { numRuns: runs(300) },
    );
  });

  it('hold for any truncation of what compilers write', function () {
    const folder = join(corpusOrSkip(this, 'ptx'), 'probes');
    const texts = filesOf(folder, '.ptx').map((path) => readFileSync(path, 'latin1'));
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.nat(),
        fc.array(fc.nat(), { maxLength: 8 }),
        (text, cut, offsets) => examine(bindText(text.slice(0, cut % (text.length + 1))), offsets),
      ),
      { numRuns: runs(300) },
    );
  });
});
