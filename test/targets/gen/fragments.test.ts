import { strict as assert } from 'node:assert';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import { gen } from '../../../server/src/targets/gen/index.js';
import { rewrite } from '../../../server/src/targets/gen/program.js';
import { compare } from '../../../server/src/targets/gen/simulate/compare.js';
import { g } from '../../support/gen-machine.js';
import { alone } from '../../languages/gen-ir/support.js';

const strategies = ['best', 'i965', 'beignet'] as const;

const vec4 = '.gen 1\n.target ivb\n.mode simd4x2\n.payload g0-g1\n';
const simd8 = '.gen 1\n.target ivb\n.mode simd8\n.payload g0-g3\n';
const simd16 = '.gen 1\n.target ivb\n.mode simd16\n.payload g0-g3\n';

/** More values at once than fit, each made from the one before, then added up from the last. */
function crowded(width: 8 | 16, count: number, read: (register: string) => string): string {
  const step = width / 8;
  const name = (k: number): string => `vgrf${k}`;
  const values = Array.from({ length: count }, (_, k) => name(k));
  return [
    `.grf_limit ${4 + step * 8}`,
    `.live_out ${name(0)} ${name(count - 1)}`,
    `mov(${width}) ${name(0)}:D, ${read('g2')}:D`,
    ...values.slice(1).map((value, k) => `mul(${width}) ${value}:D, ${read(name(k))}:D, ${read('g2')}:D`),
    ...values.reverse().map((value) => `add(${width}) ${name(0)}:D, ${read(name(0))}:D, ${read(value)}:D`),
  ].join('\n');
}

const fragments: Readonly<Record<string, string>> = {
  'one register, vec4': `${vec4}.live_out vgrf1\nmov(8) vgrf1:F, g1.0.xyzw:F\n`,
  'one register, SIMD8': `${simd8}.live_out vgrf1\nmov(8) vgrf1:F, g1:F\n`,
  'one register of two GRFs, SIMD16': `${simd16}.live_out vgrf1\nmov(16) vgrf1:F, g2:F\n`,
  'two registers, vec4': `${vec4}.live_out vgrf1 vgrf2\nmov(8) vgrf1:F, g1.0.xyzw:F\nmul(8) vgrf2:F, vgrf1.wzyx:F, vgrf1.xyzw:F\n`,
  'behind a branch, SIMD8': `${simd8}.live_out vgrf1\nmov(8) vgrf1:F, g1:F\ncmp(8).l.f0.0 null:F, g2:F, 0F\n(+f0.0) if(8) (null):UD\nadd(8) vgrf1:F, vgrf1:F, g3:F\nendif(8) (null):UD\n`,
  'spilled, vec4': `${vec4.replace('g1', 'g3')}${crowded(8, 12, (r) => `${r}${r.startsWith('g') ? '.0' : ''}.xyzw`)}\n`,
  'spilled, SIMD8': `${simd8}${crowded(8, 14, (r) => r)}\n`,
  'spilled, SIMD16': `${simd16}${crowded(16, 14, (r) => r)}\n`,
};

describe('gen: fragments hand over what .live_out names', () => {
  for (const [name, text] of Object.entries(fragments))
    for (const strategy of strategies)
      it(`${name}, ${strategy}`, () => {
        const source = genIr.lower(genIr.bind(genIr.parse(text), alone));
        assert.ok(source !== undefined, 'no program');
        const compilation = gen.compile(source, { strategy });
        const { program, code, spilled } = compilation;
        assert.ok(code !== undefined, 'not allocated');
        if (name.startsWith('spilled')) assert.ok(spilled.length > 0, 'nothing was spilled');
        assert.deepEqual(gen.verify?.(compilation), []);
        // what is handed over counts: another place is another result
        const moved = rewrite(code, (instruction) => [
          instruction.opcode.name === 'live_out' ? { ...instruction, sources: [g(100)] } : instruction,
        ]);
        const difference = compare(program, moved, { seeds: [1], steps: 1000 });
        assert.match(difference?.message ?? '', /^with inputs 1: byte \d+ of result 0 is/);
      });
});
