/** Links to the pages of docs/ where the client says in `initializationOptions.documentation` at which address they are. */
import type { DocumentationLink } from './diagnostics.js';

/** Stands in the address for the name of a page without its `.md`. */
const PLACE = '{page}';

/** Undefined where the options hold no absolute address with a place for the page. */
export function documentationAt(options: unknown): DocumentationLink | undefined {
  const address =
    typeof options === 'object' && options !== null && 'documentation' in options
      ? options.documentation
      : undefined;
  if (typeof address !== 'string' || !address.includes(PLACE) || !isAbsolute(address)) return undefined;
  return (path) => {
    const [file, anchor] = path.split('#');
    const page = file.replace(/^docs\//, '').replace(/\.md$/, '');
    return address.replaceAll(PLACE, () => page) + (anchor === undefined ? '' : `#${anchor}`);
  };
}

function isAbsolute(address: string): boolean {
  try {
    return new URL(address).protocol !== 'javascript:';
  } catch {
    return false;
  }
}
