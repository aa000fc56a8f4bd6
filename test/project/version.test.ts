import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../../server/src/workspace/version.js';

describe('version', () => {
  it('is that of package.json', () => {
    const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.equal(version, manifest.version);
  });
});
