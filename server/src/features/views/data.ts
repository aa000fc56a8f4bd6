/**
 * What the pictures of a function are drawn from: plain data that goes over the wire as JSON. Lines are zero-based and
 * count from `line`, so that an answer stays right when text above the function comes or goes. Lists of numbers
 * indexed by a `...Start` list hold the entries of element k at `start[k] .. start[k + 1]`.
 */

/** What all pictures say of their function. */
export interface FunctionView {
  /** The same id means the same content; only `line` may differ. */
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly target: string;
  /** Names the model in words: `sm_90, limit 255`. */
  readonly model: string;
  /** The line in which the function's text begins, and how many lines it has. */
  readonly line: number;
  readonly lineCount: number;
  /** The figures of the function in words, as in its code lens. */
  readonly summary: string;
}

/** Answer where the client has the content already: only its place is new. */
export interface SameView {
  readonly same: string;
  readonly line: number;
}

/** How many registers give how many warps: from `above + 1` to `registers` registers a thread, `warps` are resident. */
export interface OccupancyStepView {
  readonly registers: number;
  readonly warps: number;
}

export interface ClassView {
  readonly name: string;
  /** What one unit is: `32-bit register`. */
  readonly unit: string;
  /** Units needed while each instruction executes, in the order of the text and after the back-end's work. */
  readonly asWritten: readonly number[];
  readonly asCompiled: readonly number[];
  readonly peakWritten: number;
  readonly peakWrittenAt: number;
  readonly peakCompiled: number;
  readonly peakCompiledAt: number;
  /** Registers that the compiled program uses, where the machine says. */
  readonly used?: number;
}

export const placeKinds = [
  'register',
  'spilled',
  'recomputed',
  'folded',
  'absorbed',
  'network',
  'unused',
  'fixed',
] as const;
export type PlaceKind = (typeof placeKinds)[number];

export interface RegistersView {
  /** So many are virtual registers; those behind them are the machine's own, of kind `fixed`: a payload, or code in them. */
  readonly virtualCount: number;
  readonly names: readonly string[];
  /** Number in `classes`; -1 for a class that is not shown. */
  readonly class: readonly number[];
  /** In units of the class; parts of one where several share it. */
  readonly width: readonly number[];
  /** Instructions that write and read it, ascending. */
  readonly definitionStart: readonly number[];
  readonly definitions: readonly number[];
  readonly useStart: readonly number[];
  readonly uses: readonly number[];
  /** Half-open segments of points: instruction i reads at point 2i and writes at point 2i + 1. */
  readonly segmentStart: readonly number[];
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Number in `placeKinds`. */
  readonly kind: readonly number[];
  /** Where it is: the first unit, and of which class (a name in `placeClasses`); for kinds but `register` and `fixed` -1. */
  readonly index: readonly number[];
  readonly placeClass: readonly number[];
  readonly placeClasses: readonly string[];
  /** The same in words. */
  readonly place: readonly string[];
}

export interface SpillView {
  readonly register: number;
  readonly reason: string;
  readonly bytes: number;
  /** Instructions after which it is stored, and before which it is loaded again. */
  readonly stores: readonly number[];
  readonly reloads: readonly number[];
}

export interface LiveRangesView extends FunctionView {
  readonly instructions: {
    /** Line of each, relative to the function's. */
    readonly line: readonly number[];
    /** The instruction as it is written, on one line, cut where it is long; one a line of this text. */
    readonly text: string;
  };
  readonly blocks: {
    /** First instruction of each, and the number of instructions at the end. */
    readonly start: readonly number[];
    readonly name: readonly string[];
    readonly loopDepth: readonly number[];
  };
  /** The first one is the one that `limit` is about. */
  readonly classes: readonly ClassView[];
  readonly registers: RegistersView;
  readonly spills: readonly SpillView[];
  readonly limit: number;
  readonly limitedBy: string;
  /** Where the number of resident warps changes, fewest registers first; empty where the machine has no such steps. */
  readonly occupancySteps: readonly OccupancyStepView[];
}

export interface BlockView {
  /** The label that starts it, or '' . */
  readonly name: string;
  /** Instructions `first .. first + length`. */
  readonly first: number;
  readonly length: number;
  /** Relative to the function's line; both -1 where no instruction of it stands in the text. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly loopDepth: number;
  /** The only entry of a loop. */
  readonly isLoopHead: boolean;
  /** For an entry of a loop that has several: how many it has; else 0. */
  readonly loopEntries: number;
  readonly isReachable: boolean;
  /** Units of each class that hold a value before the first and after the last instruction, as written. */
  readonly entry: readonly number[];
  readonly exit: readonly number[];
  /** Most units of each class that an instruction of it needs. */
  readonly peakWritten: readonly number[];
  readonly peakCompiled: readonly number[];
  /** Stores and reloads of spilled registers at its instructions. */
  readonly spillStores: number;
  readonly spillLoads: number;
  /** Cycles that its instructions wait, each executed once. */
  readonly stallCycles: number;
  /** What the machine says of it in its own words. */
  readonly notes: readonly (readonly [name: string, text: string])[];
}

export type EdgeKind = 'fallThrough' | 'taken';

export interface EdgeView {
  readonly from: number;
  readonly to: number;
  readonly kind: EdgeKind;
  /** Closes a loop: leads from inside it to an entry, in most loops the block that every way to `from` has passed. */
  readonly isBack: boolean;
}

export interface ControlFlowView extends FunctionView {
  readonly classes: readonly { readonly name: string; readonly unit: string; readonly peak: number }[];
  readonly limit: number;
  readonly blocks: readonly BlockView[];
  readonly edges: readonly EdgeView[];
}
