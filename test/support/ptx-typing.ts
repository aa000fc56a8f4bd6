import fc from 'fast-check';

/** What a person types or pastes into a PTX file, whole or half. */
export const ptxTyping = fc.constantFrom(
  '',
  ';',
  '{',
  '}',
  '\n',
  '/*',
  '*/',
  '//',
  '"',
  '.reg .b32 %q<4>;\n',
  '\tadd.s32 \t%r1, %r1, 1;\n',
  '.global .u32 g;\n',
  '.extern',
  '.extern .func f (.param .b32 a);\n',
  '.func f (.param .b32 a)\n{\n\tret;\n}\n',
  '.func g (.reg .b32 a)\n{\n\tst.shared.b32 [a], a;\n\tret;\n}\n',
  '.visible .entry k()\n{\n\tret;\n}\n',
  '.visible ',
  '.param .u64 p',
  '.version 6.0\n',
  '.target sm_75\n',
  'L: ',
  '%r1',
  'ld.',
);

/** A few lines of a small file. */
export const ptxPiece = fc.constantFrom(
  '.version 8.0\n.target sm_90\n.address_size 64\n',
  '.global .align 4 .b8 g[16];\n',
  '.extern .func f (.param .b32 a);\n',
  '.func f (.param .b32 a)\n{\n\tret;\n}\n',
  '.func g (.reg .b32 a)\n{\n\tst.shared.b32 [a], a;\n\tret;\n}\n',
  '.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %d;\n\tld.param.u64 %d, [p];\n\tmov.u32 %r1, %tid.x;\n\tst.global.u32 [%d], %r1;\n\tret;\n}\n',
  '.visible .entry l()\n{\n\t.reg .b32 %r<4>;\n\t.reg .pred %p;\n\tmov.u32 %r1, 0;\nL:\n\tadd.s32 %r1, %r1, 1;\n\tsetp.lt.s32 %p, %r1, 9;\n\t@%p bra L;\n\tcall g, (%r1);\n\tret;\n}\n',
  '// a comment\n',
  '.visible .entry m() {\n',
  '}\n',
);
