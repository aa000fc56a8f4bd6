import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type PublishDiagnosticsParams,
} from 'vscode-languageserver/node';
import { file } from './support/generate.js';
import { quantile, table } from './support/table.js';

/**
 * From a keystroke to its diagnostics, over stdio, in files of ordinary kernels: a line is typed character by
 * character in the middle of the file (most states in between are half-typed), then taken out again. Beside it the
 * protocol's floor: a server on the same libraries that keeps the text and analyses nothing, measured in turn.
 */
interface Typing {
  readonly uri: string;
  readonly languageId: string;
  readonly typed: string;
  /** The lines before which it is typed; the first one behind the middle of the file is taken. */
  readonly before: RegExp;
}

const ptx: Typing = {
  uri: 'file:///bench/kernels.ptx',
  languageId: 'ptx',
  typed: '\tmad.lo.s32 \t%r5, %r2, 3, %r4;\n',
  before: /^\t(mul|add|ld\.global)\./,
};
const gpir: Typing = {
  uri: 'file:///bench/program.gpir',
  languageId: 'gpir',
  typed: '  %typed = mul a0.x, u0.y\n',
  before: /^ {2}%\S+ = (mul|add)/,
};

interface Server {
  edit(): Promise<number>;
  stop(): void;
  readonly openMilliseconds: number;
}

async function start(command: readonly string[], text: string, typing: Typing): Promise<Server> {
  const { uri, languageId, typed, before } = typing;
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  let version = 1;
  let waiting: { version: number; done: () => void } | undefined;
  connection.onNotification('textDocument/publishDiagnostics', (parameters: PublishDiagnosticsParams) => {
    if (waiting !== undefined && (parameters.version ?? waiting.version) >= waiting.version) waiting.done();
  });
  connection.onRequest('workspace/configuration', (parameters: { items: unknown[] }) =>
    parameters.items.map(() => null),
  );
  connection.onRequest('client/registerCapability', () => null);
  connection.onRequest('window/workDoneProgress/create', () => null);
  connection.listen();
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: {
      textDocument: { publishDiagnostics: { versionSupport: true, relatedInformation: true } },
    },
  });
  await connection.sendNotification('initialized', {});
  const published = (wanted: number): Promise<void> =>
    new Promise((done) => {
      waiting = { version: wanted, done };
    });
  const opened = performance.now();
  const first = published(1);
  await connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId, version, text },
  });
  await first;
  const openMilliseconds = performance.now() - opened;

  const lines = text.split('\n');
  let at = Math.floor(lines.length / 2);
  while (!before.test(lines[at])) at++;
  let column = 0;
  let edits = 0;
  return {
    openMilliseconds,
    stop: () => {
      connection.dispose();
      child.kill();
    },
    async edit() {
      const index = edits++ % (typed.length + 1);
      const here = { line: at, character: column };
      let change;
      if (index < typed.length) {
        change = { range: { start: here, end: here }, text: typed[index] };
        column = typed[index] === '\n' ? 0 : column + 1;
      } else {
        change = {
          range: { start: { line: at, character: 0 }, end: { line: at + 1, character: 0 } },
          text: '',
        };
      }
      const answered = published(++version);
      const began = performance.now();
      await connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [change],
      });
      await answered;
      return performance.now() - began;
    },
  };
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const servers = {
  spillway: [`${root}dist/spillway.js`, 'serve', '--stdio'],
  floor: [`${root}out/bench/support/floor-server.js`],
};

export async function latency(
  edits = 600,
  sizes: readonly number[] = [1_000, 10_000, 100_000],
): Promise<void> {
  const rows: (string | number)[][] = [];
  const skinning = readFileSync(`${root}examples/skinning.gpir`, 'utf8');
  const files = [
    ...sizes.map((lines) => ({ name: `${lines} of PTX`, text: file({ lines }), typing: ptx })),
    { name: `${skinning.split('\n').length} of gpir`, text: skinning, typing: gpir },
  ];
  for (const { name, text, typing } of files) {
    const ours = await start(servers.spillway, text, typing);
    const floor = await start(servers.floor, text, typing);
    const times = { ours: [] as number[], floor: [] as number[] };
    for (let i = 0; i < 100; i++) {
      await ours.edit();
      await floor.edit();
    }
    for (let i = 0; i < edits; i++) {
      times.ours.push(await ours.edit());
      times.floor.push(await floor.edit());
    }
    rows.push([
      name,
      ours.openMilliseconds,
      quantile(times.ours, 0.5),
      quantile(times.ours, 0.99),
      quantile(times.floor, 0.5),
      quantile(times.floor, 0.99),
      quantile(times.ours, 0.5) / quantile(times.floor, 0.5),
    ]);
    ours.stop();
    floor.stop();
  }
  console.log(
    `latency: one keystroke to its diagnostics over stdio, ${edits} edits after 100 uncounted, milliseconds`,
  );
  console.log(table(['lines', 'open', 'median', 'p99', 'floor median', 'floor p99', 'median ratio'], rows));
}
