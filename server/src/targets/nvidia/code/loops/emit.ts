import { OperandFlag, type Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import type { MachineCode } from '../code.js';
import { CodeWriter } from '../writer.js';
import { numberOf, type CountedLoop } from './counted.js';
import { advancesOf, type Advances } from './advances.js';
import type { Plan } from './plan.js';

/** Writes a function in which the chosen loops are unrolled. O(instructions written). */

/** A loop that is unrolled, and how. */
export interface Chosen {
  readonly loop: CountedLoop;
  readonly plan: Plan;
}

export interface Unrolled {
  readonly code: MachineCode;
  /** Headers of loops that are as they shall be. */
  readonly closed: ReadonlySet<number>;
}

/** `closed`: headers of loops of the old code that are not to be unrolled (again). */
export function unrolled(
  code: MachineCode,
  chosen: readonly Chosen[],
  closed: ReadonlySet<number>,
): Unrolled {
  const layout = new Layout(code, chosen, closed);
  return { code: layout.write(), closed: layout.closed };
}

/** What becomes of the loop's own test. */
const enum Test {
  Kept,
  /** It is known how it ends: no comparison, no branch. */
  Known,
  /** Asks for all iterations of the next round at once. */
  Several,
}

/** A stretch of the old code in a block of the new one. */
interface Part {
  readonly block: number;
  readonly loop: CountedLoop | undefined;
  readonly test: Test;
  /** Copies that ask `Several`. */
  readonly copies: number;
  readonly advances: Advances | undefined;
  /** The last copy of those that share `advances`. */
  readonly isLast: boolean;
  /** Only the test, where it stands alone: how many iterations lie between it and the loop's own test. */
  readonly alone?: 'ahead' | 'again';
}

/** An old block (as `~block`), or a new one. */
type Target = Node | number;

interface Node {
  readonly parts: Part[];
  successors: Target[];
  number: number;
}

class Layout {
  readonly closed = new Set<number>();
  private readonly f: Function;
  private readonly nodes: Node[] = [];
  private readonly entry: (Node | undefined)[];

  constructor(
    private readonly code: MachineCode,
    chosen: readonly Chosen[],
    closed: ReadonlySet<number>,
  ) {
    const { f } = code;
    this.f = f;
    this.entry = new Array<Node | undefined>(f.blockCount).fill(undefined);
    const chosenOf = new Map<number, Chosen>();
    for (const one of chosen) {
      for (const b of one.loop.blocks) chosenOf.set(b, one);
      if (one.loop.back >= 0) chosenOf.set(one.loop.back, one);
    }
    const closedNodes: Node[] = [];
    for (let b = 0; b < f.blockCount; b++) {
      const one = chosenOf.get(b);
      if (one === undefined) {
        const node = this.node([part(b)], this.oldSuccessors(b));
        this.entry[b] = node;
        if (closed.has(b)) closedNodes.push(node);
      } else if (one.loop.blocks[0] === b) {
        closedNodes.push(...this.place(one));
      }
    }
    this.nodes.forEach((node, k) => (node.number = k));
    for (const node of closedNodes) this.closed.add(node.number);
  }

  private node(parts: Part[], successors: Target[]): Node {
    const node = { parts, successors, number: -1 };
    this.nodes.push(node);
    return node;
  }

  private oldSuccessors(block: number): number[] {
    return Array.from(
      this.f.successors.subarray(this.f.successorStart[block], this.f.successorStart[block + 1]),
      (b) => ~b,
    );
  }

  /** Of a block of a loop: a jump back is the header, to which it goes. */
  private successorsIn({ back, header }: CountedLoop, block: number): number[] {
    return this.oldSuccessors(block).map((to) => (~to === back ? ~header : to));
  }

  /** Lays out one loop; returns the headers that are done. */
  private place({ loop, plan }: Chosen): Node[] {
    const { header, exit, testsAtTop, staysTaken } = loop;
    const branching = (stays: Target, leaves: Target): Target[] =>
      staysTaken ? [leaves, stays] : [stays, leaves];
    switch (plan.kind) {
      case 'whole': {
        const { first, last } = this.copies(loop, plan.copies, Test.Known);
        this.entry[header] = first;
        last.successors = testsAtTop ? [this.node([part(header, loop, Test.Known)], [~exit])] : [~exit];
        return [];
      }
      case 'peeled': {
        const peeled = plan.peeled > 0 ? this.copies(loop, plan.peeled, Test.Known) : undefined;
        const { first, last } = this.copies(loop, plan.copies, Test.Kept);
        if (peeled) peeled.last.successors = [first];
        last.successors = branching(first, ~exit);
        this.entry[header] = (peeled ?? { first }).first;
        return [first];
      }
      case 'tested': {
        const ahead = this.node([{ ...part(header, loop, Test.Several, plan.copies), alone: 'ahead' }], []);
        const { first, last } = this.copies(loop, plan.copies, testsAtTop ? Test.Known : Test.Several);
        const again = testsAtTop ? undefined : this.node([{ ...part(header, loop), alone: 'again' }], []);
        const rest = this.original(loop);
        ahead.successors = branching(first, rest);
        if (again) again.successors = branching(rest, ~exit);
        last.successors = again ? branching(first, again) : [ahead];
        this.entry[header] = ahead;
        return [first, rest, ahead];
      }
    }
  }

  /** The loop as it was; returns its header. */
  private original(loop: CountedLoop): Node {
    const own = new Map<number, Node>();
    for (const b of loop.blocks) own.set(b, this.node([part(b, loop)], []));
    for (const b of loop.blocks)
      own.get(b)!.successors = this.successorsIn(loop, b).map((to) => own.get(~to) ?? to);
    return own.get(loop.header)!;
  }

  /** `count` iterations one after the other. What follows the last one is the caller's to say. */
  private copies(loop: CountedLoop, count: number, lastTest: Test): { first: Node; last: Node } {
    const { header, latch, blocks, testsAtTop, isJoint } = loop;
    const joins = !isJoint && blocks[0] === header && blocks.at(-1) === latch;
    const advances = isJoint ? undefined : advancesOf(this.f, loop);
    let first: Node | undefined;
    let last: Node | undefined;
    for (let copy = 0; copy < count; copy++) {
      const isLast = copy + 1 === count;
      const own = new Map<number, Node>();
      for (const b of blocks) {
        const test = isLast && !testsAtTop ? lastTest : isJoint ? Test.Kept : Test.Known;
        const one = { ...part(b, loop, test, count), advances, isLast };
        if (b === header && joins && last) {
          last.parts.push(one);
          own.set(b, last);
        } else own.set(b, this.node([one], []));
      }
      for (const b of blocks) {
        if (b === latch) continue;
        const to = this.successorsIn(loop, b).filter((s) => b !== header || !testsAtTop || ~s !== loop.exit);
        own.get(b)!.successors = to.map((s) => own.get(~s) ?? s);
      }
      const head = own.get(header)!;
      if (last && last !== head) last.successors = isJoint ? [~loop.exit, head] : [head];
      first ??= head;
      last = own.get(latch)!;
    }
    return { first: first!, last: last! };
  }

  write(): MachineCode {
    const { f } = this;
    const writer = new CodeWriter(this.code);
    const numberOfTarget = (target: Target): number =>
      typeof target === 'number' ? this.entry[~target]!.number : target.number;
    for (const { parts, successors } of this.nodes) {
      const block = writer.block(parts[0].alone === undefined ? f.blockNames[parts[0].block] : '');
      for (const to of successors) writer.successor(block, numberOfTarget(to));
      for (const one of parts) writePart(this.code, writer, one);
    }
    return writer.finish();
  }
}

const part = (
  block: number,
  loop: CountedLoop | undefined = undefined,
  test = Test.Kept,
  copies = 1,
): Part => ({ block, loop, test, copies, advances: undefined, isLast: true });

function writePart(code: MachineCode, writer: CodeWriter, one: Part): void {
  const { f } = code;
  const { block, loop, test, copies, advances, isLast } = one;
  if (loop && one.alone !== undefined) {
    if (one.alone === 'ahead') writeTest(code, writer, loop, copies - 1, false);
    else writer.copy(loop.compare);
    writer.copy(loop.branch);
    return;
  }
  for (let i = f.blockStart[block]; i < f.blockStart[block + 1]; i++) {
    if (loop && i === loop.branch && test === Test.Known) continue;
    if (loop && i === loop.compare && !loop.isJoint) {
      if (test === Test.Known) continue;
      if (test === Test.Several) {
        writeTest(code, writer, loop, copies - 1, true);
        continue;
      }
    }
    if (advances === undefined || !advances.write(code, writer, i, isLast)) writer.copy(i);
  }
}

/** The comparison of the loop, `more` iterations further on; `after`: behind an iteration, whose own test it is too. */
function writeTest(
  code: MachineCode,
  writer: CodeWriter,
  loop: CountedLoop,
  more: number,
  after: boolean,
): void {
  const { f, executesStart, executes } = code;
  const list: number[] = [];
  const add = (i: number): void => {
    for (let k = executesStart[i]; k < executesStart[i + 1]; k++) list.push(executes[k]);
  };
  const branch = executes[executesStart[loop.branch + 1] - 1];
  // the branch lets the rest run where it stays in the loop
  const stays = loop.staysTaken ? ~branch : branch;
  if (loop.testsAtTop || after) add(loop.compare);
  for (let k = 0; k < more; k++) {
    if (list.length > 0) list.push(stays);
    add(loop.update);
    add(loop.compare);
  }
  writer.head(loop.compare, list);
  const o = f.operandStart[loop.compare];
  writer.operand(o, f.operandPlace[o]);
  writer.plainOperand(loop.counter, OperandFlag.Use);
  const bound = numberOf(f, loop.bound);
  if (bound === undefined) writer.operand(loop.bound, f.operandPlace[loop.bound]);
  else {
    const step = loop.step * BigInt(more);
    writer.operand(
      loop.bound,
      NoRegister.Immediate,
      undefined,
      f.operandTexts?.number(String(bound - step)) ?? 0,
    );
  }
}
