/**
 * The operations of `gpir` as the grammar knows them: how many operands each takes, what may stand there, and
 * whether it has a result. What an operation computes and costs stands in the reference text (reference.ts).
 */

/** What may stand as an operand. */
export type OperandForm =
  /** A value, a number, `a0.x`, `u0.x`, `t0.x`, `@r` or `$0.x`; each with an optional `-` before it. */
  | 'source'
  /** `a0.x` */
  | 'attribute'
  /** `u0.x` */
  | 'uniform'
  /** `v0.x` */
  | 'varying'
  /** `t0.x` */
  | 'temporary'
  /** `@r` or `$0.x` */
  | 'register'
  /** `2.5`, `0x40200000` */
  | 'number'
  | 'label';

export type Category =
  | 'load'
  | 'store'
  | 'constant'
  | 'arithmetic'
  | 'comparison'
  | 'special'
  /** A step of a special function, as the machine executes it. */
  | 'step'
  | 'branch';

export interface Operation {
  readonly name: string;
  /** In the order of the text, without the result. */
  readonly operands: readonly OperandForm[];
  /** Whether `%x = ` stands before it. */
  readonly result: boolean;
  readonly category: Category;
}

const sources = (count: number): OperandForm[] => new Array<OperandForm>(count).fill('source');

const computing = (category: Category, operands: number, ...names: string[]): Operation[] =>
  names.map((name) => ({ name, operands: sources(operands), result: true, category }));

const load = (name: string, from: OperandForm): Operation => ({
  name,
  operands: [from],
  result: true,
  category: 'load',
});

const store = (name: string, to: OperandForm): Operation => ({
  name,
  operands: [to, 'source'],
  result: false,
  category: 'store',
});

const table: readonly Operation[] = [
  load('ld_att', 'attribute'),
  load('ld_uni', 'uniform'),
  load('ld_reg', 'register'),
  load('ld_tmp', 'temporary'),
  store('st_var', 'varying'),
  store('st_reg', 'register'),
  store('st_tmp', 'temporary'),
  { name: 'const', operands: ['number'], result: true, category: 'constant' },
  ...computing('arithmetic', 2, 'add', 'mul', 'min', 'max'),
  ...computing('arithmetic', 1, 'floor', 'ceil', 'sign', 'abs', 'neg', 'mov'),
  ...computing('comparison', 2, 'ge', 'lt', 'eq', 'ne'),
  ...computing('comparison', 1, 'not'),
  ...computing('comparison', 3, 'select'),
  ...computing('special', 1, 'rcp', 'rsqrt', 'exp2', 'log2', 'exp', 'log'),
  ...computing('step', 3, 'complex1'),
  ...computing(
    'step',
    1,
    'complex2',
    'rcp_impl',
    'rsqrt_impl',
    'exp2_impl',
    'log2_impl',
    'preexp2',
    'postlog2',
  ),
  { name: 'branch_cond', operands: ['label', 'source'], result: false, category: 'branch' },
  { name: 'branch', operands: ['label'], result: false, category: 'branch' },
];

export const operations: ReadonlyMap<string, Operation> = new Map(table.map((row) => [row.name, row]));
