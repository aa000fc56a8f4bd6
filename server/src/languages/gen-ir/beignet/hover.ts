import { touches, type Span } from '../../../text/span.js';
import { count } from '../../../text/words.js';
import type { Description } from '../../language.js';
import { operationText, type Vocabulary } from '../reference/text.js';
import type { BeignetBound } from './bind.js';
import { laneBytes } from './families.js';
import { placeOfFlag, TEMPORARY_FLAG } from './flags.js';
import { lineAt, registersOfLine } from './find.js';
import { flagText } from './head.js';
import { bytesOf, type Register } from './registers.js';
import type { AllocationLine, HeaderLine, Name, SelectionLine } from './tree.js';

/**
 * What is known of the thing at `offset` beside what the features tell of every register: the family and size of a
 * register, and what Beignet's own allocator did with it.
 */
export function describe(bound: BeignetBound, offset: number): Description | undefined {
  const line = lineAt(bound.parsed, offset);
  if (line === undefined) return undefined;
  const register = registersOfLine(line).find((name) => touches(name, offset));
  if (register !== undefined) {
    const found = bound.registers.byNumber.get(register.number);
    return found === undefined ? undefined : { span: plain(register), text: registerText(bound, found) };
  }
  switch (line.kind) {
    case 'allocation':
      return { span: plain(line), text: rowText(line) };
    case 'selection':
      return assumedFlag(bound, line, offset) ?? operationAt(line.opcode, line.suffix, 'selection', offset);
    case 'ir':
      return operationAt(line.opcode, undefined, 'genIr', offset);
    case 'header':
      return line.name !== undefined && touches(line.name, offset)
        ? undefined
        : { span: plain(line), text: sectionTexts[line.section] };
    default:
      return undefined;
  }
}

/** What is taken for the flag that a comparison writes, at its `arf`. */
function assumedFlag(
  { flags, registers }: BeignetBound,
  line: SelectionLine,
  offset: number,
): Description | undefined {
  const flag = flags.get(line);
  const span = placeOfFlag(line);
  if (flag === undefined || flag === line.flag || span.start === line.opcode.start) return undefined;
  if (!touches(span, offset)) return undefined;
  if (flag.kind === 'physical')
    return {
      span,
      text: `The dump does not print which flag is written here. ${flagText(flag.number)} is assumed, ${flag.number === TEMPORARY_FLAG ? 'which holds what no predicate by another name reads' : 'which is read next'}.`,
    };
  if (flag.kind !== 'virtual') return undefined;
  const register = registers.byNumber.get(flag.register.number);
  const rows = register === undefined ? [] : register.rows.map(rowText);
  const text = `The dump does not print which flag is written here. That of %${flag.register.number} is assumed: \`(f${flag.register.number})\` is read next and by nothing before.`;
  return { span, text: [text, ...rows].join('\n\n') };
}

/** Reference text where the opcode or its suffix is touched. */
function operationAt(
  opcode: Name,
  suffix: Name | undefined,
  vocabulary: Vocabulary,
  offset: number,
): Description | undefined {
  const span = { start: opcode.start, end: suffix?.end ?? opcode.end };
  if (!touches(span, offset)) return undefined;
  const text = operationText(opcode.text, vocabulary, opcode.text === 'MATH' ? suffix?.text : '');
  return text === undefined ? undefined : { span, text };
}

const sectionTexts: Readonly<Record<HeaderLine['section'], string>> = {
  selection:
    'The kernel after instruction selection, before register allocation and scheduling (`OCL_OUTPUT_SEL_IR`).',
  genIr: "Beignet's GEN IR of the kernel, before a dispatch width is chosen (`OCL_OUTPUT_GEN_IR`).",
  allocation:
    'Where Beignet put each register, and from which instruction to which it lives (`OCL_OUTPUT_REG_ALLOC`). The place behind the dot counts in the size of the register.',
  spilled: 'Registers that live in scratch memory; `@-1` marks those that never leave the pool.',
};

const plain = ({ start, end }: Span): Span => ({ start, end });

function registerText({ parsed, registers }: BeignetBound, r: Register): string {
  const rows = r.rows.map(rowText);
  if (parsed.section === 'allocation') return rows.join('\n\n');
  const { width } = registers;
  const bytes = count(bytesOf(r, width), 'byte');
  const size = r.isUniform
    ? `one value for all lanes, ${bytes}`
    : r.family === 'reg'
      ? `one whole register, ${bytes}`
      : `${bytes} at SIMD${width}, ${laneBytes(r.family)} a lane`;
  const source = {
    allocation: '',
    declaration: ' (declared in the GEN IR)',
    use: parsed.section === 'genIr' ? '' : ' (inferred from its uses)',
  }[r.knownFrom];
  return [`Family \`${r.family}\`: ${size}${source}`, ...rows].join('\n\n');
}

const familyWords: Readonly<Record<string, string>> = {
  b: 'bool',
  B: 'byte',
  W: 'word',
  D: 'dword',
  Q: 'qword',
  O: 'oword',
  H: 'hword',
  R: 'whole register',
};

/** Where Beignet put a register, and for how long. */
export function rowText(row: AllocationLine): string {
  const interval =
    row.first > row.last
      ? 'no interval: it is not allocated'
      : row.first === row.last
        ? `live at [${row.first}] only`
        : `live from [${row.first}] to [${row.last}]`;
  const uses = `${row.useCount} uses, weighted by loops`;
  return `**Beignet** put this ${familyWords[row.family] ?? ''} of ${count(row.bytes, 'byte')} in ${placeText(row)}; ${interval}; ${row.useCount === 1 ? '1 use' : uses}`;
}

function placeText({ grf, subregister, slot, bytes }: AllocationLine): string {
  if (slot === undefined) {
    const offset = subregister * bytes;
    return offset === 0 ? `g${grf}` : `g${grf}, byte ${offset}`;
  }
  return slot < 0 ? 'no memory: it lives for one instruction, in the pool' : `scratch, byte ${slot}`;
}
