/**
 * A special function that the author wrote out in the machine's own steps (`patterns` in operations.ts). What a step
 * leaves behind is no number: only the next step of the same function can read it, and nothing can carry it over a
 * word boundary at will. So the steps are put together again here, and any other reader is refused.
 */
import { Op } from '../operations.js';
import { sameOperand, type Operand } from './draft.js';

/** What an unfinished step leaves, and of which argument. */
export interface Piece {
  readonly step: string;
  /** The number that the function is asked of. */
  readonly argument: Operand;
  /** For `complex2` and `exp2_impl`: whether they read the result of `preexp2` and not the number itself. */
  readonly ofPreexp2: boolean;
}

export type StepInput = Operand | Piece;

const isPiece = (input: StepInput): input is Piece => 'step' in input;

const firstSteps: ReadonlySet<string> = new Set([
  'complex2',
  'preexp2',
  'rcp_impl',
  'rsqrt_impl',
  'exp2_impl',
  'log2_impl',
]);

export const isStep = (opcode: string): boolean =>
  firstSteps.has(opcode) || opcode === 'complex1' || opcode === 'postlog2';

/** A finished function, a piece of one, or what is wrong as the rest of a sentence about the instruction. */
export type StepResult = Piece | { readonly op: Op; readonly argument: Operand } | string;

export function step(opcode: string, inputs: readonly StepInput[]): StepResult {
  if (opcode === 'complex1') return complex1(inputs);
  const [input] = inputs;
  if (opcode === 'postlog2')
    return isPiece(input) && input.step === 'complex1'
      ? { op: Op.Log2, argument: input.argument }
      : 'needs the result of the `complex1` of a `log2_impl`';
  if (!isPiece(input)) return { step: opcode, argument: input, ofPreexp2: false };
  if (input.step === 'preexp2' && (opcode === 'complex2' || opcode === 'exp2_impl'))
    return { step: opcode, argument: input.argument, ofPreexp2: true };
  return `cannot read the result of \`${input.step}\``;
}

const finished: Readonly<Record<string, Op>> = { rcp_impl: Op.Rcp, rsqrt_impl: Op.Rsqrt, exp2_impl: Op.Exp2 };

function complex1([first, second, third]: readonly StepInput[]): StepResult {
  if (!isPiece(first) || !first.step.endsWith('_impl')) return 'needs the result of an `*_impl` first';
  if (!isPiece(second) || second.step !== 'complex2') return 'needs the result of `complex2` second';
  const isThirdPiece = isPiece(third);
  if (isThirdPiece && third.step !== 'preexp2') return `cannot read the result of \`${third.step}\` third`;
  const argument = isThirdPiece ? third.argument : third;
  const belongTogether =
    sameOperand(first.argument, argument) &&
    sameOperand(second.argument, argument) &&
    first.ofPreexp2 === isThirdPiece &&
    second.ofPreexp2 === isThirdPiece;
  if (!belongTogether) return 'needs three operands that belong to one argument';
  if (first.step === 'exp2_impl' && !isThirdPiece) return 'needs `preexp2` before `exp2_impl`';
  const op = finished[first.step] as Op | undefined;
  return op === undefined ? { step: 'complex1', argument, ofPreexp2: false } : { op, argument };
}
