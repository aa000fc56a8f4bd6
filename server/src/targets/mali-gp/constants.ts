/**
 * Decides where the program's constants lie. The machine has no immediate operands: a constant is a component of a
 * vector in uniform space, and the uniform port loads one vector a word. So all constants of a word (its set, at most
 * four) must lie in one vector; a constant may lie in several.
 */
import { bitsToFloat, floatBits } from '../../ir/payload.js';
import { packSets } from './pack-sets.js';
import type { CompiledProgram, PlacedConstant, UniformPort, UnitWork, Word } from './word.js';

/**
 * The program with its words' constants above its uniforms, in vectors that the words load by number. A port that
 * asks for more than four constants stays as it is (rules.ts refuses it); one that asks for none is dropped.
 */
export function placeConstants(program: CompiledProgram): CompiledProgram {
  const sets = new Map<string, readonly number[]>();
  for (const { uniform } of program.words) {
    const bits = constantsOf(uniform);
    if (bits.length > 0 && bits.length <= 4) sets.set(bits.join(), bits);
  }
  const packing = packSets([...sets.values()]);
  const vectors = new Map([...sets.keys()].map((key, s) => [key, packing.vectorOf[s]]));
  const first = program.constants.reduce((n, { vector }) => Math.max(n, vector + 1), program.uniforms);
  const words = program.words.map((word) => {
    if (word.uniform?.kind !== 'constants') return word;
    const bits = constantsOf(word.uniform);
    const vector = vectors.get(bits.join());
    if (vector !== undefined) return loading(word, first + vector, packing.vectors[vector]);
    return bits.length > 0 ? word : withoutPort(word);
  });
  const placed = packing.vectors.flatMap((contents, v): PlacedConstant[] =>
    contents.map((bits, component) => ({ vector: first + v, component, value: bitsToFloat(bits) })),
  );
  return { ...program, words, constants: [...program.constants, ...placed] };
}

/** Bits of the distinct constants that a port asks for, in rising order. */
function constantsOf(port: UniformPort | undefined): readonly number[] {
  if (port?.kind !== 'constants') return [];
  return [...new Set(port.values.map(floatBits))].sort((a, b) => a - b);
}

function withoutPort(word: Word): Word {
  const rest: { -readonly [key in keyof Word]: Word[key] } = { ...word };
  delete rest.uniform;
  return rest;
}

/** The word with `vector` behind its uniform port; sources that counted in the port's list count in the vector. */
function loading(word: Word, vector: number, contents: readonly number[]): Word {
  const values = word.uniform?.kind === 'constants' ? word.uniform.values : [];
  const component = (before: number): number =>
    before in values ? contents.indexOf(floatBits(values[before])) : before;
  const work = (unit: UnitWork | undefined): UnitWork | undefined => {
    if (unit === undefined || !unit.sources.some(({ from }) => from === 'uniform')) return unit;
    const sources = unit.sources.map((source) =>
      source.from === 'uniform' ? { ...source, component: component(source.component) } : source,
    );
    return { ...unit, sources };
  };
  return { ...word, uniform: { kind: 'uniform', vector }, units: word.units.map(work) };
}
