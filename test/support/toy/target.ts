import { Elision, type AllocatedFunction } from '../../../server/src/ir/allocated.js';
import { InstructionFlag, OperandFlag, blockOf, type Function } from '../../../server/src/ir/function.js';
import type {
  Compilation,
  LiveRanges,
  Placement,
  Pressure,
  Spill,
  Stall,
  Target,
  TargetOptions,
} from '../../../server/src/targets/target.js';
import { opcodes } from './tree.js';

/**
 * The toy machine, countable by hand. Eight registers unless the option `registers` says otherwise. A register is
 * live where a definition may reach and a use may follow. While more are needed than there are, the register with
 * the fewest mentions (of those live through the first peak; constants before others) goes: a constant is
 * recomputed, any other is stored after each definition and reloaded before each use. Every instruction issues in
 * one cycle; a reader in the same block waits until `latency` cycles after the writer. 32 registers are shared by
 * the warps, at most 8 of them.
 */
export const toyTarget: Target = {
  id: 'toy-machine',
  name: 'Toy machine',
  options: [
    { name: 'registers', type: 'integer', minimum: 2, maximum: 64, description: 'Registers a thread.' },
  ],
  compile: (source, options) =>
    compile(source, typeof options.registers === 'number' ? options.registers : 8, options),
  listing: (c) => ({
    lines: Array.from({ length: c.source.instructionCount }, (_, i) =>
      c.source.opcodes.text(c.source.opcode[i]),
    ),
    source: Int32Array.from({ length: c.source.instructionCount }, (_, i) => i),
  }),
};

function compile(f: Function, limit: number, options: TargetOptions): Compilation {
  const live = liveness(f);
  const asWritten = pressureOf(f, live, new Set());
  const spilled = new Set<number>();
  const spills: Spill[] = [];
  const mentions = new Int32Array(f.registerCount);
  for (const p of f.operandPlace) if (p >= 0) mentions[p]++;
  let asCompiled = asWritten;
  while (asCompiled.peak[0] > limit) {
    const at = asCompiled.peakAt[0];
    let best = -1;
    for (let r = 0; r < f.registerCount; r++) {
      if (f.registerClass[r] !== 0 || spilled.has(r) || mentionsAt(f, at, r)) continue;
      if (!live[r][2 * at] || !live[r][2 * at + 1]) continue;
      if (best < 0 || costOf(r) < costOf(best)) best = r;
    }
    if (best < 0) break;
    spilled.add(best);
    const isConstant = isRecomputable(f, best);
    if (!isConstant)
      spills.push({
        register: best,
        cost: costOf(best),
        reason: `cheapest of those live through the peak`,
        bytes: 4 * f.registerWidth[best],
        peakInstruction: at,
        stores: mentionsOf(f, best, OperandFlag.Definition),
        reloads: mentionsOf(f, best, OperandFlag.Use),
      });
    asCompiled = pressureOf(f, live, spilled);
  }
  const stalls = stallsOf(f);
  const used = Math.min(asCompiled.peak[0], 64);
  const warpsFor = (registers: number): number => Math.min(8, Math.floor(32 / Math.max(1, registers)));
  const warps = warpsFor(used);
  const stepRegisters = warps < 8 ? Math.floor(32 / (warps + 1)) : 0;
  const sum = (of: (s: Spill) => number): number => spills.reduce((total, s) => total + of(s), 0);
  const stallCycles = stalls.reduce((total, s) => total + s.cycles, 0);
  return {
    source: f,
    target: 'toy-machine',
    machine: 'toy-1',
    model: `toy machine, limit ${limit}`,
    options,
    stats: {
      instructions: f.instructionCount,
      registers: { general: used, predicate: asCompiled.peak[1] },
      limit,
      limitedBy: options.registers === undefined ? 'machine' : 'option',
      pressure: { asWritten: asWritten.peak[0], asCompiled: asCompiled.peak[0] },
      spills: {
        registers: spills.length,
        stores: sum((s) => s.stores.length),
        loads: sum((s) => s.reloads.length),
        storeBytes: sum((s) => s.stores.length * s.bytes),
        loadBytes: sum((s) => s.reloads.length * s.bytes),
      },
      scratchBytes: sum((s) => s.bytes),
      cycles: f.instructionCount + stallCycles,
      stallCycles,
      occupancy: {
        warps,
        maxWarps: 8,
        limitedBy: warps < 8 ? 'registers' : 'warps',
        threads: 32,
        threadsAssumed: true,
        nextStep: warps < 8 ? { warps: warpsFor(stepRegisters), registers: stepRegisters } : null,
      },
    },
    asWritten,
    asCompiled,
    liveRanges: rangesOf(live),
    placements: placementsOf(f, live, spilled, spills),
    spills,
    stalls,
    allocated: identity(f),
    problems: spills.map((s) => ({
      code: 'spill/register',
      severity: 'warning',
      span: definitionSpan(f, s.register),
      message: `\`${f.registerNames[s.register]}\` spills (toy machine, limit ${limit}): ${s.stores.length} stores, ${s.reloads.length} reloads`,
      related: [{ span: spanOf(f, s.peakInstruction), message: 'the peak' }],
    })),
  };

  function costOf(r: number): number {
    return isRecomputable(f, r) ? 0 : mentions[r];
  }
}

