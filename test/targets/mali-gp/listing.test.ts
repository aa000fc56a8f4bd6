import assert from 'node:assert/strict';
import { compile } from '../../../server/src/targets/mali-gp/compile.js';
import { listingOf, type Listed } from '../../../server/src/targets/mali-gp/listing.js';
import { readListingJson } from '../../../server/src/targets/mali-gp/read-listing-json.js';
import type { Site } from '../../../server/src/targets/mali-gp/sites.js';
import { numberText } from '../../../server/src/targets/mali-gp/word-text.js';
import { gpListing } from '../../support/gp-listing.js';
import { functionOfGpir } from '../../support/gpir-text.js';
import { randomGpir } from '../../support/random-gpir.js';
import { Random } from '../../search/random.js';

function listed(source: string, words: string, constants: Record<string, number>, sites: Site[][]): Listed {
  const code = readListingJson(gpListing(words, { program: 'lit', constants })).program;
  const ownerOfWord = new Int32Array(code.words.length).fill(-1);
  sites.forEach((all, i) => {
    for (const { word } of all) if (ownerOfWord[word] < 0) ownerOfWord[word] = i;
  });
  return {
    source: functionOfGpir(source),
    model: 'mali-400 gp, 512 words',
    code,
    sites: { ofInstruction: sites, ownerOfWord },
    blocks: [],
  };
}

describe('mali-gp: listing', () => {
  it('shows each word with its slots in columns, and the values that it is for', () => {
    const { lines, source } = listingOf(
      listed(
        '%s = mul a0.x, u0.x\n%t = add %s, 0.5\n%n = neg %t\nst_var v0.x, %n\nst_var v0.y, %s',
        `a0; u0; mul0 = mul uniform.x reg0.x
         u1; add0 = add mul0@1 -uniform.x; complex = mov mul0@1
         mul0 = mul add0@1 one; mul1 = -mul add0@1 complex@1; $3; v0.x = mul0; v0.y = mul1
         _
         add0 = add reg0.w@1 mul0@2
         out:
         u2 + addr2; reg0 = $2; pass = mov uniform.z; t9.z = pass; branch out`,
        { 'u1.x': -0.1 },
        [
          [
            { word: 0, slot: 'mul0', role: 'operation' },
            { word: 1, slot: 'complex', role: 'move' },
          ],
          [{ word: 1, slot: 'add0', role: 'operation' }],
        ],
      ),
    );
    const shown = lines.map((line) => line.replace(/\s+/g, ' ').trim());
    assert.deepEqual(shown, [
      '; lit: mali-400 gp, 512 words; 6 words (bound 0)',
      '; u1 = -0.1',
      'start: ; 5 words (bound 0)',
      '0 a0 u0 mul0 mul u0.x, a0.x ; %s',
      '1 u1 add0 add ^mul0, 0.1 complex mov ^mul0 ; %t; moves %s',
      '2 $3 mul0 mul ^add0, 1 mul1 -mul ^add0, ^complex v0.xy = mul0, mul1',
      '3 nop',
      '4 add0 add ^?.w, ^^mul0',
      'out: ; 1 word (bound 0)',
      '5 $2 u2[addr2] pass mov u2[addr2].z t9.z = pass branch out',
    ]);
    assert.deepEqual([...source], [-1, -1, -1, 0, 0, -1, -1, -1, -1, -1]);
    const column = (text: string): number[] => lines.map((line) => line.indexOf(text)).filter((at) => at > 0);
    for (const slot of ['mul0 mul', 'add0 add', '; %']) assert.equal(new Set(column(slot)).size, 1, slot);
  });

  it('lets what takes both multipliers have both columns', () => {
    const { lines } = listingOf(
      listed(
        'st_var v0.x, a0.x',
        `a0; mul0 = mov reg0.x; mul1 = mov reg0.y; add0 = mov reg0.z
         a0; mul0 = select mul0@1 reg0.x reg0.y; add0 = mov reg0.z`,
        {},
        [],
      ),
    );
    const [first, second] = lines.slice(-2);
    assert.equal(first.indexOf('add0'), second.indexOf('add0'));
    assert.ok(second.indexOf('add0') < 'mul0 select ^mul0, a0.x, a0.y'.length + 20);
  });

  it('has a line for each word of a compiled program, of an instruction that it works for', () => {
    const random = new Random(3);
    for (let k = 0; k < 6; k++) {
      const c = compile(functionOfGpir(randomGpir(random)), {});
      const { lines, source } = listingOf(c);
      assert.equal(source.length, lines.length);
      const words = lines.flatMap((line, at) => (/^ +\d+ {2}/.test(line) ? [at] : []));
      assert.deepEqual(
        words.map((at) => Number.parseInt(lines[at])),
        c.code.words.map((_, number) => number),
      );
      for (const at of words) assert.ok(source[at] < c.source.instructionCount);
      for (const [number, { units }] of c.code.words.entries())
        if (units.some((work) => work?.purpose === 'operation')) assert.ok(source[words[number]] >= 0);
      for (const { label } of c.code.blocks)
        if (label !== '') assert.ok(lines.some((line) => line.startsWith(`${label}:`)));
    }
  });

  it('writes numbers as short as float32 allows', () => {
    const numbers = [0.1, 1 / 3, 16777216, 1e-45, -0, Infinity].map(Math.fround);
    assert.deepEqual(numbers.map(numberText), ['0.1', '0.33333334', '16777216', '1e-45', '-0', 'Infinity']);
  });
});
