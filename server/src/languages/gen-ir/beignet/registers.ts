import type { Environment } from '../../language.js';
import {
  familyOfBytes,
  familyOfLetter,
  isFamily,
  isPredefinedVector,
  laneBytes,
  predefined,
  registerBytes,
  type Family,
} from './families.js';
import { familiesName } from './parse.js';
import { typeOf } from './selection.js';
import type { AllocationLine, BeignetUnit, FlagName, IrLine, Line, Operand, SelectionLine } from './tree.js';
import { typeBytes } from './values.js';

/** A register of the section. */
export interface Register {
  readonly number: number;
  /** Number of the virtual register in the lowered function, in order of appearance; -1: no code names it. */
  index: number;
  family: Family;
  /** One value for all lanes. */
  isUniform: boolean;
  /** Why the family is known. */
  knownFrom: 'allocation' | 'declaration' | 'use';
  /** What the dump calls it: `local_id_0`, a kernel argument. */
  name: string;
  /** The rows of the register allocation about it. */
  readonly rows: AllocationLine[];
}

export interface Registers {
  readonly byNumber: ReadonlyMap<number, Register>;
  /** In order of the virtual registers. */
  readonly inCode: readonly Register[];
  /** Lanes of the dispatch. */
  readonly width: 8 | 16 | 32;
}

export const bytesOf = (r: Register, width: number): number => registerBytes(r.family, r.isUniform, width);

/** What the uses of one register have shown. */
interface Uses {
  /** Largest distance of the elements of neighbouring lanes, in bytes. */
  lane: number;
  /** Largest element. */
  size: number;
  /** End of the bytes that scalar accesses touch. */
  end: number;
  hasVector: boolean;
  isFlag: boolean;
}

/**
 * All registers of the section with their families: from the register allocation behind the selection where there
 * is one, else from the declarations of the kernel's GEN IR, else from the types and regions of their uses.
 */
export function registersOf(unit: BeignetUnit, code: readonly Line[], environment: Environment): Registers {
  const collector = new Collector();
  for (const line of code) collector.line(line);
  for (const line of unit.lines) collector.declaration(line);
  const width = widthOf(code, collector.rows);
  const declared = declaredFamilies(unit, environment);
  const uniform = unit.section === 'genIr' ? uniformIr(unit, code) : undefined;
  for (const r of collector.byNumber.values()) {
    const uses = collector.uses.get(r.number);
    infer(r, uses, width);
    const family = declared.get(r.number);
    if (family !== undefined) {
      r.family = family;
      r.knownFrom = 'declaration';
    }
    if (uniform !== undefined) r.isUniform = uniform.has(r.number);
    const row = r.rows.at(0);
    if (row !== undefined) {
      r.family = familyOfLetter(row.family);
      r.isUniform = r.family !== 'reg' && row.bytes === laneBytes(r.family);
      r.knownFrom = 'allocation';
    }
    if (r.family === 'reg') r.isUniform = false;
    if (r.name === '' && r.number < predefined.length && unit.section !== 'allocation')
      r.name = predefined[r.number];
  }
  return { byNumber: collector.byNumber, inCode: collector.inCode, width };
}

class Collector {
  readonly byNumber = new Map<number, Register>();
  readonly uses = new Map<number, Uses>();
  readonly inCode: Register[] = [];
  readonly rows: AllocationLine[] = [];

  line(line: Line): void {
    if (line.kind === 'selection') this.selection(line);
    else if (line.kind === 'ir') this.ir(line);
  }

  private selection(line: SelectionLine): void {
    for (const operand of line.destinations) this.operand(operand, line.width, true);
    for (const operand of line.sources) this.operand(operand, line.width, false);
    this.flag(line.predicate?.flag);
    this.flag(line.flag);
  }

  private flag(flag: FlagName | undefined): void {
    if (flag?.kind === 'virtual') this.used(flag.register.number).isFlag = true;
  }

  private operand(operand: Operand, width: number, isDestination: boolean): void {
    if (operand.kind !== 'register') return;
    const uses = this.used(operand.register.number);
    const size = typeBytes(typeOf(operand) ?? 'UD');
    const { region } = operand;
    const isScalar = isDestination
      ? width === 1 || region[0] === 0
      : region.length === 3 && region[0] === 0 && region[2] === 0;
    const stride = isDestination ? (region.at(0) ?? 1) : (region.at(2) ?? 1);
    uses.size = Math.max(uses.size, size);
    uses.lane = Math.max(uses.lane, isScalar ? size : size * Math.max(1, stride));
    if (isScalar) uses.end = Math.max(uses.end, Math.max(0, operand.byte) + size);
    else uses.hasVector = true;
  }

  private ir(line: IrLine): void {
    for (const register of line.registers) {
      const uses = this.used(register.number);
      uses.hasVector = true;
      uses.lane = Math.max(uses.lane, irBytes(line));
    }
    if (line.predicate !== undefined) this.used(line.predicate.number).isFlag = true;
  }

  declaration(line: Line): void {
    if (line.kind === 'declaration') {
      const r = this.register(line.register.number);
      if (line.name !== undefined && (r.name === '' || line.sort !== 'register')) r.name = line.name.text;
    } else if (line.kind === 'allocation') {
      this.register(line.register.number).rows.push(line);
      this.rows.push(line);
    }
  }

