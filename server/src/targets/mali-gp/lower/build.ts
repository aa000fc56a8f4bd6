/**
 * From the source's instructions to one graph a block. Loads become leaves; a register that the block has stored is
 * read as the stored value, so that a register leaf always means the value at the block's start; of several stores to
 * one place the last one wins.
 *
 * The machine carries nothing from block to block but registers, so a `%value` with readers in other blocks gets one:
 * stored where it is defined, a leaf where it is read. One that is itself a constant, uniform or attribute needs none.
 *
 * Temporaries of the source become registers too: their addresses are known, so the only difference is that a
 * register is nearer. Which of all of them lie in temporaries in the end, the allocation of registers decides.
 */
import { OperandFlag, placeOf, type Function } from '../../../ir/function.js';
import { bitsToFloat, componentOf, isNegated, Space, spaceOf, vectorOf } from '../../../ir/payload.js';
import { isPhysical, isVirtual, NoRegister, physicalIndex } from '../../../ir/place.js';
import type { Problem } from '../../../text/problem.js';
import type { Register, StorePlace } from '../graph.js';
import {
  constantOperand,
  isFixed,
  leafOperand,
  negated,
  type Draft,
  type DraftBlock,
  type DraftStore,
  type Exit,
  type Operand,
} from './draft.js';
import { expansions } from './expand.js';
import { NodeMaker } from './make.js';
import { neededRegisters } from './needed.js';
import { isStep, step, type Piece, type StepInput } from './sequences.js';

const VALUE_CLASS = 0;
const zero = constantOperand(0);
const components = 'xyzw';

export function build(f: Function): { readonly draft: Draft; readonly problems: readonly Problem[] } {
  const builder = new DraftBuilder(f);
  for (let b = 0; b < f.blockCount; b++) builder.block(b);
  return { draft: builder.finish(), problems: builder.problems };
}

class DraftBuilder {
  readonly problems: Problem[] = [];
  private readonly maker = new NodeMaker();
  private readonly blocks: DraftBlock[] = [];
  private readonly registers: (Omit<Register, 'isLiveIn' | 'isLiveOut'> & {
    isLiveIn: boolean;
    isLiveOut: boolean;
  })[] = [];
  private readonly registerNumbers = new Map<string, number>();
  private readonly values: (Operand | undefined)[];
  private readonly pieces = new Map<number, Piece>();
  /** By value: its block, and whether another block or an earlier place of its own reads it. */
  private readonly home: Int32Array;
  private readonly crosses: Uint8Array;

  // of the block at hand
  private current = new Map<number, Operand>();
  private stores = new Map<string, DraftStore>();
  private isDefined: Uint8Array;

  constructor(private readonly f: Function) {
    this.values = new Array<Operand | undefined>(f.registerCount).fill(undefined);
    this.home = new Int32Array(f.registerCount).fill(-1);
    this.crosses = new Uint8Array(f.registerCount);
    this.isDefined = new Uint8Array(f.registerCount);
    this.findCrossing();
  }

  block(b: number): void {
    const { f } = this;
    this.maker.startBlock();
    this.current = new Map();
    this.stores = new Map();
    let exit: Exit = b + 1 < f.blockCount ? { kind: 'jump', to: b + 1, instruction: -1 } : { kind: 'end' };
    const successors = f.successors.subarray(f.successorStart[b], f.successorStart[b + 1]);
    let choice: (Exit & { readonly kind: 'choice' }) | undefined;
    for (let i = f.blockStart[b]; i < f.blockStart[b + 1]; i++) {
      const opcode = f.opcodes.text(f.opcode[i]);
      if (opcode === 'branch_cond') choice ??= this.choice(i, successors);
      else if (opcode !== 'branch') this.instruction(opcode, i);
      else if (successors.length > 0) exit = { kind: 'jump', to: successors[0], instruction: i };
    }
    if (choice !== undefined)
      exit =
        exit.kind === 'jump'
          ? { ...choice, no: exit.to, otherwise: exit.instruction }
          : { ...choice, no: f.blockCount };
    this.blocks.push({
      label: f.blockNames[b],
      nodes: this.maker.blockNodes,
      stores: [...this.stores.values()].filter(({ to, value }) => !keepsItself(to, value)),
      exit,
      sources: [b],
    });
  }

  private choice(i: number, successors: Int32Array): (Exit & { readonly kind: 'choice' }) | undefined {
    if (successors.length === 0) return undefined;
    return {
      kind: 'choice',
      condition: this.read(this.f.operandStart[i] + 1, i),
      yes: successors[successors.length - 1],
      no: -1,
      instruction: i,
      otherwise: -1,
    };
  }

