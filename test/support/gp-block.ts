import {
  REGISTER_COMPONENTS,
  type Block,
  type BlockTask,
  type Branch,
  type Input,
  type Leaf,
  type Node,
  type Register,
  type Store,
  type StorePlace,
  type Value,
} from '../../server/src/targets/mali-gp/graph.js';
import type { Op } from '../../server/src/targets/mali-gp/operations.js';

/** Builds one block of the geometry processor's graph, operation by operation. */
export class BlockBuilder {
  readonly nodes: Node[] = [];
  readonly stores: Store[] = [];
  branch: Branch | undefined;
  /** Place by register number. */
  readonly places: number[] = [];

  node(op: Op, ...inputs: (Value | Input)[]): Value {
    const id = this.nodes.length;
    this.nodes.push({
      id,
      op,
      inputs: inputs.map((input) => ({ negate: false, ...input })),
      instruction: id,
    });
    return { kind: 'node', node: id };
  }

  store(to: StorePlace, value: Value): void {
    this.stores.push({ to, value, instruction: this.nodes.length + this.stores.length });
  }

  varying(vector: number, component: number, value: Value): void {
    this.store({ kind: 'varying', vector, component }, value);
  }

  /** A register that lies at `place`, `4 * vector + component`. */
  register(place: number): number {
    return this.places.push(place) - 1;
  }

  branchTo(target: number, condition?: Value): void {
    this.branch = { target, instruction: 0, ...(condition && { condition }) };
  }

  task(): BlockTask {
    const block: Block = {
      label: 'block',
      nodes: this.nodes.map((node) => node.id),
      stores: this.stores,
      sources: [0],
      ...(this.branch && { branch: this.branch }),
    };
    const registers = this.places.map((fixed, index): Register => ({
      name: `@r${String(index)}`,
      virtual: index,
      fixed,
      isLiveIn: true,
      isLiveOut: true,
    }));
    return {
      program: { name: 'test', blocks: [block], nodes: this.nodes, registers, uniforms: 64, fates: [] },
      block,
      places: this.places,
      liveIn: new Uint8Array(REGISTER_COMPONENTS).fill(1),
      liveOut: new Uint8Array(REGISTER_COMPONENTS).fill(1),
    };
  }
}

export const uniform = (vector: number, component = 0): Leaf => ({ kind: 'uniform', vector, component });
export const attribute = (vector: number, component = 0): Leaf => ({ kind: 'attribute', vector, component });
export const constant = (value: number): Leaf => ({ kind: 'constant', value });
