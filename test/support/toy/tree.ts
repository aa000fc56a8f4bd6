import type { Problem } from '../../../server/src/text/problem.js';
import type { Declaration, ParsedUnit } from '../../../server/src/languages/language.js';
import type { Span } from '../../../server/src/text/span.js';

/**
 * The toy language, small enough to count by hand, with everything that a feature meets in a real one:
 *
 *     version 2                     header fact, declares `version`
 *     use "lib/math.toy"            link
 *     global table 64               module-level variable
 *     fn helper                     forward declaration (no body)
 *     kernel main(n, out) {
 *       reg a, r<4>                 one-unit registers a, r0 .. r3
 *       wide w                      two-unit register
 *       pred p
 *     top:
 *       param a, n
 *       @p const a, 1               predicated
 *       load b, [a]
 *       branch p, top
 *       { reg a  const a, 2 }       nested scope
 *       call helper
 *       ret
 *     }
 *
 * A unit is one module-level item with the blanks and comments before it. `#` starts a comment.
 */
export interface ToyUnit extends ParsedUnit {
  readonly tokens: readonly Token[];
  readonly comments: readonly Span[];
  readonly item: Item | undefined;
}

export interface Token extends Span {
  readonly kind: 'word' | 'number' | 'string' | 'mark';
  readonly text: string;
  /** First token of its line. */
  readonly startsLine: boolean;
}

export type Item =
  | (Span & { readonly kind: 'header'; readonly name: Token; readonly value: number })
  | (Span & { readonly kind: 'use'; readonly path: Token })
  | (Span & { readonly kind: 'global'; readonly name: Token })
  | FunctionItem
  | (Span & { readonly kind: 'error' });

export interface FunctionItem extends Span {
  readonly kind: 'function';
  readonly isKernel: boolean;
  readonly name: Token | undefined;
  readonly parameters: readonly Token[];
  readonly body: Block | undefined;
}

export interface Block extends Span {
  readonly kind: 'block';
  readonly statements: readonly Statement[];
  readonly isClosed: boolean;
}

export type Statement = Declare | Label | Block | Instruction;

export interface Declare extends Span {
  readonly kind: 'declare';
  readonly keyword: 'reg' | 'wide' | 'pred';
  readonly names: readonly {
    readonly name: Token;
    readonly range: number | undefined;
    readonly end: number;
  }[];
}

export interface Label extends Span {
  readonly kind: 'label';
  readonly name: Token;
}

export interface Instruction extends Span {
  readonly kind: 'instruction';
  readonly guard: Token | undefined;
  readonly opcode: Token;
  readonly operands: readonly Operand[];
  readonly isFaulty: boolean;
}

export interface Operand extends Span {
  readonly token: Token;
  readonly isAddress: boolean;
}

/** `d` written register, `r` read register or number, `p` read predicate, `P` written predicate, `a` address, `L` label, `F` function, `M` parameter, `G` global. */
export interface OpcodeFact {
  readonly operands: string;
  readonly latency: number;
  readonly text: string;
  readonly version?: number;
}

export const opcodes: Readonly<Record<string, OpcodeFact>> = {
  const: { operands: 'dn', latency: 1, text: 'Writes a number.' },
  param: { operands: 'dM', latency: 1, text: 'Writes a parameter.' },
  address: { operands: 'dG', latency: 1, text: 'Writes the address of a global.' },
  move: { operands: 'dr', latency: 1, text: 'Copies a register.' },
  add: { operands: 'drr', latency: 4, text: 'Adds two registers.' },
  mul: { operands: 'drr', latency: 4, text: 'Multiplies two registers.', version: 2 },
  less: { operands: 'Prr', latency: 4, text: 'Compares two registers.' },
  load: { operands: 'da', latency: 20, text: 'Reads memory.' },
  store: { operands: 'ar', latency: 1, text: 'Writes memory.' },
  jump: { operands: 'L', latency: 1, text: 'Goes to a label.' },
  branch: { operands: 'pL', latency: 1, text: 'Goes to a label where the predicate holds.' },
  call: { operands: 'F', latency: 1, text: 'Calls a function.' },
  ret: { operands: '', latency: 1, text: 'Leaves the function.' },
};

