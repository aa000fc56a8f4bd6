/**
 * Special functions are computed in pieces over several words, and what a piece leaves behind is no number: nothing
 * is known of it but which piece it is and whose argument it belongs to. The value of the whole appears where the
 * sequence ends, in `complex1` (rcp, rsqrt, exp2) or `postlog2` (log2); a piece that meets a stranger, or is used
 * as a number, is a fault.
 */
import { arithmetic } from './arithmetic.js';

export type Piece =
  | 'complex2'
  | 'rcp_impl'
  | 'rsqrt_impl'
  | 'exp2_impl'
  | 'log2_impl'
  | 'preexp2'
  /** What `complex1` makes of a log2. */
  | 'complex1';

export interface Unfinished {
  readonly piece: Piece;
  readonly argument: Computed;
}

export type Computed = number | Unfinished;

export type SequenceOperation =
  'complex1' | 'complex2' | 'rcp_impl' | 'rsqrt_impl' | 'exp2_impl' | 'log2_impl' | 'preexp2' | 'postlog2';

/** Operands of each operation that belongs to a sequence. */
const sequenceOperands: Readonly<Record<SequenceOperation, number>> = {
  complex1: 3,
  complex2: 1,
  rcp_impl: 1,
  rsqrt_impl: 1,
  exp2_impl: 1,
  log2_impl: 1,
  preexp2: 1,
  postlog2: 1,
};

export const isSequenceOperation = (op: string): op is SequenceOperation =>
  Object.hasOwn(sequenceOperands, op);

function same(a: Computed, b: Computed): boolean {
  if (typeof a === 'number') return a === b || (Number.isNaN(a) && Number.isNaN(b));
  return typeof b !== 'number' && a.piece === b.piece && same(a.argument, b.argument);
}

/** Executes an operation of a sequence; a message when its operands do not belong there. */
export function executePiece(op: SequenceOperation, operands: readonly Computed[]): Computed | string {
  const [x] = operands;
  switch (op) {
    case 'complex1':
      return finish(operands[0], operands[1], operands[2]);
    case 'postlog2':
      if (typeof x === 'number' || x.piece !== 'complex1')
        return 'postlog2 takes the complex1 of a log2 and nothing else';
      return arithmetic.log2(x.argument as number);
    case 'complex2':
    case 'exp2_impl':
      if (typeof x !== 'number' && x.piece !== 'preexp2') return unfinishedUse(op, x);
      if (op === 'exp2_impl' && typeof x === 'number') return 'exp2_impl takes the result of preexp2';
      return { piece: op, argument: x };
    default:
      if (typeof x !== 'number') return unfinishedUse(op, x);
      return { piece: op, argument: x };
  }
}

export const unfinishedUse = (op: string, { piece }: Unfinished): string =>
  `${op} reads the result of ${piece}, which is no number and belongs to its sequence alone`;

function finish(impl: Computed, factor: Computed, x: Computed): Computed | string {
  if (typeof impl === 'number' || !impl.piece.endsWith('_impl'))
    return 'source 1 of complex1 is not the result of rcp_impl, rsqrt_impl, exp2_impl or log2_impl';
  if (typeof factor === 'number' || factor.piece !== 'complex2')
    return 'source 2 of complex1 is not the result of complex2';
  if (!same(impl.argument, x) || !same(factor.argument, x))
    return 'the three sources of complex1 do not belong to the same argument';
  if (impl.piece === 'exp2_impl') return arithmetic.exp2((x as Unfinished).argument as number);
  if (impl.piece === 'log2_impl') return { piece: 'complex1', argument: x };
  return impl.piece === 'rcp_impl' ? arithmetic.rcp(x as number) : arithmetic.rsqrt(x as number);
}
