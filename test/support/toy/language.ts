import {
  LexicalKind,
  type CompletionItem,
  type CompletionList,
  type Description,
  type Fold,
  type Language,
  type LexicalTokens,
  type Link,
  type Signatures,
} from '../../../server/src/languages/language.js';
import { touches, type Span, type TextEdit } from '../../../server/src/text/span.js';
import { bind, lower, type ToyBound, toyClasses } from './bind.js';
import {
  opcodes,
  parse,
  unitEnd,
  type Block,
  type Instruction,
  type Statement,
  type ToyUnit,
} from './tree.js';

/** The toy language (see tree.ts) with every method of the interface. */
export const toyLanguage: Language<ToyUnit, ToyBound> = {
  id: 'toy',
  name: 'Toy',
  extensions: ['.toy'],
  settings: [],
  classes: toyClasses,
  unitEnd,
  parse,
  bind,
  lower,
  lexical,
  describe,
  complete,
  resolveCompletion: (key) => (Object.hasOwn(opcodes, key) ? opcodes[key].text : undefined),
  signatures,
  format,
  folds,
  enclosing,
  links: (unit) => {
    const item = unit.parsed.item;
    if (item?.kind !== 'use') return [];
    const { start, end, text } = item.path;
    return [{ span: { start, end }, path: text.replaceAll('"', '') }] satisfies Link[];
  },
};

function* statementsOf(block: Block): Generator<Statement> {
  const stack: Statement[] = [...block.statements].reverse();
  for (let s = stack.pop(); s !== undefined; s = stack.pop()) {
    yield s;
    if (s.kind === 'block') for (let k = s.statements.length - 1; k >= 0; k--) stack.push(s.statements[k]);
  }
}

const statements = (unit: ToyUnit): Iterable<Statement> =>
  unit.item?.kind === 'function' && unit.item.body !== undefined ? statementsOf(unit.item.body) : [];

const bodyOf = (unit: ToyUnit): Block | undefined =>
  unit.item?.kind === 'function' ? unit.item.body : undefined;

function lexical(unit: ToyBound): LexicalTokens {
  const found: { start: number; end: number; kind: LexicalKind }[] = [];
  const add = (s: Span, kind: LexicalKind): void => void found.push({ start: s.start, end: s.end, kind });
  const words = new Set(['version', 'use', 'global', 'fn', 'kernel', 'reg', 'wide', 'pred']);
  const isName = new Set(unit.symbols.occurrenceStart);
  for (const c of unit.parsed.comments) add(c, LexicalKind.Comment);
  for (const t of unit.parsed.tokens) {
    if (isName.has(t.start)) continue;
    if (t.kind === 'number') add(t, LexicalKind.Number);
    else if (t.kind === 'string') add(t, LexicalKind.String);
    else if (t.kind === 'word' && words.has(t.text)) add(t, LexicalKind.Directive);
    else if (t.kind === 'word' && Object.hasOwn(opcodes, t.text)) add(t, LexicalKind.Instruction);
  }
  found.sort((a, b) => a.start - b.start);
  return {
    start: Int32Array.from(found, (f) => f.start),
    end: Int32Array.from(found, (f) => f.end),
    kind: Uint8Array.from(found, (f) => f.kind),
  };
}

function instructionAt(unit: ToyUnit, offset: number): Instruction | undefined {
  for (const s of statements(unit)) if (s.kind === 'instruction' && touches(s, offset)) return s;
  return undefined;
}

function describe(unit: ToyBound, offset: number): Description | undefined {
  const found = instructionAt(unit.parsed, offset);
  if (found === undefined || !touches(found.opcode, offset) || !Object.hasOwn(opcodes, found.opcode.text))
    return undefined;
  const { start, end, text } = found.opcode;
  return { span: { start, end }, text: `\`${text}\`: ${opcodes[text].text}` };
}

function complete(unit: ToyBound, offset: number): CompletionList {
  const token = unit.parsed.tokens.find((t) => t.kind === 'word' && t.start < offset && offset <= t.end);
  const span = token === undefined ? { start: offset, end: offset } : { start: token.start, end: token.end };
  const before = unit.parsed.tokens.findLast((t) => t.end <= span.start);
  const line = unit.parsed.text.lastIndexOf('\n', span.start - 1);
  const isStart =
    before === undefined || before.end <= line + 1 || before.text === '{' || before.text === ':';
  const items: CompletionItem[] = isStart
    ? Object.entries(opcodes).map(([label, fact]) => ({
        label,
        kind: 'instruction',
        detail: fact.operands,
        key: label,
      }))
    : unit.symbols.symbols
        .filter((s) => s.scope === undefined || touches(s.scope, offset))
        .map((s) => ({
          label: s.name,
          kind:
            s.kind === 'label'
              ? 'label'
              : s.isGlobal
                ? 'function'
                : s.kind === 'parameter'
                  ? 'parameter'
                  : 'register',
          detail: s.detail,
        }));
  return { span, items };
}

function signatures(unit: ToyBound, offset: number): Signatures | undefined {
  const found = instructionAt(unit.parsed, offset);
  if (found === undefined || offset <= found.opcode.end || !Object.hasOwn(opcodes, found.opcode.text))
    return undefined;
  const parameters = [...opcodes[found.opcode.text].operands].map((label) => ({ label }));
  const label = `${found.opcode.text} ${parameters.map((p) => p.label).join(', ')}`;
  const activeParameter = unit.parsed.text.slice(found.opcode.end, offset).split(',').length - 1;
  return { items: [{ label, parameters }], activeItem: 0, activeParameter };
}

/** Two blanks a brace level, labels at the brace's own. */
function format(unit: ToyUnit, options: { tabSize: number; insertSpaces: boolean }): TextEdit[] {
  const edits: TextEdit[] = [];
  const one = options.insertSpaces ? ' '.repeat(options.tabSize) : '\t';
  let depth = 0;
  for (const [k, t] of unit.tokens.entries()) {
    if (t.text === '}') depth = Math.max(0, depth - 1);
    if (t.startsLine && (k > 0 || /[\n\r]/.test(unit.text.slice(0, t.start)) || t.start > 0)) {
      let start = t.start;
      while (start > 0 && ' \t'.includes(unit.text[start - 1])) start--;
      const isLabel = unit.tokens[k + 1]?.text === ':' && depth > 0;
      const newText = one.repeat(isLabel ? depth - 1 : depth);
      if (unit.text.slice(start, t.start) !== newText) edits.push({ span: { start, end: t.start }, newText });
    }
    if (t.text === '{') depth++;
  }
  return edits;
}

function folds(unit: ToyUnit): Fold[] {
  const body = bodyOf(unit);
  if (body === undefined) return [];
  const inner = [...statementsOf(body)].filter((s) => s.kind === 'block');
  return [body, ...inner].map((s) => ({ span: { start: s.start, end: s.end }, kind: 'region' }));
}

function enclosing(unit: ToyUnit, offset: number): Span[] {
  const found: Span[] = [];
  const token = unit.tokens.find((t) => touches(t, offset));
  if (token !== undefined) found.push(token);
  const holding = [...statements(unit)].filter((s) => touches(s, offset)).reverse();
  found.push(...holding);
  const body = bodyOf(unit);
  if (body !== undefined && touches(body, offset)) found.push(body);
  if (unit.item !== undefined && touches(unit.item, offset)) found.push(unit.item);
  found.push({ start: 0, end: unit.text.length });
  return found.map(({ start, end }) => ({ start, end }));
}
