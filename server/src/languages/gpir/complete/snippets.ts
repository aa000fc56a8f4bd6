import type { CompletionItem } from '../../language.js';

/** What vertex shaders are made of, and takes several lines by hand. Tab stops are shared by name. */

const lines = (...text: string[]): string => text.join('\n');
const components = (make: (c: string) => string, of = 'xyz'): string[] => [...of].map(make);

/** `row.x = a0.x * u0.x + ...` for one component of a matrix product by columns. */
const product = (c: string, first: number): string[] => [
  `%\${1:clip}.${c}0 = mul u${first}.${c}, \${2:a0}.x`,
  `%\${1:clip}.${c}1 = mul u${first + 1}.${c}, \${2:a0}.y`,
  `%\${1:clip}.${c}2 = mul u${first + 2}.${c}, \${2:a0}.z`,
  `%\${1:clip}.${c}01 = add %\${1:clip}.${c}0, %\${1:clip}.${c}1`,
  `%\${1:clip}.${c}23 = add %\${1:clip}.${c}2, u${first + 3}.${c}`,
  `%\${1:clip}.${c} = add %\${1:clip}.${c}01, %\${1:clip}.${c}23`,
];

const rows: readonly (readonly [label: string, detail: string, body: string])[] = [
  [
    'program',
    'a program with its inputs and outputs',
    lines(
      '.program ${1:name}',
      '.attribute a0 in_position',
      '.uniform u0 viewport_scale',
      '.uniform u1 viewport_offset',
      '.varying v0 gl_Position position',
      '',
      '  $0',
    ),
  ],
  [
    'viewport transform',
    'window = clip / w * scale + offset, and 1/w',
    lines(
      '%inverse_w = rcp %${1:clip}.w',
      ...components((c) =>
        lines(
          `%device.${c} = mul %\${1:clip}.${c}, %inverse_w`,
          `%scaled.${c} = mul %device.${c}, \${2:u8}.${c}`,
          `%window.${c} = add %scaled.${c}, \${3:u9}.${c}`,
          `st_var \${4:v0}.${c}, %window.${c}`,
        ),
      ),
      'st_var ${4:v0}.w, %inverse_w',
    ),
  ],
  [
    'transform',
    'a point times a matrix by columns, u0 to u3',
    lines(...components((c) => product(c, 0).join('\n'), 'xyzw')),
  ],
  [
    'normalise',
    'a vector brought to length 1',
    lines(
      ...components((c) => `%square.${c} = mul %\${1:normal}.${c}, %\${1:normal}.${c}`),
      '%square.xy = add %square.x, %square.y',
      '%squared = add %square.xy, %square.z',
      '%scale = rsqrt %squared',
      ...components((c) => `%\${2:unit}.${c} = mul %\${1:normal}.${c}, %scale`),
    ),
  ],
  [
    'dot product',
    'of two vectors of three components',
    lines(
      ...components((c) => `%product.${c} = mul %\${1:a}.${c}, %\${2:b}.${c}`),
      '%product.xy = add %product.x, %product.y',
      '%${3:dot} = add %product.xy, %product.z',
    ),
  ],
  [
    'mix',
    'a + t * (b - a)',
    lines(
      '%difference = add ${2:%b}, -${1:%a}',
      '%part = mul %difference, ${3:%t}',
      '%${4:mixed} = add %part, ${1:%a}',
    ),
  ],
  ['clamp', 'to 0 to 1', lines('%low = max ${1:%a}, 0', '%${2:clamped} = min %low, 1')],
  ['divide', 'a / b', lines('%inverse = rcp ${2:%b}', '%${3:quotient} = mul ${1:%a}, %inverse')],
  ['square root', 'a * rsqrt(a)', lines('%inverse = rsqrt ${1:%a}', '%${2:root} = mul ${1:%a}, %inverse')],
  [
    'power',
    'a ** b',
    lines('%logarithm = log2 ${1:%a}', '%scaled = mul %logarithm, ${2:%b}', '%${3:power} = exp2 %scaled'),
  ],
  ['fraction', 'a - floor(a)', lines('%whole = floor ${1:%a}', '%${2:fraction} = add ${1:%a}, -%whole')],
  [
    'loop',
    'a counted loop',
    lines(
      'st_reg @${1:count}, 0',
      '${2:round}:',
      '%${1:count} = ld_reg @${1:count}',
      '$0',
      '%next_${1:count} = add %${1:count}, 1',
      'st_reg @${1:count}, %next_${1:count}',
      '%again = lt %next_${1:count}, ${3:8}',
      'branch_cond ${2:round}, %again',
    ),
  ],
  [
    'if',
    'two alternatives that join again',
    lines(
      'branch_cond ${2:otherwise}, ${1:%c}',
      '${3:first}:',
      '$0',
      'branch ${4:join}',
      '${2:otherwise}:',
      '${4:join}:',
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
