// Runs `npm test`, then `npm run e2e` (one retry), and ends with `N passed, N failed` alone on a line.
import { spawn } from 'node:child_process';
import { root } from './prepare.mjs';

function npm(args) {
  return new Promise((resolve) => {
    const child = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      process.stdout.write(data);
    });
    child.on('close', (status) => {
      const last = (pattern) => Number([...text.matchAll(pattern)].at(-1)?.[1] ?? 0);
      resolve({ status, passed: last(/^\s*(\d+) passing/gm), failed: last(/^\s*(\d+) failing/gm) });
    });
  });
}

const unit = await npm(['test']);
let endToEnd = await npm(['run', 'e2e']);
if (endToEnd.status !== 0) {
  console.log('end-to-end run failed; once more');
  endToEnd = await npm(['run', 'e2e']);
}
const passed = unit.passed + endToEnd.passed;
let failed = unit.failed + endToEnd.failed;
const ok = unit.status === 0 && endToEnd.status === 0 && unit.passed > 0;
if (!ok && failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed`);
process.exit(ok ? 0 : 1);