  private used(number: number): Uses {
    const known = this.uses.get(number);
    if (known !== undefined) return known;
    const r = this.register(number);
    r.index = this.inCode.length;
    this.inCode.push(r);
    const fresh = { lane: 0, size: 0, end: 0, hasVector: false, isFlag: false };
    this.uses.set(number, fresh);
    return fresh;
  }

  private register(number: number): Register {
    const known = this.byNumber.get(number);
    if (known !== undefined) return known;
    const fresh: Register = {
      number,
      index: -1,
      family: 'dword',
      isUniform: false,
      knownFrom: 'use',
      name: '',
      rows: [],
    };
    this.byNumber.set(number, fresh);
    return fresh;
  }
}

/** Without a declaration: the largest type of a GEN IR line; bool and conversions mislead no further than that. */
const irBytes = (line: IrLine): number => {
  const type = line.suffixes.at(0)?.text ?? '';
  return type.endsWith('64') || type === 'double' ? 8 : 4;
};

function infer(r: Register, uses: Uses | undefined, width: number): void {
  if (uses === undefined) return;
  if (uses.isFlag) {
    r.family = 'bool';
    return;
  }
  const isWider = uses.end > uses.lane;
  r.isUniform = !uses.hasVector && !isWider && uses.lane > 0;
  // a byte lies in a word's place
  r.family = uses.size === 1 && uses.lane === 2 ? 'byte' : familyOfBytes(uses.lane === 0 ? 4 : uses.lane);
  // one that is only written piece by piece is a header or a payload: at least one whole register
  if (!uses.hasVector && isWider)
    r.family = uses.end <= 32 ? 'reg' : familyOfBytes(Math.ceil(uses.end / width));
}

/** 16 where anything executes in 16 lanes; the families' bytes tell when the code does not. */
function widthOf(code: readonly Line[], rows: readonly AllocationLine[]): 8 | 16 | 32 {
  let widest = 8;
  for (const line of code) if (line.kind === 'selection') widest = Math.max(widest, line.width);
  if (widest === 8 && rows.some((row) => row.bytes === 16 * laneBytes(familyOfLetter(row.family))))
    widest = 16;
  if (code.some((line) => line.kind === 'ir')) return 16;
  return widest >= 32 ? 32 : widest >= 16 ? 16 : 8;
}

/** Families that the kernel's GEN IR declares: of this unit, or of the one before it in the file. */
function declaredFamilies(unit: BeignetUnit, environment: Environment): Map<number, Family> {
  const found = new Map<number, Family>();
  if (unit.section === 'genIr') {
    for (const line of unit.lines)
      if (line.kind === 'declaration' && line.sort === 'register' && isFamily(line.what?.text ?? ''))
        found.set(line.register.number, line.what?.text as Family);
    return found;
  }
  if (unit.name === undefined) return found;
  const name = familiesName(unit.name.text);
  const declaration = environment.earlier(name).at(0) ?? environment.later(name).at(0);
  for (const pair of declaration?.signature.split(' ') ?? []) {
    const colon = pair.indexOf(':');
    const family = pair.slice(colon + 1);
    if (isFamily(family)) found.set(Number(pair.slice(0, colon)), family);
  }
  return found;
}

/** Opcodes whose results differ from lane to lane though their sources do not (ir/liveness.cpp, analyzeUniform). */
const neverUniform: ReadonlySet<string> = new Set(
  'ATOMIC MUL_HI HADD RHADD READ_ARF ADDSAT IME SIMD_ID BLOCKLOAD MBREAD SAMPLE VME'.split(' '),
);

/**
 * Registers of GEN IR that hold one value for all lanes: kernel arguments, pushed members, the predefined ones but
 * local ids and the stack's, and results of uniform sources that have one definition. (Beignet's own analysis is
 * finer about values from several places.)
 */
function uniformIr(unit: BeignetUnit, code: readonly Line[]): Set<number> {
  const uniform = new Set<number>();
  for (let n = 0; n < predefined.length; n++) if (!isPredefinedVector(n)) uniform.add(n);
  for (const line of unit.lines)
    if (line.kind === 'declaration' && (line.sort === 'input' || line.sort === 'pushed'))
      uniform.add(line.register.number);
  const definitions = new Map<number, number>();
  const qwords = new Set<number>();
  for (const line of unit.lines)
    if (line.kind === 'declaration' && line.what?.text === 'qword') qwords.add(line.register.number);
  for (const line of code)
    if (line.kind === 'ir')
      for (const { number, isResult } of line.registers)
        if (isResult) definitions.set(number, (definitions.get(number) ?? 0) + 1);
  for (const number of definitions.keys()) uniform.delete(number);
  // definitions stand before their uses, but for values of another round, which have several definitions
  for (const line of code) {
    if (line.kind !== 'ir' || neverUniform.has(line.opcode.text)) continue;
    const results = line.registers.filter((r) => r.isResult);
    if (line.opcode.text === 'LOAD' && results.length > 1) continue;
    if (!line.registers.every((r) => r.isResult || uniform.has(r.number))) continue;
    for (const { number } of results)
      if (definitions.get(number) === 1 && !qwords.has(number)) uniform.add(number);
  }
  return uniform;
}
