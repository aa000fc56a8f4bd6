import assert from 'node:assert/strict';
import { byWorth, improvement, type Improvement } from '../../../server/src/features/rewrites/figures.js';
import { emptyModule, type Compilation, type Stats } from '../../../server/src/targets/target.js';
import { nvidia } from '../../../server/src/targets/nvidia/index.js';
import { ptx } from '../../../server/src/languages/ptx/index.js';
import { rewritesAt } from '../../support/rewrites.js';
import { snapshotOf } from '../../support/snapshot.js';

const f = snapshotOf(
  '.version 8.0\n.target sm_90\n.address_size 64\n.entry k { ret; }\n',
  ptx,
  nvidia,
).units.at(-1)?.function;
assert.ok(f !== undefined);
const plain = nvidia.compile(f, {}, emptyModule);

/** Figures of a compiled program; what is not named is the same in all. */
interface Figures {
  readonly registers?: number;
  readonly asCompiled?: number;
  readonly asWritten?: number;
  readonly cycles?: number;
}

function compilation({
  registers = 20,
  asCompiled = 20,
  asWritten = 20,
  cycles = 100,
}: Figures): Compilation {
  const stats: Stats = {
    ...plain.stats,
    registers: { general: registers },
    pressure: { asCompiled, asWritten },
    cycles,
  };
  return { ...plain, stats };
}

const worth = (after: Figures): Improvement | undefined => improvement(compilation({}), compilation(after));

describe('figures of rewrites', () => {
  it('tell what gets better, and cycles where they get worse', () => {
    assert.equal(worth({ asWritten: 18 })?.told, 'peak as written 20 → 18');
    assert.equal(worth({ registers: 19, cycles: 120 })?.told, 'registers 20 → 19, cycles 100 → 120');
    assert.equal(worth({ cycles: 90 }), undefined);
  });

  it('take nothing that costs another figure', () => {
    assert.equal(worth({ registers: 18, asWritten: 21 }), undefined);
    assert.equal(worth({ asWritten: 18, asCompiled: 21 }), undefined);
  });

  it('come in the order of what the machine counts in, what only the text is better by last', () => {
    const cases: Figures[] = [
      { asWritten: 2 },
      { asCompiled: 19 },
      { registers: 19 },
      { asWritten: 1 },
      { registers: 17 },
    ];
    const sorted = cases
      .map((after) => ({ after, worth: worth(after) }))
      .sort((a, b) => (a.worth && b.worth ? byWorth(a.worth, b.worth) : 0));
    assert.deepEqual(
      sorted.map(({ after }) => after),
      [cases[4], cases[2], cases[1], cases[3], cases[0]],
    );
    assert.deepEqual(
      sorted.map((one) => one.worth?.isCompiled),
      [true, true, true, false, false],
    );
  });

  it('make an action the preferred one when the compiled program is better for it, and one at most', () => {
    const loads = Array.from({ length: 8 }, (_, k) => `    ld.global.u32 %r${k + 4}, [%d1+${4 * k}];`);
    const sums = Array.from({ length: 7 }, (_, k) => `    add.u32 %r4, %r4, %r${k + 5};`);
    const { actions } = rewritesAt(`.version 8.0
.target sm_90
.address_size 64
.visible .entry $0k(.param .u64 p)
{
    .reg .b32 %r<20>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    ld.global.u32 %r1, [%d1+64];
${[...loads, ...sums].join('\n')}
    mul.lo.u32 %r2, %r1, %r4;
    st.global.u32 [%d1], %r2;
    ret;
}
`);
    const isOfText = (title: string): boolean => /: peak as written [^,]*(, cycles|$)/.test(title);
    assert.ok(actions.length > 1);
    assert.ok(actions.every(({ kind }) => kind === 'refactor.rewrite.pressure'));
    actions.forEach(({ title, isPreferred }, k) => {
      assert.equal(isPreferred, k === 0 && !isOfText(title), title);
      if (k > 0 && isOfText(actions[k - 1].title)) assert.ok(isOfText(title), title);
    });
  });
});
