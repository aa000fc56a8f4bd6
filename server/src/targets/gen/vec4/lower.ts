import type { Program } from '../program.js';
import { coalesce } from './coalesce.js';
import { lowerMerges } from './lower-merge.js';
import { lowerReads } from './lower-reads.js';

/** What comes before the allocation of SIMD4x2 programs: reads and merges become instructions, moves disappear. */
export const lowerVec4 = (program: Program): Program =>
  program.dialect === 'vec4' ? coalesce(lowerMerges(lowerReads(program))) : program;
