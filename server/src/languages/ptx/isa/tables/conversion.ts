import { isSignedType, typeBits, typeId } from '../types.js';
import type { Form, InstructionEntry } from '../schema.js';

/**
 * cvt. Which rounding, saturation and flushing goes with which pair of types is the verdict of ptxas 13.0 on all
 * 16 900 combinations of scalar types; the packed formats were asked one by one.
 */
const integers = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64'];
const all = integers.join(' ');
const withoutBytes = integers.slice(2).join(' ');
const unary = 'd:w d+, a:src+';

/** Whether every value of `source` is one of `destination`: saturation would do nothing, and is refused. */
function covers(destination: string, source: string): boolean {
  const [d, s] = [typeId(destination), typeId(source)];
  if (isSignedType(d) === isSignedType(s)) return typeBits(d) >= typeBits(s);
  return isSignedType(d) && typeBits(d) > typeBits(s);
}

const integerForms: readonly Form[] = integers.flatMap((s) => {
  const covering = integers.filter((d) => covers(d, s)).join(' ');
  const others = integers.filter((d) => !covers(d, s)).join(' ');
  return [
    { modifiers: '.$d.$src', operands: `${unary} s`, sets: { d: covering, src: s } },
    { modifiers: '{.sat}.$d.$src', operands: `${unary} s`, sets: { d: others, src: s } },
  ];
});

const brain = { isa: '7.8', sm: 90 };
const toInteger = '.(rni|rzi|rmi|rpi)';
const rounding = '.(rn|rz|rm|rp)';
/** Narrow formats that only family- and architecture-specific targets have. */
const family = { isa: '8.6', only: 'sm_100f sm_110f sm_120f' };
const stochastic = { isa: '8.7', only: 'sm_100a sm_103a' };
const saturating = { '.satfinite': { isa: '8.1' } };

const scalarForms: readonly Form[] = [
  { modifiers: `${toInteger}{.sat}.$d.$src`, operands: unary, sets: { d: all, src: 'f16 f64' } },
  { modifiers: `${toInteger}{.ftz}{.sat}.$d.f32`, operands: 'd:w d+, a:f32+', sets: { d: all } },
  { modifiers: `${toInteger}.$d.bf16`, operands: 'd:w d, a:v1 bf16', sets: { d: withoutBytes }, ...brain },
  { modifiers: `${rounding}{.sat}.f16.$src`, operands: 'd:w f16+, a:src+', sets: { src: `${all} f64` } },
  { modifiers: `${rounding}{.sat}.f64.$src`, operands: 'd:w f64+, a:src+', sets: { src: all } },
  {
    modifiers: `${rounding}{.ftz}{.sat}.f32.$src`,
    operands: 'd:w f32+, a:src+',
    sets: { src: `${all} f64` },
  },
  {
    modifiers: `${rounding}.bf16.$src`,
    operands: 'd:w v1 bf16, a:src',
    sets: { src: `${withoutBytes} f64` },
    ...brain,
  },
  { modifiers: `{${toInteger}}{.sat}.f16.f16`, operands: 'd:w f16+, a:f16+' },
  { modifiers: `{${toInteger}}{.sat}.f64.f64`, operands: 'd:w f64+, a:f64+' },
  { modifiers: `{${toInteger}}{.ftz}{.sat}.f32.f32`, operands: 'd:w f32+, a:f32+' },
  { modifiers: `{${toInteger}}.bf16.bf16`, operands: 'd:w v1 bf16, a:v1 bf16', ...brain },
  { modifiers: '{.sat}.f64.f16', operands: 'd:w f64+, a:f16+' },
  { modifiers: '{.ftz}{.sat}.$d.$src', operands: unary, sets: { d: 'f32', src: 'f16' } },
  { modifiers: '{.ftz}{.sat}.$d.$src', operands: unary, sets: { d: 'f64', src: 'f32' } },
  { modifiers: `{${rounding}}.$d.bf16`, operands: 'd:w d, a:v1 bf16', sets: { d: 'f16 f64' }, ...brain },
  { modifiers: `{${rounding}}.bf16.f16`, operands: 'd:w v1 bf16, a:f16', ...brain },
  {
    modifiers: `{${rounding}}{.ftz}.f32.bf16`,
    operands: 'd:w f32, a:v1 bf16',
    isa: '7.1',
    sm: 80,
    gates: { '.ftz': brain },
  },
  { modifiers: `${rounding}{.ftz}{.sat}.f16.f32`, operands: 'd:w f16+, a:f32+' },
  {
    modifiers: '.(rn|rz){.satfinite}{.relu}.f16.f32',
    operands: 'd:w f16+, a:f32+',
    gates: { '.satfinite': { isa: '8.1', sm: 70 }, '.relu': { isa: '7.0', sm: 80 } },
  },
  { modifiers: `${rounding}{.ftz}.bf16.f32`, operands: 'd:w v1 bf16, a:f32', isa: '7.0', sm: 80 },
  {
    modifiers: '.(rn|rz){.satfinite}{.relu}.bf16.f32',
    operands: 'd:w v1 bf16, a:f32',
    isa: '7.0',
    sm: 80,
    gates: saturating,
  },
  {
    modifiers: '.rna{.satfinite}.tf32.f32',
    operands: 'd:w tf32, a:f32',
    isa: '7.0',
    sm: 80,
    gates: saturating,
  },
  {
    modifiers: '.(rn|rz){.satfinite}{.relu}.tf32.f32',
    operands: 'd:w tf32, a:f32',
    ...brain,
    gates: { '.satfinite': { isa: '8.6', sm: 100 } },
  },
];

