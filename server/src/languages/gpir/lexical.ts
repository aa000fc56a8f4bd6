import { LexicalKind, type LexicalTokens } from '../language.js';
import { TokenKind, type GpirUnit, type Statement } from './tree.js';

/**
 * Colours of what is no name: operations, directives, numbers, components, comments, signs. Sorted, without overlap,
 * and apart from every name.
 */
export function lexicalTokens({ text, tokens, statements }: GpirUnit): LexicalTokens {
  const start = new Int32Array(tokens.count);
  const end = new Int32Array(tokens.count);
  const kind = new Uint8Array(tokens.count);
  let count = 0;
  const put = (from: number, to: number, what: LexicalKind): void => {
    start[count] = from;
    end[count] = to;
    kind[count++] = what;
  };
  let s = 0;
  /** Operand of statement `s` that ends behind the last token. */
  let o = 0;
  for (let i = 0; i < tokens.count; i++) {
    const from = tokens.start[i];
    const to = tokens.end[i];
    while (s < statements.length && statements[s].end <= from) {
      s++;
      o = 0;
    }
    switch (tokens.kind[i] as TokenKind) {
      case TokenKind.Comment:
        put(from, to, LexicalKind.Comment);
        break;
      case TokenKind.Directive:
        if (!isName(statements[s], from)) put(from, to, LexicalKind.Directive);
        break;
      case TokenKind.Number:
        if (!isName(statements[s], from)) put(from, to, LexicalKind.Number);
        break;
      case TokenKind.Word: {
        const at = statements.at(s);
        if (at?.kind === 'instruction' && at.opcode.start === from) put(from, to, LexicalKind.Instruction);
        else if (at?.kind === 'declare' && at.role?.start === from) put(from, to, LexicalKind.Modifier);
        else if (at?.kind === 'instruction') {
          while (o < at.operands.length && at.operands[o].end <= from) o++;
          const operand = at.operands.at(o);
          if (operand?.kind === 'location' && operand.name.start === from)
            put(operand.vectorEnd, to, LexicalKind.Modifier);
        }
        break;
      }
      case TokenKind.Punctuation: {
        const code = text.charCodeAt(from);
        if (code === 45 || code === 61) put(from, to, LexicalKind.Operator);
        break;
      }
      case TokenKind.Value:
      case TokenKind.Register:
      case TokenKind.Physical:
      case TokenKind.Unknown:
        break;
    }
  }
  return { start: start.slice(0, count), end: end.slice(0, count), kind: kind.slice(0, count) };
}

/** Whether the word at `from`, which looks like something else, is the name of a label, a vector or a program. */
function isName(statement: Statement | undefined, from: number): boolean {
  switch (statement?.kind) {
    case 'label':
      return statement.name.start === from;
    case 'instruction':
      return statement.operands[0]?.kind === 'word' && statement.operands[0].name.start === from;
    case 'program':
    case 'declare':
      return statement.name?.start === from;
    case 'liveOut':
    case 'error':
    case undefined:
      return false;
  }
}
