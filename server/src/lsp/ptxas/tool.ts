/**
 * What the server needs of a program such as ptxas. Where programs can be run, `run.ts` gives it; in a web worker there
 * is none, and nothing else changes.
 */
import type { PtxasReport } from '../../targets/nvidia/ptxas/report.js';
import type { PtxasRequest } from '../../targets/nvidia/ptxas/request.js';

export interface PtxasTool {
  start(program: string, request: PtxasRequest, text: string, limits: PtxasLimits): PtxasRun;
  /** `13.0.88`, or undefined where the program does not say. Never rejects. */
  version(program: string): Promise<string | undefined>;
}

export type PtxasOutcome =
  | { readonly kind: 'report'; readonly report: PtxasReport }
  /** `why` is a sentence for people, with a way out. */
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'cancelled' };

export interface PtxasRun {
  /** Never rejects. */
  readonly outcome: Promise<PtxasOutcome>;
  /** Ends the program at once; the outcome is `cancelled` unless it is known already. */
  cancel(): void;
}

export interface PtxasLimits {
  /** Milliseconds after which the program is ended. */
  readonly time: number;
  /** Bytes of output after which it is ended. */
  readonly output: number;
}

/** A report has some 300 bytes a function: this is enough for 20 000 of them. */
export const defaultLimits: PtxasLimits = { time: 20_000, output: 6 << 20 };
