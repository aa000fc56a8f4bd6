import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { fromFragment, MOST_UNPACKED, toFragment } from '../../playground/src/address.js';
import type { Setting } from '../../playground/src/contents.js';
import { fromTexts, nested, toTexts, type Value } from '../../playground/src/setting-values.js';

const none = new Map<string, string>();
const known: readonly Setting[] = [
  { key: 'targets.nvidia.arch', choices: ['', 'sm_80', 'sm_90'], initial: '', description: '' },
  { key: 'targets.nvidia.maxRegisters', minimum: 16, maximum: 255, initial: null, description: '' },
];

describe('address of the playground', () => {
  it('keeps any text, language and settings', async () => {
    const name = fc.stringMatching(/^[\w-]{1,12}$/);
    const settings = fc
      .dictionary(fc.string({ minLength: 1 }), fc.string())
      .map((all) => new Map(Object.entries(all)));
    await fc.assert(
      fc.asyncProperty(name, fc.string({ unit: 'grapheme' }), settings, async (language, text, settings) => {
        const kept = { source: { language, text }, settings };
        assert.deepEqual(await fromFragment(await toFragment(kept)), kept);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the name of an example', async () => {
    const kept = {
      source: { example: 'lit_cube.gpir' },
      settings: new Map([['targets.nvidia.arch', 'sm_90']]),
    };
    assert.equal(await toFragment(kept), '#lit_cube.gpir?targets.nvidia.arch=sm_90');
    assert.deepEqual(await fromFragment('#lit_cube.gpir?targets.nvidia.arch=sm_90'), kept);
    assert.equal(await toFragment({ source: { example: 'a b' }, settings: none }), '#a%20b');
  });

  it('is of characters that an address may hold', async () => {
    const text = Array.from({ length: 3000 }, (_, k) => String.fromCodePoint(32 + ((k * 7919) % 50000))).join(
      '',
    );
    assert.match(await toFragment({ source: { language: 'ptx', text }, settings: none }), /^#ptx\/[\w-]+$/);
  });

  it('opens what was kept by pages before this one', async () => {
    const text = '.version 8.0\n';
    const old = deflateRawSync(text).toString('base64url');
    assert.deepEqual(await fromFragment(`#ptx/${old}`), {
      source: { language: 'ptx', text },
      settings: none,
    });
  });

  it('takes no text that cannot be unpacked', async () => {
    const noText = deflateRawSync(Buffer.from([0xff, 0xfe])).toString('base64url');
    const cutOff = deflateRawSync('mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 7;')
      .toString('base64url')
      .slice(0, -8);
    for (const fragment of [
      '',
      '#',
      '#/',
      '#ptx/',
      '#ptx/!',
      '#ptx/a',
      '#ptx/AAAA',
      '#%',
      '#ptx/x/y',
      `#ptx/${noText}`,
      `#ptx/${cutOff}`,
    ])
      assert.equal(await fromFragment(fragment), undefined, fragment);
  });

  it('never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.webFragments()), async (text) => {
        await fromFragment(`#${text}`);
      }),
      { numRuns: 200 },
    );
  });

  it('unpacks no text that fills the memory', async () => {
    const bomb = deflateRawSync(Buffer.alloc(4 * MOST_UNPACKED, 'x')).toString('base64url');
    assert.equal(await fromFragment(`#ptx/${bomb}`), undefined);
  });
});

describe('settings of the playground', () => {
  it('takes from the address what a setting may have, and nothing else', () => {
    const texts = (record: Record<string, string>): [string, unknown][] => [
      ...fromTexts(known, new Map(Object.entries(record))),
    ];
    assert.deepEqual(texts({ 'targets.nvidia.arch': 'sm_90', 'targets.nvidia.maxRegisters': '64' }), [
      ['targets.nvidia.arch', 'sm_90'],
      ['targets.nvidia.maxRegisters', 64],
    ]);
    assert.deepEqual(texts({ 'targets.nvidia.arch': 'sm_1', 'ptx.ptxas': '/bin/sh', __proto__: 'x' }), []);
    for (const limit of ['15', '256', '-1', '1e2', '0x20', ' 32', '', 'NaN', '32.5'])
      assert.deepEqual(texts({ 'targets.nvidia.maxRegisters': limit }), [], limit);
  });

  it('writes to the address what is not as it is without', () => {
    const values = new Map<string, Value>([
      ['targets.nvidia.arch', ''],
      ['targets.nvidia.maxRegisters', 32],
    ]);
    assert.deepEqual([...toTexts(known, values)], [['targets.nvidia.maxRegisters', '32']]);
    assert.deepEqual(
      fromTexts(known, toTexts(known, values)),
      new Map([['targets.nvidia.maxRegisters', 32]]),
    );
  });

  it('is told to the server as an object', () => {
    const values = new Map<string, Value>([
      ['targets.nvidia.arch', 'sm_90'],
      ['targets.nvidia.maxRegisters', null],
      ['codeLens', 1],
    ]);
    assert.deepEqual(nested(values), {
      targets: { nvidia: { arch: 'sm_90', maxRegisters: null } },
      codeLens: 1,
    });
  });
});
