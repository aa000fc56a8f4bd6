import type { Function } from '../ir/function.js';
import { blockOf as blockOfInstruction } from '../ir/function.js';
import type { Cfg } from './cfg.js';
import { isLiveAtEntry, type Liveness } from './liveness.js';
import { isDefinition, isUse, kills, occurrencesOf, type Occurrences } from './occurrences.js';

/**
 * Reaching definitions for registers that are assigned many times. The whole-function form is a factored chain
 * (Choi, Cytron, Ferrante, "Automatic construction of sparse data flow evaluation graphs", POPL 1991): a node is
 * one definition with the node before it (absent when the definition kills), or a merge of the nodes of several
 * predecessors. Its size is linear where lists of definitions for every use would be quadratic, as in a row of
 * predicated moves to one register.
 */
export interface ReachingDefinitions {
  /** By operand number: for a use, the node that reaches it, -1 where no definition does and for other operands. */
  readonly nodeOfUse: Int32Array;
  /** By operand number: for a definition, its own node, else -1. */
  readonly nodeOfDefinition: Int32Array;
  /** By node: the operand that defines, or -1 for a merge. */
  readonly definition: Int32Array;
  /** `inputs[inputStart[n] .. inputStart[n + 1]]`: what else reaches through node n. */
  readonly inputStart: Int32Array;
  readonly inputs: Int32Array;
}

/** Operand numbers of all definitions that reach the use, ascending. Costs the nodes between them. */
export function definitionsOfUse(reaching: ReachingDefinitions, use: number): number[] {
  const found: number[] = [];
  const first = reaching.nodeOfUse[use];
  if (first < 0) return found;
  const seen = new Set([first]);
  for (const node of seen) {
    if (reaching.definition[node] >= 0) found.push(reaching.definition[node]);
    for (let k = reaching.inputStart[node]; k < reaching.inputStart[node + 1]; k++)
      seen.add(reaching.inputs[k]);
  }
  return found.sort((a, b) => a - b);
}

/** The definition that alone reaches the use, or -1. Stops at the second one it meets. */
export function soleDefinition(reaching: ReachingDefinitions, use: number): number {
  const first = reaching.nodeOfUse[use];
  if (first < 0) return -1;
  let sole = -1;
  const seen = new Set([first]);
  for (const node of seen) {
    const definition = reaching.definition[node];
    if (definition >= 0 && sole >= 0 && definition !== sole) return -1;
    if (definition >= 0) sole = definition;
    for (let k = reaching.inputStart[node]; k < reaching.inputStart[node + 1]; k++)
      seen.add(reaching.inputs[k]);
  }
  return sole;
}

/** For the whole function. Time: the blocks that are live through, once for each register at most. */
export function reachingDefinitions(f: Function, cfg: Cfg, liveness: Liveness): ReachingDefinitions {
  return new ChainBuilder(f, cfg, liveness).build();
}

const UNKNOWN = -2;

class ChainBuilder {
  private readonly nodeOfUse: Int32Array;
  private readonly nodeOfDefinition: Int32Array;
  private readonly definition: number[] = [];
  private readonly nodeInputs: (number | readonly number[] | undefined)[] = [];
  /** Of the register at hand, by block: node at the entry, node of the last definition inside; `UNKNOWN` unless asked. */
  private readonly atEntry: Int32Array;
  private readonly lastInside: Int32Array;
  private readonly touched: number[] = [];
  private readonly merges: number[] = [];

  constructor(
    private readonly f: Function,
    private readonly cfg: Cfg,
    private readonly liveness: Liveness,
  ) {
    const operands = f.operandStart[f.instructionCount];
    this.nodeOfUse = new Int32Array(operands).fill(-1);
    this.nodeOfDefinition = new Int32Array(operands).fill(-1);
    this.atEntry = new Int32Array(cfg.blockCount).fill(UNKNOWN);
    this.lastInside = new Int32Array(cfg.blockCount).fill(UNKNOWN);
  }

  build(): ReachingDefinitions {
    for (let r = 0; r < this.f.registerCount; r++) {
      this.reserveDefinitions(r);
      this.linkOccurrences(r);
      this.linkMerges(r);
      for (const block of this.touched) this.atEntry[block] = this.lastInside[block] = UNKNOWN;
      this.touched.length = 0;
    }
    const inputStart = new Int32Array(this.definition.length + 1);
    const inputs: number[] = [];
    this.nodeInputs.forEach((list, n) => {
      if (typeof list === 'number') inputs.push(list);
      else if (list !== undefined) for (const node of list) inputs.push(node);
      inputStart[n + 1] = inputs.length;
    });
    return {
      nodeOfUse: this.nodeOfUse,
      nodeOfDefinition: this.nodeOfDefinition,
      definition: Int32Array.from(this.definition),
      inputStart,
      inputs: Int32Array.from(inputs),
    };
  }

  private node(definition: number): number {
    this.definition.push(definition);
    this.nodeInputs.push(undefined);
    return this.definition.length - 1;
  }

