import assert from 'node:assert/strict';
import { evaluate } from '../../../../server/src/targets/mali-gp/evaluate.js';
import { Op } from '../../../../server/src/targets/mali-gp/operations.js';
import { checkProgram } from '../../../../server/src/targets/mali-gp/lower/check.js';
import { lower, type LowerOptions } from '../../../../server/src/targets/mali-gp/lower/index.js';
import { programText } from '../../../../server/src/targets/mali-gp/lower/program-text.js';
import type { Program } from '../../../../server/src/targets/mali-gp/graph.js';
import { compareRuns } from '../../../support/gpir-runs.js';
import { functionOfGpir, readGpir } from '../../../support/gpir-text.js';

/** Lowered, and held against the source on random inputs. */
function lowered(text: string, options?: LowerOptions): Program {
  const source = readGpir(text);
  const { program } = lower(functionOfGpir(source), options);
  assert.deepEqual(checkProgram(program), []);
  const { compared, difference } = compareRuns(source, (inputs) => evaluate(program, inputs), program, 40);
  assert.equal(difference, undefined);
  assert.ok(compared > 0);
  return program;
}

const registersStored = (program: Program): number =>
  program.blocks.flatMap(({ stores }) => stores.filter(({ to }) => to.kind === 'register')).length;

const addressesSet = (program: Program): number =>
  program.blocks.flatMap(({ stores }) => stores.filter(({ to }) => to.kind === 'address')).length;

const count = (program: Program, op: Op): number =>
  program.blocks.flatMap(({ nodes }) => nodes.filter((id) => program.nodes[id].op === op)).length;

/** A loop whose trip count is unknown, so that its blocks stay apart. */
const loop = (before: string, inside: string, after: string): string => `
  ${before}
  st_reg @i, 0
head:
  %i = ld_reg @i
  %done = ge %i, 3
  branch_cond exit, %done
body:
  ${inside}
  %next = add %i, 1
  st_reg @i, %next
  branch head
exit:
  ${after}`;

