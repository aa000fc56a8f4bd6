import { FunctionBuilder, type FunctionHead } from '../../ir/builder.js';
import {
  InstructionFlag,
  OpcodeTable,
  OperandFlag,
  type Function,
  type RegisterClass,
} from '../../ir/function.js';
import { NoRegister, virtual, type VirtualRegister } from '../../ir/place.js';
import { withAttributes } from '../../ir/same-code.js';
import { behaviourOf, isRecomputable, type Behaviour } from './behaviour.js';
import type { BoundFunction } from './bind/body.js';
import type { Code } from './bind/code.js';
import { EntityKind, type Entity } from './bind/entities.js';
import type { PtxBound } from './bind/index.js';
import { byteSize, isNounroll, type VariableFact } from './declarations.js';
import type { FunctionItem } from './tree.js';
import { RegisterClassNumber, typeBytes } from './types.js';

/**
 * A bound PTX function as `ir/`.
 *
 * Operands stand in text order, one for each element: `ld.v2 {a, b}, [p+8]` has a, b (written), p (read, Address)
 * and the immediate 8 (Address); a vector register gives one operand an element, all with the span of its name.
 * The guard comes last. Results of a call are definitions, in memory too. What an operand says beside its place, such as the value of a constant, is its payload
 * (`bind/payload.ts`). Two kinds of operand stand nowhere in the text and have no span: the carry flag, which
 * `.cc` writes and `addc`, `subc`, `madc` read (a predicate register `%cc` of our own, so that no pass reorders
 * such a chain), and the `.reg` return values, which `ret` reads.
 *
 * A `.func` with `.reg` parameters begins with a pseudo-instruction `.func` that writes them (flag `Entry`, operands
 * with the spans of the parameters' names): they hold the caller's values from the entry on.
 *
 * Blocks begin at labels and after instructions that may leave the block. A guarded branch, `ret` or `exit` falls
 * through as well; `call` does not end a block.
 */
const ptxOpcodes = new OpcodeTable();
export const ptxClasses: readonly RegisterClass[] = [
  { name: 'general', unit: '32-bit register' },
  { name: 'predicate', unit: 'predicate register' },
];

/** The function of a unit, or undefined when it has none with a body. */
export function lower(bound: PtxBound): Function | undefined {
  const source = bound.functions.at(0);
  if (source === undefined) return undefined;
  const known = lowered.get(source);
  if (known !== undefined) return withAttributes(known, attributesOf(bound, source));
  const made = lowerFunction(bound, source);
  lowered.set(source, made);
  return made;
}

/** A function that is bound for several machines (`bind/again.ts`) differs in its attributes. */
const lowered = new WeakMap<BoundFunction, Function>();

function lowerFunction(bound: PtxBound, source: BoundFunction): Function {
  const { code } = source;
  const builder = new FunctionBuilder(headOf(bound, source), ptxOpcodes, ptxClasses, {
    instructions: code.opcodes.length,
    // the carry flag and results stand nowhere in the text
    operands: code.place.length + 8,
    registers: code.registerNames.length + 1,
  });
  for (let r = 0; r < code.registerNames.length; r++)
    builder.register(code.registerNames[r], code.registerClasses.at(r), code.registerWidths.at(r));
  const blocks = blockStarts(code);
  addInstructions(builder, source, blocks);
  addEdges(builder, code, blocks);
  return builder.finish();
}

/** For each instruction the behaviour of its opcode; labels and ends of blocks come from it. */
interface Blocks {
  /** First instruction of each block, ascending; a block at the very end may be empty. */
  readonly starts: readonly number[];
  readonly names: readonly string[];
  /** Block of the instruction, or of the end of the code. */
  readonly blockAt: Int32Array;
  readonly behaviour: readonly Behaviour[];
}

function blockStarts(code: Code): Blocks {
  const count = code.opcodes.length;
  const leader = new Uint8Array(count + 1);
  const names = new Map<number, string>();
  leader[0] = 1;
  for (const label of code.labels) {
    leader[label.position] = 1;
    if (!names.has(label.position)) names.set(label.position, label.name);
  }
  const behaviour: Behaviour[] = [];
  for (let i = 0; i < count; i++) {
    const b = behaviourOf(code.opcodes[i]);
    behaviour.push(b);
    if (b.leaves && i + 1 < count) leader[i + 1] = 1;
  }
  const starts: number[] = [];
  const blockNames: string[] = [];
  const blockAt = new Int32Array(count + 1);
  for (let i = 0; i <= count; i++) {
    if (leader[i] === 1) {
      starts.push(i);
      blockNames.push(names.get(i) ?? '');
    }
    blockAt[i] = starts.length - 1;
  }
  return { starts, names: blockNames, blockAt, behaviour };
}

