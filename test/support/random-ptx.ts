import fc from 'fast-check';

/**
 * Random valid PTX kernels for comparing a program with its compilation. Every register has a value before it is
 * read, loops count down from small numbers, and at the end everything is stored, so that a single wrong register
 * shows. Memory: the buffer of the only pointer parameter and one shared array.
 */
type Statement =
  | {
      readonly kind: 'operation';
      readonly which: number;
      readonly registers: readonly number[];
      readonly guard: number;
    }
  | { readonly kind: 'if'; readonly predicate: number; readonly body: readonly Statement[] }
  | { readonly kind: 'loop'; readonly count: number; readonly body: readonly Statement[] };

const SIZES = { r: 22, d: 8, f: 14, g: 5, p: 9, h: 6 } as const;
type Kind = keyof typeof SIZES;

/** Letters before a colon name the operands: r 32-bit, d 64-bit, f single, g double, p predicate, h 16-bit; `k` a small number. */
const OPERATIONS: readonly string[] = [
  'rrr add.u32 $0, $1, $2',
  'rrr sub.s32 $0, $1, $2',
  'rrr mul.lo.u32 $0, $1, $2',
  'rrr mul.hi.s32 $0, $1, $2',
  'rrrr mad.lo.s32 $0, $1, $2, $3',
  'rrr and.b32 $0, $1, $2',
  'rrr xor.b32 $0, $1, $2',
  'rrk shl.b32 $0, $1, $2',
  'rrk shr.s32 $0, $1, $2',
  'rrr min.s32 $0, $1, $2',
  'rrr div.u32 $0, $1, $2',
  'rrrr shf.l.wrap.b32 $0, $1, $2, $3',
  'rrrr lop3.b32 $0, $1, $2, $3, 0x96',
  'rrrr prmt.b32 $0, $1, $2, $3',
  'rrrr dp4a.u32.s32 $0, $1, $2, $3',
  'rrrr bfe.u32 $0, $1, $2, $3',
  'rr popc.b32 $0, $1',
  'rr mov.u32 $0, $1',
  'rr mov.b32 $0, $1',
  'rk mov.u32 $0, $1',
  'ff mov.f32 $0, $1',
  'dd mov.u64 $0, $1',
  'rrrr add.cc.u32 $0, $1, $2; addc.u32 $0, $0, $3',
  'drr mul.wide.u32 $0, $1, $2',
  'drrd mad.wide.s32 $0, $1, $2, $3',
  'ddd add.s64 $0, $1, $2',
  'ddd mul.lo.u64 $0, $1, $2',
  'drr mov.b64 $0, {$1, $2}',
  'rrd mov.b64 {$0, $1}, $2',
  'rd mov.b64 {$0, _}, $1',
  'rd cvt.u32.u64 $0, $1',
  'dr cvt.s64.s32 $0, $1',
  'fff add.rn.f32 $0, $1, $2',
  'fff mul.rz.ftz.f32 $0, $1, $2',
  'ffff fma.rn.f32 $0, $1, $2, $3',
  'fff div.rn.f32 $0, $1, $2',
  'fff max.f32 $0, $1, $2',
  'ff sqrt.rn.f32 $0, $1',
  'ff ex2.approx.f32 $0, $1',
  'fr cvt.rn.f32.s32 $0, $1',
  'rf cvt.rzi.s32.f32 $0, $1',
  'rf mov.b32 $0, $1',
  'gf cvt.f64.f32 $0, $1',
  'fg cvt.rn.f32.f64 $0, $1',
  'gggg fma.rn.f64 $0, $1, $2, $3',
  'ggg add.rm.f64 $0, $1, $2',
  'prr setp.lt.s32 $0, $1, $2',
  'pprr setp.ne.u32 $0|$1, $2, $3',
  'prrp setp.ge.and.s32 $0, $1, $2, !$3',
  'pff setp.gtu.f32 $0, $1, $2',
  'ppp and.pred $0, $1, $2',
  'pp not.pred $0, $1',
  'rrrp selp.b32 $0, $1, $2, $3',
  'fffp selp.f32 $0, $1, $2, $3',
  'hr cvt.u16.u32 $0, $1',
  'rh cvt.s32.s16 $0, $1',
  'hhh add.u16 $0, $1, $2',
  'rhh mov.b32 $0, {$1, $2}',
  'rhh mul.wide.u16 $0, $1, $2',
  'rk ld.global.u32 $0, [%out+4*$1]',
  'rk ld.global.s8 $0, [%out+$1]',
  'rrk ld.global.v2.u32 {$0, $1}, [%out+8*$2]',
  'ffffk ld.global.v4.f32 {$0, $1, $2, $3}, [%out+16*$4]',
  'dk ld.global.u64 $0, [%out+8*$1]',
  'rk st.global.u32 [%out+4*$1], $0',
  'fffk st.global.v2.f32 [%out+8*$2], {$0, $1}',
  'rk st.shared.u32 [s+4*$1], $0',
  'rk ld.shared.u32 $0, [s+4*$1]',
  'rrk atom.global.add.u32 $0, [%out+4*$2], $1',
  'r mov.u32 $0, %tid.x',
  'r mov.u32 $0, %ctaid.x',
  'd ld.param.u64 $0, [p]',
  'r ld.param.u32 $0, [n]',
];