const spanOf = (f: Function, i: number): { start: number; end: number } => ({
  start: f.spanStart[i],
  end: f.spanEnd[i],
});

function operandsOf(f: Function, i: number): number[] {
  return Array.from({ length: f.operandStart[i + 1] - f.operandStart[i] }, (_, k) => f.operandStart[i] + k);
}

const mentionsAt = (f: Function, i: number, r: number): boolean =>
  operandsOf(f, i).some((o) => f.operandPlace[o] === r);

const roleAt = (f: Function, i: number, r: number, flag: OperandFlag): boolean =>
  operandsOf(f, i).some((o) => f.operandPlace[o] === r && (f.operandFlags[o] & flag) !== 0);

function mentionsOf(f: Function, r: number, flag: OperandFlag): number[] {
  const found: number[] = [];
  for (let i = 0; i < f.instructionCount; i++)
    if (operandsOf(f, i).some((o) => f.operandPlace[o] === r && (f.operandFlags[o] & flag) !== 0))
      found.push(i);
  return found;
}

function definitionSpan(f: Function, r: number): { start: number; end: number } {
  const o = f.operandPlace.findIndex((p, k) => p === r && (f.operandFlags[k] & OperandFlag.Definition) !== 0);
  return { start: f.operandSpanStart[o], end: f.operandSpanEnd[o] };
}

function isRecomputable(f: Function, r: number): boolean {
  const definitions = mentionsOf(f, r, OperandFlag.Definition);
  return definitions.length === 1 && (f.instructionFlags[definitions[0]] & InstructionFlag.Constant) !== 0;
}

/** By register, by point (2i before, 2i + 1 after instruction i): defined before and used afterwards. One register at a time. */
function liveness(f: Function): Uint8Array[] {
  const next: number[][] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    const b = blockOf(f, i);
    next.push(i + 1 < f.blockStart[b + 1] ? [i + 1] : firstsAfter(f, b));
  }
  const previous: number[][] = next.map(() => []);
  for (const [i, list] of next.entries()) for (const j of list) previous[j].push(i);
  return Array.from({ length: f.registerCount }, (_, r) => {
    const reached = new Uint8Array(2 * f.instructionCount);
    const needed = new Uint8Array(2 * f.instructionCount);
    const forward = mentionsOf(f, r, OperandFlag.Definition).map((i) => 2 * i + 1);
    for (let p = forward.pop(); p !== undefined; p = forward.pop()) {
      if (reached[p] !== 0) continue;
      reached[p] = 1;
      forward.push(...(p % 2 === 0 ? [p + 1] : next[p >> 1].map((j) => 2 * j)));
    }
    const backward = mentionsOf(f, r, OperandFlag.Use).map((i) => 2 * i);
    for (let p = backward.pop(); p !== undefined; p = backward.pop()) {
      if (needed[p] !== 0) continue;
      needed[p] = 1;
      if (p % 2 === 0) backward.push(...previous[p >> 1].map((j) => 2 * j + 1));
      else if (
        !operandsOf(f, p >> 1).some(
          (o) =>
            f.operandPlace[o] === r &&
            (f.operandFlags[o] & (OperandFlag.Definition | OperandFlag.Predicated)) ===
              OperandFlag.Definition,
        )
      )
        backward.push(p - 1);
    }
    return reached.map((v, p) => v & needed[p]);
  });
}

function firstsAfter(f: Function, block: number): number[] {
  const found = new Set<number>();
  const seen = new Set<number>();
  const stack = [block];
  for (let b = stack.pop(); b !== undefined; b = stack.pop())
    for (let s = f.successorStart[b]; s < f.successorStart[b + 1]; s++) {
      const to = f.successors[s];
      if (f.blockStart[to] < f.blockStart[to + 1]) found.add(f.blockStart[to]);
      else if (!seen.has(to)) {
        seen.add(to);
        stack.push(to);
      }
    }
  return [...found];
}

