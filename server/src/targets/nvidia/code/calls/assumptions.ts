import type { CodeContext, MachineCode } from '../code.js';
import { callsByConvention } from './convention.js';
import { callSite, isCall } from './sites.js';

const MOST_NAMES = 4;

/** What was assumed of the functions that are called, in words. */
export function aboutCalls({ f }: MachineCode, context: CodeContext): string[] {
  if (!context.has('calls')) return [];
  const inside = new Set<string>();
  const outside = new Set<string>();
  let isIndirect = false;
  for (let i = 0; i < f.instructionCount; i++) {
    if (!isCall(f, i)) continue;
    const { callee } = callSite(f, i);
    if (callee === '') isIndirect = true;
    else if (context.callee(callee) === undefined) outside.add(callee);
    else if (!callsByConvention(f, i)) inside.add(callee);
  }
  const said: string[] = [];
  if (inside.size > 0)
    said.push(
      `${listed(inside)}: not inlined (ptxas inlines nothing), its registers counted beside what lives across its calls`,
    );
  if (outside.size > 0)
    said.push(
      `${listed(outside)}: not in this file, so called by the convention, which takes 24 registers; more of its own are not known`,
    );
  if (isIndirect)
    said.push('calls through an address: of the functions whose address is taken here, by the convention');
  return said;
}

function listed(names: ReadonlySet<string>): string {
  const shown = [...names].slice(0, MOST_NAMES).join(', ');
  return names.size > MOST_NAMES ? `${shown} and ${names.size - MOST_NAMES} more` : shown;
}
