import type { Declaration } from '../language.js';
import type { Span } from '../../text/span.js';
import type {
  Block,
  Constant,
  FunctionItem,
  Initializer,
  ModuleItem,
  Name,
  Operand,
  Parameter,
  VariableDeclaration,
} from './tree.js';
import { listedNames } from './target-lists.js';
import { typeBytes, vectorLength } from './types.js';

/**
 * What a PTX unit shows to the others, and which of their names matter to it. A signature is the JSON of a
 * `ModuleFact`, so that a unit can be bound against declarations that it sees as text alone; equal text means
 * interchangeable declarations.
 *
 * Besides variables and functions there are declarations of facts that hold for the rest of the file:
 * `.version`, `.target`, `.address_size`, `.file N` (its path), `.section` (debug information is present),
 * `.nounroll` (a pragma of the module keeps all loops) and `.gcc` (the text is what GCC's nvptx compiler writes,
 * before its assembler has sorted the declarations). The
 * `span` of a header declaration is its first value, so that a fix can replace `8.0` or `sm_80` alone.
 */
export type ModuleFact = HeaderFact | VariableFact | FunctionFact;

export interface HeaderFact {
  readonly kind: 'header';
  readonly values: readonly string[];
}

export interface VariableFact {
  readonly kind: 'variable';
  readonly space: string;
  readonly type: string;
  readonly vector: number;
  readonly alignment: number;
  /** -1 for `[]`. */
  readonly dimensions: readonly number[];
  readonly linkage: readonly string[];
}

export interface ParameterFact {
  readonly name: string;
  readonly space: string;
  readonly type: string;
  readonly vector: number;
  readonly alignment: number;
  /** -1 for `[]`. */
  readonly dimensions: readonly number[];
}

export interface FunctionFact {
  readonly kind: 'function';
  readonly isEntry: boolean;
  readonly isDefinition: boolean;
  readonly linkage: readonly string[];
  readonly returns: readonly ParameterFact[];
  readonly parameters: readonly ParameterFact[];
}

/** Whether a pragma, with or without its quotes, tells ptxas to keep loops as they are. */
export const isNounroll = (text: string): boolean => /^"?\s*nounroll\s*"?$/.test(text);

export interface Outline {
  readonly declares: readonly Declaration[];
  readonly mentions: readonly string[];
}

/** Names of facts about the whole file. */
export const fileFacts = { version: '.version', target: '.target', addressSize: '.address_size' } as const;
export const GCC_MARK = '.gcc';
export const SECTION_MARK = '.section';
export const NOUNROLL_MARK = '.nounroll';
/** The name under which `.file N` is declared; its fact holds the path. */
export const fileName = (index: number): string => `.file ${index}`;

const integerOf = (constant: Constant | undefined): number =>
  constant?.integer === undefined ? -1 : Number(constant.integer);

const texts = (names: readonly Name[]): readonly string[] => names.map((name) => name.text);

export const parameterFact = (parameter: Parameter): ParameterFact => ({
  name: parameter.name?.text ?? '_',
  space: parameter.space.text,
  type: parameter.type?.text ?? '',
  vector: vectorLength(parameter.vector?.text),
  alignment: parameter.alignment === undefined ? 0 : integerOf(parameter.alignment),
  dimensions: parameter.dimensions.map(integerOf),
});

export const functionFact = (item: FunctionItem): FunctionFact => ({
  kind: 'function',
  isEntry: item.isEntry,
  isDefinition: item.body !== undefined,
  linkage: texts(item.linkage),
  returns: item.returns.map(parameterFact),
  parameters: item.parameters.map(parameterFact),
});

export const variableFact = (
  item: VariableDeclaration,
  dimensions: readonly (Constant | undefined)[],
): VariableFact => ({
  kind: 'variable',
  space: item.space.text,
  type: item.type?.text ?? '',
  vector: vectorLength(item.vector?.text),
  alignment: item.alignment === undefined ? 0 : integerOf(item.alignment),
  dimensions: dimensions.map(integerOf),
  linkage: texts(item.linkage),
});

const decoded = new Map<string, ModuleFact>();
const DECODED_LIMIT = 50_000;

