import fc from 'fast-check';

/**
 * Random PTX modules whose functions keep automatic data in `.local` memory: arrays of several types and alignments
 * with computed indices, a depot as compilers write it or variables by name, pointers to them handed to callees, call
 * trees and recursion with bounded depth, direct and indirect calls, early returns, branches, loops, `alloca` with
 * and without `stacksave`, argument lists of `vprintf`, atomics on what others share. What a thread computes depends on its
 * number and nothing else, so that a run is the same however threads are interleaved.
 *
 * Each function is `f(x, p, depth) -> x`, p being the generic address of 32 bytes that somebody up the call tree owns.
 */
export interface StackObject {
  readonly type: 'u8' | 'u16' | 'u32' | 'u64';
  /** A power of two; together at least 32 bytes. */
  readonly count: number;
  readonly alignment: number;
}

export type StackStatement =
  | { readonly kind: 'store' | 'load'; readonly object: number; readonly isGeneric: boolean }
  | { readonly kind: 'vector'; readonly object: number; readonly isStore: boolean }
  | { readonly kind: 'outer' | 'atomic' | 'leave' }
  | { readonly kind: 'print'; readonly object: number }
  | { readonly kind: 'call'; readonly callee: number; readonly object: number; readonly isIndirect: boolean }
  | {
      readonly kind: 'if';
      readonly then: readonly StackStatement[];
      readonly otherwise: readonly StackStatement[];
    }
  | { readonly kind: 'loop'; readonly count: number; readonly body: readonly StackStatement[] }
  | { readonly kind: 'alloca'; readonly restores: boolean; readonly body: readonly StackStatement[] };

export interface StackFunction {
  readonly objects: readonly StackObject[];
  /** One `.local` array with offsets, or a variable for each object. */
  readonly isDepot: boolean;
  readonly body: readonly StackStatement[];
}

export interface StackModule {
  readonly functions: readonly StackFunction[];
  /** Whether the kernel has a frame of its own. */
  readonly kernel: StackFunction;
  /** Each lane computes with its own number, or all of a warp with the warp's. */
  readonly isPerLane: boolean;
}

const object: fc.Arbitrary<StackObject> = fc.record({
  type: fc.constantFrom('u32', 'u8', 'u16', 'u64'),
  count: fc.constantFrom(32, 64),
  alignment: fc.constantFrom(8, 16, 32, 64),
});

const { statement } = fc.letrec<{ statement: StackStatement; block: readonly StackStatement[] }>((tie) => ({
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<StackStatement>({ kind: 'outer' }, { kind: 'atomic' }, { kind: 'leave' }),
    fc.record({ kind: fc.constantFrom('store', 'load'), object: fc.nat(2), isGeneric: fc.boolean() }),
    fc.record({ kind: fc.constant('vector'), object: fc.nat(2), isStore: fc.boolean() }),
    fc.record({ kind: fc.constant('print'), object: fc.nat(2) }),
    fc.record({
      kind: fc.constant('call'),
      callee: fc.nat(3),
      object: fc.nat(3),
      isIndirect: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('if'), then: tie('block'), otherwise: tie('block') }),
    fc.record({ kind: fc.constant('loop'), count: fc.integer({ min: 1, max: 3 }), body: tie('block') }),
    fc.record({ kind: fc.constant('alloca'), restores: fc.boolean(), body: tie('block') }),
  ),
  block: fc.array(tie('statement'), { maxLength: 3 }),
}));

const functionOf = fc.record({
  objects: fc.array(object, { maxLength: 3 }),
  isDepot: fc.boolean(),
  body: fc.array(statement, { minLength: 1, maxLength: 6 }),
});

export const randomStackModule: fc.Arbitrary<StackModule> = fc.record({
  functions: fc.array(functionOf, { minLength: 1, maxLength: 4 }),
  kernel: functionOf,
  isPerLane: fc.boolean(),
});

const bytesOf = (o: StackObject): number => o.count * (Number(o.type.slice(1)) / 8);

/** Writes one function; registers are numbered as they are needed. */
class Writer {
  readonly lines: string[] = [];
  private registers = { r: 0, d: 0, p: 0 };
  private labels = 0;

  constructor(
    private readonly names: readonly string[],
    private readonly f: StackFunction,
    /** What returns early. */
    private readonly leave: string,
  ) {}

  fresh(kind: 'r' | 'd' | 'p'): string {
    return `%${kind}${this.registers[kind]++}`;
  }

