/** What an operation does, for hovers, completion and signature help. */
export interface OperationReference {
  readonly name: string;
  readonly category: string;
  /** Names of its sources, in the order of the text. */
  readonly sources: readonly string[];
  /** What stands in front of the sources; '' for nothing. */
  readonly result: string;
  /** As a formula over its sources, or in a few words. */
  readonly computes: string;
  readonly text: string;
}

export type Operations = ReadonlyMap<string, OperationReference>;

/** Operations of one category: `name | sources | what it computes | more`, one line each. */
export type Table = readonly [category: string, rows: string, result?: string];

/** By name; read from the tables when something first asks for it. */
export function operationsOf(tables: readonly Table[]): () => Operations {
  let operations: Operations | undefined;
  return () => (operations ??= new Map(tables.flatMap(read)));
}

function read([category, rows, result = 'dst']: Table): [string, OperationReference][] {
  const found: [string, OperationReference][] = [];
  for (const row of rows.split('\n')) {
    const [name, sources = '', computes = '', text = ''] = row.split('|').map((part) => part.trim());
    if (name === '') continue;
    found.push([
      name,
      {
        name,
        category,
        sources: sources === '' ? [] : sources.split(' '),
        result,
        computes: computes.replaceAll('¦', '|'),
        text: text.replaceAll('¦', '|'),
      },
    ]);
  }
  return found;
}
