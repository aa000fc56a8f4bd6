import assert from 'node:assert/strict';
import type { CodeLens, Definition, Hover, Location, RegistrationParams } from 'vscode-languageserver/node';
import type { CompiledCodeAnswer } from '../../server/src/lsp/protocol.js';
import { registry } from '../../server/src/workspace/registry.js';
import { at, between, startClient, type ClientOptions, type TestClient } from './harness.js';

const uri = 'file:///w/a.ptx';
const text = `.version 8.0
.target sm_80
.address_size 64
.entry first(.param .u64 p)
{
.reg .u64 %d; .reg .f32 %f<3>;
ld.param.u64 %d, [p];
ld.global.f32 %f1, [%d];
add.f32 %f2, %f1, %f1;
st.global.f32 [%d], %f2;
ret;
}
.entry second() { ret; }
`;

/** What VS Code's client says that it can do, as far as compiled code is concerned. */
const capabilities = {
  workspace: { textDocumentContent: { dynamicRegistration: true } },
  textDocument: {
    definition: { dynamicRegistration: true },
    declaration: { dynamicRegistration: true },
    hover: { dynamicRegistration: true },
    documentHighlight: { dynamicRegistration: true },
  },
};

describe('compiled code, over the protocol', () => {
  let client: TestClient | undefined;
  const start = async (options: ClientOptions = {}): Promise<TestClient> =>
    (client = await startClient({ capabilities, ...options, server: { pairs: registry } }));
  afterEach(() => client?.dispose());

  const ask = (c: TestClient, params: object | null): Promise<CompiledCodeAnswer | null> =>
    c.connection.sendRequest('spillway/compiledCode', params);
  const content = async (c: TestClient, of: string): Promise<string[]> =>
    (
      await c.connection.sendRequest<{ text: string }>('workspace/textDocumentContent', { uri: of })
    ).text.split('\n');

  it('gives the document of the function at the cursor, its text and what is drawn on it', async () => {
    const c = await start();
    assert.deepEqual(c.initialized.capabilities.workspace?.textDocumentContent, {
      schemes: ['spillway-compiled'],
    });
    await c.open(uri, text, 'ptx');
    const answer = await ask(c, { textDocument: { uri }, position: at(8, 3) });
    assert.equal(answer?.function, 'first');
    assert.equal(answer?.text, undefined);
    assert.deepEqual(answer?.extent, { start: 3, end: 11 });
    const lines = await content(c, answer.uri);
    assert.equal(lines.length, answer.lineCount + 1);
    const add = lines.findIndex((line) => line.includes('FADD'));
    const links = answer.links;
    assert.ok(links.some((line, k) => k % 2 === 0 && line === add && links[k + 1] === 8));
  });

  it('gives the text in its own answer to a client that cannot ask for documents', async () => {
    const c = await start({ capabilities: {} });
    assert.equal(c.initialized.capabilities.workspace?.textDocumentContent, undefined);
    await c.open(uri, text, 'ptx');
    const answer = await ask(c, { textDocument: { uri } });
    assert.match(answer?.text ?? '', /first in a\.ptx, as compiled/);
    assert.match((await ask(c, { textDocument: { uri: answer!.uri }, text: true }))?.text ?? '', /FADD/);
    assert.equal(await ask(c, { textDocument: { uri: 'file:///w/other.ptx' } }), null);
  });

  it('tells of an edit, and answers with the new code; of one above the function, with its new lines', async () => {
    const c = await start();
    const refreshed: string[] = [];
    const changed: string[] = [];
    let hear: () => void = () => undefined;
    c.connection.onRequest('workspace/textDocumentContent/refresh', (params: { uri: string }) => {
      refreshed.push(params.uri);
      return null;
    });
    c.connection.onNotification('spillway/compiledCodeChanged', (params: { uri: string }) => {
      changed.push(params.uri);
      hear();
    });
    const next = (): Promise<void> => new Promise((resolve) => (hear = resolve));
    await c.open(uri, text, 'ptx');
    const compiled = (await ask(c, { textDocument: { uri }, position: at(8, 3) }))!.uri;
    assert.ok(!(await content(c, compiled)).some((line) => line.includes('FMUL')));
    let heard = next();
    await c.change(uri, 2, { range: between(8, 0, 8, 3), text: 'mul' });
    await heard;
    assert.deepEqual([refreshed.at(-1), changed.at(-1)], [compiled, compiled]);
    assert.ok((await content(c, compiled)).some((line) => line.includes('FMUL')));
    heard = next();
    await c.change(uri, 3, { range: between(3, 0, 3, 0), text: '\n\n' });
    await heard;
    assert.deepEqual((await ask(c, { textDocument: { uri: compiled } }))?.extent, { start: 5, end: 13 });
    heard = next();
    await c.change(uri, 4, { range: between(5, 7, 5, 12), text: 'other' });
    await heard;
    assert.match((await content(c, compiled))[0], /no function first in a\.ptx any more/);
    heard = next();
    await c.close(uri);
    await heard;
    assert.match((await content(c, compiled))[0], /a\.ptx is not open/);
  });

  it('answers definition, declaration, hover and highlight in such a document', async () => {
    const registered: string[] = [];
    const methods = ['declaration', 'definition', 'documentHighlight', 'hover'].map(
      (name) => `textDocument/${name}`,
    );
    const c = await start();
    c.connection.onRequest('client/registerCapability', ({ registrations }: RegistrationParams) => {
      registered.push(...registrations.map(({ method }) => method));
      return null;
    });
    await c.open(uri, text, 'ptx');
    const compiled = (await ask(c, { textDocument: { uri }, position: at(8, 3) }))!.uri;
    const lines = await content(c, compiled);
    const store = lines.findIndex((line) => line.includes('STG'));
    const position = at(store, /\], R\d/.exec(lines[store])!.index + 3);
    const places = { textDocument: { uri: compiled }, position };
    const [found] = (await c.connection.sendRequest<Definition>(
      'textDocument/definition',
      places,
    )) as Location[];
    assert.equal(found.uri, compiled);
    assert.equal(
      found.range.start.line,
      lines.findIndex((line) => line.includes('FADD')),
    );
    const [inSource] = await c.connection.sendRequest<Location[]>('textDocument/declaration', places);
    assert.deepEqual([inSource.uri, inSource.range.start], [uri, at(8, 8)]);
    const hover = await c.connection.sendRequest<Hover>('textDocument/hover', places);
    assert.match(JSON.stringify(hover.contents), /%f2/);
    const highlights = await c.connection.sendRequest<unknown[]>('textDocument/documentHighlight', places);
    assert.equal(highlights.length, 2);
    assert.equal(
      await c.connection.sendRequest('textDocument/hover', { ...places, position: at(9999, 0) }),
      null,
    );
    assert.deepEqual(registered.sort(), methods);
  });

  it('offers a lens to clients that have the command', async () => {
    for (const [commands, count] of [
      [undefined, 0],
      [['spillway.showCompiledCode'], 2],
    ] as const) {
      const c = await start({ initializationOptions: { commands } });
      await c.open(uri, text, 'ptx');
      const lenses = await c.connection.sendRequest<CodeLens[]>('textDocument/codeLens', {
        textDocument: { uri },
      });
      assert.equal(lenses.filter(({ command }) => command?.title === 'Show compiled code').length, count);
      c.dispose();
    }
  });

  it('answers to names that mean nothing', async () => {
    const c = await start();
    assert.match((await content(c, 'spillway-compiled:/x'))[0], /names no function/);
  });

  it('refuses parameters that are none, and says why', async () => {
    const c = await start();
    const refused = async (answer: Promise<unknown>, why: RegExp): Promise<void> =>
      assert.rejects(answer, (error: { code?: number; message: string }) => {
        assert.equal(error.code, -32602);
        assert.match(error.message, why);
        return true;
      });
    const named = { textDocument: { uri: 'file:///a.ptx' } };
    await refused(ask(c, null), /params must be an object/);
    await refused(ask(c, {}), /textDocument\.uri must be a string/);
    await refused(ask(c, { textDocument: { uri: 5 } }), /textDocument\.uri must be a string/);
    for (const position of ['x', { line: null }, null, 7])
      await refused(ask(c, { ...named, position }), /position must have a line and a character/);
    await refused(c.connection.sendRequest('workspace/textDocumentContent', {}), /uri must be a string/);
  });
});
