import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ptxasVersion, startPtxas } from '../../../server/src/lsp/ptxas/run.js';
import type { PtxasOutcome } from '../../../server/src/lsp/ptxas/tool.js';
import { entryLines, FakePtxas, hasShell, prints } from '../../support/fake-ptxas.js';
import { ptxHead } from '../../support/ptx.js';
import { hasPtxas } from '../../languages/ptx/isa/assembler.js';

/** Whether a process runs; one that has ended but was not waited for does not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/^\d+ \(.*\) Z/.test(readFileSync(stat, 'utf8'));
}

async function gone(pid: number): Promise<void> {
  for (let k = 0; k < 200 && isRunning(pid); k++) await sleep(10);
  assert.ok(!isRunning(pid), `process ${pid} still runs`);
}

describe('runs of a ptxas program', () => {
  let fake: FakePtxas;
  before(function () {
    if (!hasShell) this.skip();
    fake = new FakePtxas();
  });
  after(() => fake?.dispose());
  const limits = { time: 5000, output: 1 << 20 };
  const request = { arch: 'sm_90' };
  const outcome = (program: string, given = limits, text = ''): Promise<PtxasOutcome> =>
    startPtxas(program, request, text, given).outcome;
  const whyOf = async (program: string, given = limits): Promise<string> => {
    const found = await outcome(program, given);
    return found.kind === 'failed' ? found.why : assert.fail(`it did not fail: ${JSON.stringify(found)}`);
  };

  it('gives the program the text, the architecture and the limit, and reads what it prints', async () => {
    const program = fake.program(
      'echo',
      `${prints(...entryLines('k', 40))}\necho "ptxas warning : $1 $2 $3 $(cat "$text")"`,
    );
    // a folder for temporary files of its own: other tests that run beside this one make some too
    const temporary = mkdtempSync(join(fake.folder, 'temporary-'));
    const { TMPDIR } = process.env;
    process.env.TMPDIR = temporary;
    const found = await startPtxas(
      program,
      { arch: 'sm_90a', maxRegisters: 64 },
      'the text',
      limits,
    ).outcome.finally(() =>
      TMPDIR === undefined ? delete process.env.TMPDIR : (process.env.TMPDIR = TMPDIR),
    );
    assert.ok(found.kind === 'report');
    assert.equal(found.report.functions.get('k')?.registers, 40);
    assert.equal(found.report.messages[0].message, '-v -arch=sm_90a --maxrregcount=64 the text');
    assert.deepEqual(readdirSync(temporary), [], 'no file stays');
  });

  it('says what is wrong with a program that is missing, may not run, fails or prints something else', async () => {
    assert.match(
      await whyOf(join(fake.folder, 'none')),
      /there is no program '.*none'; give the path of ptxas/,
    );
    assert.match(await whyOf('no-such-ptxas-anywhere'), /there is no program 'no-such-ptxas-anywhere'/);
    assert.match(await whyOf(fake.folder), /cannot be started \(EACCES\)/);
    assert.match(await whyOf('./ptxas'), /cannot be started \(a relative path; give an absolute one/);
    assert.match(await whyOf(fake.program('fails', 'exit 3')), /ended with status 3 without a word/);
    assert.match(
      await whyOf(fake.program('crashes', 'echo oh no >&2; kill -SEGV $$')),
      /ended with a signal saying 'oh no'/,
    );
    assert.match(
      await whyOf(fake.program('true', 'exit 0')),
      /ended without a word, which is no report of ptxas/,
    );
    assert.match(
      await whyOf(fake.program('rubbish', 'head -c 5000 /dev/zero; echo x')),
      /no report of ptxas/,
    );
    // figures, and then a crash: half a report is none
    assert.match(
      await whyOf(fake.program('half', `${prints(...entryLines('k', 40))}\nexit 9`)),
      /ended with status 9/,
    );
  });

  it('an error in the text is a report, not a failure', async () => {
    const found = await outcome(
      fake.program('refuses', `${prints("ptxas x, line 2; error   : Unknown symbol 'x'")}\nexit 255`),
    );
    assert.ok(found.kind === 'report');
    assert.deepEqual(found.report.messages, [{ severity: 'error', line: 2, message: "Unknown symbol 'x'" }]);
  });

  it('a program that hangs is ended, and so is what it has started', async () => {
    const notes = join(fake.folder, 'pids');
    const program = fake.program('hangs', `sleep 600 & echo $! $$ > '${notes}'; wait`);
    assert.match(
      await whyOf(program, { time: 300, output: 1000 }),
      /did not end within 0\.3 s and was ended/,
    );
    for (const pid of readFileSync(notes, 'utf8').trim().split(' ')) await gone(Number(pid));
  });

  it('a program that prints without end is ended', async () => {
    assert.match(
      await whyOf(fake.program('floods', 'while :; do echo ptxas info : 0 bytes gmem; done')),
      /printed more than 1048576 bytes and was ended/,
    );
  });

  it('a child that keeps the pipe open does not hold up the outcome', async () => {
    const found = await outcome(fake.program('leaves', `${prints(...entryLines('k', 24))}\nsleep 600 &`));
    assert.ok(found.kind === 'report');
  });

  it('can be cancelled, before and while it runs', async () => {
    const notes = join(fake.folder, 'cancelled');
    const program = fake.program('waits', `echo $$ > '${notes}'; exec sleep 600`);
    const early = startPtxas(program, request, '', limits);
    early.cancel();
    assert.equal((await early.outcome).kind, 'cancelled');
    assert.ok(!existsSync(notes), 'it has not been started');
    const late = startPtxas(program, request, '', limits);
    while (!existsSync(notes) || readFileSync(notes, 'utf8') === '') await sleep(5);
    late.cancel();
    late.cancel();
    assert.equal((await late.outcome).kind, 'cancelled');
    await gone(Number(readFileSync(notes, 'utf8')));
  });

  it('runs at the lowest priority', async function () {
    if (process.platform !== 'linux') this.skip();
    const found = await outcome(fake.program('nice', 'sleep 0.1; echo "ptxas warning : $(nice)"'));
    assert.ok(found.kind === 'report');
    assert.equal(found.report.messages[0].message, '19');
  });

  it('asks the real one, where it is installed', async function () {
    if (!hasPtxas()) this.skip();
    assert.match((await ptxasVersion('ptxas')) ?? '', /^13\./);
    const found = await outcome('ptxas', limits, `${ptxHead}.visible .entry k() { ret; }\n`);
    // an empty kernel is reported with four registers on sm_90
    assert.ok(found.kind === 'report');
    assert.deepEqual([...found.report.functions.keys()], ['k']);
    const refused = await outcome('ptxas', limits, `${ptxHead}.visible .entry k()\n{ nonsense; ret; }\n`);
    assert.ok(refused.kind === 'report');
    assert.equal(refused.report.messages[0].line, 5);
  });
});
