import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import { format } from '../../../server/src/languages/gen-ir/format.js';
import { parse } from '../../../server/src/languages/gen-ir/parser/parse.js';
import { enclosing, folds } from '../../../server/src/languages/gen-ir/structure.js';
import { corpusOrSkip, filesOf } from '../../support/corpus.js';
import { genText } from '../../support/gen-typing.js';
import { applyEdits } from '../../support/fixture.js';
import { runs } from '../../support/fuzz.js';
import { alone, canonical } from './support.js';

const text = `; a story
; in two lines
.gen 1
.mode simd4x2

mov(8)   vgrf1:F , attr0.xyzw:F
  cmp(8).l.f0.0 null:F, vgrf1.xxxx:F, 0.5F   ; half
(+f0.0.x) if(8) (null):UD
do(8) (null):UD
add(8) vgrf1.xy:F,vgrf1.xyyy:F,   1.0F {NoDDClr,  NoDDChk}
(+f0.0.x)   break(8) (null):UD
while(8) (null):UD
else(8) (null):UD
mov(8) vgrf2:VF, [1F, 0.5F,  0F, 2F]
endif(8) (null):UD
`;

const formatted = (source: string): string =>
  applyEdits(source, format(parse(source), { tabSize: 2, insertSpaces: true }));

describe('gen-ir folding and selections', () => {
  it('folds nests, directives and runs of comment lines', () => {
    const found = folds(parse(text)).map(({ span, kind }) => {
      const lines = text.slice(span.start, span.end).split('\n');
      return `${kind} ${lines[0].trim()} .. ${lines.at(-1)?.trim()}`;
    });
    assert.deepEqual(found, [
      'comment ; a story .. ; in two lines',
      'region .gen 1 .. .mode simd4x2',
      'region (+f0.0.x) if(8) (null):UD .. while(8) (null):UD',
      'region do(8) (null):UD .. (+f0.0.x)   break(8) (null):UD',
      'region else(8) (null):UD .. mov(8) vgrf2:VF, [1F, 0.5F,  0F, 2F]',
    ]);
  });

  it('grows a selection from the name to the program', () => {
    const offset = text.indexOf('vgrf1.xyyy') + 2;
    const grown = enclosing(parse(text), offset).map(({ start, end }) => text.slice(start, end));
    assert.deepEqual(grown.slice(0, 3), ['vgrf1', 'vgrf1.xyyy:F', 'vgrf1.xy:F,vgrf1.xyyy:F,   1.0F']);
    assert.ok(grown.some((t) => t.startsWith('do(8)') && t.endsWith('while(8) (null):UD')));
    assert.ok(grown.some((t) => t.startsWith('(+f0.0.x) if(8)') && t.includes('while(8)')));
    assert.equal(grown.at(-1), text);
  });

  it('answers on any text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...text.match(/\s+|[^\s]+/g)!), { maxLength: 60 }), (words) => {
        const source = words.join('');
        const unit = parse(source);
        for (const { span } of folds(unit)) assert.ok(span.start < span.end && span.end <= source.length);
        for (let offset = 0; offset <= source.length; offset += 7) {
          let size = -1;
          for (const { start, end } of enclosing(unit, offset)) {
            assert.ok(start <= offset && offset <= end && end - start > size);
            size = end - start;
          }
        }
      }),
      { numRuns: runs(100) },
    );
  });
});

/** A program's canonical lines; undefined where there is none. */
const meaning = (source: string): string[] | undefined => {
  const f = genIr.lower(genIr.bind(genIr.parse(source), alone));
  return f === undefined ? undefined : canonical(source);
};

/** Formatting twice is formatting once, and the program is the same. */
function stable(source: string): void {
  const once = formatted(source);
  assert.equal(formatted(once), once);
  assert.deepEqual(meaning(once), meaning(source));
}

