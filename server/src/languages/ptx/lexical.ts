import { LexicalKind, type LexicalTokens } from '../language.js';
import type { PtxSyntax } from './parser/parse.js';
import { declarableTypes, instructionTypes } from './parser/words.js';
import { TokenKind, type Block } from './tree.js';

/**
 * Colours of what is no name: opcodes with their modifiers and types, directives, numbers, strings, comments,
 * operators. `isSpecialRegister` decides about words that no declaration covers; `%tid.x` is coloured whole.
 * Sorted, without overlap, and apart from every name.
 */
export function lexicalTokens(
  syntax: PtxSyntax,
  isSpecialRegister: (name: string, start: number) => boolean,
): LexicalTokens {
  const { text, tokens } = syntax;
  const opcodes = opcodeStarts(syntax);
  const start = new Int32Array(tokens.count);
  const end = new Int32Array(tokens.count);
  const kind = new Uint8Array(tokens.count);
  let count = 0;
  let opcode = 0;
  /** What a dotted word that follows without a blank belongs to. */
  let holder: 'opcode' | 'name' | 'special' | 'none' = 'none';
  let holderEnd = -1;
  const put = (i: number, what: LexicalKind): void => {
    start[count] = tokens.start[i];
    end[count] = tokens.end[i];
    kind[count++] = what;
  };
  for (let i = 0; i < tokens.count; i++) {
    const at = tokens.start[i];
    while (opcode < opcodes.length && opcodes[opcode] < at) opcode++;
    const isJoined = holderEnd === at;
    switch (tokens.kind[i] as TokenKind) {
      case TokenKind.Identifier:
        if (opcodes[opcode] === at) {
          put(i, LexicalKind.Instruction);
          holder = 'opcode';
        } else if (tokens.end[i] - at === 7 && text.startsWith('WARP_SZ', at)) {
          put(i, LexicalKind.Number);
          holder = 'none';
        } else if (text.charCodeAt(at) === 37 && isSpecialRegister(text.slice(at, tokens.end[i]), at)) {
          put(i, LexicalKind.SpecialRegister);
          holder = 'special';
        } else holder = 'name';
        holderEnd = tokens.end[i];
        break;
      case TokenKind.Dotted: {
        const word = text.slice(at, tokens.end[i]);
        const isType = declarableTypes.has(word) || instructionTypes.has(word);
        if (!isJoined || holder === 'none') put(i, isType ? LexicalKind.Type : LexicalKind.Directive);
        else if (holder === 'opcode') put(i, isType ? LexicalKind.Type : LexicalKind.Modifier);
        else if (holder === 'special') put(i, LexicalKind.SpecialRegister);
        if (!isJoined) holder = 'none';
        holderEnd = tokens.end[i];
        break;
      }
      case TokenKind.Integer:
      case TokenKind.Float:
        put(i, LexicalKind.Number);
        break;
      case TokenKind.String:
        put(i, LexicalKind.String);
        break;
      case TokenKind.LineComment:
      case TokenKind.BlockComment:
        put(i, LexicalKind.Comment);
        break;
      case TokenKind.Preprocessor:
        put(i, LexicalKind.Directive);
        break;
      case TokenKind.Punctuation:
        if (!separators.includes(text.charCodeAt(at))) put(i, LexicalKind.Operator);
        break;
      case TokenKind.Unknown:
        break;
    }
  }
  return { start: start.slice(0, count), end: end.slice(0, count), kind: kind.slice(0, count) };
}

/** Brackets and separators carry no colour of their own: `( ) [ ] { } , ; :`. */
const separators = [40, 41, 91, 93, 123, 125, 44, 59, 58];

/** Where opcodes stand, in text order. */
function opcodeStarts(syntax: PtxSyntax): number[] {
  const starts: number[] = [];
  for (const item of syntax.items)
    if (item.kind === 'function' && item.body !== undefined) collect(item.body, starts);
  return starts;
}

/** Blocks are nested at most `MAX_NESTING` deep. */
function collect(block: Block, starts: number[]): void {
  for (const statement of block.statements) {
    if (statement.kind === 'instruction') starts.push(statement.opcode.start);
    else if (statement.kind === 'block') collect(statement, starts);
  }
}
