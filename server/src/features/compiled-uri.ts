/** The scheme of documents that show what a function is compiled to. */
export const COMPILED_SCHEME = 'spillway-compiled';

/** Which function a document of compiled code shows. */
export interface CompiledName {
  /** URI of the source, as the client writes it. */
  readonly source: string;
  readonly function: string;
  /** Counts the functions of that name in the source; 0 for nearly all. */
  readonly ordinal: number;
}

/**
 * `spillway-compiled:/saxpy.ptx/saxpy.ptx-compiled?[...]`: the path is for people and for what an editor makes of a
 * file name; what counts stands in the query, as JSON. Clients may encode more of it than is done here.
 */
export function compiledUri({ source, function: name, ordinal }: CompiledName, language: string): string {
  const path = [fileNameOf(source), `${name}.${language}-compiled`].map(encode).join('/');
  return `${COMPILED_SCHEME}:/${path}?${encode(JSON.stringify([source, name, ordinal]))}`;
}

/** What a URI of the scheme names, or undefined for any other text. */
export function compiledName(uri: string): CompiledName | undefined {
  if (!uri.startsWith(`${COMPILED_SCHEME}:`)) return undefined;
  const query = /\?([^#]*)/.exec(uri)?.[1];
  const parts = query === undefined ? undefined : parse(query);
  if (!Array.isArray(parts)) return undefined;
  const [source, name, ordinal] = parts as unknown[];
  if (typeof source !== 'string' || typeof name !== 'string' || !Number.isInteger(ordinal)) return undefined;
  return { source, function: name, ordinal: ordinal as number };
}

/** The last part of a URI's path. */
export function fileNameOf(uri: string): string {
  const path = uri.replace(/[?#].*$/s, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return decode(name) ?? name;
}

/** Lone surrogates, which cannot be encoded, are in no name that a program has; they become question marks. */
const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, '?'));

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function parse(query: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(query));
  } catch {
    return undefined;
  }
}
