import { virtual } from '../../../ir/place.js';
import { GRF_BYTES, type Instruction, type Operand, type Program, type Register } from '../program.js';
import type { Atoms } from './atoms.js';
import type { ChainStep, Residence } from './residence.js';
import { Role, type References } from './references.js';
import { weightOf, type Regions } from './regions.js';
import { loadFrom, pieces, plainRegion, storeTo, type Cells } from './spill-code.js';

/**
 * The program with its ranges split: every version a register of its own, loads and repeated operations where versions
 * arrive, stores behind the last definition that a version gets in a block. An atom has one slot for all its versions.
 */
export interface Split {
  readonly program: Program;
  /** By instruction of the new program: the register of the old one whose value it moves, -1 elsewhere. */
  readonly carries: readonly number[];
  /** By instruction of the new program: its result is stored with what other lanes have had there before. */
  readonly merges: Uint8Array;
  /** By instruction of the new program: that of the old one at which it stands. */
  readonly source: readonly number[];
  /** By register of the new program: that of the old one. */
  readonly original: readonly number[];
  readonly spilled: readonly SpilledAtom[];
  readonly scratchBytes: number;
  /** Messages, each weighted by ten for every loop around it. */
  readonly weight: number;
  readonly messages: number;
  readonly operations: number;
}

export interface SpilledAtom {
  readonly atom: number;
  readonly register: number;
  readonly cells: number;
  /** -1: computed again. */
  readonly offset: number;
  readonly stores: number[];
  readonly reloads: number[];
}

