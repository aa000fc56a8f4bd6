// `npm run lint`: type-aware eslint, then prettier.
import { join } from 'node:path';
import { install, root, run } from './prepare.mjs';

install();
const fix = process.argv.includes('--fix');
run(process.execPath, [
  join(root, 'node_modules', 'eslint', 'bin', 'eslint.js'),
  '.',
  ...(fix ? ['--fix'] : []),
]);
run(process.execPath, [
  join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs'),
  fix ? '--write' : '--check',
  '--log-level',
  'warn',
  '.',
]);
