// The server in a web worker, for VS Code in a browser and for the playground: no files, no programs, no other process.
import { connectToPage } from './lsp/connect-worker.js';
import { startServer } from './lsp/server.js';
import { version } from './workspace/version.js';

/** The scope of the worker, of which the other entries know nothing. */
declare const self: Parameters<typeof connectToPage>[0];

startServer(connectToPage(self), { version });
