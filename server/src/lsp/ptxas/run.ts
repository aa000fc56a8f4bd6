/**
 * One run of a ptxas program on a text: in the background, at the lowest priority, for a limited time, with limited
 * output. Whatever the program does (it is not there, it fails, it hangs, it prints rubbish or without end), the
 * outcome is a value, and nothing of the run stays: no process and no file.
 *
 * This is the only place from which Spillway starts a program. Nobody calls it but for a path that the user has set or
 * given, and by itself only for text in a trusted workspace (`background.ts`).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { argumentsFor, type PtxasRequest } from '../../targets/nvidia/ptxas/request.js';
import { readReport, versionOf } from '../../targets/nvidia/ptxas/report.js';
import { defaultLimits, type PtxasLimits, type PtxasOutcome, type PtxasRun, type PtxasTool } from './tool.js';

export function startPtxas(
  program: string,
  request: PtxasRequest,
  text: string,
  limits: PtxasLimits = defaultLimits,
): PtxasRun {
  const control = new AbortController();
  return { outcome: assemble(program, request, text, limits, control.signal), cancel: () => control.abort() };
}

async function assemble(
  program: string,
  request: PtxasRequest,
  text: string,
  limits: PtxasLimits,
  signal: AbortSignal,
): Promise<PtxasOutcome> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'spillway-ptxas-'));
    const path = join(folder, 'text.ptx');
    await writeFile(path, text);
    const args = [...argumentsFor(request), path, '-o', join(folder, 'text.cubin')];
    const ended = await execute(program, args, folder, limits, signal);
    // a part of a program that is linked later (nvcc -rdc=true) is compiled alone
    const isPart = ended.kind === 'exited' && /Unresolved extern/i.test(ended.output);
    return judge(
      program,
      isPart ? await execute(program, ['-c', ...args], folder, limits, signal) : ended,
      limits,
    );
  } catch (error) {
    return { kind: 'failed', why: `its input could not be written (${messageOf(error)})` };
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** `13.0.88`, or undefined where the program does not say. Never rejects. */
export async function ptxasVersion(program: string): Promise<string | undefined> {
  const limits = { time: 5000, output: 1 << 16 };
  const ended = await execute(program, ['--version'], tmpdir(), limits, new AbortController().signal);
  return ended.kind === 'exited' ? versionOf(ended.output) : undefined;
}

/** Programs of this machine. */
export const localPtxas: PtxasTool = { start: startPtxas, version: ptxasVersion };

type Ended =
  | { readonly kind: 'exited'; readonly status: number | null; readonly output: string }
  | { readonly kind: 'unstartable'; readonly error: NodeJS.ErrnoException }
  | { readonly kind: 'tooSlow' }
  | { readonly kind: 'tooMuch' }
  | { readonly kind: 'cancelled' };

function judge(program: string, ended: Ended, limits: PtxasLimits): PtxasOutcome {
  const failed = (why: string): PtxasOutcome => ({ kind: 'failed', why });
  if (ended.kind === 'cancelled') return { kind: 'cancelled' };
  if (ended.kind === 'unstartable')
    return failed(
      ended.error.code === 'ENOENT'
        ? `there is no program '${program}'; give the path of ptxas`
        : `'${program}' cannot be started (${ended.error.code ?? ended.error.message})`,
    );
  if (ended.kind === 'tooSlow')
    return failed(`'${program}' did not end within ${limits.time / 1000} s and was ended`);
  if (ended.kind === 'tooMuch')
    return failed(`'${program}' printed more than ${limits.output} bytes and was ended; is it ptxas?`);
  const report = readReport(ended.output);
  const hasError = report.messages.some(({ severity }) => severity === 'error');
  if (report.isUnderstood && (ended.status === 0 || hasError)) return { kind: 'report', report };
  const first = ended.output.trimStart().split('\n', 1)[0].slice(0, 120).trimEnd();
  const said = first === '' ? 'without a word' : `saying '${first}'`;
  return failed(
    ended.status === 0
      ? `'${program}' ended ${said}, which is no report of ptxas; is it ptxas?`
      : `'${program}' ended with ${ended.status === null ? 'a signal' : `status ${ended.status}`} ${said}`,
  );
}

/** Milliseconds that output may still come after the program has ended: a child of its own may hold the pipe. */
const LAST_WORDS = 500;

function execute(
  program: string,
  args: readonly string[],
  folder: string,
  limits: PtxasLimits,
  signal: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'cancelled' });
    const child = start(program, args, folder);
    if ('error' in child) return resolve({ kind: 'unstartable', error: child.error });
    const chunks: Buffer[] = [];
    let size = 0;
    let lastWords: NodeJS.Timeout | undefined;
    const end = (ended: Ended): void => {
      clearTimeout(timer);
      clearTimeout(lastWords);
      signal.removeEventListener('abort', abort);
      running.delete(child);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(ended);
    };
    const exited = (status: number | null): void =>
      end({ kind: 'exited', status, output: Buffer.concat(chunks).toString('utf8') });
    const stop = (why: 'cancelled' | 'tooSlow' | 'tooMuch'): void => {
      kill(child);
      end({ kind: why });
    };
    const abort = (): void => stop('cancelled');
    const timer = setTimeout(() => stop('tooSlow'), limits.time);
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limits.output) stop('tooMuch');
      else chunks.push(chunk);
    };
    signal.addEventListener('abort', abort);
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('error', (error) => end({ kind: 'unstartable', error }));
    child.once('exit', (status) => {
      lastWords = setTimeout(() => {
        kill(child);
        exited(status);
      }, LAST_WORDS);
    });
    child.once('close', exited);
  });
}

/** Programs that run now; they end with this process. */
const running = new Set<ChildProcess>();
let endsWithUs = false;

/**
 * In a group of its own, so that what the program starts ends with it. It works in the temporary folder: no file
 * beside the text is found by chance.
 */
function start(
  program: string,
  args: readonly string[],
  folder: string,
): ChildProcess | { readonly error: NodeJS.ErrnoException } {
  if (!isAbsolute(program) && /[/\\]/.test(program))
    return { error: new Error('a relative path; give an absolute one, or a name that PATH has') };
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: folder,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
  } catch (error) {
    return { error: error as NodeJS.ErrnoException };
  }
  if (!endsWithUs) process.once('exit', killAll);
  endsWithUs = true;
  running.add(child);
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // it has ended already, or priorities cannot be set here: it runs as it is
  }
  return child;
}

function killAll(): void {
  for (const child of running) kill(child);
}

/** Ends the program and its group. */
function kill(child: ChildProcess): void {
  try {
    if (process.platform !== 'win32' && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // nothing of it is left
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
