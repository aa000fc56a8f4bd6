import assert from 'node:assert/strict';
import type { Connection } from 'vscode-languageserver/node';
import { Progress } from '../../server/src/lsp/progress.js';
import { open } from '../support/edit-scripts.js';
import { toyPairs } from './harness.js';

const document = open('kernel k {\n}\n', toyPairs[0]);

function watched(isEnabled: boolean): {
  progress: Progress;
  said: string[];
  at: (now: number) => void;
} {
  const said: string[] = [];
  let now = 0;
  const reporter = {
    begin: (title: string, percentage: number) => void said.push(`${title} ${percentage}`),
    report: (percentage: number, message: string) => void said.push(`${percentage}: ${message}`),
    done: () => void said.push('done'),
  };
  const connection = {
    window: { createWorkDoneProgress: () => Promise.resolve(reporter) },
  } as unknown as Connection;
  return { progress: new Progress(connection, isEnabled, () => now), said, at: (n) => void (now = n) };
}

/** Answers of the client are waited for. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('progress of long work', () => {
  it('begins after a while, goes on and ends', async () => {
    const { progress, said, at } = watched(true);
    progress.report(document, 0, 9000);
    at(299);
    progress.report(document, 1000, 9000);
    await settled();
    assert.deepEqual(said, [], 'short work shows nothing');
    at(300);
    progress.report(document, 4500, 9000);
    progress.report(document, 9000, 9000);
    progress.end();
    await settled();
    assert.deepEqual(said, ['Compiling a.txt 50', '100: 9000 of 9000 instructions', 'done']);
  });

  it('is not shown to a client that does not ask for it', async () => {
    const { progress, said, at } = watched(false);
    at(5000);
    progress.report(document, 1, 2);
    progress.end();
    await settled();
    assert.deepEqual(said, []);
  });
});
