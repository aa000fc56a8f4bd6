import type { Span } from '../../../text/span.js';
import type { PtxBound } from '../bind/index.js';
import type { FunctionItem } from '../tree.js';

/**
 * What a kernel says of its blocks, as far as one stack a warp is concerned. A launch with such stacks has the lanes of a
 * warp in x and the warps of a block in y: at most 32 lanes, at most 32 warps, since there are 32 slots, and one in z. A
 * warp is filled with 32 threads in x, y, z order, so that with fewer in x and several in y one warp has several slots;
 * with one thread in x each has a slot of its own, which is right as well.
 */
export interface ShapeFault {
  /** The directive, relative to the unit. */
  readonly span: Span;
  /** As written: `.reqntid 256, 1, 1`. */
  readonly directive: string;
  /** What it leads to; without a full stop. */
  readonly why: string;
}

const WARP = 32;
const SLOTS = 32;

/** What `.reqntid` says against one stack a warp. */
export function requiredShapeFault(bound: PtxBound, item: FunctionItem): ShapeFault | undefined {
  const shape = shapeOf(bound, item, '.reqntid');
  if (shape === undefined) return undefined;
  const [x, y, z] = shape.sizes;
  const why = faultOf(x, y, z) ?? (x > 1 && x < WARP && y > 1 ? severalSlots(x) : undefined);
  return why === undefined ? undefined : { ...shape, why };
}

/** What `.maxntid` lets a launch do that one stack a warp cannot stand; nothing where `.reqntid` says more. */
export function largestShapeFault(bound: PtxBound, item: FunctionItem): ShapeFault | undefined {
  if (shapeOf(bound, item, '.reqntid') !== undefined) return undefined;
  const shape = shapeOf(bound, item, '.maxntid');
  if (shape === undefined) return undefined;
  const why = faultOf(...shape.sizes);
  return why === undefined ? undefined : { ...shape, why };
}

function faultOf(x: number, y: number, z: number): string | undefined {
  if (x > WARP)
    return `${Math.ceil(x / WARP)} warps of a block have the same %tid.y and would share one stack`;
  if (z > 1) return `threads with the same %tid.y and another %tid.z would share one stack`;
  if (y > SLOTS) return `there are ${SLOTS} slots, and %tid.y goes up to ${y - 1}`;
  return undefined;
}

const severalSlots = (x: number): string =>
  `a warp has 32 threads in x, y, z order, and with ${x} in x it would have more than one slot`;

interface Shape {
  readonly span: Span;
  readonly directive: string;
  readonly sizes: readonly [number, number, number];
}

/** Undefined where the directive does not stand there, or has no numbers. */
function shapeOf(bound: PtxBound, item: FunctionItem, name: string): Shape | undefined {
  const directive = item.directives.find((d) => d.name.text === name);
  if (directive === undefined || directive.values.length === 0) return undefined;
  const sizes: [number, number, number] = [1, 1, 1];
  let { end } = directive.name;
  for (const [k, value] of directive.values.slice(0, 3).entries()) {
    if (value.integer === undefined || value.integer <= 0n) return undefined;
    sizes[k] = Number(value.integer);
    end = Math.max(end, value.end);
  }
  const span = { start: directive.name.start, end };
  return { span, directive: bound.parsed.text.slice(span.start, end).replace(/\s+/g, ' '), sizes };
}
