/**
 * Communication between the lanes of a warp. Since Volta lanes of a warp run apart, so that every form names the
 * lanes that take part; the older forms without `.sync` are refused for sm_70 and newer from PTX ISA 6.4 on.
 */
import type { InstructionEntry } from '../schema.js';

const memberText =
  'Every lane that `membermask` names must reach the same instruction with the same mask, or the behaviour is undefined.';

const withoutSync = (instead: string): { isa: string; sm: number; instead: string } => ({
  isa: '6.4',
  sm: 70,
  instead,
});

export const warpEntries: readonly InstructionEntry[] = [
  {
    opcode: 'shfl',
    group: 'warp',
    text: `Moves a register between lanes: each lane reads \`a\` of the lane that the mode and \`b\` select (\`.up\`: own lane minus \`b\`, \`.down\`: plus, \`.bfly\`: exclusive or, \`.idx\`: \`b\` itself). \`c\` holds the clamp in bits 0 to 4 and the segment mask in bits 8 to 12: 0x1f for whole warps (0 for \`.up\`). The predicate \`p\` says whether the source lane was in range; out of range a lane gets its own \`a\`. ${memberText} Reading from a lane that does not take part gives an undefined value.`,
    forms: [
      {
        modifiers: '.sync.(up|down|bfly|idx).$t',
        operands: 'd{|p}:w _ t, a:t, b:u32, c:u32, membermask:u32',
        sets: { t: 'b32' },
        isa: '6.0',
        sm: 30,
      },
      {
        modifiers: '.(up|down|bfly|idx).$t',
        operands: 'd{|p}:w _ t, a:t, b:u32, c:u32',
        sets: { t: 'b32' },
        isa: '3.0',
        sm: 30,
        removed: withoutSync('shfl.sync'),
        note: 'Takes the active lanes, whichever they happen to be.',
      },
    ],
  },
  {
    opcode: 'vote',
    group: 'warp',
    text: `Reduces a predicate over the lanes of \`membermask\`: true in all lanes (\`.all\`), in any (\`.any\`), equal in all (\`.uni\`), or one bit a lane (\`.ballot\`, 0 for lanes outside the mask). ${memberText}`,
    forms: [
      {
        modifiers: '.sync.(all|any|uni).pred',
        operands: 'd:w pred, a:n pred, membermask:u32',
        isa: '6.0',
        sm: 30,
      },
      {
        modifiers: '.sync.ballot.$t',
        operands: 'd:w t, a:n pred, membermask:u32',
        sets: { t: 'b32' },
        isa: '6.0',
        sm: 30,
      },
      {
        modifiers: '.(all|any|uni).pred',
        operands: 'd:w pred, a:n pred',
        isa: '1.2',
        sm: 12,
        removed: withoutSync('vote.sync'),
      },
      {
        modifiers: '.ballot.$t',
        operands: 'd:w t, a:n pred',
        sets: { t: 'b32' },
        isa: '2.0',
        sm: 20,
        removed: withoutSync('vote.sync.ballot'),
      },
    ],
  },
  {
    opcode: 'match',
    group: 'warp',
    text: `Compares \`a\` across the lanes of \`membermask\`. \`.any\` gives each lane the mask of the lanes that hold its value; \`.all\` gives the whole mask when all values agree, else 0, and says which in the predicate. ${memberText}`,
    forms: [
      {
        modifiers: '.any.sync.$t',
        operands: 'd:w u32, a:t, membermask:u32',
        sets: { t: 'b32 b64' },
        isa: '6.0',
        sm: 70,
      },
      {
        modifiers: '.all.sync.$t',
        operands: 'd{|p}:w _ u32, a:t, membermask:u32',
        sets: { t: 'b32 b64' },
        isa: '6.0',
        sm: 70,
      },
    ],
  },
  {
    opcode: 'activemask',
    group: 'warp',
    text: 'The lanes that execute this instruction together, as a mask. It says nothing about lanes that could have come along: a mask for `shfl.sync` must follow from the program, not from here.',
    forms: [{ modifiers: '.$t', operands: 'd:w t', sets: { t: 'b32' }, isa: '6.2', sm: 30 }],
  },
  {
    opcode: 'redux',
    group: 'warp',
    text: `Reduces \`a\` over the lanes of \`membermask\` and gives every lane the result. One instruction in place of five \`shfl\` steps. ${memberText}`,
    forms: [
      {
        modifiers: '.sync.(add|min|max).$t',
        operands: 'd:w t, a:t, membermask:u32',
        sets: { t: 'u32 s32' },
        isa: '7.0',
        sm: 80,
      },
      {
        modifiers: '.sync.(and|or|xor).$t',
        operands: 'd:w t, a:t, membermask:u32',
        sets: { t: 'b32' },
        isa: '7.0',
        sm: 80,
      },
      {
        modifiers: '.sync.(min|max){.abs}{.NaN}.$t',
        operands: 'd:w t, a:t, membermask:u32',
        sets: { t: 'f32' },
        isa: '8.6',
        only: 'sm_100f',
        note: 'Without `.NaN` a NaN loses against a number; with it any NaN wins.',
      },
    ],
  },
  {
    opcode: 'elect',
    group: 'warp',
    text: `Picks one lane of \`membermask\`: \`p\` is true in that lane alone, \`d\` is its number in all. The choice is the same every time for the same mask. This is the way to issue one bulk copy or tensor instruction a warp. ${memberText}`,
    forms: [{ modifiers: '.sync', operands: 'd|p:w _ u32, membermask:u32', isa: '8.0', sm: 90 }],
  },
];
