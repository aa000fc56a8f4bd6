import assert from 'node:assert/strict';
import { describe as describeAt } from '../../../server/src/languages/gpir/hover.js';
import { numberText, shortest } from '../../../server/src/languages/gpir/numbers.js';
import type { Description } from '../../../server/src/languages/language.js';
import { bound, gpirFixture } from './support.js';

/** The description at `$0`, and the text that it is about. */
function at(marked: string): { readonly text: string; readonly of: string } | undefined {
  const { text, cursor } = gpirFixture(marked);
  const found: Description | undefined = describeAt(bound(text), cursor);
  return found === undefined
    ? undefined
    : { text: found.text, of: text.slice(found.span.start, found.span.end) };
}

const says = (marked: string, of: string, ...words: RegExp[]): void => {
  const found = at(marked);
  assert.equal(found?.of, of);
  for (const word of words) assert.match(found.text, word);
};

describe('gpir hover', () => {
  it('tells of an operation what it computes, where, and when its result can be read', () => {
    says(
      '%a = mov 1\n%x = a$0dd %a, 2',
      'add',
      /^\*\*`add`\*\*/,
      /%x = add a, b {2}; a \+ b/,
      /ADD0, ADD1/,
      /1 or 2 words later/,
    );
    says('%x = $0rcp u0.x', 'rcp', /complex1\(rcp_impl/, /exactly 3 words/);
    says('  st_var$0 v0.x, 1', 'st_var', /same word/);
  });

  it('tells of a location its name, its space and the port', () => {
    const program = '.attribute a1 in_normal\n.uniform u3 light\n.varying v0 gl_Position position\n';
    says(
      `${program}%x = ld_att $0a1.y`,
      'a1.y',
      /component y of the attribute `in_normal` \(`a1`\)/,
      /port 0/,
    );
    says(`${program}%x = mul a1.x, -u3$0.w`, 'u3.w', /uniform `light`/, /uniform port/);
    says(`${program}st_var v0$0.w, 1`, 'v0.w', /varying `gl_Position`/);
    says('%x = ld_tmp t7.z$0', 't7.z', /temporary `t7`/);
    says('%x = ld_att a16.x$0', 'a16.x', /last attribute is `a15`/);
  });

  it('tells of a declared vector what the program touches of it', () => {
    says('.attribute $0a0 in\n%x = add a0.z, a0.x', 'a0', /reads x, z\./);
    says(
      '.varying v1 gl_PointSize$0 point_size\nst_var v1.x, 1',
      'gl_PointSize',
      /writes x\./,
      /width of a point/,
    );
    says('.uniform u0 unused$0', 'unused', /reads nothing of it/);
  });

  it('tells of a number its value and its bits', () => {
    says('%x = const $02.5', '2.5', /\*\*2\.5\*\* = `0x40200000`/);
    says('%x = add u0.x, -0.1$0', '-0.1', /-0\.1\*\* = `0xbdcccccd`/, /exactly -0\.10000000149011612/);
    says('%x = const 0x7f800000$0', '0x7f800000', /\*\*inf\*\*/);
    says('%x = mul u0.x, 1$0', '1', /second factor/);
  });

  it('tells of directives, the role of a varying, and physical registers', () => {
    says('$0.program lit', '.program', /Begins a program/);
    says('.varying v0 p pos$0ition', 'position', /window coordinates/);
    says('%x = ld_reg §3.$0x', '$3.x', /component x of register vector 3/);
    says('.live_out §16.x$0', '$16.x', /last register is `\$15\.w`/);
  });

  it('says nothing of names, labels, comments and what it does not know', () => {
    for (const marked of [
      '%x$0 = mov 1',
      'here$0:',
      '; add$0',
      '%x = add u0.x, u0.x ; mul$0',
      '%x = frobnicate$0 1',
      '$0',
      '.varying v0 p other$0',
    ])
      assert.equal(at(marked), undefined, marked);
  });
});

describe('float32 numbers as text', () => {
  it('are as short as they can be', () => {
    for (const text of ['0.1', '1e-12', '3.4028235e+38', '1e-45', '16777216', '-0', '0.33333334'])
      assert.equal(shortest(Math.fround(Number(text))), text);
  });

  it('say what rounding did', () => {
    assert.match(numberText('16777217', 16777216), /exactly 16777216/);
    assert.match(numberText('1e40', Infinity), /Too large/);
    assert.doesNotMatch(numberText('0.5', 0.5), /exactly/);
    assert.match(numberText('nan', NaN), /\*\*nan\*\*/);
  });
});
