import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { corpus } from '../../test/support/corpus.js';

/** What a folder of the corpus holds, for who has none yet. */
const contents: Readonly<Record<'ptx' | 'gpir' | 'gen', string>> = {
  ptx: 'ptx/generated and ptx/dev, kernels (*.ptx) with what ptxas reports for them (ptxas.tsv)',
  gpir: 'gpir, programs (*.gpir) with the words that the reference compiler needs (counts.tsv)',
  gen: 'gen, dumps of a reference compiler with what it reports of them (*.txt, *.meta.json, stats.tsv)',
};

/** The folder of a language's reference inputs; where it is absent, what is needed is told. */
export function referenceInputs(bench: string, language: 'ptx' | 'gpir' | 'gen'): string | undefined {
  const folder = corpus === undefined ? undefined : join(corpus, language);
  if (folder !== undefined && existsSync(folder)) return folder;
  console.log(
    `${bench}: reference inputs are absent; SPILLWAY_CORPUS must name a folder with ${contents[language]}`,
  );
  return undefined;
}