export function splitProgram(
  program: Program,
  references: References,
  atoms: Atoms,
  regions: Regions,
  residence: Residence,
  most: Cells,
): Split {
  const registers: Register[] = [...program.registers];
  const original = registers.map((_register, number) => number);
  const names = nameVersions();
  const { offsets, scratchBytes, spilled } = slots();
  const before = new Map<number, (typeof residence.arrivals)[number][]>();
  for (const arrival of residence.arrivals) {
    const list = before.get(arrival.before);
    if (list === undefined) before.set(arrival.before, [arrival]);
    else list.push(arrival);
  }
  const stores = storePoints();
  const instructions: Instruction[] = [];
  const carries: number[] = [];
  const source: number[] = [];
  const merged: number[] = [];
  let current = 0;
  const blockStart = new Int32Array(program.blockStart.length);
  let weight = 0;
  let messages = 0;
  let operations = 0;
  let scale = 1;
  const emit = (instruction: Instruction, carried: number): void => {
    instructions.push(instruction);
    carries.push(carried);
    source.push(current);
  };
  for (let block = 0; block + 1 < blockStart.length; block++) {
    blockStart[block] = instructions.length;
    scale = weightOf(regions, block);
    for (let i = program.blockStart[block]; i < program.blockStart[block + 1]; i++) {
      current = i;
      for (const { atoms: arriving, versions, chain } of before.get(i) ?? []) {
        if (chain === undefined) load(arriving, versions);
        else recompute(arriving[0], versions[0], chain);
        for (const atom of arriving) spilled.get(atom)?.reloads.push(i);
      }
      if (isMerged(i)) merged.push(instructions.length);
      emit(renamed(program.instructions[i], i), -1);
      store(i);
    }
  }
  blockStart[blockStart.length - 1] = instructions.length;
  const merges = new Uint8Array(instructions.length);
  for (const i of merged) merges[i] = 1;
  return {
    program: { ...program, registers, instructions, blockStart },
    carries,
    merges,
    source,
    original,
    spilled: [...spilled.values()],
    scratchBytes,
    weight,
    messages,
    operations,
  };

  /**
   * A version's register, and the byte of it where the atom begins. The first definition keeps the old register, and so
   * does what an instruction touches together with its neighbours, wherever it came from: there they lie side by side.
   */
  function nameVersions(): { register: Int32Array; shift: Int32Array } {
    const count = residence.atomOf.length;
    const isUsed = new Uint8Array(count);
    for (let r = 0; r < references.cell.length; r++)
      if (residence.versions[r] >= 0) isUsed[residence.versions[r]] = 1;
    const taken = new Uint8Array(atoms.count);
    const register = new Int32Array(count).fill(-1);
    const shift = new Int32Array(count);
    // what one message loads lies in one register
    for (const { atoms: group, versions } of residence.arrivals) {
      if (group.length === 1) continue;
      if (versions.some((version) => residence.isWhole[version])) {
        group.forEach((atom, k) => (register[versions[k]] = atoms.register[atom]));
        continue;
      }
      const shared = fresh(group[0], `${program.registers[atoms.register[group[0]]].name}'`, cellsOf(group));
      group.forEach((atom, k) => {
        register[versions[k]] = shared;
        shift[versions[k]] =
          (atoms.firstCell[group[0]] - references.cellBase[atoms.register[atom]]) * GRF_BYTES;
      });
    }
    for (let version = 0; version < count; version++) {
      if (register[version] >= 0) continue;
      const atom = residence.atomOf[version];
      const isSecond = atoms.firstCell[atom] !== references.cellBase[atoms.register[atom]];
      if (
        (residence.isDefined[version] && taken[atom] === 0) ||
        residence.isWhole[version] ||
        (isSecond && residence.isDefined[version])
      ) {
        if (residence.isDefined[version]) taken[atom] = 1;
        register[version] = atoms.register[atom];
        continue;
      }
      if (isUsed[version] === 0) {
        register[version] = atoms.register[atom];
        continue;
      }
      register[version] = fresh(atom, `${program.registers[atoms.register[atom]].name}'`);
      shift[version] = (atoms.firstCell[atom] - references.cellBase[atoms.register[atom]]) * GRF_BYTES;
    }
    return { register, shift };
  }

  function cellsOf(group: readonly number[]): number {
    let cells = 0;
    for (const atom of group) cells += atoms.size[atom];
    return cells;
  }

  function fresh(atom: number, name: string, cells = atoms.size[atom]): number {
    registers.push({ ...program.registers[atoms.register[atom]], name, bytes: cells * GRF_BYTES });
    original.push(atoms.register[atom]);
    return registers.length - 1;
  }

  function slots(): { offsets: Int32Array; scratchBytes: number; spilled: Map<number, SpilledAtom> } {
    const isLoaded = new Uint8Array(atoms.count);
    const isRepeated = new Uint8Array(atoms.count);
    for (const { atoms: arriving, chain } of residence.arrivals)
      for (const atom of arriving) (chain === undefined ? isLoaded : isRepeated)[atom] = 1;
    const offsets = new Int32Array(atoms.count).fill(-1);
    const spilledAtoms = new Map<number, SpilledAtom>();
    const base = Math.ceil(program.scratchBytes / GRF_BYTES) * GRF_BYTES;
    let end = base;
    for (let atom = 0; atom < atoms.count; atom++) {
      if (isLoaded[atom] === 0 && isRepeated[atom] === 0) continue;
      if (isLoaded[atom] !== 0) {
        offsets[atom] = end;
        end += atoms.size[atom] * GRF_BYTES;
      }
      spilledAtoms.set(atom, {
        atom,
        register: atoms.register[atom],
        cells: atoms.size[atom],
        offset: offsets[atom],
        stores: [],
        reloads: [],
      });
    }
    return { offsets, scratchBytes: end - base, spilled: spilledAtoms };
  }

  /** Defines an atom that is stored, while lanes may wait elsewhere that have a value in it already. */
  function isMerged(i: number): boolean {
    if (regions.isDivergent[regions.blockOf[i]] === 0) return false;
    for (let r = references.start[i]; r < references.start[i + 1]; r++) {
      if ((references.role[r] & Role.Definition) === 0) continue;
      const end = atoms.atomOf[references.cell[r] + references.count[r] - 1];
      for (let atom = atoms.atomOf[references.cell[r]]; atom <= end; atom++)
        if (offsets[atom] >= 0 && atoms.from[atom] < 2 * i) return true;
    }
    return false;
  }

  /** By instruction: atoms to store behind it, with their versions. */
  function storePoints(): Map<number, { atom: number; version: number }[]> {
    const last = new Map<string, { i: number; atom: number; version: number }>();
    for (let i = 0; i < program.instructions.length; i++)
      for (let r = references.start[i]; r < references.start[i + 1]; r++) {
        if ((references.role[r] & Role.Definition) === 0) continue;
        const first = atoms.atomOf[references.cell[r]];
        const end = atoms.atomOf[references.cell[r] + references.count[r] - 1];
        for (let atom = first; atom <= end; atom++) {
          if (offsets[atom] < 0) continue;
          const version = first === end ? residence.versions[r] : -1;
          last.set(`${atom} ${version} ${regions.blockOf[i]}`, { i, atom, version });
        }
      }
    const found = new Map<number, { atom: number; version: number }[]>();
    for (const { i, atom, version } of last.values()) {
      const list = found.get(i);
      if (list === undefined) found.set(i, [{ atom, version }]);
      else list.push({ atom, version });
    }
    for (const list of found.values()) list.sort((a, b) => a.atom - b.atom);
    return found;
  }

  function place(version: number, atom: number): { register: number; offset: number } {
    const whole = (atoms.firstCell[atom] - references.cellBase[atoms.register[atom]]) * GRF_BYTES;
    if (version < 0) return { register: atoms.register[atom], offset: whole };
    return { register: names.register[version], offset: whole - names.shift[version] };
  }

  function at(register: number, offset: number): Operand {
    return { ...plainRegion, file: 'virtual', register: virtual(register), offset };
  }

  function load(group: readonly number[], versions: readonly number[]): void {
    const { register, offset } = place(versions[0], group[0]);
    for (const piece of pieces(cellsOf(group), 4)) {
      const bytes = piece.at * GRF_BYTES;
      emit(
        loadFrom(program, at(register, offset + bytes), offsets[group[0]] + bytes, piece.cells),
        atoms.register[group[0]],
      );
      messages++;
      weight += scale;
    }
  }

  function store(i: number): void {
    const list = stores.get(i) ?? [];
    for (let k = 0; k < list.length;) {
      // neighbours in the register and in scratch go into one message
      const start = place(list[k].version, list[k].atom);
      let cells = atoms.size[list[k].atom];
      let end = k + 1;
      while (end < list.length && list[end].atom === list[end - 1].atom + 1) {
        const next = place(list[end].version, list[end].atom);
        if (next.register !== start.register || next.offset !== start.offset + cells * GRF_BYTES) break;
        if (offsets[list[end].atom] !== offsets[list[k].atom] + cells * GRF_BYTES) break;
        cells += atoms.size[list[end].atom];
        end++;
      }
      for (const piece of pieces(cells, most)) {
        const bytes = piece.at * GRF_BYTES;
        emit(
          storeTo(
            program,
            at(start.register, start.offset + bytes),
            offsets[list[k].atom] + bytes,
            piece.cells,
          ),
          atoms.register[list[k].atom],
        );
        messages++;
        weight += scale;
      }
      for (; k < end; k++) spilled.get(list[k].atom)?.stores.push(i);
    }
  }

  /** A chain's inner results are registers of their own, used once. */
  function recompute(atom: number, version: number, chain: readonly ChainStep[]): void {
    const made: number[] = [];
    chain.forEach(({ instruction: i, sources }, step) => {
      const repeated = program.instructions[i];
      const isLast = step === chain.length - 1;
      const definition = repeated.destinations[0];
      if (definition.file !== 'virtual') return;
      const definedAtom = atoms.atomOf[references.cell[references.start[i + 1] - 1]];
      const target = isLast
        ? place(version, atom).register
        : fresh(definedAtom, `${program.registers[definition.register].name}'`);
      made.push(target);
      const shifted = (operandAtom: number): number =>
        (atoms.firstCell[operandAtom] - references.cellBase[atoms.register[operandAtom]]) * GRF_BYTES;
      const operands = [...repeated.sources];
      for (let r = references.start[i]; r < references.start[i + 1]; r++) {
        const from = sources.get(r);
        const k = references.operand[r];
        if (from === undefined || k < 0) continue;
        const operand = operands[k];
        if (operand.file !== 'virtual') continue;
        const operandAtom = atoms.atomOf[references.cell[r]];
        const register = from >= 0 ? names.register[from] : made[-1 - from];
        const shift = from >= 0 ? names.shift[from] : shifted(operandAtom);
        operands[k] = {
          ...operand,
          register: virtual(register),
          offset: operand.offset - shift,
          operand: -1,
        };
      }
      const shift = isLast ? names.shift[version] : shifted(definedAtom);
      emit(
        {
          ...repeated,
          noMask: true,
          origin: -1,
          sources: operands,
          destinations: [
            { ...definition, register: virtual(target), offset: definition.offset - shift, operand: -1 },
          ],
        },
        isLast ? atoms.register[atom] : -1,
      );
      operations++;
    });
  }

  function renamed(instruction: Instruction, i: number): Instruction {
    let sources: Operand[] | undefined;
    let destinations: Operand[] | undefined;
    for (let r = references.start[i]; r < references.start[i + 1]; r++) {
      const version = residence.versions[r];
      if (version < 0) continue;
      const register = names.register[version];
      const k = references.operand[r];
      const operand = k >= 0 ? instruction.sources[k] : instruction.destinations[-1 - k];
      if (operand.file !== 'virtual' || operand.register === register) continue;
      const moved: Operand = {
        ...operand,
        register: virtual(register),
        offset: operand.offset - names.shift[version],
      };
      if (k >= 0) (sources ??= [...instruction.sources])[k] = moved;
      else (destinations ??= [...instruction.destinations])[-1 - k] = moved;
    }
    if (sources === undefined && destinations === undefined) return instruction;
    return {
      ...instruction,
      sources: sources ?? instruction.sources,
      destinations: destinations ?? instruction.destinations,
    };
  }
}
