import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OperandFlag, type Function } from '../../server/src/ir/function.js';
import { controlFlow } from '../../server/src/passes/cfg.js';
import { liveRangesOf } from '../../server/src/passes/live-ranges.js';
import { livenessOf } from '../../server/src/passes/liveness.js';
import { pressureOf } from '../../server/src/passes/pressure.js';
import { corpusOrSkip, filesOf } from '../support/corpus.js';
import { isLongSearch } from '../support/fuzz.js';
import { unitsOf } from '../support/ptx-run.js';

/**
 * The second reference: plain iteration over dense bit sets, a bigint a point, both conditions of the definition
 * solved to their fixed points over all blocks, then one walk through each block. No worklists, no runs, no
 * sharing with the passes.
 */
function referencePressure(f: Function): { readonly after: number[][]; readonly during: number[][] } {
  const uses: bigint[] = [];
  const definitions: bigint[] = [];
  const kills: bigint[] = [];
  for (let i = 0; i < f.instructionCount; i++) {
    let [u, d, k] = [0n, 0n, 0n];
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      if (f.operandPlace[o] < 0) continue;
      const bit = 1n << BigInt(f.operandPlace[o]);
      const flags = f.operandFlags[o];
      if ((flags & OperandFlag.Use) !== 0) u |= bit;
      if ((flags & OperandFlag.Definition) === 0) continue;
      d |= bit;
      const isWhole = f.operandWidth[o] >= f.registerWidth[f.operandPlace[o]];
      if ((flags & (OperandFlag.Partial | OperandFlag.Predicated)) === 0 && isWhole) k |= bit;
    }
    uses.push(u);
    definitions.push(d);
    kills.push(k);
  }
  const successors = (b: number): number[] => [
    ...f.successors.subarray(f.successorStart[b], f.successorStart[b + 1]),
  ];
  const wantedIn = new Array<bigint>(f.blockCount).fill(0n);
  const assignedOut = new Array<bigint>(f.blockCount).fill(0n);
  const assignedIn = new Array<bigint>(f.blockCount).fill(0n);
  for (let changed = true; changed;) {
    changed = false;
    for (let b = f.blockCount - 1; b >= 0; b--) {
      let set = successors(b).reduce((s, to) => s | wantedIn[to], 0n);
      for (let i = f.blockStart[b + 1] - 1; i >= f.blockStart[b]; i--) set = (set & ~kills[i]) | uses[i];
      changed ||= set !== wantedIn[b];
      wantedIn[b] = set;
    }
  }
  for (let changed = true; changed;) {
    changed = false;
    for (let b = 0; b < f.blockCount; b++) {
      let set = assignedIn[b];
      for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) set |= definitions[i];
      assignedOut[b] = set;
      for (const to of successors(b)) {
        changed ||= (assignedIn[to] | set) !== assignedIn[to];
        assignedIn[to] |= set;
      }
    }
  }
  const units = (set: bigint, c: number): number => {
    let sum = 0;
    const digits = set.toString(2);
    for (let k = 0; k < digits.length; k++) {
      const r = digits.length - 1 - k;
      if (digits.charCodeAt(k) === 49 && f.registerClass[r] === c) sum += f.registerWidth[r];
    }
    return sum;
  };
  const after: number[][] = f.classes.map(() => []);
  const during: number[][] = f.classes.map(() => []);
  for (let b = 0; b < f.blockCount; b++) {
    const wanted: bigint[] = [];
    let set = successors(b).reduce((s, to) => s | wantedIn[to], 0n);
    for (let i = f.blockStart[b + 1] - 1; i >= f.blockStart[b]; i--) {
      wanted[i] = set;
      set = (set & ~kills[i]) | uses[i];
    }
    let assigned = assignedIn[b];
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      const reading = ((wanted[i] & ~kills[i]) | uses[i]) & assigned;
      assigned |= definitions[i];
      const left = wanted[i] & assigned;
      for (let c = 0; c < f.classes.length; c++) {
        after[c][i] = units(left, c);
        during[c][i] = Math.max(units(reading, c), units(left | definitions[i], c));
      }
    }
  }
  return { after, during };
}

describe('liveness on reference kernels', () => {
  it('equals plain bit sets on every kernel', function () {
    this.timeout(120_000);
    const folder = corpusOrSkip(this, 'ptx');
    let functions = 0;
    // the largest take their time: in a long search all
    const largest = isLongSearch ? Infinity : 500;
    const seen = new Set<string>();
    for (const path of ['generated', 'dev'].flatMap((name) => filesOf(join(folder, name), '.ptx', '.s'))) {
      // the same kernel at several architectures is one case
      const family = basename(path).replace(/\.\d+\w*\.ptx$/, '');
      if (seen.has(family)) continue;
      seen.add(family);
      const text = readFileSync(path, 'latin1');
      if (text.length > 100 * largest) continue;
      for (const { function: f } of unitsOf(text)) {
        if (f === undefined || f.instructionCount > largest) continue;
        functions++;
        const liveness = livenessOf(f, controlFlow(f));
        const found = pressureOf(f, liveness, liveRangesOf(f, liveness));
        const expected = referencePressure(f);
        for (let c = 0; c < f.classes.length; c++) {
          assert.deepEqual([...found.after[c]], expected.after[c], `${basename(path)} ${f.name} after`);
          assert.deepEqual([...found.during[c]], expected.during[c], `${basename(path)} ${f.name} during`);
        }
      }
    }
    assert.ok(functions > 100, `${functions} functions`);
  });
});
