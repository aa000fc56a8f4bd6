/**
 * The compiled program: instruction words of the Mali-400 geometry processor, in the order of execution. What a
 * word may hold, and which distances a read may have, stands in rules.ts; the machine-readable form in listing-json.ts.
 */

/** The arithmetic units. All read at once, and a result is there for the next words and for a store of the same word. */
export const enum Unit {
  Mul0,
  Mul1,
  Add0,
  Add1,
  Pass,
  Complex,
}

export const unitNames = ['mul0', 'mul1', 'add0', 'add1', 'pass', 'complex'] as const;
export const UNITS = 6;

export type UnitOperation =
  | 'mul'
  | 'mov'
  | 'neg'
  | 'complex1'
  | 'complex2'
  | 'select'
  | 'add'
  | 'ge'
  | 'lt'
  | 'min'
  | 'max'
  | 'floor'
  | 'sign'
  | 'preexp2'
  | 'postlog2'
  | 'rcp_impl'
  | 'rsqrt_impl'
  | 'exp2_impl'
  | 'log2_impl'
  | 'store_addr'
  | 'load_addr1'
  | 'load_addr2'
  | 'load_addr3';

/** Where an operand comes from, in encoded order of the unit. */
export type Source =
  /** A unit's result, 1 or 2 words earlier in the same block. */
  | { readonly from: 'unit'; readonly unit: Unit; readonly distance: 1 | 2; readonly negate: boolean }
  /** Read port 0, of this word or of the one before (same block). */
  | { readonly from: 'reg0'; readonly component: number; readonly distance: 0 | 1; readonly negate: boolean }
  | { readonly from: 'reg1'; readonly component: number; readonly negate: boolean }
  /** The uniform port: a uniform, constant or temporary. */
  | { readonly from: 'uniform'; readonly component: number; readonly negate: boolean }
  /** 1 as second source of a multiplication, 0 as second source of an adder. */
  | { readonly from: 'identity'; readonly negate: boolean };

/** Why a unit works. */
export type Purpose =
  /** The node `node`, or one piece of its sequence. */
  | 'operation'
  /** Hands the value of node `node` on, for readers further away than two words. */
  | 'move'
  /** Brings a leaf into a unit, for a store, a branch or a reader whose word has no port for it. */
  | 'load'
  /** Sets an address register. */
  | 'address';

export interface UnitWork {
  readonly op: UnitOperation;
  readonly sources: readonly Source[];
  /** `mul` only: negates the result. */
  readonly negate: boolean;
  readonly purpose: Purpose;
  /** Id of the node that is computed or handed on, or -1. */
  readonly node: number;
}

/** One half of a word's stores: x and y, or z and w, which share kind and address. */
export interface StoreHalf {
  readonly kind: 'varying' | 'register' | 'temporary';
  readonly vector: number;
  /** The unit of this word whose result is stored in the half's first and second component, or -1. */
  readonly units: readonly [Unit | -1, Unit | -1];
}

export interface Word {
  /** By `Unit`; undefined where it idles. */
  readonly units: readonly (UnitWork | undefined)[];
  readonly reg0?: { readonly kind: 'attribute' | 'register'; readonly vector: number };
  /** Register vector behind port 1. */
  readonly reg1?: number;
  readonly uniform?: UniformPort;
  readonly xy?: StoreHalf;
  readonly zw?: StoreHalf;
  /** Block that the word branches to if what PASS moves in it is not 0. Only in a block's last word. */
  readonly branch?: number;
}

/** Address register that is added to a vector's number. */
export type AddressOffset = 1 | 2 | 3;

export type UniformPort =
  | { readonly kind: 'uniform'; readonly vector: number; readonly offset?: AddressOffset }
  | { readonly kind: 'temporary'; readonly vector: number; readonly offset?: AddressOffset }
  /**
   * Up to four constants that the program reads in this word; where they lie is decided when all words are known
   * (constants.ts). The `component` of a source counts in this list until then.
   */
  | { readonly kind: 'constants'; readonly values: readonly number[] };

/** A block as scheduled. */
export interface BlockSchedule {
  readonly words: readonly Word[];
  /** Values that were kept in a register inside the block because the bypass network could not carry them. */
  readonly spills: readonly RegisterSpill[];
  /** Set where no schedule was found, because more values must live at once than the machine can hold. */
  readonly failed?: true;
}

/** A value that lives in a physical register for a stretch of one block. Words count from the block's first. */
export interface RegisterSpill {
  readonly node: number;
  /** `4 * vector + component`. */
  readonly place: number;
  readonly storeWord: number;
  readonly readWords: readonly number[];
}

/** A block of the compiled program: its words go from `start` to the next block's start. An empty block repeats it. */
export interface CompiledBlock {
  readonly label: string;
  readonly start: number;
}

/** A constant that the compiler put into uniform space, above the program's own uniforms. */
export interface PlacedConstant {
  readonly vector: number;
  readonly component: number;
  readonly value: number;
}

/** Complete code: what the machine executes, and what it must find in uniform space and registers. */
export interface CompiledProgram {
  readonly name: string;
  /** In the order of execution. */
  readonly words: readonly Word[];
  /** In the order of their starts, which rise; the first is 0. `Word.branch` counts in this list. */
  readonly blocks: readonly CompiledBlock[];
  /** Uniform vectors that belong to the program: u0 to u(uniforms - 1). */
  readonly uniforms: number;
  /** Empty before `placeConstants`. */
  readonly constants: readonly PlacedConstant[];
  /** For fragments: physical place of each live-in and live-out register of the source, `@acc` to `$3.x`. */
  readonly registers: Readonly<Record<string, string>>;
}

/** Words that a program may have: the branch target is 9 bits wide. */
export const WORD_LIMIT = 512;
/** Vectors that the uniform port can address: uniforms, constants and temporaries together. */
export const UNIFORM_VECTORS = 512;
/** Attribute, varying and register vectors that a 4-bit address reaches. */
export const PORT_VECTORS = 16;
