import type { CompletionItem, CompletionList } from '../../language.js';
import type { MesaBound } from '../bind/index.js';
import { directiveWords } from '../parser/directive.js';
import { operations } from '../reference/operations.js';
import type { OperationReference } from '../reference/row.js';
import { operationSummary, operationText, wordText } from '../reference/text.js';
import {
  attributes,
  conditions,
  directives,
  flags,
  predicateModes,
  types,
  type WordReference,
} from '../reference/words.js';
import { placeAt, type Place } from './place.js';
import { snippets } from './snippets.js';

/** What may stand at the cursor of a Mesa program: operations, directives, and of the names those that fit. */

/** Most names that are given at once; the editor asks again as more is typed. */
const LIMIT = 500;

export function complete(bound: MesaBound, offset: number): CompletionList {
  const place = placeAt(bound.parsed.text, offset);
  const items = itemsAt(bound, place);
  const fitting = items.filter(({ label }) => place.prefix === '' || isNear(label, place.prefix));
  return { span: place.span, items: fitting.slice(0, LIMIT), isIncomplete: fitting.length > LIMIT };
}

/** The first letter must fit; the editor does the rest. */
const isNear = (label: string, prefix: string): boolean =>
  label.toLowerCase().includes(prefix.charAt(0).toLowerCase());

function itemsAt(bound: MesaBound, place: Place): readonly CompletionItem[] {
  switch (place.kind) {
    case 'nothing':
      return [];
    case 'statement':
      return [...operationItems(bound), ...snippets, ...directiveItems(), ...predicateItems(bound)];
    case 'operation':
      return operationItems(bound);
    case 'directive':
      return directiveItems();
    case 'argument':
      return argumentItems(bound, place.words);
    case 'flag':
    case 'conditionFlag':
      return flagNames.map((label) => ({ label, kind: 'register', detail: 'flag' }));
    case 'mode':
      return [...predicateModes].map(([label, detail]) => ({ label, kind: 'modifier', detail }));
    case 'modifier':
      return modifierItems();
    case 'operand':
      return operandItems(bound, place.opcode, place.index);
    case 'channels':
      return channelItems(place.index === 0);
    case 'type':
      return [...types].map(([label, detail]) => ({ label, kind: 'type', detail }));
    case 'flagWord':
      return [...wordItems(flags.values(), 'flag'), attributesItem];
    case 'attribute':
      return wordItems(attributes.values(), 'attribute');
  }
}

const flagNames = ['f0.0', 'f0.1', 'f1.0', 'f1.1'];

/** An operation with its width and its operands as tab stops. */
function operationItems({ parsed, facts }: MesaBound): readonly CompletionItem[] {
  const width = facts.attributes.width;
  const lanes = typeof width === 'number' ? width : 8;
  const isVec4 = parsed.dialect === 'vec4';
  const vec4Only = /^(dp[234h]|simd4x2_merge|pull_constant_load|.*_simd4x2)$/;
  return [...operations().values()]
    .filter(({ name }) => isVec4 || !vec4Only.test(name))
    .map((row) => ({
      label: row.name,
      kind: 'instruction',
      detail: row.computes,
      key: `mesa ${row.name}`,
      insert: wholeInstruction(row, lanes),
      isSnippet: true,
      sort: `${row.category === 'stage' ? 'z' : '1'}${row.name}`,
    }));
}

function wholeInstruction({ name, sources, result, category }: OperationReference, lanes: number): string {
  let stop = 0;
  const hole = (label: string, type = 'F'): string => `\${${++stop}:${label}}:${type}`;
  if (category === 'control flow') return `${name}(${lanes}) (null):UD`;
  const first = result === 'slot' ? `s\${${++stop}:0}:UD` : hole('vgrf1');
  return [`${name}(${lanes}) ${first}`, ...sources.map((source) => hole(source))].join(', ');
}

const directiveItems = (): readonly CompletionItem[] => wordItems(directives.values(), 'directive');

const wordItems = (
  rows: Iterable<WordReference>,
  kind: 'directive' | 'attribute' | 'flag',
): readonly CompletionItem[] =>
  [...rows].map(({ name, syntax, snippet }) => ({
    label: name,
    kind: kind === 'directive' ? 'directive' : 'modifier',
    detail: syntax,
    key: `${kind} ${name}`,
    insert: snippet,
    isSnippet: true,
  }));

const attributesItem: CompletionItem = {
  label: '{ }',
  kind: 'snippet',
  detail: 'what the dump does not print: message length, NoDDClr and the like',
  insert: '{$0}',
  isSnippet: true,
};

