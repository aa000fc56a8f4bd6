/**
 * The programs, for tests that start them. `npm test` has bundled them as they are shipped and names their folder; the
 * modules that mocha alone finds take three times as long to load.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bundled = process.env['SPILLWAY_PROGRAMS'];
const modules = fileURLToPath(new URL('../../server/src', import.meta.url));

/** `spillway`. */
export const commandPath =
  bundled === undefined ? join(modules, 'cli', 'main.js') : join(bundled, 'spillway.js');

/** The language server alone. */
export const serverPath = bundled === undefined ? join(modules, 'main.js') : join(bundled, 'server.cjs');
