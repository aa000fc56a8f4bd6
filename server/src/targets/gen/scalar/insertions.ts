import type { VirtualRegister } from '../../../ir/place.js';
import type { Instruction } from '../program.js';

/** An instruction that the back-end adds, and whose value it moves (-1: nobody's). */
export interface Inserted {
  readonly instruction: Instruction;
  readonly carries: VirtualRegister | -1;
}

const none: readonly Inserted[] = [];

/** Instructions that passes put before and behind those of a program; each pass adds to what is there. */
export class Insertions {
  private readonly ahead = new Map<number, Inserted[]>();
  private readonly behind = new Map<number, Inserted[]>();

  /** Next to instruction `at`, behind what was put before it already. */
  before(at: number, instruction: Instruction, carries: VirtualRegister | -1 = -1): void {
    add(this.ahead, at).push({ instruction, carries });
  }

  /** In front of everything else that was put before instruction `at`. */
  first(at: number, instruction: Instruction): void {
    add(this.ahead, at).unshift({ instruction, carries: -1 });
  }

  after(at: number, instruction: Instruction, carries: VirtualRegister | -1 = -1): void {
    add(this.behind, at).push({ instruction, carries });
  }

  /** The same, to be added to apart from this. */
  copy(): Insertions {
    const made = new Insertions();
    for (const [at, list] of this.ahead) made.ahead.set(at, [...list]);
    for (const [at, list] of this.behind) made.behind.set(at, [...list]);
    return made;
  }

  aheadOf(at: number): readonly Inserted[] {
    return this.ahead.get(at) ?? none;
  }

  behindOf(at: number): readonly Inserted[] {
    return this.behind.get(at) ?? none;
  }
}

function add(map: Map<number, Inserted[]>, at: number): Inserted[] {
  let list = map.get(at);
  if (list === undefined) map.set(at, (list = []));
  return list;
}
