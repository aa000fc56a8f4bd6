/**
 * Control flow: blocks that nothing reaches go, empty ones are passed over, and blocks that are always executed one
 * after the other become one, because at a block's start nothing is in flight and its registers have to be waited for.
 */
import { predecessorsOf, successorsOf, type Draft, type DraftBlock, type Exit } from './draft.js';
import { rebuild, type PlannedBlock } from './rebuild.js';

/** The draft with fewer blocks, or the same one if there is nothing to do. */
export function simplifyControl(draft: Draft): Draft {
  const { blocks } = draft;
  const exits = threaded(blocks);
  const reached = reachable(exits);
  const merged = mergeChains(exits, reached);
  const isSame =
    merged.length === blocks.length &&
    merged.every(({ parts, exit }, b) => parts.length === 1 && parts[0] === b && exit === blocks[b].exit);
  return isSame ? draft : rebuild(draft, { blocks: merged });
}

/** The exits of all blocks, past blocks in which nothing happens. */
function threaded(blocks: readonly DraftBlock[]): readonly Exit[] {
  const destination = new Int32Array(blocks.length).fill(-1);
  const destinationOf = (b: number): number => {
    const path: number[] = [];
    let at = b;
    // a ring of empty blocks is an endless loop, and stays one
    const seen = new Set<number>();
    while (destination[at] < 0 && !seen.has(at)) {
      seen.add(at);
      path.push(at);
      const { exit, stores } = blocks[at];
      if (stores.length > 0 || exit.kind !== 'jump') break;
      at = exit.to;
    }
    const end = destination[at] < 0 ? at : destination[at];
    for (const block of path) destination[block] = end;
    return end;
  };
  return blocks.map(({ exit }): Exit => {
    if (exit.kind === 'end') return exit;
    if (exit.kind === 'jump') {
      const to = destinationOf(exit.to);
      return isNothing(blocks[to]) ? { kind: 'end' } : to === exit.to ? exit : { ...exit, to };
    }
    const [yes, no] = [destinationOf(exit.yes), destinationOf(exit.no)];
    if (yes === no) return { kind: 'jump', to: no, instruction: exit.instruction };
    return yes === exit.yes && no === exit.no ? exit : { ...exit, yes, no };
  });
}

const isNothing = ({ exit, stores }: DraftBlock): boolean => exit.kind === 'end' && stores.length === 0;

function reachable(exits: readonly Exit[]): Uint8Array {
  const reached = new Uint8Array(exits.length);
  const work = [0];
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    if (reached[b] === 1) continue;
    reached[b] = 1;
    work.push(...successorsOf(exits[b]));
  }
  return reached;
}

function mergeChains(exits: readonly Exit[], reached: Uint8Array): PlannedBlock[] {
  const predecessors = predecessorsOf(exits.map((exit, b) => (reached[b] === 1 ? exit : END)));
  const follows = (b: number): boolean => {
    if (b === 0 || predecessors[b].length !== 1) return false;
    const [before] = predecessors[b];
    return before !== b && exits[before].kind === 'jump';
  };
  const planned: PlannedBlock[] = [];
  for (let b = 0; b < exits.length; b++) {
    if (reached[b] === 0 || follows(b)) continue;
    const parts: [number, ...number[]] = [b];
    let exit = exits[b];
    while (exit.kind === 'jump' && exit.to !== b && follows(exit.to)) {
      parts.push(exit.to);
      exit = exits[exit.to];
    }
    planned.push({ parts, exit });
  }
  return planned;
}

const END: Exit = { kind: 'end' };