  declarations(): string {
    const { r, d, p } = this.registers;
    return `  .reg .b32 %r<${r + 1}>;\n  .reg .b64 %d<${d + 1}>;\n  .reg .pred %p<${p + 1}>;`;
  }

  line(...texts: string[]): void {
    this.lines.push(...texts.map((text) => `  ${text}`));
  }

  label(): string {
    return `$L${this.labels++}`;
  }

  /** Declares the frame and writes every byte of it. `locals` and `generics` hold an address of each object. */
  frame(suffix: string): { locals: string[]; generics: string[] } {
    const { objects, isDepot } = this.f;
    const locals: string[] = [];
    const generics: string[] = [];
    if (objects.length === 0) return { locals, generics };
    if (isDepot) {
      const alignment = Math.max(...objects.map((o) => o.alignment));
      let size = 0;
      const offsets = objects.map((o) => {
        const start = Math.ceil(size / o.alignment) * o.alignment;
        size = start + bytesOf(o);
        return start;
      });
      this.line(`.local .align ${alignment} .b8 __local_depot${suffix}[${size}];`);
      this.line('.reg .b64 %SP;', '.reg .b64 %SPL;');
      this.line(`mov.u64 %SPL, __local_depot${suffix};`, 'cvta.local.u64 %SP, %SPL;');
      for (const offset of offsets) {
        const [local, generic] = [this.fresh('d'), this.fresh('d')];
        this.line(`add.u64 ${local}, %SPL, ${offset};`, `add.u64 ${generic}, %SP, ${offset};`);
        locals.push(local);
        generics.push(generic);
      }
    } else {
      objects.forEach((o, k) => {
        const name = `object${k}`;
        this.line(`.local .align ${o.alignment} .${o.type.replace('u', 'b')} ${name}[${o.count}];`);
        const [local, generic] = [this.fresh('d'), this.fresh('d')];
        this.line(`mov.u64 ${local}, ${name};`, `cvta.local.u64 ${generic}, ${local};`);
        locals.push(local);
        generics.push(generic);
      });
    }
    objects.forEach((o, k) => this.fill(locals[k], bytesOf(o), 'local'));
    return { locals, generics };
  }

  /** Stores words made from `%x` in all of an object, in a loop. */
  fill(address: string, bytes: number, space: 'local' | 'generic'): void {
    const [at, count, value, again] = [this.fresh('d'), this.fresh('r'), this.fresh('r'), this.fresh('p')];
    const loop = this.label();
    this.line(`mov.u64 ${at}, ${address};`, `mov.u32 ${count}, 0;`, `${loop}:`);
    this.line(`mad.lo.u32 ${value}, ${count}, 40503, %x;`);
    this.line(`st${space === 'local' ? '.local' : ''}.u32 [${at}], ${value};`);
    this.line(`add.u64 ${at}, ${at}, 4;`, `add.u32 ${count}, ${count}, 1;`);
    this.line(`setp.lt.u32 ${again}, ${count}, ${bytes / 4};`, `@${again} bra ${loop};`);
  }

  /** Mixes a register into `%x`. */
  mix(value: string): void {
    this.line('mul.lo.u32 %x, %x, 16777619;', `xor.b32 %x, %x, ${value};`);
  }

  /** Address of an element that `%x` chooses. */
  element(base: string, count: number, size: number): string {
    const [index, wide, address] = [this.fresh('r'), this.fresh('d'), this.fresh('d')];
    this.line(`shr.u32 ${index}, %x, 3;`, `and.b32 ${index}, ${index}, ${count - 1};`);
    this.line(`mul.wide.u32 ${wide}, ${index}, ${size};`, `add.u64 ${address}, ${base}, ${wide};`);
    return address;
  }

  statements(list: readonly StackStatement[], frame: { locals: string[]; generics: string[] }): void {
    for (const s of list) this.statement(s, frame);
  }

