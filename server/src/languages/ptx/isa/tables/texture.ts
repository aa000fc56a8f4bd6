/**
 * Textures and surfaces. A texture is named by a `.texref` variable or a 64-bit handle, alone or, with
 * `texmode_independent`, with a sampler before the coordinates. The geometry says how many coordinates there are;
 * vectors are of 1, 2 or 4, so that three-dimensional ones carry a fourth element that is ignored.
 */
import type { Form, Gate, InstructionEntry } from '../schema.js';
import { versionAtLeast } from '../versions.js';

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
  { names: 'a1d=2', isArray: true, spread: 'v1', gate: { isa: '2.3' } },
  { names: 'a2d=4', isArray: true, spread: 'v2', gate: { isa: '2.3' } },
];
const cubes: readonly Geometry[] = [
  { names: 'cube=4', gate: { isa: '3.0' } },
  { names: 'acube=4', isArray: true, gate: { isa: '3.0', sm: 20 } },
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
  `[a:texref, s:samplerref, ${coordinates(geometry, type)}]`,
];

/** The texel's residency as a predicate came long after the texel. */
const residency: Gate = { isa: '7.1', sm: 60 };

const results: readonly (readonly [vector: string, types: string])[] = [
  ['v4', 'u32 s32 f32'],
  ['v4', 'f16'],
  ['v2', 'f16x2'],
];

/** The later of two gates, version and architecture apart. */
function later(a: Gate, b: Gate): Gate {
  const isa = [a.isa, b.isa].filter((text) => text !== undefined);
  const sm = Math.max(a.sm ?? 0, b.sm ?? 0);
  const last = isa.length === 2 && versionAtLeast(isa[0], isa[1]) ? isa[0] : isa.at(-1);
  return { ...(last !== undefined && { isa: last }), ...(sm > 0 && { sm }) };
}

/** A read of a texture, with and without the residency predicate. */
const reads = (destination: string, operands: string, form: Omit<Form, 'operands'>): Form[] => [
  { ...form, operands: `d:w _ loose ${destination}, ${operands}` },
  {
    ...form,
    ...later(
      { ...(form.isa !== undefined && { isa: form.isa }), ...(form.sm !== undefined && { sm: form.sm }) },
      residency,
    ),
    operands: `d|p:w _ loose ${destination}, ${operands}`,
  },
];

const halves: Gate = { isa: '4.2', sm: 53 };

/** Trailing operands: texel offsets, and the depth that a shadow texture compares with. */
const extras = ({ names: text, spread = 'v$geom' }: Geometry): string =>
  /cube|ms/.test(text) ? ', {depth:f32}' : `, {offsets:${spread} s32}, {depth:f32}`;

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
  { mode: '.base', geometries: multisample, coordinateTypes: 's32', operands: '' },
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

const mipmap: Gate = { isa: '3.1', sm: 20 };
const cubeGradient: Gate = { isa: '4.3', sm: 20 };

function samplingGate(mode: string, geometry: Geometry, types: string): Gate {
  const gates = [geometry.gate];
  if (mode !== '') gates.push(mode === '.grad' && geometry.names.includes('cube') ? cubeGradient : mipmap);
  if (types.startsWith('f16')) gates.push(halves);
  return gates.reduce(later);
}

const texForms = samplings.flatMap(({ mode, geometries, coordinateTypes, operands, note }) =>
  geometries.flatMap((geometry) =>
    results.flatMap(([vector, types]) =>
      names(geometry, 'c').flatMap((address) => {
        const between = operands.replaceAll('SPREAD', geometry.spread ?? 'v$geom');
        return reads(`${vector} t`, `${address}${between}${extras(geometry)}`, {
          modifiers: `${mode}.$geom.${vector}.$t.$c`,
          sets: { geom: geometry.names, t: types, c: coordinateTypes },
          ...samplingGate(mode, geometry, types),
          ...(mode === '.grad' && { checks: 'bracedGradients' }),
          ...(note !== undefined && { note }),
        });
      }),
    ),
  ),
);

const gatherLater: Gate = { isa: '4.3', sm: 30 };
const gathers: readonly Geometry[] = [
  { names: '2d=2', gate: { isa: '2.2', sm: 20 } },
  { names: 'a2d=4', isArray: true, spread: 'v2', gate: gatherLater },
  { names: 'cube=4', gate: gatherLater },
  { names: 'acube=4', isArray: true, gate: gatherLater },
];

const gatherForms = gathers.flatMap((geometry) =>
  names(geometry, 'f32').flatMap((address) =>
    reads('v4 t', `${address}${extras(geometry)}`, {
      modifiers: '.(r|g|b|a).$geom.v4.$t.f32',
      sets: { geom: geometry.names, t: 'u32 s32 f32' },
      ...geometry.gate,
    }),
  ),
);

const surfaceGeometries = '1d=1 2d=2 3d=4 a1d=2 a2d=4';
const spatial: Gate = { isa: '3.0', sm: 20 };
const surfaceGates = { '.3d': spatial, '.a1d': spatial, '.a2d': spatial };
const array: Gate = { isa: '4.1', sm: 30 };
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
    gates: surfaceGates,
  }));

const query = (fields: string, isa: string, note?: string): Form => ({
  modifiers: `.(${fields}).b32`,
  operands: 'd:w b32, [a:texref]',
  isa,
  ...(note !== undefined && { note }),
});

const reductions64: Gate = { isa: '8.1', sm: 50 };
const reductions: readonly (readonly [operation: string, types: string, gate?: Gate])[] = [
  ['.b.add', 'u32 s32 u64'],
  ['.b.(min|max)', 'u32 s32'],
  ['.b.(min|max)', 'u64 s64', reductions64],
  ['.b.(and|or)', 'b32'],
  ['.p.(add|and|or)', 'b32'],
  ['.p.(min|max)', 'b32'],
  ['.p.(min|max)', 'b64', reductions64],
];

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
      query('array_size', '4.1'),
      { ...query('num_mipmap_levels', '4.1'), sm: 20 },
      { ...query('num_samples', '4.1'), sm: 30 },
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
        gates: { '.3d': spatial, '.a1d': array, '.a2d': array },
      },
    ],
  },
  {
    opcode: 'sured',
    group: 'texture and surface',
    text: 'Atomic update of a surface element, without a result. `.b` has x in bytes, `.p` in elements.',
    forms: reductions.map(([operation, types, gate = { isa: '2.0', sm: 20 }]) => ({
      modifiers: `${operation}.$geom.$t${clamps}`,
      operands: `${surface}, b:t`,
      sets: { geom: '1d=1 2d=2 3d=4', t: types },
      ...gate,
    })),
  },
];
