import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../server/src/cli/run.js';
import { registry } from '../../server/src/workspace/registry.js';
import { entryLines, FakePtxas, hasShell, prints } from '../support/fake-ptxas.js';
import { violations } from '../support/json-schema.js';
import { ptxHead } from '../support/ptx.js';
import { hasPtxas } from '../languages/ptx/isa/assembler.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const schema = JSON.parse(readFileSync(join(root, 'docs', 'stats.schema.json'), 'utf8')) as Record<
  string,
  unknown
>;

const kernel = (name: string): string => `.visible .entry ${name}()\n{\n\tret;\n}\n`;
const files: Readonly<Record<string, string>> = {
  'a.ptx': `${ptxHead}${kernel('k')}${kernel('other')}`,
  'b.ptx': `${ptxHead}${kernel('third')}`,
  'a.gpir': '',
};

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

async function spillway(...argv: string[]): Promise<Ran> {
  let out = '';
  let error = '';
  const io = {
    out: (text: string) => void (out += text),
    error: (text: string) => void (error += text),
    read: (path: string): string => files[path],
    outIsTerminal: false,
    errorIsTerminal: false,
    environment: {},
  };
  return { status: await run(argv, io, registry), out, error };
}

describe('spillway stats --verify', () => {
  let fake: FakePtxas;
  before(function () {
    if (!hasShell) this.skip();
    fake = new FakePtxas();
  });
  after(() => fake?.dispose());
  const version = "case $1 in --version) echo 'release 13.0, V13.0.88'; exit;; esac";

  it('prints the figures of both and the difference, in each format', async () => {
    const program = fake.program(
      'good',
      `${version}\n${prints(...entryLines('k', 40, 12), ...entryLines('other', 1))}`,
    );
    const json = await spillway('stats', 'a.ptx', '--verify', '--ptxas', program, '--format', 'json');
    assert.equal(json.status, 0);
    const { functions } = JSON.parse(json.out) as {
      functions: { name: string; registers: { general: number }; ptxas: Record<string, unknown> }[];
    };
    assert.deepEqual(violations(schema, JSON.parse(json.out) as unknown), []);
    const [k] = functions;
    assert.deepEqual(k.ptxas, {
      version: '13.0.88',
      arch: 'sm_90',
      registers: 40,
      difference: k.registers.general - 40,
      stackBytes: 12,
      spillStoreBytes: 12,
      spillLoadBytes: 12,
    });
    const text = await spillway('stats', 'a.ptx', '--verify', '--ptxas', program);
    assert.match(text.out, /\bptxas +difference\b/);
    assert.match(
      text.out,
      /2 functions compared with ptxas: registers of 0 equal.*\nspills: 0 with both, 1 with ptxas alone, 0 with the model alone\n$/,
    );
    const csv = await spillway('stats', 'a.ptx', '--verify', '--ptxas', program, '--format', 'csv');
    assert.match(csv.out, /ptxas registers,registers less those of ptxas/);
    const without = await spillway('stats', 'a.ptx', '--format', 'csv');
    assert.equal(without.out.split('\r\n')[0], csv.out.split('\r\n')[0], 'the columns are always the same');
    assert.doesNotMatch((await spillway('stats', 'a.ptx')).out, /ptxas/);
  });

  it('a file that ptxas refuses is told with line and reason: status 1, the others stay', async () => {
    const refusing = `${version}\nif grep -q third "$text"; then\n${prints("ptxas x, line 9; error   : Unknown symbol 'x'")}\nexit 255; fi\n${prints(...entryLines('k', 40))}`;
    const program = fake.program('refuses', refusing);
    const { status, out, error } = await spillway('stats', 'b.ptx', 'a.ptx', '--verify', '--ptxas', program);
    assert.equal(status, 1);
    assert.match(error, /^b\.ptx:9: ptxas refuses it: Unknown symbol 'x'\n/);
    assert.match(out, /1 function compared with ptxas/);
    assert.match(out, /third/);
  });

  it('a program that is missing or fails: status 2 and a way out; the figures of the model all the same', async () => {
    const missing = await spillway('stats', 'a.ptx', '--verify', '--ptxas', join(fake.folder, 'none'));
    assert.equal(missing.status, 2);
    assert.match(missing.error, /a\.ptx: no verdict: there is no program '.*none'; give the path of ptxas/);
    assert.match(missing.out, /other/);
    const failing = await spillway('stats', 'a.ptx', '--verify', '--ptxas', fake.program('fails', 'exit 3'));
    assert.deepEqual([failing.status, /ended with status 3/.test(failing.error)], [2, true]);
  });

  it('wrong usage is told', async () => {
    for (const [argv, message] of [
      [['check', 'a.ptx', '--verify'], /--verify and --ptxas are options of stats, not of check/],
      [['stats', 'a.ptx', '--ptxas', 'x'], /--ptxas names the program for --verify/],
      [['stats', 'a.gpir', '--verify'], /no file has a function for it/],
    ] as const) {
      const { status, error } = await spillway(...argv);
      assert.equal(status, 2);
      assert.match(error, message);
    }
  });

  it('agrees with the real one on what an empty kernel needs, where it is installed', async function () {
    if (!hasPtxas()) this.skip();
    const { status, out } = await spillway('stats', 'a.ptx', '--verify', '--format', 'json');
    assert.equal(status, 0);
    const { functions } = JSON.parse(out) as { functions: { ptxas: Record<string, unknown> }[] };
    // four registers is what ptxas 13 gives a kernel that does nothing
    assert.deepEqual(
      functions.map(({ ptxas }) => [ptxas['arch'], ptxas['registers']]),
      [
        ['sm_90', 4],
        ['sm_90', 4],
      ],
    );
  });
});
