import { nearestName } from '../../../text/nearest.js';
import type { Fix } from '../../../text/problem.js';
import { operations } from '../isa/operations.js';
import type { Instruction } from '../tree.js';
import { fix, report, shown, type Context } from './context.js';

/** Operations of other languages, and how the same is said here. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['sub', "'add %a, -%b' subtracts"],
  ['div', "'rcp' and 'mul' divide"],
  ['mad', "'mul' and 'add' are two operations here"],
  ['fma', "'mul' and 'add' are two operations here"],
  ['sqrt', "'rcp' of 'rsqrt' is the square root"],
  ['inversesqrt', "it is 'rsqrt' here"],
  ['pow', "x to the y is 'exp2' of y times 'log2' of x"],
  ['fract', "x minus 'floor' of x is the fraction"],
  ['frc', "x minus 'floor' of x is the fraction"],
  ['gt', "'lt' with the operands exchanged says so"],
  ['le', "'ge' with the operands exchanged says so"],
  ['sgt', "'lt' with the operands exchanged says so"],
  ['sle', "'ge' with the operands exchanged says so"],
  ['and', "booleans are 0 and 1: 'mul' or 'min' joins them"],
  ['or', "booleans are 0 and 1: 'max' joins them"],
  ['sin', 'the machine has no sine: write a polynomial'],
  ['cos', 'the machine has no cosine: write a polynomial'],
  ['tan', 'the machine has no tangent: write a polynomial'],
  ['dot', "write it out with 'mul' and 'add': the machine is scalar"],
  ['dp3', "write it out with 'mul' and 'add': the machine is scalar"],
  ['dp4', "write it out with 'mul' and 'add': the machine is scalar"],
  ['clamp', "'max' and 'min' clamp"],
  ['sat', "'max' with 0 and 'min' with 1 clamp"],
  ['nop', "empty words are the compiler's to insert"],
  ['mix', "a + t * (b - a) in 'add' and 'mul'"],
  ['branch_uncond', "it is 'branch' here"],
]);

/** Names with one operation that does exactly the same. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['fadd', 'add'],
  ['fmul', 'mul'],
  ['fmin', 'min'],
  ['fmax', 'max'],
  ['fneg', 'neg'],
  ['fabs', 'abs'],
  ['frcp', 'rcp'],
  ['frsq', 'rsqrt'],
  ['rsq', 'rsqrt'],
  ['inversesqrt', 'rsqrt'],
  ['fexp2', 'exp2'],
  ['flog2', 'log2'],
  ['ex2', 'exp2'],
  ['lg2', 'log2'],
  ['ffloor', 'floor'],
  ['fceil', 'ceil'],
  ['fsign', 'sign'],
  ['fcsel', 'select'],
  ['sge', 'ge'],
  ['slt', 'lt'],
  ['seq', 'eq'],
  ['sne', 'ne'],
  ['jmp', 'branch'],
  ['jump', 'branch'],
  ['br', 'branch'],
  ['branch_uncond', 'branch'],
  ['ld_attr', 'ld_att'],
  ['ld_uniform', 'ld_uni'],
  ['load_attribute', 'ld_att'],
  ['load_uniform', 'ld_uni'],
  ['load_reg', 'ld_reg'],
  ['load_temp', 'ld_tmp'],
  ['store_varying', 'st_var'],
  ['store_reg', 'st_reg'],
  ['store_temp', 'st_tmp'],
]);

export function unknownOperation(context: Context, node: Instruction): void {
  const { opcode } = node;
  const word = opcode.text.toLowerCase();
  const same = operations.has(word) ? word : synonyms.get(word);
  const near = same ?? (elsewhere.has(word) ? undefined : nearestName(word, operations.keys()));
  const hint = elsewhere.get(word) ?? (near === undefined ? undefined : `did you mean '${near}'?`);
  const fixes: Fix[] = [];
  if (near !== undefined) fixes.push(fix(`Change to '${near}'`, opcode, near, same !== undefined));
  const subtraction = word === 'sub' ? addNegated(node) : undefined;
  if (subtraction !== undefined) fixes.push(subtraction);
  const isAlone = node.result === undefined && node.operands.length === 0;
  if (isAlone && (near === undefined || isTarget(context, opcode.text))) {
    const end = { start: opcode.end, end: opcode.end };
    report(
      context,
      'isa/unknown-instruction',
      'error',
      opcode,
      `there is no operation '${shown(opcode.text)}'; a label has a ':' behind it`,
      { fixes: [fix('Make it a label', end, ':')] },
    );
    return;
  }
  const message = `there is no operation '${shown(opcode.text)}'`;
  report(
    context,
    'isa/unknown-instruction',
    'error',
    opcode,
    hint === undefined ? message : `${message}; ${hint}`,
    {
      fixes,
    },
  );
}

/** Whether a branch further up names it. */
const isTarget = ({ labels }: Context, name: string): boolean => (labels.get(name)?.reads ?? 0) > 0;

/** `sub %a, %b` as `add %a, -%b`. */
function addNegated({ opcode, operands }: Instruction): Fix | undefined {
  const second = operands.at(1);
  if (operands.length !== 2 || second === undefined || second.kind === 'missing') return undefined;
  if (second.kind === 'number' || second.isNegated) return undefined;
  return {
    title: "Change to 'add' of the negated operand",
    edits: [
      { span: { start: opcode.start, end: opcode.end }, newText: 'add' },
      { span: { start: second.start, end: second.start }, newText: '-' },
    ],
    preferred: true,
  };
}
