// `npm run fuzz -- NAME [--seed N] [...]`: long random comparisons with an independent judge. NAMEs:
//   isa   the instruction tables against ptxas
import { join } from 'node:path';
import { prepare, root, run } from './prepare.mjs';

const oracles = { isa: ['test', 'oracle', 'isa-oracle.js'] };
const [name, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(oracles, name ?? '')) {
  console.error(`usage: npm run fuzz -- NAME [--seed N]; NAME is one of ${Object.keys(oracles).join(', ')}`);
  process.exit(2);
}
prepare();
run(process.execPath, ['--enable-source-maps', join(root, 'out', ...oracles[name]), ...rest]);
