import assert from 'node:assert/strict';
import {
  CancellationTokenSource,
  type Hover,
  type MarkupContent,
  type DocumentDiagnosticReport,
  type Location,
  type SemanticTokens,
  type SemanticTokensDelta,
} from 'vscode-languageserver/node';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';
import { at, between, startClient, type TestClient } from './harness.js';

const uri = 'file:///w/a.toy';
const program = `global g 4
fn helper
kernel main(n) {
  reg a, b
  param a, n
  const b, 2
  call helper
  ret
}
`;
const broken = program.replace('const b, 2', 'const c, 2');

describe('server, in memory', () => {
  let client: TestClient | undefined;
  const start = async (...options: Parameters<typeof startClient>): Promise<TestClient> =>
    (client = await startClient(...options));
  afterEach(() => client?.dispose());
  const position = (line: number, character: number) => ({
    textDocument: { uri },
    position: at(line, character),
  });

  it('publishes the problems of each version and clears them on close', async () => {
    const c = await start();
    await c.open(uri, broken);
    const found = await c.diagnostics(uri, 1);
    assert.ok(found.some(({ range, severity }) => range.start.line === 5 && severity === 1));
    assert.ok(found.every(({ source, code }) => source === 'spillway' && typeof code === 'string'));
    await c.change(uri, 2, { range: between(5, 8, 5, 9), text: 'b' });
    assert.ok((await c.diagnostics(uri, 2)).every(({ severity }) => severity !== 1));
    await c.close(uri);
    await c.connection.sendRequest('textDocument/hover', position(0, 0));
    assert.deepEqual(c.published.at(-1), { uri, diagnostics: [] });
  });

  it('answers every request that it advertises', async () => {
    const c = await start();
    await c.open(uri, program);
    const document = { textDocument: { uri } };
    const range = between(0, 0, 9, 0);
    const requests: readonly [string, object][] = [
      ['hover', position(4, 8)],
      ['definition', position(4, 8)],
      ['declaration', position(4, 8)],
      ['references', { ...position(4, 8), context: { includeDeclaration: true } }],
      ['documentHighlight', position(4, 8)],
      ['documentSymbol', document],
      ['completion', position(4, 8)],
      ['signatureHelp', position(4, 8)],
      ['semanticTokens/full', document],
      ['semanticTokens/range', { ...document, range }],
      ['inlayHint', { ...document, range }],
      ['codeLens', document],
      ['foldingRange', document],
      ['selectionRange', { ...document, positions: [at(4, 8)] }],
      ['formatting', { ...document, options: { tabSize: 2, insertSpaces: true } }],
      ['rangeFormatting', { ...document, range, options: { tabSize: 2, insertSpaces: true } }],
      ['codeAction', { ...document, range, context: { diagnostics: [] } }],
      ['prepareCallHierarchy', position(2, 8)],
      ['documentLink', document],
      ['prepareRename', position(4, 8)],
      ['rename', { ...position(4, 8), newName: 'z' }],
    ];
    for (const [name, params] of requests) {
      const answer = await c.connection.sendRequest(`textDocument/${name}`, params);
      assert.notEqual(answer, undefined, name);
    }
    assert.deepEqual(c.log, []);
  });

  it('goes from a use to its definition, and lists references', async () => {
    const c = await start();
    await c.open(uri, program);
    const [helper] = await c.connection.sendRequest<Location[]>('textDocument/definition', position(6, 8));
    assert.deepEqual(helper, { uri, range: between(1, 3, 1, 9) });
    const places = await c.connection.sendRequest<Location[]>('textDocument/references', {
      ...position(6, 8),
      context: { includeDeclaration: true },
    });
    assert.deepEqual(
      places.map(({ range }) => range.start.line),
      [1, 6],
    );
    const symbols = await c.connection.sendRequest<{ name: string }[]>('workspace/symbol', { query: 'hlp' });
    assert.deepEqual(
      symbols.map(({ name }) => name),
      ['helper'],
    );
  });

  it('survives changes that make no sense and stays in step', async () => {
    const c = await start();
    await c.open(uri, program);
    await c.change(uri, 2, { range: between(999, 3, 1000, 9), text: '# end\n' });
    await c.change(uri, 3, { range: between(2, 900, 2, 5), text: '' });
    await c.change(uri, 4, { range: { start: at(0, 0) }, text: 'x' }, { text: 7 }, null);
    await c.change(uri, 5, { range: between(-4, -1, 0, 0), text: '' });
    await c.connection.sendNotification('textDocument/didChange', { textDocument: { uri, version: 6 } });
    await c.connection.sendNotification('textDocument/didChange', null as unknown as object);
    await c.connection.sendNotification('textDocument/didOpen', { textDocument: { uri: 5 } });
    await c.connection.sendNotification('no/such/notification', {});
    await c.change(uri, 7, { text: broken });
    assert.ok((await c.diagnostics(uri, 7)).some(({ range }) => range.start.line === 5));
  });

  it('answers malformed requests with an error and unknown documents with nothing', async () => {
    const c = await start();
    for (const params of [
      {},
      { textDocument: { uri: 3 } },
      { textDocument: { uri }, position: { line: 'x' } },
    ])
      await assert.rejects(
        c.connection.sendRequest('textDocument/hover', params),
        (error: { code?: number }) => error.code === -32602,
      );
    assert.equal(await c.connection.sendRequest('textDocument/hover', position(0, 0)), null);
    assert.equal(await c.connection.sendRequest('spillway/status', { textDocument: { uri } }), null);
    await assert.rejects(
      c.connection.sendRequest('textDocument/nonsense', {}),
      (error: { code?: number }) => error.code === -32601,
    );
  });

  it('an exception in a feature is logged with its name, answered with an error, and the server goes on', async () => {
    const language = {
      ...toyLanguage,
      folds: (): never => {
        throw new Error('boom');
      },
    };
    const c = await start({ server: { pairs: [{ language, target: toyTarget }] } });
    await c.open(uri, program);
    await assert.rejects(
      c.connection.sendRequest('textDocument/foldingRange', { textDocument: { uri } }),
      /foldingRange failed: boom/,
    );
    assert.ok(c.log.some((line) => line.startsWith(`foldingRange of ${uri}: Error: boom`)));
    assert.ok(await c.connection.sendRequest('textDocument/documentSymbol', { textDocument: { uri } }));
  });

  it('a function that cannot be compiled does not take the others with it', async () => {
    const target: typeof toyTarget = {
      ...toyTarget,
      compile: (f, options) => {
        if (f.name === 'bad') throw new Error('no way');
        return toyTarget.compile(f, options);
      },
    };
    const c = await start({ server: { pairs: [{ language: toyLanguage, target }] } });
    await c.open(uri, `kernel bad() {\n  ret\n}\n${broken}`);
    assert.ok((await c.diagnostics(uri, 1)).some(({ range }) => range.start.line === 8));
    assert.ok(c.log.some((line) => line.startsWith('compiling bad')));
  });

  it('a storm of edits ends with the problems of the last version', async () => {
    const c = await start();
    await c.open(uri, program);
    const last = 300;
    for (let version = 2; version <= last; version++)
      void c.change(uri, version, { range: between(5, 8, 5, 9), text: version % 2 === 0 ? 'c' : 'b' });
    const found = await c.diagnostics(uri, last);
    assert.ok(found.some(({ range, severity }) => range.start.line === 5 && severity === 1));
    const versions = c.published.map(({ version }) => version ?? 0);
    assert.deepEqual(
      versions,
      [...versions].sort((a, b) => a - b),
      'never an older version after a newer one',
    );
    assert.ok(versions.length < last / 2, `${versions.length} versions of a storm were published`);
  });

  it('many changes in one message, from the end to the start, are one step', async () => {
    const c = await start();
    const lines = Array.from({ length: 200 }, (_, i) => `global g${i} 4`);
    await c.open(uri, lines.join('\n'));
    const changes = lines.map((_, i) => ({ range: between(i, 7, i, 8), text: 'h' })).reverse();
    await c.change(uri, 2, ...changes);
    const symbols = await c.connection.sendRequest<{ name: string }[]>('textDocument/documentSymbol', {
      textDocument: { uri },
    });
    assert.deepEqual(
      symbols.map(({ name }) => name),
      lines.map((_, i) => `h${i}`),
    );
  });

  it('a request that is cancelled, or whose document changes, is answered with the code for it', async () => {
    const c = await start();
    await c.open(uri, program);
    const source = new CancellationTokenSource();
    const cancelled = c.connection.sendRequest(
      'textDocument/codeLens',
      { textDocument: { uri } },
      source.token,
    );
    source.cancel();
    await assert.rejects(cancelled, (error: { code?: number }) => error.code === -32800);
    const outdated = c.connection.sendRequest('textDocument/hover', position(4, 8));
    void c.change(uri, 2, { text: `${program}\n` });
    await assert.rejects(outdated, (error: { code?: number }) => error.code === -32801);
  });

  it('a document that is closed during its analysis is forgotten', async () => {
    const c = await start();
    const large = Array.from({ length: 800 }, (_, i) =>
      program.replace('main', `k${i}`).replace('global g 4\nfn helper\n', ''),
    ).join('');
    await c.open(uri, large);
    await c.close(uri);
    await c.open('file:///w/b.toy', program);
    await c.diagnostics('file:///w/b.toy', 1);
    assert.ok(c.published.filter((p) => p.uri === uri).every(({ diagnostics }) => diagnostics.length === 0));
  });

  it('counts bytes for a UTF-8 client and code points for a UTF-32 client', async () => {
    for (const encoding of ['utf-8', 'utf-32'] as const) {
      const c = await start({ capabilities: { general: { positionEncodings: [encoding] } } });
      assert.equal(c.initialized.capabilities.positionEncoding, encoding);
      await c.open(uri, 'use "é🙂€"   oops\n');
      const [problem] = await c.diagnostics(uri, 1);
      const expected = encoding === 'utf-8' ? 4 + 1 + 2 + 4 + 3 + 1 + 3 : 4 + 1 + 3 + 1 + 3;
      assert.equal(problem.range.start.character, expected);
      await c.change(uri, 2, { range: between(0, expected, 0, expected + 4), text: '' });
      assert.deepEqual(await c.diagnostics(uri, 2), []);
      c.dispose();
    }
  });

  it('each workspace folder has its own settings, and new ones act without a restart', async () => {
    const settings: Record<string, unknown> = {
      'file:///one/': { diagnostics: { severity: { '*': 'off' } } },
      'file:///two/': { diagnostics: { severity: { '*': 'hint' } } },
    };
    const folderOf = (scope: string): unknown =>
      Object.entries(settings).find(([folder]) => scope.startsWith(folder))?.[1];
    const c = await start({
      capabilities: { workspace: { configuration: true, workspaceFolders: true } },
      configuration: folderOf,
    });
    await c.open('file:///one/a.toy', broken);
    await c.open('file:///two/a.toy', broken);
    assert.deepEqual(await c.diagnostics('file:///one/a.toy', 1), []);
    assert.ok((await c.diagnostics('file:///two/a.toy', 1)).some(({ severity }) => severity === 4));
    settings['file:///one/'] = { diagnostics: { severity: { '*': 'warning' } } };
    await c.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
    const found = await c.diagnostics('file:///one/a.toy', 1, (list) => list.length > 0);
    assert.ok(found.every(({ severity }) => severity === 2));
  });

  it('a client without workspace/configuration sends its settings; a wrong one is told', async () => {
    const c = await start({
      initializationOptions: { spillway: { diagnostics: { severity: { '*': 'off' } } } },
    });
    await c.open(uri, broken);
    assert.deepEqual(await c.diagnostics(uri, 1), []);
    await c.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: { spillway: { codeLens: 'yes' } },
    });
    assert.ok((await c.diagnostics(uri, 1, (list) => list.length > 0)).length > 0);
    assert.ok(c.log.some((line) => line.includes(`'codeLens' is "yes"; it must be true or false`)));
  });

  it('pulled diagnostics come once, and unchanged ones are said to be', async () => {
    const c = await start({ capabilities: { textDocument: { diagnostic: {} } } });
    await c.open(uri, broken);
    const pull = (previousResultId?: string): Promise<DocumentDiagnosticReport> =>
      c.connection.sendRequest('textDocument/diagnostic', { textDocument: { uri }, previousResultId });
    const first = await pull();
    assert.ok(first.kind === 'full' && first.items.length > 0);
    assert.deepEqual(await pull(first.resultId), { kind: 'unchanged', resultId: first.resultId });
    await c.change(uri, 2, { text: program });
    const second = await pull(first.resultId);
    assert.ok(second.kind === 'full' && second.items.every(({ severity }) => severity !== 1));
    assert.deepEqual(c.published, [], 'a client that pulls is pushed nothing');
  });

  it('a document that is asked about before it is opened is asked about again', async () => {
    const c = await start({
      capabilities: {
        textDocument: { diagnostic: {} },
        workspace: { diagnostics: { refreshSupport: true } },
      },
    });
    const pull = (): Promise<DocumentDiagnosticReport> =>
      c.connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
    assert.deepEqual(await pull(), { kind: 'full', items: [] });
    const refreshed = new Promise<void>((resolve) =>
      c.connection.onRequest('workspace/diagnostic/refresh', () => {
        resolve();
        return null;
      }),
    );
    await c.open(uri, broken);
    await refreshed;
    const report = await pull();
    assert.ok(report.kind === 'full' && report.items.length > 0);
  });

  it('a result of a server that has died is not taken for one of the next', async () => {
    const pull = async (previousResultId?: string): Promise<DocumentDiagnosticReport> => {
      const c = await start({ capabilities: { textDocument: { diagnostic: {} } } });
      await c.open(uri, broken);
      return c.connection.sendRequest('textDocument/diagnostic', { textDocument: { uri }, previousResultId });
    };
    const before = await pull();
    const after = await pull(before.resultId);
    assert.ok(after.kind === 'full' && after.items.length > 0);
  });

  it('a large function: names first, then what the machine makes of it', async () => {
    const body = Array.from({ length: 6000 }, () => '  const b, 2').join('\n');
    const c = await start();
    await c.open(uri, broken.replace('  const c, 2', `  const c, 2\n${body}`));
    await c.diagnostics(uri, 1, () => c.published.length >= 2);
    assert.equal(c.published.length, 2);
    assert.ok(c.published[0].diagnostics.length > 0);
    assert.ok(c.published[1].diagnostics.length >= c.published[0].diagnostics.length);
  });

  it('a pull of a client that cannot be asked again waits for what the machine makes of it', async () => {
    const body = Array.from({ length: 6000 }, () => '  const b, 2').join('\n');
    const text = program.replace(/\n {2}ret/, `\n${body}\n  const nowhere, 2\n  ret`);
    const pull = async (refreshSupport: boolean): Promise<DocumentDiagnosticReport> => {
      const c = await start({
        capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: { refreshSupport } } },
        initializationOptions: { targets: { 'toy-machine': { registers: 2 } } },
      });
      c.connection.onRequest('workspace/diagnostic/refresh', () => null);
      await c.open(uri, text);
      return c.connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
    };
    const first = await pull(true);
    assert.match(first.resultId ?? '', /partly/, 'the text is large enough to be answered in part');
    const whole = await pull(false);
    assert.doesNotMatch(whole.resultId ?? '', /partly/);
    assert.equal(whole.kind, 'full');
  });

  it('a client without Markdown gets none', async () => {
    const c = await start();
    await c.open(uri, program);
    const found = await c.connection.sendRequest<Hover>('textDocument/hover', position(2, 8));
    const contents = found.contents as MarkupContent;
    assert.equal(contents.kind, 'plaintext');
    assert.doesNotMatch(contents.value, /[`*|]/);
    assert.match(contents.value, /^Instructions {2,}\d+$/m);
  });

  it('token deltas, applied, give the full answer', async () => {
    const c = await start();
    await c.open(uri, program);
    const document = { textDocument: { uri } };
    const full = await c.connection.sendRequest<SemanticTokens>('textDocument/semanticTokens/full', document);
    await c.change(uri, 2, { range: between(3, 0, 3, 0), text: '  reg z\n' });
    const delta = await c.connection.sendRequest<SemanticTokensDelta>(
      'textDocument/semanticTokens/full/delta',
      {
        ...document,
        previousResultId: full.resultId,
      },
    );
    const data = [...full.data];
    for (const edit of [...delta.edits].sort((a, b) => b.start - a.start))
      data.splice(edit.start, edit.deleteCount, ...(edit.data ?? []));
    const again = await c.connection.sendRequest<SemanticTokens>(
      'textDocument/semanticTokens/full',
      document,
    );
    assert.deepEqual(data, again.data);
    assert.ok(delta.edits.every((edit) => (edit.data?.length ?? 0) < full.data.length));
  });

  it('says what is modelled at the cursor', async () => {
    const c = await start();
    await c.open(uri, program);
    const status = await c.connection.sendRequest<{ language: string; function?: string }>(
      'spillway/status',
      position(5, 3),
    );
    assert.equal(status.language, 'Toy');
    assert.equal(status.function, 'main');
  });

  it('ignores a document of no known language', async () => {
    const c = await start();
    await c.open('file:///w/readme.md', '# hello', 'markdown');
    assert.equal(
      await c.connection.sendRequest('textDocument/hover', {
        textDocument: { uri: 'file:///w/readme.md' },
        position: at(0, 0),
      }),
      null,
    );
    assert.ok(c.log.some((line) => line.includes("no language for 'markdown'")));
  });
});
