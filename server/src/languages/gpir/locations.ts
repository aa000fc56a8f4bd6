import type { Space } from '../../ir/payload.js';
import type { DeclareDirective, GpirUnit, LocationOperand } from './tree.js';

/** The vectors that a program names and touches, for hovers and completion. One walk over the unit. */
export interface Vector {
  readonly space: Space;
  readonly index: number;
  readonly declaration: DeclareDirective | undefined;
  /** Components that an instruction mentions, as bits. */
  readonly components: number;
}

export const componentNames = 'xyzw';
export const spaceLetters = 'auvt';
export const spaceNames: readonly string[] = ['attribute', 'uniform', 'varying', 'temporary'];

export const vectorName = (space: Space, index: number): string => `${spaceLetters[space]}${index}`;

/** `x, y, z` for the bits of `components`. */
export const componentList = (components: number): string =>
  [...componentNames].filter((_, c) => (components & (1 << c)) !== 0).join(', ');

/** Sorted by space and index; each vector once. */
export function vectorsOf(unit: GpirUnit): readonly Vector[] {
  const found = new Map<string, { -readonly [K in keyof Vector]: Vector[K] }>();
  const at = (space: Space, index: number): { -readonly [K in keyof Vector]: Vector[K] } => {
    const name = vectorName(space, index);
    let vector = found.get(name);
    if (vector === undefined) {
      vector = { space, index, declaration: undefined, components: 0 };
      found.set(name, vector);
    }
    return vector;
  };
  for (const statement of unit.statements) {
    if (statement.kind === 'declare' && statement.index >= 0)
      at(statement.space, statement.index).declaration ??= statement;
    if (statement.kind !== 'instruction') continue;
    for (const operand of statement.operands)
      if (operand.kind === 'location') at(operand.space, operand.index).components |= 1 << operand.component;
  }
  return [...found.values()].sort((a, b) => a.space - b.space || a.index - b.index);
}

export const vectorOf = (
  unit: GpirUnit,
  { space, index }: Pick<LocationOperand, 'space' | 'index'>,
): Vector =>
  vectorsOf(unit).find((v) => v.space === space && v.index === index) ?? {
    space,
    index,
    declaration: undefined,
    components: 0,
  };
