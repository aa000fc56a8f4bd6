import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../server/src/workspace/registry.js';
import { violations } from '../support/json-schema.js';
import { runNow } from '../support/run-now.js';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Report {
  readonly functions: readonly {
    readonly name: string;
    readonly rows: readonly {
      readonly group: string;
      readonly name: string;
      readonly options: readonly string[];
      readonly present: boolean;
      readonly figures: { readonly cycles?: number; readonly stores?: number };
    }[];
  }[];
}

function spillway(...argv: string[]): { status: number; out: string; error: string } {
  let out = '';
  let error = '';
  const io = {
    out: (text: string) => (out += text),
    error: (text: string) => (error += text),
    read: (path: string) => read(path),
    outIsTerminal: false,
    errorIsTerminal: false,
    environment: {},
  };
  return { status: runNow(argv, io, registry), out, error };
}

const report = (...argv: string[]): Report => JSON.parse(spillway(...argv, '--format', 'json').out) as Report;

describe('spillway compare', () => {
  it('gives what the schema says, for each language', () => {
    const schema = JSON.parse(read('docs/compare.schema.json')) as Record<string, unknown>;
    for (const file of ['examples/saxpy.ptx', 'examples/saxpy.gen', 'examples/fog.gpir']) {
      const { status, out } = spillway('compare', file, '--format', 'json');
      assert.equal(status, 0);
      assert.deepEqual(violations(schema, JSON.parse(out)), [], file);
    }
  }).timeout(30_000);

  it('names options that give the figures of the row', () => {
    const [{ rows, name }] = report('compare', 'examples/saxpy.gen').functions;
    const row = rows.find(({ group, present }) => group === 'dispatch width' && !present);
    assert.ok(row !== undefined);
    const { out } = spillway('stats', 'examples/saxpy.gen', ...row.options, '--format', 'json');
    const stats = (JSON.parse(out) as { functions: { name: string; cycles: number }[] }).functions;
    assert.equal(stats.find((one) => one.name === name)?.cycles, row.figures.cycles);
  });

  it('prints a table of one function, and Markdown', () => {
    const text = spillway('compare', 'examples/reduce.ptx', '--function', 'block_sum');
    assert.match(text.out, /^examples\/reduce\.ptx:\d+: block_sum \(now /);
    assert.match(text.out, /\n {2}\* sm_\d+ /);
    assert.match(spillway('compare', 'examples/reduce.ptx', '--format', 'md').out, /^### `block_sum`/);
    assert.equal(spillway('compare', 'examples/reduce.ptx', '--format', 'csv').status, 2);
  });

  it('says on standard error which option has no effect on which function, here and in stats', () => {
    for (const command of ['compare', 'stats']) {
      const rain = spillway(command, 'examples/rain.gen', '--max-registers', '18');
      assert.equal(
        rain.error,
        'examples/rain.gen: --max-registers 18 has no effect on rain (the source sets .grf_limit 14, and no limit above it counts)\n',
      );
      const spill = spillway(command, 'examples/spill.ptx', '--max-registers', '40');
      assert.match(
        spill.error,
        /^examples\/spill\.ptx: --max-registers 40 has no effect on keep_over_barrier \(/,
      );
      const tighter = spillway(command, 'examples/rain.gen', '--max-registers', '12');
      assert.equal(tighter.error, '');
    }
    const width = spillway('stats', 'examples/rain.gen', '--width', '16');
    assert.match(width.error, /--width 16 has no effect on rain \(the program is SIMD4x2\)/);
  }).timeout(30_000);
});