  finish(): Draft {
    // a branch in the last block that is not taken ends the program too
    const isEndWanted = this.blocks.some(
      ({ exit }) => exit.kind === 'choice' && exit.no === this.f.blockCount,
    );
    if (isEndWanted || this.blocks.length === 0)
      this.blocks.push({ label: '', nodes: [], stores: [], exit: { kind: 'end' }, sources: [] });
    return {
      name: this.f.name,
      blocks: this.blocks,
      nodes: this.maker.nodes,
      registers: this.registers,
      uniforms: Number(this.f.attributes.uniforms ?? 0),
      isNeeded: neededRegisters(this.f),
      values: this.values,
      valueNames: this.f.registerNames,
    };
  }

  private findCrossing(): void {
    const { f } = this;
    for (let b = 0; b < f.blockCount; b++)
      for (let o = f.operandStart[f.blockStart[b]]; o < f.operandStart[f.blockStart[b + 1]]; o++) {
        const place = placeOf(f, o);
        if (isVirtual(place) && (f.operandFlags[o] & OperandFlag.Definition) !== 0) this.home[place] = b;
      }
    const seen = new Uint8Array(f.registerCount);
    for (let b = 0; b < f.blockCount; b++)
      for (let o = f.operandStart[f.blockStart[b]]; o < f.operandStart[f.blockStart[b + 1]]; o++) {
        const place = placeOf(f, o);
        if (!isVirtual(place) || f.registerClass[place] !== VALUE_CLASS) continue;
        if ((f.operandFlags[o] & OperandFlag.Definition) !== 0) seen[place] = 1;
        else if (this.home[place] >= 0 && (this.home[place] !== b || seen[place] === 0))
          this.crosses[place] = 1;
      }
  }

  private instruction(opcode: string, i: number): void {
    const { f } = this;
    const first = f.operandStart[i];
    switch (opcode) {
      case 'entry':
      case 'live_out':
        this.handedOver(opcode, i);
        return;
      case 'st_reg':
      case 'st_tmp': {
        const register = this.registerAt(first);
        if (register !== undefined) this.storeRegister(register, this.read(first + 1, i), i);
        return;
      }
      case 'st_var': {
        const payload = this.payload(first);
        const to: StorePlace = {
          kind: 'varying',
          vector: vectorOf(payload),
          component: componentOf(payload),
        };
        this.store(`v${4 * to.vector + to.component}`, to, this.read(first + 1, i), i);
        return;
      }
      default:
        this.definition(opcode, i);
    }
  }

  private definition(opcode: string, i: number): void {
    const { f } = this;
    const first = f.operandStart[i];
    const place = placeOf(f, first);
    if (!isVirtual(place)) return;
    let value: Operand | undefined;
    if (opcode.startsWith('ld_') || opcode === 'const') value = this.read(first + 1, i);
    else if (isStep(opcode)) value = this.step(opcode, place, i);
    else if (Object.hasOwn(expansions, opcode)) {
      const inputs: Operand[] = [];
      for (let o = first + 1; o < f.operandStart[i + 1]; o++) inputs.push(this.read(o, i));
      value = expansions[opcode](this.maker, inputs, i);
    }
    this.values[place] = value;
    this.isDefined[place] = 1;
    if (value === undefined || this.crosses[place] === 0 || isFixed(value)) return;
    this.storeRegister(this.crossing(place), value, i, 'crossesBlocks');
  }

  /** A step of a special function that the author wrote out. */
  private step(opcode: string, place: number, i: number): Operand | undefined {
    const { f } = this;
    const inputs: StepInput[] = [];
    for (let o = f.operandStart[i] + 1; o < f.operandStart[i + 1]; o++)
      inputs.push(this.pieceAt(o, i) ?? this.read(o, i));
    const result = step(opcode, inputs);
    if (typeof result === 'string') {
      this.problem(i, `\`${opcode}\` ${result}`);
      return zero;
    }
    if ('op' in result) return this.maker.make(result.op, [result.argument], i);
    this.pieces.set(place, result);
    return undefined;
  }

  private pieceAt(operand: number, i: number): Piece | undefined {
    const place = placeOf(this.f, operand);
    if (!isVirtual(place)) return undefined;
    const isHere = this.home[place] >= 0 && i >= this.f.blockStart[this.home[place]];
    const inBlock = isHere && i < this.f.blockStart[this.home[place] + 1];
    return inBlock && !isNegated(this.payload(operand)) ? this.pieces.get(place) : undefined;
  }