describe('lowering for the geometry processor: blocks and what crosses them', () => {
  it('loads constants, uniforms and attributes where they are read, not through registers', () => {
    const program = lowered(
      loop(
        'st_reg @k, 2.5\n st_reg @u, u1.x\n %a = ld_att a0.x\n st_reg @s, 0',
        '%k = ld_reg @k\n %u = ld_reg @u\n %s = ld_reg @s\n %x = mul %k, %u\n %y = add %x, %s\n %z = add %y, %a\n st_reg @s, %z',
        '%r = ld_reg @s\n st_var v0.x, %r',
      ),
    );
    // of @i and @s, the first value and the one of each round
    assert.equal(registersStored(program), 4);
  });

  it('carries a value to other blocks in a register that is stored once', () => {
    const program = lowered(
      loop(
        '%a = mul a0.x, a0.y\n st_reg @s, 0',
        '%s = ld_reg @s\n %t = add %s, %a\n st_reg @s, %t',
        '%r = ld_reg @s\n %q = mul %r, %a\n st_var v0.x, %q',
      ),
    );
    const ofValue = program.registers.filter(({ name }) => name === '%a');
    assert.equal(ofValue.length, 1);
    assert.equal(registersStored(program), 5);
  });

  it('reads a copy where the original is', () => {
    const program = lowered(
      loop(
        '%a = mul a0.x, a0.y\n st_reg @a, %a\n st_reg @b, %a\n st_reg @s, 0',
        '%b = ld_reg @b\n %s = ld_reg @s\n %t = add %s, %b\n st_reg @s, %t',
        '%x = ld_reg @a\n %r = ld_reg @s\n %q = mul %r, %x\n st_var v0.x, %q',
      ),
    );
    assert.equal(registersStored(program), 5);
  });

  it('does not take a register for a copy of one that has changed since', () => {
    lowered(
      loop(
        'st_reg @a, a0.x\n st_reg @b, 0',
        '%a = ld_reg @a\n %n = add %a, 1\n st_reg @b, %a\n st_reg @a, %n',
        '%x = ld_reg @a\n %y = ld_reg @b\n st_var v0.x, %x\n st_var v0.y, %y',
      ),
    );
  });

  it('drops a register that only counts itself', () => {
    const program = lowered(
      loop('st_reg @c, 0', '%c = ld_reg @c\n %d = add %c, 2\n st_reg @c, %d', 'st_var v0.x, 1'),
    );
    assert.ok(!programText(program).includes('@c'));
  });

  it('turns a condition round to pass over a jump', () => {
    const program = lowered(`
      st_reg @s, a0.x
      st_reg @i, 0
    head:
      %i = ld_reg @i
      %c = lt %i, 4
      branch_cond body, %c
    leave:
      branch exit
    body:
      %s = ld_reg @s
      %t = mul %s, %s
      %n = add %i, 1
      st_reg @s, %t
      st_reg @i, %n
      branch head
    exit:
      %r = ld_reg @s
      st_var v0.x, %r`);
    assert.equal(program.blocks.length, 4);
    assert.equal(
      program.blocks.filter(({ branch }) => branch?.condition === undefined && branch !== undefined).length,
      1,
    );
    assert.equal(count(program, Op.Lt), 0);
  });

  it('keeps a loop that never ends', () => {
    const { program } = lower(functionOfGpir('  st_var v0.x, 1\nring:\n  branch ring\n'));
    assert.deepEqual(checkProgram(program), []);
    assert.equal(evaluate(program, { attribute: () => 0, uniform: () => 0 }, 50).hasEnded, false);
  });

  it('executes both arms of a small branch and selects', () => {
    const program = lowered(`
      %c = lt a0.x, u0.x
      branch_cond else, %c
    then:
      %x = mul a0.x, u1.x
      st_reg @r, %x
      branch join
    else:
      %y = add a0.y, u1.y
      st_reg @r, %y
    join:
      %r = ld_reg @r
      st_var v0.x, %r`);
    assert.equal(program.blocks.length, 1);
    assert.equal(count(program, Op.Select), 1);
  });

  it('does not read a register for the first time, only to keep it', () => {
    const branch = (before: string): string => `
      .live_out @r
      ${before}
      %c = lt a0.x, u0.x
      branch_cond join, %c
    then:
      %y = add a0.y, u1.y
      st_reg @r, %y
    join:
      st_var v0.x, a0.x`;
    const reads = (program: Program): number =>
      program.nodes.filter(({ inputs }) => inputs.some(({ kind }) => kind === 'register')).length;
    assert.equal(reads(lowered(branch(''))), 0);
    // the source reads it itself, or has written it
    assert.equal(lowered(branch('%o = ld_reg @r\n st_var v0.y, %o')).blocks.length, 1);
    assert.equal(lowered(branch('st_reg @r, a0.z')).blocks.length, 1);
  });

  it('leaves a branch whose arms keep the multipliers busy', () => {
    // 64 products in each arm, of which a word holds two: together 64 words, one after the other 32
    const products = (name: string): string => {
      let level = Array.from({ length: 64 }, (_, k) => `u${k}.x`);
      let text = '';
      for (let depth = 0; level.length > 1; depth++) {
        const next: string[] = [];
        for (let k = 0; k < level.length; k += 2) {
          next.push(`%${name}${depth}_${k}`);
          text += `      ${next.at(-1)!} = mul ${level[k]}, ${level[k + 1]}\n`;
        }
        level = next;
      }
      return `${text}      st_reg @r, ${level[0]}`;
    };
    const program = lowered(`
      %c = lt a0.x, u0.x
      branch_cond else, %c
    then:
${products('x')}
      branch join
    else:
${products('y').replaceAll(/u(\d+)/g, (_, vector) => `u${Number(vector) + 64}`)}
    join:
      %r = ld_reg @r
      st_var v0.x, %r`);
    assert.equal(program.blocks.length, 4);
  });

  it('does not store a varying on a path that does not', () => {
    const text = `
      %c = lt a0.x, u0.x
      branch_cond join, %c
    then:
      st_var v0.y, a0.y
    join:
      st_var v0.x, a0.x`;
    lowered(text);
  });

  it('stores the last of several values of a varying', () => {
    const program = lowered('  st_var v0.x, a0.x\n  st_var v0.x, a0.y\n');
    assert.equal(programText(program), '0:\n  v0.x := a0.y\n');
  });

  it('tells what became of every value', () => {
    const f = functionOfGpir(`
      %a = ld_att a0.x
      %n = neg %a
      %m = mul %n, u0.x
      %d = mul %a, %a
      st_var v0.x, %m`);
    const { program } = lower(f);
    const fate = (name: string): string => program.fates[f.registerNames.indexOf(name)].kind;
    assert.equal(fate('%a'), 'leaf');
    assert.equal(fate('%n'), 'folded');
    assert.equal(fate('%m'), 'node');
    assert.equal(fate('%d'), 'dead');
    assert.equal(program.nodes[program.blocks[0].nodes[0]].instruction, 2);
    // what was loaded from a register that a constant has replaced is in no register any more
    const g = functionOfGpir(
      '%k = const 3\nst_reg @k, %k\n%l = ld_reg @k\n%m = mul %l, a0.x\nst_var v0.x, %m',
    );
    const loaded = lower(g).program.fates[g.registerNames.indexOf('%l')];
    assert.deepEqual(loaded, { kind: 'leaf', leaf: { kind: 'constant', value: 3 } });
  });
});

