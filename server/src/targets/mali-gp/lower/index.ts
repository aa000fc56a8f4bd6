/**
 * From the source function to the graphs that are scheduled, in this order: build.ts (one graph a block, in the
 * machine's operations, simplified as they are made), signs.ts (who negates).
 */
import type { Function } from '../../../ir/function.js';
import type { Problem } from '../../../text/problem.js';
import type { Program } from '../graph.js';
import { build } from './build.js';
import { settleSigns } from './signs.js';

export interface Lowered {
  readonly program: Program;
  readonly problems: readonly Problem[];
}

export function lower(f: Function): Lowered {
  const { draft, problems } = build(f);
  return { program: settleSigns(draft), problems };
}
