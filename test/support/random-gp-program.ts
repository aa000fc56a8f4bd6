import fc from 'fast-check';
import type {
  Block,
  Branch,
  Input,
  Node,
  Program,
  Register,
  Store,
  Value,
} from '../../server/src/targets/mali-gp/graph.js';
import { opNames, operations, type Op } from '../../server/src/targets/mali-gp/operations.js';
import { generator } from './gpir-runs.js';

/**
 * Random lowered programs for the passes between lowering and scheduling: every cross-block register is written in the
 * first block, so that nothing undefined is read, and any block may branch anywhere.
 */
export interface ProgramShape {
  readonly seed: number;
  readonly blocks: number;
  readonly registers: number;
  /** Nodes of a block at most. */
  readonly nodes: number;
  /** Reads of registers among all, 0 to 1. */
  readonly reads: number;
  /** Registers that a block stores at most. */
  readonly stores: number;
  /** Fixed registers, and registers that are handed over and wanted at the end. */
  readonly bound: boolean;
}

export const programShape = (most: {
  blocks: number;
  registers: number;
  nodes: number;
}): fc.Arbitrary<ProgramShape> =>
  fc.record({
    seed: fc.integer({ min: 1, max: 0x7fff_ffff }),
    blocks: fc.integer({ min: 1, max: most.blocks }),
    registers: fc.integer({ min: 0, max: most.registers }),
    nodes: fc.integer({ min: 0, max: most.nodes }),
    reads: fc.constantFrom(0.1, 0.4, 0.8),
    stores: fc.constantFrom(1, 4, 20),
    bound: fc.boolean(),
  });

export function randomProgram(shape: ProgramShape): Program {
  const random = generator(shape.seed);
  const below = (n: number): number => Math.floor(random() * n);
  const nodes: Node[] = [];
  const registers = Array.from({ length: shape.registers }, (_, r): Register => {
    const isBound = shape.bound && r < 6;
    return {
      name: `@r${r}`,
      virtual: r,
      fixed: isBound && r % 2 === 0 ? 5 * r : -1,
      isLiveIn: isBound && r < 3,
      isLiveOut: isBound && r > 1,
    };
  });
  const leaf = (): Value => {
    if (registers.length > 0 && random() < shape.reads)
      return { kind: 'register', register: below(registers.length), stored: false };
    const kind = below(3);
    if (kind === 0) return { kind: 'constant', value: below(5) - 1 };
    return { kind: kind === 1 ? 'uniform' : 'attribute', vector: below(4), component: below(4) };
  };
  let instruction = 0;
  const blockOf = (b: number): Block => {
    const own: number[] = [];
    const value = (): Value =>
      own.length > 0 && random() < 0.7
        ? {
            kind: 'node',
            node: own[random() < 0.6 ? Math.max(0, own.length - 1 - below(4)) : below(own.length)],
          }
        : leaf();
    // the first block reads no register before it is written
    const safe = (make: () => Value): Value => {
      const made = make();
      return b === 0 && made.kind === 'register' && !registers[made.register].isLiveIn
        ? { kind: 'uniform', vector: made.register % 4, component: below(4) }
        : made;
    };
    for (let n = below(shape.nodes + 1); n > 0; n--) {
      const op = below(opNames.length) as Op;
      const inputs = Array.from({ length: operations[op].inputs }, (_, k): Input => ({
        ...safe(value),
        negate: ((operations[op].negates >> k) & 1) === 1 && random() < 0.2,
      }));
      own.push(nodes.length);
      nodes.push({ id: nodes.length, op, inputs, instruction: instruction++ });
    }
    const stored = new Set<number>();
    if (b === 0) for (let r = 0; r < registers.length; r++) if (!registers[r].isLiveIn) stored.add(r);
    if (registers.length > 0)
      for (let n = below(shape.stores + 1); n > 0; n--) stored.add(below(registers.length));
    const stores = [...stored].map((register): Store => ({
      to: { kind: 'register', register },
      value: safe(value),
      instruction: instruction++,
    }));
    const varyings = new Set<number>();
    for (let n = below(5); n > 0; n--) varyings.add(below(16));
    for (const place of varyings)
      stores.push({
        to: { kind: 'varying', vector: place >> 2, component: place & 3 },
        value: safe(value),
        instruction: instruction++,
      });
    return {
      label: `block${b}`,
      nodes: own,
      stores,
      sources: [b],
      ...(random() < 0.7 && { branch: branchFrom(b, safe(value)) }),
    };
  };
  const branchFrom = (b: number, condition: Value): Branch => {
    // mostly forwards, so that runs end
    const target = random() < 0.7 ? Math.min(shape.blocks - 1, b + 1 + below(3)) : below(shape.blocks);
    return { target, instruction: instruction++, ...(random() < 0.8 && { condition }) };
  };
  const blocks = Array.from({ length: shape.blocks }, (_, b) => blockOf(b));
  return { name: 'random', blocks, nodes, registers, uniforms: 4, fates: [] };
}
