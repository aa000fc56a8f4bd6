import assert from 'node:assert/strict';
import type { PressureLines } from '../../server/src/features/pressure-lines.js';
import type { Site } from '../../server/src/features/pressure-sites.js';
import type { SameView } from '../../server/src/features/views/data.js';
import { startClient, type TestClient } from './harness.js';

const uri = 'file:///w/pressure.toy';
const text = 'version 1\nfn a {\n  reg x\n  const x, 1\n  store [x], x\n  ret\n}\nfn b {\n  ret\n}\n';

describe('the requests about pressure', () => {
  let client: TestClient;
  before(async () => {
    client = await startClient();
    await client.open(uri, text);
  });
  after(() => client.dispose());

  const ask = <V>(name: string, more: object = {}): Promise<V> =>
    client.connection.sendRequest<V>(`spillway/${name}`, { textDocument: { uri }, ...more });

  it('answer with all functions, and with the places of those that the client knows', async () => {
    const first = await ask<{ functions: PressureLines[] }>('pressure');
    assert.deepEqual(
      first.functions.map(({ name, peakCompiled }) => [name, peakCompiled]),
      [
        ['a', 1],
        ['b', 0],
      ],
    );
    const start = { line: 0, character: 0 };
    await client.change(uri, 2, { range: { start, end: start }, text: '# above\n' });
    const known = first.functions.map(({ id }) => id);
    const again = await ask<{ functions: SameView[] }>('pressure', { known });
    assert.deepEqual(
      again.functions,
      first.functions.map(({ id, line }) => ({ same: id, line: line + 1 })),
    );
    await client.change(uri, 3, { range: { start, end: { line: 1, character: 0 } }, text: '' });
  });

  it('lead to the peak in the encoding of the client', async () => {
    const position = { line: 0, character: 0 };
    const site = await ask<Site>('nextSite', { position, kind: 'peak' });
    assert.deepEqual(site.range.start, { line: 3, character: 2 });
    assert.match(site.label, /^Peak of a, in \w+s: 1 as compiled, 1 as written \(/);
    assert.equal(site.isWrapped, false);
    const back = await ask<Site>('nextSite', { position, kind: 'peak', direction: 'previous' });
    assert.deepEqual([back.range, back.isWrapped], [site.range, true]);
    assert.equal(await ask('nextSite', { position, kind: 'spill' }), null);
  });

  it('refuse an unknown kind of place, and know no document that is not open', async () => {
    const position = { line: 0, character: 0 };
    await assert.rejects(ask('nextSite', { position, kind: 'stall' }), /kind must be one of peak, spill/);
    const textDocument = { uri: 'file:///w/unknown.toy' };
    assert.equal(await ask('pressure', { textDocument }), null);
    assert.equal(await ask('nextSite', { textDocument, position, kind: 'peak' }), null);
  });
});
