// `npm start [-- FILE...]`: set-up, then what an editor would show for an example of each language or for the files given.
import { isAbsolute, join, resolve } from 'node:path';
import { bundle } from './bundle.mjs';
import { prepare, root, run } from './prepare.mjs';

prepare();
await bundle();
const command = join(root, 'dist', 'spillway.js');
const given = process.argv.slice(2);
const from = process.env.INIT_CWD ?? process.cwd();
const files = given.map((word) => (word.startsWith('-') || isAbsolute(word) ? word : resolve(from, word)));
const examples = ['spill.ptx', 'lit_cube.gpir', 'rain.gen'].map((name) => join('examples', name));
run(process.execPath, [command, 'show', ...(files.length > 0 ? files : examples)]);
