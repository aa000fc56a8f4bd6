/**
 * Textures and surfaces. A texture is named by a `.texref` variable or a 64-bit handle, alone or, with
 * `texmode_independent`, with a sampler before the coordinates. The geometry says how many coordinates there are;
 * vectors are of 1, 2 or 4, so that three-dimensional ones carry a fourth element that is ignored.
 */
import type { Form, Gate, InstructionEntry } from '../schema.js';

/** Coordinates of a geometry: all of one type, or an unsigned array index before them. */
interface Geometry {
  readonly names: string;
  readonly isArray?: boolean;
  /** Elements of offsets and gradients, where they differ from the coordinates: an array index has none. */
  readonly spread?: string;
  readonly gate: Gate;
}

const plain: readonly Geometry[] = [
  { names: '1d=1 2d=2 3d=4', gate: {} },
  { names: 'a1d=2', isArray: true, spread: 'v1', gate: { isa: '2.3', sm: 20 } },
  { names: 'a2d=4', isArray: true, spread: 'v2', gate: { isa: '2.3', sm: 20 } },
];
const cubes: readonly Geometry[] = [
  { names: 'cube=4', gate: { isa: '2.3', sm: 20 } },
  { names: 'acube=4', isArray: true, gate: { isa: '2.3', sm: 20 } },
];
const multisample: readonly Geometry[] = [
  { names: '2dms=4', gate: { isa: '3.2', sm: 30 } },
  { names: 'a2dms=4', isArray: true, gate: { isa: '3.2', sm: 30 } },
];

/** Array indices are `.u32` in a vector of floats: any register of 32 bits may stand there. */
const coordinates = (geometry: Geometry, type: string): string =>
  geometry.isArray ? 'c:v$geom any' : `c:v$geom loose ${type}`;

const names = (geometry: Geometry, type: string): string[] => [
  `[a:texref, ${coordinates(geometry, type)}]`,
  `[a:texref, s:any, ${coordinates(geometry, type)}]`,
];

const results: readonly (readonly [vector: string, types: string])[] = [
  ['v4', 'u32 s32 f32'],
  ['v4', 'f16'],
  ['v2', 'f16x2'],
];

/** Trailing operands: texel offsets, and the depth that a shadow texture compares with. */
const extras = ({ names: text, spread = 'v$geom' }: Geometry): string[] => {
  const offsets = `, offsets:${spread} s32`;
  return ['', ', depth:f32', ...(/cube|ms/.test(text) ? [] : [offsets, `${offsets}, depth:f32`])];
};

interface Sampling {
  readonly mode: string;
  readonly geometries: readonly Geometry[];
  readonly coordinateTypes: string;
  /** Operands between the address and the offsets. */
  readonly operands: string;
  readonly note?: string;
}

const samplings: readonly Sampling[] = [
  { mode: '', geometries: plain, coordinateTypes: 's32 f32', operands: '' },
  { mode: '', geometries: cubes, coordinateTypes: 'f32', operands: '' },
  { mode: '', geometries: multisample, coordinateTypes: 's32', operands: '', note: 'Reads one sample.' },
  {
    mode: '.base',
    geometries: [...plain, ...cubes],
    coordinateTypes: 's32 f32',
    operands: '',
    note: 'Reads the finest level of the mipmap.',
  },
  {
    mode: '.level',
    geometries: [...plain, ...cubes],
    coordinateTypes: 's32 f32',
    operands: ', lod:c',
    note: 'Reads the level `lod` of the mipmap.',
  },
  {
    mode: '.grad',
    geometries: [...plain, ...cubes],
    coordinateTypes: 'f32',
    operands: ', dx:SPREAD f32, dy:SPREAD f32',
    note: 'The level follows from the gradients of the coordinates.',
  },
];

const texForms = samplings.flatMap(({ mode, geometries, coordinateTypes, operands, note }) =>
  geometries.flatMap((geometry) =>
    results.flatMap(([vector, types]) =>
      names(geometry, 'c').flatMap((address) =>
        extras(geometry).map((extra): Form => ({
          modifiers: `${mode}.$geom.${vector}.$t.$c`,
          operands: `d{|p}:w _ loose ${vector} t, ${address}${operands.replaceAll('SPREAD', geometry.spread ?? 'v$geom')}${extra}`,
          sets: { geom: geometry.names, t: types, c: coordinateTypes },
          isa: geometry.gate.isa ?? (mode === '' ? '1.0' : '3.1'),
          sm: geometry.gate.sm ?? (mode === '' ? 10 : 20),
          ...(types.startsWith('f16') && { isa: '4.2', sm: 53 }),
          ...(mode === '.grad' && { checks: 'bracedGradients' }),
          ...(note !== undefined && { note }),
        })),
      ),
    ),
  ),
);

const gatherForms = [
  { names: '2d=2', gate: {} },
  { names: 'a2d=4', isArray: true, spread: 'v2', gate: {} },
  { names: 'cube=4', gate: {} },
  { names: 'acube=4', isArray: true, gate: {} },
].flatMap((geometry) =>
  results.flatMap(([vector, types]) =>
    names(geometry, 'f32').flatMap((address) =>
      extras(geometry).map((extra): Form => ({
        modifiers: `.(r|g|b|a).$geom.${vector}.$t.f32`,
        operands: `d{|p}:w _ loose ${vector} t, ${address}${extra}`,
        sets: { geom: geometry.names, t: types },
        isa: '2.2',
        sm: 20,
        ...(types.startsWith('f16') && { isa: '4.2', sm: 53 }),
      })),
    ),
  ),
);

