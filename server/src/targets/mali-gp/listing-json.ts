/**
 * Compiled code as JSON, version 1 of the GP listing: complete enough for another program to execute and check it.
 * What is unused is absent. Numbers are float32; those that JSON cannot write (-0, NaN, infinities) stand as their
 * bits in hexadecimal. read-listing-json.ts reads it back.
 */
import { floatBits } from '../../ir/payload.js';
import type { Unit } from './word.js';
import {
  unitNames,
  type AddressOffset,
  type CompiledProgram,
  type Source,
  type StoreHalf,
  type UniformPort,
  type UnitOperation,
  type UnitWork,
  type Word,
} from './word.js';

export interface ListingJson {
  readonly version: 1;
  readonly program: string;
  /** Vectors of the program's own uniforms. */
  readonly uniforms: number;
  /** By scalar: `u12.x`. */
  readonly constants: Readonly<Record<string, number | string>>;
  /** Places of a fragment's live-in and live-out registers. */
  readonly registers?: Readonly<Record<string, string>>;
  readonly blocks: readonly { readonly label: string; readonly start: number }[];
  readonly words: readonly WordJson[];
}

export type UnitName = (typeof unitNames)[number];

export type WordJson = { readonly [name in UnitName]?: UnitJson } & {
  readonly reg0?: PortJson;
  readonly reg1?: PortJson;
  readonly uniform?: UniformJson;
  readonly store?: { readonly xy?: StoreJson; readonly zw?: StoreJson };
  readonly branch?: { readonly target: number; readonly condition: 'pass' };
};

export interface PortJson {
  readonly kind: 'attribute' | 'register';
  readonly index: number;
}

export interface UniformJson {
  readonly index?: number;
  readonly temp?: number;
  readonly offset?: string;
}

export interface UnitJson {
  readonly op: UnitOperation;
  readonly src: readonly SourceJson[];
  readonly negate?: true;
}

export interface SourceJson {
  /** A unit, `reg0.x`, `reg1.x`, `uniform.x`, `one` or `zero`. */
  readonly from: string;
  readonly distance?: number;
  readonly negate?: true;
}

export interface StoreJson {
  readonly kind: 'varying' | 'register' | 'temp';
  readonly index: number;
  readonly x?: UnitName;
  readonly y?: UnitName;
  readonly z?: UnitName;
  readonly w?: UnitName;
}

export const componentNames = ['x', 'y', 'z', 'w'] as const;

/** Constants must have been placed (constants.ts). */
export function listingJson(program: CompiledProgram): ListingJson {
  const { name, uniforms, constants, registers, blocks, words } = program;
  return {
    version: 1,
    program: name,
    uniforms,
    constants: Object.fromEntries(
      constants.map((c) => [`u${c.vector}.${componentNames[c.component]}`, numberJson(c.value)]),
    ),
    ...(Object.keys(registers).length > 0 && { registers }),
    blocks: blocks.map(({ label, start }) => ({ label, start })),
    words: words.map((word) => wordJson(word, program)),
  };
}

const numberJson = (value: number): number | string =>
  Number.isFinite(value) && !Object.is(value, -0)
    ? value
    : `0x${(floatBits(value) >>> 0).toString(16).padStart(8, '0')}`;

function wordJson(word: Word, { blocks }: CompiledProgram): WordJson {
  const { units, reg0, reg1, uniform, xy, zw, branch } = word;
  const works: { [name in UnitName]?: UnitJson } = {};
  units.forEach((work, unit) => {
    if (work !== undefined) works[unitNames[unit]] = unitJson(work);
  });
  return {
    ...(reg0 !== undefined && { reg0: { kind: reg0.kind, index: reg0.vector } }),
    ...(reg1 !== undefined && { reg1: { kind: 'register' as const, index: reg1 } }),
    ...(uniform !== undefined && { uniform: uniformJson(uniform) }),
    ...works,
    ...((xy ?? zw) !== undefined && {
      store: {
        ...(xy !== undefined && { xy: storeJson(xy, 0) }),
        ...(zw !== undefined && { zw: storeJson(zw, 2) }),
      },
    }),
    ...(branch !== undefined && { branch: { target: blocks[branch].start, condition: 'pass' as const } }),
  };
}

function uniformJson(port: UniformPort): UniformJson {
  if (port.kind === 'constants') return {};
  const offset = port.offset !== undefined && { offset: offsetNames[port.offset] };
  return { ...(port.kind === 'uniform' ? { index: port.vector } : { temp: port.vector }), ...offset };
}

export const offsetNames: Readonly<Record<AddressOffset, string>> = { 1: 'addr1', 2: 'addr2', 3: 'addr3' };

const unitJson = ({ op, sources, negate }: UnitWork): UnitJson => ({
  op,
  src: sources.map((source) => sourceJson(source, op)),
  ...(negate && { negate: true as const }),
});

function sourceJson(source: Source, op: UnitOperation): SourceJson {
  const negate = source.negate && { negate: true as const };
  switch (source.from) {
    case 'unit':
      return { from: unitNames[source.unit], distance: source.distance, ...negate };
    case 'reg0':
      return { from: `reg0.${componentNames[source.component]}`, distance: source.distance, ...negate };
    case 'reg1':
    case 'uniform':
      return { from: `${source.from}.${componentNames[source.component]}`, ...negate };
    case 'identity':
      return { from: op === 'mul' ? 'one' : 'zero', ...negate };
  }
}

function storeJson({ kind, vector, units }: StoreHalf, first: number): StoreJson {
  const stored: { [component in (typeof componentNames)[number]]?: UnitName } = {};
  units.forEach((unit: Unit | -1, k) => {
    if (unit !== -1) stored[componentNames[first + k]] = unitNames[unit];
  });
  return { kind: kind === 'temporary' ? 'temp' : kind, index: vector, ...stored };
}
