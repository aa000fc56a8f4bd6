import { byOpcode } from '../../ir/by-opcode.js';
import { units, type LatencyRow, type Unit } from './latencies.js';

/**
 * From the text of a PTX opcode to what executes it. PTX is not the machine's language: an opcode stands for one
 * machine instruction or a short or long sequence; the class is that of the instruction that its result waits for.
 */
export interface MachineClass {
  readonly unit: Unit;
  /** Its place among `units`. */
  readonly unitNumber: number;
  readonly row: LatencyRow;
  /** Machine instructions that the opcode stands for, about; they are issued one after the other. */
  readonly instructions: number;
  /** The name in the compiled listing, in the manner of the machine's assembly. */
  readonly mnemonic: string;
  /** True where the result is the first source, bit for bit. */
  readonly isCopy?: boolean;
  /** Why the class is a guess, for opcodes that the table does not know. */
  readonly note?: string;
}

const make = (unit: Unit, row: LatencyRow, mnemonic: string, instructions = 1): MachineClass => ({
  unit,
  unitNumber: units.indexOf(unit),
  row,
  mnemonic,
  instructions,
});

const UNKNOWN: MachineClass = {
  ...make('alu', 'alu', 'UNKNOWN'),
  note: 'not in the machine table, taken as an integer operation',
};

interface Words {
  readonly text: string;
  readonly root: string;
  readonly words: readonly string[];
  readonly has: (word: string) => boolean;
  /** The last type word, such as `f32`, or ''. */
  readonly type: string;
}

type Rule = (w: Words) => MachineClass;

const isWide = (w: Words): boolean => /^[busf]64$/.test(w.type);
const isHalf = (w: Words): boolean => /^(bf16|f16)(x2)?$/.test(w.type);

/** One class for each kind of number: integer by default. */
const arithmetic =
  (integer: string, single: string, half: string, double: string): Rule =>
  (w) => {
    if (w.type === 'f64') return make('double', 'double', double);
    if (isHalf(w)) return make('half', 'half', half);
    if (w.type === 'f32' || w.type === 'f32x2') return make('fma', 'multiply', single);
    return isWide(w) ? make('alu', 'wide', integer, 2) : make('alu', 'alu', integer);
  };

const multiplication =
  (integer: string, single: string, half: string, double: string): Rule =>
  (w) => {
    if (w.type === 'f64') return make('double', 'double', double);
    if (isHalf(w)) return make('half', 'half', half);
    if (w.type === 'f32' || w.type === 'f32x2') return make('fma', 'multiply', single);
    if (isWide(w)) return make('fma', 'wide', `${integer}.WIDE`, 3);
    return make('fma', 'multiply', w.has('wide') ? `${integer}.WIDE` : integer);
  };

const bitwise =
  (mnemonic: string): Rule =>
  (w) =>
    isWide(w) ? make('alu', 'wide', mnemonic, 2) : make('alu', 'alu', mnemonic);

const always = (unit: Unit, row: LatencyRow, mnemonic: string, instructions = 1): Rule => {
  const made = make(unit, row, mnemonic, instructions);
  return () => made;
};

const division: Rule = (w) => {
  if (w.type === 'f64') return make('sequence', 'divideDouble', 'MUFU.RCP64H', 20);
  if (w.type === 'f32')
    return w.has('approx') || w.has('full')
      ? make('special', 'special', 'MUFU.RCP', 2)
      : make('sequence', 'divideFloat', 'MUFU.RCP', 12);
  return isWide(w) ? make('sequence', 'divide64', 'I2F.U64', 80) : make('sequence', 'divide32', 'I2F.RP', 18);
};

const reciprocal =
  (mnemonic: string, exactSingle: LatencyRow, exactDouble: LatencyRow): Rule =>
  (w) => {
    if (w.has('approx')) return make('special', 'special', mnemonic);
    if (w.type === 'f64') return make('sequence', exactDouble, `${mnemonic}64H`, 20);
    return make('sequence', exactSingle, mnemonic, 10);
  };

