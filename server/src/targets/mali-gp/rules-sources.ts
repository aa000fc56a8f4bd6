/**
 * Rules about what a source may name. Values reach a unit through the bypass network, for two words at the most, or
 * through the read ports; how long each lives, and in which encoded position it can be named, are hard bounds.
 */
import { isVector, type Site } from './rule-statements.js';
import { REGISTER_LATENCY, scalar, sourceText } from './simulate.js';
import { isAddressOperation, pieceReaders, unitOperations } from './unit-operations.js';
import { Unit, unitNames, type Source, type StoreHalf, type UnitWork } from './word.js';

type FromUnit = Extract<Source, { from: 'unit' }>;
type FromPort = Exclude<Source, { from: 'unit' | 'identity' }>;

export function sourceRules(site: Site, unit: Unit, work: UnitWork, source: Source, k: number): void {
  const facts = unitOperations[work.op];
  const report = (rule: Parameters<Site['report']>[0], message: string): void =>
    site.report(rule, `source ${k + 1} ${message}`, unit);
  if (source.negate && (facts.negates & (1 << k)) === 0)
    report('source-sign', `of ${work.op} cannot be negated`);
  switch (source.from) {
    case 'identity':
      if (k !== 1 || facts.sources !== 2)
        report('identity-position', `of ${work.op} cannot be the constant ${work.op === 'mul' ? 1 : 0}`);
      return;
    case 'unit':
      bypassRules(site, work, source, k, report);
      return;
    default:
      if (!isVector(source.component, 4))
        report('port-range', `names component ${source.component} of ${source.from}`);
      else portRules(site, source, report);
  }
}

type Report = (rule: Parameters<Site['report']>[0], message: string) => void;

function bypassRules(site: Site, work: UnitWork, source: FromUnit, k: number, report: Report): void {
  const { program, at, begin } = site;
  const from = at - source.distance;
  const name = (): string => sourceText(source, at);
  if (from !== at - 1 && from !== at - 2) {
    report('bypass-distance', `reads ${unitNames[source.unit]} at distance ${source.distance}`);
    return;
  }
  if (from < begin) {
    report('block-boundary', `reads ${name()}, which is in another block`);
    return;
  }
  const { units } = program.words[from];
  const producer = units[source.unit];
  if (producer === undefined) {
    const inMul0 = units[Unit.Mul0];
    const isWide = inMul0 !== undefined && unitOperations[inMul0.op].uses === 'both multipliers';
    const hint = source.unit === Unit.Mul1 && isWide ? `; the result of ${inMul0.op} is in mul0` : '';
    report('idle-unit', `reads ${name()}, which idles${hint}`);
    return;
  }
  if (source.unit === Unit.Complex) {
    if (source.distance !== 1)
      report('complex-distance', `reads ${name()}: a complex result lives for one word`);
    if ((unitOperations[work.op].refusesComplex & (1 << k)) !== 0)
      report('complex-position', `of ${work.op} cannot name the complex result`);
  }
  if (isAddressOperation(producer.op))
    report('address-result', `reads ${name()}, where ${producer.op} has no result`);
  if (producer.op === 'complex1' && source.distance !== 2)
    report('complex1-distance', `reads ${name()}: the result of complex1 is there in the second word only`);
  sequenceRules(site, work, producer, from, k, report);
}

/** A piece goes where its sequence needs it, and the sequence takes nothing else. */
function sequenceRules(
  site: Site,
  { op }: UnitWork,
  producer: UnitWork,
  from: number,
  k: number,
  report: Report,
): void {
  const readers = pieceReaders[producer.op];
  if (readers !== undefined && !readers.some(([reader, position]) => reader === op && position === k))
    report('sequence', `of ${op} reads the result of ${producer.op}, which its sequence alone may read`);
  if (producer.op === 'complex1' && isLogarithm(site, producer, from) !== (op === 'postlog2'))
    report(
      'sequence',
      op === 'postlog2'
        ? 'of postlog2 reads a complex1 that belongs to no log2'
        : `of ${op} reads the complex1 of a log2, which postlog2 alone may read`,
    );
  const expected = expectedProducers(op, k);
  if (expected !== undefined && !expected(producer.op))
    report('sequence', `of ${op} reads the result of ${producer.op}, which does not belong there`);
}

function isLogarithm({ program }: Site, { sources }: UnitWork, at: number): boolean {
  const impl = sources[0] as Source | undefined;
  if (impl?.from !== 'unit') return false;
  return program.words[at - impl.distance]?.units[impl.unit]?.op === 'log2_impl';
}

function expectedProducers(
  op: UnitWork['op'],
  k: number,
): ((producer: UnitWork['op']) => boolean) | undefined {
  if (op === 'complex1' && k === 0) return (producer) => producer.endsWith('_impl');
  if (op === 'complex1' && k === 1) return (producer) => producer === 'complex2';
  if (op === 'exp2_impl') return (producer) => producer === 'preexp2';
  if (op === 'postlog2') return (producer) => producer === 'complex1';
  return undefined;
}

function portRules(site: Site, source: FromPort, report: Report): void {
  const { program, word, at, begin, constants } = site;
  const name = (): string => sourceText(source, at);
  const { component } = source;
  switch (source.from) {
    case 'reg0': {
      const from = at - source.distance;
      if (from !== at && from !== at - 1) {
        report('bypass-distance', `reads reg0 at distance ${source.distance}`);
        return;
      }
      if (from < begin) {
        report('block-boundary', `reads ${name()}, which is in another block`);
        return;
      }
      const { reg0 } = program.words[from];
      if (reg0 === undefined) report('unloaded-port', `reads ${name()}, which loads nothing`);
      else if (reg0.kind === 'register') latencyRule(site, from, reg0.vector, component, report);
      return;
    }
    case 'reg1':
      if (word.reg1 === undefined)
        report('unloaded-port', `reads ${name()}, but the word loads nothing there`);
      else latencyRule(site, at, word.reg1, component, report);
      return;
    case 'uniform': {
      const { uniform } = word;
      if (uniform === undefined) report('unloaded-port', `reads ${name()}, but the word loads nothing there`);
      else if (uniform.kind === 'constants') {
        if (uniform.values.length <= component)
          report('uniform-exists', `reads constant ${component} of ${uniform.values.length}`);
      } else if (
        uniform.kind === 'uniform' &&
        uniform.offset === undefined &&
        uniform.vector >= program.uniforms &&
        !constants.has(4 * uniform.vector + component)
      )
        report(
          'uniform-exists',
          `reads ${scalar('u', 4 * uniform.vector + component)}, neither a uniform nor a constant of the program`,
        );
    }
  }
}

/** The register was not stored in the two words before the port loads it. Stores of earlier blocks are 3 words away by the rule about a block's tail. */
function latencyRule(
  { program, begin }: Site,
  at: number,
  vector: number,
  component: number,
  report: Report,
): void {
  for (let distance = 1; distance < REGISTER_LATENCY && at - distance >= begin; distance++) {
    const { xy, zw } = program.words[at - distance];
    const half = component < 2 ? xy : zw;
    if (isStored(half, vector, component & 1))
      report(
        'register-latency',
        `reads ${scalar('$', 4 * vector + component)} ${distance} ${distance === 1 ? 'word' : 'words'} after its store in word ${at - distance}; at least ${REGISTER_LATENCY} are needed`,
      );
  }
}

const isStored = (half: StoreHalf | undefined, vector: number, position: number): boolean =>
  half?.kind === 'register' && half.vector === vector && half.units[position] !== -1;
