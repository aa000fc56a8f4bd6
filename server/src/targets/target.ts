import type { AllocatedFunction } from '../ir/allocated.js';
import type { Function } from '../ir/function.js';
import type { LiveRanges } from '../passes/live-ranges.js';
import type { Pressure } from '../passes/pressure.js';
import type { Violation } from '../passes/check-allocation.js';
import type { Problem } from '../text/problem.js';

export type { LiveRanges, Pressure };

/** Values by option name; a target ignores names that it does not list in `Target.options`. */
export type TargetOptions = Readonly<Record<string, string | number | boolean | undefined>>;

/** One option of a target, for settings, the command line and documentation. */
export interface TargetOption {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description: string;
}

/** What a compilation may ask of the other functions of its module: what it was told becomes a part of its input. */
export interface ModuleView {
  /** The function that the module defines under this name; undefined where it defines none. */
  definition(name: string): Function | undefined;
}

/** A function by itself: nothing is known of those that it calls. */
export const emptyModule: ModuleView = { definition: () => undefined };

/**
 * A machine and the model of its back-end. `compile` never throws for a well-formed function, whatever its size;
 * it is pure: same function, same options, same definitions of what it asks the module for, same compilation.
 */
export interface Target<C extends Compilation = Compilation> {
  readonly id: string;
  readonly name: string;
  readonly options: readonly TargetOption[];
  /** Register classes of `Stats.registers` that no language for it has. */
  readonly ownClasses?: readonly string[];
  compile(source: Function, options: TargetOptions, module?: ModuleView): C;
  /** The same as `compile`, for machines where it takes long: each `next` takes a few milliseconds. */
  compileInSteps?(source: Function, options: TargetOptions, module?: ModuleView): Iterator<undefined, C>;
  /**
   * Looks for a better program than `compile` had time for, step by step: each `next` takes a few milliseconds, the
   * last one returns the result (`compilation` itself where nothing better was found). Pure like `compile`: bounded
   * by steps and not by a clock, so that the same compilation always ends in the same one.
   */
  improve?(compilation: C): Iterator<undefined, C>;
  /**
   * Proves the compiled program against its source, with a checker that shares no code with the allocator; what it
   * refutes. Without this method `checkAllocation` is asked with no limits of the machine.
   */
  verify?(compilation: C): readonly Violation[];
  /**
   * The compiled program as text lines, made on demand because few callers look at it. With the unit's text, in
   * which operands have their spans, constants and names are shown as they are written.
   */
  listing(compilation: C, text?: string): Listing;
  /** The compiled program in the machine-readable form of this machine, where the general one cannot express it. */
  json?(compilation: C): object;
  /** How else a function could be compiled, to be compared: each varies one thing. */
  alternatives?(compilation: C): readonly Alternative[];
  /** Options that the source settles, so that they change nothing, or nothing beyond a bound. */
  settled?(compilation: C): readonly Settled[];
  readonly display?: Display<C>;
}

/** Options that differ from those of a compilation in one thing. */
export interface Alternative {
  /** What is varied, in words: `architecture`, `register limit`. */
  readonly group: string;
  readonly name: string;
  /** What to set; undefined goes back to the option's default. */
  readonly options: TargetOptions;
  /** The compilation's own value. */
  readonly isPresent: boolean;
  /** One of many values of a scale: those that make no difference are told together. */
  readonly isOnScale?: true;
}

/** An option against which the source wins. */
export interface Settled {
  /** Its name. */
  readonly option: string;
  /** The group of alternatives that is missing or ends early for it. */
  readonly group?: string;
  /** What wins, as the second half of a sentence: `the source sets .grf_limit 14, and no limit above it counts`. */
  readonly why: string;
  /** The compilation's own options have a value for it, to no effect. */
  readonly isIgnored: boolean;
}

/** One line of a table: what it is, and what is to be said of it (Markdown). */
export type Row = readonly [name: string, text: string];

