import assert from 'node:assert/strict';
import { firstRow, labelOf, rowAfter } from '../../client/src/views/compare/model.js';
import type { Comparison } from '../../server/src/features/compare-data.js';

const row = (group: string, name: string, isPresent = false): Comparison['rows'][number] => ({
  group,
  name,
  settings: {},
  isPresent,
  cells: ['30', ''],
  alike: [],
  figures: {},
});

const table: Comparison = {
  function: 'f',
  model: 'sm_80, limit 255',
  summary: '',
  columns: [
    { id: 'registers', title: 'registers' },
    { id: 'cycles', title: 'cycles' },
  ],
  rows: [
    row('architecture', 'sm_80', true),
    row('architecture', 'sm_90'),
    { ...row('register limit', '64'), alike: ['96', '128'] },
    row('register limit', '255', true),
  ],
  best: [{ group: 'architecture', row: 1, why: 'most warps (64)' }],
  settled: [],
};

describe('the table of a comparison', () => {
  it('begins at a best row that is not set, else at what is set', () => {
    assert.equal(firstRow(table), 1);
    assert.equal(firstRow({ ...table, best: [] }), 0);
  });

  it('is walked through with the keyboard, by rows and by groups', () => {
    const walk = (at: number, ...keys: string[]): number =>
      keys.reduce((row, key) => rowAfter(key, row, table) ?? row, at);
    assert.equal(walk(0, 'ArrowDown', 'ArrowDown'), 2);
    assert.equal(walk(0, 'ArrowUp'), 0);
    assert.equal(walk(3, 'ArrowDown'), 3);
    assert.equal(walk(1, 'End'), 3);
    assert.equal(walk(3, 'Home'), 0);
    assert.equal(walk(1, 'PageDown'), 2);
    assert.equal(walk(3, 'PageUp'), 0);
    assert.equal(rowAfter('x', 0, table), undefined);
  });

  it('says a row in words', () => {
    assert.equal(labelOf(table, 1), 'architecture sm_90, best; registers 30');
    assert.equal(labelOf(table, 0), 'architecture sm_80, now; registers 30');
    assert.equal(labelOf(table, 2), 'register limit 64; registers 30; same: 96, 128');
  });
});
