import type { CompletionItem, CompletionList, Environment } from '../../language.js';
import type { PtxBound } from '../bind/index.js';
import { statementAt } from '../find.js';
import { instructionEntries, instructionEntry } from '../isa/tables/index.js';
import { predefinedConstants, specialRegisters } from '../isa/special-registers.js';
import { architectures, isaVersions, targetOptions } from '../isa/versions.js';
import type { DirectivePlace } from '../isa/directives.js';
import { wordOf, writtenWords } from '../isa/spaces-types.js';
import { entryText } from '../reference/instructions.js';
import { modifierText, typeText } from '../reference/modifiers.js';
import { specialText } from '../hover.js';
import { types } from '../types.js';
import { nextModifiers } from './modifiers.js';
import { operandItems, predicateItems } from './operands.js';
import { placeAt, type Place } from './place.js';
import { snippets } from './snippets.js';

/** What fits at the cursor. Documentation is made when an item is looked at, by its key. */
export function complete(bound: PtxBound, offset: number, environment: Environment): CompletionList {
  const place = placeAt(bound.parsed, offset);
  if (place.kind === 'nothing') return { span: { start: offset, end: offset }, items: [] };
  const items = itemsAt(bound, place, offset, environment);
  return { span: place.span, items: items.list, isIncomplete: items.isIncomplete };
}

interface Items {
  readonly list: readonly CompletionItem[];
  readonly isIncomplete: boolean;
}

const all = (list: readonly CompletionItem[]): Items => ({ list, isIncomplete: false });

function itemsAt(
  bound: PtxBound,
  place: Exclude<Place, { kind: 'nothing' }>,
  offset: number,
  environment: Environment,
): Items {
  const inBody = statementAt(bound.parsed, offset) !== undefined;
  switch (place.kind) {
    case 'modifier':
      return all(modifierItems(place.opcode));
    case 'component':
      return all(componentItems(bound, place.name));
    case 'guard':
      return predicateItems(bound, offset, place.prefix);
    case 'directive':
      return all(directiveItems(place.before, inBody));
    case 'word':
      return all(wordItems(place.before));
    case 'statement':
      return all(inBody ? statementItems() : directiveItems([], false));
    case 'operand':
      return operandItems(bound, offset, place, environment);
  }
}

function modifierItems(opcode: string): CompletionItem[] {
  const base = opcode.split('.')[0];
  const next = nextModifiers(opcode);
  if (next === undefined) return [];
  return next.values.map((value, order) => ({
    label: `.${value}`,
    kind: types.has(`.${value}`) ? 'type' : 'modifier',
    detail: modifierText(base, value) ?? '',
    key: `modifier ${base} ${value}`,
    sort: String(order).padStart(4, '0'),
  }));
}

function componentItems(bound: PtxBound, name: string): CompletionItem[] {
  const isVector =
    specialRegisters.get(name)?.isVector === true ||
    bound.symbols.symbols.some((s) => s.name === name && s.detail.includes('.v'));
  if (!isVector) return [];
  return ['.x', '.y', '.z', '.w'].map((label) => ({
    label,
    kind: 'modifier',
    detail: `component of ${name}`,
  }));
}

function directiveItem(name: string): CompletionItem {
  const directive = wordOf(name);
  return {
    label: name,
    kind: 'directive',
    detail: directive?.syntax ?? '',
    key: `directive ${name}`,
    ...(directive?.snippet !== undefined && { insert: directive.snippet, isSnippet: true }),
  };
}

const at = (...places: DirectivePlace[]): CompletionItem[] =>
  writtenWords
    .filter((directive) => directive.places.some((place) => places.includes(place)))
    .map((directive) => directiveItem(directive.name));

const typeItem = (name: string): CompletionItem => ({
  label: name,
  kind: 'type',
  detail: typeText(name.slice(1)) ?? '',
});

const linkages = new Set(['.visible', '.extern', '.weak', '.common']);
const spaces = new Set(['.reg', '.local', '.param', '.shared', '.global', '.const']);

/** Words with a dot: directives at the start, then what a declaration takes. */
function directiveItems(before: readonly string[], inBody: boolean): CompletionItem[] {
  const first = before.at(0);
  if (first === undefined) return inBody ? [...at('body', 'label')] : at('module');
  if (before.every((word) => linkages.has(word))) return at('linkage');
  if (before.includes('.entry') || before.includes('.func')) {
    const last = before.at(-1) ?? '';
    if (last === '(' || last === ',') return at('parameter');
    const depth = before.filter((word) => word === '(').length - before.filter((word) => word === ')').length;
    return depth > 0 ? declarationItems(before) : at('head');
  }
  if (before.some((word) => spaces.has(word))) return declarationItems(before);
  return inBody ? at('label') : [];
}

const declarationItems = (before: readonly string[]): CompletionItem[] => {
  const isPointer = before.includes('.ptr');
  return [
    ...(isPointer ? ['.global', '.shared', '.local', '.const'].map(directiveItem) : []),
    ...[...types.keys()].map(typeItem),
    ...['.v2', '.v4'].map((label): CompletionItem => ({ label, kind: 'type', detail: 'a vector' })),
    ...at('declaration'),
    ...(before.includes('.param') ? [directiveItem('.ptr')] : []),
  ];
};

/** Words of the header lines. */
function wordItems(before: readonly string[]): CompletionItem[] {
  switch (before.at(0)) {
    case '.version':
      return isaVersions.toReversed().map(({ name, cuda }, order) => ({
        label: name,
        kind: 'value',
        detail: cuda === undefined ? '' : `CUDA ${cuda}`,
        sort: String(order).padStart(3, '0'),
      }));
    case '.target':
      return before.length === 1
        ? architectures.map((entry) => ({
            label: entry.name,
            kind: 'value',
            detail: `${entry.generation}, PTX ISA ${entry.isa}`,
          }))
        : [...targetOptions].map(([label, detail]) => ({ label, kind: 'value', detail }));
    case '.address_size':
      return [{ label: '64', kind: 'value', detail: 'bits' }];
    default:
      return [];
  }
}

let cachedStatements: CompletionItem[] | undefined;

/** Opcodes and snippets; the same at every statement. */
function statementItems(): CompletionItem[] {
  cachedStatements ??= [
    ...[...instructionEntries()].map((entry): CompletionItem => ({
      label: entry.opcode,
      kind: 'instruction',
      detail: entry.group,
      key: `instruction ${entry.opcode}`,
    })),
    ...snippets,
  ];
  return cachedStatements;
}

/** The Markdown behind a key of an item. */
export function resolveCompletion(key: string): string | undefined {
  const [kind, name, rest] = key.split(' ');
  switch (kind) {
    case 'instruction': {
      const entry = instructionEntry(name);
      return entry === undefined ? undefined : entryText(entry);
    }
    case 'modifier':
      return rest === undefined ? undefined : modifierText(name, rest);
    case 'directive': {
      const directive = wordOf(name);
      return directive === undefined
        ? undefined
        : `\`\`\`ptx\n${directive.syntax}\n\`\`\`\n\n${directive.text}`;
    }
    case 'special': {
      const register = specialRegisters.get(name);
      return register === undefined ? predefinedConstants.get(name)?.text : specialText(register);
    }
    default:
      return undefined;
  }
}
