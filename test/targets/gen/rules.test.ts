import { equal, match, ok } from 'node:assert/strict';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import { decode } from '../../../server/src/targets/gen/decode.js';
import { checkRules } from '../../../server/src/targets/gen/rules/index.js';
import type { Problem } from '../../../server/src/text/problem.js';
import { corpusOrSkip } from '../../support/corpus.js';
import { annotated, genDumps } from '../../support/gen-corpus.js';

const environment = {
  earlier: () => [],
  later: () => [],
  names: () => [],
  setting: () => undefined,
  isFirst: true,
};

function problemsOf(text: string): readonly Problem[] {
  const f = genIr.lower(genIr.bind(genIr.parse(text), environment));
  if (f === undefined) throw new Error(`no function in\n${text}`);
  return checkRules(decode(f), f, (operand) =>
    operand.operand < 0
      ? '?'
      : text.slice(f.operandSpanStart[operand.operand], f.operandSpanEnd[operand.operand]),
  );
}

const header = (phase = 'virtual', target = 'hsw'): string =>
  `.gen 1\n.target ${target}\n.stage vs\n.mode simd4x2\n.phase ${phase}\n.payload g0-g4\n`;

const apply = (text: string, problem: Problem): string =>
  [...(problem.fixes?.[0].edits ?? [])]
    .sort((a, b) => b.span.start - a.span.start)
    .reduce((t, { span, newText }) => t.slice(0, span.start) + newText + t.slice(span.end), text);

interface Case {
  readonly name: string;
  readonly code: string;
  readonly lines: string;
  /** The text that the finding points at. */
  readonly at?: string;
  readonly says?: RegExp;
  /** The lines after the quick fix; absent: there is none. */
  readonly fixed?: string;
  readonly phase?: string;
  readonly target?: string;
}

const clr = 'add(8) vgrf1.x:F, g1.0.xyzw:F, g2.0.xyzw:F';

