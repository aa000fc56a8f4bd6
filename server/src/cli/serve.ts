import { connectToParent, connectToStandardStreams } from '../lsp/connect.js';
import { localPtxas } from '../lsp/ptxas/run.js';
import { startServer } from '../lsp/server.js';
import { version } from '../workspace/version.js';
import { documentationLink } from '../lsp/documentation.js';

/** Serves until the client ends it. */
export function serve(argv: readonly string[]): void {
  const connection = argv.includes('--node-ipc') ? connectToParent() : connectToStandardStreams();
  startServer(connection, { version, documentation: documentationLink, ptxas: localPtxas });
}
