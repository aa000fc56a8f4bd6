import { CodeKind, type AllocatedFunction } from '../ir/allocated.js';
import { OperandFlag } from '../ir/function.js';
import { isPhysical, isVirtual, physicalClass, physicalIndex, type PhysicalRegister } from '../ir/place.js';
import { controlFlow, type Cfg } from './cfg.js';

/**
 * What the allocation checker looks up: where each location is written and each register defined, in code order.
 * A location is one unit of a physical register or of a spill slot, numbered through all classes. A value is one
 * unit of a virtual register, or the source program's own use of a physical unit.
 */
export interface AllocationIndex {
  readonly cfg: Cfg;
  readonly locationCount: number;
  readonly valueCount: number;
  unit(place: PhysicalRegister, part: number): number;
  slot(registerClass: number, unit: number): number;
  /** Unit `part` of a virtual register. */
  value(register: number, part: number): number;
  /** What the source itself keeps in a physical unit. */
  unitValue(location: number): number;
  /** The virtual register of a value, or -1. */
  registerOf(value: number): number;
  partOf(value: number): number;
  /** Last code position in `from .. before` that writes the location, or -1. */
  lastWrite(location: number, from: number, before: number): number;
  /** Last code position in `from .. before` where the source gives the value's register a new value, or -1. */
  lastDefinition(value: number, from: number, before: number): number;
  nameOfLocation(location: number): string;
}

export type UnitName = (registerClass: number, index: number) => string;

export function allocationIndex(a: AllocatedFunction, unitName: UnitName | undefined): AllocationIndex {
  const f = a.source;
  const unitBase: number[] = [];
  const slotBase: number[] = [];
  let locationCount = 0;
  for (let c = 0; c < f.classes.length; c++) {
    unitBase.push(locationCount);
    locationCount += a.unitsUsed[c];
  }
  for (let c = 0; c < f.classes.length; c++) {
    slotBase.push(locationCount);
    locationCount += a.slotUnits[c];
  }
  const valueBase = new Int32Array(f.registerCount + 1);
  for (let r = 0; r < f.registerCount; r++) valueBase[r + 1] = valueBase[r] + Math.max(1, f.registerWidth[r]);
  const registerValues = valueBase[f.registerCount];
  const ownerOf = new Int32Array(registerValues);
  for (let r = 0; r < f.registerCount; r++) ownerOf.fill(r, valueBase[r], valueBase[r + 1]);

  const unit = (place: PhysicalRegister, part: number): number =>
    unitBase[physicalClass(place)] + physicalIndex(place) + part;
  const slot = (registerClass: number, at: number): number => slotBase[registerClass] + at;
  const owner = (value: number): number =>
    value < registerValues ? ownerOf[value] : f.registerCount + value - registerValues;

  const writes = positionsBy(locationCount, a.count, (at, visit) => forEachWrite(a, at, unit, slot, visit));
  const definitions = positionsBy(f.registerCount + locationCount, a.count, (at, visit) =>
    forEachDefinition(a, at, unit, visit),
  );

  return {
    cfg: controlFlow(a),
    locationCount,
    valueCount: registerValues + locationCount,
    unit,
    slot,
    value: (register, part) => valueBase[register] + part,
    unitValue: (location) => registerValues + location,
    registerOf: (value) => (value < registerValues ? ownerOf[value] : -1),
    partOf: (value) => (value < registerValues ? value - valueBase[ownerOf[value]] : 0),
    lastWrite: (location, from, before) => writes(location, from, before),
    lastDefinition: (value, from, before) => definitions(owner(value), from, before),
    nameOfLocation: (location) => {
      for (let c = 0; c < f.classes.length; c++) {
        const index = location - unitBase[c];
        if (index >= 0 && index < a.unitsUsed[c])
          return unitName?.(c, index) ?? `${f.classes[c].name} ${index}`;
        const at = location - slotBase[c];
        if (at >= 0 && at < a.slotUnits[c]) return `${f.classes[c].name} spill slot ${at}`;
      }
      return `location ${location}`;
    },
  };
}

/** Every location that the code at `at` writes or may write. */
function forEachWrite(
  a: AllocatedFunction,
  at: number,
  unit: AllocationIndex['unit'],
  slot: AllocationIndex['slot'],
  visit: (location: number) => void,
): void {
  const f = a.source;
  const register = a.register[at];
  switch (a.kind[at]) {
    case CodeKind.Store:
      for (let k = 0; k < f.registerWidth[register]; k++)
        visit(slot(f.registerClass[register], a.slot[at] + k));
      return;
    case CodeKind.Reload:
    case CodeKind.Copy: {
      const to = a.operandPlace[a.operandStart[at]];
      for (let k = 0; k < f.registerWidth[register]; k++) if (isPhysical(to)) visit(unit(to, k));
      return;
    }
    case CodeKind.Original:
    case CodeKind.Recompute: {
      const first = f.operandStart[a.instruction[at]];
      for (let o = first; o < f.operandStart[a.instruction[at] + 1]; o++) {
        const place = a.operandPlace[a.operandStart[at] + o - first];
        if ((f.operandFlags[o] & OperandFlag.Definition) === 0 || !isPhysical(place)) continue;
        for (let k = 0; k < f.operandWidth[o]; k++) visit(unit(place, f.operandOffset[o] + k));
      }
    }
  }
}

/** Every register (physical units behind the virtual ones) to which the source instruction at `at` gives a value. */
function forEachDefinition(
  a: AllocatedFunction,
  at: number,
  unit: AllocationIndex['unit'],
  visit: (owner: number) => void,
): void {
  if (a.kind[at] !== CodeKind.Original && a.kind[at] !== CodeKind.Elided) return;
  const f = a.source;
  const i = a.instruction[at];
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    if ((f.operandFlags[o] & OperandFlag.Definition) === 0) continue;
    const place = f.operandPlace[o];
    if (isVirtual(place)) visit(place);
    else if (isPhysical(place))
      for (let k = 0; k < f.operandWidth[o]; k++)
        visit(f.registerCount + unit(place, f.operandOffset[o] + k));
  }
}

/** Positions by key (two passes, a counting sort), asked for the last one in a range. */
function positionsBy(
  keys: number,
  count: number,
  events: (at: number, visit: (key: number) => void) => void,
): (key: number, from: number, before: number) => number {
  const start = new Int32Array(keys + 1);
  for (let at = 0; at < count; at++) events(at, (key) => start[key + 1]++);
  for (let k = 0; k < keys; k++) start[k + 1] += start[k];
  const positions = new Int32Array(start[keys]);
  const fill = start.slice(0, keys);
  for (let at = 0; at < count; at++) events(at, (key) => (positions[fill[key]++] = at));
  return (key, from, before) => {
    let low = start[key];
    let high = start[key + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (positions[middle] < before) low = middle + 1;
      else high = middle;
    }
    return low > start[key] && positions[low - 1] >= from ? positions[low - 1] : -1;
  };
}
