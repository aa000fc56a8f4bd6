import assert from 'node:assert/strict';
import type { ControlFlowView, LiveRangesView, SameView } from '../../server/src/features/views/data.js';
import { startClient, type TestClient } from './harness.js';

const uri = 'file:///w/views.toy';
const text = 'version 1\nfn a {\n  reg x\n  const x, 1\n  ret\n}\nfn b {\n  ret\n}\n';

describe('the requests of pictures', () => {
  let client: TestClient;
  before(async () => {
    client = await startClient();
    await client.open(uri, text);
  });
  after(() => client.dispose());

  const ask = <V>(name: string, more: object = {}): Promise<V> =>
    client.connection.sendRequest<V>(`spillway/${name}`, { textDocument: { uri }, ...more });

  it('answer with the function that is asked for', async () => {
    const position = { line: 7, character: 0 };
    assert.equal((await ask<LiveRangesView>('liveRanges', { position })).name, 'b');
    assert.equal((await ask<LiveRangesView>('liveRanges', { position, function: 'a' })).name, 'a');
    assert.equal((await ask<ControlFlowView>('controlFlow')).blocks[0].length, 2);
  });

  it('say where the function has gone when nothing else is new', async () => {
    const first = await ask<LiveRangesView>('liveRanges', { function: 'b' });
    const start = { line: 0, character: 0 };
    await client.change(uri, 2, { range: { start, end: start }, text: '# above\n' });
    const again = await ask<SameView>('liveRanges', { function: 'b', known: first.id });
    assert.deepEqual(again, { same: first.id, line: first.line + 1 });
    const place = { line: 5, character: 2 };
    await client.change(uri, 3, { range: { start: place, end: place }, text: 'const x, 2\n  ' });
    const other = await ask<LiveRangesView>('liveRanges', { function: 'a', known: first.id });
    assert.equal(other.instructions.text, 'const x, 1\nconst x, 2\nret');
  });

  it('answer with null where there is no function, and no document', async () => {
    const empty = 'file:///w/empty.toy';
    await client.open(empty, 'version 1\n');
    for (const name of ['liveRanges', 'controlFlow'])
      for (const wanted of [empty, 'file:///w/unknown.toy'])
        assert.equal(await ask(name, { textDocument: { uri: wanted } }), null);
  });
});
