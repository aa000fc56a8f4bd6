import { moveToSoftStack, type SoftStackOptions } from '../../server/src/languages/ptx/soft-stack/index.js';
import { STACK_AREA, type GridOptions } from '../../server/src/languages/ptx/execute/grid.js';
import { applyEdits } from '../../server/src/text/edit.js';
import { bindText } from '../languages/ptx/bound.js';
import { sameBeforeAndAfter } from './ptx-module-run.js';
import { stackModuleText, type StackModule } from './random-ptx-stack.js';

/** A module in soft-stack form. Throws the reason when a function is refused, unless some may be. */
export function moveAll(text: string, options: SoftStackOptions, mayRefuse = false): string {
  const { edits, refusals } = moveToSoftStack(bindText(text), options);
  if (refusals.length > 0 && !mayRefuse)
    throw new Error(`refused: ${refusals.map((r) => `${r.function}: ${r.reason}`).join('; ')}`);
  return applyEdits(text, edits);
}

export interface Trial {
  readonly blocks: number;
  /** Of a block. */
  readonly warps: number;
  /** Threads of a warp. */
  readonly width: number;
  readonly lanes: 'uniform' | 'own';
  /** Whether the module sets its stacks up itself, by an entry that is made for it. */
  readonly hasWrapper: boolean;
  readonly seeds: readonly number[];
}

const STACK_BYTES = 16_384;
const STEPS = 60_000;

/** How the kernels that `stackModuleText` writes are run. */
export function kernelOptions({ blocks, warps, width }: Trial): GridOptions {
  const threads = blocks * warps * width;
  return {
    entry: 'k',
    grid: [blocks, 1, 1],
    block: [width, warps, 1],
    lanes: width,
    buffers: { out: new Uint8Array(4 * threads), scratch: new Uint8Array(32 * threads) },
    arguments: [{ address: 'out' }, { address: 'scratch' }],
    steps: STEPS * threads,
  };
}

/** How a program with its stacks moved is run: from outside, or with the arguments of its wrapper. */
export function withStacks(
  options: GridOptions,
  lanes: Trial['lanes'],
  hasWrapper: boolean,
): Partial<GridOptions> {
  const holder = lanes === 'own' ? 'thread' : 'warp';
  if (hasWrapper)
    return {
      arguments: [...(options.arguments ?? []), { address: STACK_AREA }, STACK_BYTES],
      stacks: { bytes: STACK_BYTES, holder },
    };
  const slots = lanes === 'own' ? '__lane_stacks' : '__nvptx_stacks';
  return { stacks: { bytes: STACK_BYTES, holder, slots } };
}

/**
 * A random module before and after. With one stack a warp its lanes must all do the same, or be one: then what a
 * lane computes depends on the warp alone.
 */
export function tryModule(m: StackModule, trial: Trial) {
  const { lanes, hasWrapper, seeds } = trial;
  const text = stackModuleText({ ...m, isPerLane: lanes === 'own' && m.isPerLane });
  const options = kernelOptions(trial);
  return sameBeforeAndAfter(text, (t) => movedModule(m, t, lanes, hasWrapper), options, {
    seeds,
    after: withStacks(options, lanes, hasWrapper),
  });
}

export const movedModule = (
  m: StackModule,
  text: string,
  lanes: Trial['lanes'],
  hasWrapper: boolean,
): string => moveAll(text, hasWrapper ? { lanes, mainKernel: 'k' } : { lanes }, m.pointers === 'asked');