const cases: readonly Case[] = [
  // F34: what an operation that expands must not carry
  {
    name: 'F34 NoDDClr on a merge, which becomes two moves',
    code: 'hw/dependency-control',
    lines: 'simd4x2_merge(8) vgrf1:F, g1.0.xyzw:F, g2.0.xyzw:F {NoDDClr}',
    says: /several hardware instructions/,
    fixed: 'simd4x2_merge(8) vgrf1:F, g1.0.xyzw:F, g2.0.xyzw:F',
  },
  {
    name: 'NoDDChk under a predicate, which may leave no channel',
    code: 'hw/dependency-control',
    lines: `cmp(8).ge.f0.0 null:F, g1.0.xyzw:F, 0F\n(+f0.0) ${clr} {NoDDChk}`,
    says: /no channel/,
    fixed: `cmp(8).ge.f0.0 null:F, g1.0.xyzw:F, 0F\n(+f0.0) ${clr}`,
  },
  {
    name: 'both bits on the math unit; one fix takes both',
    code: 'hw/dependency-control',
    lines: 'rcp(8) vgrf1.x:F, g1.0.xxxx:F {NoDDClr, NoDDChk}',
    says: /math unit/,
    fixed: 'rcp(8) vgrf1.x:F, g1.0.xxxx:F',
  },
  {
    name: 'bits among other attributes: the others stay',
    code: 'hw/dependency-control',
    lines: 'rcp(8) vgrf1.x:F, g1.0.xxxx:F {NoDDClr, NoDDChk, align16}',
    fixed: 'rcp(8) vgrf1.x:F, g1.0.xxxx:F {align16}',
  },
  {
    name: 'bits behind other attributes',
    code: 'hw/dependency-control',
    lines: 'rcp(8) vgrf1.x:F, g1.0.xxxx:F {align16, NoDDClr, NoDDChk}',
    fixed: 'rcp(8) vgrf1.x:F, g1.0.xxxx:F {align16}',
  },
  {
    name: 'bits on 64-bit operands',
    code: 'hw/dependency-control',
    lines: 'mov(4) vgrf1.x:DF, g1.0.xyzw:DF {NoDDClr} ',
    says: /64-bit/,
    fixed: 'mov(4) vgrf1.x:DF, g1.0.xyzw:DF ',
  },
  {
    name: 'F34 pack_bytes may carry the bits, with one channel',
    code: 'hw/dependency-control',
    lines: 'pack_bytes(8) vgrf1.xy:UD, g1.0.xyzw:UD {NoDDClr}',
    says: /exactly one channel/,
    fixed: 'pack_bytes(8) vgrf1.xy:UD, g1.0.xyzw:UD',
  },
  {
    name: 'F34 a condition on pack_bytes',
    code: 'hw/expanded-condition',
    lines: 'pack_bytes(8).nz.f0.0 vgrf1.x:UD, g1.0.xyzw:UD',
    fixed: 'pack_bytes(8) vgrf1.x:UD, g1.0.xyzw:UD',
  },
  // F37
  {
    name: 'F37 the destination of a merge is its second source',
    code: 'hw/merge',
    lines: 'mov(8) vgrf1:F, g1.0.xyzw:F\nsimd4x2_merge(8) vgrf1:F, g2.0.xyzw:F, vgrf1.xyzw:F',
    says: /destroy vertex 1/,
  },
  {
    name: 'F37 NoMask on a merge inside control flow',
    code: 'hw/merge',
    lines:
      'cmp(8).ge.f0.0 null:F, g1.0.xyzw:F, 0F\n(+f0.0) if(8) (null):UD\nsimd4x2_merge(8) vgrf1:F, g1.0.xyzw:F, g2.0.xyzw:F NoMask\nendif(8) (null):UD',
    at: 'NoMask',
    fixed:
      'cmp(8).ge.f0.0 null:F, g1.0.xyzw:F, 0F\n(+f0.0) if(8) (null):UD\nsimd4x2_merge(8) vgrf1:F, g1.0.xyzw:F, g2.0.xyzw:F\nendif(8) (null):UD',
  },
  // F42
  {
    name: 'F42 a predicate whose flag is not written in the block',
    code: 'hw/flag-in-block',
    lines: '(+f0.0) mov(8) vgrf1:F, g1.0.xyzw:F',
  },
  // F43
  {
    name: 'F43 an immediate in a three-source instruction',
    code: 'hw/three-source',
    lines: 'mad(8) vgrf1:F, g1.0.xyzw:F, g2.0.xyzw:F, 2F',
    at: '2F',
  },
  {
    name: 'F43 a uniform read with four components',
    code: 'hw/three-source',
    lines: 'mad(8) vgrf1:F, g1.0.xyzw:F, u0.xyzw:F, g2.0.xyzw:F',
    at: 'u0.xyzw:F',
  },
  {
    name: 'F43 a null destination',
    code: 'hw/three-source',
    lines: 'mad(8) null:F, g1.0.xyzw:F, g2.0.xyzw:F, g3.0.xyzw:F',
    phase: 'hw',
    at: 'null:F',
  },
  {
    name: 'F43 a 64-bit mad',
    code: 'hw/three-source',
    lines: 'mad(8) vgrf1:DF, g1.0.xyzw:DF, g2.0.xyzw:DF, g3.0.xyzw:DF',
  },
  // F44
  {
    name: 'F44 a payload that runs out of the message file',
    code: 'hw/message-length',
    lines: 'vs_urb_write(8) (null):UD {mlen 5, base_mrf 13}',
    says: /m13 to m17/,
  },
  {
    name: 'F44 a payload of sixteen registers',
    code: 'hw/message-length',
    lines: 'untyped_surface_write(8) null:UD, g1.0.xyzw:UD, 34U, 4U {mlen 16}',
    says: /at most 15/,
  },
  {
    name: 'F44 an even mlen of interleaved data',
    code: 'hw/message-length',
    lines: 'vs_urb_write(8) (null):UD {mlen 6, base_mrf 1}',
    says: /not 5/,
  },
  {
    name: 'F44 the payload of the last message below g112',
    code: 'hw/end-of-thread',
    lines: 'send(8) (mlen: 4) (EOT) (null):UD, 0u, 0u, g20:F',
    phase: 'hw',
    says: /g112 to g127, not from g20/,
  },
  // F45
  {
    name: 'F45 a compare with a null destination on Gen7',
    code: 'hw/compare',
    lines: 'cmp(8).ge.f0.0 null:F, g1.0.xyzw:F, 0.5F',
    phase: 'hw',
    fixed: 'cmp(8).ge.f0.0 null:F, g1.0.xyzw:F, 0.5F {Switch}',
  },
  {
    name: 'F45 the fix joins attributes that are there',
    code: 'hw/compare',
    lines: 'cmp(8).ge.f0.0 null:F, g1.0.xyzw:F, 0.5F {align16}',
    phase: 'hw',
    fixed: 'cmp(8).ge.f0.0 null:F, g1.0.xyzw:F, 0.5F {align16, Switch}',
  },
  {
    name: 'an immediate in the first of two sources; the operation commutes',
    code: 'hw/immediate',
    lines: 'add(8) vgrf1:F, 0.5F, g1.0.xyzw:F',
    at: '0.5F',
    fixed: 'add(8) vgrf1:F, g1.0.xyzw:F, 0.5F',
  },
  {
    name: 'an integer multiplication does not commute: no fix',
    code: 'hw/immediate',
    lines: 'mul(8) vgrf1:D, 3D, g1.0.xyzw:D',
  },
  {
    name: 'a modifier where there is no bit for one',
    code: 'hw/source-modifier',
    lines: 'cbit(8) vgrf1:UD, -g1.0.xyzw:UD',
    at: '-g1.0.xyzw:UD',
  },
  {
    name: 'F38 OWord blocks are not written unaligned',
    code: 'hw/unaligned-write',
    lines: 'unaligned_oword_block_write(8) null:UD, g1.0.xyzw:UD, 34U, g2.0.xyzw:F, 1U',
  },
  {
    name: 'a swizzle in an align1 operation',
    code: 'hw/swizzle',
    lines: 'pick_low_32bit(8) vgrf1:UD, g1.0.yxwz:DF',
  },
  {
    name: 'a register behind the last',
    code: 'hw/register',
    lines: 'mov(8) vgrf1:F, g127+1.0.xyzw:F',
    phase: 'hw',
    says: /no g128: a thread has g0 to g127/,
  },
  {
    name: 'F31 a run that nobody ends',
    code: 'hw/dependency-control',
    lines: 'mov(8) vgrf1.x:F, g1.0.xyzw:F {NoDDClr}',
    says: /stays marked as busy/,
    fixed: 'mov(8) vgrf1.x:F, g1.0.xyzw:F',
  },
  {
    name: 'F31 a read inside a run',
    code: 'hw/dependency-control',
    lines:
      'mov(8) vgrf1.x:F, g1.0.xyzw:F {NoDDClr}\nmov(8) vgrf2:F, vgrf1.xxxx:F\nmov(8) vgrf1.y:F, g1.0.xyzw:F {NoDDChk}',
    says: /reads the register before/,
    fixed:
      'mov(8) vgrf1.x:F, g1.0.xyzw:F\nmov(8) vgrf2:F, vgrf1.xxxx:F\nmov(8) vgrf1.y:F, g1.0.xyzw:F {NoDDChk}',
  },
  {
    name: 'F31 a run that writes one channel twice',
    code: 'hw/dependency-control',
    lines: 'mov(8) vgrf1.x:F, g1.0.xyzw:F {NoDDClr}\nmov(8) vgrf1.xy:F, g2.0.xyzw:F {NoDDChk}',
    says: /in any order/,
    fixed: 'mov(8) vgrf1.x:F, g1.0.xyzw:F\nmov(8) vgrf1.xy:F, g2.0.xyzw:F {NoDDChk}',
  },
  {
    name: '64-bit integers before Gen8',
    code: 'hw/generation',
    lines: 'mov(4) vgrf1:Q, g1.0.xyzw:D',
    says: /came with Gen8/,
  },
  {
    name: 'a root of integers',
    code: 'hw/math-type',
    lines: 'rsq(8) vgrf1:D, g1.0.xyzw:F',
  },
  {
    name: 'an operation of another generation',
    code: 'hw/generation',
    lines: 'dim(8) vgrf1:DF, 1.5DF',
    target: 'ivb',
    says: /Gen7\.5: ivb is Gen7/,
  },
  {
    name: 'packed words into floats',
    code: 'hw/vector-immediate',
    lines: 'mov(8) vgrf1:F, 11001010V',
  },
  {
    name: 'half floats and doubles convert through 32 bits',
    code: 'hw/conversion',
    lines: 'mov(4) vgrf1:DF, g1.0.xyzw:HF',
  },
  {
    name: 'a scratch write into a payload under construction',
    code: 'hw/payload-overwritten',
    lines:
      'mov(8) m13:F, g1.0.xyzw:F\ngfx4_scratch_write(8) g0:F, g2.0.xyzw:F, 0D\nvs_urb_write(8) (null):UD {mlen 13, base_mrf 1}',
    says: /m13/,
  },
  {
    name: 'a scratch read cannot be masked',
    code: 'hw/write-mask',
    lines: 'gfx4_scratch_read(8) g20.x:F, 0D',
    phase: 'hw',
  },
  {
    name: 'broadcast obeys no mask',
    code: 'hw/execution-mask',
    lines: 'broadcast(8) vgrf1:UD, g1.0.xyzw:UD, 0U',
  },
];

