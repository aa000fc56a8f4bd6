/**
 * Carries out what was decided for cross-block registers: stores and reads of the chosen ones become loads of a leaf,
 * copies of the nodes that compute them, or accesses of temporaries, all in one walk over the program.
 */
import type { Block, Input, Node, Value } from '../graph.js';
import { isUnchanging, SCALAR_BYTES, withInputs, withoutDeadNodes, type Relief } from './relief.js';
import type { Remedy, Traffic } from './remedies.js';
import { surveyOf, type Survey } from './survey.js';
import { groupIntoVectors, neighbours, vectorsIn, type Access, type TemporaryPlace } from './temporaries.js';

export interface Choice {
  readonly register: number;
  readonly remedy: Remedy;
  readonly traffic: Traffic;
  /** Cost for each gap with too many registers in which it is live. */
  readonly score: number;
  readonly why: string;
  readonly peakInstruction: number;
}

export interface Applied {
  readonly survey: Survey;
  readonly reliefs: readonly Relief[];
  /** First vector below the temporaries that were used. */
  readonly top: number;
}

/** Temporaries go from `top` downwards. */
export function applyRemedies(survey: Survey, chosen: readonly Choice[], top: number): Applied {
  const choices = new Map(chosen.map((choice) => [choice.register, choice]));
  const spilled = chosen.filter(({ remedy }) => remedy.kind === 'spilled').map(({ register }) => register);
  const places = temporaryPlaces(survey, spilled, top);
  const nodes = survey.program.nodes.slice();
  const blocks = survey.program.blocks.map((block) => rewrite(block, nodes, choices, places));
  const program = { ...survey.program, blocks, nodes };
  return {
    survey: surveyOf(program, survey),
    reliefs: chosen.map((choice) => reliefOf(choice, places.get(choice.register))),
    top: top - vectorsIn([...places.values()]),
  };
}

function temporaryPlaces(
  { program, blocks }: Survey,
  registers: readonly number[],
  top: number,
): Map<number, TemporaryPlace> {
  const itemOf = new Map(registers.map((register, item) => [register, item]));
  const affinities = program.blocks.flatMap((block, b) => {
    if (registers.length === 0) return [];
    const { graph, position } = blocks[b];
    const reads: Access[] = [];
    for (const [register, readers] of graph.registerReaders) {
      const item = itemOf.get(register);
      if (item !== undefined) for (const k of readers) reads.push({ at: position[k], item });
    }
    const stores: Access[] = [];
    const positions = new Map(graph.ids.map((id, k) => [id, position[k]]));
    for (const { to, value } of block.stores) {
      const item = to.kind === 'register' ? itemOf.get(to.register) : undefined;
      if (item !== undefined)
        stores.push({ at: value.kind === 'node' ? positions.get(value.node)! : graph.ids.length, item });
    }
    return [...neighbours(reads, 2), ...neighbours(stores, 1)];
  });
  const places = groupIntoVectors(registers.length, affinities, top);
  return new Map(registers.map((register, item) => [register, places[item]]));
}

/** The block with the chosen registers' stores and reads exchanged; changed and copied nodes go into `nodes`. */
function rewrite(
  block: Block,
  nodes: Node[],
  choices: ReadonlyMap<number, Choice>,
  places: ReadonlyMap<number, TemporaryPlace>,
): Block {
  const storedValues = new Map<number, Value>();
  for (const { to, value } of block.stores)
    if (to.kind === 'register' && choices.has(to.register)) storedValues.set(to.register, value);
  const copies = new Map<number, number>();
  const added: number[] = [];
  let changed = storedValues.size > 0;
  const copy = (id: number): number => {
    const known = copies.get(id);
    if (known !== undefined) return known;
    const inputs = nodes[id].inputs.map((input): Input =>
      input.kind === 'node' ? { ...input, node: copy(input.node) } : input,
    );
    const made = nodes.length;
    copies.set(id, made);
    nodes.push({ ...nodes[id], id: made, inputs });
    added.push(made);
    return made;
  };
  const change = (value: Value): Value => {
    const choice = value.kind === 'register' ? choices.get(value.register) : undefined;
    if (choice === undefined || value.kind !== 'register') return value;
    changed = true;
    const { remedy, register } = choice;
    if (remedy.kind === 'reloaded') return remedy.leaf;
    if (remedy.kind === 'spilled')
      return { kind: 'temporary', ...places.get(register)!, stored: value.stored };
    return value.stored ? storedValues.get(register)! : { kind: 'node', node: copy(remedy.node) };
  };
  for (const id of block.nodes) nodes[id] = withInputs(nodes[id], change);
  const stores = block.stores.flatMap((store) => {
    const { to } = store;
    const choice = to.kind === 'register' ? choices.get(to.register) : undefined;
    const value = change(store.value);
    if (choice === undefined || to.kind !== 'register')
      return value === store.value ? store : { ...store, value };
    if (choice.remedy.kind !== 'spilled') return [];
    return {
      ...store,
      to: { kind: 'temporary', ...places.get(to.register)! } as const,
      value,
      inserted: 'spill' as const,
    };
  });
  const condition = block.branch?.condition && change(block.branch.condition);
  if (!changed) return block;
  return withoutDeadNodes(
    { nodes },
    {
      ...block,
      nodes: [...added, ...block.nodes],
      stores,
      ...(block.branch && condition && { branch: { ...block.branch, condition } }),
    },
  );
}

function reliefOf(
  { register, remedy, traffic, score, why, peakInstruction }: Choice,
  place?: TemporaryPlace,
): Relief {
  const stores = traffic.stores.map(({ instruction }) => instruction);
  return {
    subject: { kind: 'register', register },
    remedy: remedy.kind,
    cost: score,
    reason: `${why}; ${explain(remedy, traffic, place)}`,
    bytes: remedy.kind === 'spilled' ? SCALAR_BYTES : 0,
    peakInstruction,
    stores: remedy.kind === 'spilled' ? stores : [],
    reloads: traffic.readers,
  };
}

function explain(remedy: Remedy, { stores, readers }: Traffic, place: TemporaryPlace | undefined): string {
  if (remedy.kind === 'reloaded')
    return `${stores.length === 1 ? 'its definition loads' : 'all its definitions load'} ${leafName(remedy.leaf)}, which can be loaded where it is read`;
  if (remedy.kind === 'recomputed')
    return `${remedy.operations === 1 ? 'one operation computes' : 'two operations compute'} it again from what is there anyway`;
  const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);
  const where = place ? `t${place.vector}.${'xyzw'[place.component]}` : 'a temporary';
  return `stored ${times(stores.length)} and read ${times(readers.length)}, the cheapest for the room that it frees, in ${where}`;
}

function leafName(leaf: Value): string {
  if (leaf.kind === 'constant') return `the constant ${leaf.value}`;
  return isUnchanging(leaf)
    ? `${leaf.kind === 'uniform' ? 'u' : 'a'}${leaf.vector}.${'xyzw'[leaf.component]}`
    : '';
}