function addInstructions(builder: FunctionBuilder, source: BoundFunction, blocks: Blocks): void {
  const { code } = source;
  const count = code.opcodes.length;
  let carry: VirtualRegister | undefined;
  let nextBlock = 0;
  for (let i = 0; i <= count; i++) {
    if (nextBlock < blocks.starts.length && blocks.starts[nextBlock] === i)
      builder.block(blocks.names[nextBlock++]);
    if (i === count) break;
    const behaviour = blocks.behaviour[i];
    const from = code.operandStart.at(i);
    const to = i + 1 < count ? code.operandStart.at(i + 1) : code.place.length;
    const flags = behaviour.flags | valueFlags(source, i, from, to, behaviour);
    builder.instruction(code.opcodes[i], withoutRead(flags), code.spanStart.at(i), code.spanEnd.at(i));
    for (let k = from; k < to; k++) {
      const operand = builder.plainOperand(
        code.place.at(k),
        code.flags.at(k),
        code.operandSpanStart.at(k),
        code.operandSpanEnd.at(k),
      );
      const payload = code.payload.at(k);
      if (payload !== 0) builder.payload(operand, payload);
    }
    if (behaviour.readsCarry || behaviour.writesCarry) {
      carry ??= builder.register('%cc', RegisterClassNumber.Predicate, 1);
      builder.operand(carry, carryFlags(behaviour));
    }
    if (behaviour.isReturn)
      for (const result of source.results)
        for (let element = 0; result.register >= 0 && element < result.vector; element++)
          builder.operand(virtual(result.register + element), OperandFlag.Use);
  }
}

const carryFlags = (behaviour: Behaviour): number =>
  (behaviour.readsCarry ? OperandFlag.Use : 0) | (behaviour.writesCarry ? OperandFlag.Definition : 0);

/** A constant load touches no memory that anybody can change. */
const withoutRead = (flags: number): number =>
  (flags & InstructionFlag.Constant) !== 0 ? flags & ~InstructionFlag.ReadsMemory : flags;

/** Whether the instruction copies a register, or makes a value that can be made again anywhere. */
function valueFlags(
  source: BoundFunction,
  i: number,
  from: number,
  to: number,
  behaviour: Behaviour,
): number {
  const { code } = source;
  if (to - from < 2 || code.flags.at(from) !== OperandFlag.Definition || code.place.at(from) < 0) return 0;
  if (behaviour.isMove && to - from === 2 && code.flags.at(from + 1) === OperandFlag.Use) {
    const a = code.place.at(from);
    const b = code.place.at(from + 1);
    if (
      b >= 0 &&
      code.registerClasses.at(a) === code.registerClasses.at(b) &&
      code.registerWidths.at(a) === code.registerWidths.at(b)
    )
      return InstructionFlag.Copy;
  }
  const isLoad = behaviour.isParameterLoad && isKernelParameter(source, code.memory.get(i));
  if (!isLoad && !isRecomputable(code.opcodes[i])) return 0;
  for (let k = from + 1; k < to; k++) if (!isUnchanging(code.place.at(k))) return 0;
  return InstructionFlag.Constant;
}

/**
 * Parameters of kernels lie in constant memory for as long as the kernel runs. Those of a `.func` come in registers
 * by the calling convention, and the `.param` variables of a call block change with each call.
 */
const isKernelParameter = (source: BoundFunction, e: Entity | undefined): boolean =>
  source.item.isEntry && e?.kind === EntityKind.Parameter && e.flow === 'input';

const isUnchanging = (place: number): boolean =>
  place === NoRegister.Immediate || place === NoRegister.SpecialConstant || place === NoRegister.Symbol;

