/** Options of a search: `--name value`; the seed is printed first, so that what was found can be had again. */
const given = new Map<string, string>();
for (let i = 2; i + 1 < process.argv.length; i += 2)
  given.set(process.argv[i].replace(/^--/, ''), process.argv[i + 1]);

export const option = (name: string, usual: string): string => given.get(name) ?? usual;
export const numberOption = (name: string, usual: number): number => Number(given.get(name) ?? usual);

export const seed = numberOption('seed', Date.now() % 1_000_000_000);

/** Times the usual length of the search. */
export const times = numberOption('times', 1);
