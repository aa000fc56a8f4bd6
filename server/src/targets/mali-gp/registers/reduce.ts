/**
 * Makes the cross-block registers fit the 64 components of the register file. Wherever more are live along the
 * blocks' orders than there is room for, registers are taken away that are cheap for the room that they free, by the
 * remedies of remedies.ts; each round chooses against the excess that the ones chosen before it leave, and then
 * looks at the changed program again.
 *
 * Room for the values inside the blocks is wanted too: a block whose values outnumber the bypass network is left
 * some places, up to `reserve`.
 */
import { REGISTER_COMPONENTS, type Block, type Input, type Node, type Value } from '../graph.js';
import { Heap } from './heap.js';
import { occupancyOf } from './presence.js';
import { isUnchanging, SCALAR_BYTES, withInputs, withoutDeadNodes, type Relief } from './relief.js';
import { remedyFor, trafficOf, type Remedy, type Traffic } from './remedies.js';
import { surveyOf, type Survey } from './survey.js';
import { groupIntoVectors, neighbours, vectorsIn, type Access, type TemporaryPlace } from './temporaries.js';
import { BYPASS_VALUES } from './values.js';

export interface Reduction {
  readonly survey: Survey;
  readonly reliefs: readonly Relief[];
  /** First vector below the temporaries that were used. */
  readonly top: number;
}

/** Values below the capacity of the bypass network at which a block is glad of a free place. */
const COMFORT = 3;

/** Takes registers away until no more are live anywhere than fit. Temporaries go from `top` downwards. */
export function reduceRegisters(survey: Survey, reserve: number, top: number): Reduction {
  const reliefs: Relief[] = [];
  for (const mayStore of [false, true]) {
    const comfort = mayStore ? 0 : COMFORT;
    for (;;) {
      const limits = survey.blocks.map(
        ({ order }) =>
          REGISTER_COMPONENTS - Math.min(reserve, Math.max(0, order.peak - BYPASS_VALUES + comfort)),
      );
      const chosen = choose(survey, limits, mayStore);
      if (chosen.length === 0) break;
      const applied = apply(survey, chosen, top);
      ({ survey, top } = applied);
      reliefs.push(...applied.reliefs);
    }
  }
  return { survey, reliefs, top };
}

/** Takes these registers away although the number that is live would fit: those that colouring left without a place. */
export function removeRegisters(survey: Survey, registers: readonly number[], top: number): Reduction {
  const traffic = trafficOf(survey.program);
  const chosen: Choice[] = [];
  for (const register of registers) {
    const remedy = remedyFor(survey, traffic, register, true);
    if (remedy === undefined) continue;
    if (remedy.kind === 'recomputed' && remedy.needs.some((r) => registers.includes(r))) continue;
    const why = 'no place is free in all the blocks in which it is live';
    chosen.push({
      register,
      remedy,
      traffic: traffic[register],
      score: remedy.cost,
      why,
      peakInstruction: -1,
    });
  }
  return apply(survey, chosen, top);
}

interface Choice {
  readonly register: number;
  readonly remedy: Remedy;
  readonly traffic: Traffic;
  /** Cost for each gap with too many registers in which it is live. */
  readonly score: number;
  readonly why: string;
  readonly peakInstruction: number;
}

interface Excess {
  /** How many registers too many at most. */
  readonly most: number;
  readonly gap: number;
  /** By gap g: gaps before g that have too many. */
  readonly before: Int32Array;
}

function excessOf(survey: Survey, b: number, limit: number): Excess | undefined {
  const { presences, graph } = survey.blocks[b];
  const gaps = graph.ids.length + 1;
  const occupied = occupancyOf(presences, gaps);
  const before = new Int32Array(gaps + 1);
  let [most, gap] = [0, -1];
  for (let g = 0; g < gaps; g++) {
    before[g + 1] = before[g] + Number(occupied[g] > limit);
    if (occupied[g] - limit > most) [most, gap] = [occupied[g] - limit, g];
  }
  return most > 0 ? { most, gap, before } : undefined;
}

function choose(survey: Survey, limits: readonly number[], mayStore: boolean): Choice[] {
  const excesses = limits.map((limit, b) => excessOf(survey, b, limit));
  if (excesses.every((excess) => excess === undefined)) return [];
  const { program } = survey;
  const traffic = trafficOf(program);
  const freed = new Float64Array(program.registers.length);
  const crowded: number[][] = program.registers.map(() => []);
  excesses.forEach((excess, b) => {
    if (excess === undefined) return;
    const end = excess.before.length - 1;
    for (const { register, until, from } of survey.blocks[b].presences) {
      const gaps =
        from <= until
          ? excess.before[end]
          : excess.before[until + 1] + Math.max(0, excess.before[end] - excess.before[Math.min(end, from)]);
      if (gaps === 0) continue;
      freed[register] += gaps;
      crowded[register].push(b);
    }
  });
  const heap = new Heap<{ register: number; remedy: Remedy; score: number }>(
    (a, b) => a.score - b.score || a.register - b.register,
  );
  for (let register = 0; register < freed.length; register++) {
    if (freed[register] === 0) continue;
    const remedy = remedyFor(survey, traffic, register, mayStore);
    if (remedy) heap.push({ register, remedy, score: remedy.cost / freed[register] });
  }
  const left = excesses.map((excess) => excess?.most ?? 0);
  const isTaken = new Set<number>();
  const isNeeded = new Set<number>();
  const chosen: Choice[] = [];
  for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
    const { register, remedy, score } = next;
    if (isNeeded.has(register)) continue;
    const b = crowded[register].find((block) => left[block] > 0);
    if (b === undefined) continue;
    if (remedy.kind === 'recomputed') {
      if (remedy.needs.some((r) => isTaken.has(r))) continue;
      for (const r of remedy.needs) isNeeded.add(r);
    }
    isTaken.add(register);
    for (const block of crowded[register]) left[block]--;
    const { most, gap } = excesses[b]!;
    const why = `${limits[b] + most} registers live at once in ${program.blocks[b].label || 'the first block'}, room for ${limits[b]}`;
    chosen.push({
      register,
      remedy,
      traffic: traffic[register],
      score,
      why,
      peakInstruction: instructionAt(survey, b, gap),
    });
  }
  return chosen;
}

function instructionAt({ program, blocks }: Survey, b: number, gap: number): number {
  const { graph, order } = blocks[b];
  if (gap < graph.ids.length) return program.nodes[graph.ids[order.order[gap]]].instruction;
  const { branch, stores } = program.blocks[b];
  return branch?.instruction ?? stores[stores.length - 1]?.instruction ?? -1;
}

function apply(survey: Survey, chosen: readonly Choice[], top: number): Reduction {
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