const surfaceGeometries = '1d=1 2d=2 3d=4 a1d=2 a2d=4';
const clamps = '.(trap|clamp|zero)';
const surface = '[a:surfref, c:v$geom b32]';

const surfaceData: readonly (readonly [types: string, vectors: string])[] = [
  ['b8 b16 b32', 'v2 v4'],
  ['b64', 'v2'],
];

const surfaceForms = (caches: string, operands: string): Form[] =>
  surfaceData.map(([types, vectors]) => ({
    modifiers: `.b.$geom{.(${caches})}{.$vec}.$t${clamps}`,
    operands,
    sets: { geom: surfaceGeometries, t: types, vec: vectors },
    isa: '1.5',
    sm: 20,
  }));

const query = (fields: string, isa: string, note?: string): Form => ({
  modifiers: `.(${fields}).b32`,
  operands: 'd:w b32, [a:texref]',
  isa,
  ...(note !== undefined && { note }),
});

export const textureEntries: readonly InstructionEntry[] = [
  {
    opcode: 'tex',
    group: 'texture and surface',
    text: 'Reads a texture with filtering and addressing of its sampler, through the texture unit. The result has four components (two registers when packed in f16x2); the optional predicate says whether the texel was resident. Results of different types share registers of 32 bits. Integer coordinates address texels, floating-point ones may be normalised. A wait of several hundred cycles: start the reads early.',
    forms: texForms,
  },
  {
    opcode: 'tld4',
    group: 'texture and surface',
    text: 'Gathers one component (`.r .g .b .a`) of the four texels that bilinear filtering would blend, unfiltered, anticlockwise from the lower left.',
    forms: gatherForms,
  },
  {
    opcode: 'txq',
    group: 'texture and surface',
    text: 'Asks a texture, or a sampler, for one of its properties. The answer comes from the descriptor; sizes count texels.',
    forms: [
      query('width|height|depth|channel_data_type|channel_order|normalized_coords', '1.5'),
      query('array_size|num_mipmap_levels|num_samples', '4.1'),
      {
        modifiers: '.level.(width|height|depth).b32',
        operands: 'd:w b32, [a:texref], lod:b32',
        isa: '4.3',
        sm: 30,
        note: 'The size of one level of the mipmap.',
      },
      query('filter_mode|addr_mode_0|addr_mode_1|addr_mode_2', '1.5', 'A property of the sampler.'),
      {
        modifiers: '.(filter_mode|addr_mode_0|addr_mode_1|addr_mode_2|force_unnormalized_coords).b32',
        operands: 'd:w b32, [a:samplerref]',
        isa: '2.1',
        note: 'A property of the sampler.',
      },
    ],
  },
  {
    opcode: 'suq',
    group: 'texture and surface',
    text: 'Asks a surface for one of its properties: sizes in elements, array layers, format, memory layout.',
    forms: [
      {
        modifiers: '.(width|height|depth|channel_data_type|channel_order).b32',
        operands: 'd:w b32, [a:surfref]',
        isa: '1.5',
      },
      { modifiers: '.(array_size|memory_layout).b32', operands: 'd:w b32, [a:surfref]', isa: '4.1' },
    ],
  },
  {
    opcode: 'istypep',
    group: 'texture and surface',
    text: 'True when the 64-bit handle refers to an object of this type: a texture, a sampler or a surface.',
    forms: [
      {
        modifiers: '.(texref|samplerref|surfref)',
        operands: 'p:w pred, a:r u64',
        isa: '4.0',
        sm: 30,
      },
    ],
  },
  {
    opcode: 'suld',
    group: 'texture and surface',
    text: 'Reads a surface without filtering or conversion. The x coordinate counts bytes, the others elements. Out of range it traps (`.trap`), takes the nearest element (`.clamp`) or reads zero (`.zero`).',
    forms: surfaceForms('ca|cg|cs|cv', `d:w v$vec t+, ${surface}`),
  },
  {
    opcode: 'sust',
    group: 'texture and surface',
    text: 'Writes a surface. `.b` stores bits, with x in bytes; `.p` converts to the format of the surface, with x in elements. Writes out of range trap, go to the nearest element, or are dropped.',
    forms: [
      ...surfaceForms('wb|cg|cs|wt', `${surface}, b:v$vec t+`),
      {
        modifiers: `.p.$geom{.(wb|cg|cs|wt)}{.$vec}.b32${clamps}`,
        operands: `${surface}, b:v$vec b32`,
        sets: { geom: surfaceGeometries, vec: 'v2 v4' },
        isa: '2.0',
        sm: 20,
      },
    ],
  },
  {
    opcode: 'sured',
    group: 'texture and surface',
    text: 'Atomic update of a surface element, without a result. `.b` has x in bytes, `.p` in elements.',
    forms: [
      ['.b.add', 'u32 s32 u64'],
      ['.b.(min|max)', 'u32 s32 u64 s64'],
      ['.b.(and|or)', 'b32'],
      ['.p.(add|and|or)', 'b32'],
      ['.p.(min|max)', 'b32 b64'],
    ].map(([operation, types]) => ({
      modifiers: `${operation}.$geom.$t${clamps}`,
      operands: `${surface}, b:t`,
      sets: { geom: '1d=1 2d=2 3d=4', t: types },
      isa: '3.0',
      sm: 30,
    })),
  },
];
