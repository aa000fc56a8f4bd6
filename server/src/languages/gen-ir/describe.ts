import type { Span } from '../../text/span.js';
import type { Description } from '../language.js';
import { destinationBytes, slackBytes, sourceBytes, startByte } from './access.js';
import type { MesaBound } from './bind/index.js';
import { statementAt } from './find.js';
import { describeImmediate } from './immediate-text.js';
import type { Operand } from './operand.js';
import { isWord, wordEnd } from './parser/scanner.js';
import { operationText, wordText } from './reference/text.js';
import { attributes, conditions, directives, flags, predicateModes, types } from './reference/words.js';
import { FULL_MASK, headEnd, maskOf, swizzleOf, type Instruction, type Statement } from './tree.js';
import { typeSizes, type Type } from './types.js';

/**
 * Reference text for what stands at an offset: operation, execution size, modifiers, predicate, every part of an
 * operand, attributes, directives. What a register lives through is told by the features, from `ir/`.
 */
export function describe(bound: MesaBound, offset: number): Description | undefined {
  const statement = statementAt(bound.parsed.statements, offset);
  if (statement === undefined) return undefined;
  if (statement.kind === 'instruction') return ofInstruction(bound, statement, offset);
  if ('directive' in statement) return ofDirective(bound, statement, offset);
  if (statement.kind === 'blockMark')
    return given(
      statement,
      `${statement.isStart ? 'Begins' : 'Ends'} block ${statement.block} of the dump. \`->\` and \`<-\` are ways that a channel can go, \`~>\` and \`<~\` ways of the thread that no channel takes. The line is only compared with the blocks that the control flow makes.`,
    );
  return undefined;
}

const given = ({ start, end }: Span, text: string): Description => ({ span: { start, end }, text });

const touches = ({ start, end }: Span, offset: number): boolean => start <= offset && offset <= end;

function ofDirective(
  { parsed }: MesaBound,
  statement: Extract<Statement, { readonly directive: unknown }>,
  offset: number,
): Description | undefined {
  if (touches(statement.directive, offset)) {
    const row = directives.get(statement.directive.text);
    return row === undefined ? undefined : given(statement.directive, wordText(row));
  }
  if (statement.kind === 'liveOut') return undefined;
  const word = wordAt(parsed.text, offset, statement.start);
  if (word === undefined) return undefined;
  const text = directiveWordText(statement.kind, parsed.text.slice(word.start, word.end));
  return text === undefined ? undefined : given(word, text);
}

const directiveWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  target: {
    snb: 'Sandy Bridge, Gen6: 24 message registers of their own, so that all 128 general registers may be used.',
    ivb: 'Ivy Bridge, Gen7: g112 to g127 stand for the message registers m0 to m15.',
    byt: 'Bay Trail, Gen7 as in Ivy Bridge.',
    hsw: 'Haswell, Gen7.5: untyped messages go to the second data port, and most results come two cycles earlier.',
    bdw: 'Broadwell, Gen8.',
  },
  mode: {
    simd4x2:
      'One thread runs two vertices. A register of 32 bytes holds x, y, z, w of the first in its lower half and of the second in its upper half.',
    simd4x1: 'As SIMD4x2 with one object a thread; only the lower half of a register is used.',
    dual_instance: 'As SIMD4x2: the two halves are two instances of one geometry shader.',
    simd8: 'One thread runs 8 lanes. A register of 32 bytes holds one dword of each.',
    simd16: 'One thread runs 16 lanes. A dword of each takes two registers.',
    simd32: 'One thread runs 32 lanes. A dword of each takes four registers.',
  },
  phase: {
    virtual: '`vgrfN` is a virtual register, which still has to be given a place.',
    allocated: 'The number behind `vgrf` is that of the hardware register: registers have been allocated.',
    hw: 'Only hardware registers are left.',
  },
  attrs: { interleaved: 'Two inputs a register, each 16 bytes, as in tessellation evaluation shaders.' },
};

function directiveWordText(kind: string, word: string): string | undefined {
  const words = Object.hasOwn(directiveWords, kind) ? directiveWords[kind] : undefined;
  if (words !== undefined && Object.hasOwn(words, word)) return words[word];
  return kind === 'vgrf' ? typeText(word) : undefined;
}

/** The word at `offset`, not before `from`. */
function wordAt(text: string, offset: number, from: number): Span | undefined {
  let start = offset;
  while (start > from && isWord(text.charCodeAt(start - 1))) start--;
  const end = wordEnd(text, start);
  return end > start ? { start, end } : undefined;
}

