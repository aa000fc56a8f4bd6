import { FunctionBuilder } from '../../../ir/builder.js';
import { OpcodeTable, type Function } from '../../../ir/function.js';
import type { BeignetBound } from './bind.js';
import type { Emitter } from './emit.js';
import { genClasses } from '../classes.js';
import { classOf } from './families.js';
import { branchOf } from './graph.js';
import { headText } from './head.js';
import { lowerIr } from './lower-ir.js';
import { lowerSelection } from './lower-selection.js';

/**
 * A section of Beignet's output as `ir/`, in the canonical form of Gen programs. Labels are instructions, because
 * Beignet numbers them like all others and its live intervals count in these numbers. A register allocation that
 * stands alone holds no code.
 */
export function lowerBeignet(bound: BeignetBound): Function | undefined {
  const { parsed, code, registers, blocks, flags } = bound;
  if (code.length === 0) return undefined;
  const isIr = parsed.section === 'genIr';
  const first = parsed.name ?? { text: 'kernel', start: code[0].start, end: code[0].start };
  const texts = new OpcodeTable();
  texts.number('');
  const builder = new FunctionBuilder(
    {
      name: first.text,
      isEntry: true,
      nameStart: first.start,
      nameEnd: first.end,
      operandTexts: texts,
      attributes: {
        dialect: 'selection',
        source: isIr ? 'gen-ir' : 'selection',
        stage: 'cs',
        phase: 'virtual',
        width: registers.width,
        firstFree: 1,
        ...(blocks.firstLost !== undefined && { graph: 'incomplete' }),
      },
    },
    new OpcodeTable(),
    genClasses,
  );
  for (const r of registers.inCode) builder.register(`%${r.number}`, classOf(r.family, r.isUniform), 1);
  const e: Emitter = { builder, texts, registers };
  for (let b = 0; b < blocks.blockCount; b++) {
    builder.block(blocks.names[b]);
    for (let i = blocks.start[b]; i < blocks.start[b + 1]; i++) {
      const line = code[i];
      const target = branchOf(line) === undefined ? undefined : blocks.targets.get(i);
      if (line.kind === 'selection') lowerSelection(e, line, flags.get(line), target);
      else if (line.kind === 'ir') lowerIr(e, line, target);
      else {
        const name = isIr ? 'ir_label' : 'label';
        builder.instruction(headText({ name, width: registers.width }), 0, line.start, line.end);
      }
    }
  }
  for (let b = 0; b < blocks.blockCount; b++)
    for (let k = blocks.successorStart[b]; k < blocks.successorStart[b + 1]; k++)
      builder.successor(b, blocks.successors[k]);
  return builder.finish();
}
