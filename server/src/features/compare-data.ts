import type { Figures } from './compare-best.js';

export interface Comparison {
  readonly function: string;
  /** The model that the settings now give, and its figures in words. */
  readonly model: string;
  readonly summary: string;
  readonly columns: readonly Column[];
  readonly rows: readonly ComparisonRow[];
  /** By group: the best row's number and why, in a sentence without a full stop. */
  readonly best: readonly { readonly group: string; readonly row: number; readonly why: string }[];
  /** Groups that are missing, or end early, because the source says what the option would: `the source sets .maxnreg 32`. */
  readonly settled: readonly { readonly group: string; readonly why: string }[];
}

export interface Column {
  readonly id: string;
  readonly title: string;
}

export interface ComparisonRow {
  /** What is varied: `architecture`; rows of one group stand together. */
  readonly group: string;
  readonly name: string;
  /** What the settings are to be, without the prefix; null takes one away: `{ "targets.nvidia.arch": "sm_90" }`. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  readonly isPresent: boolean;
  /** By column; empty where the machine has no such figure. */
  readonly cells: readonly string[];
  /** Names on the same scale that come to the same. */
  readonly alike: readonly string[];
  readonly figures: Figures;
  /** Why it cannot be compiled so. */
  readonly problem?: string;
}
