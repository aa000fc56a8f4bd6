import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeLens, Diagnostic, Hover, InlayHint, MarkupContent } from 'vscode-languageserver/node';
import { gpir } from '../../server/src/languages/gpir/index.js';
import { maliGp, type GpCompilation } from '../../server/src/targets/mali-gp/index.js';
import type { Target } from '../../server/src/targets/target.js';
import type { Problem } from '../../server/src/text/problem.js';
import { registry } from '../../server/src/workspace/registry.js';
import { improved } from '../support/gpir-compile.js';
import { between, at, startClient, type TestClient } from './harness.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const fog = readFileSync(join(root, 'examples', 'fog.gpir'), 'utf8');
const uri = 'file:///w/fog.gpir';
const textDocument = { uri };

const ended = ({ source }: GpCompilation): Problem => ({
  code: 'stall/words',
  severity: 'hint',
  span: { start: source.nameStart, end: source.nameEnd },
  message: 'the search has ended',
});
const isBest = (found: readonly Diagnostic[]): boolean =>
  found.some(({ message }) => message === 'the search has ended');

describe('gpir, over the protocol', () => {
  let client: TestClient | undefined;
  afterEach(() => client?.dispose());

  const wordsOf = async (c: TestClient): Promise<number> => {
    const [lens] = await c.connection.sendRequest<CodeLens[]>('textDocument/codeLens', { textDocument });
    return Number(/: (\d+) words/.exec(lens.command?.title ?? '')?.[1]);
  };

  it('the quick program first, a shorter one when the client is silent, and again after an edit is taken back', async function () {
    this.timeout(60_000);
    // counts as better even where the quick program was the best already
    const target: Target<GpCompilation> = {
      ...maliGp,
      *improve(quick: GpCompilation): Generator<undefined, GpCompilation> {
        yield undefined;
        return { ...improved(quick), problems: [...quick.problems, ended(quick)] };
      },
    };
    const c = (client = await startClient({
      server: { pairs: [{ language: gpir, target }], silence: 100 },
      capabilities: { workspace: { codeLens: { refreshSupport: true } } },
    }));
    let told: () => void = () => undefined;
    c.connection.onRequest('workspace/codeLens/refresh', () => {
      told();
      return null;
    });
    const better = new Promise<void>((resolve) => (told = resolve));
    await c.open(uri, fog, 'gpir');
    await c.diagnostics(uri, 1);
    const quick = await wordsOf(c);
    await better;
    const best = await wordsOf(c);
    assert.ok(best <= quick, `${best} words instead of ${quick}`);
    await c.diagnostics(uri, 1, isBest);

    await c.change(uri, 2, { range: between(0, 0, 0, 0), text: '; edited\n' });
    await c.change(uri, 3, { range: between(0, 0, 1, 0), text: '' });
    assert.ok(isBest(await c.diagnostics(uri, 3)), 'what was found for this text is still known');
    assert.equal(await wordsOf(c), best);
    assert.deepEqual(c.log, []);
  });

  it('places behind lines and a hover that names the words', async () => {
    const c = (client = await startClient({
      server: { pairs: registry, silence: 60_000 },
      capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
    }));
    await c.open(uri, '.program p\n  %r = rcp a0.x\n  st_var v0.x, %r\n', 'gpir');
    const range = between(0, 0, 3, 0);
    const hints = await c.connection.sendRequest<InlayHint[]>('textDocument/inlayHint', {
      textDocument,
      range,
    });
    const places = hints.filter(({ label }) => typeof label === 'string' && label.startsWith('w'));
    assert.deepEqual(
      places.map(({ position, label }) => [position.line, label]),
      [
        [1, 'w0–1 mul0'],
        [2, 'w3 store.x'],
      ],
    );
    const hover = await c.connection.sendRequest<Hover>('textDocument/hover', {
      textDocument,
      position: at(1, 3),
    });
    assert.match((hover.contents as MarkupContent).value, /\| Computed \| w0 mul0, w0 complex, w1 mul0 \|/);
  });
});
