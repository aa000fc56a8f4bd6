import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serverPath } from '../support/programs.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The real process, spoken to in bytes. */
class Server {
  private received = Buffer.alloc(0);
  private readonly messages: Message[] = [];
  private wake: () => void = () => undefined;
  readonly process: ChildProcessWithoutNullStreams;
  errors = '';

  constructor(...args: string[]) {
    this.process = spawn(process.execPath, [serverPath, ...args]);
    this.process.stdout.on('data', (data: Buffer) => this.take(data));
    this.process.stderr.on('data', (data: Buffer) => (this.errors += data.toString()));
    this.process.stdin.on('error', () => undefined);
  }

  private take(data: Buffer): void {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      const end = this.received.indexOf('\r\n\r\n');
      if (end < 0) break;
      const header = this.received.subarray(0, end).toString('ascii');
      const length = Number(/Content-Length: (\d+)/i.exec(header)?.[1]);
      assert.ok(Number.isInteger(length), `only messages on standard output, not ${header}`);
      if (this.received.length < end + 4 + length) break;
      this.messages.push(JSON.parse(this.received.subarray(end + 4, end + 4 + length).toString()) as Message);
      this.received = this.received.subarray(end + 4 + length);
    }
    this.wake();
  }

  raw(text: string): void {
    this.process.stdin.write(text);
  }

  send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.raw(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  async answer(id: number): Promise<Message> {
    for (;;) {
      const found = this.messages.find((message) => message.id === id && message.method === undefined);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  async initialize(processId: number | null = null): Promise<void> {
    this.send({ id: 1, method: 'initialize', params: { processId, rootUri: null, capabilities: {} } });
    await this.answer(1);
    this.send({ method: 'initialized', params: {} });
  }

  /** The parameters of the first notification of that name that is accepted. */
  async notified<T>(method: string, accept: (params: T) => boolean): Promise<T> {
    for (;;) {
      const found = this.messages.find((message) => message.method === method && accept(message.params as T));
      if (found !== undefined) return found.params as T;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  async exitCode(): Promise<number | null> {
    if (this.process.exitCode !== null) return this.process.exitCode;
    const [code] = (await once(this.process, 'exit')) as [number | null];
    return code;
  }
}

describe('server, over standard streams', function () {
  this.timeout(30_000);
  let server: Server | undefined;
  afterEach(() => void server?.process.kill());

  it('shutdown, then exit: status 0', async () => {
    server = new Server('--stdio');
    await server.initialize();
    server.send({ id: 2, method: 'shutdown' });
    assert.equal((await server.answer(2)).error, undefined);
    server.send({ method: 'exit' });
    assert.equal(await server.exitCode(), 0);
  });

  it('exit without shutdown, or a client that goes away: status 1', async () => {
    server = new Server('--stdio');
    await server.initialize();
    server.send({ method: 'exit' });
    assert.equal(await server.exitCode(), 1);
    server = new Server('--stdio');
    await server.initialize();
    server.process.stdin.end();
    assert.equal(await server.exitCode(), 1);
  });

  it('ends when the process that started it is gone', async () => {
    const parent = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 1e6)']);
    server = new Server('--stdio');
    await server.initialize(parent.pid);
    parent.kill();
    assert.equal(await server.exitCode(), 1);
  });

  it('headers without a length, and bodies that are no JSON, no object or no message, do not stop it', async () => {
    server = new Server('--stdio');
    await server.initialize();
    for (const body of [
      '{"jsonrpc": "2.0", "id": 7, "method"',
      '17',
      '[]',
      '{}',
      '"x"',
      'null',
      '{"jsonrpc":"2.0","id":null}',
    ])
      server.raw(`Content-Length: ${body.length}\r\n\r\n${body}`);
    server.raw('Content-Type: text/plain\r\n\r\n');
    await sleep(50);
    server.send({ id: 3, method: 'textDocument/hover', params: null });
    assert.equal((await server.answer(3)).error?.code, -32602);
    server.send({ id: 4, method: 'workspace/symbol', params: { query: '' } });
    assert.deepEqual((await server.answer(4)).result, []);
  });

  it('PTX that spills: warned of on the lines, and the warning goes with a higher limit', async () => {
    const text = readFileSync(join(root, 'examples', 'spill.ptx'), 'utf8');
    const limit = text.split('\n').findIndex((line) => line.startsWith('.maxnreg'));
    const uri = 'file:///w/spill.ptx';
    type Published = { version: number; diagnostics: { code: string; range: { start: { line: number } } }[] };
    server = new Server('--stdio');
    await server.initialize();
    server.send({
      method: 'textDocument/didOpen',
      params: { textDocument: { uri, languageId: 'ptx', version: 1, text } },
    });
    const spilling = await server.notified<Published>(
      'textDocument/publishDiagnostics',
      (p) => p.version === 1,
    );
    assert.ok(spilling.diagnostics.some(({ code }) => code.startsWith('spill/')));
    server.send({
      method: 'textDocument/didChange',
      params: {
        textDocument: { uri, version: 2 },
        contentChanges: [
          {
            range: { start: { line: limit, character: 0 }, end: { line: limit, character: 1000 } },
            text: '.maxnreg 128',
          },
        ],
      },
    });
    const free = await server.notified<Published>('textDocument/publishDiagnostics', (p) => p.version === 2);
    assert.ok(free.diagnostics.every(({ code }) => !code.startsWith('spill/')));
  });

  it('a request before initialize or after shutdown is refused', async () => {
    server = new Server('--stdio');
    server.send({ id: 9, method: 'textDocument/hover', params: {} });
    assert.equal((await server.answer(9)).error?.code, -32002);
    await server.initialize();
    server.send({ id: 10, method: 'shutdown' });
    await server.answer(10);
    server.send({ id: 11, method: 'textDocument/hover', params: { textDocument: { uri: 'file:///a.ptx' } } });
    assert.equal((await server.answer(11)).error?.code, -32600);
  });
});