/** One-based line of a source instruction. */
export type LineOf = (instruction: number) => number;

/**
 * What a person is shown of a compiled program in this machine's own terms, where the words that fit all machines do
 * not do. Whatever is absent is worded from the fields of `Compilation`.
 */
export interface Display<C extends Compilation = Compilation> {
  /** One line for a code lens and a status bar. */
  summary?(compilation: C): string;
  /** Where an instruction stands in the compiled program, for the end of its line: `w12 mul0`; undefined: nowhere. */
  place?(compilation: C, instruction: number): string | undefined;
  /** Where a register of the source was put: `$0.x`; undefined where the kind of its placement says all. */
  placeOfRegister?(compilation: C, register: number): string | undefined;
  /**
   * Leave out of a register's table what goes without saying: a class that is called like the kind of the name, a
   * loop depth of 0.
   */
  readonly isTerse?: true;
  /** What became of a register of the source, an instruction, a block; and figures of the whole function. */
  ofRegister?(compilation: C, register: number, line: LineOf): readonly Row[];
  ofInstruction?(compilation: C, instruction: number, line: LineOf): readonly Row[];
  ofBlock?(compilation: C, block: number, line: LineOf): readonly Row[];
  ofFunction?(compilation: C): readonly Row[];
  /**
   * Registers of the source whose values are held while the compiled program executes an instruction. Absent where
   * the order as compiled is that of the text; undefined for an instruction that is gone.
   */
  heldAt?(compilation: C, instruction: number): readonly number[] | undefined;
  /** Whose units the figures as written are the sum of; absent where each virtual register counts in its own class. */
  holders?(compilation: C): Holders;
  /**
   * The register counts at which the number of resident warps changes, fewest registers first: each is the most
   * registers a thread that still give `warps`. Absent where registers do not decide what is resident.
   */
  occupancySteps?(compilation: C): readonly OccupancyStep[];
  /** What `Stats.cycles` counts, in words, where it is not each block once. */
  readonly cyclesNote?: string;
  /** Invocations that one run of the program works for, where not always one: cycles are then compared for each. */
  lanes?(compilation: C): number;
  /** What the figures of a wait suppose, in words. */
  readonly stallNote?: string;
  /** Waits of at least so many cycles are worth showing, whatever the settings say: here no other thread hides one. */
  readonly minimumStall?: number;
}

/** At each point, the units of what is live add up to `Compilation.asWritten` in each class, rounded up to whole ones. */
export interface Holders {
  /** Of each virtual register: the class in which it counts, and its units there. */
  readonly registerClass: ArrayLike<number>;
  readonly width: ArrayLike<number>;
  /** What holds units beside the virtual registers. */
  readonly fixed: readonly FixedRange[];
}

/** Registers of the machine that hold a value and have no virtual register: a payload, or code that is allocated. */
export interface FixedRange {
  /** `payload g0–g8`, `g17` */
  readonly name: string;
  readonly registerClass: number;
  /** The first unit, and how many. */
  readonly index: number;
  readonly width: number;
  /** Segments of points, ascending, as in `LiveRanges`. */
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Instructions that write and read them, ascending. */
  readonly definitions: readonly number[];
  readonly uses: readonly number[];
}

/** What the machine will make of one function. Plain data; instruction numbers are those of `source`. */
export interface Compilation {
  readonly source: Function;
  readonly target: string;
  /** The architecture that the figures are for, whatever chose it: `sm_90`. */
  readonly machine: string;
  /** Names the model in words, for every place that shows a number: `sm_90, limit 255`. */
  readonly model: string;
  readonly options: TargetOptions;
  readonly stats: Stats;
  /** Registers in the order of the text, nothing folded, nothing moved. */
  readonly asWritten: Pressure;
  /** Registers after the back-end's own folding, scheduling and spilling, at the source's instructions. */
  readonly asCompiled: Pressure;
  readonly liveRanges: LiveRanges;
  /** By virtual register. */
  readonly placements: readonly Placement[];
  readonly spills: readonly Spill[];
  /** In the order of the compiled code, which need not be that of the source instructions; several may be of one. */
  readonly stalls: readonly Stall[];
  /** The instructions after allocation; absent where the machine executes something else than the source's instructions one by one. */
  readonly allocated?: AllocatedFunction;
  readonly problems: readonly Problem[];
  /** What the figures suppose because nobody can know it from the source, in sentences without a full stop. */
  readonly assumptions?: readonly string[];
}

