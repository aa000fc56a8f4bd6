import type { Diagnostic } from '../features/data.js';
import type { Severity } from '../text/problem.js';
import type { Input } from './inputs.js';

/** A file with its problems in text order. */
export interface CheckedFile {
  readonly path: string;
  readonly input: Input;
  readonly items: readonly Diagnostic[];
}

export const countOf = (files: readonly CheckedFile[], severity: Severity): number =>
  files.reduce((sum, { items }) => sum + items.filter((item) => item.severity === severity).length, 0);
