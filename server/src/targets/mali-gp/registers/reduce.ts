/**
 * Makes the cross-block registers fit the 64 components of the register file. Wherever more are live along the
 * blocks' orders than there is room for, registers are taken away that are cheap for the room that they free, by the
 * remedies of remedies.ts; each round chooses against the excess that the ones chosen before it leave, and then
 * looks at the changed program again.
 *
 * Room for the values inside the blocks is wanted too, up to `reserve` places a block.
 */
import { REGISTER_COMPONENTS } from '../graph.js';
import { applyRemedies, type Applied, type Choice } from './apply.js';
import { Heap } from './heap.js';
import { fillsBlock, occupancyOf } from './presence.js';
import type { Relief } from './relief.js';
import { remedyFor, trafficOf, type Remedy } from './remedies.js';
import type { Survey, SurveyedBlock } from './survey.js';

/** Places beyond the needed ones of which a block is glad, where they cost next to nothing. */
const COMFORT = 3;
/** Measured: fewer make schedules longer than the spills that they save, more do the opposite. */
const VALUES_IN_FLIGHT = 12;
const NODES_FOR_ONE = 4;

/** Takes registers away until no more are live anywhere than fit. Temporaries go from `top` downwards. */
export function reduceRegisters(survey: Survey, reserve: number, carried: number, top: number): Applied {
  const reliefs: Relief[] = [];
  for (const mayStore of [false, true]) {
    const comfort = mayStore ? 0 : COMFORT;
    for (;;) {
      const limits = survey.blocks.map(
        (block) =>
          REGISTER_COMPONENTS - Math.min(reserve, Math.max(0, placesWanted(block) - carried + comfort)),
      );
      const chosen = choose(survey, limits, mayStore);
      if (chosen.length === 0) break;
      const applied = applyRemedies(survey, chosen, top);
      ({ survey, top } = applied);
      reliefs.push(...applied.reliefs);
    }
  }
  return { survey, reliefs, top };
}

/** Takes these registers away although the number that is live would fit: those that colouring left without a place. */
export function removeRegisters(survey: Survey, registers: readonly number[], top: number): Applied {
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
  return applyRemedies(survey, chosen, top);
}

/**
 * Values that the block has in flight if it is scheduled well: at least those that its order needs, and as many as keep
 * six units busy over the two or three words until a result comes back, where the block is not too short for that.
 */
const placesWanted = ({ order, graph }: SurveyedBlock): number =>
  Math.max(order.peak, Math.min(VALUES_IN_FLIGHT, graph.ids.length / NODES_FOR_ONE));

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
    for (const presence of survey.blocks[b].presences) {
      const { register, until, from } = presence;
      const gaps = fillsBlock(presence)
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
