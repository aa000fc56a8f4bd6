import assert from 'node:assert/strict';
import fc from 'fast-check';
import { evaluate } from '../../../../server/src/targets/mali-gp/evaluate.js';
import { checkProgram } from '../../../../server/src/targets/mali-gp/lower/check.js';
import { lower } from '../../../../server/src/targets/mali-gp/lower/index.js';
import { runs } from '../../../support/fuzz.js';
import { compareRuns } from '../../../support/gpir-runs.js';
import { functionOfGpir, readGpir } from '../../../support/gpir-text.js';

/** How a compiler chooses an entry: one number after the other, by halves, or by halves with branches. */
type Form = 'ladder' | 'halves' | 'branches';

interface TableChoice {
  readonly form: Form;
  readonly entries: number;
  readonly columns: number;
  readonly stride: number;
  readonly first: number;
  readonly isWhole: boolean;
  readonly scale: number;
  /** An entry that lies elsewhere, so that there is no table. */
  readonly isBroken: boolean;
}

const choice: fc.Arbitrary<TableChoice> = fc.record({
  form: fc.constantFrom<Form>('ladder', 'halves', 'branches'),
  entries: fc.integer({ min: 2, max: 9 }),
  columns: fc.integer({ min: 1, max: 4 }),
  stride: fc.integer({ min: 1, max: 4 }),
  first: fc.integer({ min: -2, max: 3 }),
  isWhole: fc.boolean(),
  scale: fc.integer({ min: 1, max: 3 }),
  isBroken: fc.boolean(),
});

function program({ form, entries, columns, stride, first, isWhole, scale, isBroken }: TableChoice): string {
  const lines = [isWhole ? '%f = floor a0.x' : '%f = mov a0.x', `%i = mul %f, ${scale}`];
  const vector = (entry: number, column: number): number =>
    isBroken && entry === entries - 1 ? 60 + column : stride * entry + column;
  const name = (entry: number, column: number): string => `u${vector(entry, column)}.y`;
  let fresh = 0;
  const define = (text: string): string => {
    lines.push(`%x${fresh} = ${text}`);
    return `%x${fresh++}`;
  };
  const store = (values: readonly string[]): void =>
    values.forEach((value, column) => lines.push(`st_var v${column}.x, ${define(`mul ${value}, 2`)}`));
  const all = Array.from({ length: columns }, (_, column) => column);
  if (form === 'ladder') {
    let values = all.map((column) => name(0, column));
    for (let entry = 1; entry < entries; entry++) {
      const condition = define(`eq %i, ${first + entry}`);
      values = values.map((value, column) => define(`select ${condition}, ${name(entry, column)}, ${value}`));
    }
    store(values);
  } else if (form === 'halves') {
    const choose = (from: number, to: number): string[] => {
      if (to - from === 1) return all.map((column) => name(from, column));
      const middle = (from + to) >> 1;
      const [low, high] = [choose(from, middle), choose(middle, to)];
      const condition = define(`lt %i, ${first + middle}`);
      return all.map((column) => define(`select ${condition}, ${low[column]}, ${high[column]}`));
    };
    store(choose(0, entries));
  } else {
    let label = 0;
    const choose = (from: number, to: number): void => {
      if (to - from === 1) {
        all.forEach((column) => lines.push(`st_reg @r${column}, ${name(from, column)}`));
        return;
      }
      const middle = (from + to) >> 1;
      const [high, join] = [`high${label}`, `join${label++}`];
      lines.push(`branch_cond ${high}, ${define(`ge %i, ${first + middle}`)}`, `low${high}:`);
      choose(from, middle);
      lines.push(`branch ${join}`, `${high}:`);
      choose(middle, to);
      lines.push(`${join}:`);
    };
    choose(0, entries);
    store(all.map((column) => define(`ld_reg @r${column}`)));
  }
  return lines.join('\n');
}

describe('lowering for the geometry processor: random tables', () => {
  it('choose what the comparisons choose', () => {
    let addressed = 0;
    fc.assert(
      fc.property(choice, (of) => {
        const source = readGpir(program(of));
        const lowered = lower(functionOfGpir(source)).program;
        assert.deepEqual(checkProgram(lowered), []);
        const { difference } = compareRuns(source, (inputs) => evaluate(lowered, inputs), lowered, 30);
        assert.equal(difference, undefined);
        if (lowered.blocks.some(({ stores }) => stores.some(({ to }) => to.kind === 'address'))) addressed++;
      }),
      { numRuns: runs(200) },
    );
    assert.ok(addressed > 0);
  });
});