const special = (mnemonic: string): Rule => always('special', 'special', mnemonic, 2);

const load: Rule = (w) => {
  if (w.has('param') || w.has('const')) return make('memory', 'constant', 'LDC');
  if (w.text.includes('.shared')) return make('memory', 'shared', 'LDS');
  if (w.has('local')) return make('memory', 'global', 'LDL');
  const generic = w.has('global') || w.root === 'ldu' ? 'LDG' : 'LD';
  const pastFirstLevel =
    w.has('cg') || w.has('cv') || w.has('volatile') || w.has('relaxed') || w.has('acquire') || w.has('mmio');
  return make('memory', pastFirstLevel ? 'globalL2' : 'global', generic);
};

const store: Rule = (w) => {
  if (w.text.includes('.shared')) return make('memory', 'store', 'STS');
  if (w.has('local') || w.has('param')) return make('memory', 'store', 'STL');
  return make('memory', 'store', w.has('global') ? 'STG' : 'ST');
};

const atomic: Rule = (w) =>
  w.text.includes('.shared')
    ? make('memory', 'sharedAtomic', 'ATOMS')
    : make('memory', 'globalAtomic', w.has('global') ? 'ATOMG' : 'ATOM');

const comparison: Rule = (w) => {
  if (w.type === 'f64') return make('double', 'double', 'DSETP');
  if (w.type === 'f32') return make('alu', 'alu', 'FSETP');
  if (isHalf(w)) return make('half', 'half', 'HSETP2');
  return isWide(w) ? make('alu', 'wide', 'ISETP', 2) : make('alu', 'alu', 'ISETP');
};

const conversion: Rule = (w) => {
  const [to, from] = w.words.filter((word) =>
    /^(?:[bsuf]\d+(?:x2)?|bf16(?:x2)?|e\dm\d(?:x2)?|tf32)$/.test(word),
  );
  const isFloat = (word: string | undefined): boolean => word !== undefined && /^(?:f|bf|tf|e)/.test(word);
  if (!isFloat(to) && !isFloat(from)) return make('alu', 'alu', 'I2I');
  if (to === 'f64' || from === 'f64')
    return make('double', 'double', isFloat(to) && isFloat(from) ? 'F2F' : 'I2F.F64');
  if (isFloat(to) && isFloat(from)) return make('alu', 'convert', 'F2F');
  return make('special', 'convert', isFloat(to) ? 'I2F' : 'F2I');
};

const move: Rule = (w) => (isWide(w) ? make('alu', 'alu', 'MOV', 2) : make('alu', 'alu', 'MOV'));

/** A global address and its generic form are the same number; windows lie elsewhere only for shared and local memory. */
const addressConversion: Rule = (w) =>
  w.has('global') ? { ...make('alu', 'alu', 'MOV', 2), isCopy: true } : make('alu', 'alu', 'IADD3', 2);

const matrix: Rule = (w) =>
  w.has('f64')
    ? make('matrix', 'matrixDouble', 'DMMA')
    : make('matrix', 'matrix', w.has('s32') ? 'IMMA' : 'HMMA');

const warpMatrix: Rule = (w) => {
  if (w.has('mma')) return matrix(w);
  if (w.has('store')) return make('memory', 'store', 'ST');
  return w.text.includes('.shared') ? make('memory', 'shared', 'LDS') : make('memory', 'global', 'LDG');
};

const barrier = (mnemonic: string): Rule => always('branch', 'barrier', mnemonic);
const asynchronous = (mnemonic: string): Rule => always('memory', 'asynchronous', mnemonic);

const mbarrier: Rule = (w) =>
  w.has('test_wait') || w.has('try_wait') || w.has('arrive') || w.has('arrive_drop') || w.has('pending_count')
    ? make('memory', 'sharedAtomic', 'SYNCS')
    : make('memory', 'store', 'SYNCS');

const tensorMemory: Rule = (w) =>
  w.has('ld')
    ? make('memory', 'shared', 'LDTM')
    : make('memory', 'asynchronous', w.has('mma') ? 'UTCMMA' : 'UTCOP');

