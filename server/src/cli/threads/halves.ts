/**
 * A command in two threads: this one reads files, parses, binds and lowers them, and tells of them; the other one, the
 * back end, compiles. Each half of the code is then new, and optimised by V8, in one thread only.
 */
import type { Worker } from 'node:worker_threads';
import type { Function } from '../../ir/function.js';
import { emptyModule, type Target, type TargetOptions } from '../../targets/target.js';
import type { Document } from '../../workspace/document.js';
import { compileAll, openInputs, type Context, type Input } from '../inputs.js';
import { Progress } from '../progress.js';
import { bestCompilation, compilationFrom, settledIn, type Answer } from './figures.js';
import { FunctionSender, type Packet } from './wire.js';

/** All functions of a document, for `back-end.ts`, which answers with an `Answer` for each. */
export interface Work {
  readonly target: string;
  readonly options: TargetOptions;
  readonly packet: Packet;
  /** Those that the document's other functions find under their names. */
  readonly defining: readonly number[];
}

type Answers = ReadonlyMap<Function, Answer>;

const none: Answers = new Map();

/** The other thread. When it is gone, whatever the reason, there are no answers, and this thread compiles. */
export class BackEnd {
  private readonly sender = new FunctionSender();
  private readonly waiting: ((answers: readonly Answer[]) => void)[] = [];
  private isGone: boolean;

  /** `worker` runs `back-end.ts`, or has tried to. */
  constructor(private readonly worker: Worker) {
    this.isGone = worker.threadId < 0;
    this.worker.on('message', (answers: readonly Answer[]) => this.waiting.shift()?.(answers));
    this.worker.on('error', () => this.leave());
    this.worker.on('exit', () => this.leave());
  }

  async compile(document: Document): Promise<Answers> {
    const functions = document.units.flatMap((unit) => unit.function ?? []);
    if (this.isGone || functions.length === 0) return none;
    const work: Work = {
      target: document.target.id,
      options: document.targetOptions,
      packet: this.sender.pack(functions),
      defining: functions.flatMap((f, k) => (document.definition(f.name) === f ? k : [])),
    };
    this.worker.postMessage(work);
    const answers = await new Promise<readonly Answer[]>((resolve) => this.waiting.push(resolve));
    return new Map(answers.map((answer, k) => [functions[k], answer]));
  }

  end(): void {
    this.isGone = true;
    void this.worker.terminate();
  }

  private leave(): void {
    this.isGone = true;
    for (const resolve of this.waiting.splice(0)) resolve([]);
  }
}

/** How far reading may run ahead of compiling, in files and in characters: what is read is kept until then. */
const FILES_AHEAD = 64;
const CHARACTERS_AHEAD = 4_000_000;

/** As `visitInputs` for a command line that has been found right and names no function. */
export async function visitInHalves(
  context: Context,
  backEnd: BackEnd,
  visit: (input: Input) => void,
): Promise<boolean> {
  const progress = new Progress(context.io);
  const ahead: {
    readonly input: Input;
    readonly target: AnsweredTarget;
    readonly answers: Promise<Answers>;
  }[] = [];
  let characters = 0;
  const finishFirst = async (): Promise<void> => {
    const { input, target, answers } = ahead[0];
    target.answers = await answers;
    ahead.shift();
    characters -= input.document.text.length;
    compileAll(input, progress);
    visit(input);
  };
  try {
    let target: AnsweredTarget;
    const inputs = openInputs(context, true, (pair) => {
      target = answered(pair.target);
      return { language: pair.language, target };
    });
    let step = inputs.next();
    for (; step.done !== true; step = inputs.next()) {
      const input = step.value;
      ahead.push({ input, target: target!, answers: backEnd.compile(input.document) });
      characters += input.document.text.length;
      while (ahead.length > FILES_AHEAD || characters > CHARACTERS_AHEAD) await finishFirst();
    }
    while (ahead.length > 0) await finishFirst();
    progress.end();
    return step.value;
  } finally {
    backEnd.end();
  }
}

interface AnsweredTarget extends Target {
  answers: Answers;
}

/** The target, which takes answers from another thread where there are any. Of these only figures and problems are known. */
function answered(target: Target): AnsweredTarget {
  const result: AnsweredTarget = {
    ...target,
    answers: none,
    compile: (source, options, module = emptyModule) => {
      const answer = result.answers.get(source);
      return answer === undefined
        ? bestCompilation(target, source, options, module)
        : compilationFrom(answer, source, options);
    },
    settled: (compilation) => settledIn(target, compilation),
  };
  delete result.improve;
  delete result.compileInSteps;
  return result;
}