describe('gen-ir formatting', () => {
  it('indents by nesting, and puts destinations below each other', () => {
    assert.equal(
      formatted(text),
      `; a story
; in two lines
.gen 1
.mode simd4x2

  mov(8)          vgrf1:F, attr0.xyzw:F
  cmp(8).l.f0.0   null:F, vgrf1.xxxx:F, 0.5F  ; half
  (+f0.0.x) if(8) (null):UD
    do(8) (null):UD
      add(8)             vgrf1.xy:F, vgrf1.xyyy:F, 1.0F {NoDDClr, NoDDChk}
      (+f0.0.x) break(8) (null):UD
    while(8) (null):UD
  else(8) (null):UD
    mov(8) vgrf2:VF, [1F, 0.5F, 0F, 2F]
  endif(8) (null):UD
`,
    );
  });

  it('leaves a captured dump alone, and a line with a fault', () => {
    const dump = '   0: mov(8)   vgrf1:F,   0D\n   1: endif(8) (null):UD,  \n';
    assert.equal(formatted(dump), dump);
    const faulty = '.gen 1\nadd(8)   vgrf1:Z,  \n';
    assert.equal(formatted(faulty), faulty);
  });

  it('changes nothing a second time, and never the meaning', () => {
    const once = formatted(text);
    assert.equal(formatted(once), once);
    assert.deepEqual(meaning(once), meaning(text));
    const blanks = fc.constantFrom(' ', '  ', '\t', '   ');
    fc.assert(
      fc.property(fc.array(blanks, { minLength: 80, maxLength: 80 }), (gaps) => {
        let k = 0;
        const bare = once.replace(/ *;.*/g, '');
        const spaced = bare.replace(/ +/g, () => gaps[k++ % gaps.length]);
        assert.equal(formatted(spaced), formatted(bare));
      }),
      { numRuns: runs(50) },
    );
  });

  it('leaves the commas of regions alone', () => {
    const source = `.gen 1
.mode simd8
  mov(8) vgrf1:F,g2<8,8,1>:F
  spill(8) s0, vgrf1:F
  add(8) vgrf4:F, vgrf1:F, g120<8,8,1>:F
  (+f0.0) mov(8) vgrf4:VF, [1F,0F,0F,2F]
`;
    const once = formatted(source);
    assert.equal(
      once,
      `.gen 1
.mode simd8
  mov(8)         vgrf1:F, g2<8,8,1>:F
  spill(8)       s0, vgrf1:F
  add(8)         vgrf4:F, vgrf1:F, g120<8,8,1>:F
  (+f0.0) mov(8) vgrf4:VF, [1F, 0F, 0F, 2F]
`,
    );
    assert.equal(formatted(once), once);
  });

  it('leaves a line with a label and an instruction alone', () => {
    const source = '.gen 1\ntop: mov(8)   vgrf1:F,  1F\na: b:\njmpi(1) top\n';
    assert.equal(formatted(source), '.gen 1\ntop: mov(8)   vgrf1:F,  1F\na: b:\n  jmpi(1) top\n');
  });

  it('formats any text once, and keeps its meaning', () => {
    fc.assert(
      fc.property(genText, fc.constantFrom('simd8', 'simd4x2'), (piece, mode) => {
        stable(`.gen 1\n.mode ${mode}\n${piece}`);
      }),
      { numRuns: runs(300) },
    );
  });

  it('formats dumps of the corpus once, and keeps their meaning', function () {
    for (const path of filesOf(join(corpusOrSkip(this, 'gen'), 'hsw'), '.txt').filter(
      (_, k) => k % 12 === 0,
    )) {
      const dump = readFileSync(path, 'utf8');
      if (dump.length < 60_000 && genIr.parse(dump).form === 'mesa')
        stable(`.gen 1\n${dump.replace(/^ *\d+: +/gm, '')}`);
    }
  });

  it('formats the examples to themselves', () => {
    const folder = fileURLToPath(new URL('../../../../examples', import.meta.url));
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.gen'))) {
      const source = readFileSync(join(folder, name), 'utf8');
      const unit = genIr.parse(source);
      assert.equal(applyEdits(source, genIr.format(unit, { tabSize: 2, insertSpaces: true })), source, name);
    }
  });
});