  private statement(s: StackStatement, frame: { locals: string[]; generics: string[] }): void {
    const { objects } = this.f;
    switch (s.kind) {
      case 'store':
      case 'load': {
        if (objects.length === 0) return;
        const k = s.object % objects.length;
        const { type, count } = objects[k];
        const size = Number(type.slice(1)) / 8;
        const address = this.element((s.isGeneric ? frame.generics : frame.locals)[k], count, size);
        const space = s.isGeneric ? '' : '.local';
        if (type === 'u64') {
          const value = this.fresh('d');
          if (s.kind === 'store')
            this.line(`cvt.u64.u32 ${value}, %x;`, `st${space}.u64 [${address}], ${value};`);
          else {
            const low = this.fresh('r');
            this.line(`ld${space}.u64 ${value}, [${address}];`, `cvt.u32.u64 ${low}, ${value};`);
            this.mix(low);
          }
        } else if (s.kind === 'store') this.line(`st${space}.${type} [${address}], %x;`);
        else {
          const value = this.fresh('r');
          this.line(`ld${space}.${type} ${value}, [${address}];`);
          this.mix(value);
        }
        return;
      }
      case 'vector': {
        if (objects.length === 0) return;
        const k = s.object % objects.length;
        const [a, b] = [this.fresh('r'), this.fresh('r')];
        if (s.isStore) {
          this.line(`add.u32 ${a}, %x, 1;`, `add.u32 ${b}, %x, 2;`);
          this.line(`st.local.v2.u32 [${frame.locals[k]}+8], {${a}, ${b}};`);
        } else {
          this.line(`ld.v2.u32 {${a}, ${b}}, [${frame.generics[k]}+16];`);
          this.mix(a);
          this.mix(b);
        }
        return;
      }
      case 'outer': {
        const address = this.element('%q', 8, 4);
        const value = this.fresh('r');
        this.line(`ld.u32 ${value}, [${address}];`);
        this.mix(value);
        this.line(`st.u32 [${address}], %x;`);
        return;
      }
      case 'atomic': {
        const [address, value] = [this.fresh('d'), this.fresh('r')];
        this.line(`mov.u64 ${address}, counter;`, `and.b32 ${value}, %x, 255;`);
        this.line(`red.global.add.u32 [${address}], ${value};`);
        return;
      }
      case 'leave': {
        const [bits, leaves] = [this.fresh('r'), this.fresh('p')];
        this.line(`and.b32 ${bits}, %x, 31;`, `setp.eq.u32 ${leaves}, ${bits}, 5;`);
        this.line(`@${leaves} bra ${this.leave};`);
        return;
      }
      case 'print': {
        if (objects.length === 0) return;
        const k = s.object % objects.length;
        const [format, result] = [this.fresh('d'), this.fresh('r')];
        this.line(`st.local.u32 [${frame.locals[k]}], %x;`, `mov.u64 ${format}, format;`);
        this.line('{', '.param .b64 a0;', '.param .b64 a1;', '.param .b32 r0;');
        this.line(`st.param.b64 [a0], ${format};`, `st.param.b64 [a1], ${frame.generics[k]};`);
        this.line('call (r0), vprintf, (a0, a1);', `ld.param.b32 ${result}, [r0];`, '}');
        this.mix(result);
        return;
      }
      case 'call':
        this.call(s, frame);
        return;
      case 'if': {
        const [bits, chosen] = [this.fresh('r'), this.fresh('p')];
        const [other, join] = [this.label(), this.label()];
        this.line(
          `and.b32 ${bits}, %x, 4;`,
          `setp.eq.u32 ${chosen}, ${bits}, 0;`,
          `@${chosen} bra ${other};`,
        );
        this.statements(s.then, frame);
        this.line('add.u32 %x, %x, 77;', `bra ${join};`, `${other}:`);
        this.statements(s.otherwise, frame);
        this.line('add.u32 %x, %x, 1234567;', `${join}:`);
        return;
      }
      case 'loop': {
        const [count, again] = [this.fresh('r'), this.fresh('p')];
        const loop = this.label();
        this.line(`mov.u32 ${count}, 0;`, `${loop}:`);
        this.statements(s.body, frame);
        this.line(`add.u32 ${count}, ${count}, 1;`, 'add.u32 %x, %x, 99991;');
        this.line(`setp.lt.u32 ${again}, ${count}, ${s.count};`, `@${again} bra ${loop};`);
        return;
      }
      case 'alloca': {
        const [saved, bits, size, local, generic] = [
          this.fresh('d'),
          this.fresh('r'),
          this.fresh('d'),
          this.fresh('d'),
          this.fresh('d'),
        ];
        if (s.restores) this.line(`stacksave.u64 ${saved};`);
        this.line(`and.b32 ${bits}, %x, 3;`, `mad.lo.u32 ${bits}, ${bits}, 12, 36;`);
        this.line(`cvt.u64.u32 ${size}, ${bits};`, `alloca.u64 ${local}, ${size}, 16;`);
        this.line(`cvta.local.u64 ${generic}, ${local};`);
        this.fill(generic, 36, 'generic');
        const outer = this.fresh('d');
        this.line(`mov.u64 ${outer}, %q;`, `mov.u64 %q, ${generic};`);
        this.statements(s.body, frame);
        const value = this.fresh('r');
        this.line(`ld.local.u32 ${value}, [${local}+32];`, `mov.u64 %q, ${outer};`);
        this.mix(value);
        if (s.restores) this.line(`stackrestore.u64 ${saved};`);
      }
    }
  }