function pressureOf(f: Function, live: readonly Uint8Array[], gone: ReadonlySet<number>): Pressure {
  const after = f.classes.map(() => new Uint16Array(f.instructionCount));
  const during = f.classes.map(() => new Uint16Array(f.instructionCount));
  const peak: number[] = f.classes.map(() => 0);
  const peakAt: number[] = f.classes.map(() => (f.instructionCount > 0 ? 0 : -1));
  for (let i = 0; i < f.instructionCount; i++) {
    const reading = f.classes.map(() => 0);
    const writing = f.classes.map(() => 0);
    for (let r = 0; r < f.registerCount; r++) {
      const c = f.registerClass[r];
      const width = f.registerWidth[r];
      const isThrough = !gone.has(r);
      if ((live[r][2 * i] !== 0 && isThrough) || roleAt(f, i, r, OperandFlag.Use)) reading[c] += width;
      if ((live[r][2 * i + 1] !== 0 && isThrough) || roleAt(f, i, r, OperandFlag.Definition))
        writing[c] += width;
      if (live[r][2 * i + 1] !== 0 && isThrough) after[c][i] += width;
    }
    for (let c = 0; c < f.classes.length; c++) {
      during[c][i] = Math.max(reading[c], writing[c]);
      if (during[c][i] > peak[c]) [peak[c], peakAt[c]] = [during[c][i], i];
    }
  }
  return { after, during, peak, peakAt };
}

function rangesOf(live: readonly Uint8Array[]): LiveRanges {
  const registerStart: number[] = [0];
  const from: number[] = [];
  const to: number[] = [];
  for (const points of live) {
    for (let p = 0; p < points.length; p++)
      if (points[p] !== 0 && (p === 0 || points[p - 1] === 0)) {
        from.push(p);
        let end = p;
        while (end < points.length && points[end] !== 0) end++;
        to.push(end);
      }
    registerStart.push(from.length);
  }
  return {
    registerStart: Int32Array.from(registerStart),
    segmentFrom: Int32Array.from(from),
    segmentTo: Int32Array.from(to),
  };
}

function placementsOf(
  f: Function,
  live: readonly Uint8Array[],
  gone: ReadonlySet<number>,
  spills: readonly Spill[],
): Placement[] {
  const taken: Placement[] = [];
  let slot = 0;
  for (let r = 0; r < f.registerCount; r++) {
    if (!f.operandPlace.includes(r)) taken.push({ kind: 'unused' });
    else if (!gone.has(r))
      taken.push({ kind: 'register', registerClass: f.registerClass[r], index: firstFree(r) });
    else if (spills.some((s) => s.register === r)) {
      taken.push({ kind: 'spilled', slot, bytes: 4 * f.registerWidth[r] });
      slot += f.registerWidth[r];
    } else taken.push({ kind: 'recomputed' });
  }
  return taken;

  function firstFree(r: number): number {
    for (let index = 0; ; index++) {
      const isFree = taken.every(
        (t, q) =>
          t.kind !== 'register' ||
          t.registerClass !== f.registerClass[r] ||
          t.index >= index + f.registerWidth[r] ||
          t.index + f.registerWidth[q] <= index ||
          !live[r].some((v, p) => v !== 0 && live[q][p] !== 0),
      );
      if (isFree) return index;
    }
  }
}

function stallsOf(f: Function): Stall[] {
  const stalls: Stall[] = [];
  for (let b = 0; b < f.blockCount; b++) {
    let clock = 0;
    const ready = new Map<number, { at: number; by: number }>();
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      let worst = { at: clock, by: -1, register: -1 };
      for (const o of operandsOf(f, i)) {
        const known = (f.operandFlags[o] & OperandFlag.Use) !== 0 ? ready.get(f.operandPlace[o]) : undefined;
        if (known !== undefined && known.at > worst.at) worst = { ...known, register: f.operandPlace[o] };
      }
      if (worst.by >= 0)
        stalls.push({
          instruction: i,
          cycles: worst.at - clock,
          producer: worst.by,
          register: worst.register,
          cause: `waits for the ${f.opcodes.text(f.opcode[worst.by])} of ${f.registerNames[worst.register]}`,
        });
      const issue = worst.at;
      for (const o of operandsOf(f, i))
        if ((f.operandFlags[o] & OperandFlag.Definition) !== 0)
          ready.set(f.operandPlace[o], {
            at: issue + (opcodes[f.opcodes.text(f.opcode[i])]?.latency ?? 1),
            by: i,
          });
      clock = issue + 1;
    }
  }
  return stalls;
}

/** Each source instruction as it stands: the toy machine shows no compiled code. */
function identity(f: Function): AllocatedFunction {
  return {
    source: f,
    blockCount: f.blockCount,
    blockStart: f.blockStart,
    successorStart: f.successorStart,
    successors: f.successors,
    count: f.instructionCount,
    kind: new Uint8Array(f.instructionCount),
    elision: new Uint8Array(f.instructionCount).fill(Elision.None),
    instruction: Int32Array.from({ length: f.instructionCount }, (_, i) => i),
    register: new Int32Array(f.instructionCount).fill(-1),
    slot: new Int32Array(f.instructionCount).fill(-1),
    operandStart: f.operandStart,
    operandPlace: f.operandPlace,
    unitsUsed: new Int32Array(f.classes.length),
    slotUnits: new Int32Array(f.classes.length),
  };
}
