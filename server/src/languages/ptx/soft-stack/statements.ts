import type { StackRegisters } from './registers.js';

/**
 * The instructions of a soft stack. A slot holds the stack pointer of its owner, a warp (`%tid.y`, GCC's geometry: the
 * lane is `%tid.x`) or a thread; stacks grow down. A function that calls others publishes its own pointer in the slot,
 * and stores the caller's back before it returns; a leaf only reads the slot.
 */
export interface StackShape {
  /** Fixed, rounded; 0 where everything is allocated at run time. */
  readonly bytes: number;
  /** The largest alignment of an object. */
  readonly alignment: number;
  /** What the stack pointer keeps: 8 or 16. */
  readonly frameAlignment: number;
  readonly isPublished: boolean;
  /** The stack pointer is a register of its own. */
  readonly hasPointer: boolean;
  readonly isPerThread: boolean;
}

/** The array of slots: GCC's, 32 warps a block at the most; or one of 1024 threads. */
export interface SlotArray {
  readonly name: string;
  readonly slots: number;
}

export const slotArray = (isPerThread: boolean): SlotArray =>
  isPerThread ? { name: '__lane_stacks', slots: 1024 } : { name: '__nvptx_stacks', slots: 32 };

export const slotDeclaration = ({ name, slots }: SlotArray, linkage: string): string =>
  `${linkage} .shared .align 8 .u64 ${name}[${slots}];`;

/** A statement as words: opcode and operands, apart. */
export interface Statement {
  readonly opcode: string;
  readonly operands: string;
}

const statement = (opcode: string, operands: string): Statement => ({ opcode, operands });

/** Declarations of the registers that the statements of this shape need. */
export function declarations(r: StackRegisters, shape: StackShape, hasSizes: boolean): Statement[] {
  const words = shape.isPerThread ? [r.owner, r.extent, r.position] : [r.owner];
  const wide = [r.slots, r.slot, r.previous];
  if (hasFrame(shape)) wide.push(r.frame);
  if (shape.hasPointer) wide.push(r.pointer);
  if (hasSizes) wide.push(r.bytes);
  return [statement('.reg .b32', words.join(', ')), statement('.reg .b64', wide.join(', '))];
}

export const hasFrame = (shape: StackShape): boolean => shape.bytes > 0 || !shape.hasPointer;

/** The number of the owner, and the address of its slot. */
export function slotAddress(r: StackRegisters, isPerThread: boolean): Statement[] {
  const { name } = slotArray(isPerThread);
  return [
    ...(isPerThread ? threadNumber(r) : [statement('mov.u32', `${r.owner}, %tid.y`)]),
    statement('mov.u64', `${r.slots}, ${name}`),
    statement('mad.wide.u32', `${r.slot}, ${r.owner}, 8, ${r.slots}`),
  ];
}

/** `(%tid.z * %ntid.y + %tid.y) * %ntid.x + %tid.x` */
const threadNumber = (r: StackRegisters): Statement[] => [
  statement('mov.u32', `${r.owner}, %tid.z`),
  statement('mov.u32', `${r.extent}, %ntid.y`),
  statement('mov.u32', `${r.position}, %tid.y`),
  statement('mad.lo.u32', `${r.owner}, ${r.owner}, ${r.extent}, ${r.position}`),
  statement('mov.u32', `${r.extent}, %ntid.x`),
  statement('mov.u32', `${r.position}, %tid.x`),
  statement('mad.lo.u32', `${r.owner}, ${r.owner}, ${r.extent}, ${r.position}`),
];

export function prologue(r: StackRegisters, shape: StackShape): Statement[] {
  const { bytes, alignment, frameAlignment, hasPointer } = shape;
  const code = [
    ...slotAddress(r, shape.isPerThread),
    statement('ld.shared.u64', `${r.previous}, [${r.slot}]`),
  ];
  if (hasFrame(shape)) {
    code.push(statement('sub.u64', `${r.frame}, ${r.previous}, ${bytes}`));
    if (alignment > frameAlignment) code.push(statement('and.b64', `${r.frame}, ${r.frame}, -${alignment}`));
  }
  if (hasPointer) code.push(statement('mov.u64', `${r.pointer}, ${hasFrame(shape) ? r.frame : r.previous}`));
  return [...code, ...publish(r, shape)];
}

/** Lets callees begin below what this function uses. */
const publish = (r: StackRegisters, { isPublished, hasPointer }: StackShape): Statement[] =>
  isPublished ? [statement('st.shared.u64', `[${r.slot}], ${hasPointer ? r.pointer : r.frame}`)] : [];

/** Before every return of a function that has published its pointer. */
export const restore = (r: StackRegisters): Statement =>
  statement('st.shared.u64', `[${r.slot}], ${r.previous}`);

/** `alloca`: `size` is a number or a 64-bit register, `alignment` 1 where nothing is asked for. */
export function allocate(
  r: StackRegisters,
  shape: StackShape,
  to: string,
  size: bigint | string,
  alignment: number,
): Statement[] {
  const round = shape.frameAlignment;
  const code: Statement[] = [];
  if (typeof size === 'bigint') {
    const rounded = ((size + BigInt(round - 1)) / BigInt(round)) * BigInt(round);
    code.push(statement('sub.u64', `${r.pointer}, ${r.pointer}, ${rounded}`));
  } else
    code.push(
      statement('add.u64', `${r.bytes}, ${size}, ${round - 1}`),
      statement('and.b64', `${r.bytes}, ${r.bytes}, -${round}`),
      statement('sub.u64', `${r.pointer}, ${r.pointer}, ${r.bytes}`),
    );
  if (alignment > round) code.push(statement('and.b64', `${r.pointer}, ${r.pointer}, -${alignment}`));
  return [...code, ...publish(r, shape), statement('mov.u64', `${to}, ${r.pointer}`)];
}

export const saveStack = (r: StackRegisters, to: string): Statement[] => [
  statement('mov.u64', `${to}, ${r.pointer}`),
];

export const restoreStack = (r: StackRegisters, shape: StackShape, from: string): Statement[] => [
  statement('mov.u64', `${r.pointer}, ${from}`),
  ...publish(r, shape),
];