describe('hardware rules', () => {
  for (const { name, code, lines, at, says, fixed, phase, target } of cases)
    it(name, () => {
      const text = `${header(phase, target)}${lines}\n`;
      const found = problemsOf(text).filter((p) => p.code === code);
      equal(
        found.length,
        1,
        `one ${code}, found ${JSON.stringify(problemsOf(text).map((p) => [p.code, p.message]))}`,
      );
      const [problem] = found;
      if (at !== undefined) equal(text.slice(problem.span.start, problem.span.end), at);
      if (says !== undefined) match(problem.message, says);
      equal(problem.fixes !== undefined, fixed !== undefined, 'has a fix');
      if (fixed === undefined) return;
      const after = apply(text, problem);
      equal(after, `${header(phase, target)}${fixed}\n`);
      ok(!problemsOf(after).some((p) => p.code === code), 'the problem is gone afterwards');
    });

  it('F25 a pool register belongs to the instruction that it was loaded for', () => {
    const text =
      '.gen 1\n.mode simd8\n.phase allocated\n.reserved 8 @g120\n.payload g0-g1\n' +
      'unspill(8) g121:F, s0:F\nadd(8) g10:F, g121:F, g1:F\nadd(8) g12:F, g121:F, g1:F\n';
    const found = problemsOf(text).filter((p) => p.code === 'hw/pool');
    equal(found.length, 1);
    equal(text.slice(0, found[0].span.start).split('\n').length, 8, 'on the second add');
  });

  it('F41 a scratch read between a write and a read of a flag or payload is no barrier and no fault', () => {
    const text = `${header()}mov(8) m1:F, g1.0.xyzw:F\ngfx4_scratch_read(8) vgrf1:F, 0D\nmov(8) m2:F, vgrf1.xyzw:F\nvs_urb_write(8) (null):UD {mlen 3, base_mrf 1}\n`;
    equal(problemsOf(text).length, 0);
  });

  it('finds nothing wrong in what the reference compiler makes, at every phase', function () {
    const folder = corpusOrSkip(this, 'gen');
    for (const dump of genDumps(folder, ['S', 'A', 'P', 'B', 'C']))
      for (const text of dump.phase === 'S' || dump.phase === 'C'
        ? [annotated(dump), dump.text()]
        : [annotated(dump)]) {
        const wrong = problemsOf(text);
        equal(wrong.length, 0, `${dump.path}: ${wrong[0]?.message}`);
      }
  });
});
