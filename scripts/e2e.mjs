// `npm run e2e`: real editors. Skips with a message what the machine cannot run.
import { prepare } from './prepare.mjs';

prepare();
console.log('no end-to-end suite yet');
console.log('0 passing');
