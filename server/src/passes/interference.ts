const NONE: number[] = [];

/**
 * What of a register file is taken, by unit: for a scan that goes through the program once, each unit holds the end
 * of what covers the scan's position and the live segments that are still to come. Two registers interfere when
 * they want one unit at one point; holes make no interference.
 */
export class UnitOccupation {
  private readonly busyUntil: Int32Array;
  /** Segments to come of each unit, the nearest last; made for units that have any. */
  private readonly from: number[][];
  private readonly to: number[][];

  constructor(
    readonly units: number,
    reserved: readonly number[] = [],
  ) {
    this.busyUntil = new Int32Array(units);
    for (const unit of reserved) this.busyUntil[unit] = 0x7fff_ffff;
    this.from = new Array<number[]>(units).fill(NONE);
    this.to = new Array<number[]>(units).fill(NONE);
  }

  /**
   * True when the unit is free in all segments `[from[k], to[k])`, k in `begin .. end`. Positions must not go back
   * from call to call; a range that begins later than the scan stands is asked for with the scan's own position.
   */
  isFree(
    unit: number,
    from: Int32Array,
    to: Int32Array,
    begin: number,
    end: number,
    position = from[begin],
  ): boolean {
    this.advance(unit, position);
    if (this.busyUntil[unit] > from[begin]) return false;
    const comingFrom = this.from[unit];
    const coming = comingFrom.length;
    if (coming === 0 || comingFrom[coming - 1] >= to[end - 1]) return true;
    // a range of many segments is taken as solid: the test stays cheap, and few ranges are that torn
    if (end - begin > 64) return false;
    for (let k = begin; k < end; k++) if (this.overlaps(unit, from[k], to[k])) return false;
    return true;
  }

  take(
    unit: number,
    from: Int32Array,
    to: Int32Array,
    begin: number,
    end: number,
    position = from[begin],
  ): void {
    this.advance(unit, position);
    let k = begin;
    if (from[begin] <= position) this.busyUntil[unit] = Math.max(this.busyUntil[unit], to[k++]);
    for (; k < end; k++) this.insert(unit, from[k], to[k]);
  }

  private advance(unit: number, position: number): void {
    const from = this.from[unit];
    const to = this.to[unit];
    while (from.length > 0 && from[from.length - 1] <= position) {
      from.pop();
      const end = to.pop()!;
      if (end > this.busyUntil[unit]) this.busyUntil[unit] = end;
    }
  }

  private overlaps(unit: number, from: number, to: number): boolean {
    const ends = this.to[unit];
    // the nearest segment that ends after `from`
    const at = firstAtMost(ends, from) - 1;
    return at >= 0 && this.from[unit][at] < to;
  }

  private insert(unit: number, from: number, to: number): void {
    if (this.from[unit] === NONE) {
      this.from[unit] = [];
      this.to[unit] = [];
    }
    const at = firstAtMost(this.from[unit], from);
    this.from[unit].splice(at, 0, from);
    this.to[unit].splice(at, 0, to);
  }
}

/** In a descending list, the first index whose number is at most `value`. */
function firstAtMost(list: readonly number[], value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] > value) low = middle + 1;
    else high = middle;
  }
  return low;
}
