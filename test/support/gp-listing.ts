import type { ListingJson } from '../../server/src/targets/mali-gp/listing-json.js';

/**
 * Writes GP listings shortly, for tests: one line a word, its items separated by `;`, a block by its label:
 *
 *   loop:
 *   a0; u1; mul0 = mul uniform.x reg0.x; add0 = -add mul1@2 -reg0.y@1
 *   reg0 = $3; $4; t5; v0.x = mul0; branch loop
 *
 * `a0` loads port 0, `$4` port 1, `u1` or `t5` the uniform port (`u1 + addr2` with an offset). A store is
 * `v0.x = add0`, `$1.y = mul0` or `t5.z = pass`. Items that are none of these go into the JSON as they are:
 * `{"branch": {"target": 7}}`. `_` is an empty word.
 */
export function gpListing(text: string, rest: Partial<ListingJson> = {}): ListingJson {
  const blocks: { label: string; start: number }[] = [];
  const lines: string[] = [];
  for (const line of text.split('\n').map((l) => l.trim())) {
    if (line === '') continue;
    if (/^\w+:$/.test(line)) blocks.push({ label: line.slice(0, -1), start: lines.length });
    else lines.push(line);
  }
  if (blocks[0]?.start !== 0) blocks.unshift({ label: 'start', start: 0 });
  const start = (label: string): number => blocks.find((b) => b.label === label)?.start ?? Number(label);
  return {
    version: 1,
    program: 'test',
    uniforms: 1,
    constants: {},
    blocks,
    ...rest,
    words: lines.map((line) => wordOf(line, start)),
  };
}

type Word = ListingJson['words'][number];

function wordOf(line: string, start: (label: string) => number): Word {
  const word: Record<string, unknown> = {};
  const store: Record<string, Record<string, unknown>> = {};
  for (const item of line.split(';').map((i) => i.trim())) {
    let m: RegExpExecArray | null;
    if (item === '_') continue;
    if (item.startsWith('{')) Object.assign(word, JSON.parse(item));
    else if ((m = /^a(\d+)$/.exec(item))) word.reg0 = { kind: 'attribute', index: Number(m[1]) };
    else if ((m = /^reg0 = \$(\d+)$/.exec(item))) word.reg0 = { kind: 'register', index: Number(m[1]) };
    else if ((m = /^\$(\d+)$/.exec(item))) word.reg1 = { kind: 'register', index: Number(m[1]) };
    else if ((m = /^([ut])(\d+)(?: \+ (addr\d))?$/.exec(item)))
      word.uniform = { [m[1] === 'u' ? 'index' : 'temp']: Number(m[2]), ...(m[3] && { offset: m[3] }) };
    else if ((m = /^branch (\w+)$/.exec(item))) word.branch = { target: start(m[1]), condition: 'pass' };
    else if ((m = /^([v$t])(\d+)\.([xyzw]) = (\w+)$/.exec(item))) {
      const half = 'xy'.includes(m[3]) ? 'xy' : 'zw';
      const kind = { v: 'varying', $: 'register', t: 'temp' }[m[1]];
      if (store[half] !== undefined && (store[half].kind !== kind || store[half].index !== Number(m[2])))
        throw new Error(`${half} stores to one vector of one kind: ${line}`);
      store[half] = { ...store[half], kind, index: Number(m[2]), [m[3]]: m[4] };
      word.store = store;
    } else if ((m = /^(\w+) = (-?)(\w+)(.*)$/.exec(item)))
      word[m[1]] = {
        op: m[3],
        src: m[4].split(' ').filter(Boolean).map(sourceOf),
        ...(m[2] && { negate: true }),
      };
    else throw new Error(`cannot read ${item}`);
  }
  return word;
}

function sourceOf(text: string): object {
  const [from, distance] = text.replace('-', '').split('@');
  return {
    from,
    ...(distance !== undefined && { distance: Number(distance) }),
    ...(text.startsWith('-') && { negate: true }),
  };
}