/** By the opcode's first word. */
const rules: Readonly<Record<string, Rule>> = {
  abs: arithmetic('IABS', 'FADD', 'HADD2', 'DADD'),
  activemask: always('alu', 'vote', 'VOTE'),
  add: arithmetic('IADD3', 'FADD', 'HADD2', 'DADD'),
  addc: arithmetic('IADD3.X', 'FADD', 'HADD2', 'DADD'),
  alloca: always('alu', 'alu', 'IADD3'),
  and: bitwise('LOP3'),
  applypriority: asynchronous('CCTL'),
  atom: atomic,
  bar: barrier('BAR'),
  barrier: barrier('BAR'),
  bfe: always('alu', 'alu', 'SGXT', 3),
  bfi: always('alu', 'alu', 'LOP3', 4),
  bfind: always('special', 'bitScan', 'FLO'),
  bmsk: always('alu', 'alu', 'BMSK'),
  bra: always('branch', 'branch', 'BRA'),
  brev: always('special', 'bitScan', 'BREV'),
  brkpt: always('branch', 'branch', 'BPT'),
  brx: always('branch', 'branch', 'BRX', 2),
  call: always('branch', 'call', 'CALL', 2),
  clusterlaunchcontrol: asynchronous('UCLC'),
  clz: always('special', 'bitScan', 'FLO', 2),
  cnot: always('alu', 'alu', 'ISETP', 2),
  copysign: bitwise('LOP3'),
  cos: special('MUFU.COS'),
  cp: asynchronous('LDGSTS'),
  createpolicy: always('alu', 'alu', 'MOV', 2),
  cvt: conversion,
  cvta: addressConversion,
  discard: asynchronous('CCTL'),
  div: division,
  dp2a: always('fma', 'multiply', 'IDP'),
  dp4a: always('fma', 'multiply', 'IDP'),
  elect: always('alu', 'vote', 'ELECT'),
  ex2: special('MUFU.EX2'),
  exit: always('branch', 'branch', 'EXIT'),
  fence: barrier('MEMBAR'),
  fma: multiplication('IMAD', 'FFMA', 'HFMA2', 'DFMA'),
  fns: always('sequence', 'divide32', 'FNS', 20),
  getctarank: always('alu', 'alu', 'PRMT'),
  griddepcontrol: barrier('ACQBULK'),
  isspacep: always('alu', 'alu', 'QSPC'),
  istypep: always('alu', 'alu', 'ISETP'),
  iadd3: always('alu', 'alu', 'IADD3'),
  ld: load,
  ldmatrix: always('memory', 'shared', 'LDSM'),
  ldu: load,
  lea: bitwise('LEA'),
  lg2: special('MUFU.LG2'),
  lop3: bitwise('LOP3'),
  mad: multiplication('IMAD', 'FFMA', 'HFMA2', 'DFMA'),
  mad24: always('fma', 'multiply', 'IMAD', 2),
  madc: multiplication('IMAD.X', 'FFMA', 'HFMA2', 'DFMA'),
  mapa: always('alu', 'alu', 'PRMT'),
  match: always('alu', 'vote', 'MATCH'),
  max: arithmetic('IMNMX', 'FMNMX', 'HMNMX2', 'DMNMX'),
  mbarrier,
  membar: barrier('MEMBAR'),
  min: arithmetic('IMNMX', 'FMNMX', 'HMNMX2', 'DMNMX'),
  mma: matrix,
  mov: move,
  movmatrix: always('memory', 'shuffle', 'MOVM'),
  mul: multiplication('IMAD', 'FMUL', 'HMUL2', 'DMUL'),
  mul24: always('fma', 'multiply', 'IMAD', 2),
  multimem: always('memory', 'globalAtomic', 'LDGMC'),
  nanosleep: barrier('NANOSLEEP'),
  neg: arithmetic('IADD3', 'FADD', 'HADD2', 'DADD'),
  not: bitwise('LOP3'),
  or: bitwise('LOP3'),
  pmevent: barrier('PMTRIG'),
  popc: always('special', 'bitScan', 'POPC'),
  prefetch: asynchronous('CCTL'),
  prefetchu: asynchronous('CCTL'),
  prmt: always('alu', 'alu', 'PRMT'),
  rcp: reciprocal('MUFU.RCP', 'divideFloat', 'divideDouble'),
  red: always('memory', 'store', 'RED'),
  redux: always('special', 'vote', 'REDUX'),
  rem: division,
  ret: always('branch', 'branch', 'RET'),
  rsqrt: special('MUFU.RSQ'),
  sad: always('alu', 'alu', 'VABSDIFF', 2),
  selp: bitwise('SEL'),
  set: comparison,
  setmaxnreg: barrier('USETMAXREG'),
  setp: comparison,
  shf: bitwise('SHF'),
  shfl: always('memory', 'shuffle', 'SHFL'),
  shl: bitwise('SHF.L'),
  shr: bitwise('SHF.R'),
  sin: special('MUFU.SIN'),
  slct: bitwise('SEL'),
  sqrt: reciprocal('MUFU.SQRT', 'rootFloat', 'rootDouble'),
  st: store,
  stackrestore: always('alu', 'alu', 'MOV'),
  stacksave: always('alu', 'alu', 'MOV'),
  stmatrix: always('memory', 'store', 'STSM'),
  sub: arithmetic('IADD3', 'FADD', 'HADD2', 'DADD'),
  subc: arithmetic('IADD3.X', 'FADD', 'HADD2', 'DADD'),
  suld: always('memory', 'texture', 'SULD'),
  suq: always('memory', 'texture', 'SUQ'),
  sured: always('memory', 'store', 'SURED'),
  sust: always('memory', 'store', 'SUST'),
  szext: always('alu', 'alu', 'SGXT'),
  tanh: always('special', 'special', 'MUFU.TANH'),
  tcgen05: tensorMemory,
  tensormap: asynchronous('UTMACCTL'),
  testp: always('alu', 'alu', 'ISETP', 2),
  tex: always('memory', 'texture', 'TEX'),
  tld4: always('memory', 'texture', 'TLD4'),
  trap: always('branch', 'branch', 'BPT.TRAP'),
  txq: always('memory', 'texture', 'TXQ'),
  vote: always('alu', 'vote', 'VOTE'),
  wgmma: asynchronous('WGMMA'),
  wmma: warpMatrix,
  xor: bitwise('LOP3'),
};

