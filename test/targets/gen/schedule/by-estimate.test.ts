import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { estimate } from '../../../../server/src/targets/gen/estimate/estimate.js';
import type { Instruction, Operand, Program } from '../../../../server/src/targets/gen/program.js';
import { schedule } from '../../../../server/src/targets/gen/schedule/schedule.js';
import { setDependencyControl } from '../../../../server/src/targets/gen/vec4/dependency-control.js';
import { runs } from '../../../support/fuzz.js';
import { instruction, programOf } from '../../../support/gen-program.js';

const allocated = (code: readonly Instruction[]): Program =>
  programOf(code, { phase: 'allocated', firstFree: 6 });

const cyclesOf = (program: Program): number => estimate(setDependencyControl(program)).cycles;

/**
 * What every channel of every register, the flag, each slot of scratch and each message hold after a run, as terms
 * over what they held before: written from the instructions alone, channel by channel.
 */
function outcome(program: Program): Map<string, string> {
  const state = new Map<string, string>();
  const get = (place: string): string => state.get(place) ?? place;
  const name = (operand: Operand): string =>
    operand.file === 'grf' ? `g${operand.grf}` : operand.file === 'message' ? `g${112 + operand.number}` : '';
  const messages: string[] = [];
  for (const each of program.instructions) {
    const { opcode, message, destinations, sources, condition, predicate } = each;
    const payload = Array.from({ length: message.mlen }, (_, k) =>
      [0, 1, 2, 3].map((c) => get(`g${112 + message.baseMrf + k}.${c}`)).join(','),
    ).join(';');
    const value = (k: number, channel: number): string => {
      const source = sources[k];
      if (source.file === 'immediate') return String(source.low);
      if (name(source) === '') return `${source.file}${'number' in source ? source.number : ''}`;
      return get(`${name(source)}.${(source.swizzle >> (2 * channel)) & 3}`);
    };
    const guard = predicate === undefined ? '' : get('f');
    const all = [0, 1, 2, 3];
    if (opcode.scratch !== undefined)
      for (let m = 0; m < message.mlen; m++)
        for (const c of all) state.set(`g${112 + message.baseMrf + m}.${c}`, 'clobbered');
    if (opcode.name === 'gfx4_scratch_write') {
      const mask = destinations[0].file === 'immediate' ? 0 : (destinations[0] as { mask: number }).mask;
      for (const c of all)
        if ((mask >> c) & 1) state.set(`s${message.scratchOffset}.${c}`, `${guard}${value(0, c)}`);
      continue;
    }
    if (opcode.name === 'gfx4_scratch_read') {
      const found = all.map((c) => get(`s${message.scratchOffset}.${c}`));
      for (const c of all) state.set(`${name(destinations[0])}.${c}`, found[c]);
      continue;
    }
    if (opcode.name === 'vs_urb_write') {
      messages.push(payload);
      continue;
    }
    const results = all.map(
      (c) =>
        `${opcode.name}(${sources.map((_, k) => (opcode.name === 'dp4' ? all.map((d) => value(k, d)).join('+') : value(k, c))).join(' ')})`,
    );
    const destination = destinations[0];
    if (destination.file !== 'immediate' && name(destination) !== '')
      for (const c of all) {
        if (!((destination.mask >> c) & 1)) continue;
        const place = `${name(destination)}.${c}`;
        state.set(place, guard === '' ? results[c] : `${guard}?${results[c]}:${get(place)}`);
      }
    if (condition !== undefined) state.set('f', `cmp(${results.join(' ')})`);
  }
  state.set('messages', messages.join('\n'));
  return state;
}

const grf = fc.integer({ min: 6, max: 11 }).map((n) => `g${n}`);
const mask = fc.constantFrom('x', 'y', 'xy', 'zw', 'w', 'xyzw');
const source = fc.tuple(grf, fc.constantFrom('xyzw', 'xxxx', 'yzwx')).map(([r, s]) => `${r}.${s}`);
const destination = fc.tuple(fc.oneof(grf, fc.constantFrom('m13', 'm14')), mask).map(([r, m]) => `${r}.${m}`);
const slot = fc.integer({ min: 0, max: 2 });

