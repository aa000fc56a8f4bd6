import { Space } from '../../../ir/payload.js';
import { nearestName } from '../../../text/nearest.js';
import { directives, varyingRoles } from '../isa/directives.js';
import {
  TokenKind,
  type DeclareDirective,
  type Name,
  type PhysicalOperand,
  type RegisterOperand,
  type Statement,
} from '../tree.js';
import {
  atEnd,
  codeAt,
  endBefore,
  fix,
  gap,
  kindHere,
  nameAt,
  report,
  shown,
  spanHere,
  startHere,
  type Cursor,
} from './cursor.js';
import { bounded, isPlainWord, parseOperand, spaceOfLetter, unexpected } from './operands.js';

/** Directives: a word with a dot at the start of a line, and what belongs to it. */

const COMMA = 44;
const COLON = 58;

const spaces: ReadonlyMap<string, DeclareDirective['space']> = new Map([
  ['.attribute', Space.Attribute],
  ['.uniform', Space.Uniform],
  ['.varying', Space.Varying],
]);

const letters: Readonly<Record<DeclareDirective['space'], string>> = {
  [Space.Attribute]: 'a',
  [Space.Uniform]: 'u',
  [Space.Varying]: 'v',
};

export function parseDirective(c: Cursor): Statement {
  const start = startHere(c);
  const directive = nameAt(c, c.at);
  if (codeAt(c, c.at + 1) === COLON) return dottedLabel(c, directive);
  c.at++;
  const space = spaces.get(directive.text);
  if (space !== undefined) return declaration(c, directive, space);
  if (directive.text === '.live_out') return liveOut(c, directive);
  if (directive.text === '.program') {
    const name = directiveName(c, 'the name of the program');
    endOfDirective(c);
    return { kind: 'program', start, end: endBefore(c), directive, name };
  }
  const near = nearestName(directive.text, directives.keys());
  const message = `there is no directive '${shown(c, c.at - 1)}'`;
  if (near === undefined)
    report(
      c,
      'syntax/unknown-directive',
      directive,
      `${message}; there are ${[...directives.keys()].join(', ')}`,
    );
  else
    report(
      c,
      'syntax/unknown-directive',
      directive,
      `${message}; did you mean '${near}'?`,
      fix(`Change to '${near}'`, directive, near),
    );
  c.at = c.end;
  return { kind: 'error', start, end: endBefore(c) };
}

/** `.L1:` reads like a directive; it is taken for what it was meant to be. */
function dottedLabel(c: Cursor, name: Name): Statement {
  report(c, 'syntax/directive', name, `a label cannot begin with '.'`);
  c.at += 2;
  return { kind: 'label', start: name.start, end: endBefore(c), name };
}

function directiveName(c: Cursor, what: string): Name | undefined {
  const kind = kindHere(c);
  if (kind === TokenKind.Word || (kind === TokenKind.Number && isPlainWord(shown(c, c.at)))) {
    c.at++;
    return nameAt(c, c.at - 1);
  }
  if (atEnd(c)) report(c, 'syntax/directive', before(c), `${what} is missing`);
  else unexpected(c, what);
  return undefined;
}

/** The word behind which something is missing. */
const before = (c: Cursor): { start: number; end: number } => ({
  start: c.tokens.start[c.at - 1],
  end: c.tokens.end[c.at - 1],
});

function endOfDirective(c: Cursor): void {
  if (!atEnd(c)) unexpected(c, 'the end of the line');
}

function declaration(c: Cursor, directive: Name, space: DeclareDirective['space']): DeclareDirective {
  const vector = vectorName(c, directive, space);
  if (codeAt(c, c.at) === COMMA) superfluousComma(c);
  const name =
    c.hasProblem && vector === undefined
      ? undefined
      : directiveName(c, `the name of ${vector?.name.text ?? 'the vector'}`);
  const role = space === Space.Varying && !atEnd(c) ? varyingRole(c) : undefined;
  endOfDirective(c);
  return {
    kind: 'declare',
    start: directive.start,
    end: endBefore(c),
    directive,
    space,
    location: vector?.name,
    index: vector?.index ?? -1,
    name,
    role,
  };
}

