import assert from 'node:assert/strict';
import type { CodeLens, Diagnostic, DocumentDiagnosticReport } from 'vscode-languageserver/node';
import type { Compilation, Target } from '../../server/src/targets/target.js';
import { improvingToy } from '../support/toy/improving.js';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';
import { between, startClient, type ClientOptions, type TestClient } from './harness.js';

const uri = 'file:///w/a.toy';
const program =
  'kernel main(n) {\n  reg a, b\n  param a, n\n  load b, [a]\n  add a, b, b\n  store [a], b\n  ret\n}\n';
/** What the improving toy machine says of a function without stalls. */
const isBetter = (found: Diagnostic[]): boolean =>
  found.some(({ message }) => message === 'no stalls are left');

describe('better programs, over the protocol', () => {
  let client: TestClient | undefined;
  let steps = 0;
  const start = async (silence: number, options: ClientOptions = {}): Promise<TestClient> => {
    const pairs = [{ language: toyLanguage, target: improvingToy(() => steps++) }];
    return (client = await startClient({ ...options, server: { pairs, silence } }));
  };
  beforeEach(() => (steps = 0));
  afterEach(() => client?.dispose());

  it('the quick answer comes first, the better one for the same version when nothing else happens', async () => {
    const c = await start(5);
    await c.open(uri, program);
    await c.diagnostics(uri, 1, isBetter);
    assert.equal(c.published.length, 2);
    assert.ok(!isBetter(c.published[0].diagnostics));
    assert.deepEqual(
      c.published.map(({ version }) => version),
      [1, 1],
    );
  });

  it('nothing is searched while messages come: an edit always wins', async () => {
    const c = await start(60_000);
    await c.open(uri, program);
    for (let version = 2; version < 40; version++) {
      await c.change(uri, version, { range: between(7, 1, 7, 1), text: ' ' });
      await c.diagnostics(uri, version);
    }
    assert.equal(steps, 0);
  });

  it('an edit between drops the search, and what follows is about the new text', async () => {
    const c = await start(5);
    await c.open(uri, program);
    await c.diagnostics(uri, 1, isBetter);
    await c.change(uri, 2, { text: program.replace('  add a, b, b\n  store [a], b\n', '') });
    await c.connection.sendRequest('textDocument/codeLens', { textDocument: { uri } });
    await c.change(uri, 3, { text: program });
    const again = await c.diagnostics(uri, 3);
    assert.ok(isBetter(again), 'what was found for this text is still known');
  });

  it('a client that can be asked to refresh asks again for lenses, hints and pulled diagnostics', async () => {
    const c = await start(5, {
      capabilities: {
        textDocument: { diagnostic: {} },
        workspace: {
          diagnostics: { refreshSupport: true },
          codeLens: { refreshSupport: true },
          inlayHint: { refreshSupport: true },
        },
      },
    });
    const asked: string[] = [];
    const all = new Promise<void>((resolve) => {
      for (const what of ['diagnostic', 'codeLens', 'inlayHint'])
        c.connection.onRequest(`workspace/${what}/refresh`, () => {
          asked.push(what);
          if (asked.length === 3) resolve();
          return null;
        });
    });
    await c.open(uri, program);
    const pull = (previousResultId?: string): Promise<DocumentDiagnosticReport> =>
      c.connection.sendRequest('textDocument/diagnostic', { textDocument: { uri }, previousResultId });
    const quick = await pull();
    assert.ok(quick.kind === 'full' && !isBetter(quick.items));
    await all;
    const better = await pull(quick.resultId);
    assert.ok(
      better.kind === 'full' && isBetter(better.items),
      'the quick answer is not taken for the better one',
    );
    assert.equal((await pull(better.resultId)).kind, 'unchanged');
    const lenses = await c.connection.sendRequest<CodeLens[]>('textDocument/codeLens', {
      textDocument: { uri },
    });
    assert.equal(lenses.length, 1);
    assert.deepEqual(asked.sort(), ['codeLens', 'diagnostic', 'inlayHint']);
  });

  it('a long compilation keeps no other request waiting, and an edit ends it', async () => {
    let compiled = 0;
    const slow: Target = {
      ...toyTarget,
      *compileInSteps(source, options): Generator<undefined, Compilation> {
        for (let step = 0; step < 150; step++) {
          const until = performance.now() + 2;
          while (performance.now() < until);
          yield undefined;
        }
        compiled++;
        return toyTarget.compile(source, options);
      },
    };
    const pairs = [{ language: toyLanguage, target: slow }];
    const c = (client = await startClient({ server: { pairs } }));
    await c.open(uri, program);
    await c.connection.sendRequest('textDocument/documentSymbol', { textDocument: { uri } });
    assert.equal(c.published.length, 0, 'answered while the compilation goes on');
    await c.change(uri, 2, { range: between(7, 1, 7, 1), text: ' ' });
    await c.diagnostics(uri, 2);
    assert.equal(compiled, 1, 'the first version is not compiled to the end');
  });

  it('a document that is closed, and a server that shuts down, are searched no more', async () => {
    const c = await start(300);
    await c.open(uri, program);
    await c.diagnostics(uri, 1);
    await c.close(uri);
    await c.open('file:///w/b.toy', program);
    await c.diagnostics('file:///w/b.toy', 1);
    await c.connection.sendRequest('shutdown');
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.equal(steps, 0);
    assert.deepEqual(c.log, []);
  });
});
