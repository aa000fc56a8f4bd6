import type { Span } from '../../../text/span.js';
import type { CompletionItem, CompletionList } from '../../language.js';
import { operations } from '../reference/operations.js';
import { irOperations, selectionReference } from '../reference/beignet.js';
import type { BeignetBound } from './bind.js';
import { bytesOf, type Register } from './registers.js';
import { families } from '../classes.js';
import { isWord } from './cursor.js';
import { conditionNames, mathSuffixes, selectionOpcodeNames } from './opcodes.js';
import { irTypeNames, selectionTypeNames } from './values.js';

/** What may stand at the cursor of a line of the selection IR or of GEN IR. */

const LIMIT = 500;
/** Most of a line that is looked at. */
const REACH = 1000;

export function complete(bound: BeignetBound, offset: number): CompletionList {
  const { text } = bound.parsed;
  let line = offset;
  while (line > 0 && !isLineEnd(text.charCodeAt(line - 1)) && offset - line < REACH) line--;
  let start = offset;
  while (start > line && isWord(text.charCodeAt(start - 1))) start--;
  if (start > line && (text[start - 1] === '%' || text[start - 1] === '$')) start--;
  const before = text.slice(line, start);
  const span: Span = { start, end: offset };
  const items =
    bound.parsed.section === 'selection'
      ? selectionItems(bound, before)
      : bound.parsed.section === 'genIr'
        ? irItems(bound, before)
        : [];
  return { span, items: items.slice(0, LIMIT), isIncomplete: items.length > LIMIT };
}

const isLineEnd = (code: number): boolean => code === 10 || code === 13;

function selectionItems(bound: BeignetBound, before: string): readonly CompletionItem[] {
  const rest = /^\s*\[\d+\]\s*(\([^)]*\))?\s*(.*)$/s.exec(before)?.[2];
  if (rest === undefined) return [];
  if (rest === '') return selectionOpcodes(bound);
  const dotted = /^([A-Z0-9_]+)\.$/.exec(rest);
  if (dotted !== null) {
    const suffixes = dotted[1] === 'MATH' ? mathSuffixes : conditionNames;
    return suffixes.map((label) => ({ label, kind: 'modifier' }));
  }
  if (/[>%\w]:$/.test(rest)) return selectionTypeNames.map((label) => ({ label, kind: 'type' }));
  if (/(\s|-|\(abs\))$/.test(rest)) return registerItems(bound, !/\s[:=]\s/.test(rest));
  return /(jip|uip)=$/.test(rest) ? labelItems(bound) : [];
}

function selectionOpcodes({ registers }: BeignetBound): CompletionItem[] {
  return [...selectionOpcodeNames()].map((name) => ({
    label: name,
    kind: 'instruction',
    detail: selectionReference(name)?.computes ?? '',
    key: operations().has(name.toLowerCase()) ? `mesa ${name.toLowerCase()}` : `selection ${name}`,
    insert: `${name}(${registers.width})`.padEnd(20),
  }));
}

/** Registers of the section with a region that fits, the last one first. */
function registerItems({ registers }: BeignetBound, isDestination: boolean): CompletionItem[] {
  const { inCode, width } = registers;
  const items: CompletionItem[] = [];
  for (let k = inCode.length - 1; k >= 0 && items.length <= LIMIT; k--) {
    const r = inCode[k];
    const name = `%${r.number}`;
    const region = isDestination ? '<1>' : r.isUniform ? '<0,1,0>' : '<8,8,1>';
    items.push({
      label: name,
      kind: 'register',
      detail: detailOf(r, width),
      insert: `${name}${region}:`,
      sort: String(items.length).padStart(6, '0'),
    });
  }
  return items;
}

const detailOf = (r: Register, width: number): string =>
  `${r.isUniform ? 'uniform ' : ''}${r.family}, ${bytesOf(r, width)} bytes${r.name === '' ? '' : `, ${r.name}`}`;

const labelItems = ({ symbols }: BeignetBound): CompletionItem[] =>
  symbols.symbols.filter(({ kind }) => kind === 'label').map(({ name }) => ({ label: name, kind: 'label' }));

const spaces = ['global', 'local', 'constant', 'private', 'mixed', 'generic', 'aligned', 'unaligned'];

function irItems(bound: BeignetBound, before: string): readonly CompletionItem[] {
  const line = before.trimStart();
  if (line === '')
    return [...irOperations().values()].map(({ name, computes }) => ({
      label: name,
      kind: 'instruction',
      detail: computes,
      key: `genIr ${name}`,
    }));
  if (/^\.decl\.$/.test(line)) return families.map((label) => ({ label, kind: 'type' }));
  if (/^[A-Z][A-Z0-9_]*(\.\w+)*\.$/.test(line))
    return [
      ...irTypeNames.map((label) => ({ label, kind: 'type' }) as const),
      ...(/^(BLOCK)?(LOAD|STORE)|^ATOMIC/.test(line)
        ? spaces.map((label) => ({ label, kind: 'modifier' }) as const)
        : []),
    ];
  if (/label$/.test(line)) return labelItems(bound);
  if (/->\s*$/.test(line)) return labelItems(bound).map((item) => ({ ...item, label: `label${item.label}` }));
  return /[\s{<]$/.test(line) ? irRegisters(bound) : [];
}

function irRegisters({ registers }: BeignetBound): CompletionItem[] {
  const items: CompletionItem[] = [];
  for (let k = registers.inCode.length - 1; k >= 0 && items.length <= LIMIT; k--) {
    const r = registers.inCode[k];
    items.push({
      label: `%${r.number}`,
      kind: 'register',
      detail: detailOf(r, registers.width),
      sort: String(items.length).padStart(6, '0'),
    });
  }
  return items;
}