/** The fact behind a signature. Signatures come from `outline`; anything else gives a header without values. */
export function factOf(declaration: Pick<Declaration, 'signature'>): ModuleFact {
  const known = decoded.get(declaration.signature);
  if (known !== undefined) return known;
  const fact = decode(declaration.signature);
  if (decoded.size >= DECODED_LIMIT) decoded.clear();
  decoded.set(declaration.signature, fact);
  return fact;
}

function decode(signature: string): ModuleFact {
  try {
    return JSON.parse(signature) as ModuleFact;
  } catch {
    return { kind: 'header', values: [] };
  }
}

/** Bytes of a variable or parameter: element size times vector length times dimensions; 0 when it is unsized or unknown. */
export function byteSize(fact: {
  readonly type: string;
  readonly vector: number;
  readonly dimensions: readonly number[];
}): number {
  return fact.dimensions.reduce(
    (bytes, dimension) => bytes * Math.max(0, dimension),
    typeBytes(fact.type) * fact.vector,
  );
}

const GCC_PREAMBLE = '// BEGIN PREAMBLE';

/** What `items` declare and mention. One pass over the tree; linear. `text` is the unit's, for its comments. */
export function outline(items: readonly ModuleItem[], text: string): Outline {
  const declares: Declaration[] = [];
  const mentions = new Set<string>();
  const declare = (name: string, span: Span, extent: Span, fact: ModuleFact, isDefinition: boolean): void => {
    declares.push({
      name,
      span: { start: span.start, end: span.end },
      extent: { start: extent.start, end: extent.end },
      signature: JSON.stringify(fact),
      isDefinition,
    });
    mentions.add(name);
  };
  const header = (name: string, span: Span, extent: Span, values: readonly string[]): void =>
    declare(name, span, extent, { kind: 'header', values }, true);

  const declareFunction = (item: FunctionItem): void => {
    if (item.name === undefined) return;
    const fact = functionFact(item);
    declare(item.name.text, item.name, item, fact, fact.isDefinition);
  };

  const preamble = text.startsWith('//') || text.includes(GCC_PREAMBLE) ? text.indexOf(GCC_PREAMBLE) : -1;
  if (preamble >= 0) {
    const comment = { start: preamble, end: preamble + GCC_PREAMBLE.length };
    header(GCC_MARK, comment, comment, ['gcc']);
  }

  for (const item of items) {
    switch (item.kind) {
      case 'header':
        header(item.directive, item.values.at(0) ?? item, item, texts(item.values));
        mentionFileFacts(mentions);
        if (item.directive === '.target') mentions.add(SECTION_MARK);
        break;
      case 'file':
        header(fileName(item.index), item.pathSpan, item, [item.path]);
        break;
      case 'loc':
        mentions.add(fileName(item.file));
        break;
      case 'section':
        header(SECTION_MARK, item.name ?? item, item, [item.name?.text ?? '']);
        break;
      case 'alias':
        mentions.add(item.name.text);
        if (item.target !== undefined) mentions.add(item.target.text);
        break;
      case 'variable':
        mentionFileFacts(mentions);
        for (const declarator of item.declarators) {
          const fact = variableFact(item, declarator.dimensions);
          const isDefinition = !fact.linkage.includes('.extern');
          declare(declarator.name.text, declarator.name, item, fact, isDefinition);
          if (declarator.initializer !== undefined) mentionInitializer(mentions, declarator.initializer);
        }
        break;
      case 'function':
        mentionFileFacts(mentions);
        mentions.add(NOUNROLL_MARK);
        declareFunction(item);
        if (item.body !== undefined)
          for (const prototype of mentionBody(mentions, item.body, item)) declareFunction(prototype);
        break;
      case 'pragma':
        for (const value of item.values)
          if (isNounroll(value.text)) header(NOUNROLL_MARK, value, item, ['nounroll']);
        break;
      case 'error':
        break;
    }
  }
  return { declares, mentions: [...mentions].sort() };
}

function mentionFileFacts(mentions: Set<string>): void {
  mentions.add(fileFacts.version);
  mentions.add(fileFacts.target);
  mentions.add(fileFacts.addressSize);
  mentions.add(GCC_MARK);
}

function mentionInitializer(mentions: Set<string>, initializer: Initializer): void {
  switch (initializer.kind) {
    case 'list':
      for (const element of initializer.elements) mentionInitializer(mentions, element);
      break;
    case 'symbol':
      mentions.add(initializer.name.text);
      break;
    case 'constant':
      for (const name of initializer.value.names) mentions.add(name.text);
      break;
    case 'string':
      break;
  }
}

