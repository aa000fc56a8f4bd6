import { FunctionBuilder } from '../../server/src/ir/builder.js';
import { InstructionFlag, OpcodeTable, OperandFlag, type Function } from '../../server/src/ir/function.js';
import { NoRegister, virtual } from '../../server/src/ir/place.js';
import { classes } from './random-function.js';

/**
 * A function from a few lines of text, for hand-made cases:
 *
 *   regs a b d:2 p:p          registers; `:2` is two units wide, `:p` of the predicate class
 *   L:                        starts a block
 *   a = op b c                definitions = opcode uses
 *   @p a = op b               predicated;  `a.lo =`, `a.hi =` write half of a wide register (partial)
 *   -> L M                    successors of the block, in place of falling through; `->` alone leaves
 *
 * The opcodes `copy`, `const`, `store` (side effect, memory), `load`, `call`, `barrier`, `branch` and `ld.*` carry their
 * flags.
 */
export function buildFunction(text: string): Function {
  const builder = new FunctionBuilder({ name: 'test', isEntry: true }, new OpcodeTable(), classes);
  const registers = new Map<string, { readonly number: number; readonly width: number }>();
  const blocks = new Map<string, number>();
  const edges: [number, string[]][] = [];
  let current = -1;
  const lines = text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
  for (const line of lines) {
    if (line.startsWith('regs ')) {
      for (const word of line.slice(5).split(/\s+/)) {
        const [name, kind] = word.split(':');
        const width = kind === undefined || kind === 'p' ? 1 : Number(kind);
        const number = builder.register(name, kind === 'p' ? 1 : 0, width);
        registers.set(name, { number, width });
      }
      continue;
    }
    if (line.endsWith(':')) {
      current = builder.block(line.slice(0, -1));
      blocks.set(line.slice(0, -1), current);
      continue;
    }
    if (current < 0) current = builder.block();
    if (line.startsWith('->')) {
      edges.push([current, line.slice(2).trim().split(/\s+/).filter(Boolean)]);
      continue;
    }
    addLine(builder, registers, line);
  }
  const explicit = new Set(edges.map(([from]) => from));
  for (let b = 0; b + 1 < builder.blockCount; b++) if (!explicit.has(b)) builder.successor(b, b + 1);
  for (const [from, names] of edges) for (const name of names) builder.successor(from, blocks.get(name)!);
  return builder.finish();
}

const FLAGS: Readonly<Record<string, number>> = {
  copy: InstructionFlag.Copy,
  const: InstructionFlag.Constant,
  store: InstructionFlag.SideEffect | InstructionFlag.WritesMemory,
  load: InstructionFlag.ReadsMemory,
  call: InstructionFlag.Call | InstructionFlag.SideEffect,
  barrier: InstructionFlag.Barrier | InstructionFlag.SideEffect,
  branch: InstructionFlag.Branch | InstructionFlag.SideEffect,
};

function addLine(
  builder: FunctionBuilder,
  registers: ReadonlyMap<string, { readonly number: number; readonly width: number }>,
  line: string,
): void {
  const match = /^(?:@(\w+)\s+)?(?:(.*?)\s*=\s*)?([\w.:]+)\s*(.*)$/.exec(line);
  if (match === null) throw new Error(`not an instruction: ${line}`);
  const [, guard, definitions = '', opcode, uses] = match;
  const at = builder.instructionCount;
  const flags = FLAGS[opcode] ?? (opcode.startsWith('ld.') ? InstructionFlag.ReadsMemory : 0);
  builder.instruction(opcode, flags, at, at + 1);
  const add = (word: string, flags: number): void => {
    const [name, half] = word.split('.');
    const register = registers.get(name);
    if (register === undefined) {
      builder.operand(NoRegister.Immediate, flags);
      return;
    }
    const width = half === undefined ? register.width : register.width >> 1;
    const isDefinition = (flags & OperandFlag.Definition) !== 0;
    builder.operand(virtual(register.number), flags | (half && isDefinition ? OperandFlag.Partial : 0), {
      width,
      offset: half === 'hi' ? width : 0,
    });
  };
  const predicated = guard === undefined ? 0 : OperandFlag.Predicated;
  for (const word of definitions.split(/\s+/).filter(Boolean)) add(word, OperandFlag.Definition | predicated);
  for (const word of uses.split(/\s+/).filter(Boolean)) add(word, OperandFlag.Use);
  if (guard !== undefined) add(guard, OperandFlag.Use | OperandFlag.Guard);
}
