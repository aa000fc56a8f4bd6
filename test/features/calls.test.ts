import assert from 'node:assert/strict';
import {
  incomingCalls,
  outgoingCalls,
  prepareCallHierarchy,
} from '../../server/src/features/call-hierarchy.js';
import type { Call } from '../../server/src/features/data.js';
import { fixture } from '../support/fixture.js';
import { toySnapshot } from '../support/toy/programs.js';

describe('call hierarchy', () => {
  const f = fixture(
    'fn f\nkernel a {\n call $0f\n call f\n call b\n}\nkernel b { call f }\nfn f { call f\n call missing }\n',
  );
  const s = toySnapshot(f.text);
  const show = (calls: readonly Call[]): string[] =>
    calls.map((c) => `${c.item.name}: ${c.places.map((p) => p.start.line + 1).join(' ')}`);

  it('starts at a call or a name, at the definition', () => {
    const item = prepareCallHierarchy(s, f.lines.positionAt(f.cursor));
    assert.equal(item?.name, 'f');
    assert.equal(item?.selectionRange.start.line, 7);
    assert.equal(prepareCallHierarchy(s, { line: 2, character: 1 }), undefined);
  });

  it('incoming and outgoing, with every place', () => {
    assert.deepEqual(show(incomingCalls(s, 'f')), ['a: 3 4', 'b: 7', 'f: 8']);
    assert.deepEqual(show(outgoingCalls(s, 'a')), ['f: 3 4', 'b: 5']);
    assert.deepEqual(show(outgoingCalls(s, 'f')), ['f: 8']);
    assert.deepEqual(incomingCalls(s, 'nobody'), []);
  });
});
