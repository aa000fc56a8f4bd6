import { Space } from '../../../ir/payload.js';
import type { BoundUnit, CompletionItem, CompletionList } from '../../language.js';
import { lineStart } from '../find.js';
import { directiveText } from '../hover.js';
import { directives, varyingRoles } from '../isa/directives.js';
import { limits } from '../isa/machine.js';
import { operations, type Operation, type OperandForm } from '../isa/operations.js';
import {
  componentNames,
  spaceLetters,
  spaceNames,
  vectorName,
  vectorsOf,
  type Vector,
} from '../locations.js';
import { operandNames, operationSummary, operationText } from '../operation-text.js';
import type { GpirUnit } from '../tree.js';
import { placeAt, type Place } from './place.js';
import { snippets } from './snippets.js';

/** What may stand at the cursor: operations, directives, and of the names those that fit the operand. */

type Bound = BoundUnit & { readonly parsed: GpirUnit };
type OperandPlace = Extract<Place, { kind: 'operand' }>;
type DirectivePlace = Extract<Place, { kind: 'directive' }>;

/** Most names that are given at once; the editor asks again as more is typed. */
const LIMIT = 500;

export function complete(bound: Bound, offset: number): CompletionList {
  const place = placeAt(bound.parsed, offset);
  if (place.kind === 'nothing') return { span: { start: offset, end: offset }, items: [] };
  const items = itemsAt(bound, place, offset);
  const fitting = items.filter((item) => fits(item, place.prefix));
  return { span: place.span, items: fitting.slice(0, LIMIT), isIncomplete: fitting.length > LIMIT };
}

/** Names begin with a sign that says what they are; only what begins with the one typed can be meant. */
function fits(item: CompletionItem, prefix: string): boolean {
  const sign = prefix.charAt(0);
  return !'%@$.'.includes(sign) || sign === '' || item.label.startsWith(prefix);
}

function itemsAt(
  bound: Bound,
  place: Exclude<Place, { kind: 'nothing' }>,
  offset: number,
): readonly CompletionItem[] {
  switch (place.kind) {
    case 'statement':
      return [...statementItems(), ...snippets, ...directiveItems()];
    case 'operation':
      return operationItems();
    case 'directive':
      return argumentItems(bound, place);
    case 'operand':
      return operandItems(bound, place, offset);
  }
}

const operationItem = (operation: Operation, isWhole: boolean): CompletionItem => ({
  label: operation.name,
  kind: 'instruction',
  detail: operationSummary(operation.name),
  key: `operation ${operation.name}`,
  ...(isWhole && operation.result && { insert: wholeInstruction(operation), isSnippet: true }),
  ...(operation.category === 'step' && { sort: `z${operation.name}` }),
});

/** At the start of a line an operation with a result is inserted whole, with tab stops. */
function wholeInstruction(operation: Operation): string {
  const names = operandNames(operation).map(
    (name, k) => `\${${k + 2}:${sample(operation.operands[k], name)}}`,
  );
  return `%\${1:x} = ${operation.name} ${names.join(', ')}`;
}

function sample(form: OperandForm, name: string): string {
  switch (form) {
    case 'attribute':
      return 'a0.x';
    case 'uniform':
      return 'u0.x';
    case 'varying':
      return 'v0.x';
    case 'temporary':
      return 't0.x';
    case 'register':
      return '@r';
    case 'number':
      return '1';
    default:
      return `%${name}`;
  }
}

let cachedStatements: CompletionItem[] | undefined;
const statementItems = (): readonly CompletionItem[] =>
  (cachedStatements ??= [...operations.values()].map((operation) => operationItem(operation, true)));

let cachedOperations: CompletionItem[] | undefined;
const operationItems = (): readonly CompletionItem[] =>
  (cachedOperations ??= [...operations.values()]
    .filter((operation) => operation.result)
    .map((operation) => operationItem(operation, false)));

const directiveItems = (): readonly CompletionItem[] =>
  [...directives.values()].map(({ name, syntax, snippet }) => ({
    label: name,
    kind: 'directive',
    detail: syntax,
    key: `directive ${name}`,
    insert: snippet,
    isSnippet: true,
  }));

const declaredSpaces: Readonly<Record<string, Space>> = {
  '.attribute': Space.Attribute,
  '.uniform': Space.Uniform,
  '.varying': Space.Varying,
};

/** Behind a directive: the next free vector, what a varying is for, registers. */
function argumentItems(bound: Bound, { words }: DirectivePlace): readonly CompletionItem[] {
  const [directive] = words;
  if (directive === '.live_out') return registerItems(bound, 0);
  const space = Object.hasOwn(declaredSpaces, directive) ? declaredSpaces[directive] : undefined;
  if (space === undefined) return [];
  if (words.length === 1) return freeVectors(bound.parsed, space);
  if (space !== Space.Varying || words.length !== 3) return [];
  return [...varyingRoles].map(([label, detail]) => ({ label, kind: 'value', detail }));
}

