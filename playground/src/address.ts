/** The text in the page's address, so that a link keeps it: `#LANGUAGE/TEXT`, deflated and written in base64url. */
export interface Kept {
  readonly language: string;
  readonly text: string;
}

export async function toFragment({ language, text }: Kept): Promise<string> {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  return `#${language}/${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

/** Undefined where the fragment holds no text. */
export async function fromFragment(fragment: string): Promise<Kept | undefined> {
  const found = /^#([\w-]+)\/([\w-]+)$/.exec(fragment);
  if (found === null) return undefined;
  try {
    const binary = atob(found[2].replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = await through(packed, new DecompressionStream('deflate-raw'));
    return { language: found[1], text: new TextDecoder().decode(text) };
  } catch {
    return undefined;
  }
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const packed = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
