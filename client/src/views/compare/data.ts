import type { Comparison } from '../../../../server/src/features/compare-data.js';
import type { Page } from '../host.js';

/** Where the table is shown. */
export type CompareHost = Pick<Page<FromTable, ToTable>, 'post' | 'onMessage'>;

export type ToTable =
  | { readonly type: 'comparison'; readonly content: Comparison }
  /** So many rows are known, and more will come; what is shown stays. */
  | { readonly type: 'comparing'; readonly function: string; readonly rows: number }
  | { readonly type: 'empty'; readonly message: string };

export type FromTable =
  | { readonly type: 'ready' }
  /** Somebody wants the settings of a row. */
  | { readonly type: 'choose'; readonly row: number }
  | { readonly type: 'copy'; readonly format: 'text' | 'markdown' };
