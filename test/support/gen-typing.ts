import fc from 'fast-check';

/** Pieces of Gen programs as people write and half write them, and as dumps print them. */

const register = fc.constantFrom(
  'vgrf1',
  'vgrf2+1.0',
  'vgrf3+0.16',
  'g4',
  'g4.16',
  'm2',
  'u3',
  'u3+0.8',
  'attr0',
  'null',
  'f0.1',
  'acc0',
  'a0.2',
  'arf1.2',
  's4',
  'vgrf70000',
  'vgrf99999999999',
  'vgrf',
  '***u3***',
  '***u3',
  'x9',
);
const channels = fc.constantFrom('', '', '.x', '.xyzw', '.xyzz', '.wzyx', '.yx', '.', '.xyzwx', '.q');
const stride = fc.constantFrom('', '', '', '<0>', '<2>', '<8,8,1>', '<', '<99999>');
const type = fc.constantFrom(':F', ':F', ':UD', ':DF', ':UW', ':B', ':INVALID', ':X', ':', '');

const source = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('', '', '-', '|', '-|'),
      register,
      channels,
      fc.constantFrom('', '', '|'),
      stride,
      type,
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(
    '1F',
    '0.5f',
    '-3d',
    '12D',
    '4U',
    '7u',
    '1.0DF',
    'infF',
    '-nanf',
    '[1F, 0F, 0F, 0F]',
    '[1F',
  ),
  fc.constantFrom(
    '11001010V',
    '???',
    '12',
    '1e+10f',
    '99999999999D',
    '0x',
    '(null):UD',
    '(null)',
    'loop',
    '',
  ),
);

const destination = fc.oneof(
  fc.tuple(register, channels, stride, type).map((parts) => parts.join('')),
  fc.constantFrom('(null):UD', 'null:F', 'null.x:D', '', '(', 'loop'),
);

const mnemonic = fc.constantFrom(
  'mov',
  'add',
  'mad',
  'sel',
  'cmp',
  'dp4',
  'if',
  'else',
  'endif',
  'do',
  'while',
  'break',
  'cont',
  'jmpi',
  'send',
  'gfx4_scratch_read',
  'simd4x2_merge',
  'spill',
  'unspill',
  'tcs_src0<0,1,0>_is_zero',
  'nothing',
);

const head = fc.oneof(
  fc
    .tuple(
      mnemonic,
      fc.constantFrom('(8)', '(16)', '(4)', '(1)', '(12)', '(', ''),
      fc.constantFrom('', '', '.sat', '.ge.f0.0', '.l', '.q'),
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(mnemonic, fc.constantFrom('', '.sat', '.sat.nz', '.z.f1.1'), fc.constantFrom('(8)', '(16)'))
    .map((parts) => parts.join('')),
);

const instruction = fc
  .tuple(
    fc.constantFrom('', '', '   0: ', '  17: ', '{ 12}    3: ', '{ 12} ', '5:', '{'),
    fc.constantFrom('', '', '', '(+f0.0) ', '(-f0.1.any4h) ', '(+f2.0) ', '(+f0.0'),
    head,
    fc.constantFrom(' ', ' ', ' (mlen: 2) ', ' (mlen: 4) (EOT) ', ' (mlen:', '  '),
    destination,
    fc.array(
      fc.tuple(fc.constantFrom(', ', ', ', ',', ' ', ''), source).map((parts) => parts.join('')),
      {
        maxLength: 4,
      },
    ),
    fc.constantFrom('', '', ' NoMask', ' NoMask group0', ' group8 ', ',  ', ', NoMask', ' noMask'),
    fc.constantFrom(
      '',
      '',
      ' {mlen 2, base_mrf 14}',
      ' {NoDDClr NoDDChk}',
      ' {',
      ' {x}',
      ' {desc 0x12, sfid urb} ',
    ),
  )
  .map(([prefix, predicate, name, gap, to, from, flags, attributes]) =>
    [prefix, predicate, name, gap, to, ...from, flags, attributes].join(''),
  );

const directive = fc.constantFrom(
  '.gen 1',
  '.gen',
  '.program lit',
  '.program two',
  '.program',
  '.target hsw',
  '.target hsx',
  '.stage vs',
  '.mode simd16',
  '.mode simd4x2',
  '.phase allocated',
  '.phase hw',
  '.payload g0-g3, g5',
  '.payload g3-g0',
  '.payload',
  '.uniforms 3',
  '.attrs 2 interleaved',
  '.vgrf 1 size 2 type F name',
  '.vgrf 2 size 1',
  '.vgrf vgrf3 size',
  '.grf_limit 64',
  '.reserved 8 @g120',
  '.scratch 64 limit 128',
  '.option a=b',
  '.live_out vgrf1, vgrf2.xy:F',
  '.live_out vgrf1,',
  '.thing',
);

const other = fc.constantFrom(
  'START B0',
  'START B1 <-B0 <~B2',
  'END B0 ->B1 ~>B3',
  'Maximum  13 registers live at once.',
  'Native code for unnamed vertex shader GLSL3',
  'SIMD4x2 shader: 20 instructions.',
  'mov(8)  g116<1>.xF  g1<0>F  { align16 1Q };',
  'loop:',
  'end: mov(8) vgrf1:F, 0D',
  '; comment',
  '// comment',
  '',
  '  ',
);

const line = fc.oneof(
  { weight: 6, arbitrary: instruction },
  { weight: 2, arbitrary: directive },
  { weight: 2, arbitrary: other },
);

/** A line, with its end. */
export const genPiece: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '  ', '\t'),
    line,
    fc.constantFrom('\n', '\n', '\n', '\r\n', '\r', ' ; why\n', ''),
  )
  .map((parts) => parts.join(''));

export const genText: fc.Arbitrary<string> = fc
  .array(genPiece, { maxLength: 20 })
  .map((pieces) => pieces.join(''));

/** What is typed in one go. */
export const genTyping: fc.Arbitrary<string> = fc.oneof(
  genPiece,
  source,
  fc.constantFrom('\n', ' ', ',', ':', '.', '(', ')', '|', '-', ';', '.gen 1\n', 'x', '1', '{', '}'),
  fc.string({ maxLength: 5 }),
);
