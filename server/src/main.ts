// The server as a process of its own: `--stdio` (the default) or `--node-ipc`.
import { connectToParent, connectToStandardStreams } from './lsp/connect.js';
import { documentationLink } from './lsp/documentation.js';
import { localPtxas } from './lsp/ptxas/run.js';
import { startServer } from './lsp/server.js';
import { version } from './workspace/version.js';

startServer(process.argv.includes('--node-ipc') ? connectToParent() : connectToStandardStreams(), {
  version,
  documentation: documentationLink,
  ptxas: localPtxas,
});
