import { ablation, accuracy, kernels } from './accuracy.js';
import { genBench } from './gen.js';
import { gpir } from './gpir.js';
import { latency } from './latency.js';
import { memory } from './memory.js';
import { speed } from './speed.js';
import { throughput } from './throughput.js';
import { views } from './views.js';

const benches: Readonly<Record<string, () => Promise<void> | void>> = {
  latency,
  throughput,
  memory,
  accuracy,
  gpir,
  gen: genBench,
  speed,
  views,
  kernels,
  ablation,
};
/** Longer answers to narrower questions, given where they are asked for. */
const onRequest = ['kernels', 'ablation'];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`no benchmark '${unknown[0]}'; there are ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
const all = Object.keys(benches).filter((name) => !onRequest.includes(name));
for (const name of wanted.length > 0 ? wanted : all) {
  await benches[name]();
  console.log();
}
