import type { Span } from '../../../text/span.js';
import type { PlacedUnit, Refactoring } from '../../language.js';
import type { PtxBound } from '../bind/index.js';
import { EntityKind } from '../bind/entities.js';
import { moveToSoftStack, type Lanes } from './index.js';

/**
 * "Move stack frame to a soft stack", offered on the head of a function with a `.local` frame and on the declarations of
 * the frame's variables: once with one stack a warp, as GCC has it, and once with one for each lane.
 */
const offers: readonly { readonly title: string; readonly lanes: Lanes }[] = [
  { title: 'Move stack frame to a soft stack', lanes: 'checked' },
  { title: 'Move stack frame to a soft stack for each lane', lanes: 'own' },
];

export function softStackRefactorings(
  units: readonly PlacedUnit<PtxBound>[],
  place: Span,
): readonly Refactoring[] {
  const unit = unitAt(units, place.start);
  const name = unit === undefined ? undefined : functionAt(unit, place);
  if (name === undefined) return [];
  return offers.map(({ title, lanes }) => {
    const { edits, refusals, notes } = moveToSoftStack(units, { functions: [name], lanes });
    const refused = refusals.at(0);
    if (refused !== undefined) return { title, refused: refused.reason };
    const warning = notes.find(({ severity }) => severity === 'warning');
    return { title: warning === undefined ? title : `${title} (${warning.message})`, edits };
  });
}

function unitAt(units: readonly PlacedUnit<PtxBound>[], offset: number): PlacedUnit<PtxBound> | undefined {
  let low = 0;
  let high = units.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (units[middle].start <= offset) low = middle + 1;
    else high = middle;
  }
  return units.at(low - 1);
}

/** The function with a frame whose head, or one of whose variables, `place` touches. */
function functionAt({ start, bound }: PlacedUnit<PtxBound>, place: Span): string | undefined {
  const source = bound.functions.at(0);
  const body = source?.item.body;
  if (source === undefined || body === undefined) return undefined;
  const touches = (span: Span): boolean => start + span.start <= place.end && place.start <= start + span.end;
  const variables = source.declared.filter(
    ({ kind, space }) => kind === EntityKind.Variable && space === '.local',
  );
  const allocates = source.code.opcodes.some((opcode) => opcode.startsWith('alloca'));
  if (variables.length === 0 && !allocates) return undefined;
  const isThere =
    touches({ start: source.item.start, end: body.start }) ||
    variables.some(({ extent }) => extent !== undefined && touches(extent));
  return isThere ? source.item.name?.text : undefined;
}