const code: fc.Arbitrary<Instruction[]> = fc.array(
  fc.oneof(
    fc.tuple(destination, source, source).map(([d, a, b]) => instruction('add', d, [a, b])),
    fc.tuple(destination, source, source).map(([d, a, b]) => instruction('dp4', d, [a, b])),
    fc.tuple(destination, source).map(([d, a]) => instruction('rcp', d, [a])),
    fc.tuple(destination, source).map(([d, a]) => instruction('mov', d, [a], { predicate: 'normal' })),
    fc.tuple(source, source).map(([a, b]) => instruction('cmp', 'null', [a, b], { condition: 'l' })),
    fc.tuple(grf, slot).map(([d, n]) =>
      instruction('gfx4_scratch_read', d, [2 * n], {
        message: { mlen: 2, baseMrf: 14, scratchOffset: 32 * n },
      }),
    ),
    fc.tuple(source, mask, slot).map(([a, m, n]) =>
      instruction('gfx4_scratch_write', `g0.${m}`, [a, 2 * n], {
        message: { mlen: 3, baseMrf: 13, scratchOffset: 32 * n },
      }),
    ),
    fc.constant(instruction('vs_urb_write', '', [], { message: { mlen: 2, baseMrf: 13 } })),
  ),
  { maxLength: 30 },
);

describe('gen scheduler by the estimate', () => {
  it('leaves every value as it was, and is never slower than the order given', () => {
    fc.assert(
      fc.property(code, (instructions) => {
        const program = allocated(instructions);
        const found = schedule(program);
        assert.equal(found.instructions.length, program.instructions.length);
        const expected = outcome(program);
        for (const [place, term] of outcome(found)) assert.equal(term, expected.get(place), place);
        assert.ok(cyclesOf(found) <= cyclesOf(program));
      }),
      { numRuns: runs(300) },
    );
  });

  it('leaves every value as it was in the order of i965 too', () => {
    fc.assert(
      fc.property(code, (instructions) => {
        const program = allocated(instructions);
        assert.deepEqual(outcome(schedule(program, { as: 'i965' })), outcome(program));
      }),
      { numRuns: runs(300) },
    );
  });

  it('fills the wait for a long message with what does not need it', () => {
    const read = instruction('untyped_surface_read', 'g10', ['g20', 3, 4], { message: { mlen: 1 } });
    const independent = Array.from({ length: 8 }, (_, i) => instruction('add', `g${30 + i}`, ['g20', 'g21']));
    const found = schedule(
      allocated([
        instruction('mul', 'g22', ['g20', 'g21']),
        ...independent,
        read,
        instruction('mul', 'g11', ['g10', 'g20']),
      ]),
    );
    assert.equal(found.instructions[0].opcode.name, 'untyped_surface_read');
  });

  it('keeps writers of the channels of one register behind each other where they save a wait as a run', () => {
    const chain = [...'xyzw'].map((channel, i) => instruction('dp4', `g10.${channel}`, [`g${20 + i}`, 'g5']));
    assert.equal(cyclesOf(schedule(allocated(chain))), 8);
  });

  it('lets reloads pass stores to other slots, never to their own', () => {
    const store = (n: number) =>
      instruction('gfx4_scratch_write', 'g0', ['g20', 2 * n], {
        message: { mlen: 3, baseMrf: 13, scratchOffset: 32 * n },
      });
    const reload = (n: number) =>
      instruction('gfx4_scratch_read', 'g30', [2 * n], {
        message: { mlen: 2, baseMrf: 14, scratchOffset: 32 * n },
      });
    const use = [0, 1, 2].map((i) => instruction('rcp', i === 0 ? 'g31' : `g${31 + i}`, [`g${30 + i}`]));
    const names = (program: Program) => program.instructions.map(({ opcode }) => opcode.name);
    const passed = names(schedule(allocated([store(1), reload(2), ...use])));
    assert.ok(passed.indexOf('gfx4_scratch_read') < passed.indexOf('gfx4_scratch_write'));
    const kept = names(schedule(allocated([store(1), reload(1), ...use])));
    assert.ok(kept.indexOf('gfx4_scratch_read') > kept.indexOf('gfx4_scratch_write'));
  });

  it('leaves programs of virtual registers alone', () => {
    const program = programOf([instruction('mov', 'v0', [1]), instruction('mov', 'v1', ['v0'])], {
      registers: [32, 32],
    });
    assert.deepEqual(schedule(program).instructions, program.instructions);
  });
});
