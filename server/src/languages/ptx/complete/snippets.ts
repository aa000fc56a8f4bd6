import type { CompletionItem } from '../../language.js';

/** Shapes that take several lines by hand. */
const rows: readonly (readonly [label: string, detail: string, body: string])[] = [
  [
    'thread index',
    'ctaid.x * ntid.x + tid.x',
    'mov.u32 ${1:%r1}, %ctaid.x;\nmov.u32 ${2:%r2}, %ntid.x;\nmov.u32 ${3:%r3}, %tid.x;\nmad.lo.s32 ${4:%r4}, $1, $2, $3;',
  ],
  [
    'bounds check',
    'leave when the index is not below a bound',
    'setp.ge.s32 ${1:%p1}, ${2:%r4}, ${3:%r5};\n@$1 bra ${4:DONE};',
  ],
  [
    'loop',
    'a counted loop',
    'mov.u32 ${1:%r1}, 0;\n${2:LOOP}:\n$0\nadd.u32 $1, $1, 1;\nsetp.lt.u32 ${3:%p1}, $1, ${4:%r2};\n@$3 bra $2;',
  ],
  [
    'call block',
    'a call with memory parameters',
    '{\n.param .b32 argument;\n.param .b32 result;\nst.param.b32 [argument], ${1:%r1};\ncall.uni (result), ${2:function}, (argument);\nld.param.b32 ${3:%r2}, [result];\n}',
  ],
  [
    'butterfly sum',
    'sum over a warp with shfl.sync',
    [16, 8, 4, 2, 1]
      .map(
        (lanes) =>
          `shfl.sync.bfly.b32 \${2:%f2}, \${1:%f1}, ${lanes}, 31, -1;\nadd.f32 \${1:%f1}, \${1:%f1}, \${2:%f2};`,
      )
      .join('\n'),
  ],
  [
    'generic pointer to global',
    'load a pointer parameter and convert it',
    'ld.param.u64 ${1:%rd1}, [${2:pointer}];\ncvta.to.global.u64 ${3:%rd2}, $1;',
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
