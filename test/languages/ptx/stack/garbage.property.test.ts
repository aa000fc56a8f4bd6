import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { frameOf } from '../../../../server/src/languages/ptx/stack/frame.js';
import { divergentCall } from '../../../../server/src/languages/ptx/stack/rules/divergent-call.js';
import { summaryOf } from '../../../../server/src/languages/ptx/stack/summary.js';
import { unitFrame } from '../../../../server/src/languages/ptx/stack/unit-frame.js';
import { totalsOf } from '../../../../server/src/features/stack-totals.js';
import { filesOf } from '../../../support/corpus.js';
import { runs } from '../../../support/fuzz.js';
import { bindText } from '../bound.js';
import { head, softFunction, stackFindings, stacks } from './support.js';

/**
 * Half-typed and damaged texts: nothing throws, and every place that a finding or fix names lies inside its unit. The
 * texts are the examples and small functions of every kind that the analysis knows, cut off, with lines taken out,
 * doubled and exchanged, and with words replaced by others of the same text.
 */
const body = `	ld.param.u64 %a5, [in];
	sub.u64 %a4, %a4, %a5;
	st.shared.u64 [%a2], %a4;
	cvta.local.u64 %a6, room;
	st.u64 [%a4+8], %a6;
	@%p1 bra END;
	{
	.param .u64 p0;
	st.param.u64 [p0], %a6;
	call use, (p0);
	}
END:
	alloca.u64 %a7, %a5, 16;
	atom.add.u32 %b1, [%a6], 1;
	ld.u64 %a9, [%a4+8];
	st.shared.u64 [%a2], %a9;`;

const texts = [
  ...filesOf(join(process.cwd(), 'examples'), '.ptx').map((path) => readFileSync(path, 'utf8')),
  `${head}${stacks}.extern .func use (.param .u64 x);\n${softFunction('f', 48, body, { declarations: '.local .align 8 .b8 room[24];' })}`,
  `.version 6.0\n.target sm_30\n.func f ()\n{\n\t.reg .u32 %a<8>;\n\tmov.u32 %a1, __nvptx_stacks;\n\tld.shared.u32 %a3, [%a1];\n\tsub.u32 %a4, %a3, 20;\n\tst.u32 [%a4], %a3;\n\tret;\n}\n.extern .shared .u32 __nvptx_stacks[32];\n`,
];

const damage = fc.tuple(fc.constantFrom('cut', 'drop', 'double', 'exchange', 'word'), fc.nat(), fc.nat());

function damaged(text: string, [kind, a, b]: readonly [string, number, number]): string {
  const lines = text.split('\n');
  const at = a % lines.length;
  const other = b % lines.length;
  switch (kind) {
    case 'cut':
      return text.slice(0, a % (text.length + 1));
    case 'drop':
      return lines.filter((_, n) => n !== at).join('\n');
    case 'double':
      return [...lines.slice(0, at), lines[other], ...lines.slice(at)].join('\n');
    case 'exchange':
      return lines.map((line, n) => (n === at ? lines[other] : n === other ? lines[at] : line)).join('\n');
    default: {
      const words = text.match(/[\w.$%]+/g) ?? [''];
      let n = 0;
      const place = a % words.length;
      return text.replace(/[\w.$%]+/g, (word) => (n++ === place ? words[b % words.length] : word));
    }
  }
}

function check(text: string): void {
  const units = bindText(text);
  for (const { bound } of units) {
    const frame = frameOf(bound);
    if (frame === undefined) continue;
    for (const { span } of [...frame.touches, ...frame.escapes, ...frame.calls])
      assert.ok(span.start >= 0 && span.end <= bound.parsed.text.length && span.start <= span.end);
    for (const { object } of [...frame.touches, ...frame.escapes]) assert.ok(object < frame.objects.length);
    for (const { bytes, offset } of frame.objects) assert.ok(bytes >= 0 && offset >= 0);
  }
  totalsOf(units.flatMap(({ bound }) => unitFrame(bound) ?? []));
  for (const { start, span, fixes } of stackFindings(text))
    for (const place of [span, ...(fixes ?? []).flatMap(({ edits }) => edits.map((e) => e.span))])
      assert.ok(start + place.start >= 0 && start + place.end <= text.length && place.start <= place.end);
  // the rule is asked only where a module uses soft stacks: ask it of everything
  const all = units.map(({ bound }) => bound);
  const names = new Set(all.map((bound) => unitFrame(bound)?.name ?? ''));
  divergentCall(
    {
      bounds: all,
      units: all.map((bound) => summaryOf(bound)),
      byName: new Map(),
      softUsers: names,
      sharedUsers: names,
      settersUp: names,
    },
    () => undefined,
  );
}

describe('ptx stack frames of damaged texts', function () {
  this.timeout(60_000);

  it('never throw', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(damage, { minLength: 1, maxLength: 5 }),
        (text, all) => {
          check(all.reduce(damaged, text));
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it('never throw on any string', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...(texts[texts.length - 2].match(/[\w.$%]+|[^\s]/g) ?? [])), {
          maxLength: 60,
        }),
        (words) => {
          check(`${head}${stacks}.func f ()\n{\n${words.join(' ')}`);
        },
      ),
      { numRuns: runs(100) },
    );
  });
});