const itemWords = new Set(['version', 'use', 'global', 'fn', 'kernel']);
const pattern = /(#[^\n\r]*)|([A-Za-z_][\w.]*)|(\d+)|("[^"\n\r]*"?)|(\S)|([\n\r])/g;

interface Scan {
  readonly tokens: Token[];
  readonly comments: Span[];
}

/** Tokens from `from` on; stops at the first module-level word after the first one when `oneItem`. */
function scan(text: string, from: number, oneItem: boolean): Scan & { readonly stop: number } {
  const tokens: Token[] = [];
  const comments: Span[] = [];
  let startsLine = true;
  pattern.lastIndex = from;
  let commentStart = -1;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = match.index;
    const end = pattern.lastIndex;
    if (match[6] !== undefined) {
      startsLine = true;
      continue;
    }
    if (match[1] !== undefined) {
      comments.push({ start, end });
      if (commentStart < 0) commentStart = start;
      continue;
    }
    const kind =
      match[2] !== undefined
        ? 'word'
        : match[3] !== undefined
          ? 'number'
          : match[4] !== undefined
            ? 'string'
            : 'mark';
    const token: Token = { kind, text: match[0], start, end, startsLine };
    if (oneItem && tokens.length > 0 && startsLine && itemWords.has(token.text))
      return { tokens, comments, stop: commentStart >= 0 ? commentStart : start };
    startsLine = false;
    tokens.push(token);
    commentStart = -1;
  }
  return { tokens, comments, stop: text.length };
}

/** The item's end: a module-level word at the start of a line begins the next unit, with the comments before it. */
export const unitEnd = (text: string, start: number): number =>
  Math.max(start + 1, scan(text, start, true).stop);

export function parse(text: string): ToyUnit {
  const { tokens, comments } = scan(text, 0, false);
  const problems: Problem[] = [];
  const item = parseItem(tokens, problems);
  return {
    text,
    tokens,
    comments,
    item,
    problems,
    declares: declares(item),
    mentions: mentions(tokens),
  };
}

const mentions = (tokens: readonly Token[]): string[] =>
  [...new Set([...tokens.filter((t) => t.kind === 'word').map((t) => t.text), 'version'])].sort();

function declares(item: Item | undefined): Declaration[] {
  if (item?.kind === 'header')
    return [
      { name: 'version', span: item.name, extent: item, signature: `${item.value}`, isDefinition: true },
    ];
  if (item?.kind === 'global')
    return [{ name: item.name.text, span: item.name, extent: item, signature: 'global', isDefinition: true }];
  if (item?.kind === 'function' && item.name !== undefined)
    return [
      {
        name: item.name.text,
        span: item.name,
        extent: item,
        signature: `${item.isKernel ? 'kernel' : 'fn'}(${item.parameters.length})`,
        isDefinition: item.body !== undefined,
      },
    ];
  return [];
}

