import type { RegisterNaming } from '../../language.js';
import type { BeignetBound } from './bind.js';
import { branchOf } from './graph.js';

/**
 * A second name for a register of Beignet's: the next number that is free. Copies are of dwords that each lane has for
 * itself, and stand where no lane waits: outside of everything that a branch goes past or back to. What is narrower,
 * wider, or the same for all lanes would need other regions and families, of which the dump may have lost some.
 */
export function naming(bound: BeignetBound, register: number): RegisterNaming | undefined {
  const { parsed, registers, blocks, code } = bound;
  const r = registers.inCode.at(register);
  if (r === undefined || r.family !== 'dword' || r.isUniform || blocks.firstLost !== undefined)
    return undefined;
  const first = Math.max(...registers.byNumber.keys()) + 1;
  const name = (k: number): string => `%${first + k}`;
  const isInside = insideBranches(bound);
  if (parsed.section === 'genIr') {
    const declared = parsed.lines.findLast((line) => line.kind === 'declaration' && line.sort === 'register');
    if (declared === undefined) return undefined;
    return {
      name,
      declaration: (fresh) => ({
        span: { start: declared.end, end: declared.end },
        newText: `\n.decl.dword ${fresh}`,
      }),
      copy: (to, from, before) => (isInside[before] === 1 ? undefined : [`MOV.int32 ${to} ${from}`]),
    };
  }
  return {
    name,
    copy(to, from, before) {
      const line = code.at(Math.min(before, code.length - 1));
      const id = line?.kind === 'selection' ? line.id : 0;
      const head = `MOV(${registers.width})`.padEnd(20);
      return isInside[before] === 1 ? undefined : [`[${id}]    \t${head}${to}<1>:UD\t:\t${from}<8,8,1>:UD\t`];
    },
  };
}

/** By line of the code: 1 where some lanes may have gone another way. */
function insideBranches({ code, blocks }: BeignetBound): Uint8Array {
  const inside = new Uint8Array(code.length + 1);
  let open = 0;
  code.forEach((line, i) => {
    const branch = branchOf(line);
    if (open > 0) inside[i] = 1;
    if (branch === 'if') open++;
    if (branch === 'endif') open--;
    const target = blocks.targets.get(i);
    if (target === undefined || target < 0) return;
    const to = blocks.start[target];
    inside.fill(1, Math.min(i, to) + 1, Math.max(i, to));
    if (to <= i) inside[i] = 1;
  });
  return inside;
}
