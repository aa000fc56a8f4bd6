/** The program of a thread that compiles what another one reads (`threads/halves.ts`). It knows machines, and no language. */
import { parentPort } from 'node:worker_threads';
import { targets } from '../workspace/targets.js';
import { answerFor, type Answer } from './threads/figures.js';
import type { Work } from './threads/halves.js';
import { FunctionReceiver } from './threads/wire.js';

const receiver = new FunctionReceiver();

async function answersFor({ target: id, options, packet, defining }: Work): Promise<readonly Answer[]> {
  const target = await targets.get(id)!();
  const functions = receiver.unpack(packet);
  const byName = new Map(defining.map((k) => [functions[k].name, functions[k]]));
  const module = { definition: (name: string) => byName.get(name) };
  return functions.map((f) => answerFor(target, f, options, module));
}

/** Work is done in the order in which it comes. */
let last: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (work: Work) => {
  last = last.then(async () => parentPort?.postMessage(await answersFor(work)));
});