/** Two f32 to a packed pair: `a` becomes the upper half, `b` the lower one. */
const pair = (type: string): string => `d:w ${type}, a:f32, b:f32`;
/** e4m3 and e5m2 came to sm_90 first, and to sm_89 later. */
const eightBit = [brain, { isa: '8.1', sm: 89 }];

const packedForms: readonly Form[] = [
  {
    modifiers: '.(rn|rz){.relu}{.satfinite}.$d.f32',
    operands: pair('d'),
    sets: { d: 'f16x2 bf16x2' },
    isa: '7.0',
    sm: 80,
    gates: saturating,
  },
  {
    modifiers: '.rs{.relu}{.satfinite}.$d.f32',
    operands: 'd:w d, a:f32, b:f32, random:r exact b32',
    sets: { d: 'f16x2 bf16x2' },
    ...stochastic,
  },
  ...eightBit.flatMap((gate): readonly Form[] => [
    {
      modifiers: '.rn.satfinite{.relu}.$d.f32',
      operands: pair('d'),
      sets: { d: 'e4m3x2 e5m2x2' },
      ...gate,
    },
    {
      modifiers: '.rn.satfinite{.relu}.$d.f16x2',
      operands: 'd:w d, a:f16x2',
      sets: { d: 'e4m3x2 e5m2x2' },
      ...gate,
    },
    {
      modifiers: '.rn{.relu}.f16x2.$src',
      operands: 'd:w f16x2, a:src',
      sets: { src: 'e4m3x2 e5m2x2' },
      ...gate,
    },
  ]),
  {
    modifiers: '.rn.satfinite{.relu}.$d.f32',
    operands: pair('d'),
    sets: { d: 'e2m3x2 e3m2x2 e2m1x2' },
    ...family,
  },
  { modifiers: '.rn.satfinite{.relu}.e2m1x2.f16x2', operands: 'd:w e2m1x2, a:f16x2', ...family },
  {
    modifiers: '.rn{.relu}.f16x2.$src',
    operands: 'd:w f16x2, a:src',
    sets: { src: 'e2m3x2 e3m2x2 e2m1x2' },
    ...family,
  },
  { modifiers: '.(rz|rp){.satfinite}.ue8m0x2.f32', operands: pair('ue8m0x2'), ...family },
  { modifiers: '.(rz|rp){.satfinite}.ue8m0x2.bf16x2', operands: 'd:w ue8m0x2, a:bf16x2', ...family },
  { modifiers: '.rn.bf16x2.ue8m0x2', operands: 'd:w bf16x2, a:ue8m0x2', ...family },
  {
    modifiers: '.rs{.relu}.satfinite.$d.f32',
    operands: 'd:w d, a:v4 f32, random:r exact b32',
    sets: { d: 'e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4' },
    ...stochastic,
  },
  {
    modifiers: '.pack^.sat.$d.s32',
    operands: 'd:w b32, a:s32, b:s32',
    sets: { d: 'u16 s16' },
    isa: '6.5',
    sm: 72,
    note: 'Clamps both and packs them, `a` in the upper half.',
  },
  {
    modifiers: '.pack^.sat.$d.s32.b32',
    operands: 'd:w b32, a:s32, b:s32, c:b32',
    sets: { d: 'u8 s8 u4 s4 u2 s2' },
    isa: '6.5',
    sm: 72,
    gates: Object.fromEntries(['.u4', '.s4', '.u2', '.s2'].map((type) => [type, { isa: '6.5', sm: 75 }])),
    note: 'Clamps `a` and `b` to the type and appends them to `c`, which is shifted up: repeated, it packs a word.',
  },
];

export const conversion: readonly InstructionEntry[] = [
  {
    opcode: 'cvt',
    group: 'conversion',
    text: 'Converts between types, the destination first: `cvt.rn.f32.s32`. Between integers it truncates or extends by the sign of the source type, `.sat` clamps instead. To an integer from a float it needs an integer rounding (`.rni` nearest even, `.rzi` towards zero as C does, `.rmi` down, `.rpi` up), always clamps, and gives 0 for NaN (the largest negative-looking value in 64 bits). To a float from an integer or a wider float it needs `.rn`, `.rz`, `.rm` or `.rp`. `.ftz` flushes subnormal f32; `.sat` clamps a float to [0, 1]; `.satfinite` replaces infinities by the largest finite number; `.relu` clamps negative results to 0. Forms with two f32 sources pack two results, the first source in the upper half. Conversions run at a quarter of the rate of arithmetic or less. Registers may be wider than the types.',
    forms: [...integerForms, ...scalarForms, ...packedForms],
  },
];
