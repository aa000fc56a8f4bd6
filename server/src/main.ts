// The server as a process of its own: `--stdio` (the default) or `--node-ipc`.
import { connectToParent, connectToStandardStreams } from './lsp/connect.js';
import { startServer } from './lsp/server.js';
import { version } from './version.js';

startServer(process.argv.includes('--node-ipc') ? connectToParent() : connectToStandardStreams(), {
  version,
});
