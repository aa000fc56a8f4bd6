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
  | { readonly kind: 'outer' | 'atomic' | 'receive' }
  | { readonly kind: 'leave'; readonly how: 'branch' | 'return' | 'exit' }
  /** By the name of the variable, or of the depot, with an offset; under a guard. */
  | { readonly kind: 'named'; readonly object: number; readonly offset: number; readonly isStore: boolean }
  /** A pointer goes through memory, or is one of two, or walks over an object. */
  | { readonly kind: 'stash' | 'select'; readonly object: number; readonly other: number }
  | { readonly kind: 'walk'; readonly object: number; readonly step: number }
  /** A variable of an inner scope. */
  | { readonly kind: 'scope'; readonly count: number; readonly body: readonly StackStatement[] }
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
  /**
   * What functions do with a pointer that may be to a frame: take it as it is; ask `isspacep.local` first; or take it
   * for a local one, as all are in such a module.
   */
  readonly pointers: 'generic' | 'asked' | 'local';
}

const object: fc.Arbitrary<StackObject> = fc.record({
  type: fc.constantFrom('u32', 'u8', 'u16', 'u64'),
  count: fc.constantFrom(32, 64),
  alignment: fc.constantFrom(8, 16, 32, 64, 128),
});

const { statement } = fc.letrec<{ statement: StackStatement; block: readonly StackStatement[] }>((tie) => ({
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<StackStatement>({ kind: 'outer' }, { kind: 'atomic' }, { kind: 'receive' }),
    fc.record({ kind: fc.constant('leave'), how: fc.constantFrom('branch', 'return', 'exit') }),
    fc.record({
      kind: fc.constant('named'),
      object: fc.nat(2),
      offset: fc.nat(7),
      isStore: fc.boolean(),
    }),
    fc.record({ kind: fc.constantFrom('stash', 'select'), object: fc.nat(2), other: fc.nat(2) }),
    fc.record({ kind: fc.constant('walk'), object: fc.nat(2), step: fc.constantFrom(4, 8, 12) }),
    fc.record({ kind: fc.constant('scope'), count: fc.integer({ min: 8, max: 20 }), body: tie('block') }),
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
  pointers: fc.constantFrom('generic', 'local'),
});

/** Modules of which a part has to stay as it is. */
export const randomMixedModule: fc.Arbitrary<StackModule> = randomStackModule.map((m) => ({
  ...m,
  pointers: 'asked',
}));

const WORDS: StackObject = { type: 'u32', count: 32, alignment: 8 };

const bytesOf = (o: StackObject): number => o.count * (Number(o.type.slice(1)) / 8);

/** Of each object: registers with its local and its generic address, and a name with an offset. */
interface Addresses {
  readonly locals: readonly string[];
  readonly generics: readonly string[];
  readonly names: readonly string[];
}

/** Writes one function; registers are numbered as they are needed. */
class Writer {
  readonly lines: string[] = [];
  private registers = { r: 0, d: 0, p: 0 };
  private labels = 0;

  constructor(
    private readonly names: readonly string[],
    private readonly f: StackFunction,
    private readonly isKernel: boolean,
    private readonly pointers: StackModule['pointers'],
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
  frame(suffix: string): Addresses {
    const { objects, isDepot } = this.f;
    const locals: string[] = [];
    const generics: string[] = [];
    const names: string[] = [];
    if (objects.length === 0) return { locals, generics, names };
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
        names.push(`__local_depot${suffix}+${offset}`);
      }
    } else {
      objects.forEach((o, k) => {
        const name = `object${k}`;
        this.line(`.local .align ${o.alignment} .${o.type.replace('u', 'b')} ${name}[${o.count}];`);
        const [local, generic] = [this.fresh('d'), this.fresh('d')];
        this.line(`mov.u64 ${local}, ${name};`, `cvta.local.u64 ${generic}, ${local};`);
        locals.push(local);
        generics.push(generic);
        names.push(`${name}+0`);
      });
    }
    objects.forEach((o, k) => this.fill(locals[k], bytesOf(o), 'local'));
    return { locals, generics, names };
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

  statements(list: readonly StackStatement[], frame: Addresses): void {
    for (const s of list) this.statement(s, frame);
  }

  private statement(s: StackStatement, frame: Addresses): void {
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
        if (s.how === 'return' && !this.isKernel) {
          this.line(`@${leaves} st.param.b32 [result], %x;`, `@${leaves} ret;`);
        } else this.line(`@${leaves} ${s.how === 'exit' ? 'exit' : 'bra $leave'};`);
        return;
      }
      case 'receive': {
        const [isLocal, local, value] = [this.fresh('p'), this.fresh('d'), this.fresh('r')];
        if (this.pointers === 'generic') this.line(`ld.u32 ${value}, [%q+4];`);
        else if (this.pointers === 'local')
          this.line(`cvta.to.local.u64 ${local}, %q;`, `ld.local.u32 ${value}, [${local}+4];`);
        else {
          this.line(`isspacep.local ${isLocal}, %q;`, `mov.u64 ${local}, %q;`);
          this.line(`@${isLocal} cvta.to.local.u64 ${local}, %q;`);
          this.line(`@${isLocal} ld.local.u32 ${value}, [${local}+4];`);
          this.line(`@!${isLocal} ld.global.u32 ${value}, [${local}+4];`);
        }
        this.mix(value);
        return;
      }
      case 'named': {
        if (objects.length === 0) return;
        const at = `${frame.names[s.object % objects.length]}+${4 * s.offset}`.replace(
          /\+(\d+)\+(\d+)$/,
          (_, a, b) => `+${Number(a) + Number(b)}`,
        );
        const [bits, holds, value] = [this.fresh('r'), this.fresh('p'), this.fresh('r')];
        this.line(`and.b32 ${bits}, %x, 2;`, `setp.ne.u32 ${holds}, ${bits}, 0;`);
        if (s.isStore) this.line(`@${holds} st.local.u32 [${at}], %x;`);
        else {
          this.line(`mov.u32 ${value}, 5;`, `@${holds} ld.local.u32 ${value}, [${at}];`);
          this.mix(value);
        }
        return;
      }
      case 'stash': {
        if (objects.length === 0) return;
        const slot = frame.locals[s.other % objects.length];
        const [pointer, value, wide] = [this.fresh('d'), this.fresh('r'), this.fresh('d')];
        this.line(`st.local.u64 [${slot}+8], ${frame.generics[s.object % objects.length]};`);
        this.line(`ld.local.u64 ${pointer}, [${slot}+8];`, `st.u32 [${pointer}+20], %x;`);
        this.line(`ld.u32 ${value}, [${pointer}+24];`);
        // an address must not be seen in what is computed
        this.line(`cvt.u64.u32 ${wide}, %x;`, `st.local.u64 [${slot}+8], ${wide};`);
        this.mix(value);
        return;
      }
      case 'select': {
        const one = frame.generics.at(s.object) ?? '%q';
        const two = frame.generics.at(s.other) ?? '%q';
        const [bits, holds, pointer] = [this.fresh('r'), this.fresh('p'), this.fresh('d')];
        this.line(`and.b32 ${bits}, %x, 8;`, `setp.ne.u32 ${holds}, ${bits}, 0;`);
        this.line(`selp.b64 ${pointer}, ${one}, ${two}, ${holds};`);
        const value = this.fresh('r');
        const address = this.element(pointer, 8, 4);
        this.line(`ld.u32 ${value}, [${address}];`, `st.u32 [${address}], %x;`);
        this.mix(value);
        return;
      }
      case 'walk': {
        if (objects.length === 0) return;
        const k = s.object % objects.length;
        const [at, end, value, again] = [this.fresh('d'), this.fresh('d'), this.fresh('r'), this.fresh('p')];
        const loop = this.label();
        this.line(`mov.u64 ${at}, ${frame.locals[k]};`, `add.u64 ${end}, ${at}, 24;`, `${loop}:`);
        this.line(`ld.local.u32 ${value}, [${at}];`, `add.u32 ${value}, ${value}, %x;`);
        this.line(`st.local.u32 [${at}], ${value};`, `add.u64 ${at}, ${at}, ${s.step};`);
        this.line(`setp.lt.u64 ${again}, ${at}, ${end};`, `@${again} bra ${loop};`);
        this.mix(value);
        return;
      }
      case 'scope': {
        const [local, generic, outer, value] = [
          this.fresh('d'),
          this.fresh('d'),
          this.fresh('d'),
          this.fresh('r'),
        ];
        this.line('{', `.local .align 4 .b32 inner[${s.count}];`);
        this.line(`mov.u64 ${local}, inner;`, `cvta.local.u64 ${generic}, ${local};`);
        this.fill(local, 4 * s.count, 'local');
        this.line(`mov.u64 ${outer}, %q;`, `mov.u64 %q, ${generic};`);
        this.statements(s.body, frame);
        this.line(`ld.local.u32 ${value}, [inner+${4 * (s.count - 1)}];`, `mov.u64 %q, ${outer};`, '}');
        this.mix(value);
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

  private call(s: Extract<StackStatement, { kind: 'call' }>, { generics }: Addresses): void {
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

function functionText(name: string, f: StackFunction, names: readonly string[], m: StackModule): string {
  const w = new Writer(names, f, false, m.pointers);
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
  const isLocal = m.pointers === 'local';
  const objects = isLocal && m.kernel.objects.length === 0 ? [WORDS] : m.kernel.objects;
  const w = new Writer(names, { ...m.kernel, objects }, true, m.pointers);
  const frame = w.frame('kernel');
  if (isLocal) w.line(`mov.u64 %q, ${frame.generics[0]};`);
  w.statements(m.kernel.body, frame);
  return `.visible .entry k (.param .b64 out, .param .b64 scratch)
{
  .reg .b32 %x, %depth, %block, %height, %warp, %lane, %width, %thread;
  .reg .b64 %q, %out, %at;
${w.declarations()}
  ld.param.b64 %out, [out];
  ld.param.b64 %q, [scratch];
  mov.u32 %block, %ctaid.x;
  mov.u32 %height, %ntid.y;
  mov.u32 %warp, %tid.y;
  mad.lo.u32 %warp, %block, %height, %warp;
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

${m.functions.map((f, k) => functionText(names[k], f, names, m)).join('\n')}
${kernelText(m, names)}`;
}