function superfluousComma(c: Cursor): void {
  const comma = spanHere(c);
  report(
    c,
    'syntax/directive',
    comma,
    'a blank, not a comma, stands here',
    fix('Remove the comma', comma, '', true),
  );
  c.at++;
}

/** `a0` of `.attribute a0 in_position`. */
function vectorName(
  c: Cursor,
  directive: Name,
  space: DeclareDirective['space'],
): { readonly name: Name; readonly index: number } | undefined {
  const letter = letters[space];
  if (kindHere(c) !== TokenKind.Word) {
    if (atEnd(c))
      report(
        c,
        'syntax/directive',
        directive,
        `the vector that ${directive.text} names is missing: ${letter}0 or another one`,
      );
    else unexpected(c, `the vector that is named (${letter}0 or another one)`);
    c.at = c.end;
    return undefined;
  }
  const name = nameAt(c, c.at++);
  const whole = /^([a-z])(\d+)(\.[xyzw]*)?$/.exec(name.text);
  if (whole === null || spaceOfLetter(name.text.charCodeAt(0)) !== space) {
    report(
      c,
      'syntax/directive',
      name,
      `'${shown(c, c.at - 1)}' is no vector that ${directive.text} can name: ${letter}0 or another one is expected`,
    );
    return undefined;
  }
  const index = bounded(whole[2]);
  if (whole[3] === undefined) return { name, index };
  const end = name.end - whole[3].length;
  const component = { start: end, end: name.end };
  report(
    c,
    'syntax/directive',
    component,
    `${directive.text} names all four components of a vector at once`,
    fix('Remove the component', component, '', true),
  );
  return { name: { start: name.start, end, text: name.text.slice(0, end - name.start) }, index };
}

function varyingRole(c: Cursor): Name | undefined {
  if (kindHere(c) !== TokenKind.Word) {
    unexpected(c, `'position', 'point_size' or the end of the line`);
    return undefined;
  }
  const role = nameAt(c, c.at++);
  if (varyingRoles.has(role.text)) return role;
  const near = nearestName(role.text, varyingRoles.keys());
  report(
    c,
    'syntax/directive',
    role,
    `'${shown(c, c.at - 1)}' is no part that a varying can play: 'position' or 'point_size' is expected`,
    ...(near === undefined ? [] : [fix(`Change to '${near}'`, role, near)]),
  );
  return undefined;
}

function liveOut(c: Cursor, directive: Name): Statement {
  const registers: (RegisterOperand | PhysicalOperand)[] = [];
  if (atEnd(c)) report(c, 'syntax/directive', directive, 'the registers that stay live are missing');
  while (!atEnd(c)) {
    const operand = parseOperand(c, false);
    if (operand.kind === 'register' || operand.kind === 'physical') {
      if (operand.isNegated) {
        const sign = { start: operand.start, end: operand.name.start };
        report(
          c,
          'syntax/operand',
          sign,
          'a register that stays live has no sign',
          fix("Remove the '-'", sign, '', true),
        );
      }
      registers.push(operand);
    } else if (operand.kind !== 'missing')
      report(
        c,
        'syntax/operand',
        operand,
        `'${c.text.slice(operand.start, Math.min(operand.end, operand.start + 40))}' is no register: only '@name' and '$3.x' outlive a program`,
      );
    if (atEnd(c)) break;
    if (codeAt(c, c.at) === COMMA) {
      const comma = spanHere(c);
      c.at++;
      if (atEnd(c))
        report(
          c,
          'syntax/operand',
          comma,
          "a register is missing behind ','",
          fix('Remove the comma', comma, ''),
        );
      continue;
    }
    if (c.hasProblem || kindHere(c) === TokenKind.Unknown) {
      unexpected(c, 'the end of the line');
      break;
    }
    report(
      c,
      'syntax/missing-comma',
      spanHere(c),
      `',' is missing before '${shown(c, c.at)}'`,
      fix("Insert ','", gap(c), ',', true),
    );
  }
  return { kind: 'liveOut', start: directive.start, end: endBefore(c), directive, registers };
}