/**
 * Names that a function leaves open: everything used before, or without, a declaration of its outermost scope.
 * Names declared in inner blocks are counted as open (they may mean something else outside): too many mentions
 * cost little, one too few would keep a stale result alive. Returns the prototypes that stand in the body.
 */
function mentionBody(mentions: Set<string>, body: Block, item: FunctionItem): FunctionItem[] {
  const prototypes: FunctionItem[] = [];
  const local = new Set<string>();
  const ranges = new Map<string, number>();
  for (const parameter of [...item.returns, ...item.parameters])
    if (parameter.name !== undefined) local.add(parameter.name.text);

  const use = (name: string): void => {
    if (local.has(name) || mentions.has(name)) return;
    if (inRange(ranges, name)) local.add(name);
    else mentions.add(name);
  };
  const constant = (value: Constant | undefined): void => {
    if (value !== undefined) for (const name of value.names) use(name.text);
  };
  const operand = (node: Operand): void => {
    switch (node.kind) {
      case 'name':
        use(node.name.text);
        constant(node.index);
        constant(node.offset);
        break;
      case 'constant':
        constant(node.value);
        break;
      case 'address':
        if (node.base !== undefined) operand(node.base);
        constant(node.offset);
        for (const more of node.more) operand(more);
        break;
      case 'vector':
      case 'list':
        for (const element of node.elements) operand(element);
        break;
      case 'pair':
        operand(node.first);
        operand(node.second);
        break;
      case 'not':
        operand(node.operand);
        break;
      case 'sink':
      case 'missing':
        break;
    }
  };
  const pending: { readonly block: Block; next: number }[] = [{ block: body, next: 0 }];
  for (const statement of body.statements)
    if (statement.kind === 'label') local.add(statement.name.text);
    else if (statement.kind === 'targets' || statement.kind === 'prototype') local.add(statement.label.text);
  while (pending.length > 0) {
    const frame = pending[pending.length - 1];
    if (frame.next >= frame.block.statements.length) {
      pending.pop();
      continue;
    }
    const statement = frame.block.statements[frame.next++];
    switch (statement.kind) {
      case 'instruction':
        if (statement.guard !== undefined) use(statement.guard.name.text);
        for (const node of statement.operands) operand(node);
        break;
      case 'variable':
        for (const declarator of statement.declarators) {
          if (pending.length === 1) {
            const count = declarator.range === undefined ? -1 : integerOf(declarator.range);
            if (declarator.range === undefined) local.add(declarator.name.text);
            else ranges.set(declarator.name.text, Math.max(count, ranges.get(declarator.name.text) ?? 0));
          }
          if (declarator.initializer !== undefined) mentionInitializer(mentions, declarator.initializer);
        }
        break;
      case 'block':
        pending.push({ block: statement, next: 0 });
        break;
      case 'targets':
        for (const target of statement.targets)
          for (const name of listedNames(target)) {
            use(name);
            if (mentions.has(name)) break;
          }
        break;
      case 'loc':
        mentions.add(fileName(statement.file));
        break;
      case 'function':
        prototypes.push(statement);
        break;
      case 'label':
      case 'prototype':
      case 'pragma':
      case 'section':
      case 'error':
        break;
    }
  }
  return prototypes;
}

/** Whether `name` is one of the registers of the ranges `prefix -> count`: `%r<10>` has %r0 ... %r9. */
export function inRange(ranges: ReadonlyMap<string, number>, name: string): boolean {
  return rangePrefix(name, (prefix, index) => index < (ranges.get(prefix) ?? 0)) !== undefined;
}

/** Longest number behind a prefix; `%r<N>` with more registers than that cannot be. */
const MAX_DIGITS = 9;

/** The prefix of `name` before some of its last digits that `accept` takes, the shortest first, or undefined. */
export function rangePrefix(
  name: string,
  accept: (prefix: string, index: number) => boolean,
): string | undefined {
  let cut = name.length;
  while (cut > 1 && name.length - cut < MAX_DIGITS && isDigit(name.charCodeAt(cut - 1))) cut--;
  for (; cut < name.length; cut++) {
    const prefix = name.slice(0, cut);
    if (accept(prefix, Number(name.slice(cut)))) return prefix;
  }
  return undefined;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
