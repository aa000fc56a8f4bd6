import { LEAVE } from '../../../ir/interpret.js';
import type { Argument, Decoded } from './decode.js';
import { Unsupported } from './faults.js';
import { has, operand, writePair } from './handler.js';
import { handlers } from './handlers.js';
import type { PtxThread } from './thread.js';

/**
 * Branches, calls, and what a warp of one lane makes of warp-wide and block-wide instructions. A handler returns
 * where to go, or nothing for the next instruction.
 */
type ControlHandler = (t: PtxThread, d: Decoded) => number | void;

const nothing: ControlHandler = () => undefined;

const listed = (a: Argument | undefined): readonly Argument[] =>
  a === undefined ? [] : a.kind === 'list' ? a.elements : [a];

/** `call (results), f, (inputs);` with both lists optional; an indirect one has its prototype behind. */
const call: ControlHandler = (t, d) => {
  const hasResults = operand(d, 0).kind === 'list';
  const results = hasResults ? listed(d.operands.at(0)) : [];
  const target = operand(d, hasResults ? 1 : 0);
  const inputs = listed(d.operands.at(hasResults ? 2 : 1));
  const name = target.kind === 'function' ? target.name : t.program.functionAt(t.read(target, 'b64'));
  if (name === undefined) throw new Unsupported('a call of an address that is no function');
  t.call(name, results, inputs[0]?.kind === 'name' ? [] : inputs);
};

const vote: ControlHandler = (t, d) => {
  const p = t.read(operand(d, 1), 'pred');
  if (has(d, 'ballot')) t.write(operand(d, 0), 'b32', p);
  else t.write(operand(d, 0), 'pred', has(d, 'uni') ? 1n : p);
};

/** The only lane is lane 0: it reads itself, and the predicate says whether that is what was asked for. */
const shuffle: ControlHandler = (t, d) => {
  const value = t.read(operand(d, 1), 'b32');
  const by = t.read(operand(d, 2), 'b32') & 31n;
  const to = operand(d, 0);
  t.write(to.kind === 'pair' ? to.first : to, 'b32', value);
  if (to.kind === 'pair') t.write(to.second, 'pred', BigInt(by === 0n));
};

const match: ControlHandler = (t, d) => {
  t.read(operand(d, 1), d.types.at(0) ?? 'b32');
  const to = operand(d, 0);
  t.write(to.kind === 'pair' ? to.first : to, 'b32', 1n);
  if (to.kind === 'pair') t.write(to.second, 'pred', 1n);
};

const barrier: ControlHandler = (t, d) => {
  if (!has(d, 'red')) return;
  const a = d.operands.at(-1) ?? { kind: 'sink' };
  const p = t.read(a, 'pred');
  if (has(d, 'popc')) t.write(operand(d, 0), 'b32', p);
  else t.write(operand(d, 0), 'pred', p);
};

const controlHandlers: Readonly<Record<string, ControlHandler>> = {
  bra: (t) => t.taken(),
  brx: (t, d) => {
    const list = operand(d, 1);
    const index = Number(t.read(operand(d, 0), 'u32'));
    const labels = list.kind === 'name' ? t.code.branchTargets.get(list.name) : undefined;
    if (labels === undefined || index >= labels.length) throw new Unsupported(`target ${index} of a list`);
    return t.labelled(labels[index]);
  },
  ret: () => LEAVE,
  exit: () => LEAVE,
  trap: () => {
    throw new Unsupported('a trap');
  },
  call,
  vote,
  shfl: shuffle,
  match,
  activemask: (t, d) => t.write(operand(d, 0), 'b32', 1n),
  elect: (t, d) => {
    const to = operand(d, 0);
    if (to.kind !== 'pair') return;
    t.write(to.first, 'b32', 0n);
    writePair(t, to.second, true, true);
  },
  redux: (t, d) => t.write(operand(d, 0), 'b32', t.read(operand(d, 1), 'b32')),
  bar: barrier,
  barrier,
  membar: nothing,
  fence: nothing,
  nanosleep: nothing,
  pmevent: nothing,
  prefetch: nothing,
  prefetchu: nothing,
  discard: nothing,
  applypriority: nothing,
  griddepcontrol: nothing,
  setmaxnreg: nothing,
};

/** What executes each mnemonic on a thread by itself. */
export const threadHandlers: ReadonlyMap<string, ControlHandler> = new Map<string, ControlHandler>([
  ...handlers,
  ...Object.entries(controlHandlers),
]);
