import { InstructionFlag } from '../../ir/function.js';

/**
 * What instructions do beside computing a value, by opcode: touch memory, order other instructions, leave the block
 * or the function. From the instruction chapters of the PTX ISA manual.
 */

const load = InstructionFlag.ReadsMemory;
const store = InstructionFlag.WritesMemory | InstructionFlag.SideEffect;
const update = InstructionFlag.ReadsMemory | InstructionFlag.WritesMemory | InstructionFlag.SideEffect;
const order = InstructionFlag.Barrier | InstructionFlag.SideEffect;

/** The opcode of the pseudo-instruction that defines the `.reg` parameters of a `.func`. */
export const entryOpcode = '.func';

const byOpcode: Readonly<Record<string, number>> = {
  ld: load,
  ldu: load,
  ldmatrix: load,
  tex: load,
  tld4: load,
  suld: load,
  'wmma.load': load,
  'multimem.ld_reduce': load | InstructionFlag.SideEffect,
  st: store,
  stmatrix: store,
  sust: store,
  'wmma.store': store,
  'multimem.st': store,
  'st.bulk': store,
  atom: update,
  red: update,
  sured: update,
  multimem: update,
  cp: update,
  mbarrier: update,
  tensormap: update,
  tcgen05: update,
  clusterlaunchcontrol: update,
  'wgmma.mma_async': load | InstructionFlag.SideEffect,
  'wgmma.fence': order,
  'wgmma.commit_group': order,
  'wgmma.wait_group': order,
  'cp.async.commit_group': order,
  'cp.async.wait_group': order,
  'cp.async.wait_all': order,
  'cp.async.bulk.commit_group': order,
  'cp.async.bulk.wait_group': order,
  'mbarrier.test_wait': update | InstructionFlag.Barrier,
  'mbarrier.try_wait': update | InstructionFlag.Barrier,
  'tcgen05.wait': order,
  'tcgen05.fence': order,
  'tcgen05.commit': order,
  bar: order,
  barrier: order,
  membar: order,
  fence: order,
  griddepcontrol: order,
  nanosleep: order,
  prefetch: InstructionFlag.SideEffect,
  prefetchu: InstructionFlag.SideEffect,
  discard: InstructionFlag.SideEffect,
  applypriority: InstructionFlag.SideEffect,
  setmaxnreg: InstructionFlag.SideEffect,
  pmevent: InstructionFlag.SideEffect,
  brkpt: InstructionFlag.SideEffect,
  alloca: InstructionFlag.SideEffect,
  stacksave: InstructionFlag.SideEffect,
  stackrestore: InstructionFlag.SideEffect,
  call: InstructionFlag.Call | update,
  bra: InstructionFlag.Branch | InstructionFlag.SideEffect,
  brx: InstructionFlag.Branch | InstructionFlag.SideEffect,
  ret: InstructionFlag.Return | InstructionFlag.SideEffect,
  exit: InstructionFlag.Return | InstructionFlag.SideEffect,
  trap: InstructionFlag.Return | InstructionFlag.SideEffect,
  [entryOpcode]: InstructionFlag.Entry | InstructionFlag.SideEffect,
};

/** Loads that other threads can tell apart from no load, or that must happen as often as they stand. */
const strongLoad = /\.(?:volatile|relaxed|acquire|mmio)(?:\.|$)/;

export interface Behaviour {
  readonly flags: number;
  readonly isMove: boolean;
  readonly isParameterLoad: boolean;
  readonly readsCarry: boolean;
  readonly writesCarry: boolean;
  /** Nothing follows when it executes. */
  readonly leaves: boolean;
  readonly isReturn: boolean;
}

const known = new Map<string, Behaviour>();
const LIMIT = 20_000;

/** By the whole dotted text. */
export function behaviourOf(opcode: string): Behaviour {
  const found = known.get(opcode);
  if (found !== undefined) return found;
  if (known.size >= LIMIT) known.clear();
  const fresh = make(opcode);
  known.set(opcode, fresh);
  return fresh;
}

function make(opcode: string): Behaviour {
  const words = opcode.split('.');
  const base = words[0];
  let flags = 0;
  for (let length = Math.min(4, words.length); length > 0; length--) {
    const name = words.slice(0, length).join('.');
    if (!Object.hasOwn(byOpcode, name)) continue;
    flags = byOpcode[name];
    break;
  }
  if (flags === load && strongLoad.test(opcode)) flags |= InstructionFlag.SideEffect;
  return {
    flags,
    isMove: base === 'mov',
    isParameterLoad: base === 'ld' && words[1]?.startsWith('param') && !strongLoad.test(opcode),
    readsCarry: base === 'addc' || base === 'subc' || base === 'madc',
    writesCarry: words.includes('cc'),
    leaves: (flags & (InstructionFlag.Branch | InstructionFlag.Return)) !== 0,
    isReturn: base === 'ret',
  };
}

/** `cvta` of a symbol, like `mov` of anything that does not change, gives a value that can be made again. */
export const isRecomputable = (opcode: string): boolean =>
  opcode.startsWith('mov.') || opcode.startsWith('cvta.');
