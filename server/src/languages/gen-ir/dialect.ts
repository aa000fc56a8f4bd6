import type { BoundUnit, Language, ParsedUnit } from '../language.js';

/**
 * One of the formats that a Gen file is written in: everything of a language but its name and where its units end.
 * Each unit is of one form, which its text alone decides (split.ts); `index.ts` asks the form's own functions.
 */
export type Form<P extends ParsedUnit, B extends BoundUnit> = Omit<
  Language<P, B>,
  'id' | 'name' | 'extensions' | 'settings' | 'classes' | 'unitEnd' | 'resolveCompletion'
>;
