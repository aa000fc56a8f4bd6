import { IntList } from '../../../ir/int-list.js';
import type { Span } from '../../../text/span.js';
import { Role, type SymbolIndex, type UnitSymbol } from '../../symbols.js';
import type { Register, Registers } from './registers.js';
import type { BeignetUnit, FlagName, Line, Name, Operand, RegisterName } from './tree.js';

/** The names of one section, where they stand and how they are used. */
export function symbolsOf(
  unit: BeignetUnit,
  code: readonly Line[],
  registers: Registers,
  flags: ReadonlyMap<Line, FlagName>,
): SymbolIndex {
  const table = new Table(unit, registers, flags);
  let instruction = 0;
  for (const line of unit.lines) {
    const isCode = code.at(instruction) === line;
    table.line(line, isCode ? instruction : -1);
    if (isCode) instruction++;
  }
  return table.finish();
}

type Mutable = { -readonly [K in keyof UnitSymbol]: UnitSymbol[K] };

class Table {
  private readonly symbols: Mutable[] = [];
  private readonly registerSymbols = new Map<number, number>();
  private readonly labelSymbols = new Map<number, number>();
  private readonly starts = new IntList();
  private readonly ends = new IntList();
  private readonly ofSymbol = new IntList();
  private readonly roles = new IntList();
  private readonly instructions = new IntList();
  private instruction = -1;
  private openLabel = -1;
  private lastEnd = 0;

  constructor(
    private readonly unit: BeignetUnit,
    private readonly registers: Registers,
    private readonly flags: ReadonlyMap<Line, FlagName>,
  ) {}

  line(line: Line, instruction: number): void {
    const first = this.starts.length;
    this.instruction = instruction;
    switch (line.kind) {
      case 'header':
        if (line.name !== undefined) this.kernel(line.name, line.start);
        break;
      case 'label':
        this.closeLabel();
        this.label(line.name, line.number, line);
        break;
      case 'selection':
        this.flag(line.predicate?.flag, Role.Read);
        // a comparison that does not name its flag is given one at its `arf`
        this.flag(line.flag?.kind === 'virtual' ? line.flag : this.flags.get(line), Role.Write);
        for (const operand of line.destinations) this.operand(operand, Role.Write);
        for (const operand of line.sources) this.operand(operand, Role.Read);
        if (line.jip !== undefined) this.label(line.jip, line.jip.number, undefined);
        if (line.uip !== undefined) this.label(line.uip, line.uip.number, undefined);
        break;
      case 'ir':
        for (const register of line.registers)
          this.register(register, register.isResult ? Role.Write : Role.Read);
        if (line.predicate !== undefined) this.register(line.predicate, Role.Read);
        if (line.target !== undefined) this.label(line.target, line.target.number, undefined);
        break;
      case 'declaration':
        this.register(line.register, line.sort === 'register' ? Role.Declaration : Role.Reference, line);
        break;
      case 'allocation':
        this.register(line.register, Role.Reference);
        break;
      case 'footer':
        this.closeLabel();
        if (line.name !== undefined) this.endOfKernel(line.name);
        break;
      case 'error':
        break;
    }
    this.sort(first);
    this.lastEnd = line.end;
  }

  private mention(start: number, end: number, symbol: number, role: number): void {
    this.starts.push(start);
    this.ends.push(end);
    this.ofSymbol.push(symbol);
    this.roles.push(role);
    this.instructions.push(this.instruction);
  }

  /** Brings the names of one line, from number `first` on, into the order of the text: nearly always they are. */
  private sort(first: number): void {
    for (let k = first + 1; k < this.starts.length; k++)
      for (let i = k; i > first && this.starts.at(i - 1) > this.starts.at(i); i--)
        for (const list of [this.starts, this.ends, this.ofSymbol, this.roles]) {
          const before = list.at(i - 1);
          list.set(i - 1, list.at(i));
          list.set(i, before);
        }
  }

  private kernel(name: Name, start: number): void {
    const span = { start: name.start, end: name.end };
    const isIr = this.unit.section === 'genIr';
    this.symbols.push({
      name: name.text,
      kind: 'kernel',
      kindName: isIr ? 'GEN IR function' : 'kernel',
      detail: isIr ? '' : `SIMD${this.registers.width}`,
      declaration: span,
      extent: { start, end: this.unit.lines.at(-1)?.end ?? name.end },
      isGlobal: true,
      register: -1,
    });
    const role = Role.Declaration | Role.Definition;
    this.mention(name.start, name.end, this.symbols.length - 1, role);
  }

  /** The name in `saxpy's SELECTION IR end.` */
  private endOfKernel({ start, end, text }: Name): void {
    const kernel = this.symbols.findIndex((s) => s.kind === 'kernel' && s.name === text);
    if (kernel >= 0) this.mention(start, end, kernel, Role.Reference);
  }

  private label(name: Name, number: number, line: Span | undefined): void {
    let symbol = this.labelSymbols.get(number);
    if (symbol === undefined) {
      symbol = this.symbols.length;
      this.labelSymbols.set(number, symbol);
      this.symbols.push({ name: name.text, kind: 'label', detail: '', isGlobal: false, register: -1 });
    }
    const entry = this.symbols[symbol];
    if (line !== undefined && entry.declaration === undefined) {
      entry.declaration = { start: name.start, end: name.end };
      entry.extent = { start: line.start, end: line.end };
      this.openLabel = symbol;
    }
    this.mention(name.start, name.end, symbol, line === undefined ? Role.Reference : Role.Declaration);
  }

  /** A label's extent reaches to the last line before the next one. */
  private closeLabel(): void {
    if (this.openLabel < 0) return;
    const entry = this.symbols[this.openLabel];
    if (entry.extent !== undefined)
      entry.extent = { start: entry.extent.start, end: Math.max(entry.extent.end, this.lastEnd) };
    this.openLabel = -1;
  }

  private operand(operand: Operand, role: Role): void {
    if (operand.kind === 'register') this.register(operand.register, role);
  }

  private flag(flag: FlagName | undefined, role: Role): void {
    if (flag?.kind === 'virtual') this.register(flag.register, role);
  }

  private register(name: RegisterName, role: number, declared?: Span): void {
    let symbol = this.registerSymbols.get(name.number);
    if (symbol === undefined) {
      symbol = this.symbols.length;
      this.registerSymbols.set(name.number, symbol);
      const r = this.registers.byNumber.get(name.number);
      this.symbols.push({
        name: `%${name.number}`,
        kind: r?.family === 'bool' ? 'predicate' : 'register',
        detail: r === undefined ? '' : detailOf(r),
        isGlobal: false,
        register: r?.index ?? -1,
      });
    }
    const entry = this.symbols[symbol];
    if (entry.declaration === undefined && (role & (Role.Declaration | Role.Write)) !== 0) {
      entry.declaration = { start: name.start, end: name.end };
      if (declared !== undefined) entry.extent = { start: declared.start, end: declared.end };
    }
    this.mention(name.start, name.end, symbol, role);
  }

  finish(): SymbolIndex {
    this.closeLabel();
    return {
      symbols: this.symbols,
      occurrenceStart: this.starts.toArray(),
      occurrenceEnd: this.ends.toArray(),
      occurrenceSymbol: this.ofSymbol.toArray(),
      occurrenceRole: new Uint8Array(this.roles.view()),
      occurrenceInstruction: this.instructions.toArray(),
    };
  }
}

function detailOf({ family, isUniform, name }: Register): string {
  const what = isUniform ? `uniform ${family}` : family;
  return name === '' ? what : `${what} ${name}`;
}
