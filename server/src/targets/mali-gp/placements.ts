/** Where each value and register of the source ended up. */
import type { Function } from '../../ir/function.js';
import type { Placement } from '../target.js';
import type { Program } from './graph.js';
import { REGISTER } from './pressure.js';
import type { RegisterAllocation } from './registers/index.js';
import { resultOf } from './sites.js';

export function placementsOf(
  f: Function,
  graph: Program,
  { places, reliefs }: Pick<RegisterAllocation, 'places' | 'reliefs'>,
): Placement[] {
  /** By virtual register: the number of the register that carries it from block to block. */
  const carriedBy = new Map<number, number>();
  graph.registers.forEach(({ virtual }, register) => {
    if (virtual >= 0) carriedBy.set(virtual, register);
  });
  const relieved = new Map<number, Placement>();
  let slot = 0;
  for (const { subject, remedy, bytes } of reliefs) {
    const virtual =
      subject.kind === 'register'
        ? (graph.registers.at(subject.register)?.virtual ?? -1)
        : resultOf(f, graph.nodes[subject.node].instruction);
    if (virtual < 0) continue;
    if (remedy === 'spilled') relieved.set(virtual, { kind: 'spilled', slot: slot++, bytes });
    else relieved.set(virtual, { kind: 'recomputed' });
  }
  return Array.from({ length: f.registerCount }, (_, virtual): Placement => {
    const known = relieved.get(virtual);
    if (known !== undefined) return known;
    const register = carriedBy.get(virtual);
    const place = register === undefined ? -1 : places[register];
    if (place >= 0) return { kind: 'register', registerClass: REGISTER, index: place };
    const fate = graph.fates.at(virtual);
    switch (fate?.kind) {
      case 'node':
        return { kind: 'network' };
      case 'leaf':
        return leafPlacement(fate.leaf, places);
      case 'folded':
        return { kind: 'absorbed' };
      default:
        return { kind: 'unused' };
    }
  });
}

type FateLeaf = Extract<Program['fates'][number], { kind: 'leaf' }>['leaf'];

/** A value that is read from where it lies, wherever it is wanted. */
function leafPlacement(leaf: FateLeaf, places: ArrayLike<number>): Placement {
  if (leaf.kind !== 'register' || places[leaf.register] < 0) return { kind: 'recomputed' };
  return { kind: 'register', registerClass: REGISTER, index: places[leaf.register] };
}
