import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../server/src/workspace/registry.js';
import { violations } from '../support/json-schema.js';
import { runNow } from '../support/run-now.js';

const text = `.version 8.0
.target sm_90
.address_size 64
.extern .func outside ();
.func leaf ()
{
	.local .align 8 .b8 room[40];
	.reg .b64 %a;
	st.local.u64 [room], %a;
	ret;
}
.func turn ()
{
	.local .b64 x;
	call turn;
	call outside;
	ret;
}
.visible .entry kernel ()
{
	call leaf;
	ret;
}
.visible .entry plain ()
{
	ret;
}
`;

describe('spillway stats: stack frames', () => {
  it('says in JSON what a function needs with its callees', () => {
    let out = '';
    const io = {
      out: (part: string) => void (out += part),
      error: () => undefined,
      read: () => text,
      outIsTerminal: false,
      errorIsTerminal: false,
      environment: {},
    };
    runNow(['stats', 'a.ptx', '--format', 'json'], io, registry);
    const value = JSON.parse(out) as {
      readonly functions: readonly { readonly name: string; readonly stack?: unknown }[];
    };
    assert.deepEqual(
      value.functions.map(({ name, stack }) => [name, stack]),
      [
        ['leaf', { place: '.local', bytes: 40, alignment: 8, bytesWithCallees: 40, isBounded: true }],
        [
          'turn',
          {
            place: '.local',
            bytes: 8,
            alignment: 8,
            bytesWithCallees: 8,
            isBounded: false,
            recursion: ['turn'],
            unknownCallees: ['outside'],
          },
        ],
        ['kernel', { bytes: 0, alignment: 1, bytesWithCallees: 40, isBounded: true }],
        ['plain', undefined],
      ],
    );
    const schema = JSON.parse(
      readFileSync(join(process.cwd(), 'docs', 'stats.schema.json'), 'utf8'),
    ) as Record<string, unknown>;
    assert.deepEqual(violations(schema, value), []);
  });
});
