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

/** A table of 9 entries from `u{first}` on, in four columns: `%{name}0` to `%{name}3`. */
function ladder(name: string, index: string, first: number): string {
  const lines = [`%${name}i = floor ${index}`];
  for (let entry = 1; entry < 9; entry++) lines.push(`%${name}c${entry} = eq %${name}i, ${entry}`);
  [...'xyzw'].forEach((component, column) => {
    let value = `u${first}.${component}`;
    for (let entry = 1; entry < 9; entry++) {
      const result = entry === 8 ? `%${name}${column}` : `%${name}s${column}_${entry}`;
      lines.push(`${result} = select %${name}c${entry}, u${first + entry}.${component}, ${value}`);
      value = result;
    }
  });
  return lines.join('\n');
}

const store = (varying: number, ...values: readonly string[]): string =>
  values.map((value, column) => `st_var v${varying}.${'xyzw'[column]}, ${value}`).join('\n');

/** Lowered, held against the source, and how many times address registers are set. */
function addressesOf(text: string): number {
  const source = readGpir(text);
  const { program: lowered } = lower(functionOfGpir(source));
  assert.deepEqual(checkProgram(lowered), []);
  const { compared, difference } = compareRuns(source, (inputs) => evaluate(lowered, inputs), lowered, 60);
  assert.equal(difference, undefined);
  assert.ok(compared > 0);
  let count = 0;
  for (const { nodes, stores } of lowered.blocks) {
    const set = stores.flatMap(({ to }) => (to.kind === 'address' ? [to.vector] : []));
    const values = [...nodes.flatMap((id) => lowered.nodes[id].inputs), ...stores.map(({ value }) => value)];
    // the words of a block have no order yet
    for (const value of values)
      if (value.kind === 'uniform' && value.address !== undefined) assert.ok(!set.includes(value.address));
    count += set.length;
  }
  return count;
}

describe('lowering for the geometry processor: tables whose index comes from tables', () => {
  const [first, second] = [ladder('a', 'a0.x', 10), ladder('b', '%a0', 20)];

  it('reads one after the other, each by address', () => {
    const chained = [first, second, store(0, '%b0', '%b1', '%b2', '%b3')];
    assert.equal(addressesOf(chained.join('\n')), 2);
    const third = [first, second, ladder('c', '%b1', 30), store(0, '%c0', '%c1', '%c2', '%c3')];
    assert.equal(addressesOf(third.join('\n')), 3);
  });

  it('waits for both tables that an index comes from', () => {
    const both = [
      first,
      ladder('b', 'a0.y', 20),
      '%sum = add %a0, %b1',
      ladder('c', '%sum', 30),
      store(0, '%c0', '%c1', '%c2', '%c3'),
      store(1, '%a2', '%b2'),
    ];
    assert.equal(addressesOf(both.join('\n')), 3);
  });

  it('keeps what it has read where all address registers are set anew', () => {
    const five = [
      '.live_out @kept',
      first,
      second,
      ladder('c', '%b1', 30),
      ladder('d', '%c1', 40),
      ladder('e', '%d1', 50),
      '%sum = add %a2, %e2',
      '%other = add %d2, %b2',
      'st_reg @kept, %a3',
      store(0, '%sum', '%other', '%c2', '%e3'),
    ];
    assert.equal(addressesOf(five.join('\n')), 5);
  });

  it('computes what the selections choose, whatever depends on what', () => {
    const link = fc.record({ from: fc.nat(), plus: fc.nat(), columns: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(fc.array(link, { minLength: 2, maxLength: 7 }), (links) => {
        const lines = ['.live_out @kept'];
        links.forEach(({ from, plus, columns }, t) => {
          const result = (n: number): string =>
            n % (t + 1) === t ? `a0.${'xyzw'[n % 4]}` : `%t${n % (t + 1)}_0`;
          lines.push(`%n${t} = add ${result(from)}, ${result(plus)}`);
          lines.push(ladder(`t${t}_`, `%n${t}`, 10 * t));
          const values = [0, 1, 2, 3].slice(0, columns).map((column) => `%t${t}_${column}`);
          lines.push(store(t, ...values), `%m${t} = add ${result(plus)}, ${values[columns - 1]}`);
          lines.push(`st_var v${t + 8}.x, %m${t}`);
        });
        addressesOf([...lines, 'st_reg @kept, %t0_0'].join('\n'));
      }),
      { numRuns: runs(15) },
    );
  });
});

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
