import type { Function } from '../../../../ir/function.js';
import { NoRegister } from '../../../../ir/place.js';
import type { MachineCode } from '../code.js';
import { operandText } from '../operands.js';
import { calledBy, componentsOf, type Component } from './call-graph.js';
import { keptAcross } from './kept.js';
import { callSite, isCall } from './sites.js';

/** What a caller has to know of a function that it calls. */
export interface Callee {
  /**
   * `own`: a copy of it belongs to the kernel, and its registers are found together with the kernel's. `convention`:
   * it is called as any function is called that may lie elsewhere.
   */
  readonly kind: 'own' | 'convention';
  /** 32-bit registers: what is live in it at its worst (`own`), or what it uses in all (`convention`; 0: not known). */
  readonly registers: number;
  /** Somewhere in it a function is called by the convention. */
  readonly reaches: boolean;
}

/** Compiles a function for those that call it. */
export interface Compiler {
  /** As far as calls have to be known. */
  prepare(f: Function): MachineCode;
  /** What is live in it at its worst, in its final order, where its callers hold `held` registers meanwhile. */
  live(code: MachineCode, held: number): number;
  /** What it uses by itself. */
  registers(code: MachineCode): number;
}

const unknown: Callee = { kind: 'convention', registers: 0, reaches: true };

/** A function holds the low half of the address to return to; the high half is made when it returns. */
export const RETURN_ADDRESS = 1;

/** The functions that a kernel reaches, each compiled once for it, those that are called before those that call. */
export class Callees {
  private readonly known = new Map<string, Callee>();
  private readonly codes = new Map<string, MachineCode | undefined>();
  private readonly scanned = new Set<Function>();
  private readonly addressTaken = new Set<string>();
  /** A function that is called through an address may be any whose address was taken. */
  private throughAddress: Callee = unknown;

  constructor(
    private readonly definition: (name: string) => Function | undefined,
    private readonly compiler: Compiler,
  ) {}

  /** Whom call `i` of `f` calls; `enter(f)` comes first. */
  at(f: Function, i: number): Callee {
    const { callee } = callSite(f, i);
    return callee === '' ? this.throughAddress : (this.known.get(callee) ?? unknown);
  }

  /** Finds out about everything that `f` reaches. */
  enter(f: Function): void {
    this.scan(f);
    let roots = this.rootsIn(f);
    if (roots.length === 0) return;
    let components: Component[] = [];
    // what is reached may take addresses of further functions
    for (let before = -1; roots.length > before; roots = this.rootsIn(f)) {
      before = roots.length;
      components = componentsOf(roots, (name) => this.codeOf(name)?.f);
    }
    const held = this.heldIn(f, components);
    // nobody knows of those that come later in the order, as in a ring or through an address
    for (const { names } of components) for (const name of names) this.known.set(name, unknown);
    for (const component of components) this.judge(component, held);
    let registers = 0;
    for (const name of this.addressTaken)
      registers = Math.max(registers, this.known.get(name)?.registers ?? 0);
    this.throughAddress = { ...unknown, registers };
  }

  private rootsIn(f: Function): string[] {
    return [...new Set([...calledBy(f), ...this.addressTaken])].filter((name) => !this.known.has(name));
  }

  private codeOf(name: string): MachineCode | undefined {
    if (this.codes.has(name)) return this.codes.get(name);
    const f = this.definition(name);
    const code = f === undefined ? undefined : this.compiler.prepare(f);
    this.codes.set(name, code);
    if (code !== undefined) this.scan(code.f);
    return code;
  }

  private isOwn(name: string, { isRecursive }: Component): boolean {
    return !isRecursive && !this.addressTaken.has(name) && this.codes.get(name) !== undefined;
  }

  /** By function: the most registers that the functions above it hold while it runs. */
  private heldIn(root: Function, components: readonly Component[]): ReadonlyMap<string, number> {
    const held = new Map<string, number>();
    const note = (f: Function, base: number): void => {
      for (let i = 0; i < f.instructionCount; i++) {
        if (!isCall(f, i)) continue;
        const { callee } = callSite(f, i);
        held.set(callee, Math.max(held.get(callee) ?? 0, base + keptAcross(f, i)));
      }
    };
    note(root, 0);
    for (let k = components.length - 1; k >= 0; k--)
      for (const name of components[k].names) {
        const code = this.codes.get(name);
        const isOwn = this.isOwn(name, components[k]);
        if (code !== undefined) note(code.f, isOwn ? (held.get(name) ?? 0) + RETURN_ADDRESS : 0);
      }
    return held;
  }

  private judge(component: Component, held: ReadonlyMap<string, number>): void {
    for (const name of component.names) {
      const code = this.codes.get(name);
      if (code === undefined) continue;
      const isOwn = this.isOwn(name, component);
      this.known.set(name, {
        kind: isOwn ? 'own' : 'convention',
        registers: isOwn ? this.compiler.live(code, held.get(name) ?? 0) : this.compiler.registers(code),
        reaches: !isOwn || this.reaches(code.f),
      });
    }
  }

  private reaches(f: Function): boolean {
    for (let i = 0; i < f.instructionCount; i++) if (isCall(f, i) && this.at(f, i).reaches) return true;
    return false;
  }

  /** Notes the functions whose address `f` takes. */
  private scan(f: Function): void {
    if (this.scanned.has(f)) return;
    this.scanned.add(f);
    const isSeen = new Set<string>();
    for (let i = 0; i < f.instructionCount; i++) {
      const calleeAt = isCall(f, i) ? callSite(f, i).calleeAt : -1;
      for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
        if (f.operandPlace[o] !== (NoRegister.Symbol as number) || o === calleeAt) continue;
        const name = operandText(f, o);
        if (isSeen.has(name)) continue;
        isSeen.add(name);
        if (this.definition(name) !== undefined) this.addressTaken.add(name);
      }
    }
  }
}
