import type { Gate, InstructionEntry } from '../schema.js';

const spaceGates: Readonly<Record<string, Gate>> = {
  '.const': { isa: '3.1' },
  '.param': { isa: '7.7', sm: 70 },
  '.shared::cta': { isa: '7.8' },
  '.shared::cluster': { isa: '7.8', sm: 90 },
  '.param::entry': { isa: '8.3', sm: 70 },
};
const spaces = 'global shared local const param shared::cta shared::cluster param::entry';
const b128 = { isa: '8.3', sm: 70 };

/** Moves, packing, addresses and the stack. */
export const movement: readonly InstructionEntry[] = [
  {
    opcode: 'mov',
    group: 'data movement',
    text: 'Copies a register, a constant, a special register, or the address of a variable or function (in its own state space: `cvta` makes it generic). This is the only instruction, but for integer `cvt`, that reads special registers. With `.bN` and braces it packs small registers into a wide one, first element lowest, or unpacks it; `_` skips an element. Copies between registers cost nothing once compiled, and constants, addresses and most special registers are recomputed where they are needed rather than kept.',
    forms: [
      { modifiers: '.$t', operands: 'd:w t, a:t s y', sets: { t: 'b16 u16 s16 b32 u32 s32 b64 u64 s64' } },
      { modifiers: '.$t', operands: 'd:w t, a:t', sets: { t: 'f32 f64' } },
      { modifiers: '.pred', operands: 'd:w pred, a:pred s' },
      { modifiers: '.b128', operands: 'd:w b128, a:b128', ...b128 },
      { modifiers: '.b16', operands: 'd:w b16, a:v2 b8' },
      { modifiers: '.b16', operands: 'd:w v2 b8 _, a:b16' },
      { modifiers: '.b32', operands: 'd:w b32, a:v2 b16' },
      { modifiers: '.b32', operands: 'd:w v2 b16 _, a:b32' },
      { modifiers: '.b32', operands: 'd:w b32, a:v4 b8' },
      { modifiers: '.b32', operands: 'd:w v4 b8 _, a:b32' },
      { modifiers: '.b64', operands: 'd:w b64, a:v2 b32' },
      { modifiers: '.b64', operands: 'd:w v2 b32 _, a:b64' },
      { modifiers: '.b64', operands: 'd:w b64, a:v4 b16' },
      { modifiers: '.b64', operands: 'd:w v4 b16 _, a:b64' },
      { modifiers: '.b128', operands: 'd:w b128, a:v2 b64', ...b128 },
      { modifiers: '.b128', operands: 'd:w v2 b64 _, a:b128', ...b128 },
      { modifiers: '.b128', operands: 'd:w b128, a:v4 b32', ...b128 },
      { modifiers: '.b128', operands: 'd:w v4 b32 _, a:b128', ...b128 },
      { modifiers: '.$t', operands: 'd:w v1 t, a:v1 t', sets: { t: 'b16 b32 b64' } },
      {
        modifiers: '.$vec.$t',
        operands: 'd:w v$vec t _ loose, a:v$vec t s loose',
        sets: { vec: 'v2 v4', t: 'b16 u16 s16 b32 u32 s32 f32' },
        note: 'Copies a vector register, or a special register such as %tid, whole.',
      },
      {
        modifiers: '.$vec.$t',
        operands: 'd:w v$vec t _ loose, a:v$vec t loose',
        sets: { vec: 'v2', t: 'b64 u64 s64 f64' },
      },
      {
        modifiers: '.$vec.$t',
        operands: 'd:w v$vec t _ loose, a:t',
        sets: { vec: 'v2 v4', t: 'b16 u16 s16 b32 u32 s32 f32' },
      },
      {
        modifiers: '.$vec.$t',
        operands: 'd:w v$vec t _ loose, a:t',
        sets: { vec: 'v2', t: 'b64 u64 s64 f64' },
      },
    ],
  },
  {
    opcode: 'cvta',
    group: 'data movement',
    text: 'Turns an address in the named state space into a generic one, or with `.to` a generic address into one in that space, which is then used by instructions that name the space. For `.global` this is a copy and costs nothing; for `.shared` and `.local` it adds or subtracts the start of the window. Nothing checks that the address lies in the space: `isspacep` does.',
    forms: [
      {
        modifiers: '.$ss.$t',
        operands: 'd:w t, a:t y $ss',
        sets: { ss: spaces, t: 'u64 u32' },
        isa: '2.0',
        gates: spaceGates,
        checks: 'genericAddress',
      },
      {
        modifiers: '.to^.$ss.$t',
        operands: 'd:w t, a:t',
        sets: { ss: spaces, t: 'u64 u32' },
        isa: '2.0',
        gates: spaceGates,
        checks: 'genericAddress',
      },
    ],
  },
  {
    opcode: 'isspacep',
    group: 'data movement',
    text: 'Asks whether a generic address lies in the window of a state space. True for `.global` means only that it is in no other window.',
    forms: [
      {
        modifiers: '.$ss',
        operands: 'p:w pred, a:r u64',
        sets: { ss: spaces },
        isa: '2.0',
        gates: spaceGates,
      },
      {
        modifiers: '.$ss',
        operands: 'p:w pred, a:r u32',
        sets: { ss: spaces },
        isa: '2.0',
        gates: spaceGates,
      },
    ],
  },
  {
    opcode: 'alloca',
    group: 'data movement',
    text: 'Reserves bytes on the stack of the thread, in local memory, and gives their address in the .local window. The size must be the same for all threads that execute it together to cost one instruction. The memory is free again at `stackrestore` or when the function returns. ptxas cannot bound the frame then: the launch needs enough stack.',
    forms: [
      {
        modifiers: '.u64',
        operands: 'd:w u64, size:u64, {align:i u32}',
        isa: '7.3',
        sm: 52,
        checks: 'powerOfTwo',
      },
    ],
  },
  {
    opcode: 'stacksave',
    group: 'data movement',
    text: 'Reads the stack pointer, to give `alloca` memory back later with `stackrestore`.',
    forms: [{ modifiers: '.u64', operands: 'd:w u64', isa: '7.3', sm: 52 }],
  },
  {
    opcode: 'stackrestore',
    group: 'data movement',
    text: 'Sets the stack pointer to a value that `stacksave` gave in the same function; memory from `alloca` since then is gone.',
    forms: [{ modifiers: '.u64', operands: 'a:r u64', isa: '7.3', sm: 52 }],
  },
];
