import { NotificationType, RequestType } from 'vscode-languageserver';
import type { Status } from '../features/data.js';

/** Spillway's own requests, described in docs/protocol.md. */
export interface StatusParams {
  readonly textDocument: { readonly uri: string };
  /** The cursor; the start of the document when it is missing. */
  readonly position?: { readonly line: number; readonly character: number };
}

/** Language, target and limit at a cursor; null for a document that is not open. */
export const StatusRequest = new RequestType<StatusParams, Status | null, void>('spillway/status');

/** Whether the client trusts its workspace: without that no program is started for it. */
export const TrustNotification = new NotificationType<{ readonly isTrusted: boolean } | null>(
  'spillway/trust',
);