/** A compilation whose code is a function's instructions with places and spill code. */
export interface AllocatedCompilation extends Compilation {
  /** Of the source's instructions, or of those that the back-end made from them (`code`). */
  readonly allocated: AllocatedFunction;
  /** Absent where `allocated.source` is the source. */
  readonly code?: Derivation;
  /** By register of `allocated.source`; absent where that is the source. */
  readonly codePlacements?: readonly Placement[];
}

/** How `allocated.source` was made from the source, by instruction and register of it. */
export interface Derivation {
  /** The source instruction that it stands for, or -1. */
  readonly origin: Int32Array;
  /**
   * The source instructions that it executes, in order: `executes[executesStart[i] .. executesStart[i + 1]]`. A branch
   * before the last place decides whether the rest runs: where it is not taken; as `~branch`, where it is taken.
   */
  readonly executesStart: Int32Array;
  readonly executes: Int32Array;
  /** The source register whose value it holds, or -1. */
  readonly registerOrigin: Int32Array;
}

export const isAllocated = (compilation: Compilation): compilation is AllocatedCompilation =>
  compilation.allocated !== undefined;

/** Fields that a target does not have are absent, never zero in place of unknown. */
export interface Stats {
  readonly instructions: number;
  /** Registers used, by register class name. */
  readonly registers: Readonly<Record<string, number>>;
  /** An estimate's bounds: the figure that the machine's own compiler prints lies between them nine times in ten. */
  readonly registersRange?: readonly [low: number, high: number];
  readonly limit: number;
  /** What set the limit, such as `.maxnreg`, `option`, `machine`. */
  readonly limitedBy: string;
  readonly pressure: { readonly asWritten: number; readonly asCompiled: number };
  readonly spills: {
    readonly registers: number;
    readonly stores: number;
    readonly loads: number;
    readonly storeBytes: number;
    readonly loadBytes: number;
  };
  /** Bytes of stack that the source itself asks for (automatic arrays). */
  readonly frameBytes?: number;
  /** Bytes of spill slots a thread. */
  readonly scratchBytes?: number;
  /** Issue cycles of one pass over the text, each block once, stalls included. */
  readonly cycles?: number;
  readonly stallCycles?: number;
  readonly occupancy?: Occupancy;
  /** Further figures of a target by camelCase key, such as `words`, `bound`, `deadInstructions`. */
  readonly more?: Readonly<Record<string, number | string>>;
}

export interface Occupancy {
  readonly warps: number;
  readonly maxWarps: number;
  readonly limitedBy: 'registers' | 'sharedMemory' | 'blocks' | 'warps';
  /** Threads a block that the figures assume, and whether the source says so. */
  readonly threads: number;
  readonly threadsAssumed: boolean;
  /** The next step up, or null at the top: at most `registers` registers would give `warps`. */
  readonly nextStep: { readonly warps: number; readonly registers: number } | null;
}

/** At most `registers` registers a thread give `warps` resident warps. */
export interface OccupancyStep {
  readonly registers: number;
  readonly warps: number;
}

