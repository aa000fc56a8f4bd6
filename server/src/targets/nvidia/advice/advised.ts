import type { Compilation } from '../../target.js';
import type { MachineCode } from '../code/code.js';

/** What advice is given about: a compilation before its problems are known. */
export interface Advised extends Omit<Compilation, 'problems'> {
  readonly code: MachineCode;
}