function ofInstruction(bound: MesaBound, instruction: Instruction, offset: number): Description | undefined {
  const { opcode, predicate, condition, destination, sources } = instruction;
  if (offset < (predicate ?? opcode).start) return ofPrefix(bound, instruction, offset);
  if (predicate !== undefined && touches(predicate, offset)) return ofPredicate(bound, instruction);
  if (touches(opcode, offset)) {
    const text = operationText(opcode.text);
    return text === undefined ? undefined : given(opcode, text);
  }
  if (condition !== undefined && touches(condition, offset)) return ofCondition(instruction);
  const width = { start: instruction.widthStart, end: instruction.widthEnd };
  if (instruction.width > 0 && touches(width, offset)) return given(width, widthText(bound, instruction));
  const modifier = ofModifier(bound, instruction, offset);
  if (modifier !== undefined || offset <= headEnd(instruction)) return modifier;
  if (touches(destination, offset)) return ofOperand(bound, instruction, -1, offset);
  const source = sources.findIndex((one) => touches(one, offset));
  if (source >= 0) return ofOperand(bound, instruction, source, offset);
  return ofTrailer(bound, instruction, offset);
}

/** `{ 12}    7:` */
function ofPrefix(
  { parsed }: MesaBound,
  { start, pressure, predicate, opcode }: Instruction,
  offset: number,
): Description | undefined {
  const first = (predicate ?? opcode).start;
  const close = pressure < 0 ? start : parsed.text.indexOf('}', start) + 1;
  if (offset < close)
    return given(
      { start, end: close },
      `${pressure} registers of 32 bytes were live here by the compiler's own count, payload left out.`,
    );
  const colon = parsed.text.lastIndexOf(':', first) + 1;
  if (colon <= close || offset > colon) return undefined;
  return given({ start: close, end: colon }, 'Number of the instruction, as the compiler counted.');
}

function ofModifier(
  { parsed }: MesaBound,
  { saturate, opcode }: Instruction,
  offset: number,
): Description | undefined {
  const at = saturate ? parsed.text.indexOf('.sat', opcode.end) : -1;
  const span = { start: at, end: at + 4 };
  if (at < 0 || !touches(span, offset)) return undefined;
  return given(
    span,
    "`.sat`: the result is clamped before it is written: floats to 0 … 1, integers to the range of the destination's type.",
  );
}

const flagName = (flag: number): string => `f${flag >> 1}.${flag & 1}`;

function ofPredicate({ parsed }: MesaBound, { predicate, opcode }: Instruction): Description | undefined {
  if (predicate === undefined) return undefined;
  const name = flagName(predicate.flag);
  const unit = parsed.dialect === 'vec4' ? 'channels' : 'lanes';
  const what =
    opcode.text === 'sel'
      ? `\`sel\` takes its first source in the ${unit} where the bit of ${name} is ${predicate.isInverse ? 'clear' : 'set'}, the second one elsewhere, and writes them all.`
      : `Executes in the ${unit} where the bit of ${name} is ${predicate.isInverse ? 'clear' : 'set'}; in the others the destination keeps what it held.`;
  const mode = predicateModes.get(predicate.mode);
  const note =
    predicate.mode === '' ? '' : ` \`.${predicate.mode}\`: ${mode ?? 'groups of lanes decide together'}.`;
  return given(predicate, `\`(${predicate.isInverse ? '-' : '+'}${name})\`: ${what}${note}`);
}

function ofCondition(instruction: Instruction): Description | undefined {
  const { condition, opcode, predicate } = instruction;
  if (condition === undefined) return undefined;
  const meaning = conditions.get(condition.test) ?? condition.test;
  const flag = flagName(condition.flag >= 0 ? condition.flag : (predicate?.flag ?? 0));
  const text =
    opcode.text === 'sel'
      ? `\`.${condition.test}\`: chooses the first source where it compares so with the second (${meaning}); no flag is written. \`.l\` is the minimum, \`.ge\` the maximum.`
      : opcode.text === 'cmp' || opcode.text === 'cmpn'
        ? `\`.${condition.test}\`: the comparison (${meaning}) sets the bit of ${flag} in each channel that executes, and clears it where it does not hold.`
        : `\`.${condition.test}\`: the result compared with zero (${meaning}) goes to ${flag}, besides the result itself.`;
  return given(condition, text);
}