  private handedOver(opcode: 'entry' | 'live_out', i: number): void {
    for (let o = this.f.operandStart[i]; o < this.f.operandStart[i + 1]; o++) {
      const register = this.registerAt(o);
      if (register === undefined) continue;
      if (opcode === 'entry') this.registers[register].isLiveIn = true;
      else this.registers[register].isLiveOut = true;
    }
  }

  private payload(operand: number): number {
    return this.f.operandPayload?.[operand] ?? 0;
  }

  /** What an operand reads, its sign included. */
  private read(operand: number, i: number): Operand {
    const payload = this.payload(operand);
    switch (placeOf(this.f, operand)) {
      case NoRegister.Immediate:
        return constantOperand(bitsToFloat(payload));
      case NoRegister.Symbol: {
        const value = this.readLocation(payload);
        return isNegated(payload) ? negated(value) : value;
      }
      default: {
        const value = this.readRegister(operand, i);
        return isNegated(payload) ? negated(value) : value;
      }
    }
  }

  private readLocation(payload: number): Operand {
    const vector = vectorOf(payload);
    const component = componentOf(payload);
    switch (spaceOf(payload)) {
      case Space.Attribute:
        return { kind: 'attribute', vector, component, negate: false };
      case Space.Uniform:
        return { kind: 'uniform', vector, component, negate: false };
      case Space.Temporary:
        return this.valueIn(this.temporary(vector, component));
      default:
        return zero;
    }
  }

  private readRegister(operand: number, i: number): Operand {
    const place = placeOf(this.f, operand);
    if (isVirtual(place) && this.f.registerClass[place] === VALUE_CLASS) return this.readValue(place, i);
    const register = this.registerAt(operand);
    return register === undefined ? zero : this.valueIn(register);
  }

  private readValue(place: number, i: number): Operand {
    const { f } = this;
    const piece = this.pieces.get(place);
    if (piece !== undefined) {
      this.problem(
        i,
        `${f.registerNames[place]} is what \`${piece.step}\` leaves and no number yet: ` +
          'only the next step of its special function can read it, in the same block',
      );
      return zero;
    }
    const home = this.home[place];
    if (home < 0) return zero;
    const value = this.values[place];
    const isHere = i >= f.blockStart[home] && i < f.blockStart[home + 1];
    if (value !== undefined && ((isHere && this.isDefined[place] === 1) || isFixed(value))) return value;
    return this.valueIn(this.crossing(place));
  }

  private valueIn(register: number): Operand {
    return this.current.get(register) ?? leafOperand({ kind: 'register', register, stored: false });
  }

  private storeRegister(register: number, value: Operand, i: number, inserted?: 'crossesBlocks'): void {
    this.current.set(register, value);
    this.store(`r${register}`, { kind: 'register', register }, value, i, inserted);
  }

  private store(
    key: string,
    to: StorePlace,
    value: Operand,
    instruction: number,
    inserted?: 'crossesBlocks',
  ): void {
    this.stores.set(key, { to, value, instruction, ...(inserted && { inserted }) });
  }

  /** Number of the register or temporary that an operand names. */
  private registerAt(operand: number): number | undefined {
    const { f } = this;
    const place = placeOf(f, operand);
    if (isVirtual(place)) return this.register(`@${place}`, f.registerNames[place], place, -1);
    if (isPhysical(place)) {
      const index = physicalIndex(place);
      return this.register(`$${index}`, `$${index >> 2}.${components[index & 3]}`, -1, index);
    }
    const payload = this.payload(operand);
    if (place !== NoRegister.Symbol || spaceOf(payload) !== Space.Temporary) return undefined;
    return this.temporary(vectorOf(payload), componentOf(payload));
  }

  private temporary(vector: number, component: number): number {
    const name = `t${vector}.${components[component]}`;
    return this.register(name, name, -1, -1);
  }

  /** The register that carries a value to other blocks. */
  private crossing(place: number): number {
    return this.register(`%${place}`, this.f.registerNames[place], place, -1);
  }

  private register(key: string, name: string, virtual: number, fixed: number): number {
    const known = this.registerNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.registers.length;
    this.registers.push({ name, virtual, fixed, isLiveIn: false, isLiveOut: false });
    this.registerNumbers.set(key, number);
    return number;
  }

  private problem(i: number, message: string): void {
    const span = { start: this.f.spanStart[i], end: this.f.spanEnd[i] };
    this.problems.push({ code: 'hw/unfinished-function', severity: 'error', span, message });
  }
}

const keepsItself = (to: StorePlace, value: Operand): boolean =>
  to.kind === 'register' && value.kind === 'register' && to.register === value.register && !value.negate;
