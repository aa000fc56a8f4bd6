/** What keys do in the picture; without modifiers. */
export type KeyAction =
  | { readonly kind: 'row'; readonly step: RowStep }
  | { readonly kind: 'register'; readonly by: number }
  | { readonly kind: 'zoom'; readonly factor: number }
  | { readonly kind: 'goTo' }
  | { readonly kind: 'clear' };

/** So many rows or pages, or an end. */
export type RowStep = { readonly rows: number } | { readonly pages: number } | 'first' | 'last';

const actions: Readonly<Record<string, KeyAction>> = {
  ArrowUp: { kind: 'row', step: { rows: -1 } },
  ArrowDown: { kind: 'row', step: { rows: 1 } },
  PageUp: { kind: 'row', step: { pages: -1 } },
  PageDown: { kind: 'row', step: { pages: 1 } },
  Home: { kind: 'row', step: 'first' },
  End: { kind: 'row', step: 'last' },
  ArrowLeft: { kind: 'register', by: -1 },
  ArrowRight: { kind: 'register', by: 1 },
  Enter: { kind: 'goTo' },
  Escape: { kind: 'clear' },
  '+': { kind: 'zoom', factor: 1.35 },
  '=': { kind: 'zoom', factor: 1.35 },
  '-': { kind: 'zoom', factor: 1 / 1.35 },
  // the whole function
  '0': { kind: 'zoom', factor: 0 },
};

export const actionOf = (key: string): KeyAction | undefined => actions[key];

/** The row that a step leads to; -1 where there is none. */
export function stepped(row: number, step: RowStep, page: number, count: number): number {
  if (count === 0) return -1;
  if (step === 'first') return 0;
  if (step === 'last') return count - 1;
  const by = 'rows' in step ? step.rows : step.pages * page;
  return Math.max(0, Math.min(count - 1, row < 0 ? 0 : row + by));
}
