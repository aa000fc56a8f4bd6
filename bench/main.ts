import { accuracy } from './accuracy.js';
import { genBench } from './gen.js';
import { gpir } from './gpir.js';
import { latency } from './latency.js';
import { memory } from './memory.js';
import { throughput } from './throughput.js';

const benches: Readonly<Record<string, () => Promise<void> | void>> = {
  latency,
  throughput,
  memory,
  accuracy,
  gpir,
  gen: genBench,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`no benchmark '${unknown[0]}'; there are ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
  await benches[name]();
  console.log();
}
