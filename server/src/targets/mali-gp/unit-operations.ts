/**
 * What each arithmetic unit can do in one word, and how its sources are encoded. From the public source of Mesa's
 * lima compiler; temporaries and their address registers are a model.
 */
import { Unit, type UnitOperation } from './word.js';

export interface UnitOperationFacts {
  readonly units: readonly Unit[];
  readonly sources: number;
  /** Sources that may be negated, as bits. A multiplication folds them into the sign of its result. */
  readonly negates: number;
  /**
   * Encoded source positions that cannot name the result of the complex unit, as bits: its code means 1 as second
   * source of a multiplication and 0 as second source of an adder. complex2 has its source in both places; the
   * condition of a select and the second and third source of complex1 stand in such places as well.
   */
  readonly refusesComplex: number;
  readonly uses: 'one unit' | 'both multipliers';
}

const multipliers = [Unit.Mul0, Unit.Mul1];
const adders = [Unit.Add0, Unit.Add1];
const complex = [Unit.Complex];

const facts = (
  units: readonly Unit[],
  sources: number,
  rest: Partial<UnitOperationFacts> = {},
): UnitOperationFacts => ({ units, sources, negates: 0, refusesComplex: 0, uses: 'one unit', ...rest });

const twoSources = facts(adders, 2, { negates: 0b11, refusesComplex: 0b10 });
const oneSource = facts(adders, 1, { negates: 0b1 });

export const unitOperations: Readonly<Record<UnitOperation, UnitOperationFacts>> = {
  mul: facts(multipliers, 2, { negates: 0b11, refusesComplex: 0b10 }),
  mov: facts([...multipliers, ...adders, Unit.Pass, Unit.Complex], 1),
  neg: facts([...multipliers, ...adders], 1),
  select: facts([Unit.Mul0], 3, { refusesComplex: 0b001, uses: 'both multipliers' }),
  complex1: facts([Unit.Mul0], 3, { refusesComplex: 0b110, uses: 'both multipliers' }),
  complex2: facts([Unit.Mul0], 1, { refusesComplex: 0b1 }),
  add: twoSources,
  ge: twoSources,
  lt: twoSources,
  min: twoSources,
  max: twoSources,
  floor: oneSource,
  sign: oneSource,
  preexp2: facts([Unit.Pass], 1),
  postlog2: facts([Unit.Pass], 1),
  rcp_impl: facts(complex, 1),
  rsqrt_impl: facts(complex, 1),
  exp2_impl: facts(complex, 1),
  log2_impl: facts(complex, 1),
  store_addr: facts(complex, 1),
  load_addr1: facts(complex, 1),
  load_addr2: facts(complex, 1),
  load_addr3: facts(complex, 1),
};

/** The adders' common opcode: a move adds -0, and a negation negates what it adds. */
export const adderOpcode = (op: UnitOperation): UnitOperation => (op === 'mov' || op === 'neg' ? 'add' : op);

/** Sets an address register and has no result. */
export const isAddressOperation = (op: UnitOperation): boolean => op.includes('_addr');

/**
 * Who may read a piece of a special function: pairs of operation and source position. Nothing else may, no move and
 * no store.
 */
export const pieceReaders: Readonly<
  Partial<Record<UnitOperation, readonly (readonly [UnitOperation, number])[]>>
> = {
  complex2: [['complex1', 1]],
  rcp_impl: [['complex1', 0]],
  rsqrt_impl: [['complex1', 0]],
  exp2_impl: [['complex1', 0]],
  log2_impl: [['complex1', 0]],
  preexp2: [
    ['complex2', 0],
    ['exp2_impl', 0],
    ['complex1', 2],
  ],
};
