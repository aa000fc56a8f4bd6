// A file server for one folder, on this machine alone.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
};

/** Port 0 is any that is free. */
export const serveFolder = (folder, port = 0) =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
      const file = join(folder, path.endsWith('/') ? join(path, 'index.html') : path);
      if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
      createReadStream(file).pipe(response);
    });
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }),
    );
  });
