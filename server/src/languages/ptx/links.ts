import type { Environment, Link } from '../language.js';
import type { PtxBound } from './bind/index.js';
import { factOf, fileName } from './declarations.js';
import type { Block, LocDirective, ModuleItem } from './tree.js';

/** Links of `.file` to the source, and of `.loc` to its line, by the `.file` that has the index. */
export function links(bound: PtxBound, environment: Environment): readonly Link[] {
  const found: Link[] = [];
  const paths = new Map<number, string | undefined>();
  const pathOf = (file: number): string | undefined => {
    if (!paths.has(file)) paths.set(file, findPath(file, bound, environment));
    return paths.get(file);
  };
  for (const item of bound.parsed.items) {
    if (item.kind === 'file' && item.path !== '')
      found.push({ span: spanOf(item.pathSpan), path: item.path });
    else if (item.kind === 'loc') addLocation(found, item, pathOf);
    else if (item.kind === 'function' && item.body !== undefined) inBlock(found, item.body, pathOf);
  }
  return found;
}

const spanOf = (s: { readonly start: number; readonly end: number }): Link['span'] => ({
  start: s.start,
  end: s.end,
});

type PathOf = (file: number) => string | undefined;

function inBlock(found: Link[], body: Block, pathOf: PathOf): void {
  const open: Block[] = [body];
  for (let block = open.pop(); block !== undefined; block = open.pop())
    for (const statement of block.statements)
      if (statement.kind === 'block') open.push(statement);
      else if (statement.kind === 'loc') addLocation(found, statement, pathOf);
}

function addLocation(found: Link[], loc: LocDirective, pathOf: PathOf): void {
  const path = pathOf(loc.file);
  if (path !== undefined) found.push({ span: spanOf(loc), path, ...(loc.line > 0 && { line: loc.line }) });
}

/** nvcc writes its `.file` directives behind the functions that use them. */
function findPath(file: number, bound: PtxBound, environment: Environment): string | undefined {
  const own = bound.parsed.items.find(
    (item: ModuleItem) => item.kind === 'file' && item.index === file && item.path !== '',
  );
  if (own?.kind === 'file') return own.path;
  const name = fileName(file);
  const declaration = environment.earlier(name).at(0) ?? environment.later(name).at(0);
  if (declaration === undefined) return undefined;
  const fact = factOf(declaration);
  return fact.kind === 'header' ? fact.values.at(0) : undefined;
}
