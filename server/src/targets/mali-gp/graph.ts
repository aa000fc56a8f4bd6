/**
 * A program between lowering and scheduling: for each block a graph of operations, what is stored, and the branch
 * at its end.
 *
 * Loads are no nodes: an input that is a constant, uniform, attribute, register or temporary is a `Leaf`, loaded
 * again wherever it is read, because a read port costs no arithmetic unit. Stores are no nodes either: a store
 * takes its value from the unit that computes it, in the same word.
 *
 * Invariants, which every pass keeps:
 * - a register or temporary is stored at most once a block;
 * - a leaf with `stored: false` means its value at the block's start, so it is read no later than the word that
 *   stores it; with `stored: true` the value that this block stores, read at least 3 (register) or 4 (temporary)
 *   words after the store;
 * - a value never leaves its block but by a register or temporary (nothing is in flight at a block's start);
 * - only inputs that the operation can negate (`operations`) are negated; stores and branches negate nothing.
 */
import type { Op } from './operations.js';

export type Leaf =
  | { readonly kind: 'constant'; readonly value: number }
  | {
      readonly kind: 'uniform';
      readonly vector: number;
      readonly component: number;
      /** What an earlier block put into this address register is added to `vector`. */
      readonly address?: AddressRegister;
    }
  | { readonly kind: 'attribute'; readonly vector: number; readonly component: number }
  /** A cross-block register: number in `Program.registers`. */
  | { readonly kind: 'register'; readonly register: number; readonly stored: boolean }
  | {
      readonly kind: 'temporary';
      readonly vector: number;
      readonly component: number;
      readonly stored: boolean;
    };

/**
 * `addr1` to `addr3` of the machine, whose contents the uniform port can add to its address. They keep them from block
 * to block. That the machine has them, that COMPLEX writes them and that they are read 4 words later at the earliest, is
 * known from the public source of Mesa's lima compiler, which does not use them; nothing here was measured.
 */
export type AddressRegister = 1 | 2 | 3;

/** A result of a node of the same block, by its id. */
export interface Result {
  readonly kind: 'node';
  readonly node: number;
}

export type Value = Leaf | Result;

export type Input = Value & { readonly negate: boolean };

export interface Node {
  /** Unique in the program; index in `Program.nodes`. Passes keep it. */
  readonly id: number;
  readonly op: Op;
  readonly inputs: readonly Input[];
  /** The source instruction that it computes, or a part of it. */
  readonly instruction: number;
}

export type StorePlace =
  | { readonly kind: 'varying'; readonly vector: number; readonly component: number }
  | { readonly kind: 'register'; readonly register: number }
  | { readonly kind: 'temporary'; readonly vector: number; readonly component: number }
  /**
   * An address register, for later blocks: the block itself reads none that it sets. What is stored is a whole number,
   * in vectors. It is no store of the machine, but an operation of COMPLEX (`load_addr`) that reads the value, at
   * least 4 words before the block's end, its own counted.
   */
  | { readonly kind: 'address'; readonly vector: AddressRegister; readonly component: 0 };

export interface Store {
  readonly to: StorePlace;
  readonly value: Value;
  /** The source instruction that stores it or, for a store that a pass inserted, the one that computes the value. */
  readonly instruction: number;
  /** Set where the source has no such store. */
  readonly inserted?: 'crossesBlocks' | 'spill';
}

export interface Branch {
  /** Taken if it is not 0; absent: always. */
  readonly condition?: Value;
  /** Number of the block it goes to. */
  readonly target: number;
  readonly instruction: number;
}

export interface Block {
  readonly label: string;
  /** Ids of its nodes, each before the ones that read it. */
  readonly nodes: readonly number[];
  readonly stores: readonly Store[];
  /** Without one, or when it is not taken, execution goes on with the next block; after the last one it ends. */
  readonly branch?: Branch;
  /** Blocks of the source function whose code it holds, in order. */
  readonly sources: readonly number[];
}

/** A scalar that keeps a value from block to block. */
export interface Register {
  /** As the source writes it (`@acc`, `$3.x`), or the name of the value that it carries (`%v`). */
  readonly name: string;
  /** Virtual register of the source, or -1 for a physical one of the text. */
  readonly virtual: number;
  /** Place that the source gives it, `4 * vector + component`, or -1. */
  readonly fixed: number;
  /** Handed over at the start, or still wanted at the end (`.live_out`). */
  readonly isLiveIn: boolean;
  readonly isLiveOut: boolean;
}

/** What became of a value of the source. */
export type Fate =
  | { readonly kind: 'node'; readonly node: number }
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
  /** Its only work was done by its users: a negation, a comparison turned round. */
  | { readonly kind: 'folded' }
  | { readonly kind: 'dead' };

export interface Program {
  readonly name: string;
  readonly blocks: readonly Block[];
  /** By id; a node that no block lists is dead. */
  readonly nodes: readonly Node[];
  readonly registers: readonly Register[];
  /** Uniform vectors that belong to the program: those that it reads or declares. */
  readonly uniforms: number;
  /** By virtual register of the source function. */
  readonly fates: readonly Fate[];
}

/** Physical registers: 16 vectors of 4 components. */
export const REGISTER_COMPONENTS = 64;

/** What the scheduler is told of a block's surroundings. */
export interface BlockTask {
  readonly program: Program;
  readonly block: Block;
  /**
   * Place of each cross-block register, `4 * vector + component`, by its number; -1 where no code touches it. A
   * register that is last read in the block may share its place with one that the block stores: reads of what a
   * place holds at the block's start come no later than the word that stores to the place, whichever register it is for.
   */
  readonly places: ArrayLike<number>;
  /** By place: 1 where a value waits at the block's start that this block or a later one reads. */
  readonly liveIn: Uint8Array;
  /** By place: 1 where a later block reads what is there at this block's end. */
  readonly liveOut: Uint8Array;
  /**
   * Pairs of node ids: the first must not be placed in a later word than the second. From value allocation:
   * any schedule that respects them fits the registers. Ours keeps a bound of its own (schedule/pressure.ts) and gains
   * nothing from them, so that they serve tests and other schedulers.
   */
  readonly order?: readonly (readonly [number, number])[];
}
