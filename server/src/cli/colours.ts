/** Colours for terminals: SGR codes of ECMA-48, or nothing. */
import type { Severity } from '../text/problem.js';
import type { Io } from './io.js';

export type Paint = (text: string) => string;

export interface Colours {
  readonly severity: Readonly<Record<Severity, Paint>>;
  readonly strong: Paint;
  readonly faint: Paint;
  readonly hint: Paint;
}

const sgr =
  (code: number): Paint =>
  (text) =>
    `\x1b[${code}m${text}\x1b[0m`;
const plain: Paint = (text) => text;

/** Only on a terminal, and not where `NO_COLOR` (https://no-color.org) or `TERM=dumb` ask for none. */
export function coloursFor(io: Io): Colours {
  const { NO_COLOR, TERM } = io.environment;
  const isWanted = io.outIsTerminal && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
  const paint = (code: number): Paint => (isWanted ? sgr(code) : plain);
  return {
    severity: { error: paint(31), warning: paint(33), information: paint(36), hint: paint(2) },
    strong: paint(1),
    faint: paint(2),
    hint: paint(36),
  };
}
