import { startClient, type TestClient } from '../test/lsp/harness.js';
import { registry } from '../server/src/workspace/registry.js';
import { file, random } from './support/generate.js';
import { table } from './support/table.js';

/**
 * What a long session leaves behind. The whole server runs in this process behind an in-memory connection; the heap
 * is measured after forced collections, with the same documents open before and after.
 */
declare const gc: (() => void) | undefined;

async function heapMegabytes(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed / 1e6;
}

interface Session {
  readonly client: TestClient;
  readonly uri: string;
  lines: string[];
  version: number;
}

async function open(uri: string, text: string): Promise<Session> {
  const client = await startClient({
    server: { pairs: registry },
    capabilities: {
      textDocument: { publishDiagnostics: { versionSupport: true, relatedInformation: true } },
    },
  });
  await client.open(uri, text, 'ptx');
  await client.diagnostics(uri, 1);
  client.published.length = 0;
  return { client, uri, lines: text.split('\n'), version: 1 };
}

/** Puts an instruction in at a random place, or takes one out again, so that the text stays about as long as it is. */
async function edits(session: Session, count: number, next: () => number): Promise<void> {
  const { client, uri, lines } = session;
  const inserted: number[] = [];
  for (let i = 0; i < count; i++) {
    let line: number;
    let change;
    if (inserted.length > 0 && (inserted.length >= 20 || next() < 0.5)) {
      line = inserted.pop()!;
      lines.splice(line, 1);
      change = { range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } }, text: '' };
    } else {
      do line = Math.floor(next() * (lines.length - 1));
      while (!/^\t[a-z]/.test(lines[line]) || inserted.some((other) => other >= line));
      const text = `\tadd.s32 \t%r6, %r5, ${i};`;
      lines.splice(line, 0, text);
      inserted.push(line);
      change = { range: { start: { line, character: 0 }, end: { line, character: 0 } }, text: `${text}\n` };
    }
    await client.change(uri, ++session.version, change);
    await client.diagnostics(uri, session.version);
    client.published.length = 0;
  }
  while (inserted.length > 0) {
    const line = inserted.pop()!;
    lines.splice(line, 1);
    await client.change(uri, ++session.version, {
      range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } },
      text: '',
    });
  }
  await client.diagnostics(uri, session.version);
  client.published.length = 0;
}

async function openAndClose(client: TestClient, count: number, from: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const uri = `file:///bench/other_${from + i}.ptx`;
    await client.open(uri, file({ lines: 400, seed: from + i }), 'ptx');
    await client.diagnostics(uri, 1);
    await client.close(uri);
    client.published.length = 0;
  }
}

export async function memory(editCount = 10_000, files = 500): Promise<void> {
  if (typeof gc === 'undefined') throw new Error('the memory benchmark needs node --expose-gc');
  const next = random(11);
  const session = await open('file:///bench/kernels.ptx', file({ lines: 20_000 }));
  await edits(session, 500, next);
  const before = await heapMegabytes();
  await edits(session, editCount, next);
  const after = await heapMegabytes();
  await openAndClose(session.client, 50, 0);
  const beforeFiles = await heapMegabytes();
  await openAndClose(session.client, files, 1000);
  const afterFiles = await heapMegabytes();
  session.client.dispose();
  console.log(
    'memory: heap in use after forced collections, megabytes; the 20 000-line file stays open throughout',
  );
  console.log(
    table(
      ['what', 'before', 'after', 'after / before'],
      [
        [`${editCount} edits in a 20 000-line file`, before, after, after / before],
        [`opening and closing ${files} files`, beforeFiles, afterFiles, afterFiles / beforeFiles],
      ],
    ),
  );
}
