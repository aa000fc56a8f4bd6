import assert from 'node:assert/strict';
import { Trust } from '../../../server/src/lsp/trust.js';

const trust = (initializationOptions: unknown, ...folders: string[]): Trust =>
  new Trust({
    processId: null,
    rootUri: null,
    capabilities: {},
    initializationOptions,
    workspaceFolders: folders.map((uri) => ({ uri, name: uri })),
  });

describe('trust', () => {
  it('is not given by silence, nor by anything but true', () => {
    for (const options of [undefined, null, 'true', {}, { isTrusted: 1 }, { isTrusted: 'yes' }, [true]])
      assert.ok(!trust(options).includes('file:///w/a.ptx'), JSON.stringify(options));
    assert.ok(trust({ isTrusted: true }).includes('file:///w/a.ptx'));
  });

  it('is for files in the folders of the workspace', () => {
    const given = trust({ isTrusted: true }, 'file:///w', 'file:///a%20b/');
    const cases: readonly (readonly [string, boolean])[] = [
      ['file:///w/a.ptx', true],
      ['file:///w/deep/er/a.ptx', true],
      ['file:///a b/a.ptx', true],
      ['file:///a%20b/a.ptx', true],
      ['untitled:Untitled-1', true],
      ['file:///w2/a.ptx', false],
      ['file:///tmp/a.ptx', false],
      ['file:///w/../tmp/a.ptx', false],
      ['file:///w/%2e%2e/tmp/a.ptx', false],
      ['git:/w/a.ptx', false],
      ['vscode-vfs://github/x/a.ptx', false],
      ['', false],
      ['%', false],
    ];
    for (const [uri, expected] of cases) assert.equal(given.includes(uri), expected, uri);
  });

  it('follows the folders, and can be taken back', () => {
    const given = trust({ isTrusted: true }, 'file:///w');
    given.changed({ added: [{ uri: 'file:///x', name: 'x' }], removed: [{ uri: 'file:///w', name: 'w' }] });
    assert.ok(given.includes('file:///x/a.ptx') && !given.includes('file:///w/a.ptx'));
    given.set(false);
    assert.ok(!given.includes('file:///x/a.ptx'));
  });
});
