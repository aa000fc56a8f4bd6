/**
 * PTX in the manner of a compiler's output, of any length: kernels with the shapes that real ones have (index
 * arithmetic, guarded loads, a counted loop with a multiply-add chain, shared memory with barriers, a tail of
 * stores). Deterministic: same seed, same text.
 */
export interface Shape {
  /** Lines at least. */
  readonly lines: number;
  /** Lines of one kernel, roughly; the default gives the ordinary 60 to 260. */
  readonly kernelLines?: number;
  readonly seed?: number;
}

/** A small deterministic generator (mulberry32), uniform in [0, 1). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const header = '.version 8.0\n.target sm_80\n.address_size 64\n\n';

/** One kernel of about `lines` lines. */
export function kernel(name: string, lines: number, seed: number): string {
  const next = random(seed);
  const pick = (n: number): number => Math.floor(next() * n);
  const body: string[] = [];
  let f = 0;
  let r = 8;
  const emit = (text: string): void => void body.push(`\t${text}`);
  emit(`ld.param.u64 \t%rd1, [${name}_in];`);
  emit(`ld.param.u64 \t%rd2, [${name}_out];`);
  emit(`ld.param.u32 \t%r1, [${name}_n];`);
  emit('cvta.to.global.u64 \t%rd3, %rd1;');
  emit('cvta.to.global.u64 \t%rd4, %rd2;');
  emit('mov.u32 \t%r2, %ctaid.x;');
  emit('mov.u32 \t%r3, %ntid.x;');
  emit('mov.u32 \t%r4, %tid.x;');
  emit('mad.lo.s32 \t%r5, %r2, %r3, %r4;');
  emit('setp.ge.s32 \t%p1, %r5, %r1;');
  emit('@%p1 bra \t$L_end;');
  emit('mul.wide.s32 \t%rd5, %r5, 4;');
  emit('add.s64 \t%rd6, %rd3, %rd5;');
  emit('add.s64 \t%rd7, %rd4, %rd5;');
  let section = 0;
  while (body.length + 30 < lines) {
    const width = 4 + pick(12);
    const first = f + 1;
    for (let i = 0; i < width; i++) emit(`ld.global.f32 \t%f${++f}, [%rd6+${4 * i}];`);
    const counter = r++;
    emit(`mov.u32 \t%r${counter}, 0;`);
    const accumulator = ++f;
    emit(`mov.f32 \t%f${accumulator}, 0f00000000;`);
    body.push(`$L_loop${section}:`);
    for (let i = 0; i < width; i++) {
      const product = ++f;
      emit(`mul.f32 \t%f${product}, %f${first + i}, %f${first + pick(width)};`);
      emit(`add.f32 \t%f${accumulator}, %f${accumulator}, %f${product};`);
    }
    emit(`add.s32 \t%r${counter}, %r${counter}, 1;`);
    emit(`setp.lt.s32 \t%p2, %r${counter}, ${8 + pick(56)};`);
    emit(`@%p2 bra \t$L_loop${section};`);
    if (pick(3) === 0) {
      emit('bar.sync \t0;');
      emit(`st.shared.f32 \t[${name}_tile+${4 * pick(64)}], %f${accumulator};`);
      emit('bar.sync \t0;');
      emit(`ld.shared.f32 \t%f${f + 1}, [${name}_tile];`);
      f++;
      emit(`fma.rn.f32 \t%f${f + 1}, %f${f}, %f${accumulator}, %f${first};`);
      f++;
    } else {
      emit(`@%p2 mov.f32 \t%f${accumulator}, %f${first};`);
    }
    emit(`st.global.f32 \t[%rd7+${4 * section}], %f${accumulator};`);
    section++;
  }
  return [
    `.visible .entry ${name}(`,
    `\t.param .u64 ${name}_in,`,
    `\t.param .u64 ${name}_out,`,
    `\t.param .u32 ${name}_n`,
    ')',
    '{',
    '\t.reg .pred \t%p<3>;',
    `\t.reg .f32 \t%f<${f + 1}>;`,
    `\t.reg .b32 \t%r<${r}>;`,
    '\t.reg .b64 \t%rd<8>;',
    `\t.shared .align 4 .b8 ${name}_tile[256];`,
    '',
    ...body,
    '',
    '$L_end:',
    '\tret;',
    '}',
    '',
  ].join('\n');
}

/** A file of ordinary kernels. */
export function file({ lines, kernelLines, seed = 1 }: Shape): string {
  const next = random(seed);
  const parts = [header];
  let count = 4;
  for (let k = 0; count < lines; k++) {
    const text = kernel(`kernel_${k}`, kernelLines ?? 60 + Math.floor(next() * 200), seed * 1000 + k);
    parts.push(text, '\n');
    count += text.split('\n').length + 1;
  }
  return parts.join('');
}

/** A kernel that declares and uses `count` registers, each defined once and read once, few at a time. */
export function manyRegisters(count: number): string {
  const body: string[] = ['\tmov.u32 \t%r0, %tid.x;'];
  for (let i = 1; i < count; i++) body.push(`\tadd.u32 \t%r${i}, %r${i - 1}, ${i % 97};`);
  return `${header}.visible .entry many(.param .u64 p)\n{\n\t.reg .b32 \t%r<${count}>;\n\t.reg .b64 \t%rd<2>;\n${body.join('\n')}\n\tld.param.u64 \t%rd1, [p];\n\tst.global.u32 \t[%rd1], %r${count - 1};\n\tret;\n}\n`;
}

/** One line of `bytes` bytes: a whole kernel without a line break. */
export function longLine(bytes: number): string {
  const statements: string[] = [];
  let size = 0;
  for (let i = 0; size < bytes; i++) {
    const statement = `add.u32 %r${i % 50}, %r${(i + 7) % 50}, ${i % 97}; `;
    statements.push(statement);
    size += statement.length;
  }
  return `${header}.visible .entry line(.param .u64 p) { .reg .b32 %r<50>; .reg .b64 %rd<2>; ${statements.join('')} ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], %r0; ret; }\n`;
}

/** `count` kernels of a dozen lines. */
export function manyKernels(count: number): string {
  const parts = [header];
  for (let k = 0; k < count; k++) parts.push(kernel(`small_${k}`, 1, k), '\n');
  return parts.join('');
}

/** A gpir program of about this many lines: loads, arithmetic on recent values, registers, a branch every 30 lines. */
export function gpirProgram(lines: number): string {
  const text = ['.program large', '.live_out @r0'];
  let value = 0;
  for (let block = 0; text.length < lines; block++) {
    text.push(
      `block${block}:`,
      `  %v${value} = ld_att a${block % 16}.x`,
      `  %v${value + 1} = ld_reg @r${block % 17}`,
    );
    value += 2;
    for (let k = 0; k < 26; k++, value++)
      text.push(
        k % 5 === 0
          ? `  %v${value} = ld_uni u${value % 300}.${'xyzw'[value % 4]}`
          : `  %v${value} = ${['add', 'mul', 'max'][k % 3]} %v${value - 1}, -%v${value - 2}`,
      );
    text.push(`  st_reg @r${block % 17}, %v${value - 1}`, `  branch_cond block${block + 1}, %v${value - 2}`);
    if (text.length >= lines) text.push(`block${block + 1}:`, `  st_var v0.x, %v${value - 1}`);
  }
  return `${text.join('\n')}\n`;
}