function predicateItems({ parsed }: MesaBound): readonly CompletionItem[] {
  const modes = parsed.dialect === 'vec4' ? ['', '.x', '.any4h', '.all4h'] : [''];
  return modes.map((mode) => ({
    label: `(+f0.0${mode})`,
    kind: 'modifier',
    detail: mode === '' ? 'predicate' : `predicate: ${predicateModes.get(mode.slice(1)) ?? ''}`,
    sort: '~',
  }));
}

const modifierItems = (): readonly CompletionItem[] => [
  { label: 'sat', kind: 'modifier', detail: 'the result is clamped to 0 to 1' },
  ...[...conditions].map(([label, detail]) => ({
    label,
    kind: 'modifier' as const,
    detail,
    insert: `${label}.f0.0`,
  })),
];

const masks = ['x', 'y', 'z', 'w', 'xy', 'xyz', 'xyzw', 'zw', 'yzw'];
const swizzles = ['xyzw', 'xxxx', 'yyyy', 'zzzz', 'wwww', 'xyzz', 'xyyy', 'yzxw', 'zwzw'];

const channelItems = (isMask: boolean): readonly CompletionItem[] =>
  (isMask ? masks : swizzles).map((label, order) => ({
    label,
    kind: 'modifier',
    detail: isMask ? 'channels that are written' : 'channels that are read',
    sort: String(order),
  }));

/** Registers of the program, and the next that is free for a destination. */
function operandItems(bound: MesaBound, opcode: string, index: number): readonly CompletionItem[] {
  const { symbols, parsed } = bound;
  const isDestination = index === 0;
  const registers = symbols.symbols.filter(
    (symbol) => symbol.kind !== 'label' && symbol.kind !== 'kernel' && symbol.kind !== 'function',
  );
  const named: CompletionItem[] = registers.map(({ name, detail }, order) => ({
    label: name,
    kind: 'register',
    detail,
    insert: `${name}${name.startsWith('g') ? (isDestination ? '' : '.0') : ''}`,
    sort: `1${String(registers.length - order).padStart(6, '0')}`,
  }));
  const labels: CompletionItem[] = symbols.symbols
    .filter((symbol) => symbol.kind === 'label')
    .map(({ name }) => ({ label: name, kind: 'label', sort: '0' }));
  if (opcode === 'jmpi') return labels;
  if (!isDestination) return named;
  const numbers = registers.map(({ name }) => Number(/^vgrf(\d+)$/.exec(name)?.[1] ?? 0));
  const next = numbers.reduce((most, n) => Math.max(most, n), 0) + 1;
  const fresh: CompletionItem = { label: `vgrf${next}`, kind: 'register', detail: 'new', sort: '0' };
  const others: CompletionItem[] = [
    { label: 'null', kind: 'register', detail: 'no result', sort: '2' },
    { label: '(null)', kind: 'register', detail: 'no operand', sort: '2', insert: '(null):UD' },
  ];
  if (parsed.dialect === 'vec4')
    others.push({ label: 'm1', kind: 'register', detail: 'message register', sort: '2' });
  return [fresh, ...named, ...others];
}

function argumentItems(bound: MesaBound, words: readonly string[]): readonly CompletionItem[] {
  const directive = words[0].slice(1);
  const listed = Object.hasOwn(directiveWords, directive) ? directiveWords[directive] : undefined;
  if (listed !== undefined) return words.length > 1 ? [] : listed.map((label) => ({ label, kind: 'value' }));
  if (directive === 'live_out') return operandItems(bound, '', 1);
  if (directive === 'vgrf' && words.at(-1) === 'type')
    return [...types].map(([label, detail]) => ({ label, kind: 'type', detail }));
  if (directive === 'vgrf' && words.length > 1)
    return ['size', 'type']
      .filter((word) => !words.includes(word))
      .map((label) => ({ label, kind: 'value' }));
  if (directive === 'attrs' && words.length === 2) return [{ label: 'interleaved', kind: 'value' }];
  if (directive === 'scratch' && words.length === 2) return [{ label: 'limit', kind: 'value' }];
  return [];
}

/** The Markdown behind a key of an item. */
export function resolveCompletion(key: string): string | undefined {
  const blank = key.indexOf(' ');
  const kind = key.slice(0, blank);
  const name = key.slice(blank + 1);
  switch (kind) {
    case 'mesa':
    case 'selection':
    case 'genIr':
      return operationSummary(name, kind) === '' ? undefined : operationText(name, kind);
    case 'directive':
    case 'attribute':
    case 'flag': {
      const table = kind === 'directive' ? directives : kind === 'attribute' ? attributes : flags;
      const word = table.get(name);
      return word === undefined ? undefined : wordText(word);
    }
    default:
      return undefined;
  }
}
