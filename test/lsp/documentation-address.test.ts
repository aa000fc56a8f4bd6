import assert from 'node:assert/strict';
import { documentationAt } from '../../server/src/lsp/documentation-address.js';

describe('address of the documentation', () => {
  it('puts the page where the client wants it, and the heading behind it', () => {
    const link = documentationAt({ documentation: 'https://example.org/{page}?from={page}' });
    assert.equal(link?.('docs/cli.md#internal-faults'), 'https://example.org/cli?from=cli#internal-faults');
    assert.equal(link?.('docs/cli.md'), 'https://example.org/cli?from=cli');
  });

  it('takes addresses of every scheme that can hold a page', () => {
    for (const documentation of ['file:///usr/share/doc/{page}.md', 'vscode-remote://host/docs/{page}.md'])
      assert.ok(documentationAt({ documentation })?.('docs/cli.md')?.endsWith('/cli.md'));
  });

  it('makes no link of what is no address', () => {
    const wrong = [
      undefined,
      null,
      3,
      {},
      '',
      '{page}',
      'docs/{page}.md',
      'https://example.org/',
      'javascript:{page}',
    ];
    for (const documentation of wrong) assert.equal(documentationAt({ documentation }), undefined);
    for (const options of [undefined, null, 'x', []]) assert.equal(documentationAt(options), undefined);
  });
});
