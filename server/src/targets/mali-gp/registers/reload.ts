/**
 * Registers that only bring a constant, uniform or attribute from one block to another: loading it again where it is
 * read takes no unit, no store and no place. What it takes is the uniform port, which shows one vector a word, so
 * constants and uniforms stay in registers where the blocks that read them would get busy ports by it. An attribute
 * comes through port 0, as a register may.
 */
import type { Block, Program } from '../graph.js';
import { operations, Place } from '../operations.js';
import { applyRemedies, type Applied, type Choice } from './apply.js';
import { forEachRead } from './flow.js';
import { remedyFor, trafficOf } from './remedies.js';
import type { Survey } from './survey.js';

/** Share of a block's words that may need the uniform port; measured, beyond it schedules get longer. */
const PORT_SHARE = 0.5;
/** Reads through the port that one word may serve on average. */
const READS_PER_WORD = 2;
/** The fewest words in which a block gets anything done. */
const SHORTEST = 4;

export function reloadLeaves(survey: Survey, top: number): Applied {
  const { program } = survey;
  const traffic = trafficOf(program);
  const ports = program.blocks.map((block) => portOf(program, block));
  const chosen: Choice[] = [];
  for (const kind of ['attribute', 'constant', 'uniform'] as const)
    for (let register = 0; register < program.registers.length; register++) {
      const remedy = remedyFor(survey, traffic, register, false);
      if (remedy?.kind !== 'reloaded' || remedy.leaf.kind !== kind) continue;
      const { reads } = traffic[register];
      if (kind !== 'attribute') {
        const isBusy = ([b, times]: [number, number]): boolean =>
          ports[b].needed + times / READS_PER_WORD > PORT_SHARE * ports[b].words;
        if ([...reads].some(isBusy)) continue;
        for (const [b, times] of reads) ports[b].needed += times / READS_PER_WORD;
      }
      const why = 'a register would only copy it from block to block';
      chosen.push({
        register,
        remedy,
        traffic: traffic[register],
        score: remedy.cost,
        why,
        peakInstruction: -1,
      });
    }
  return chosen.length > 0 ? applyRemedies(survey, chosen, top) : { survey, reliefs: [], top };
}

/** Words in which a block needs the uniform port, roughly, and words that its units make necessary. */
function portOf(program: Program, block: Block): { needed: number; words: number } {
  let reads = 0;
  forEachRead(program, block, ({ kind }) => {
    if (kind === 'uniform' || kind === 'constant') reads++;
  });
  const slots = { multipliers: 0, adders: 0 };
  for (const id of block.nodes) {
    const { multipliers, adders } = slotsOf[operations[program.nodes[id].op].place];
    slots.multipliers += multipliers;
    slots.adders += adders;
  }
  const words = Math.max(slots.multipliers / 2, slots.adders / 2, block.nodes.length > 0 ? SHORTEST : 1);
  return { needed: reads / READS_PER_WORD, words };
}

/** Slots of the multipliers and of the adders that an operation takes, by its place. */
const slotsOf: Readonly<Record<Place, { readonly multipliers: number; readonly adders: number }>> = {
  [Place.Adder]: { multipliers: 0, adders: 1 },
  [Place.Multiplier]: { multipliers: 1, adders: 0 },
  [Place.BothMultipliers]: { multipliers: 2, adders: 0 },
  [Place.AdderOrMultiplier]: { multipliers: 0.5, adders: 0.5 },
  [Place.Sequence]: { multipliers: 3, adders: 0 },
};