const statement: fc.Memo<Statement> = fc.memo((depth): fc.Arbitrary<Statement> => {
  const operation = fc.record({
    kind: fc.constant('operation' as const),
    which: fc.nat(OPERATIONS.length - 1),
    registers: fc.array(fc.nat(1000), { minLength: 5, maxLength: 5 }),
    guard: fc.nat(3 * SIZES.p * 2),
  });
  if (depth <= 1) return operation;
  const body = fc.array(statement(depth - 1), { minLength: 1, maxLength: 8, size: 'max' });
  return fc.oneof(
    { weight: 8, arbitrary: operation },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('if' as const), predicate: fc.nat(2 * SIZES.p), body }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('loop' as const), count: fc.nat(3), body }) },
  );
});

/** The text of a module with one kernel `k (.param .u64 p, .param .u32 n)`. */
export const randomKernel: fc.Arbitrary<string> = fc
  .array(statement(3), { minLength: 5, maxLength: 40, size: 'max' })
  .map((statements) => kernel(statements));

function kernel(statements: readonly Statement[]): string {
  const lines: string[] = [];
  let labels = 0;
  const emit = (list: readonly Statement[]): void => {
    for (const s of list) {
      if (s.kind === 'operation') {
        lines.push(operation(s.which, s.registers, s.guard));
        continue;
      }
      const label = `L${labels++}`;
      if (s.kind === 'if') {
        lines.push(`@${s.predicate % 2 === 0 ? '' : '!'}%p${(s.predicate >> 1) % SIZES.p} bra ${label};`);
        emit(s.body);
        lines.push(`${label}:`);
        continue;
      }
      lines.push(`{ .reg .u32 %count; .reg .pred %again; mov.u32 %count, ${s.count};`, `${label}:`);
      emit(s.body);
      lines.push(`sub.u32 %count, %count, 1; setp.gt.s32 %again, %count, 0; @%again bra ${label}; }`);
    }
  };
  emit(statements);
  const all = (kind: Kind): string[] => Array.from({ length: SIZES[kind] }, (_, k) => `%${kind}${k}`);
  const start = [
    ...all('r').map((r, k) => `mov.u32 ${r}, ${k * 0x9e37 + 1};`),
    ...all('d').map((r, k) => `mov.u64 ${r}, ${k * 77_777_777};`),
    ...all('f').map((r, k) => `mov.f32 ${r}, ${k}.5;`),
    ...all('g').map((r, k) => `mov.f64 ${r}, ${k}.25;`),
    ...all('h').map((r, k) => `mov.u16 ${r}, ${k * 1001};`),
    ...all('p').map((r, k) => `setp.eq.u32 ${r}, ${k % 2}, 0;`),
  ];
  const end = [
    ...all('r').map((r, k) => `st.global.u32 [%out+${1024 + 4 * k}], ${r};`),
    ...all('d').map((r, k) => `st.global.u64 [%out+${2048 + 8 * k}], ${r};`),
    ...all('f').map((r, k) => `st.global.f32 [%out+${3072 + 4 * k}], ${r};`),
    ...all('g').map((r, k) => `st.global.f64 [%out+${4096 + 8 * k}], ${r};`),
    ...all('h').map((r, k) => `st.global.u16 [%out+${5120 + 2 * k}], ${r};`),
    ...all('p').map((r, k) => `selp.u32 %r0, 1, 0, ${r}; st.global.u32 [%out+${6144 + 4 * k}], %r0;`),
  ];
  return [
    '.version 8.0\n.target sm_90\n.address_size 64',
    '.visible .entry k(.param .u64 p, .param .u32 n) {',
    `.reg .b32 %r<${SIZES.r}>; .reg .b64 %d<${SIZES.d}>; .reg .f32 %f<${SIZES.f}>; .reg .f64 %g<${SIZES.g}>;`,
    `.reg .pred %p<${SIZES.p}>; .reg .b16 %h<${SIZES.h}>; .reg .u64 %out; .shared .align 4 .b8 s[256];`,
    'ld.param.u64 %out, [p];',
    ...start,
    ...lines,
    ...end,
    'ret;',
    '}\n',
  ].join('\n');
}

function operation(which: number, registers: readonly number[], guard: number): string {
  const [kinds, ...words] = OPERATIONS[which].split(' ');
  const names = [...kinds].map((kind, k) =>
    kind === 'k' ? String(registers[k] % 16) : `%${kind}${registers[k] % SIZES[kind as Kind]}`,
  );
  // two results must not meet in one register
  if (/^\{|\|/.test(words.slice(1).join(' ')) || /^(pp|rr|ff)/.test(kinds)) distinct(kinds, names, registers);
  const text = words.join(' ').replace(/\$(\d)/g, (_, n: string) => names[Number(n)]);
  const predicate = guard < 2 * SIZES.p ? `@${guard % 2 === 0 ? '' : '!'}%p${guard >> 1} ` : '';
  return `${text
    .split('; ')
    .map((part) => predicate + part)
    .join('; ')};`;
}

function distinct(kinds: string, names: string[], registers: readonly number[]): void {
  for (let k = 1; k < kinds.length; k++)
    for (let n = 0; kinds[k] !== 'k' && names.slice(0, k).includes(names[k]); n++)
      names[k] = `%${kinds[k]}${(registers[k] + n) % SIZES[kinds[k] as Kind]}`;
}
