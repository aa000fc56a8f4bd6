/**
 * Reads a GP listing (listing-json.ts) of whatever origin, so that our rules and simulator can judge foreign code.
 * Accepts any value. What cannot be read is left out and reported; whether the rest obeys the machine is asked in
 * rules.ts.
 */
import { bitsToFloat } from '../../ir/payload.js';
import { componentNames, offsetNames, type UnitName } from './listing-json.js';
import { unitOperations } from './unit-operations.js';
import {
  unitNames,
  type AddressOffset,
  type CompiledBlock,
  type CompiledProgram,
  type PlacedConstant,
  type Source,
  type StoreHalf,
  type UniformPort,
  type Unit,
  type UnitOperation,
  type UnitWork,
  type Word,
} from './word.js';

export interface ReadListing {
  readonly program: CompiledProgram;
  /** What could not be read, each with its place: `word 3, add0: ...`. */
  readonly problems: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;
type Report = (message: string) => void;

export function readListingJson(json: unknown): ReadListing {
  const problems: string[] = [];
  const report: Report = (message) => problems.push(message);
  const listing = objectOf(json);
  if (listing === undefined) report('the listing is no object');
  const { version, program, words, uniforms, blocks, constants, registers } = listing ?? {};
  if (version !== 1) report('the version is not 1');
  if (!Array.isArray(words)) report('the listing has no list of words');
  if (!isAbsent(uniforms) && !isIndex(uniforms)) report('"uniforms" is no count');
  const readBlocks = isAbsent(blocks) ? [{ label: '', start: 0 }] : blocksOf(blocks, report);
  const read: CompiledProgram = {
    name: typeof program === 'string' ? program : '',
    words: list(words).map((word, at) => wordOf(word, readBlocks, (m) => report(`word ${at}${m}`))),
    blocks: readBlocks,
    uniforms: isIndex(uniforms) ? uniforms : 0,
    constants: constantsOf(constants, report),
    registers: registersOf(registers, report),
  };
  return { program: read, problems };
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
const isIndex = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function objectOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : typeof value;

/** The object if it has no other keys than `keys`; what it has is kept anyway. */
function known(value: unknown, keys: readonly string[], report: Report): Json | undefined {
  const object = objectOf(value);
  if (object === undefined) {
    report('is no object');
    return undefined;
  }
  for (const key of Object.keys(object))
    if (key !== 'note' && !keys.includes(key)) report(`has the unknown key "${key}"`);
  return object;
}

const within =
  (report: Report, place: string): Report =>
  (message) =>
    report(`${place} ${message}`);

function blocksOf(json: unknown, report: Report): readonly CompiledBlock[] {
  if (!Array.isArray(json)) report('the blocks are no list');
  return list(json).flatMap((entry, b) => {
    const { label, start } = objectOf(entry) ?? {};
    if (isIndex(start)) return [{ label: typeof label === 'string' ? label : '', start }];
    report(`block ${b} has no start`);
    return [];
  });
}

function constantsOf(json: unknown, report: Report): readonly PlacedConstant[] {
  if (isAbsent(json)) return [];
  const object = objectOf(json);
  if (object === undefined) report('the constants are no object');
  return Object.entries(object ?? {}).flatMap(([key, written]): PlacedConstant[] => {
    const place = /^u(\d{1,9})\.([xyzw])$/.exec(key);
    const value = numberOf(written);
    if (place === null || value === undefined) {
      report(`cannot read constant ${key}`);
      return [];
    }
    return [{ vector: Number(place[1]), component: 'xyzw'.indexOf(place[2]), value }];
  });
}

function numberOf(json: unknown): number | undefined {
  if (typeof json === 'number') return Math.fround(json);
  if (typeof json !== 'string' || !/^0x[0-9a-f]{1,8}$/i.test(json)) return undefined;
  return bitsToFloat(Number(json) | 0);
}

function registersOf(json: unknown, report: Report): Readonly<Record<string, string>> {
  if (isAbsent(json)) return {};
  const object = objectOf(json);
  if (object === undefined) report('the registers are no object');
  const entries = Object.entries(object ?? {}).filter((entry): entry is [string, string] => {
    const isPlace = typeof entry[1] === 'string' && /^\$(\d|1[0-5])\.[xyzw]$/.test(entry[1]);
    if (!isPlace) report(`register ${entry[0]} has no place`);
    return isPlace;
  });
  return Object.fromEntries(entries);
}

const wordKeys = ['reg0', 'reg1', 'uniform', 'store', 'branch', 'block', 'index', ...unitNames];

function wordOf(json: unknown, blocks: readonly CompiledBlock[], reportWord: Report): Word {
  const report = within(reportWord, ':');
  const word = known(json, wordKeys, report) ?? {};
  const reg0 = portOf(word.reg0, within(report, 'reg0'));
  const reg1 = portOf(word.reg1, within(report, 'reg1'));
  if (reg1?.kind === 'attribute') report('reg1 loads registers only');
  const uniform = uniformOf(word.uniform, within(report, 'uniform'));
  const stores = isAbsent(word.store) ? {} : known(word.store, ['xy', 'zw'], within(report, 'store'));
  const xy = storeOf(stores?.xy, ['x', 'y'], within(report, 'store.xy'));
  const zw = storeOf(stores?.zw, ['z', 'w'], within(report, 'store.zw'));
  const branch = branchOf(word.branch, blocks, within(report, 'branch'));
  return {
    units: unitNames.map((name) => workOf(word[name], (m) => reportWord(`, ${name}: ${m}`))),
    ...(reg0 !== undefined && { reg0 }),
    ...(reg1?.kind === 'register' && { reg1: reg1.vector }),
    ...(uniform !== undefined && { uniform }),
    ...(xy !== undefined && { xy }),
    ...(zw !== undefined && { zw }),
    ...(branch >= 0 && { branch }),
  };
}

function portOf(json: unknown, report: Report): Word['reg0'] {
  if (isAbsent(json)) return undefined;
  const { kind, index } = known(json, ['kind', 'index'], report) ?? {};
  if ((kind === 'attribute' || kind === 'register') && isIndex(index)) return { kind, vector: index };
  report('has no kind and index');
  return undefined;
}

function uniformOf(json: unknown, report: Report): UniformPort | undefined {
  if (isAbsent(json)) return undefined;
  const { index, temp, offset } = known(json, ['index', 'temp', 'offset'], report) ?? {};
  const register = ([1, 2, 3] as const).find((n): n is AddressOffset => offsetNames[n] === offset);
  if (!isAbsent(offset) && register === undefined) report('has an unknown offset');
  const rest = register !== undefined && { offset: register };
  if (isIndex(index) && isAbsent(temp)) return { kind: 'uniform', vector: index, ...rest };
  if (isIndex(temp) && isAbsent(index)) return { kind: 'temporary', vector: temp, ...rest };
  report('needs one of "index" and "temp"');
  return undefined;
}

function storeOf(json: unknown, components: readonly string[], report: Report): StoreHalf | undefined {
  if (isAbsent(json)) return undefined;
  const store = known(json, ['kind', 'index', ...components], report) ?? {};
  const { kind, index } = store;
  const unit = (component: string): Unit | -1 => {
    const name = store[component];
    if (isAbsent(name)) return -1;
    const number = unitNames.indexOf(name as UnitName);
    if (number < 0) report(`stores something else than a unit in ${component}`);
    return number;
  };
  const units = [unit(components[0]), unit(components[1])] as const;
  if ((kind === 'varying' || kind === 'register' || kind === 'temp') && isIndex(index))
    return { kind: kind === 'temp' ? 'temporary' : kind, vector: index, units };
  report('has no kind and index');
  return undefined;
}

/** The number of the block, or -1. */
function branchOf(json: unknown, blocks: readonly CompiledBlock[], report: Report): number {
  if (isAbsent(json)) return -1;
  const { target, condition } = known(json, ['target', 'condition'], report) ?? {};
  if (!isAbsent(condition) && condition !== 'pass')
    report('takes its condition from something else than pass');
  const block = blocks.findIndex(({ start }) => start === target);
  if (block < 0) report(`goes to word ${shown(target)}, where no block starts`);
  return block;
}

function workOf(json: unknown, report: Report): UnitWork | undefined {
  if (isAbsent(json)) return undefined;
  const { op, src, negate } = known(json, ['op', 'src', 'negate'], report) ?? {};
  if (typeof op !== 'string' || !Object.hasOwn(unitOperations, op)) {
    report('has no operation that the machine knows');
    return undefined;
  }
  const operation = op as UnitOperation;
  const sources = list(src).map((source, k) =>
    sourceOf(source, operation, within(report, `source ${k + 1}`)),
  );
  if (sources.includes(undefined)) return undefined;
  return {
    op: operation,
    sources: sources as readonly Source[],
    negate: Boolean(negate),
    purpose: 'operation',
    node: -1,
  };
}

function sourceOf(json: unknown, op: UnitOperation, report: Report): Source | undefined {
  const { from, distance, negate: sign } = known(json, ['from', 'distance', 'negate'], report) ?? {};
  const negate = Boolean(sign);
  if (from === 'one' || from === 'zero') {
    if ((from === 'one') === (op === 'mul')) return { from: 'identity', negate };
    report(`of ${op} cannot be "${from}"`);
    return undefined;
  }
  const unit = unitNames.indexOf(from as UnitName);
  if (unit >= 0) {
    if (distance === 1 || distance === 2) return { from: 'unit', unit, distance, negate };
    report(`reads ${unitNames[unit]} at no distance of 1 or 2`);
    return undefined;
  }
  const [, port, name] = /^(reg0|reg1|uniform)\.([xyzw])$/.exec(shown(from)) ?? [];
  const component = componentNames.findIndex((c) => c === name);
  const words = isAbsent(distance) ? 0 : distance;
  if (component >= 0 && port === 'reg0' && (words === 0 || words === 1))
    return { from: 'reg0', component, distance: words, negate };
  if (component >= 0 && words === 0 && (port === 'reg1' || port === 'uniform'))
    return { from: port, component, negate };
  report(`cannot come from ${shown(from)} at distance ${shown(words)}`);
  return undefined;
}
