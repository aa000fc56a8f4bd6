/**
 * Functions on their way to another thread. They are plain data but for their tables of opcodes, which are one object
 * for many functions: of each table only what it has grown by is sent. Code that several functions have
 * (`ir/same-code.ts`) is sent once, and the other side keeps it as the code of all of them.
 */
import { functionWith, OpcodeTable, type Function } from '../../ir/function.js';
import { codeOf, withAttributes } from '../../ir/same-code.js';

/** What structured cloning takes. */
export interface Packet {
  /** What tables have grown by. */
  readonly tables: readonly { readonly table: number; readonly texts: readonly string[] }[];
  readonly codes: readonly SentCode[];
  readonly functions: readonly { readonly code: number; readonly attributes: Function['attributes'] }[];
  /** Codes of which no later packet will have a function. */
  readonly forgotten: readonly number[];
}

interface SentCode extends Omit<Function, 'opcodes' | 'operandTexts'> {
  readonly id: number;
  readonly opcodesTable: number;
  readonly operandTextsTable: number | undefined;
}

/** Codes that are remembered for functions to come. */
const CODES_KEPT = 64;

export class FunctionSender {
  private readonly tables = new Map<OpcodeTable, { readonly table: number; sent: number }>();
  /** Least recently used first. */
  private readonly codes = new Map<Function, number>();
  private nextCode = 0;

  pack(functions: readonly Function[]): Packet {
    const fresh: SentCode[] = [];
    const sent = functions.map((f) => {
      const code = codeOf(f);
      let id = this.codes.get(code);
      if (id === undefined) fresh.push(this.sentCode(code, (id = this.nextCode++)));
      this.codes.delete(code);
      this.codes.set(code, id);
      return { code: id, attributes: f.attributes };
    });
    return { tables: this.growth(), codes: fresh, functions: sent, forgotten: this.forget() };
  }

  private sentCode(code: Function, id: number): SentCode {
    const { opcodes, operandTexts, ...plain } = code;
    return {
      ...plain,
      id,
      opcodesTable: this.numberOf(opcodes),
      operandTextsTable: operandTexts === undefined ? undefined : this.numberOf(operandTexts),
    };
  }

  private numberOf(table: OpcodeTable): number {
    let known = this.tables.get(table);
    if (known === undefined) this.tables.set(table, (known = { table: this.tables.size, sent: 0 }));
    return known.table;
  }

  private growth(): Packet['tables'] {
    const grown: { table: number; texts: string[] }[] = [];
    for (const [table, known] of this.tables) {
      if (known.sent === table.size) continue;
      const texts: string[] = [];
      while (known.sent < table.size) texts.push(table.text(known.sent++));
      grown.push({ table: known.table, texts });
    }
    return grown;
  }

  private forget(): number[] {
    const forgotten: number[] = [];
    for (const [oldest, id] of this.codes) {
      if (this.codes.size <= CODES_KEPT) break;
      this.codes.delete(oldest);
      forgotten.push(id);
    }
    return forgotten;
  }
}

/** Targets number texts of their own, so that here a text has another number than where it comes from. */
class Mirror {
  readonly table = new OpcodeTable();
  private readonly here: number[] = [];

  add(texts: readonly string[]): void {
    for (const text of texts) this.here.push(this.table.number(text));
  }

  /** In place. */
  translate(numbers: Int32Array): void {
    const { here } = this;
    for (let k = 0; k < numbers.length; k++) numbers[k] = here[numbers[k]];
  }
}

export class FunctionReceiver {
  private readonly mirrors: Mirror[] = [];
  private readonly codes = new Map<number, Function>();

  /** The functions of a packet. Packets must come in the order in which they were made. */
  unpack({ tables, codes, functions, forgotten }: Packet): Function[] {
    for (const { table, texts } of tables) this.mirror(table).add(texts);
    for (const code of codes) this.codes.set(code.id, this.received(code));
    const received = functions.map(({ code, attributes }) => {
      const first = this.codes.get(code)!;
      return sameAttributes(first.attributes, attributes) ? first : withAttributes(first, attributes);
    });
    for (const id of forgotten) this.codes.delete(id);
    return received;
  }

  /** Made as all functions are, of one shape. Its tables have been copied on the way. */
  private received(code: SentCode): Function {
    const opcodes = this.mirror(code.opcodesTable);
    opcodes.translate(code.opcode);
    let texts: Mirror | undefined;
    if (code.operandTextsTable !== undefined && code.operandPayload !== undefined) {
      texts = this.mirror(code.operandTextsTable);
      texts.translate(code.operandPayload);
    }
    const { table } = opcodes;
    return functionWith({ ...code, opcodes: table }, { operandTexts: texts?.table });
  }

  private mirror(number: number): Mirror {
    return (this.mirrors[number] ??= new Mirror());
  }
}

function sameAttributes(a: Function['attributes'], b: Function['attributes']): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
