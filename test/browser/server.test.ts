import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build, type BuildOptions } from 'esbuild';
import {
  createProtocolConnection,
  PortMessageReader,
  PortMessageWriter,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from 'vscode-languageserver/node';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

interface Bundles {
  forBrowser(entry: string, file: string, format: 'iife' | 'cjs', minify: boolean): BuildOptions;
}

const bundles = (await import(pathToFileURL(join(root, 'scripts', 'bundle.mjs')).href)) as Bundles;

/**
 * The script in a world that has what every web worker has, and nothing of Node: a use of `process` or `require` is a
 * ReferenceError.
 */
const world = `
const { parentPort, workerData } = require('node:worker_threads');
const vm = require('node:vm');
const web = { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask, MessageChannel, TextEncoder, TextDecoder, URL,
  performance, crypto, console, AbortController };
vm.runInNewContext(workerData, { ...web, self: parentPort }, { filename: 'server-web.js' });
`;

describe('server in a web worker', function () {
  let script: string;
  let inputs: readonly string[];

  before(async function () {
    this.timeout(60_000);
    const options = bundles.forBrowser('server/src/browser.ts', 'server-web.js', 'iife', true);
    const { outputFiles, metafile } = await build({
      ...options,
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    script = outputFiles[0].text;
    inputs = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  });

  it('imports no module of Node', () => {
    assert.ok(inputs.some((path) => path.endsWith('server/src/lsp/server.ts')));
    const ofNode = /^node:|^(?:fs|path|os|child_process|crypto|net|util|worker_threads|process)$/;
    assert.deepEqual(
      inputs.filter((path) => ofNode.test(path) || /\/lib\/node\/|lsp\/ptxas\/run/.test(path)),
      [],
    );
    assert.doesNotMatch(script, /\brequire\(/);
  });

  describe('over its messages', function () {
    this.timeout(60_000);
    let worker: Worker;
    let connection: ProtocolConnection;
    const uri = 'untitled:spill.ptx';
    const text = readFileSync(join(root, 'examples', 'spill.ptx'), 'utf8');
    const published: PublishDiagnosticsParams[] = [];
    let look = (): void => undefined;

    /** The findings of a version, once the analysis is complete. */
    const findings = (version: number): Promise<PublishDiagnosticsParams['diagnostics']> =>
      new Promise((resolve) => {
        look = () => {
          const found = published.find((params) => params.version === version);
          if (found !== undefined) resolve(found.diagnostics);
        };
        look();
      });

    before(async () => {
      worker = new Worker(world, { eval: true, workerData: script });
      connection = createProtocolConnection(new PortMessageReader(worker), new PortMessageWriter(worker));
      connection.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
        published.push(params);
        look();
      });
      connection.listen();
      await connection.sendRequest('initialize', {
        processId: null,
        rootUri: null,
        capabilities: {
          textDocument: {
            hover: { contentFormat: ['markdown'] },
            publishDiagnostics: { codeDescriptionSupport: true },
          },
        },
        initializationOptions: { documentation: 'https://example.org/docs/{page}.html' },
      });
      await connection.sendNotification('initialized', {});
      await connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: 'ptx', version: 1, text },
      });
    });

    after(async () => {
      connection?.dispose();
      await worker?.terminate();
    });

    it('publishes findings, with links to the pages that the client knows', async () => {
      const found = await findings(1);
      assert.ok(found.some(({ code }) => String(code).startsWith('spill/')));
      for (const { code, codeDescription } of found)
        assert.equal(
          codeDescription?.href,
          `https://example.org/docs/diagnostics.html#${String(code).replace('/', '')}`,
        );
    });

    it('answers hovers', async () => {
      const lines = text.split('\n');
      const line = lines.findIndex((l) => /fma\.rn\.f32/.test(l));
      const hover = await connection.sendRequest<{ contents: { value: string } }>('textDocument/hover', {
        textDocument: { uri },
        position: { line, character: lines[line].indexOf('fma') + 1 },
      });
      assert.match(hover.contents.value, /fma/);
    });

    it('gives the data of the live-range view', async () => {
      const line = text.split('\n').findIndex((l) => /bar\.sync/.test(l));
      const view = await connection.sendRequest<{ name: string }>('spillway/liveRanges', {
        textDocument: { uri },
        position: { line, character: 4 },
      });
      assert.equal(view.name, 'keep_over_barrier');
    });

    it('follows an edit', async () => {
      await connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version: 2 },
        contentChanges: [{ text: text.replace(/\.maxnreg \d+/, '.maxnreg 64') }],
      });
      assert.deepEqual(
        (await findings(2)).filter(({ code }) => String(code).startsWith('spill/')),
        [],
      );
    });
  });
});
