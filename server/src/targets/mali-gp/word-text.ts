/**
 * An instruction word in text, cell by cell: what the three read ports load, what the six units do, what is stored,
 * where it branches. Operands are named by where they come from:
 *
 *   ^mul0, ^^mul0   the result of that unit in the word before, and in the one before that
 *   a0.x, $3.x      what the read ports load in this word; ^a0.x what port 0 loaded in the word before
 *   u4.x, t500.x    a uniform or temporary; a constant stands as its value
 */
import { componentNames, registerName } from './places.js';
import {
  UNITS,
  unitNames,
  type CompiledProgram,
  type Source,
  type StoreHalf,
  type UniformPort,
  type UnitWork,
  type Word,
} from './word.js';

/** Cells of a word: reg0, reg1, the uniform port, the six units, stores and branch. An idle one is empty. */
export const CELLS = 3 + UNITS + 1;
/** The cell of mul0; that of mul1 is next. */
export const MUL0_CELL = 3;

export function wordCells(
  code: CompiledProgram,
  at: number,
  constants: ReadonlyMap<number, number>,
): readonly string[] {
  const word = code.words[at];
  const before = at > 0 ? code.words[at - 1] : undefined;
  const { reg0, reg1, uniform, xy, zw, branch } = word;
  const operand = (source: Source, op: string): string => {
    const sign = source.negate ? '-' : '';
    switch (source.from) {
      case 'unit':
        return `${sign}${'^'.repeat(source.distance)}${unitNames[source.unit]}`;
      case 'reg0': {
        const port = source.distance === 0 ? reg0 : before?.reg0;
        return `${sign}${'^'.repeat(source.distance)}${portText(port) || '?'}.${componentNames[source.component]}`;
      }
      case 'reg1':
        return sign + registerName(4 * (reg1 ?? 0) + source.component);
      case 'uniform':
        return uniformText(uniform, source.component, sign, constants);
      case 'identity':
        return `${sign}${op === 'mul' ? 1 : 0}`;
    }
  };
  const unit = (work: UnitWork | undefined, u: number): string => {
    if (work === undefined) return '';
    const { op, sources, negate } = work;
    return `${unitNames[u]} ${negate ? '-' : ''}${op} ${sources.map((s) => operand(s, op)).join(', ')}`;
  };
  const stores = [storeText(xy, 0), storeText(zw, 2)];
  const label = branch === undefined ? '' : `branch ${blockName(code, branch)}`;
  return [
    portText(reg0),
    reg1 === undefined ? '' : `$${reg1}`,
    uniform === undefined ? '' : vectorText(uniform),
    ...Array.from({ length: UNITS }, (_, u) => unit(word.units[u], u)),
    [...stores, label].filter((text) => text !== '').join('  '),
  ];
}

export const blockName = ({ blocks }: CompiledProgram, block: number): string =>
  blocks.at(block)?.label || `block${block}`;

const portText = (port: Word['reg0']): string =>
  port === undefined ? '' : `${port.kind === 'attribute' ? 'a' : '$'}${port.vector}`;

function vectorText(port: UniformPort): string {
  if (port.kind === 'constants') return `{${port.values.map(numberText).join(', ')}}`;
  const address = port.offset === undefined ? '' : `[addr${port.offset}]`;
  return `${port.kind === 'uniform' ? 'u' : 't'}${port.vector}${address}`;
}

function uniformText(
  port: UniformPort | undefined,
  component: number,
  sign: string,
  constants: ReadonlyMap<number, number>,
): string {
  const value =
    port?.kind === 'constants'
      ? port.values[component]
      : port?.kind === 'uniform' && port.offset === undefined
        ? constants.get(4 * port.vector + component)
        : undefined;
  if (value !== undefined) return numberText(sign === '' ? value : -value);
  return `${sign}${port === undefined ? '?' : vectorText(port)}.${componentNames[component]}`;
}

/** `v0.xy = add0, mul1` */
function storeText(half: StoreHalf | undefined, first: number): string {
  if (half === undefined) return '';
  const { kind, vector, units } = half;
  const stored = units.flatMap((unit, k) => (unit === -1 ? [] : [{ unit, component: first + k }]));
  const prefix = kind === 'varying' ? 'v' : kind === 'register' ? '$' : 't';
  const components = stored.map(({ component }) => componentNames[component]).join('');
  return `${prefix}${vector}.${components} = ${stored.map(({ unit }) => unitNames[unit]).join(', ')}`;
}

/** The shortest decimal number that is this float32. */
export function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(value);
}
