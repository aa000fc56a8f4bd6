import fc from 'fast-check';

/**
 * Random PTX kernels around counted loops, nested up to twice, of which most are unrolled: few registers, so that values
 * go from round to round; numbers of every notation, so that much is computed before the program runs; copies, and
 * sums that stand twice, so that names meet. Everything is stored at the end.
 */
interface Loop {
  readonly rounds: number;
  readonly step: number;
  /** Whether the bound is a number in the text; else nobody knows it before the program runs. */
  readonly isKnown: boolean;
  readonly body: readonly (Loop | Operation)[];
}

interface Operation {
  readonly which: number;
  readonly registers: readonly number[];
  readonly guard: number;
}

const COUNTS = { r: 6, d: 4, f: 4, p: 3 } as const;
type Kind = keyof typeof COUNTS;

/** `i`: the counter of the loop around it; `k`: a small number; `x`: a number in single precision, as people write it. */
const OPERATIONS: readonly string[] = [
  'rr mov.u32 $0, $1',
  'ri mov.u32 $0, $1',
  'rk mov.u32 $0, $1',
  'dd mov.b64 $0, $1',
  'ff mov.f32 $0, $1',
  'fx mov.f32 $0, $1',
  'rf mov.b32 $0, $1',
  'fr mov.b32 $0, $1',
  'rri add.u32 $0, $1, $2',
  'rrr add.s32 $0, $1, $2',
  'rrk add.s32 $0, $1, $2',
  'rkr sub.s32 $0, $1, $2',
  'rri sub.u32 $0, $1, $2',
  'rrk mul.lo.s32 $0, $1, $2',
  'rrri mad.lo.s32 $0, $1, $2, $3',
  'rrk shl.b32 $0, $1, $2',
  'rik shl.b32 $0, $1, $2',
  'rrk shr.s32 $0, $1, $2',
  'rrk shr.u32 $0, $1, $2',
  'rri and.b32 $0, $1, $2',
  'rrr xor.b32 $0, $1, $2',
  'rrk or.b32 $0, $1, $2',
  'rr not.b32 $0, $1',
  'rr neg.s32 $0, $1',
  'rrr min.s32 $0, $1, $2',
  'rrk max.u32 $0, $1, $2',
  'rrrp selp.b32 $0, $1, $2, $3',
  'drk mul.wide.u32 $0, $1, $2',
  'dri mul.wide.s32 $0, $1, $2',
  'drid mad.wide.s32 $0, $1, $2, $3',
  'di cvt.u64.u32 $0, $1',
  'dr cvt.s64.s32 $0, $1',
  'rd cvt.u32.u64 $0, $1',
  'ddd add.s64 $0, $1, $2',
  'ddk add.s64 $0, $1, $2',
  'ddk shl.b64 $0, $1, $2',
  'rrd mov.b64 {$0, $1}, $2',
  'drr mov.b64 $0, {$1, $2}',
  'fi cvt.rn.f32.s32 $0, $1',
  'fff add.f32 $0, $1, $2',
  'ffx mul.f32 $0, $1, $2',
  'ffxf fma.rn.f32 $0, $1, $2, $3',
  'ff neg.f32 $0, $1',
  'pri setp.lt.s32 $0, $1, $2',
  'pik setp.eq.u32 $0, $1, $2',
  'pff setp.gt.f32 $0, $1, $2',
  'rk ld.global.u32 $0, [%out+4*$1]',
  'rk st.global.u32 [%out+4*$1], $0',
  'rk st.shared.u32 [s+4*$1], $0',
  'rk ld.shared.u32 $0, [s+4*$1]',
];

const FLOATS = ['1.5', '-0.75', '3.0', '0f3f000000', '0d4004000000000000', '0f00000000', '1e2'];

const part = fc.memo((depth): fc.Arbitrary<Loop | Operation> => {
  const operation = fc.record({
    which: fc.nat(OPERATIONS.length - 1),
    registers: fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 }),
    guard: fc.nat(8 * COUNTS.p),
  });
  if (depth <= 1) return operation;
  const body = fc.array(part(depth - 1), { minLength: 1, maxLength: 9, size: 'max' });
  const loop = fc.record({
    rounds: fc.integer({ min: 1, max: 9 }),
    step: fc.integer({ min: 1, max: 3 }),
    isKnown: fc.nat(3).map((n) => n > 0),
    body,
  });
  return fc.oneof({ weight: 5, arbitrary: operation }, { weight: 1, arbitrary: loop });
});

