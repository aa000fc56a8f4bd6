import assert from 'node:assert/strict';
import fc from 'fast-check';
import { plainText } from '../../server/src/lsp/plain-text.js';
import { runs } from '../support/fuzz.js';

describe('Markdown as plain text', () => {
  const cases: readonly (readonly [what: string, markdown: string, plain: string])[] = [
    ['emphasis', '**Stall** 4 cycles, *sm_90, limit 255*', 'Stall 4 cycles, sm_90, limit 255'],
    ['emphasis around code', '*of `a_*b`*, **`c`**', 'of a_*b, c'],
    ['code, word for word', '`a * b ** c` and `%r<4>`', 'a * b ** c and %r<4>'],
    ['products', '2 * 3 * 4', '2 * 3 * 4'],
    ['names', 'ld_x and st_y_z', 'ld_x and st_y_z'],
    ['links', 'see [the manual](https://example.org/a)', 'see the manual'],
    ['escapes', 'a \\* b', 'a * b'],
    ['headings and lists', '## Title\n- one\n- two', 'Title\n- one\n- two'],
    ['fences', 'so:\n```ptx\nadd.s32 %a, *;\n```\nend', 'so:\nadd.s32 %a, *;\nend'],
    [
      'tables',
      '| | *model* |\n|---|--:|\n| Registers | 8 |\n| a \\| `b` | 120 |\nend',
      '           model\nRegisters      8\na | b        120\nend',
    ],
    [
      'tables without a head',
      '| | |\n|---|---|\n| Class | general |\n| Read | once |',
      'Class  general\nRead   once',
    ],
  ];
  for (const [what, markdown, plain] of cases) it(what, () => assert.equal(plainText(markdown), plain));

  it('of any text at all', () => {
    const pieces = fc.array(
      fc.constantFrom('`', '*', '**', '|', '\\', '\n', '---', '[', '](', ')', 'a', ' ', '```'),
    );
    fc.assert(
      fc.property(pieces, (list) => {
        assert.equal(typeof plainText(list.join('')), 'string');
      }),
      { numRuns: runs(300) },
    );
  });
});
