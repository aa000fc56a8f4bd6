/**
 * Programs in the dump's syntax from a seed: arithmetic with write masks, predicates and partial writes, nested `if`
 * and loops that some lanes leave early, messages with payloads and results of several registers. More values are
 * alive than the register limit allows, and everything ends in what the thread sends.
 */
export interface Shape {
  readonly seed: number;
  readonly dialect: 'vec4' | 'scalar';
  readonly width: 8 | 16;
  readonly registers: number;
  readonly length: number;
}

/** Numbers from 0 to n - 1 (Numerical Recipes' linear congruence). */
export function randomOf(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const masks = ['', '', '', '.x', '.xy', '.yzw', '.w', '.xz'];
const letters = 'xyzw';

export function randomText({ seed, dialect, width, registers, length }: Shape): string {
  const random = randomOf(seed);
  const isVec4 = dialect === 'vec4';
  const lines: string[] = [];
  const sizes = new Map<number, number>();
  const grfs = width / 8;
  const pick = (): number => random(registers);
  let next = registers;
  const swizzle = (): string =>
    random(2) === 0 ? '.xyzw' : `.${[0, 1, 2, 3].map(() => letters[random(4)]).join('')}`;
  const general = (): string => {
    const kind = random(8);
    if (kind === 0) return isVec4 ? `g${2 + random(3)}.0${swizzle()}:F` : `g${2 + grfs * random(2)}:F`;
    if (kind === 1) return isVec4 ? `u${random(4)}.xxxx:F` : `g${6}<0>:F`;
    return `${random(4) === 0 ? '-' : ''}vgrf${pick()}${isVec4 ? swizzle() : ''}:F`;
  };
  const destination = (): string => `vgrf${pick()}${isVec4 ? masks[random(masks.length)] : ''}:F`;
  const head = (name: string): string => `${name}(${width})`;
  const compare = (): void => {
    const test = random(2) === 0 ? 'l' : 'ge';
    lines.push(
      isVec4
        ? `cmp(8).${test}.f0.0 null.x:F, ${general()}, ${general()}`
        : `cmp.${test}.f0.0(${width}) null:F, ${general()}, ${general()}`,
    );
  };
  const predicate = isVec4 ? '(+f0.0.x)' : '(+f0.0)';
  const message = (): void => {
    const payload = next++;
    const result = next++;
    sizes.set(payload, 2 * grfs);
    sizes.set(result, 4 * grfs);
    for (const part of [0, 1])
      lines.push(`${head('mov')} vgrf${payload}+${part * grfs}.0:F, vgrf${pick()}:F`);
    lines.push(
      `send(${width}) (mlen: ${2 * grfs}) vgrf${result}:F, 0u, 0u, vgrf${payload}:F {mlen ${2 * grfs}, rlen ${4 * grfs}, sfid sampler, desc 0x20001}`,
    );
    for (let part = 0; part < 4; part++)
      if (random(3) > 0)
        lines.push(`${head('add')} vgrf${pick()}:F, vgrf${result}+${part * grfs}.0:F, vgrf${pick()}:F`);
  };
  const emit = (budget: number, depth: number): void => {
    for (let k = 0; k < budget; k++) {
      const kind = random(20);
      if (kind === 0 && depth < 2) {
        compare();
        lines.push(`${predicate} if(${width}) (null):UD${isVec4 ? '' : ',  '}`);
        emit(1 + random(6), depth + 1);
        if (random(2) === 0) {
          lines.push(`else(${width}) (null):UD${isVec4 ? '' : ',  '}`);
          emit(1 + random(6), depth + 1);
        }
        lines.push(`endif(${width}) (null):UD${isVec4 ? '' : ',  '}`);
      } else if (kind === 1 && depth < 2) {
        const counter = next++;
        const one = isVec4
          ? `vgrf${counter}.x:D, vgrf${counter}.xxxx:D, 1D`
          : `vgrf${counter}:D, vgrf${counter}:D, 1d`;
        lines.push(isVec4 ? `mov(8) vgrf${counter}.x:D, 0D` : `mov(${width}) vgrf${counter}:D, 0d`);
        sizes.set(counter, isVec4 ? 1 : grfs);
        lines.push(`do(${width}) (null):UD${isVec4 ? '' : ',  '}`);
        lines.push(
          isVec4
            ? `cmp(8).ge.f0.0 null.x:D, vgrf${counter}.xxxx:D, 3D`
            : `cmp.ge.f0.0(${width}) null:D, vgrf${counter}:D, 3d`,
        );
        lines.push(`${predicate} break(${width}) (null):UD${isVec4 ? '' : ',  '}`);
        emit(2 + random(6), depth + 1);
        if (random(2) === 0) {
          compare();
          lines.push(`${predicate} break(${width}) (null):UD${isVec4 ? '' : ',  '}`);
          emit(1 + random(3), depth + 1);
        }
        lines.push(`${head('add')} ${one}`);
        lines.push(`while(${width}) (null):UD${isVec4 ? '' : ',  '}`);
      } else if (kind === 2) {
        compare();
        lines.push(`(+f0.0) ${head('mov')} ${destination()}, ${general()}`);
      } else if (kind === 3) {
        compare();
        lines.push(`(+f0.0) ${head('sel')} ${destination()}, ${general()}, ${general()}`);
      } else if (kind < 6 && !isVec4) message();
      else if (kind < 8)
        lines.push(
          `${head('mad')} ${destination()}, vgrf${pick()}${isVec4 ? swizzle() : ''}:F, vgrf${pick()}${isVec4 ? swizzle() : ''}:F, vgrf${pick()}${isVec4 ? swizzle() : ''}:F`,
        );
      else lines.push(`${head(['add', 'mul'][random(2)])} ${destination()}, ${general()}, ${general()}`);
    }
  };
  for (let register = 0; register < registers; register++) {
    sizes.set(register, isVec4 ? 1 : grfs);
    if (random(6) > 0)
      lines.push(
        isVec4
          ? `${head('add')} vgrf${register}:F, g${2 + random(3)}.0.xyzw:F, u${random(4)}.xyzw:F`
          : `${head('add')} vgrf${register}:F, g${2 + grfs * random(2)}:F, g6<0>:F`,
      );
  }
  emit(length, 0);
  if (isVec4) {
    for (let m = 0; m < 4; m++) lines.push(`mov(8) m${2 + m}:F, vgrf${pick()}.xyzw:F`);
    lines.push('vs_urb_write(8) (null):UD {mlen 5, base_mrf 1, rlen 0, eot}');
  } else {
    const payload = next++;
    sizes.set(payload, 4 * grfs);
    for (let part = 0; part < 4; part++)
      lines.push(`${head('mov')} vgrf${payload}+${part * grfs}.0:F, vgrf${pick()}:F`);
    lines.push(
      `send(${width}) (mlen: ${4 * grfs}) (EOT) (null):UD, 0u, 0u, vgrf${payload}:F {mlen ${4 * grfs}, rlen 0, eot, sfid render_cache, desc 0x31400}`,
    );
  }
  return [
    '.gen 1',
    '.target hsw',
    `.stage ${isVec4 ? 'vs' : 'fs'}`,
    `.mode ${isVec4 ? 'simd4x2' : `simd${width}`}`,
    '.phase virtual',
    `.payload g0-g${isVec4 ? 4 : 6}`,
    ...(isVec4 ? ['.uniforms 4'] : []),
    ...[...sizes].map(([register, size]) => `.vgrf ${register} size ${size}`),
    ...lines,
  ].join('\n');
}
