import type { CompletionItem } from '../../language.js';

/** What Gen programs are made of, and takes several lines by hand. Tab stops are shared by name. */

const lines = (...text: string[]): string => text.join('\n');

const rows: readonly (readonly [label: string, detail: string, body: string])[] = [
  [
    'vertex program',
    'a SIMD4x2 program with its directives',
    lines(
      '.gen 1',
      '.program ${1:name}',
      '.target ivb',
      '.stage vs',
      '.mode simd4x2',
      '.payload g0-g${2:1}',
      '.uniforms ${3:4}',
      '',
      '  $0',
    ),
  ],
  [
    'scalar program',
    'a SIMD8 program with its directives',
    lines(
      '.gen 1',
      '.program ${1:name}',
      '.target ivb',
      '.stage fs',
      '.mode simd8',
      '.payload g0-g${2:1}',
      '',
      '  $0',
    ),
  ],
  [
    'transform',
    'a point times a matrix by rows, u0 to u3',
    lines(
      'dp4(8) ${1:vgrf1}.x:F, ${2:attr0}.xyzw:F, u0.xyzw:F',
      'dp4(8) ${1:vgrf1}.y:F, ${2:attr0}.xyzw:F, u1.xyzw:F',
      'dp4(8) ${1:vgrf1}.z:F, ${2:attr0}.xyzw:F, u2.xyzw:F',
      'dp4(8) ${1:vgrf1}.w:F, ${2:attr0}.xyzw:F, u3.xyzw:F',
    ),
  ],
  [
    'normalise',
    'a vector brought to length 1',
    lines(
      'dp3(8) ${1:vgrf2}.x:F, ${2:vgrf1}.xyzz:F, ${2:vgrf1}.xyzz:F',
      'rsq(8) ${1:vgrf2}.x:F, ${1:vgrf2}.xxxx:F',
      'mul(8) ${3:vgrf3}.xyz:F, ${2:vgrf1}.xyzz:F, ${1:vgrf2}.xxxx:F',
    ),
  ],
  [
    'if',
    'two alternatives that join again',
    lines(
      'cmp(8).${1:l}.f0.0 null:F, ${2:vgrf1}.xxxx:F, ${3:0.000000F} {Switch}',
      '(+f0.0.x) if(8) (null):UD',
      '$0',
      'else(8) (null):UD',
      'endif(8) (null):UD',
    ),
  ],
  [
    'loop',
    'a counted loop',
    lines(
      'mov(8) ${1:vgrf1}.x:D, 0D',
      'do(8) (null):UD',
      'cmp(8).ge.f0.0 null:D, ${1:vgrf1}.xxxx:D, ${2:8D} {Switch}',
      '(+f0.0.x) break(8) (null):UD',
      '$0',
      'add(8) ${1:vgrf1}.x:D, ${1:vgrf1}.xxxx:D, 1D',
      'while(8) (null):UD',
    ),
  ],
  [
    'unaligned vec4 read',
    'one read for each vertex, then the merge',
    lines(
      'mov(1) ${1:vgrf1}.x:UD, ${2:vgrf0}.xxxx:UD NoMask',
      'unaligned_oword_block_read(8) ${3:vgrf2}:UD, ${1:vgrf1}.xyzw:UD, ${5:34U}, 1U',
      'mov(1) ${1:vgrf1}.x:UD, ${2:vgrf0}+0.16.xxxx:UD NoMask',
      'unaligned_oword_block_read(8) ${4:vgrf3}:UD, ${1:vgrf1}.xyzw:UD, ${5:34U}, 1U',
      'simd4x2_merge(8) ${6:vgrf4}:UD, ${3:vgrf2}.xyzw:UD, ${4:vgrf3}.xyzw:UD',
    ),
  ],
  [
    'position',
    'the outputs of a vertex, and the end of the thread',
    lines(
      'mov(8) m1:UD, g0.0.xyzw:UD',
      'mov(8) m2:F, 0.000000F',
      'mov(8) m3:F, ${1:vgrf1}.xyzw:F',
      'vs_urb_write(8) (null):UD {mlen 3, base_mrf 1, eot}',
    ),
  ],
];

export const snippets: readonly CompletionItem[] = rows.map(([label, detail, insert]) => ({
  label,
  kind: 'snippet',
  detail,
  insert,
  isSnippet: true,
  sort: `~${label}`,
}));
