/**
 * The structural rules of the machine: what an instruction word may hold, and which word may read what. They need
 * no execution; simulate.ts finds the rest (what the values are). Facts from the public source of Mesa's lima
 * compiler, each confirmed by its output; those about temporaries are a model.
 */
import { isVector, temporarySpace, type Rule, type RuleViolation, type Site } from './rule-statements.js';
import { sourceRules } from './rules-sources.js';
import { storeRules } from './rules-stores.js';
import { adderOpcode, unitOperations } from './unit-operations.js';
import {
  PORT_VECTORS,
  Unit,
  UNIFORM_VECTORS,
  UNITS,
  unitNames,
  WORD_LIMIT,
  type CompiledProgram,
  type UnitWork,
} from './word.js';

export type { Rule, RuleViolation } from './rule-statements.js';

/** What the words violate, in their order, at most `most`; none for what the machine accepts. Takes any words; never throws. */
export function checkRules(program: CompiledProgram, most = 100): readonly RuleViolation[] {
  const found: RuleViolation[] = [];
  const add = (rule: Rule, word: number, message: string, unit?: Unit): void => {
    const where =
      word < 0 ? '' : unit === undefined ? `word ${word}: ` : `word ${word}, ${unitNames[unit]}: `;
    found.push({ rule, word, message: where + message, ...(unit !== undefined && { unit }) });
  };
  programRules(program, (rule, message) => add(rule, -1, message));
  const constants = new Set(program.constants.map(({ vector, component }) => 4 * vector + component));
  const count = program.words.length;
  const starts = new Set(program.blocks.map(({ start }) => start)).add(0);
  let begin = 0;
  let end = 0;
  for (let at = 0; at < count && found.length < most; at++) {
    if (at === end) {
      begin = at;
      do end++;
      while (end < count && !starts.has(end));
    }
    const report = (rule: Rule, message: string, unit?: Unit): void => add(rule, at, message, unit);
    const site: Site = { program, word: program.words[at], at, begin, end, constants, report };
    portRules(site);
    for (let unit: Unit = 0; unit < UNITS; unit++) {
      const work = site.word.units[unit];
      if (work !== undefined) unitRules(site, unit, work);
    }
    sharingRules(site);
    storeRules(site);
    branchRules(site);
  }
  return found.slice(0, most);
}

function programRules(program: CompiledProgram, report: (rule: Rule, message: string) => void): void {
  const { words, blocks, uniforms, constants } = program;
  if (words.length > WORD_LIMIT)
    report(
      'word-limit',
      `${words.length} words are ${words.length - WORD_LIMIT} more than the ${WORD_LIMIT} that a program may have`,
    );
  let before = 0;
  for (const [b, { label, start }] of blocks.entries()) {
    if (!(b === 0 ? start === 0 : start >= before) || start > words.length || !Number.isInteger(start))
      report(
        'block-starts',
        `block ${label} starts at word ${start}, after one that starts at ${before}, in a program of ${words.length} words`,
      );
    before = start;
  }
  if (!(uniforms >= 0) || uniforms > UNIFORM_VECTORS)
    report('uniform-space', `${uniforms} uniform vectors; the address reaches ${UNIFORM_VECTORS}`);
  const taken = new Set<number>();
  for (const { vector, component } of constants) {
    const name = `u${vector}.${'xyzw'[component] ?? component}`;
    if (vector < uniforms)
      report('uniform-space', `constant ${name} lies inside the program's ${uniforms} uniform vectors`);
    if (!(vector < UNIFORM_VECTORS) || !'xyzw'[component])
      report('uniform-space', `constant ${name} is outside uniform space`);
    if (taken.has(4 * vector + component)) report('uniform-space', `two constants lie in ${name}`);
    taken.add(4 * vector + component);
  }
}

function portRules({ word, program, constants, report }: Site): void {
  const { reg0, reg1, uniform } = word;
  if (reg0 !== undefined && !isVector(reg0.vector, PORT_VECTORS))
    report('port-range', `reg0 loads ${reg0.kind} ${reg0.vector}; there are 0 to 15`);
  if (reg1 !== undefined && !isVector(reg1, PORT_VECTORS))
    report('port-range', `reg1 loads register ${reg1}; there are 0 to 15`);
  if (uniform === undefined) return;
  if (uniform.kind === 'constants') {
    if (uniform.values.length > 4)
      report('port-range', `${uniform.values.length} constants in one vector of four`);
    return;
  }
  if (!isVector(uniform.vector, UNIFORM_VECTORS))
    report('port-range', `the uniform port loads ${uniform.kind} ${uniform.vector}; there are 0 to 511`);
  else if (uniform.kind === 'temporary') temporarySpace(uniform.vector, program, constants, report);
}

function unitRules(site: Site, unit: Unit, work: UnitWork): void {
  const { report } = site;
  const { op, sources, negate } = work;
  const facts = unitOperations[op];
  if (!facts.units.includes(unit)) report('unit-operation', `cannot do ${op}`, unit);
  if (sources.length !== facts.sources)
    report('unit-operation', `${op} takes ${facts.sources} sources and has ${sources.length}`, unit);
  if (negate && op !== 'mul') report('result-sign', `${op} cannot negate its result`, unit);
  sources.forEach((source, k) => {
    sourceRules(site, unit, work, source, k);
  });
}

function sharingRules({ word: { units }, report }: Site): void {
  const [mul0, mul1, add0, add1] = units;
  if (add0 && add1 && adderOpcode(add0.op) !== adderOpcode(add1.op))
    report('adder-opcode', `add0 does ${add0.op} and add1 ${add1.op}, but both share one opcode`);
  if (mul0 && mul1 && unitOperations[mul0.op].uses === 'both multipliers')
    report('both-multipliers', `${mul0.op} uses up mul0 and mul1, but mul1 does ${mul1.op}`);
}

function branchRules({ program, word, at, end, report }: Site): void {
  const { branch, xy, zw, units } = word;
  if (branch === undefined) return;
  if (at !== end - 1) report('branch-place', `branches ${end - 1 - at} words before the end of its block`);
  const pass = units[Unit.Pass];
  if (pass?.op !== 'mov')
    report(
      'branch-condition',
      pass === undefined ? 'branches with nothing in pass' : `branches on a ${pass.op} in pass`,
    );
  const target = program.blocks[branch]?.start;
  if (target === undefined) report('branch-target', `branches to block ${branch}, which does not exist`);
  else if (!isVector(target, WORD_LIMIT))
    report('branch-target', `branches to word ${target}; the address has 9 bits`);
  if (xy?.kind === 'temporary' || zw?.kind === 'temporary')
    report('branch-temporary', 'branches and stores a temporary: one mode field serves both');
}
