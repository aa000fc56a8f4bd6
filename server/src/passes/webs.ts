import type { Function } from '../ir/function.js';
import type { ReachingDefinitions } from './reaching.js';

/**
 * Webs (Muchnick, "Advanced Compiler Design and Implementation", 16.3.3): definitions and uses that must share a
 * register because one reaches the other. A register that a text reuses for unrelated values falls into several
 * webs, and each may live somewhere else.
 */
export interface Webs {
  readonly count: number;
  /** Web of each operand that is a virtual register, by operand number; -1 for the others. Numbered in text order. */
  readonly ofOperand: Int32Array;
}

/** Nearly linear: union-find over the nodes of the reaching definitions. */
export function websOf(f: Function, reaching: ReachingDefinitions): Webs {
  const operands = f.operandStart[f.instructionCount];
  const nodes = reaching.definition.length;
  // nodes first, then operands that nothing reaches
  const parent = new Int32Array(nodes + operands);
  for (let n = 0; n < parent.length; n++) parent[n] = n;
  const find = (n: number): number => {
    while (parent[n] !== n) n = parent[n] = parent[parent[n]];
    return n;
  };
  const join = (a: number, b: number): void => {
    parent[find(a)] = find(b);
  };
  for (let n = 0; n < nodes; n++)
    for (let k = reaching.inputStart[n]; k < reaching.inputStart[n + 1]; k++) join(n, reaching.inputs[k]);
  const nodeOf = new Int32Array(operands);
  for (let o = 0; o < operands; o++) {
    const used = reaching.nodeOfUse[o];
    const defined = reaching.nodeOfDefinition[o];
    if (used >= 0 && defined >= 0) join(used, defined);
    nodeOf[o] = defined >= 0 ? defined : used >= 0 ? used : nodes + o;
  }
  const numberOf = new Int32Array(nodes + operands).fill(-1);
  const ofOperand = new Int32Array(operands).fill(-1);
  let count = 0;
  for (let o = 0; o < operands; o++) {
    if (f.operandPlace[o] < 0) continue;
    const root = find(nodeOf[o]);
    if (numberOf[root] < 0) numberOf[root] = count++;
    ofOperand[o] = numberOf[root];
  }
  return { count, ofOperand };
}
