import assert from 'node:assert/strict';
import { functionWith, type Function } from '../../server/src/ir/function.js';
import { genIr } from '../../server/src/languages/gen-ir/index.js';
import { decode } from '../../server/src/targets/gen/decode.js';
import { gen } from '../../server/src/targets/gen/index.js';
import { compare } from '../../server/src/targets/gen/simulate/compare.js';
import type { Machine } from './rewrites.js';

/**
 * `f` with the registers' numbers of another function, and those that only `f` has behind them: the simulator makes what is
 * handed over from a register's number.
 */
function numberedAs(other: Function, f: Function): Function {
  const numbers = new Map(other.registerNames.map((name, r) => [name, r]));
  assert.equal(numbers.size, other.registerCount);
  const own = [...f.registerNames.keys()].filter((r) => !numbers.has(f.registerNames[r]));
  own.forEach((r, k) => numbers.set(f.registerNames[r], other.registerCount + k));
  const operandPlace = f.operandPlace.map((place) =>
    place < 0 ? place : (numbers.get(f.registerNames[place]) ?? place),
  );
  return functionWith(f, {
    operandPlace,
    registerCount: other.registerCount + own.length,
    registerClass: Uint8Array.from([...other.registerClass, ...own.map((r) => f.registerClass[r])]),
    registerWidth: Uint16Array.from([...other.registerWidth, ...own.map((r) => f.registerWidth[r])]),
    registerNames: [...other.registerNames, ...own.map((r) => f.registerNames[r])],
  });
}

/** Programs of Gen IR, executed channel by channel. */
export const executionUnit: Machine = {
  language: genIr,
  target: gen,
  difference(before, after, unit) {
    const [was, is] = [before, after].map(({ units }) => units[unit].function);
    assert.ok(was !== undefined && is !== undefined);
    return compare(decode(was), decode(numberedAs(was, is)), { seeds: [1, 2], steps: 3000 })?.message;
  },
};
