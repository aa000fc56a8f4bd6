import { genIr } from '../languages/gen-ir/index.js';
import { gpir } from '../languages/gpir/index.js';
import { ptx } from '../languages/ptx/index.js';
import type { Language } from '../languages/language.js';
import { gen } from '../targets/gen/index.js';
import { maliGp } from '../targets/mali-gp/index.js';
import { nvidia } from '../targets/nvidia/index.js';
import type { Target } from '../targets/target.js';

/** A language with the machine that its programs are compiled for. */
export interface Pair {
  readonly language: Language;
  readonly target: Target;
}

/** Everything that Spillway knows: one line a language. */
export const registry: readonly Pair[] = [
  { language: ptx, target: nvidia },
  { language: gpir, target: maliGp },
  { language: genIr, target: gen },
];

/** The pair whose language owns the file's extension, or undefined. Extensions compare without case. */
export function languageForPath(path: string, pairs: readonly Pair[] = registry): Pair | undefined {
  const name = path.toLowerCase();
  return pairs.find(({ language }) => language.extensions.some((extension) => name.endsWith(extension)));
}

export const languageForId = (id: string, pairs: readonly Pair[] = registry): Pair | undefined =>
  pairs.find(({ language }) => language.id === id);