  private call(
    s: Extract<StackStatement, { kind: 'call' }>,
    { generics }: { readonly generics: readonly string[] },
  ): void {
    const name = this.names[s.callee % this.names.length];
    const pointer = generics.at(s.object) ?? '%q';
    const [isLast, rest, skip] = [this.fresh('p'), this.fresh('r'), this.label()];
    this.line(`setp.eq.u32 ${isLast}, %depth, 0;`, `@${isLast} bra ${skip};`, `sub.u32 ${rest}, %depth, 1;`);
    const target = this.fresh('d');
    if (s.isIndirect) this.line(`mov.u64 ${target}, ${name};`);
    this.line('{', '.param .b32 a0;', '.param .b64 a1;', '.param .b32 a2;', '.param .b32 r0;');
    this.line(`st.param.b32 [a0], %x;`, `st.param.b64 [a1], ${pointer};`, `st.param.b32 [a2], ${rest};`);
    if (s.isIndirect) {
      const prototype = `prototype${this.labels++}`;
      this.line(
        `${prototype}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _, .param .b32 _);`,
      );
      this.line(`call (r0), ${target}, (a0, a1, a2), ${prototype};`);
    } else this.line(`call (r0), ${name}, (a0, a1, a2);`);
    this.line('ld.param.b32 %x, [r0];', '}', `${skip}:`);
  }
}

const SIGNATURE = '(.param .b32 result) NAME (.param .b32 in0, .param .b64 in1, .param .b32 in2)';

function functionText(name: string, f: StackFunction, names: readonly string[]): string {
  const w = new Writer(names, f, '$leave');
  const frame = w.frame(name);
  w.statements(f.body, frame);
  return `.func ${SIGNATURE.replace('NAME', name)}
{
  .reg .b32 %x, %depth;
  .reg .b64 %q;
${w.declarations()}
  ld.param.b32 %x, [in0];
  ld.param.b64 %q, [in1];
  ld.param.b32 %depth, [in2];
${w.lines.join('\n')}
  st.param.b32 [result], %x;
  ret;
$leave:
  xor.b32 %x, %x, 1431655765;
  st.param.b32 [result], %x;
  ret;
}
`;
}

/** Calls nest so deep. */
const DEPTH = 3;

function kernelText(m: StackModule, names: readonly string[]): string {
  const w = new Writer(names, m.kernel, '$leave');
  const frame = w.frame('kernel');
  w.statements(m.kernel.body, frame);
  return `.visible .entry k (.param .b64 out, .param .b64 scratch)
{
  .reg .b32 %x, %depth, %warp, %lane, %width, %thread;
  .reg .b64 %q, %out, %at;
${w.declarations()}
  ld.param.b64 %out, [out];
  ld.param.b64 %q, [scratch];
  mov.u32 %warp, %tid.y;
  mov.u32 %lane, %tid.x;
  mov.u32 %width, %ntid.x;
  mad.lo.u32 %thread, %warp, %width, %lane;
  mul.wide.u32 %at, %thread, 4;
  add.u64 %out, %out, %at;
  mul.wide.u32 %at, %thread, 32;
  add.u64 %q, %q, %at;
  mov.u32 %x, ${m.isPerLane ? '%thread' : '%warp'};
  mad.lo.u32 %x, %x, 747796405, 305419896;
  mov.u32 %depth, ${DEPTH};
${w.lines.join('\n')}
$leave:
  st.u32 [%out], %x;
  ret;
}
`;
}

/** The module as PTX that ptxas assembles for sm_52 and newer. */
export function stackModuleText(m: StackModule): string {
  const names = m.functions.map((_, k) => `f${k}`);
  return `.version 8.0
.target sm_90
.address_size 64

.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 4 .u32 counter;
.global .align 1 .b8 format[4] = {37, 117, 10, 0};
${names.map((name) => `.func ${SIGNATURE.replace('NAME', name)};`).join('\n')}

${m.functions.map((f, k) => functionText(names[k], f, names)).join('\n')}
${kernelText(m, names)}`;
}