/** Vectors that the program mentions and does not name, then the first one that it does not mention. */
function freeVectors(unit: GpirUnit, space: Space): readonly CompletionItem[] {
  const known = vectorsOf(unit).filter((vector) => vector.space === space);
  const indices = known.filter((v) => v.declaration === undefined).map((v) => v.index);
  let next = 0;
  while (known.some((v) => v.index === next)) next++;
  if (next < (space === Space.Uniform ? limits.uniforms : limits.attributes)) indices.push(next);
  return indices.map((index, order) => ({
    label: vectorName(space, index),
    kind: 'variable',
    detail: spaceNames[space],
    sort: String(order).padStart(4, '0'),
  }));
}

function operandItems(bound: Bound, place: OperandPlace, offset: number): readonly CompletionItem[] {
  const form = operations.get(place.opcode)?.operands.at(place.index);
  switch (form) {
    case undefined:
    case 'number':
      return [];
    case 'label':
      return labelItems(bound);
    case 'register':
      return registerItems(bound, 0);
    case 'attribute':
      return locationItems(bound.parsed, [Space.Attribute], 0);
    case 'uniform':
      return locationItems(bound.parsed, [Space.Uniform], 0);
    case 'varying':
      return locationItems(bound.parsed, [Space.Varying], 0);
    case 'temporary':
      return locationItems(bound.parsed, [Space.Temporary], 0);
    case 'source':
      return [
        ...valueItems(bound, offset),
        ...locationItems(bound.parsed, [Space.Attribute, Space.Uniform, Space.Temporary], 1),
        ...registerItems(bound, 2),
        ...(place.isNegated ? [] : numberItems),
      ];
  }
}

/** Values that are defined above the cursor's line, the last one first: it is the most likely one. */
function valueItems({ parsed, symbols }: Bound, offset: number): CompletionItem[] {
  const line = lineStart(parsed.text, offset);
  const before = symbols.symbols.filter(
    (symbol) =>
      symbol.name.startsWith('%') && symbol.declaration !== undefined && symbol.declaration.end < line,
  );
  before.sort((a, b) => (b.declaration?.start ?? 0) - (a.declaration?.start ?? 0));
  return before.slice(0, LIMIT + 1).map((symbol, order) => ({
    label: symbol.name,
    kind: 'variable',
    detail: 'value',
    sort: `0${String(order).padStart(5, '0')}`,
  }));
}

const registerItems = ({ symbols }: Bound, group: number): CompletionItem[] =>
  symbols.symbols
    .filter((symbol) => symbol.name.startsWith('@') || symbol.name.startsWith('$'))
    .map((symbol) => ({
      label: symbol.name,
      kind: 'register',
      detail: symbol.detail,
      sort: `${group}${symbol.name}`,
    }));

const labelItems = ({ symbols }: Bound): CompletionItem[] =>
  symbols.symbols
    .filter((symbol) => symbol.kind === 'label' && symbol.declaration !== undefined)
    .map((symbol) => ({ label: symbol.name, kind: 'label' }));

/** Components of the vectors that are declared or in use; `a0`, `u0` ... where there are none yet. */
function locationItems(unit: GpirUnit, spaces: readonly Space[], group: number): CompletionItem[] {
  const vectors = vectorsOf(unit);
  return spaces.flatMap((space) => {
    const known = vectors.filter((vector) => vector.space === space);
    const shown: readonly Vector[] =
      known.length > 0 || spaces.length > 1
        ? known
        : [{ space, index: 0, declaration: undefined, components: 0 }];
    return shown.flatMap((vector) => componentItems(vector, group));
  });
}

const componentItems = ({ space, index, declaration }: Vector, group: number): CompletionItem[] =>
  [...componentNames].map((component, c) => ({
    label: `${vectorName(space, index)}.${component}`,
    kind: space === Space.Attribute || space === Space.Varying ? 'parameter' : 'value',
    detail: declaration?.name?.text ?? spaceNames[space],
    sort: `${group}${spaceLetters[space]}${String(index).padStart(5, '0')}${c}`,
  }));

const numberItems: readonly CompletionItem[] = [
  { label: '0', kind: 'value', detail: 'free as second summand', sort: '30' },
  { label: '1', kind: 'value', detail: 'free as second factor', sort: '31' },
];

/** The Markdown behind a key of an item. */
export function resolveCompletion(key: string): string | undefined {
  const [kind, name] = key.split(' ');
  if (kind === 'operation') return operationText(name);
  const directive = kind === 'directive' ? directives.get(name) : undefined;
  return directive === undefined ? undefined : directiveText(directive);
}
