import type { RegisterNaming } from '../language.js';
import type { MesaBound } from './bind/index.js';
import { FlowKind } from './flow.js';
import type { Operand } from './operand.js';
import type { Instruction } from './tree.js';

/**
 * A second name for a virtual register of Mesa's lines: the next number that is free, and `mov`s of untyped dwords. They
 * stand outside of all branches and loops and copy every lane, those that no thread was dispatched for included: there it
 * does not matter who reads lanes of others later. Inside, lanes wait that have left a loop, and what they hold must
 * stay.
 *
 * A register that somebody reads or writes across lanes while some of them wait has none: `NoMask`, `<0>`.
 */
export function naming(bound: MesaBound, register: number): RegisterNaming | undefined {
  const { registers, facts, instructions, parsed } = bound;
  if (facts.phase !== 'virtual' || bound.blocks.jumpTargets.size > 0 || !bound.blocks.isComplete)
    return undefined;
  const depth = depths(bound);
  const number = registers.numbers[register];
  if (instructions.some((i, k) => depth[k] > 0 && crossesLanes(i, number))) return undefined;
  const first = Math.max(...registers.numbers) + 1;
  const isVec4 = parsed.dialect === 'vec4';
  const size = registers.sizes[register];
  return {
    name: (k) => `vgrf${first + k}`,
    copy: (to, from, before) =>
      (depth[before] ?? 0) > 0
        ? undefined
        : isVec4
          ? vec4Moves(to, from, size)
          : moves(to, from, size, facts.width),
  };
}

/** By instruction: how many branches and loops it stands in. `do` stands outside of its own; what ends one inside. */
function depths({ flowKinds }: MesaBound): Uint16Array {
  const depth = new Uint16Array(flowKinds.length);
  let open = 0;
  flowKinds.forEach((kind, i) => {
    depth[i] = open;
    if (kind === FlowKind.If || kind === FlowKind.Do) open++;
    if ((kind === FlowKind.EndIf || kind === FlowKind.While) && open > 0) open--;
  });
  return depth;
}

function crossesLanes({ destination, sources, noMask }: Instruction, number: number): boolean {
  const isMentioned = (o: Operand): boolean => o.file === 'virtual' && o.number === number;
  if (noMask && (isMentioned(destination) || sources.some(isMentioned))) return true;
  return sources.some((source) => isMentioned(source) && source.stride === 0);
}

/** A `mov(8)` a register, each of both vertices whole. */
function vec4Moves(to: string, from: string, size: number): string[] {
  const place = (k: number): string => (size === 1 ? '' : `+${k}.0`);
  return Array.from(
    { length: size },
    (_, k) => `mov(8) ${to}${place(k)}:UD, ${from}${place(k)}.xyzw:UD NoMask`,
  );
}

/** As many lanes at once as the program has, eight of them a register. */
function moves(to: string, from: string, size: number, width: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < size;) {
    const lanes = width >= 16 && at + 2 <= size ? 16 : 8;
    const place = size === lanes / 8 ? '' : `+${at}.0`;
    found.push(`mov(${lanes}) ${to}${place}:UD, ${from}${place}:UD NoMask`);
    at += lanes / 8;
  }
  return found;
}
