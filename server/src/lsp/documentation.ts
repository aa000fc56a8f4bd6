/** The pages of docs/ beside the installed program, so that a link works without a network; undefined where they are not. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DocumentationLink } from './diagnostics.js';

export const documentationLink: DocumentationLink = (path) => {
  const [file, anchor] = path.split('#');
  const folder = documentationFolder();
  if (folder === undefined) return undefined;
  return `${pathToFileURL(join(folder, file)).href}${anchor === undefined ? '' : `#${anchor}`}`;
};

let known: string | undefined | null = null;

/** The folder above the running program that holds docs/diagnostics.md. */
function documentationFolder(): string | undefined {
  if (known !== null) return known;
  known = undefined;
  for (let folder = dirname(process.argv[1] ?? '.'), depth = 0; depth < 6; folder = dirname(folder), depth++)
    if (existsSync(join(folder, 'docs', 'diagnostics.md'))) {
      known = folder;
      break;
    }
  return known;
}
