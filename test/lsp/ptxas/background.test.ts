import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CodeLens,
  Diagnostic,
  DocumentDiagnosticReport,
  Hover,
  MarkupContent,
} from 'vscode-languageserver/node';
import { localPtxas } from '../../../server/src/lsp/ptxas/run.js';
import { registry } from '../../../server/src/workspace/registry.js';
import { entryLines, FakePtxas, hasShell, prints } from '../../support/fake-ptxas.js';
import { ptxHead } from '../../support/ptx.js';
import { at, between, startClient, type ClientOptions, type TestClient } from '../harness.js';

const uri = 'file:///w/a.ptx';
const kernel = `${ptxHead}.visible .entry k()
{
	.reg .b32 %r<2>;
	mov.u32 %r1, %tid.x;
	ret;
}
`;
const isTheirs = ({ source }: Diagnostic): boolean => source === 'ptxas';
const hasTheirs = (found: Diagnostic[]): boolean => found.some(isTheirs);

describe('ptxas in the background, over the protocol', () => {
  let client: TestClient | undefined;
  let fake: FakePtxas;
  before(function () {
    if (!hasShell) this.skip();
    fake = new FakePtxas();
  });
  after(() => fake?.dispose());
  afterEach(() => client?.dispose());

  interface Start {
    readonly program: string;
    readonly settings?: object;
    readonly isTrusted?: boolean;
    readonly pause?: number;
    readonly more?: ClientOptions;
  }
  const start = async ({
    program,
    settings = {},
    isTrusted = true,
    pause = 5,
    more,
  }: Start): Promise<TestClient> =>
    (client = await startClient({
      ...more,
      initializationOptions: { isTrusted, spillway: { ptx: { ptxas: program, ...settings } } },
      server: { pairs: registry, ptxas: localPtxas, ptxasPause: pause },
    }));
  /** A program that notes each start and the first line of a text behind the header. */
  const counting = (name: string, body: string): { program: string; starts: () => string[] } => {
    const notes = join(fake.folder, `${name}.notes`);
    const program = fake.program(name, `case $1 in -v) sed -n 4p "$text" >> '${notes}';; esac\n${body}`);
    return {
      program,
      starts: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trimEnd().split('\n') : []),
    };
  };
  const open = (c: TestClient, text = kernel): Promise<void> => c.open(uri, text, 'ptx');

  it('shows registers beside those of the model: hint, lens and hover, marked as ptxas', async () => {
    const program = fake.program(
      'good',
      `case $1 in --version) echo 'release 13.0, V13.0.88'; exit;; esac\n${prints(...entryLines('k', 40))}`,
    );
    const c = await start({ program });
    await open(c);
    const found = (await c.diagnostics(uri, 1, hasTheirs)).filter(isTheirs);
    assert.equal(found.length, 1);
    assert.equal(found[0].code, 'ptxas/registers');
    assert.equal(found[0].severity, 4);
    assert.deepEqual(found[0].range, between(3, 16, 3, 17));
    assert.match(
      found[0].message as string,
      /^ptxas 13\.0\.88, sm_90 · 40 registers · no spills; the model: \d+ registers? \(\d+ to \d+ for most kernels like this one\), no spills \(sm_90, limit 255\)$/,
    );
    const document = { textDocument: { uri } };
    const lenses = await c.connection.sendRequest<CodeLens[]>('textDocument/codeLens', document);
    assert.equal(lenses.at(-1)?.command?.title, 'ptxas 13.0.88, sm_90 · 40 registers · no spills');
    const hover = await c.connection.sendRequest<Hover>('textDocument/hover', {
      ...document,
      position: at(3, 16),
    });
    assert.match((hover.contents as MarkupContent).value, /ptxas 13\.0\.88, sm_90 · 40 registers/);
  });

  it('shows messages on the lines that ptxas names, and spills that the model does not have', async () => {
    const program = fake.program(
      'talks',
      prints(
        "ptxas x, line 7; warning : Unknown pragma 'a'",
        'ptxas warning : about nothing in particular',
        "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored in function 'k'",
        'ptxas x, line 99999999; warning : beyond the end',
        ...entryLines('k', 32, 56),
      ),
    );
    const c = await start({ program });
    await open(c);
    const found = (await c.diagnostics(uri, 1, hasTheirs)).filter(isTheirs);
    assert.deepEqual(
      found.map(({ code, severity, range }) => [code, severity, range.start]),
      [
        ['ptxas/warning', 2, at(6, 1)],
        ['ptxas/warning', 2, at(0, 0)],
        ['ptxas/warning', 3, at(3, 16)],
        ['ptxas/warning', 2, at(9, 0)],
        ['ptxas/spill', 2, at(3, 16)],
      ],
    );
    assert.match(found[4].message as string, /spills: 56 bytes stored, 56 loaded/);
  });

  it('what ptxas refuses is an error of its own; settings change it like any other', async () => {
    const refuses = `${prints("ptxas x, line 7; error   : Unknown symbol 'x'", 'ptxas fatal   : Ptx assembly aborted due to errors')}\nexit 255`;
    const c = await start({ program: fake.program('refuses', refuses) });
    await open(c);
    const [found] = (await c.diagnostics(uri, 1, hasTheirs)).filter(isTheirs);
    assert.deepEqual(
      [found.code, found.severity, found.message],
      ['ptxas/error', 1, "ptxas: Unknown symbol 'x'"],
    );
    await c.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: {
        spillway: { ptx: { ptxas: found.source }, diagnostics: { severity: { 'ptxas/*': 'off' } } },
      },
    });
    await c.diagnostics(uri, 1, (all) => !hasTheirs(all));
  });

  it('says when ptxas accepts what Spillway reports as an error, and tells the status bar', async () => {
    const c = await start({ program: fake.program('lenient', prints(...entryLines('k', 40))) });
    await open(c, kernel.replace('mov.u32', 'mov.u33'));
    const found = await c.diagnostics(uri, 1, hasTheirs);
    const accepted = found.find(({ code }) => code === 'ptxas/accepted');
    assert.ok(accepted !== undefined);
    assert.equal(accepted.range.start.line, 6);
    const status = await c.connection.sendRequest<{ ptxas?: string }>('spillway/status', {
      textDocument: { uri },
      position: at(6, 1),
    });
    assert.equal(status.ptxas, 'ptxas, sm_90 · 40 registers · no spills');
  });

  it('never runs without trust, and begins when trust comes', async () => {
    const { program, starts } = counting('trust', prints(...entryLines('k', 40)));
    const c = await start({ program, isTrusted: false });
    await open(c);
    await c.diagnostics(uri, 1);
    await c.connection.sendNotification('textDocument/didSave', { textDocument: { uri } });
    await sleep(100);
    assert.deepEqual(starts(), []);
    await c.connection.sendNotification('spillway/trust', { isTrusted: true });
    await c.diagnostics(uri, 1, hasTheirs);
    assert.equal(starts().length, 1);
  });

  it('runs on no text that does not come from a file', async () => {
    const { program, starts } = counting('elsewhere', prints(...entryLines('k', 40)));
    const c = await start({ program });
    for (const other of ['git:/w/a.ptx', 'https://example.org/a.ptx', 'file:///w/../etc/a.ptx']) {
      await c.open(other, kernel, 'ptx');
      await c.diagnostics(other, 1);
    }
    await sleep(100);
    assert.deepEqual(starts(), []);
  });

  it('is not asked about what another program reads', async () => {
    const { program, starts } = counting('optix', prints(...entryLines('k', 40)));
    const c = await start({ program });
    await open(c, kernel.replace('mov.u32 %r1, %tid.x;', 'call (%r1), _optix_get_launch_index_x, ();'));
    const found = await c.diagnostics(uri, 1);
    assert.ok(found.some(({ code }) => code === 'name/optix-intrinsic'));
    await sleep(100);
    assert.deepEqual(starts(), []);
  });

  it('is off by default, and turned off drops what it said', async () => {
    const c = await start({ program: fake.program('off', prints(...entryLines('k', 40))) });
    await open(c);
    await c.diagnostics(uri, 1, hasTheirs);
    await c.connection.sendNotification('workspace/didChangeConfiguration', { settings: { spillway: {} } });
    await c.diagnostics(uri, 1, (all) => !hasTheirs(all));
  });

  it('an edit takes the verdict away, ends the run for the older text, and asks about the newer one', async () => {
    const notes = join(fake.folder, 'pid');
    // hangs on the first text, answers for the second
    const { program, starts } = counting(
      'slow',
      `if grep -q first "$text"; then echo $$ > '${notes}'; exec sleep 600; fi\n${prints(...entryLines('k', 40))}`,
    );
    const c = await start({ program });
    await open(c, kernel.replace('.visible', '// first\n.visible'));
    while (!existsSync(notes) || readFileSync(notes, 'utf8') === '') await sleep(5);
    await c.change(uri, 2, { range: between(3, 3, 3, 8), text: 'again' });
    await c.diagnostics(uri, 2, hasTheirs);
    assert.deepEqual(starts(), ['// first', '// again']);
    await c.change(uri, 3, { range: between(3, 3, 3, 8), text: 'third' });
    assert.ok(!hasTheirs(await c.diagnostics(uri, 3)), 'of an older text nothing is shown');
    await c.diagnostics(uri, 3, hasTheirs);
  });

  it('keys that come fast start one run, for the last text', async () => {
    const { program, starts } = counting('fast', prints(...entryLines('k', 40)));
    const c = await start({ program, pause: 150 });
    await open(c, kernel.replace('.visible', '// 1\n.visible'));
    for (let version = 2; version <= 9; version++)
      await c.change(uri, version, { range: between(3, 3, 3, 4), text: `${version}` });
    await c.diagnostics(uri, 9, hasTheirs);
    assert.deepEqual(starts(), ['// 9']);
  });

  it('on save: runs when the file is opened and saved, not while it is typed', async () => {
    const { program, starts } = counting('save', prints(...entryLines('k', 40)));
    const c = await start({ program, settings: { ptxasRuns: 'save' } });
    await open(c, kernel.replace('.visible', '// 1\n.visible'));
    await c.diagnostics(uri, 1, hasTheirs);
    await c.change(uri, 2, { range: between(3, 3, 3, 4), text: '2' });
    await c.diagnostics(uri, 2);
    await sleep(100);
    assert.deepEqual(starts(), ['// 1']);
    await c.connection.sendNotification('textDocument/didSave', { textDocument: { uri } });
    await c.diagnostics(uri, 2, hasTheirs);
    assert.deepEqual(starts(), ['// 1', '// 2']);
  });

  it('a program that fails is told of once and left alone until the next save', async () => {
    const { program, starts } = counting('fails', 'exit 3');
    const c = await start({ program });
    await open(c);
    const told = (): string[] => c.log.filter((line) => line.includes('does not ask ptxas'));
    while (told().length === 0) await sleep(5);
    assert.match(told()[0], /ended with status 3 without a word\. It is tried again when a file is saved/);
    await c.change(uri, 2, { range: between(9, 0, 9, 0), text: '\n' });
    await c.diagnostics(uri, 2);
    await sleep(100);
    assert.equal(starts().length, 1);
    await c.connection.sendNotification('textDocument/didSave', { textDocument: { uri } });
    while (told().length === 1) await sleep(5);
    assert.equal(starts().length, 2);
    // everything else goes on as ever
    assert.ok(
      await c.connection.sendRequest('textDocument/hover', { textDocument: { uri }, position: at(3, 16) }),
    );
  });

  it('a program that is missing or hangs leaves the server as quick as ever', async () => {
    const c = await start({
      program: fake.program('hangs', 'exec sleep 600'),
      settings: { ptxasTimeLimit: 1 },
    });
    await open(c);
    await c.diagnostics(uri, 1);
    for (let k = 0; k < 20; k++)
      assert.ok(
        await c.connection.sendRequest('textDocument/hover', { textDocument: { uri }, position: at(3, 16) }),
      );
    while (!c.log.some((line) => /did not end within 1 s/.test(line))) await sleep(10);
    await c.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: { spillway: { ptx: { ptxas: join(fake.folder, 'none') } } },
    });
    while (!c.log.some((line) => /there is no program/.test(line))) await sleep(10);
  });

  it('a client that pulls is asked to come again, and gets both', async () => {
    const c = await start({
      program: fake.program('pulled', prints(...entryLines('k', 40))),
      more: {
        capabilities: {
          textDocument: { diagnostic: {} },
          workspace: { diagnostics: { refreshSupport: true } },
        },
      },
    });
    let refreshed = 0;
    c.connection.onRequest('workspace/diagnostic/refresh', () => (refreshed++, null));
    await open(c);
    while (refreshed === 0) await sleep(5);
    const report = await c.connection.sendRequest<DocumentDiagnosticReport>('textDocument/diagnostic', {
      textDocument: { uri },
    });
    assert.ok(report.kind === 'full' && hasTheirs(report.items));
  });
});
