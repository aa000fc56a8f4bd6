import type { Operand } from './operand.js';
import type { Instruction } from './tree.js';
import { typeSizes } from './types.js';

/**
 * How many bytes an operand reads or writes (Mesa's size_read and size_written): what a line says of the size of a
 * virtual register. All lanes at once, from the operand's offset on.
 */

/** The line does not tell: a response, or a payload of unknown length. */
export const UNKNOWN = -1;
/** The whole register, however large it is. */
export const WHOLE = -2;

interface Rule {
  /** Of the destination. */
  readonly destination?: typeof UNKNOWN | typeof WHOLE;
  /** The source that is a payload of `mlen` registers, and the one of `ex_mlen`. */
  readonly payload?: number;
  readonly secondPayload?: number;
  /** Source 0 is a pair of coordinates. */
  readonly isPair?: true;
  /** Source 1 is a plane equation of four numbers. */
  readonly hasPlane?: true;
}

const rules: Readonly<Record<string, Rule | undefined>> = {
  untyped_surface_read: { payload: 0 },
  untyped_surface_write: { payload: 0 },
  untyped_atomic: { payload: 0 },
  shader_time_add: { payload: 0 },
  tcs_urb_write: { payload: 0 },
  urb_read: { payload: 0 },
  pull_constant_load_gfx7: { payload: 1 },
  send: { destination: UNKNOWN, payload: 2, secondPayload: 3 },
  uniform_pull_const_gfx7: { destination: UNKNOWN },
  undef: { destination: WHOLE },
  linterp: { isPair: true, hasPlane: true },
  pixel_x: { isPair: true },
  pixel_y: { isPair: true },
};

/** Bytes that the destination is given. */
export function destinationBytes(instruction: Instruction): number {
  const { destination, attributes, width } = instruction;
  if (destination.file === 'none') return 0;
  if (attributes?.rlen !== undefined) return 32 * attributes.rlen;
  const rule = ruleOf(instruction);
  if (rule?.destination !== undefined) return rule.destination;
  return width * Math.max(destination.stride, 1) * typeSizes[destination.type];
}

/** Bytes that source number `k` reads. */
export function sourceBytes(instruction: Instruction, k: number): number {
  const source = instruction.sources[k];
  const rule = ruleOf(instruction);
  if (rule !== undefined) {
    const { attributes } = instruction;
    if (rule.payload === k) return attributes?.mlen === undefined ? UNKNOWN : 32 * attributes.mlen;
    if (rule.secondPayload === k) return attributes?.exMlen === undefined ? UNKNOWN : 32 * attributes.exMlen;
    if (rule.isPair === true && k === 0) return 2 * plainBytes(source, instruction.width);
    if (rule.hasPlane === true && k === 1) return 16;
  }
  if (instruction.opcode.text === 'mov_indirect' && k === 0) {
    const length = instruction.sources.at(2);
    if (length?.file === 'immediate') return length.low;
  }
  return plainBytes(source, instruction.width);
}

const ruleOf = ({ opcode }: Instruction): Rule | undefined =>
  Object.hasOwn(rules, opcode.text) ? rules[opcode.text] : undefined;

function plainBytes(source: Operand, width: number): number {
  const size = typeSizes[source.type];
  if (source.regionWidth >= 0) {
    const rows = Math.max(1, Math.ceil(width / Math.max(source.regionWidth, 1)));
    const columns = Math.max(1, Math.min(width, source.regionWidth));
    return ((rows - 1) * source.stride + (columns - 1) * source.regionHorizontal + 1) * size;
  }
  if (source.stride === 0) return size;
  return width * Math.max(source.stride, 1) * size;
}

/** First byte of the register that the operand means. `unit`: bytes of one register of its file. */
export const startByte = (operand: Operand, unit: number): number =>
  operand.offsetRegisters * unit + operand.offsetBytes + Math.max(operand.subregister, 0);

/**
 * Bytes behind the last element that a strided access counts and does not touch: `vgrf13+0.2<2>:UW` ends with the
 * register though it begins two bytes in.
 */
export const slackBytes = (operand: Operand): number =>
  operand.stride > 1 && operand.regionWidth < 0 ? (operand.stride - 1) * typeSizes[operand.type] : 0;
