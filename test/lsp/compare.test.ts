import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProgressType } from 'vscode-languageserver/node';
import type { Comparison, ComparisonRow } from '../../server/src/features/compare-data.js';
import { registry } from '../../server/src/workspace/registry.js';
import { at, between, startClient, type TestClient } from './harness.js';

const uri = 'file:///w/spill.ptx';
const examples = join(import.meta.dirname, '..', '..', '..', 'examples');
const text = readFileSync(join(examples, 'spill.ptx'), 'utf8').replace('.maxnreg 24\n', '');

describe('compare targets, over the protocol', () => {
  let client: TestClient | undefined;
  const start = async (): Promise<TestClient> =>
    (client = await startClient({ server: { pairs: registry } }));
  afterEach(() => client?.dispose());

  it('answers with all rows, and sends them as they become known', async () => {
    const c = await start();
    const rows: ComparisonRow[] = [];
    c.connection.onProgress(
      new ProgressType<{ rows: ComparisonRow[] }>(),
      'token',
      (part) => void rows.push(...part.rows),
    );
    await c.open(uri, text, 'ptx');
    const params = { textDocument: { uri }, position: at(20, 0), partialResultToken: 'token' };
    const answer = await c.connection.sendRequest<Comparison>('spillway/compareTargets', params);
    assert.equal(answer.function, 'keep_over_barrier');
    assert.ok(answer.rows.length > 5 && answer.best.length > 0);
    const names = new Set(rows.map(({ name }) => name));
    for (const { name } of answer.rows) assert.ok(names.has(name), name);
    assert.equal(
      await c.connection.sendRequest('spillway/compareTargets', { textDocument: { uri: 'file:///x' } }),
      null,
    );
  }).timeout(30_000);

  it('ends when the document changes, and does not hold up what comes after', async () => {
    const c = await start();
    await c.open(uri, text, 'ptx');
    await c.diagnostics(uri, 1);
    const asked = c.connection.sendRequest('spillway/compareTargets', { textDocument: { uri } }).then(
      () => 'answered',
      (error: { code?: number }) => error.code,
    );
    await c.change(uri, 2, { range: between(0, 0, 0, 0), text: '\n' });
    assert.equal(await asked, -32801);
    await c.diagnostics(uri, 2);
  }).timeout(30_000);
});