/** The text of a module with one kernel `k (.param .u64 p, .param .u32 n)`. */
export const randomLoops: fc.Arbitrary<string> = fc
  .record({
    rounds: fc.integer({ min: 2, max: 9 }),
    step: fc.integer({ min: 1, max: 3 }),
    isKnown: fc.nat(3).map((n) => n > 0),
    body: fc.array(part(3), { minLength: 2, maxLength: 10, size: 'max' }),
  })
  .map(kernel);

function kernel(outer: Loop): string {
  const lines: string[] = [];
  let loops = 0;
  const emit = (l: Loop): void => {
    const n = loops++;
    const end = l.rounds * l.step;
    const bound = l.isKnown ? String(end) : `%b${n}`;
    lines.push(`mov.u32 %i${n}, 0;`);
    if (!l.isKnown) lines.push(`ld.param.u32 %b${n}, [n]; add.u32 %b${n}, %b${n}, ${end};`);
    lines.push(`L${n}:`);
    for (const p of l.body) {
      if ('body' in p) emit(p);
      else lines.push(operation(p, n));
    }
    lines.push(`add.u32 %i${n}, %i${n}, ${l.step};`, `setp.lt.u32 %q, %i${n}, ${bound};`, `@%q bra L${n};`);
  };
  emit(outer);
  const all = (kind: Kind): string[] => Array.from({ length: COUNTS[kind] }, (_, k) => `%${kind}${k}`);
  const start = [
    ...all('r').map((r, k) =>
      k % 2 === 0 ? `mov.u32 ${r}, ${77 * k + 1};` : `ld.global.u32 ${r}, [%out+${64 * k}];`,
    ),
    ...all('d').map((r, k) =>
      k % 2 === 0 ? `mov.u64 ${r}, ${k * 777};` : `ld.global.u64 ${r}, [%out+${512 + 8 * k}];`,
    ),
    ...all('f').map((r, k) =>
      k % 2 === 0 ? `mov.f32 ${r}, ${k}.5;` : `ld.global.f32 ${r}, [%out+${768 + 4 * k}];`,
    ),
    ...all('p').map((r, k) => `setp.eq.u32 ${r}, ${k % 2}, 0;`),
  ];
  const end = [
    ...all('r').map((r, k) => `st.global.u32 [%out+${1024 + 4 * k}], ${r};`),
    ...all('d').map((r, k) => `st.global.u64 [%out+${2048 + 8 * k}], ${r};`),
    ...all('f').map((r, k) => `st.global.f32 [%out+${3072 + 4 * k}], ${r};`),
    ...all('p').map((r, k) => `selp.u32 %r0, 1, 0, ${r}; st.global.u32 [%out+${4096 + 4 * k}], %r0;`),
  ];
  return [
    '.version 8.0\n.target sm_90\n.address_size 64',
    '.visible .entry k(.param .u64 p, .param .u32 n) {',
    `.reg .b32 %r<${COUNTS.r}>, %i<${loops}>, %b<${loops}>; .reg .b64 %d<${COUNTS.d}>; .reg .f32 %f<${COUNTS.f}>;`,
    `.reg .pred %p<${COUNTS.p}>, %q; .reg .u64 %out; .shared .align 4 .b8 s[256];`,
    'ld.param.u64 %out, [p];',
    ...start,
    ...lines,
    ...end,
    'ret;',
    '}\n',
  ].join('\n');
}

function operation({ which, registers, guard }: Operation, loop: number): string {
  const [kinds, ...words] = OPERATIONS[which].split(' ');
  const names = [...kinds].map((kind, k) => {
    if (kind === 'i') return `%i${loop}`;
    if (kind === 'k') return String(registers[k] % 40);
    if (kind === 'x') return FLOATS[registers[k] % FLOATS.length];
    return `%${kind}${registers[k] % COUNTS[kind as Kind]}`;
  });
  // two results must not meet in one register
  if (words.join(' ').includes('{$0, $1}') && names[0] === names[1])
    names[1] = `%r${(registers[1] + 1) % COUNTS.r}`;
  const text = words.join(' ').replace(/\$(\d)/g, (_, n: string) => names[Number(n)]);
  const predicate = guard < 2 * COUNTS.p ? `@${guard % 2 === 0 ? '' : '!'}%p${guard >> 1} ` : '';
  return `${predicate}${text};`;
}
