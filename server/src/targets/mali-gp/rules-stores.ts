/**
 * Rules about stores: a store takes a unit's result in its own word. Registers are there for the next block only if
 * two words follow in the block, temporaries are read no sooner than 4 words later, whichever way execution goes.
 */
import { isVector, temporarySpace, type Site } from './rule-statements.js';
import { scalar, storePrefixes, TEMPORARY_LATENCY } from './simulate.js';
import { isAddressOperation, pieceReaders } from './unit-operations.js';
import {
  PORT_VECTORS,
  UNIFORM_VECTORS,
  Unit,
  unitNames,
  type CompiledProgram,
  type StoreHalf,
  type Word,
} from './word.js';

const halves = ({ xy, zw }: Word): (StoreHalf | undefined)[] => [xy, zw];

export function storeRules(site: Site): void {
  const { word, program, at, end, report, constants } = site;
  halves(word).forEach((half, h) => {
    if (half === undefined) return;
    const { kind, vector } = half;
    const limit = kind === 'temporary' ? UNIFORM_VECTORS : PORT_VECTORS;
    if (!isVector(vector, limit))
      report('store-range', `stores to ${kind} ${vector}; there are 0 to ${limit - 1}`);
    else if (kind === 'temporary') temporarySpace(vector, program, constants, report);
    if (kind === 'register' && at >= end - 2)
      report('register-tail', `stores to register ${vector} in one of the block's last two words`);
    half.units.forEach((unit, k) => {
      if (unit !== -1) resultRules(site, unit, scalar(storePrefixes[kind], 4 * vector + 2 * h + k));
    });
  });
  const { xy, zw } = word;
  if (xy?.kind === 'temporary' && zw?.kind === 'temporary' && xy.vector !== zw.vector)
    report(
      'store-address',
      `stores to temporaries ${xy.vector} and ${zw.vector}, but there is one store address`,
    );
  temporaryLatency(site);
}

function resultRules({ word, report }: Site, unit: Unit, place: string): void {
  const op = word.units[unit]?.op;
  const what = `stores ${unitNames[unit]} in ${place}`;
  if (op === undefined) report('store-idle', `${what}, but the unit idles in this word`);
  else if (isAddressOperation(op)) report('address-result', `${what}, where ${op} has no result`);
  else if (op === 'complex1')
    report('store-complex1', `${what}: the result of complex1 is there two words later`);
  else if (pieceReaders[op] !== undefined)
    report('store-sequence', `${what}: the result of ${op} belongs to its sequence alone`);
}

/** What this word stores to temporaries or address registers is not used in the next three words, on any path. */
function temporaryLatency({ program, word, at, report }: Site): void {
  const stored = halves(word).flatMap((half) => (half?.kind === 'temporary' ? [half.vector] : []));
  const address = word.units[Unit.Complex]?.op;
  const register = address?.startsWith('load_addr') ? Number(address.slice(-1)) : -1;
  if (stored.length === 0 && register < 0) return;
  let front: ReadonlySet<number> = new Set([at]);
  for (let distance = 1; distance < TEMPORARY_LATENCY; distance++) {
    front = new Set([...front].flatMap((from) => successors(program, from)));
    for (const to of front) {
      const port = program.words[to].uniform;
      if (port === undefined || port.kind === 'constants') continue;
      if (port.kind === 'temporary' && port.offset === undefined && stored.includes(port.vector))
        report(
          'temporary-latency',
          `stores to temporary ${port.vector}, which word ${to} loads ${distance} words later`,
        );
      if (port.offset === register)
        report('temporary-latency', `sets addr${register}, which word ${to} uses ${distance} words later`);
    }
  }
}

function successors({ words, blocks }: CompiledProgram, at: number): number[] {
  const { branch } = words[at];
  const next = at + 1 < words.length ? [at + 1] : [];
  const target = branch === undefined ? undefined : blocks[branch]?.start;
  return target !== undefined && target in words ? [...next, target] : next;
}
