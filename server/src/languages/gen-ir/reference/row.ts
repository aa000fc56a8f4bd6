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

/** `name | sources | what it computes | more`; one line an operation. */
export function table(
  into: Map<string, OperationReference>,
  category: string,
  rows: string,
  result = 'dst',
): void {
  for (const row of rows.split('\n')) {
    const [name, sources = '', computes = '', text = ''] = row.split('|').map((part) => part.trim());
    if (name === '') continue;
    into.set(name, {
      name,
      category,
      sources: sources === '' ? [] : sources.split(' '),
      result,
      computes: computes.replaceAll('¦', '|'),
      text: text.replaceAll('¦', '|'),
    });
  }
}
