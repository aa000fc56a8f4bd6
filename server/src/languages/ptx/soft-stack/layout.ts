import { OperandFlag } from '../../../ir/function.js';
import { NoRegister } from '../../../ir/place.js';
import { occurrenceAt } from '../../symbols.js';
import type { PtxBound } from '../bind/index.js';
import type { Frame } from '../stack/frame.js';

/**
 * Where the `.local` variables of a function lie in its frame: in text order, each at its alignment, as in the local
 * window. The frame's size is rounded up to the frame alignment; an object that asks for more has the frame's address
 * cleared below it.
 */
export interface Layout {
  /** Rounded. */
  readonly bytes: number;
  readonly alignment: number;
  /** Offset of the variable that is named at `offset` of the unit, or undefined where none is. */
  offsetAt(offset: number): number | undefined;
  /** Operands of the lowered function that are such variables. */
  readonly operands: ReadonlySet<number>;
  /**
   * Operands that take the address of one of the function's own parameters, such as the unsized array of a variadic function:
   * it stays where the caller has put it, and its address is one of the local window.
   */
  readonly parameters: ReadonlySet<number>;
  /** Whether the name at `offset` of the unit is one of the latter. */
  isParameterAt(offset: number): boolean;
}

export function layoutOf(bound: PtxBound, frame: Frame, frameAlignment: number): Layout {
  const offsets = new Map<number, number>();
  for (const { space, span, offset } of frame.objects)
    if (space === 'local' && span !== undefined) offsets.set(span.start, offset);
  const { symbols } = bound;
  const offsetAt = (offset: number): number | undefined => {
    const at = occurrenceAt(symbols, offset);
    if (at < 0 || symbols.occurrenceStart[at] !== offset) return undefined;
    const declared = symbols.symbols[symbols.occurrenceSymbol[at]].declaration;
    return declared === undefined ? undefined : offsets.get(declared.start);
  };
  const f = frame.function;
  const parameters = new Set<number>();
  const parameterOffsets = new Set<number>();
  if (!f.isEntry)
    for (let k = 0; k < f.operandStart[f.instructionCount]; k++) {
      const isValue =
        f.operandPlace[k] === (NoRegister.Symbol as number) &&
        (f.operandFlags[k] & (OperandFlag.Use | OperandFlag.Address)) === OperandFlag.Use;
      if (!isValue || !isInput(bound, f.operandSpanStart[k])) continue;
      parameters.add(k);
      parameterOffsets.add(f.operandSpanStart[k]);
    }
  const operands = new Set<number>();
  if (offsets.size > 0)
    for (let k = 0; k < f.operandStart[f.instructionCount]; k++)
      if (
        f.operandPlace[k] < 0 &&
        (f.operandFlags[k] & OperandFlag.Use) !== 0 &&
        offsetAt(f.operandSpanStart[k]) !== undefined
      )
        operands.add(k);
  return {
    bytes: Math.ceil(frame.localBytes / frameAlignment) * frameAlignment,
    alignment: frame.objects.reduce(
      (most, o) => (o.space === 'local' ? Math.max(most, o.alignment) : most),
      1,
    ),
    offsetAt,
    operands,
    parameters,
    isParameterAt: (offset) => parameterOffsets.has(offset),
  };
}

/** Whether the name at `offset` is a parameter that the function receives in memory. */
function isInput({ symbols, functions }: PtxBound, offset: number): boolean {
  const at = occurrenceAt(symbols, offset);
  if (at < 0 || symbols.occurrenceStart[at] !== offset) return false;
  const declared = symbols.symbols[symbols.occurrenceSymbol[at]].declaration;
  const inputs = functions.at(0)?.item.parameters ?? [];
  return inputs.some(({ space, name }) => space.text === '.param' && name?.start === declared?.start);
}
