/**
 * The part of TOML 1.0 that the files in editors/ use: tables, arrays of tables, dotted keys, strings, numbers, booleans,
 * arrays and inline tables on one line. Throws for everything else.
 */
type Table = Record<string, unknown>;

export function parseToml(text: string): Table {
  const root: Table = {};
  let table = root;
  text.split(/\r?\n/).forEach((line, i) => {
    const fail = (why: string): Error => new Error(`line ${i + 1}: ${why}: ${line}`);
    const content = line.trim();
    if (content === '' || content.startsWith('#')) return;
    const heading = /^(\[\[?)([^[\]]+)(\]\]?)\s*(?:#.*)?$/.exec(content);
    if (heading !== null) {
      if (heading[1].length !== heading[3].length) throw fail('no heading');
      table = opened(root, keysOf(heading[2], fail), heading[1] === '[[', fail);
      return;
    }
    const [key, rest] = cut(content, fail);
    const reader = new Reader(rest, fail);
    assign(table, keysOf(key, fail), reader.value(), fail);
    reader.end();
  });
  return root;
}

type Fail = (why: string) => Error;

function cut(content: string, fail: Fail): [string, string] {
  const at = content.indexOf('=');
  if (at < 0) throw fail('no key with a value');
  return [content.slice(0, at), content.slice(at + 1)];
}

const keysOf = (path: string, fail: Fail): string[] =>
  path
    .trim()
    .split('.')
    .map((key) => {
      const bare = /^\s*(?:"([^"\\]*)"|([\w-]+))\s*$/.exec(key);
      if (bare === null) throw fail(`'${key}' is no key`);
      return bare[1] ?? bare[2];
    });

function opened(root: Table, path: readonly string[], isArray: boolean, fail: Fail): Table {
  const table = path.slice(0, -1).reduce<Table>((at, key) => {
    const inner = (at[key] ??= {});
    return (Array.isArray(inner) ? (inner as unknown[]).at(-1) : inner) as Table;
  }, root);
  const last = path[path.length - 1];
  if (isArray) {
    const list = (table[last] ??= []) as Table[];
    if (!Array.isArray(list)) throw fail(`'${last}' is no array of tables`);
    list.push({});
    return list[list.length - 1];
  }
  const found = (table[last] ??= {});
  if (typeof found !== 'object' || Array.isArray(found)) throw fail(`'${last}' is no table`);
  return found as Table;
}

function assign(table: Table, path: readonly string[], value: unknown, fail: Fail): void {
  const inner = path.length > 1 ? opened(table, path.slice(0, -1), false, fail) : table;
  const last = path[path.length - 1];
  if (Object.hasOwn(inner, last)) throw fail(`'${last}' is there twice`);
  inner[last] = value;
}

class Reader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly fail: Fail,
  ) {}

  value(): unknown {
    const literal = this.take(/(true|false)\b|(-?\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*")|'([^']*)'/y);
    if (literal !== undefined) {
      const [, boolean, digits, quoted, raw] = literal;
      if (boolean !== undefined) return boolean === 'true';
      if (digits !== undefined) return Number(digits);
      return quoted === undefined ? raw : (JSON.parse(quoted) as string);
    }
    if (this.take(/\[/y) !== undefined) return this.list(']', () => this.value());
    if (this.take(/\{/y) === undefined) throw this.fail('no value');
    const table: Table = {};
    this.list('}', () => {
      const key = this.take(/([\w.-]+)\s*=/y);
      if (key === undefined) throw this.fail('no key');
      assign(table, keysOf(key[1], this.fail), this.value(), this.fail);
    });
    return table;
  }

  end(): void {
    this.take(/#.*/y);
    if (this.text.slice(this.at).trim() !== '') throw this.fail('more than a value');
  }

  private list<T>(close: string, item: () => T): T[] {
    const found: T[] = [];
    while (this.take(close === ']' ? /\]/y : /\}/y) === undefined) {
      found.push(item());
      if (this.take(/,/y) === undefined && this.text.slice(this.at).trimStart()[0] !== close)
        throw this.fail(`no '${close}'`);
    }
    return found;
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    this.at += /^\s*/.exec(this.text.slice(this.at))![0].length;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }
}