describe('lowering for the geometry processor: tables of uniforms', () => {
  const index = `
      %f = floor a0.x
      %i = max %f, %f`;
  const entries = (columns: number): string =>
    Array.from({ length: columns }, (_, column) =>
      ['x', 'y', 'z']
        .map(
          (c) => `
      %p${column}${c} = select %c1, u${columns + column}.${c}, u${column}.${c}
      %q${column}${c} = select %c2, u${2 * columns + column}.${c}, %p${column}${c}
      %r${column}${c} = select %c3, u${3 * columns + column}.${c}, %q${column}${c}
      st_var v${column}.${c}, %r${column}${c}`,
        )
        .join(''),
    ).join('');
  const ladder = (columns: number): string => `${index}
      %c1 = eq %i, 1
      %c2 = eq %i, 2
      %c3 = eq %i, 3${entries(columns)}`;

  it('reads a ladder of comparisons by address, whatever the index', () => {
    const program = lowered(ladder(4));
    assert.equal(program.blocks.length, 2);
    assert.equal(addressesSet(program), 1);
    // the only selection left is that of the entry 0 for an index beyond the table
    assert.equal(count(program, Op.Select), 1);
  });

  it('leaves it where address registers must not be used', () => {
    assert.equal(addressesSet(lowered(ladder(4), { addresses: false })), 0);
  });

  it('leaves it where the selections are fewer than the words of an address', () => {
    const program = lowered(ladder(1).replaceAll(/.*[yz]\b.*\n?/g, ''));
    assert.equal(addressesSet(program), 0);
  });

  it('sends an index that is not whole where the comparisons send it', () => {
    // equal to none of the numbers: entry 0
    const program = lowered(ladder(4).replace('floor', 'mov'));
    assert.equal(addressesSet(program), 1);
    assert.equal(count(program, Op.Floor), 1);
    assert.equal(count(program, Op.Select), 2);
    // at least 1, 2, 3: the entry of the whole number below
    const halves = lowered(ladder(4).replace('floor', 'mov').replaceAll('= eq %i', '= ge %i'));
    assert.equal(addressesSet(halves), 1);
    assert.equal(count(halves, Op.Select), 0);
  });

  it('leaves it where numbers between two whole ones are told apart', () => {
    const text = ladder(4).replace('floor', 'mov').replaceAll('= eq %i', '= ge %i');
    assert.equal(addressesSet(lowered(text.replace('%i, 2', '%i, 2.5'))), 0);
  });

  it('leaves uniforms that do not lie at equal distances', () => {
    const program = lowered(ladder(4).replaceAll(/u(8|9|10|11)\./g, 'u30.'));
    assert.equal(addressesSet(program), 0);
  });
});