  /** Nodes for all definitions first, so that what leaves each block is known before anything asks. */
  private reserveDefinitions(register: number): void {
    const { start, operand, instruction, blockOf } = this.liveness.occurrences;
    for (let k = start[register]; k < start[register + 1]; k++) {
      if (!isDefinition(this.f, operand[k])) continue;
      const block = blockOf[instruction[k]];
      const node = this.node(operand[k]);
      this.nodeOfDefinition[operand[k]] = node;
      this.lastInside[block] = node;
      this.touched.push(block);
    }
  }

  private linkOccurrences(register: number): void {
    const { start, operand, instruction, blockOf } = this.liveness.occurrences;
    const end = start[register + 1];
    let block = -1;
    let current = UNKNOWN;
    for (let k = start[register]; k < end;) {
      const at = instruction[k];
      const first = k;
      if (blockOf[at] !== block) {
        block = blockOf[at];
        current = UNKNOWN;
      }
      const reaching = (): number =>
        current === UNKNOWN ? (current = this.entry(register, block)) : current;
      for (; k < end && instruction[k] === at; k++)
        if (isUse(this.f, operand[k])) this.nodeOfUse[operand[k]] = reaching();
      for (let d = first; d < k; d++) {
        if (!isDefinition(this.f, operand[d])) continue;
        const node = this.nodeOfDefinition[operand[d]];
        if (!kills(this.f, operand[d]) && reaching() >= 0) this.nodeInputs[node] = reaching();
        current = node;
      }
    }
  }

  /** The node at a block's entry: that of the only predecessor, followed upwards, or a merge. */
  private entry(register: number, block: number): number {
    const { predecessorStart, predecessors } = this.cfg;
    const walked: number[] = [];
    let found = UNKNOWN;
    for (let b = block; ;) {
      if (this.atEntry[b] !== UNKNOWN) {
        found = this.atEntry[b];
        break;
      }
      if (!isLiveAtEntry(this.liveness, register, b)) {
        found = -1;
        break;
      }
      walked.push(b);
      if (b === 0 || predecessorStart[b + 1] - predecessorStart[b] !== 1) {
        found = this.node(-1);
        this.merges.push(b);
        break;
      }
      b = predecessors[predecessorStart[b]];
      if (this.lastInside[b] !== UNKNOWN) {
        found = this.lastInside[b];
        break;
      }
    }
    for (const b of walked) {
      this.atEntry[b] = found;
      this.touched.push(b);
    }
    return found;
  }

  private linkMerges(register: number): void {
    const { predecessorStart, predecessors } = this.cfg;
    while (this.merges.length > 0) {
      const block = this.merges.pop()!;
      const merge = this.atEntry[block];
      const inputs = new Set<number>();
      for (let e = predecessorStart[block]; e < predecessorStart[block + 1]; e++) {
        const from = predecessors[e];
        const inside = this.lastInside[from];
        const node = inside !== UNKNOWN ? inside : this.entry(register, from);
        if (node >= 0 && node !== merge) inputs.add(node);
      }
      this.nodeInputs[merge] = [...inputs];
    }
  }
}

/**
 * Operand numbers of the definitions of `register` that may reach the read of `instruction`, ascending: what hover
 * and go-to-definition ask of one place. It looks at the register's own mentions, then at the blocks between.
 */
export function definitionsReaching(
  f: Function,
  cfg: Cfg,
  instruction: number,
  register: number,
  occurrences: Occurrences = occurrencesOf(f),
): number[] {
  const definitions: number[] = [];
  const home: number[] = [];
  const last = new Map<number, number>();
  for (let k = occurrences.start[register]; k < occurrences.start[register + 1]; k++) {
    if (!isDefinition(f, occurrences.operand[k])) continue;
    last.set(occurrences.blockOf[occurrences.instruction[k]], definitions.length);
    definitions.push(occurrences.operand[k]);
    home.push(occurrences.instruction[k]);
  }
  const found = new Set<number>();
  /** Collects definitions of one block from number `n` upwards; true when one of them kills. */
  const collect = (n: number, blockStart: number): boolean => {
    for (; n >= 0 && home[n] >= blockStart; n--) {
      found.add(definitions[n]);
      if (kills(f, definitions[n])) return true;
    }
    return false;
  };
  const block = blockOfInstruction(f, instruction);
  let before = definitions.length - 1;
  while (before >= 0 && home[before] >= instruction) before--;
  const seen = new Set<number>();
  if (!collect(before, f.blockStart[block])) seen.add(block);
  const pending = [...seen];
  seen.clear();
  while (pending.length > 0) {
    const to = pending.pop()!;
    for (let e = cfg.predecessorStart[to]; e < cfg.predecessorStart[to + 1]; e++) {
      const from = cfg.predecessors[e];
      if (seen.has(from)) continue;
      seen.add(from);
      if (!collect(last.get(from) ?? -1, f.blockStart[from])) pending.push(from);
    }
  }
  return [...found].sort((a, b) => a - b);
}
