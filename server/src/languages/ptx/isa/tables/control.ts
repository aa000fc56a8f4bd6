import type { Form, InstructionEntry } from '../schema.js';

/** call: returns and arguments in parentheses, and a prototype or target list when the function is in a register. */
const callForms: readonly Form[] = ['', 'r:w list, '].flatMap((returns) =>
  ['', ', a:list'].flatMap((parameters) =>
    ['', ', proto:prototype'].map((prototype) => ({
      modifiers: '{.uni}',
      operands: `${returns}f:function${parameters}${prototype}`,
      ...(prototype !== '' && { isa: '2.1', sm: 20 }),
    })),
  ),
);

/** Branches, calls, and what ends, stops or paces a thread. */
export const control: readonly InstructionEntry[] = [
  {
    opcode: 'bra',
    group: 'control flow',
    text: 'Jumps to a label of the same function; with a guard it is the conditional branch. When threads of a warp disagree both sides run one after the other and meet again where the sides join. `.uni` promises that all active threads agree. A label inside a nested block cannot be reached from outside.',
    forms: [{ modifiers: '{.uni}', operands: 'target:label' }],
  },
  {
    opcode: 'brx',
    group: 'control flow',
    text: 'Jumps through a table: the index picks a label of a `.branchtargets` list, which must stand earlier in the function. An index beyond the list is undefined behaviour, so compilers guard it. `.uni` promises the same index in all threads.',
    forms: [{ modifiers: '.idx^{.uni}', operands: 'index:u32 r, table:targets', isa: '6.0', sm: 30 }],
  },
  {
    opcode: 'call',
    group: 'control flow',
    text: 'Calls a function: returned values in parentheses, the function, its arguments in parentheses. The function must be declared before. A call through a register needs a last operand, the label of a `.callprototype` (any function of that type) or `.calltargets` (one of a list). Calls that ptxas does not inline pin a register base of 24 and force values that live across them into callee-saved registers. `.uni` promises that all active threads make the call.',
    forms: callForms,
  },
  {
    opcode: 'ret',
    group: 'control flow',
    text: 'Returns from a function, or ends the thread in a kernel. Values are returned through the return parameters, never as an operand. `.uni` promises that all active threads return together.',
    forms: [{ modifiers: '{.uni}', operands: '' }],
  },
  {
    opcode: 'exit',
    group: 'control flow',
    text: 'Ends the thread, from any depth of calls. Barriers no longer wait for it.',
    forms: [{ modifiers: '', operands: '' }],
  },
  {
    opcode: 'trap',
    group: 'miscellaneous',
    text: 'Aborts the kernel and reports an error to the host; the context is lost.',
    forms: [{ modifiers: '', operands: '' }],
  },
  {
    opcode: 'brkpt',
    group: 'miscellaneous',
    text: 'Stops the thread for a debugger. Without one the kernel is aborted.',
    forms: [{ modifiers: '', operands: '', sm: 11 }],
  },
  {
    opcode: 'pmevent',
    group: 'miscellaneous',
    text: 'Triggers a performance monitor event, numbered 0 to 15, or with `.mask` each event whose bit is set in a 16-bit mask. Profilers count them.',
    forms: [
      { modifiers: '', operands: 'a:i u32 0..15', isa: '1.4' },
      { modifiers: '.mask^', operands: 'a:i u32 0..65535', isa: '3.0', sm: 20 },
    ],
  },
  {
    opcode: 'nanosleep',
    group: 'miscellaneous',
    text: 'Pauses the thread for roughly the given number of nanoseconds: between none and twice as long, at most about a millisecond. Used in spin loops, with growing delays, to leave the issue slots to others.',
    forms: [{ modifiers: '.u32', operands: 't:u32', isa: '6.3', sm: 70 }],
  },
  {
    opcode: 'setmaxnreg',
    group: 'miscellaneous',
    text: 'Gives registers of the warp back to the pool of the block (`.dec`) or takes more (`.inc`, waiting until they are there), so that copying warps run with few and multiplying warps with many. All warps of a warp group execute it together. The number is the new count per thread, a multiple of 8. ptxas ignores it, with a remark only, when it cannot know the count at entry: give `.maxnreg`, or `.minnctapersm` with the block size.',
    forms: [
      {
        modifiers: '.(inc|dec)^.sync.aligned.u32',
        operands: 'count:i u32 24..256',
        isa: '8.0',
        only: 'sm_90a sm_100f sm_110f sm_120f',
        checks: 'multipleOf8',
      },
    ],
  },
];