function widthText({ parsed, facts }: MesaBound, { width, noMask }: Instruction): string {
  const masks = noMask
    ? ' Here all of them execute (NoMask).'
    : ' Those execute that control flow has not switched off.';
  if (parsed.dialect === 'vec4') {
    const what =
      width === 8
        ? 'four channels of both vertices'
        : width === 4
          ? 'four channels of one vertex; `group0` is the first, `group4` the second'
          : `${width} channels`;
    return `Execution size ${width}: ${what}.${masks}`;
  }
  const ofAll =
    width === facts.width ? 'all lanes' : width === 1 ? 'one lane' : `${width} of ${facts.width} lanes`;
  return `Execution size ${width}: ${ofAll}.${masks}`;
}

/** What stands behind the operands. */
function ofTrailer({ parsed }: MesaBound, { opcode }: Instruction, offset: number): Description | undefined {
  const word = wordAt(parsed.text, offset, opcode.end);
  if (word === undefined) return undefined;
  const text = parsed.text.slice(word.start, word.end);
  const row =
    attributes.get(text === 'EOT' ? 'eot' : text) ?? flags.get(text.startsWith('group') ? 'group' : text);
  return row === undefined ? undefined : given(word, wordText(row));
}

function ofOperand(
  bound: MesaBound,
  instruction: Instruction,
  source: number,
  offset: number,
): Description | undefined {
  const operand = source < 0 ? instruction.destination : instruction.sources[source];
  const { file } = operand;
  if (file === 'missing' || file === 'word') return undefined;
  if (file === 'immediate') return given(operand, describeImmediate(bound.parsed.text, operand));
  const type = { start: operand.typeStart, end: operand.typeEnd };
  if (type.start >= 0 && type.start <= offset) {
    const text = typeText(operand.type);
    return text === undefined ? undefined : given(type, text);
  }
  if (file === 'none') return given(operand, '`(null)`: there is no operand here.');
  const channels = { start: operand.channelsStart, end: operand.channelsEnd };
  if (operand.channels >= 0 && touches(channels, offset))
    return given(channels, source < 0 ? maskText(operand) : swizzleText(instruction, operand));
  const place = { start: operand.offsetStart, end: operand.offsetEnd };
  if (operand.offsetStart >= 0 && touches(place, offset)) return given(place, offsetText(bound, operand));
  const name = { start: operand.nameStart, end: operand.nameEnd };
  const texts = [fileText(bound, operand), accessText(bound, instruction, source)];
  if (operand.negate || operand.absolute)
    texts.push(
      operand.negate && operand.absolute
        ? 'The absolute value is taken, then its sign is changed.'
        : operand.negate
          ? 'The sign is changed as it is read.'
          : 'The absolute value is read.',
    );
  if (operand.stride >= 0 && offset >= Math.max(operand.channelsEnd, operand.nameEnd) && offset > name.end)
    return given(operand, strideText(operand));
  return given(name, texts.filter((text) => text !== '').join(' '));
}

const typeText = (type: string): string | undefined => {
  const text = types.get(type);
  if (text === undefined) return undefined;
  const bytes = Object.hasOwn(typeSizes, type) ? typeSizes[type as Type] : 4;
  return `\`:${type}\`: ${text}, ${bytes} byte${bytes === 1 ? '' : 's'}`;
};

const CHANNELS = 'xyzw';

const list = (mask: number): string => [...CHANNELS].filter((_, c) => (mask & (1 << c)) !== 0).join(', ');

function maskText(operand: Operand): string {
  const mask = maskOf(operand);
  const kept = list(15 & ~mask);
  return `Write mask: ${list(mask)} of each vertex ${mask & (mask - 1) ? 'are' : 'is'} written${kept === '' ? '' : `; ${kept} keep${kept.length === 1 ? 's' : ''} what the register held`}.`;
}

function swizzleText({ destination }: Instruction, operand: Operand): string {
  const swizzle = swizzleOf(operand);
  const mask = destination.file === 'none' ? 15 : maskOf(destination);
  const rows = [...CHANNELS].map((channel, c) => {
    const from = CHANNELS[(swizzle >> (2 * c)) & 3];
    return mask & (1 << c) ? `${channel} reads ${from}` : '';
  });
  return `Swizzle, for each vertex: ${rows.filter((row) => row !== '').join(', ')}.`;
}

/** `+1.16`: which byte of the register that is. */
function offsetText({ parsed, registers }: MesaBound, operand: Operand): string {
  const unit = operand.file === 'uniform' ? (parsed.dialect === 'vec4' ? 16 : 4) : 32;
  const byte = startByte(operand, unit);
  const count = operand.offsetRegisters;
  const sum = `${count} × ${unit} + ${operand.offsetBytes} = byte ${byte}`;
  if (operand.file === 'uniform')
    return `\`+${count}.${operand.offsetBytes}\`: ${sum} behind u${operand.number}; uniforms count in ${unit === 16 ? 'vectors of 16 bytes' : 'dwords'}.`;
  const r = operand.file === 'virtual' ? registers.indexOf(operand.number) : -1;
  const size = r < 0 ? '' : ` of ${32 * registers.sizes[r]}`;
  const zero =
    byte === 0 && r >= 0
      ? ' An offset of 0 is printed where the access is not as large as the register.'
      : '';
  return `\`+${count}.${operand.offsetBytes}\`: ${sum}${size} of the register.${zero}`;
}