function addEdges(builder: FunctionBuilder, code: Code, blocks: Blocks): void {
  const count = code.opcodes.length;
  for (let b = 0; b < blocks.starts.length; b++) {
    const end = b + 1 < blocks.starts.length ? blocks.starts[b + 1] : count;
    const last = end - 1;
    const isEmpty = last < blocks.starts[b];
    const behaviour = isEmpty ? undefined : blocks.behaviour[last];
    const targets = isEmpty ? undefined : code.targets.get(last);
    const isKnown = (behaviour?.flags ?? 0) & InstructionFlag.Branch ? targets !== undefined : true;
    const falls = behaviour === undefined || !behaviour.leaves || isGuarded(code, last) || !isKnown;
    if (falls && b + 1 < blocks.starts.length) builder.successor(b, b + 1);
    if (behaviour === undefined || (behaviour.flags & InstructionFlag.Branch) === 0) continue;
    for (const label of targets ?? [])
      if (label.position >= 0) builder.successor(b, blocks.blockAt[label.position]);
  }
}

function isGuarded(code: Code, instruction: number): boolean {
  const end =
    instruction + 1 < code.opcodes.length ? code.operandStart.at(instruction + 1) : code.place.length;
  return end > code.operandStart.at(instruction) && (code.flags.at(end - 1) & OperandFlag.Guard) !== 0;
}

function headOf(bound: PtxBound, source: BoundFunction): FunctionHead {
  const { item } = source;
  return {
    name: item.name?.text ?? '',
    isEntry: item.isEntry,
    nameStart: item.name?.start ?? item.start,
    nameEnd: item.name?.end ?? item.start,
    attributes: attributesOf(bound, source),
    operandTexts: source.code.payloads.texts,
  };
}

function attributesOf(bound: PtxBound, source: BoundFunction): Record<string, number | string> {
  const { version, target, addressBits, options } = bound.header;
  const { item } = source;
  const attributes: Record<string, number | string> = { addressSize: addressBits };
  const add = (name: string, value: number | string | undefined): void => {
    if (value !== undefined) attributes[name] = value;
  };
  add('version', version);
  add('arch', target);
  if (options.includes('debug')) add('debug', 1);
  add('maxThreads', productOf(item, '.maxntid'));
  add('requiredThreads', productOf(item, '.reqntid'));
  add('minBlocks', productOf(item, '.minnctapersm'));
  add('maxRegisters', productOf(item, '.maxnreg'));
  add('clusterBlocks', productOf(item, '.reqnctapercluster'));
  const local = source.declared.filter((e) => e.kind === EntityKind.Variable);
  add('sharedBytes', spaceBytes([...source.module, ...local], '.shared'));
  add('localBytes', spaceBytes(local, '.local'));
  const names = local.flatMap(({ name, space }) => (space === '.local' ? [name] : []));
  add('localVariables', names.length > 0 ? names.join(' ') : undefined);
  add('nounroll', nounrollOf(bound, source));
  return attributes;
}

/**
 * The numbers of the instructions in front of which the pragma stands, or `*` where it is said of all loops: in the
 * function's head, or anywhere at module level (ptxas 13.0 then unrolls no loop of functions further up either).
 */
function nounrollOf({ header }: PtxBound, { item, code }: BoundFunction): string | undefined {
  if (header.isNounroll) return '*';
  if (item.directives.some((directive) => directive.strings.some(({ text }) => isNounroll(text)))) return '*';
  return code.nounroll.length === 0 ? undefined : code.nounroll.view().join(' ');
}

/** The product of a directive's values; undefined when it does not stand there, or says nothing. Of several the last one counts (ptxas 13.0). */
function productOf(item: FunctionItem, name: string): number | undefined {
  const directive = item.directives.findLast((d) => d.name.text === name);
  if (directive === undefined || directive.values.length === 0) return undefined;
  let product = 1;
  for (const value of directive.values) {
    if (value.integer === undefined || value.integer <= 0n) return undefined;
    product *= Number(value.integer);
  }
  return product;
}

/** Bytes of the variables in one state space, each at its alignment; undefined when there is none. */
function spaceBytes(entities: readonly Entity[], space: string): number | undefined {
  let bytes = 0;
  let found = false;
  for (const e of entities) {
    if (e.fact?.kind !== 'variable' || e.fact.space !== space) continue;
    found = true;
    const alignment = alignmentOf(e.fact);
    bytes = Math.ceil(bytes / alignment) * alignment + byteSize(e.fact);
  }
  return found ? bytes : undefined;
}

const alignmentOf = (fact: VariableFact): number =>
  fact.alignment > 0 ? fact.alignment : Math.max(1, typeBytes(fact.type) * fact.vector);
