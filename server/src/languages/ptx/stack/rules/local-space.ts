import type { Fix, Problem } from '../../../../text/problem.js';
import { opcodeFact, Transfer, type OpcodeFact } from '../opcodes.js';
import { opcodeSpan, REPORT_LIMIT, type FunctionRule, type Subject } from './subject.js';

/**
 * Addresses in `.local` where they cannot work: local memory belongs to one thread, and no other space contains it.
 * Atomics are defined on global and shared memory alone; `cvta.to.global` of a local address gives an address of nothing;
 * an address in the local window is no generic one, nor the other way round.
 */
export const localSpace: FunctionRule = (subject) => {
  const { frame, flow } = subject;
  const { function: f } = frame;
  const problems: Problem[] = [];
  for (let i = 0; i < f.instructionCount && problems.length < REPORT_LIMIT; i++) {
    const fact = opcodeFact(f.opcodes, f.opcode[i]);
    if (fact.transfer === Transfer.FromGeneric) {
      if (fact.space === '.local' || fact.space === '') continue;
      const source = flow.origins.table.of(flow.origins.ofOperand[f.operandStart[i] + 1] ?? -1);
      if (source?.kind !== 'local' || !source.isCertain) continue;
      problems.push({
        code: 'stack/local-space',
        severity: 'error',
        span: opcodeSpan(subject, i),
        message: `the address lies in .local, and has no counterpart in ${fact.space}; ${remedy(fact.space)}`,
        ...declared(subject, source.object),
      });
      continue;
    }
    if (!fact.isMemory) continue;
    const address = flow.origins.table.of(flow.origins.ofAddress[i]);
    if (address?.kind !== 'local' || !address.isCertain) continue;
    const why = faultOf(fact, address.isGeneric);
    if (why === undefined) continue;
    problems.push({
      code: 'stack/local-space',
      severity: 'error',
      span: opcodeSpan(subject, i),
      message: why,
      ...declared(subject, address.object),
      ...fixFor(subject, i, fact, address.isGeneric),
    });
  }
  return problems;
};

const remedy = (space: string): string =>
  space === '.global'
    ? 'data that other threads use belongs on a soft stack or in global memory'
    : 'use the generic address';

function faultOf({ isAtomic, space, name }: OpcodeFact, isGeneric: boolean): string | undefined {
  if (isAtomic)
    return `${name} works on an address in .local, where there are no atomics; ${remedy('.global')}`;
  if (space === '' && !isGeneric)
    return `the address lies in the local window, and ${name} without a state space takes a generic one; write ${name}.local, or convert with cvta.local`;
  if (space === '.local' && isGeneric)
    return `the address is generic, and ${name}.local takes one in the local window; write ${name}, or convert with cvta.to.local`;
  if (space !== '' && space !== '.local')
    return `${name}${space} works on an address in .local; ${isGeneric ? `write ${name}` : `write ${name}.local`}`;
  return undefined;
}

/** Writes the state space that fits the address. */
function fixFor(
  subject: Subject,
  i: number,
  { isAtomic, space, name }: OpcodeFact,
  isGeneric: boolean,
): { readonly fixes?: readonly Fix[] } {
  if (isAtomic || (name !== 'ld' && name !== 'st')) return {};
  const f = subject.frame.function;
  const opcode = f.opcodes.text(f.opcode[i]);
  const bare = space === '' ? opcode : opcode.replace(new RegExp(`\\${space}(::\\w+)?`), '');
  const isPlain = /^(ld|st)(\.v\d)?\.[a-z]+\d+$/.test(bare);
  if (!isPlain) return {};
  const fresh = isGeneric ? bare : bare.replace(name, `${name}.local`);
  return {
    fixes: [
      { title: `Write ${fresh}`, edits: [{ span: opcodeSpan(subject, i), newText: fresh }], preferred: true },
    ],
  };
}

function declared({ frame }: Subject, object: number): Pick<Problem, 'related'> {
  const place = object < 0 ? undefined : frame.objects[object];
  if (place?.span === undefined) return {};
  const { start, end } = place.span;
  return { related: [{ span: { start, end }, message: `'${place.name}' is declared here` }] };
}
