/**
 * What the page's address keeps, so that a link opens the page as it was left: an example by its name
 * (`#saxpy.ptx`), or any text as `#LANGUAGE/TEXT`, deflated and written in base64url; behind either, settings as in
 * the query of an address (`?targets.nvidia.arch=sm_90`). Whoever made a link may have put anything there.
 */
export interface Kept {
  readonly source: { readonly example: string } | { readonly language: string; readonly text: string };
  /** By key, without the prefix `spillway.`; not checked. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Characters that are unpacked at most, which only a link made to fill the memory has. */
export const MOST_UNPACKED = 8_000_000;

export async function toFragment({ source, settings }: Kept): Promise<string> {
  const what =
    'example' in source
      ? encodeURIComponent(source.example)
      : `${source.language}/${toBase64(await packed(source.text))}`;
  const query = new URLSearchParams([...settings]).toString();
  return `#${what}${query === '' ? '' : `?${query}`}`;
}

/** Undefined where the fragment holds neither an example nor a text that can be unpacked. */
export async function fromFragment(fragment: string): Promise<Kept | undefined> {
  const found = /^#([\w.%-]+)(?:\/([\w-]+))?(?:\?(.*))?$/s.exec(fragment);
  if (found === null) return undefined;
  const [, name, text, query] = found as readonly (string | undefined)[];
  const settings = new Map(new URLSearchParams(query ?? ''));
  try {
    const source =
      text === undefined
        ? { example: decodeURIComponent(name ?? '') }
        : { language: name ?? '', text: await unpacked(fromBase64(text)) };
    return { source, settings };
  } catch {
    return undefined;
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );

async function packed(text: string): Promise<Uint8Array> {
  const stream = new Blob([new TextEncoder().encode(text)])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = stream.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > MOST_UNPACKED) {
      await reader.cancel();
      throw new Error('the text is too long for a link');
    }
  }
}
