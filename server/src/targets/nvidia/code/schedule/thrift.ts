import { FAR } from './timing.js';
import { WINDOW, type DependenceWindow } from './window.js';

/**
 * Orders that keep few registers live. No simple one is always best, so three are tried and the one with the lowest
 * peak is kept, block by block (ptxas too finds orders that need fewer registers than the text's, whose order hardly
 * matters to it: 32 products of loads in four sums, each written as a chain of its own, run side by side):
 *
 *   Sunk         the text's, but what raises the pressure stands only where its first reader needs it
 *   Levels       longest chain of instructions first, loads where their first reader needs them
 *   DepthFirst   one result after the other, of its operands the one first that needs most registers itself
 *                (Sethi and Ullman, "The generation of optimal code for arithmetic expressions", 1970)
 */
export const enum Thrift {
  Sunk = 0,
  Levels = 1,
  DepthFirst = 2,
}

export const thrifts: readonly Thrift[] = [Thrift.Sunk, Thrift.Levels, Thrift.DepthFirst];

/** Ranks order by position first, then by the text. */
const STEP = 2 * WINDOW;

export class ThriftyOrder {
  /** Instructions of the window with a smaller rank go first, as far as dependences allow. */
  readonly rank: Float64Array;
  private readonly position: Int32Array;
  private readonly level: Int32Array;
  private readonly stack: number[] = [];

  constructor(private readonly window: DependenceWindow) {
    this.rank = new Float64Array(window.size);
    this.position = new Int32Array(window.size);
    this.level = new Int32Array(window.size);
  }

  /** `change`: what running an instruction of the window adds to the live registers. */
  find(thrift: Thrift, change: Int32Array): void {
    if (thrift === Thrift.Sunk) this.sunk(change);
    else if (thrift === Thrift.Levels) this.levels();
    else this.depthFirst();
    const { position, rank } = this;
    for (let n = 0; n < this.window.count; n++) rank[n] = position[n] * STEP + n;
  }

  /** The position of the first reader; that of the window's end where there is none. */
  private firstReader(n: number): number {
    const { start, to, isValue, count } = this.window;
    let first = count;
    for (let e = start[n]; e < start[n + 1]; e++)
      if (isValue[e] === 1) first = Math.min(first, this.position[to[e]]);
    return first;
  }

  private sunk(change: Int32Array): void {
    for (let n = this.window.count - 1; n >= 0; n--)
      this.position[n] = change[n] > 0 ? this.firstReader(n) : n;
  }

  private levels(): void {
    const { start, to, cycles, count } = this.window;
    const { level, position } = this;
    let top = 0;
    for (let n = count - 1; n >= 0; n--) {
      level[n] = 0;
      for (let e = start[n]; e < start[n + 1]; e++) level[n] = Math.max(level[n], level[to[e]] + 1);
      top = Math.max(top, level[n]);
    }
    for (let n = count - 1; n >= 0; n--) {
      position[n] = cycles[n] >= FAR ? this.firstReader(n) : count;
      if (position[n] === count) position[n] = top - level[n];
    }
  }

  private depthFirst(): void {
    const { window, level, position, stack } = this;
    const { start, isValue, count } = window;
    for (let n = 0; n < count; n++) {
      let most = 0;
      let atMost = 0;
      window.eachMaker(n, (maker) => {
        if (level[maker] > most) {
          most = level[maker];
          atMost = 1;
        } else if (level[maker] === most) atMost++;
      });
      level[n] = Math.max(1, most + (atMost > 1 ? 1 : 0));
      position[n] = UNSEEN;
    }
    let next = 0;
    for (let root = 0; root < count; root++) {
      let isRead = false;
      for (let e = start[root]; e < start[root + 1]; e++) if (isValue[e] === 1) isRead = true;
      if (isRead) continue;
      stack.push(root);
      for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
        if (n < 0) position[~n] = next++;
        else if (position[n] === UNSEEN) this.open(n);
      }
    }
  }

  /** Puts what instruction n reads onto the stack, what needs most on top, and n itself (`~n`) below. */
  private open(n: number): void {
    const { level, position, stack } = this;
    position[n] = OPEN;
    stack.push(~n);
    const bottom = stack.length;
    this.window.eachMaker(n, (maker) => {
      if (position[maker] !== UNSEEN) return;
      let at = stack.length;
      stack.push(maker);
      for (; at > bottom && level[stack[at - 1]] > level[maker]; at--) stack[at] = stack[at - 1];
      stack[at] = maker;
    });
  }
}

const UNSEEN = -1;
const OPEN = -2;
