import type { Problem } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import type { BoundUnit, Environment } from '../../language.js';
import type { SymbolIndex } from '../../symbols.js';
import { writtenFlags } from './flags.js';
import { blocksOf, type Blocks } from './graph.js';
import { isSelectionOpcode } from './opcodes.js';
import { registersOf, type Registers } from './registers.js';
import { symbolsOf } from './symbols.js';
import type { BeignetUnit, FlagName, LabelName, Line, SelectionLine } from './tree.js';

export interface BeignetBound extends BoundUnit {
  readonly parsed: BeignetUnit;
  /** Labels and sound instructions in text order: the instructions of the lowered function. */
  readonly code: readonly Line[];
  readonly registers: Registers;
  readonly blocks: Blocks;
  /** Flags that lines of the selection write. */
  readonly flags: ReadonlyMap<Line, FlagName>;
}

export function bindBeignet(parsed: BeignetUnit, environment: Environment): BeignetBound {
  const code = parsed.lines.filter(isCode);
  const registers = registersOf(parsed, code, environment);
  const blocks = blocksOf(code);
  const { written, firstAssumed } = writtenFlags(code);
  const symbols: SymbolIndex = symbolsOf(parsed, code, registers, written);
  const problems: Problem[] = [];
  const selection = code.filter((line) => line.kind === 'selection');
  reportUnknown(selection, problems);
  reportGraph(blocks, problems);
  if (firstAssumed !== undefined) reportFlag(firstAssumed, problems);
  reportModifiers(selection, problems);
  reportValue(selection, problems);
  return { parsed, symbols, problems, code, registers, blocks, flags: written };
}

/** Whether the line is an instruction of the lowered function. */
function isCode(line: Line): boolean {
  switch (line.kind) {
    case 'label':
      return true;
    case 'selection':
    case 'ir':
      return !line.isFaulty;
    default:
      return false;
  }
}

const plain = ({ start, end }: Span): Span => ({ start, end });

function hint(problems: Problem[], code: Problem['code'], span: Span, message: string): void {
  problems.push({ code, severity: 'hint', span: plain(span), message });
}

function reportUnknown(selection: readonly SelectionLine[], problems: Problem[]): void {
  for (const { opcode } of selection)
    if (!isSelectionOpcode(opcode.text))
      problems.push({
        code: 'isa/unknown-instruction',
        severity: 'warning',
        span: plain(opcode),
        message: `the selection has no instruction '${opcode.text}': it may do anything`,
      });
}

function reportGraph({ unknownLabels, unmatched, firstLost }: Blocks, problems: Problem[]): void {
  for (const label of unknownLabels) reportLabel(label, problems);
  for (const { opcode } of unmatched)
    problems.push({
      code: 'isa/nesting',
      severity: 'warning',
      span: plain(opcode),
      message: `this ${opcode.text} has no partner: IF, ELSE and ENDIF must nest`,
    });
  if (firstLost !== undefined && !unmatched.includes(firstLost))
    hint(
      problems,
      'dump/lost-branch',
      firstLost.opcode,
      `the dump does not print where '${firstLost.opcode.text}' goes (nor any other JMPI or WHILE): the edge is missing, and what lives around the loop may be thought dead; 'jip=L3' behind the instruction tells`,
    );
}

function reportLabel(label: LabelName, problems: Problem[]): void {
  problems.push({
    code: 'name/unknown-label',
    severity: 'error',
    span: plain(label),
    message: `there is no label '${label.text}' in this section`,
  });
}

function reportFlag(line: SelectionLine, problems: Problem[]): void {
  hint(
    problems,
    'dump/lost-flag',
    line.opcode,
    `the dump does not print which flag '${line.opcode.text}' writes: the one that is read next behind it is assumed, here and in all comparisons; '(16)[f44]' tells`,
  );
}

/** Plain Beignet prints none of them, so that their absence says nothing. */
function reportModifiers(selection: readonly SelectionLine[], problems: Problem[]): void {
  const isFork = selection.some(
    ({ saturates, noMask, flag, jip, uip, group, writesAccumulator, predicate }) =>
      saturates ||
      noMask ||
      writesAccumulator ||
      flag !== undefined ||
      jip !== undefined ||
      uip !== undefined ||
      group > 0 ||
      predicate?.isInverse === true,
  );
  const first = isFork ? undefined : selection.find(({ predicate }) => predicate !== undefined);
  if (first !== undefined)
    hint(
      problems,
      'dump/lost-modifiers',
      first.predicate ?? first,
      'the dump prints neither inverse predicates nor saturation, NoMask and quarter control: every predicate is taken as it stands, and none of the others is assumed',
    );
}

function reportValue(selection: readonly SelectionLine[], problems: Problem[]): void {
  for (const { sources } of selection)
    for (const operand of sources)
      if (operand.kind === 'immediate' && operand.text === '') {
        hint(
          problems,
          'dump/lost-value',
          operand,
          'the dump does not print the values of double constants: 0 is assumed, here and everywhere',
        );
        return;
      }
}
