import type {
  Constant,
  Instruction,
  Name,
  NameOperand,
  Operand,
} from '../../../../server/src/languages/ptx/tree.js';

/**
 * One instruction from text, for tests of the tables alone: names, numbers, braces, brackets, pairs, parentheses.
 * Spans are those of the text.
 */
export function instruction(text: string): Instruction {
  const reader = new Reader(text);
  const guard = reader.guard();
  const opcode = reader.word(/[\w.:$%]+/y)!;
  const operands = reader.list('');
  return {
    kind: 'instruction',
    start: 0,
    end: text.length,
    guard,
    opcode,
    operands,
    isTerminated: true,
    isFaulty: false,
  };
}

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  private skip(): void {
    while (/[\s;]/.test(this.text[this.at] ?? '')) this.at++;
  }

  private take(mark: string): boolean {
    this.skip();
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  word(pattern: RegExp): Name | undefined {
    this.skip();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    const start = this.at;
    this.at += found[0].length;
    return { start, end: this.at, text: found[0] };
  }

  guard(): Instruction['guard'] {
    if (!this.take('@')) return undefined;
    const isNegated = this.take('!');
    const name = this.word(/[\w$%]+/y)!;
    return { start: 0, end: name.end, isNegated, name };
  }

  list(end: string): Operand[] {
    const operands: Operand[] = [];
    for (;;) {
      this.skip();
      if (this.at >= this.text.length || (end !== '' && this.take(end))) return operands;
      operands.push(this.operand());
      if (this.take(',') || end !== '') continue;
      this.skip();
      if (this.at < this.text.length) throw new Error(`test instruction '${this.text}' at ${this.at}`);
    }
  }

  operand(): Operand {
    const first = this.single();
    if (!this.take('|')) return first;
    const second = this.single();
    return { kind: 'pair', start: first.start, end: second.end, first, second };
  }

  private single(): Operand {
    this.skip();
    const start = this.at;
    const span = (): { start: number; end: number } => ({ start, end: this.at });
    if (this.take('{')) {
      const elements = this.list('}');
      return { kind: 'vector', elements, ...span() };
    }
    if (this.take('(')) {
      const elements = this.list(')');
      return { kind: 'list', elements, ...span() };
    }
    if (this.take('[')) {
      const base = this.single();
      const offset = this.take('+') ? this.constant() : undefined;
      const more = this.take(',') ? this.list(']') : [];
      if (more.length === 0) this.take(']');
      if (base.kind !== 'name' && base.kind !== 'constant') throw new Error('address');
      return { kind: 'address', base, offset, more, ...span() };
    }
    if (this.take('!')) {
      const operand = this.single();
      return { kind: 'not', operator: '!', operand, ...span() };
    }
    if (/[-\d]/.test(this.text[this.at] ?? '')) {
      const value = this.constant();
      return { kind: 'constant', value, ...span() };
    }
    if (/_(?![\w$])/y.test(this.text.slice(this.at, this.at + 2)) && this.text[this.at] === '_') {
      this.at++;
      return { kind: 'sink', ...span() };
    }
    const name = this.word(/[\w$%]+/y);
    if (name === undefined) throw new Error(`test instruction '${this.text}' at ${this.at}`);
    const component = this.word(/\.\w+/y);
    const operand: NameOperand = {
      kind: 'name',
      name,
      component: component && { ...component, start: component.start + 1, text: component.text.slice(1) },
      index: undefined,
      offset: undefined,
      ...span(),
    };
    return operand;
  }

  private constant(): Constant {
    const word = this.word(/-?(0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0x[0-9a-fA-F]+|\d+\.\d+|\d+)/y)!;
    const { start, end, text } = word;
    const isFloat = /^-?0[fFdD]/.test(text) || text.includes('.');
    return {
      start,
      end,
      isFloat,
      integer: isFloat ? undefined : text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text),
      float: isFloat ? 1 : undefined,
      floatWidth: !isFloat ? 0 : /^-?0[fF]/.test(text) ? 32 : 64,
      names: [],
    };
  }
}
