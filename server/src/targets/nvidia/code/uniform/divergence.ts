import { InstructionFlag, OperandFlag, type Function } from '../../../../ir/function.js';
import type { Cfg } from '../../../../passes/cfg.js';
import { isDefinition, kills, type Occurrences } from '../../../../passes/occurrences.js';
import { postDominators } from '../../../../passes/post-dominators.js';
import { datapathsOf, isSameInAllLanes } from './datapath.js';

/**
 * Divergence analysis (Karrenberg and Hack, "Whole-function vectorization", CGO 2011; Rosemann, Moll and Hack, "An
 * abstract interpretation for SPMD divergence on reducible control flow graphs", POPL 2021): which registers hold one
 * value in all lanes that run an instruction. A value differs where an operand does, or where lanes that took different ways at a branch bring
 * different definitions of it together.
 *
 * A definition between a branch at which lanes part and the place where they meet again (its immediate postdominator)
 * counts as differing unless the register occurs nowhere else; so does a counter of a loop that lanes leave at
 * different times, as in ptxas 13.0 (probes: `for (i = tid; ...)` beside a counter from zero). Lanes that leave the
 * function do not come back: guards in front of the body cost nothing.
 */
export function divergentRegisters(f: Function, cfg: Cfg, occurrences: Occurrences): Uint8Array {
  return new Divergence(f, cfg, occurrences).solve();
}

/** Blocks that all regions between branches and their joins may have together, for each block of the function. */
const MOST_VISITS = 32;

class Divergence {
  private readonly isDivergent: Uint8Array;
  private readonly work: number[] = [];
  private readonly isDivergentBranch: Uint8Array;
  private readonly join: Int32Array;
  private readonly definitions: Uint8Array;
  private readonly stamp: Int32Array;
  private readonly countStamp: Int32Array;
  private visits: number;

  constructor(
    private readonly f: Function,
    private readonly cfg: Cfg,
    private readonly occurrences: Occurrences,
  ) {
    this.isDivergent = new Uint8Array(f.registerCount);
    this.isDivergentBranch = new Uint8Array(f.blockCount);
    this.join = postDominators(f);
    this.stamp = new Int32Array(f.blockCount).fill(-1);
    this.countStamp = new Int32Array(f.registerCount).fill(-1);
    this.definitions = new Uint8Array(f.registerCount);
    this.visits = MOST_VISITS * f.blockCount + 4096;
    for (let o = 0; o < f.operandPlace.length; o++) {
      const r = f.operandPlace[o];
      if (r >= 0 && isDefinition(f, o) && this.definitions[r] < 2) this.definitions[r]++;
    }
  }

  solve(): Uint8Array {
    const { f, occurrences, work } = this;
    const datapath = datapathsOf(f.opcodes);
    for (let i = 0; i < f.instructionCount; i++) {
      const { isPure, isSharedLoad } = datapath(f.opcode[i]);
      const isSource = isPure || isSharedLoad || this.isEntry(i);
      if (!isSource || this.hasLaneDependentSource(i)) this.markResults(i);
    }
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      for (let k = occurrences.start[next]; k < occurrences.start[next + 1]; k++) {
        const i = occurrences.instruction[k];
        if (
          isDefinition(f, occurrences.operand[k]) &&
          (f.operandFlags[occurrences.operand[k]] & OperandFlag.Use) === 0
        )
          continue;
        if ((f.instructionFlags[i] & InstructionFlag.Branch) !== 0) this.part(occurrences.blockOf[i]);
        else if ((f.operandFlags[occurrences.operand[k]] & OperandFlag.Guard) !== 0) this.markMerged(i);
        else this.markResults(i);
      }
    }
    return this.isDivergent;
  }

  private isEntry(i: number): boolean {
    return this.f.isEntry && (this.f.instructionFlags[i] & InstructionFlag.Entry) !== 0;
  }

  private hasLaneDependentSource(i: number): boolean {
    const { f } = this;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const place = f.operandPlace[o];
      if (place < 0 && !isDefinition(f, o) && !isSameInAllLanes(f, o)) return true;
    }
    return false;
  }

  private markResults(i: number): void {
    const { f } = this;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (f.operandPlace[o] >= 0 && isDefinition(f, o)) this.mark(f.operandPlace[o]);
  }

  /** Results of an instruction that lanes disagree to run, where the old value may be read too. */
  private markMerged(i: number): void {
    const { f } = this;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (f.operandPlace[o] >= 0 && isDefinition(f, o) && !kills(f, o)) this.mark(f.operandPlace[o]);
  }

  private mark(r: number): void {
    if (this.isDivergent[r] !== 0) return;
    this.isDivergent[r] = 1;
    this.work.push(r);
  }

  /** Lanes part at the end of the block. */
  private part(block: number): void {
    if (this.isDivergentBranch[block] !== 0) return;
    this.isDivergentBranch[block] = 1;
    const join = this.join[block];
    if (join < 0 || this.onlyReturns(join)) return;
    const { f, cfg, stamp } = this;
    const region: number[] = [];
    for (let e = cfg.successorStart[block]; e < cfg.successorStart[block + 1]; e++)
      this.enter(cfg.successors[e], block, join, region);
    for (let k = 0; k < region.length; k++) {
      const b = region[k];
      for (let e = cfg.successorStart[b]; e < cfg.successorStart[b + 1]; e++)
        this.enter(cfg.successors[e], block, join, region);
    }
    this.visits -= region.length;
    if (this.visits < 0) {
      // too much control flow to follow: no register with several definitions is trusted
      for (let r = 0; r < f.registerCount; r++) if (this.definitions[r] > 1) this.mark(r);
      return;
    }
    for (const b of region) {
      for (let o = f.operandStart[f.blockStart[b]]; o < f.operandStart[f.blockStart[b + 1]]; o++) {
        const r = f.operandPlace[o];
        if (r < 0 || this.definitions[r] < 2 || this.isDivergent[r] !== 0 || !isDefinition(f, o)) continue;
        if (this.countStamp[r] === block) continue;
        this.countStamp[r] = block;
        if (this.occursOutside(r, stamp, block)) this.mark(r);
      }
    }
  }

  private enter(to: number, branch: number, join: number, region: number[]): void {
    if (to === join || this.stamp[to] === branch) return;
    this.stamp[to] = branch;
    region.push(to);
  }

  private occursOutside(r: number, stamp: Int32Array, branch: number): boolean {
    const { start, instruction, blockOf } = this.occurrences;
    for (let k = start[r]; k < start[r + 1]; k++) if (stamp[blockOf[instruction[k]]] !== branch) return true;
    return false;
  }

  private onlyReturns(block: number): boolean {
    const { f } = this;
    const first = f.blockStart[block];
    return f.successorStart[block] === f.successorStart[block + 1] && f.blockStart[block + 1] - first <= 1;
  }
}
