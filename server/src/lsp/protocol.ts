import { NotificationType, RequestType } from 'vscode-languageserver';
import type { Comparison, ComparisonRow } from '../features/compare-data.js';
import type { Status } from '../features/data.js';
import type { PressureLines } from '../features/pressure-lines.js';
import type { Direction, Site, SiteKind } from '../features/pressure-sites.js';
import type { ControlFlowView, LiveRangesView, SameView } from '../features/views/data.js';

/** Spillway's own requests, described in docs/protocol.md. */
export interface StatusParams {
  readonly textDocument: { readonly uri: string };
  /** The cursor; the start of the document when it is missing. */
  readonly position?: { readonly line: number; readonly character: number };
}

/** Language, target and limit at a cursor; null for a document that is not open. */
export const StatusRequest = new RequestType<StatusParams, Status | null, void>('spillway/status');

/** Which function a picture is wanted of, and what of it the client has. */
export interface ViewParams {
  readonly textDocument: { readonly uri: string };
  readonly position?: { readonly line: number; readonly character: number };
  readonly function?: string;
  readonly known?: string;
}

/** What the picture of live ranges is drawn from; null where the document has no function. */
export const LiveRangesRequest = new RequestType<ViewParams, LiveRangesView | SameView | null, void>(
  'spillway/liveRanges',
);

/** What the picture of control flow is drawn from; null where the document has no function. */
export const ControlFlowRequest = new RequestType<ViewParams, ControlFlowView | SameView | null, void>(
  'spillway/controlFlow',
);

export interface PressureParams {
  readonly textDocument: { readonly uri: string };
  /** Ids of the functions whose pressure the client has. */
  readonly known?: readonly string[];
}

/** The pressure on the lines of all functions; null for a document that is not open. */
export const PressureRequest = new RequestType<
  PressureParams,
  { readonly functions: readonly (PressureLines | SameView)[] } | null,
  void
>('spillway/pressure');

export interface NextSiteParams {
  readonly textDocument: { readonly uri: string };
  readonly position: { readonly line: number; readonly character: number };
  readonly kind: SiteKind;
  readonly direction?: Direction;
}

/** The nearest peak or spill; null where the document has none. */
export const NextSiteRequest = new RequestType<NextSiteParams, Site | null, void>('spillway/nextSite');

/** Whether the client trusts its workspace: without that no program is started for it. */
export const TrustNotification = new NotificationType<{ readonly isTrusted: boolean } | null>(
  'spillway/trust',
);

export interface CompiledCodeParams {
  /** A source, or a document of compiled code. */
  readonly textDocument: { readonly uri: string };
  /** The cursor in a source; its start when it is missing. */
  readonly position?: { readonly line: number; readonly character: number };
  /** Answer with the text too, newly made. */
  readonly text?: boolean;
}

/** What a function is compiled to, and what is drawn on it; null where there is no function. */
export interface CompiledCodeAnswer {
  /** Of the document of compiled code. */
  readonly uri: string;
  readonly source: string;
  readonly function: string;
  /** Version of the source. */
  readonly version: number;
  readonly lineCount: number;
  /** First and last line of the source that hold the function; absent where it is gone. */
  readonly extent?: { readonly start: number; readonly end: number };
  /** Line here, line of the source, and so on: by line here, what it stands for first. */
  readonly links: readonly number[];
  readonly marks: readonly {
    readonly line: number;
    readonly start: number;
    readonly end: number;
    readonly kind: string;
    readonly title: string;
  }[];
  readonly text?: string;
}

export const CompiledCodeRequest = new RequestType<CompiledCodeParams, CompiledCodeAnswer | null, void>(
  'spillway/compiledCode',
);

/** To clients that have sent `spillway/compiledCode`: what they know of a document of compiled code is out of date. */
export const CompiledCodeChanged = new NotificationType<{ readonly uri: string }>(
  'spillway/compiledCodeChanged',
);

export interface CompareTargetsParams {
  readonly textDocument: { readonly uri: string };
  /** In the function; the start of the document when it is missing. */
  readonly position?: { readonly line: number; readonly character: number };
  /** Rows are sent as they become known, too. */
  readonly partialResultToken?: string | number;
}

export interface ComparisonPart {
  readonly rows: readonly ComparisonRow[];
}

/** The figures of a function under other targets and limits; null where there is nothing to compare. */
export const CompareTargetsRequest = new RequestType<CompareTargetsParams, Comparison | null, void>(
  'spillway/compareTargets',
);
