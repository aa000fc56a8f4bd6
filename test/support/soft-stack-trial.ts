import { moveToSoftStack, type SoftStackOptions } from '../../server/src/languages/ptx/soft-stack/index.js';
import type { GridOptions } from '../../server/src/languages/ptx/execute/grid.js';
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
  readonly warps: number;
  /** Threads of a warp in the block; those of a warp in the sense of the hardware stand beside each other. */
  readonly width: number;
  readonly lanes: 'uniform' | 'own';
  readonly seeds: readonly number[];
}

export const STACK_BYTES = 16_384;
const STEPS = 60_000;

/** Buffers and arguments of the kernels that `stackModuleText` writes. */
export const kernelOptions = (warps: number, width: number): GridOptions => ({
  entry: 'k',
  block: [width, warps, 1],
  lanes: width,
  buffers: { out: new Uint8Array(4 * warps * width), scratch: new Uint8Array(32 * warps * width) },
  arguments: [{ address: 'out' }, { address: 'scratch' }],
  steps: STEPS * warps * width,
});

export const stacksOf = (lanes: Trial['lanes']): Partial<GridOptions> => ({
  stacks:
    lanes === 'own'
      ? { bytes: STACK_BYTES, holder: 'thread', slots: '__lane_stacks' }
      : { bytes: STACK_BYTES, holder: 'warp', slots: '__nvptx_stacks' },
});

/**
 * A random module before and after. With one stack a warp its lanes must all do the same, or be one: then what a
 * lane computes depends on the warp alone.
 */
export function tryModule(m: StackModule, { warps, width, lanes, seeds }: Trial) {
  const text = stackModuleText({ ...m, isPerLane: lanes === 'own' && m.isPerLane });
  const transform = (t: string): string => moveAll(t, { lanes }, m.pointers === 'asked');
  return sameBeforeAndAfter(text, transform, kernelOptions(warps, width), {
    seeds,
    after: stacksOf(lanes),
  });
}
