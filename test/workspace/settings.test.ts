import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { defaultSettings, resolveSettings } from '../../server/src/workspace/settings.js';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';
import { runs } from '../support/fuzz.js';

const pairs = [{ language: { ...toyLanguage, settings: ['dialect'] }, target: toyTarget }];

describe('settings', () => {
  it('an absent section gives the defaults', () => {
    for (const section of [undefined, null, {}]) {
      const { settings, problems } = resolveSettings(section, []);
      assert.deepEqual(settings, defaultSettings);
      assert.deepEqual(problems, []);
    }
  });

  it('reads nested objects and dotted keys alike', () => {
    const nested = { inlayHints: { pressure: 'all' }, targets: { 'toy-machine': { registers: 4 } } };
    const dotted = { 'inlayHints.pressure': 'all', 'targets.toy-machine.registers': 4 };
    assert.deepEqual(resolveSettings(nested, pairs), resolveSettings(dotted, pairs));
    assert.equal(resolveSettings(nested, pairs).settings.inlayHints.pressure, 'all');
    assert.deepEqual(resolveSettings(nested, pairs).settings.targets, { 'toy-machine': { registers: 4 } });
  });

  it('reads keys with `spillway` before their dots or around them like those without', () => {
    const plain = resolveSettings({ 'inlayHints.pressure': 'all', codeLens: false }, pairs);
    assert.deepEqual(plain.problems, []);
    for (const section of [
      { 'spillway.inlayHints.pressure': 'all', 'spillway.codeLens': false },
      { spillway: { inlayHints: { pressure: 'all' } }, codeLens: false },
      { spillway: { 'inlayHints.pressure': 'all', codeLens: false } },
    ])
      assert.deepEqual(resolveSettings(section, pairs), plain);
    assert.deepEqual(resolveSettings({ spillway: null }, pairs).problems, []);
    assert.match(resolveSettings({ 'spillway.codeLenses': true }, pairs).problems[0], /'codeLenses'/);
  });

  it('codes with a slash or a star are keys of the severities', () => {
    const section = { diagnostics: { severity: { 'stall/*': 'off', 'spill/register': 'error' } } };
    const { settings, problems } = resolveSettings(section, pairs);
    assert.deepEqual(settings.diagnostics.severity, { 'stall/*': 'off', 'spill/register': 'error' });
    assert.deepEqual(problems, []);
  });

  it('a wrong value keeps the default and is named with what is allowed', () => {
    const { settings, problems } = resolveSettings(
      {
        inlayHints: { pressure: 'some', stalls: 1, minimumStall: 0 },
        diagnostics: { severity: { 'stall/*': 'loud' } },
        targets: { 'toy-machine': { registers: 1 } },
        pressureDecoration: 'margin',
        colour: 'red',
      },
      pairs,
    );
    assert.deepEqual(settings.inlayHints, defaultSettings.inlayHints);
    assert.deepEqual(settings.targets, { 'toy-machine': {} });
    assert.deepEqual(problems, [
      `'inlayHints.pressure' is "some"; it must be off, peaks or all`,
      `'inlayHints.stalls' is 1; it must be true or false`,
      `'inlayHints.minimumStall' is 0; it must be an integer of at least 1`,
      `'diagnostics.severity.stall/*' is "loud"; it must be error, warning, information, hint or off`,
      `'targets.toy-machine.registers' is 1; it must be an integer from 2 to 64`,
      `'pressureDecoration' is "margin"; it must be off, gutter or background`,
      `unknown setting 'colour'`,
    ]);
  });

  it('null and the empty string mean "not set"', () => {
    const { settings, problems } = resolveSettings(
      { targets: { 'toy-machine': { registers: null } }, languages: { toy: { dialect: '' } } },
      pairs,
    );
    assert.deepEqual(settings.targets['toy-machine'], {});
    assert.deepEqual(settings.languages['toy'], {});
    assert.deepEqual(problems, []);
  });

  it('takes any value without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (section) => {
        assert.ok(Array.isArray(resolveSettings(section, pairs).problems));
      }),
      { numRuns: runs(300) },
    );
  });

  it('the manifest documents each setting that is read, with the same default', () => {
    const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      contributes: { configuration: { properties: Record<string, { default: unknown }> } };
    };
    const { properties } = manifest.contributes.configuration;
    const section: Record<string, unknown> = {};
    for (const [key, { default: value }] of Object.entries(properties))
      if (!key.startsWith('spillway.targets.') && !key.startsWith('spillway.languages.'))
        section[key.replace('spillway.', '')] = value;
    assert.deepEqual(resolveSettings(section, []), { settings: defaultSettings, problems: [] });
    for (const key of [
      'inlayHints.pressure',
      'inlayHints.minimumStall',
      'codeLens',
      'diagnostics.maximum',
      'format.enable',
    ])
      assert.ok(`spillway.${key}` in properties, key);
  });
});
