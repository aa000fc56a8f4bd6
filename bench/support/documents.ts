import { readFileSync } from 'node:fs';
import { Document } from '../../server/src/workspace/document.js';
import { languageForPath } from '../../server/src/workspace/registry.js';
import { defaultSettings, type Settings } from '../../server/src/workspace/settings.js';

/** A document as the server would hold it; faults end the benchmark. */
export function open(
  path: string,
  text = readFileSync(path, 'utf8'),
  settings: Settings = defaultSettings,
): Document {
  const pair = languageForPath(path.replace(/\.s$/, '.ptx'));
  if (pair === undefined) throw new Error(`no language for ${path}`);
  return Document.open(`file://${path}`, pair, 1, text, settings, (error) => {
    throw error;
  });
}

/** Everything that an edit can make the server compute for a document: problems of all units, all compilations. */
export function analyse(document: Document): { problems: number; instructions: number; functions: number } {
  let problems = 0;
  let instructions = 0;
  let functions = 0;
  for (const unit of document.units) {
    problems += unit.parsed.problems.length + unit.bound.problems.length;
    const compilation = unit.compilation;
    if (compilation === undefined) continue;
    problems += compilation.problems.length;
    instructions += compilation.source.instructionCount;
    functions++;
  }
  return { problems, instructions, functions };
}
