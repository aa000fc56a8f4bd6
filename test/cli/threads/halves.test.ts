import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { parseArguments } from '../../../server/src/cli/arguments.js';
import { processIo, type Io } from '../../../server/src/cli/io.js';
import { partInHalves, partOf, type Part } from '../../../server/src/cli/stats.js';
import { answerFor, compilationFrom } from '../../../server/src/cli/threads/figures.js';
import { BackEnd } from '../../../server/src/cli/threads/halves.js';
import { threadsOf } from '../../../server/src/cli/threads/threads.js';
import { emptyModule, type Target } from '../../../server/src/targets/target.js';
import { registry } from '../../../server/src/workspace/registry.js';
import { targets } from '../../../server/src/workspace/targets.js';
import { corpusOrSkip, filesOf, spread } from '../../support/corpus.js';
import { commandPath } from '../../support/programs.js';
import { ptxHead, ptxSnapshot } from '../../support/ptx.js';

const examples = join(import.meta.dirname, '..', '..', '..', '..', 'examples');
const threads = threadsOf(pathToFileURL(commandPath));

/** Texts by file name, or files of the disk. */
function ioFor(texts: ReadonlyMap<string, string>): { io: Io; told: () => string } {
  let told = '';
  const read = (path: string): string => texts.get(path) ?? processIo.read(path);
  return { io: { ...processIo, read, error: (text) => void (told += text) }, told: () => told };
}

async function bothWays(
  files: readonly string[],
  texts: ReadonlyMap<string, string> = new Map(),
  backEnd = threads.backEnd(),
): Promise<{ readonly whole: Part; readonly halves: Part }> {
  const args = parseArguments(['stats', ...files], registry);
  const [one, other] = [ioFor(texts), ioFor(texts)];
  const whole = partOf({ args, io: one.io, pairs: registry }, true);
  const halves = await partInHalves({ args, io: other.io, pairs: registry }, backEnd);
  assert.equal(other.told(), one.told());
  return { whole, halves };
}

describe('one thread reads and another one compiles', function () {
  this.timeout(60_000);

  it('knows every machine of the registry', async () => {
    assert.deepEqual([...targets.keys()].sort(), registry.map(({ target }) => target.id).sort());
    for (const { target } of registry) assert.equal(await targets.get(target.id)?.(), target);
  });

  it('says the same of the examples of all languages', async () => {
    const files = readdirSync(examples).map((name) => join(examples, name));
    const { whole, halves } = await bothWays(files);
    assert.ok(whole.functions.length >= files.length);
    assert.ok(whole.errors.includes('broken.ptx'));
    assert.deepEqual(halves, whole);
  });

  it('functions find those that they call, in their own file', async () => {
    const module = (constant: number): string => `${ptxHead}
.func (.param .b32 out) f(.param .b32 in) {
  .reg .b32 %r<${constant + 2}>;
  ld.param.b32 %r1, [in];
${Array.from({ length: constant }, (_, k) => `  mul.lo.s32 %r${k + 1}, %r1, ${k + 3};\n`).join('')}
  st.param.b32 [out], %r${constant};
  ret;
}
.entry k(.param .u64 p) {
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.global.b32 %r1, [%rd1];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r2, [b]; }
  st.global.b32 [%rd1], %r2;
  ret;
}
`;
    const texts = new Map([3, 40, 3, 7].map((constant, n) => [`m${n}.ptx`, module(constant)]));
    const { whole, halves } = await bothWays([...texts.keys()], texts);
    assert.equal(whole.functions.length, 8);
    assert.deepEqual(halves, whole);
  });

  it('says the same of more files than are read ahead, of which many have the same code', async () => {
    const texts = new Map<string, string>();
    for (let n = 0; n < 150; n++) {
      const head = ptxHead.replace('sm_90', n % 3 === 0 ? 'sm_75' : 'sm_90');
      texts.set(
        `k${n}.ptx`,
        `${head}.entry k(.param .u64 p) { .reg .b32 %r<3>; mov.u32 %r1, ${n % 100}; add.s32 %r2, %r1, %r1; st.global.b32 [p], %r2; ret; }\n`,
      );
    }
    const { whole, halves } = await bothWays([...texts.keys()], texts);
    assert.equal(whole.functions.length, 150);
    assert.deepEqual(halves, whole);
  });

  it('says the same of compilers’ kernels', async function () {
    const files = spread(filesOf(join(corpusOrSkip(this, 'ptx'), 'dev'), '.ptx'), 11);
    const { whole, halves } = await bothWays(files);
    assert.deepEqual(halves, whole);
  });

  it('goes on by itself where the other thread is not to be had', async () => {
    const files = [join(examples, 'spill.ptx'), join(examples, 'fog.gpir')];
    const missing = (): Worker => {
      const worker = new Worker(pathToFileURL(join(examples, 'no-such-program.js')));
      return worker.on('error', () => undefined);
    };
    const gone = missing();
    await new Promise((done) => gone.on('exit', done));
    for (const worker of [missing(), gone]) {
      const { whole, halves } = await bothWays(files, new Map(), new BackEnd(worker));
      assert.deepEqual(halves, whole);
    }
  });
});

describe('what comes back from the thread that compiles', () => {
  const source = ptxSnapshot(`${ptxHead}.entry k() { ret; }\n`, registry[0].target).units.at(-1)!.function!;

  it('an exception of the compiler is thrown again with its message and place', () => {
    const failing: Target = {
      ...registry[0].target,
      compile: () => {
        throw new RangeError('of no size');
      },
    };
    const answer = structuredClone(answerFor(failing, source, {}, emptyModule));
    assert.throws(
      () => compilationFrom(answer, source, {}),
      (error: Error) => error.message === 'of no size' && error.stack!.includes('RangeError: of no size'),
    );
  });

  it('a search for a better program is followed to its end', () => {
    const [{ target }] = registry;
    const searching: Target = {
      ...target,
      *improve(compilation) {
        yield;
        yield;
        return { ...compilation, model: 'the better one' };
      },
    };
    const answer = answerFor(searching, source, {}, emptyModule);
    assert.equal(compilationFrom(answer, source, {}).model, 'the better one');
  });

  it('to ask for what was not brought along is an error and no wrong answer', () => {
    const compilation = compilationFrom(answerFor(registry[0].target, source, {}, emptyModule), source, {});
    for (const what of ['asWritten', 'asCompiled', 'liveRanges', 'placements', 'spills', 'stalls'] as const)
      assert.throws(() => compilation[what], new RegExp(what));
  });
});