export type Placement =
  | { readonly kind: 'register'; readonly registerClass: number; readonly index: number }
  | { readonly kind: 'spilled'; readonly slot: number; readonly bytes: number }
  | { readonly kind: 'recomputed' }
  | { readonly kind: 'folded'; readonly into: number }
  /** Never made: its readers do its work (a negation, a comparison turned round). */
  | { readonly kind: 'absorbed' }
  /** In no register: it goes from unit to unit through the machine's network. */
  | { readonly kind: 'network' }
  | { readonly kind: 'unused' };

/** One spilled virtual register: why it and not another, and what it costs. */
export interface Spill {
  readonly register: number;
  /** Estimated executions of its stores and reloads (loop-weighted), divided by what it frees; the lowest is chosen. */
  readonly cost: number;
  readonly reason: string;
  readonly bytes: number;
  /** The instruction at whose pressure it had to go. */
  readonly peakInstruction: number;
  /** Source instructions after which it is stored, and before which it is reloaded. */
  readonly stores: readonly number[];
  readonly reloads: readonly number[];
}

export interface Stall {
  readonly instruction: number;
  readonly cycles: number;
  /** The instruction whose result is waited for, or -1 for a structural limit. */
  readonly producer: number;
  /** The virtual register that is waited for, or -1. */
  readonly register: number;
  /** In words: `waits for the shared load of %r3`. */
  readonly cause: string;
}

/** The compiled program. `source[k]` is the source instruction of line k, or -1. */
export interface Listing {
  readonly lines: readonly string[];
  readonly source: Int32Array;
  /** Absent where a machine says no more than its lines. */
  readonly details?: ListingDetails;
}

/** What is known of a listing beyond its text, for an editor that shows it. */
export interface ListingDetails {
  /** So many lines at the start tell of the whole program what a reader is told in other words too. */
  readonly headings: number;
  /** What begins a comment: `//`. */
  readonly comment: string;
  /** All source instructions that line k carries out, or is there for: `carries[carriesStart[k] .. carriesStart[k + 1]]`. */
  readonly carriesStart: Int32Array;
  readonly carries: Int32Array;
  /** By line, then by column. */
  readonly marks: readonly ListingMark[];
  readonly mentions: Mentions;
  /** First line of each block, its label included; the last number is the end of the last block. */
  readonly blockStart: Int32Array;
  /** The blocks that may follow block b: `successors[successorStart[b] .. successorStart[b + 1]]`. */
  readonly successorStart: Int32Array;
  readonly successors: Int32Array;
}

/** What a part of the compiled program is there for, where it is not the source's own work. */
export type MarkKind =
  /** Writes a spilled value to its slot. */
  | 'store'
  /** Reads one back. */
  | 'reload'
  /** Copies a value, or hands it on. */
  | 'move'
  /** Computes a value again. */
  | 'recomputed'
  /** Waits before it is issued. */
  | 'wait'
  /** A slot in which nothing is done. */
  | 'empty'
  /** An instruction of the source that costs nothing. */
  | 'elided';

/** On columns `[start, end)` of a line. */
export interface ListingMark {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly kind: MarkKind;
  /** Of a wait. */
  readonly cycles?: number;
  /** The source register that it is for; absent where there is none. */
  readonly register?: number;
}

export const enum MentionRole {
  Read = 1,
  Write = 2,
  /** With `Write`: what stood there before may stay, whole or in part. */
  Keeps = 4,
  /** The name of a source register in a comment. */
  Name = 8,
}

/** Where lines mention registers, slots and labels, by line, then by column; one entry of each array a mention. */
export interface Mentions {
  readonly count: number;
  readonly line: Int32Array;
  /** Columns `[start, end)`. */
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** The first of `units` places, in numbers of the machine's own; -1 for a label or a name. */
  readonly place: Int32Array;
  readonly units: Int32Array;
  /** A set of `MentionRole`. */
  readonly role: Uint8Array;
  /** The source register whose value it holds, or -1. */
  readonly register: Int32Array;
  /** The line that defines what is read, where the machine knows without a search; else -1. */
  readonly definition: Int32Array;
}
