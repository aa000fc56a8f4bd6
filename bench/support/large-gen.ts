/**
 * A SIMD4x2 program of `size` instructions, the same at each call: a moving window of values, each made of two that
 * are still wanted, with an if-block and a loop now and then. With `spills` more values are wanted than there are
 * registers.
 */
export function largeGenText(size: number, spills: boolean): string {
  const window = spills ? 130 : 60;
  let state = 12345;
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  const lines: string[] = [];
  const add = (text: string): void => {
    lines.push(`${lines.length}: ${text}`);
  };
  const live: number[] = [];
  let next = 0;
  const define = (operands: (register: string) => string): void => {
    const register = next++;
    add(operands(`vgrf${register}`));
    live.push(register);
    if (live.length > window) live.splice(random(live.length - 1), 1);
  };
  const any = (): string => `vgrf${live[random(live.length)]}`;
  for (let k = 0; k < 40; k++) define((d) => `mul(8) ${d}:F, g${1 + (k % 5)}.xyzw:F, u${k}.xyzw:F`);
  while (lines.length < size - 8) {
    const kind = random(100);
    if (kind < 2) {
      add(`cmp(8).ge.f0.0 null:F, ${any()}.xxxx:F, ${any()}.yyyy:F`);
      add('(+f0.0.x) if(8) (null):UD');
      const kept = any();
      for (let k = 0; k < 6; k++) add(`add(8) ${kept}:F, ${any()}.xyzw:F, ${any()}.wzyx:F`);
      add('endif(8) (null):UD');
    } else if (kind < 30) define((d) => `mad(8) ${d}:F, ${any()}.xyzw:F, ${any()}.xxxx:F, ${any()}.xyzw:F`);
    else if (kind < 35) define((d) => `rcp(8) ${d}:F, ${any()}.xxxx:F`);
    else define((d) => `mul(8) ${d}:F, ${any()}.xyzw:F, ${any()}.yxwz:F`);
  }
  add('mov(8) m1:UD, 0U');
  add(`mov(8) m2:F, ${any()}.xyzw:F`);
  add(`mov(8) m3:F, ${any()}.xyzw:F`);
  add('vs_urb_write(8) (null):UD {mlen 3, base_mrf 1, eot}');
  return [
    '.gen 1',
    '.target hsw',
    '.stage vs',
    '.mode simd4x2',
    '.payload g0-g6',
    '.uniforms 40',
    ...lines,
  ].join('\n');
}