function parseItem(tokens: readonly Token[], problems: Problem[]): Item | undefined {
  let at = 0;
  if (tokens.length === 0) return undefined;
  const last = tokens[tokens.length - 1].end;

  const fault = (place: Span, message: string): void => {
    problems.push({
      code: 'syntax/statement',
      severity: 'error',
      span: { start: place.start, end: place.end },
      message,
    });
  };
  const is = (text: string): boolean => at < tokens.length && tokens[at].text === text;
  const word = (what: string): Token | undefined => {
    if (at < tokens.length && tokens[at].kind === 'word' && !(tokens[at].startsLine && at > 0))
      return tokens[at++];
    fault(tokens[Math.min(at, tokens.length - 1)], `expected ${what}`);
    return undefined;
  };

  const head = tokens[at++];
  let item: Item = { kind: 'error', start: head.start, end: last };
  if (head.text === 'version') {
    const value = at < tokens.length && tokens[at].kind === 'number' ? Number(tokens[at++].text) : undefined;
    if (value === undefined) fault(head, 'expected a number after `version`');
    else item = { kind: 'header', name: head, value, start: head.start, end: tokens[at - 1].end };
  } else if (head.text === 'use') {
    const path = at < tokens.length && tokens[at].kind === 'string' ? tokens[at++] : undefined;
    if (path === undefined) fault(head, 'expected a path after `use`');
    else item = { kind: 'use', path, start: head.start, end: path.end };
  } else if (head.text === 'global') {
    const name = word('a name');
    if (at < tokens.length && tokens[at].kind === 'number') at++;
    if (name !== undefined) item = { kind: 'global', name, start: head.start, end: tokens[at - 1].end };
  } else if (head.text === 'fn' || head.text === 'kernel') {
    item = parseFunction(head);
  } else {
    fault(head, `expected \`version\`, \`use\`, \`global\`, \`fn\` or \`kernel\`, not \`${head.text}\``);
    return item;
  }
  if (at < tokens.length) fault(tokens[at], `unexpected \`${tokens[at].text}\``);
  return item;

  function parseFunction(start: Token): FunctionItem {
    const name = word('the name of the function');
    const parameters: Token[] = [];
    if (is('(')) {
      at++;
      while (at < tokens.length && !is(')') && !is('{')) {
        if (tokens[at].kind === 'word') parameters.push(tokens[at]);
        else if (!is(',')) fault(tokens[at], `unexpected \`${tokens[at].text}\` among the parameters`);
        at++;
      }
      if (is(')')) at++;
      else fault(tokens[at - 1], 'expected `)`');
    }
    const body = is('{') ? parseBlock() : undefined;
    return {
      kind: 'function',
      isKernel: start.text === 'kernel',
      name,
      parameters,
      body,
      start: start.start,
      end: tokens[at - 1].end,
    };
  }

  function parseBlock(): Block {
    const open = tokens[at++];
    const statements: Statement[] = [];
    const stack: { start: number; statements: Statement[] }[] = [];
    let current = statements;
    for (;;) {
      if (at >= tokens.length) {
        fault(tokens[at - 1], 'expected `}`');
        for (let inner = stack.pop(); inner !== undefined; inner = stack.pop()) {
          inner.statements.push({
            kind: 'block',
            statements: current,
            isClosed: false,
            start: inner.start,
            end: last,
          });
          current = inner.statements;
        }
        return { kind: 'block', statements, isClosed: false, start: open.start, end: last };
      }
      if (is('}')) {
        const close = tokens[at++];
        const inner = stack.pop();
        if (inner === undefined)
          return { kind: 'block', statements, isClosed: true, start: open.start, end: close.end };
        inner.statements.push({
          kind: 'block',
          statements: current,
          isClosed: true,
          start: inner.start,
          end: close.end,
        });
        current = inner.statements;
      } else if (is('{')) {
        stack.push({ start: tokens[at++].start, statements: current });
        current = [];
      } else current.push(parseStatement());
    }
  }

  function parseStatement(): Statement {
    const first = tokens[at];
    if (first.kind === 'word' && at + 1 < tokens.length && tokens[at + 1].text === ':') {
      at += 2;
      return { kind: 'label', name: first, start: first.start, end: tokens[at - 1].end };
    }
    if (first.text === 'reg' || first.text === 'wide' || first.text === 'pred')
      return parseDeclare(first, first.text);
    return parseInstruction(first);
  }

  /** True where the statement goes on: not at the line's end, not at a brace. */
  function goesOn(): boolean {
    return at < tokens.length && !tokens[at].startsLine && !is('}') && !is('{');
  }

  function parseDeclare(first: Token, keyword: Declare['keyword']): Declare {
    at++;
    const names: { name: Token; range: number | undefined; end: number }[] = [];
    while (goesOn()) {
      const token = tokens[at++];
      if (token.kind === 'word') {
        let range: number | undefined;
        if (
          is('<') &&
          at + 2 < tokens.length &&
          tokens[at + 1].kind === 'number' &&
          tokens[at + 2].text === '>'
        ) {
          range = Number(tokens[at + 1].text);
          at += 3;
        }
        names.push({ name: token, range, end: tokens[at - 1].end });
        if (goesOn() && !is(',')) break;
      } else if (token.text !== ',') fault(token, `unexpected \`${token.text}\` in a declaration`);
    }
    return { kind: 'declare', keyword, names, start: first.start, end: tokens[at - 1].end };
  }

  function parseInstruction(first: Token): Instruction {
    let guard: Token | undefined;
    let isFaulty = false;
    if (is('@')) {
      at++;
      if (goesOn() && tokens[at].kind === 'word') guard = tokens[at++];
      else {
        fault(first, 'expected a predicate after `@`');
        isFaulty = true;
      }
    }
    if (at >= tokens.length || (at > 0 && tokens[at] !== first && !goesOn()) || tokens[at].kind !== 'word') {
      const place = tokens[Math.min(at, tokens.length - 1)];
      fault(place, `expected an instruction, not \`${place.text}\``);
      if (at < tokens.length && tokens[at] === first) at++;
      return {
        kind: 'instruction',
        guard,
        opcode: first,
        operands: [],
        isFaulty: true,
        start: first.start,
        end: tokens[at - 1].end,
      };
    }
    const opcode = tokens[at++];
    const fact = Object.hasOwn(opcodes, opcode.text) ? opcodes[opcode.text] : undefined;
    const operands: Operand[] = [];
    const wanted = fact?.operands.length ?? 99;
    while (goesOn() && operands.length < wanted) {
      const token = tokens[at++];
      if (token.text === ',') continue;
      if (token.text === '[') {
        if (goesOn() && tokens[at].kind !== 'mark') {
          const inner = tokens[at++];
          if (goesOn() && is(']')) at++;
          else {
            fault(inner, 'expected `]`');
            isFaulty = true;
          }
          operands.push({ token: inner, isAddress: true, start: token.start, end: tokens[at - 1].end });
        }
      } else if (token.kind === 'word' || token.kind === 'number')
        operands.push({ token, isAddress: false, start: token.start, end: token.end });
      else {
        fault(token, `unexpected \`${token.text}\``);
        isFaulty = true;
      }
    }
    if (fact !== undefined && operands.length < wanted) {
      fault(opcode, `\`${opcode.text}\` needs ${wanted} operands`);
      isFaulty = true;
    }
    return {
      kind: 'instruction',
      guard,
      opcode,
      operands,
      isFaulty: isFaulty || fact === undefined,
      start: first.start,
      end: tokens[at - 1].end,
    };
  }
}
