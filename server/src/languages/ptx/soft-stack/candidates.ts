import { shift, type Span } from '../../../text/span.js';
import { count } from '../../../text/words.js';
import type { PlacedUnit } from '../../language.js';
import type { BoundFunction } from '../bind/body.js';
import { EntityKind } from '../bind/entities.js';
import type { PtxBound } from '../bind/index.js';
import { flowOf } from '../stack/flow.js';
import { frameOf, type Frame } from '../stack/frame.js';
import type { Block } from '../tree.js';
import { addressesOf, type Addresses } from './addresses.js';
import { follow, type Following } from './follow.js';
import { layoutOf, type Layout } from './layout.js';
import { hasDynamic } from './rewrite.js';
import { ruleOf } from './rules.js';
import { slotArray } from './statements.js';

/** A function as far as it has been looked at. */
export interface Candidate {
  readonly unit: PlacedUnit<PtxBound>;
  readonly source: BoundFunction;
  readonly body: Block;
  readonly name: string;
  readonly frame: Frame;
  /** It has a frame in `.local` memory. */
  readonly hasFrame: boolean;
  /** It makes local addresses of generic ones that others have given it, or asks where such a one points. */
  readonly isReceiver: boolean;
}

/** A function whose addresses have been followed. */
export interface Followed {
  readonly candidate: Candidate;
  readonly layout: Layout;
  readonly addresses: Addresses;
  readonly following: Following;
}

/** What is in the way, in the document. */
export interface Fault {
  readonly span: Span;
  readonly reason: string;
}

/** Every function with a body. */
export function candidatesOf(units: readonly PlacedUnit<PtxBound>[]): Candidate[] {
  const found: Candidate[] = [];
  for (const unit of units) {
    const source = unit.bound.functions.at(0);
    const body = source?.item.body;
    if (source === undefined || body === undefined) continue;
    const frame = frameOf(unit.bound);
    if (frame === undefined) continue;
    found.push({
      unit,
      source,
      body,
      name: source.item.name?.text ?? '',
      frame,
      hasFrame: frame.localBytes > 0 || hasLocal(source) || hasDynamic(frame.function),
      isReceiver: isReceiver(frame),
    });
  }
  return found;
}

const hasLocal = (source: BoundFunction): boolean =>
  source.declared.some(({ kind, space }) => kind === EntityKind.Variable && space === '.local') ||
  source.ranges.some(({ space }) => space === '.local');

function isReceiver({ function: f }: Frame): boolean {
  const known = new Map<number, boolean>();
  for (let i = 0; i < f.instructionCount; i++) {
    let asks = known.get(f.opcode[i]);
    if (asks === undefined) {
      const text = f.opcodes.text(f.opcode[i]);
      asks = ruleOf(text) === 'to-local' || text.startsWith('isspacep.local');
      known.set(f.opcode[i], asks);
    }
    if (asks) return true;
  }
  return false;
}

/** The first error of a function, which then is as it was meant by nobody. */
export function errorIn({ bound, start }: PlacedUnit<PtxBound>): Fault | undefined {
  const errors = [...bound.parsed.problems, ...bound.problems].filter(({ severity }) => severity === 'error');
  const first = errors.sort((a, b) => a.span.start - b.span.start).at(0);
  if (first === undefined) return undefined;
  return {
    span: shift(first.span, start),
    reason: `the function has ${count(errors.length, 'error')}, the first one here: ${first.message}`,
  };
}

/** What keeps a function from being moved before its addresses are looked at. */
export function faultOf({ unit, source, frame }: Candidate): Fault | undefined {
  const { start } = unit;
  const place = (span: Span): Span => shift(span, start);
  const error = errorIn(unit);
  if (error !== undefined) return error;
  const range = source.ranges.find(({ space }) => space === '.local');
  if (range !== undefined)
    return {
      span: place(range.declaration),
      reason: `${range.prefix}<${range.count}> declares several variables at once; declare each`,
    };
  for (const e of source.module)
    if (e.space === '.local')
      return {
        span: nameSpan(source, start),
        reason: `it uses ${e.name}, which is .local for the whole module and no part of a frame; declare it in the function`,
      };
  const slots = [slotArray(false).name, slotArray(true).name];
  const own = [...source.module].find(({ name }) => slots.includes(name));
  if (own !== undefined)
    return {
      span: place(frame.objects.find(({ space }) => space === 'local')?.span ?? source.item),
      reason: `it has a soft stack already, and what is left in .local memory are the stacks of lanes in a SIMT region, which belong there`,
    };
  return undefined;
}

export const nameSpan = ({ item }: BoundFunction, start: number): Span =>
  shift({ start: item.name?.start ?? item.start, end: item.name?.end ?? item.end }, start);

/** Follows the addresses of a function without errors; a fault where that cannot be done. */
export function followed(candidate: Candidate, frameAlignment: number): Followed | Fault {
  const { unit, frame } = candidate;
  const layout = layoutOf(unit.bound, frame, frameAlignment);
  const f = frame.function;
  const { reaching } = frame.flow ?? flowOf(unit.bound, f);
  const addresses = addressesOf(
    f,
    reaching,
    (operand) => layout.operands.has(operand) || layout.parameters.has(operand),
  );
  const following = follow(f, addresses, layout.alignment);
  const first = following.obstacles.at(0);
  if (first === undefined) return { candidate, layout, addresses, following };
  const span = { start: f.spanStart[first.instruction], end: f.spanEnd[first.instruction] };
  return { span: shift(span, unit.start), reason: first.reason };
}