function strideText({ stride, regionWidth, regionHorizontal }: Operand): string {
  if (regionWidth >= 0)
    return `Region <${stride},${regionWidth},${regionHorizontal}>: rows of ${regionWidth} elements, ${regionHorizontal} apart; a new row begins ${stride} elements behind the last one.`;
  if (stride === 0) return 'Stride 0: all lanes read the same element.';
  return `Stride ${stride}: the elements of neighbouring lanes lie ${stride} apart.`;
}

function fileText({ facts, parsed, registers }: MesaBound, operand: Operand): string {
  const { number } = operand;
  switch (operand.file) {
    case 'virtual': {
      if (facts.phase !== 'virtual') return `Register allocation is done: this is g${number}.`;
      const r = registers.indexOf(number);
      if (r < 0) return '';
      const bytes = 32 * registers.sizes[r];
      const how = registers.by[r] === 'declared' ? 'as `.vgrf` says' : 'as its operands say';
      return `${bytes} bytes, ${how}.`;
    }
    case 'grf':
      return number === 0
        ? 'General register 0: the header that the thread was started with; messages send it on.'
        : typeof facts.attributes.firstFree === 'number' && number < facts.attributes.firstFree
          ? `General register ${number} of 128, part of the payload: filled before the program begins.`
          : `General register ${number} of 128.`;
    case 'message':
      return `Message register: part of the payload of the next message. From Gen7 on it is g${112 + number}.`;
    case 'uniform':
      return parsed.dialect === 'vec4'
        ? 'A vector of 16 bytes of push constants, the same for both vertices; two lie in one register.'
        : 'A dword of push constants, the same for all lanes.';
    case 'attribute':
      return 'An input of the program, before its place in the payload is known.';
    case 'slot':
      return `Scratch slot ${number}: 32 bytes from byte ${32 * number} of the thread's scratch memory.`;
    case 'flag':
      return 'A flag register: one bit a channel.';
    case 'accumulator':
      return 'The accumulator: wider than what it is written from, read by mac and mach.';
    case 'address':
      return 'Address register, for indirect operands.';
    case 'architecture':
      return 'A register of the architecture file (flags print so as operands: arf1.0 is f1.0, arf1.2 is f1.1).';
    case 'null':
      return 'The null register: what is written is thrown away.';
    default:
      return '';
  }
}

/** Bytes of the register that this operand touches. */
function accessText({ parsed }: MesaBound, instruction: Instruction, source: number): string {
  const operand = source < 0 ? instruction.destination : instruction.sources[source];
  if (operand.file !== 'virtual' && operand.file !== 'grf') return '';
  const bytes = source < 0 ? destinationBytes(instruction) : sourceBytes(instruction, source);
  const verb = source < 0 ? 'writes' : 'reads';
  if (bytes < 0) return `How much of it the instruction ${verb} the line does not tell.`;
  const start = startByte(operand, 32);
  if (source < 0 && parsed.dialect === 'vec4' && instruction.width === 8 && maskOf(operand) !== FULL_MASK)
    return `The instruction writes ${maskedBytes(operand, start)}.`;
  const last = start + Math.max(bytes - slackBytes(operand), 1) - 1;
  return `The instruction ${verb} bytes ${start} to ${last}.`;
}

/** Bytes of both vertices that a mask lets through: `bytes 0 to 7 and 16 to 23`. */
function maskedBytes(operand: Operand, start: number): string {
  const mask = maskOf(operand);
  const size = typeSizes[operand.type];
  const runs: string[] = [];
  for (let vertex = 0; vertex < 2; vertex++)
    for (let first = 0; first < 4; first++) {
      if ((mask & (1 << first)) === 0) continue;
      let behind = first + 1;
      while (behind < 4 && (mask & (1 << behind)) !== 0) behind++;
      const from = start + vertex * 4 * size;
      runs.push(`${from + first * size} to ${from + behind * size - 1}`);
      first = behind;
    }
  return `bytes ${runs.slice(0, -1).join(', ')} and ${runs.at(-1) ?? ''}`;
}
