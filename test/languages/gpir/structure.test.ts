import assert from 'node:assert/strict';
import fc from 'fast-check';
import { complete } from '../../../server/src/languages/gpir/complete/index.js';
import { enclosing } from '../../../server/src/languages/gpir/enclosing.js';
import { folds } from '../../../server/src/languages/gpir/folds.js';
import { describe as describeAt } from '../../../server/src/languages/gpir/hover.js';
import { parse } from '../../../server/src/languages/gpir/parser/parse.js';
import { signatures } from '../../../server/src/languages/gpir/signature.js';
import { fixture } from '../../support/fixture.js';
import { runs } from '../../support/fuzz.js';
import { bound } from './support.js';

const text = `; a story
; in two lines
.program p
.attribute a0 position

  %x = ld_att a0.x
  ; one line
  %y = mul %x, 2
next:
  st_var v0.x, %y

; the end
last:
`;

describe('gpir folding', () => {
  it('folds blocks, directives and runs of comment lines', () => {
    assert.deepEqual(
      folds(parse(text)).map(({ span, kind }) => `${kind} ${text.slice(span.start, span.end)}`),
      [
        'comment ; a story\n; in two lines',
        'region .program p\n.attribute a0 position',
        'region %x = ld_att a0.x\n  ; one line\n  %y = mul %x, 2',
        'region next:\n  st_var v0.x, %y',
      ],
    );
  });
});

describe('gpir selection', () => {
  it('grows from the word to the program', () => {
    const { text: source, cursor } = fixture('a:\n  %x = add %u, -%lo$0ng ; c\n  %y = mov %x\nb:\n');
    assert.deepEqual(
      enclosing(parse(source), cursor).map((span) => source.slice(span.start, span.end)),
      [
        '%long',
        '-%long',
        '%u, -%long',
        'add %u, -%long',
        '%x = add %u, -%long',
        'a:\n  %x = add %u, -%long ; c\n  %y = mov %x',
        source,
      ],
    );
  });

  it('gives spans that hold the cursor, each inside the next', () => {
    const piece = fc.constantFrom(...text.split(/(?<=\s)/), ';', '=', ',', '-', '%', ':');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(), (pieces, at) => {
        const source = pieces.join('');
        const offset = source.length === 0 ? 0 : at % (source.length + 1);
        const spans = enclosing(parse(source), offset);
        for (const [i, span] of spans.entries()) {
          assert.ok(span.start <= offset && offset <= span.end);
          if (i > 0) assert.ok(spans[i - 1].start >= span.start && spans[i - 1].end <= span.end);
        }
        for (const { span } of folds(parse(source))) assert.ok(span.start < span.end);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('gpir features on half-typed text', () => {
  it('answer at every place, about what is there', () => {
    const piece = fc.constantFrom(
      ...'.program p|.varying v0 p position|.uniform u|.live_out @a,|$3.x|$|a:|%x|%|=|add|%x = add %a, %b|st_var v0.x,|-|2.5|0x|,|u0.x|a|@r|@|branch a|;c|\n|\n|\n|\r| |\t|(|é'.split(
        '|',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const unit = bound(pieces.join(''));
        const { length } = unit.parsed.text;
        for (let offset = 0; offset <= length; offset++) {
          const described = describeAt(unit, offset);
          if (described !== undefined)
            assert.ok(described.span.start <= offset && offset <= described.span.end);
          const { span } = complete(unit, offset);
          assert.ok(span.start <= offset && span.end === offset);
          const help = signatures(unit, offset);
          if (help !== undefined) assert.ok(help.items.length > 0 && help.activeParameter >= 0);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
