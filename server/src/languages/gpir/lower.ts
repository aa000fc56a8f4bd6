import { FunctionBuilder } from '../../ir/builder.js';
import { InstructionFlag, OperandFlag, type Function } from '../../ir/function.js';
import type { Place } from '../../ir/place.js';
import { Space } from '../../ir/payload.js';
import type { GpirBound } from './bind/index.js';
import { operandEnd } from './bind/code.js';
import { gpirClasses, gpirOpcodes } from './classes.js';
import type { DeclareDirective, GpirUnit } from './tree.js';

/**
 * A bound gpir program as `ir/`. Operands stand in text order, the result first; what a number or a location is
 * stands in the payload (ir/payload.ts), a sign too. A value has one definition or none (an error then): a second
 * one gets a register of its own, which nobody reads.
 *
 * Two pseudo instructions make a fragment's surroundings explicit. `entry`, in front of all others, defines the
 * registers that are handed over; it has a block of its own when a branch goes to the program's beginning.
 * `live_out`, behind all others, reads what outlives the program. It has no place in the text order, so it has an
 * empty span at the end, and its operands those of the directive.
 *
 * Attributes: `uniforms`, the number of uniform vectors that belong to the program; `position` and `pointSize`, the
 * varyings that are declared so.
 */
export function lower(bound: GpirBound): Function | undefined {
  const { code, blocks, entry, parsed } = bound;
  if (code.nodes.length === 0 && code.labels.length === 0) return undefined;
  const { name, start, end } = nameOf(parsed);
  const builder = new FunctionBuilder(
    { name, isEntry: true, nameStart: start, nameEnd: end, attributes: attributesOf(bound) },
    gpirOpcodes,
    gpirClasses,
  );
  for (let r = 0; r < code.registerNames.length; r++)
    builder.register(code.registerNames[r], code.registerClasses.at(r), 1);

  const shift = entry.length > 0 && blocks.successors.includes(0) ? 1 : 0;
  if (shift === 1) {
    builder.block();
    addEntry(bound, builder);
  }
  for (let b = 0; b < blocks.blockCount; b++) {
    builder.block(blocks.names[b]);
    if (b === 0 && shift === 0 && entry.length > 0) addEntry(bound, builder);
    for (let i = blocks.start[b]; i < blocks.start[b + 1]; i++) addInstruction(bound, builder, i);
  }
  if (shift === 1) builder.successor(0, 1);
  for (let b = 0; b < blocks.blockCount; b++)
    for (let e = blocks.successorStart[b]; e < blocks.successorStart[b + 1]; e++)
      builder.successor(b + shift, blocks.successors[e] + shift);
  return builder.finish();
}

function addEntry({ parsed, entry }: GpirBound, builder: FunctionBuilder): void {
  const start = parsed.statements.at(0)?.start ?? 0;
  builder.instruction('entry', InstructionFlag.Entry, start, start);
  for (const place of entry) builder.operand(place, OperandFlag.Definition);
}

function addInstruction({ code, parsed }: GpirBound, builder: FunctionBuilder, i: number): void {
  const node = code.nodes[i];
  if (node.kind === 'liveOut') {
    const end = parsed.statements[parsed.statements.length - 1].end;
    builder.instruction('live_out', code.flags.at(i), end, end);
  } else builder.instruction(node.opcode.text, code.flags.at(i), node.start, node.end);
  for (let o = code.operandStart.at(i); o < operandEnd(code, i); o++) {
    const place = code.place.at(o) as Place;
    const operand = builder.plainOperand(
      place,
      code.operandFlags.at(o),
      code.spanStart.at(o),
      code.spanEnd.at(o),
    );
    const payload = code.payload.at(o);
    if (payload !== 0) builder.payload(operand, payload);
  }
}

interface Named {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The program's name; one without a name is called `program`, and stands where its first statement does. */
function nameOf({ program, statements }: GpirUnit): Named {
  if (program?.name !== undefined) {
    const { text, start, end } = program.name;
    return { name: text, start, end };
  }
  const first = statements[0];
  if (first.kind === 'label') return { name: 'program', start: first.name.start, end: first.name.end };
  return { name: 'program', start: first.start, end: first.end };
}

function attributesOf({ uniforms, declared }: GpirBound): Record<string, number> {
  const varying = (role: string): DeclareDirective | undefined =>
    declared.find((d) => d.space === Space.Varying && d.role?.text === role);
  const position = varying('position');
  const pointSize = varying('point_size');
  return {
    uniforms,
    ...(position !== undefined && { position: position.index }),
    ...(pointSize !== undefined && { pointSize: pointSize.index }),
  };
}