/** Video instructions (`vadd`, `vset4`, ...): sequences of integer operations since Kepler. */
const VIDEO = /^v(?:add|sub|absdiff|min|max|shl|shr|mad|set|avrg)[24]?$/;

const TYPE = /^(?:[busf](?:8|16|32|64|128)|f16x2|f32x2|bf16|bf16x2|tf32|pred)$/;

/** As `classify`, for the dotted text of an opcode; any text is accepted. */
export function classifyText(text: string): MachineClass {
  const words = text.split('.');
  const root = words.shift() ?? '';
  const rule = Object.hasOwn(rules, root) ? rules[root] : undefined;
  if (!rule) return VIDEO.test(root) ? make('alu', 'alu', 'VIDEO', 4) : UNKNOWN;
  const present = new Set(words);
  let type = '';
  for (const word of words) if (TYPE.test(word)) type = word;
  return rule({ text, root, words, has: (word) => present.has(word), type });
}

/** The class of an opcode number; the text is looked at once in the table's life. */
export const classify = byOpcode(classifyText);

/**
 * Code that the allocator adds. A predicate that finds no place is a bit of a general register (P2R, R2P), as in ptxas
 * (measured with ptxas 13.0: eight and more live predicates give P2R and R2P, and no local memory).
 */
export const spillClasses = {
  store: make('memory', 'store', 'STL'),
  reload: make('memory', 'global', 'LDL'),
  copy: make('alu', 'alu', 'MOV'),
  packPredicate: make('alu', 'alu', 'P2R'),
  unpackPredicate: make('alu', 'alu', 'R2P'),
} as const;
