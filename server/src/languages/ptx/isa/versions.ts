/**
 * PTX ISA versions and `.target` architectures: which CUDA release brought a version, which version a target needs,
 * and the three kinds of target. `sm_90` runs on every later machine; `sm_100f` on the later members of its family;
 * `sm_90a` on that machine alone, and only there has it all of its instructions.
 *
 * Version of each target, families and the retargeting rules: measured with ptxas 13.0.88 (`--list-version`, one
 * call for each pair). CUDA releases: the table in cuda.bindings.utils of NVIDIA's cuda-python, which
 * follows the release history of the PTX ISA manual.
 */

export interface IsaVersion {
  readonly name: string;
  /** Toolkit that brought it, such as '11.8'; undefined for a version that no toolkit announced. */
  readonly cuda: string | undefined;
}

const versionRows: readonly (readonly [name: string, cuda?: string])[] = [
  ['1.0', '1.0'],
  ['1.1', '1.1'],
  ['1.2', '2.0'],
  ['1.3', '2.1'],
  ['1.4', '2.2'],
  ['1.5'],
  ['2.0', '3.0'],
  ['2.1', '3.1'],
  ['2.2', '3.2'],
  ['2.3', '4.0'],
  ['3.0', '4.1'],
  ['3.1', '5.0'],
  ['3.2', '5.5'],
  ['4.0', '6.0'],
  ['4.1', '6.5'],
  ['4.2', '7.0'],
  ['4.3', '7.5'],
  ['5.0', '8.0'],
  ['5.1'],
  ['6.0', '9.0'],
  ['6.1', '9.1'],
  ['6.2', '9.2'],
  ['6.3', '10.0'],
  ['6.4', '10.1'],
  ['6.5', '10.2'],
  ['7.0', '11.0'],
  ['7.1', '11.1'],
  ['7.2', '11.2'],
  ['7.3', '11.3'],
  ['7.4', '11.4'],
  ['7.5', '11.5'],
  ['7.6', '11.6'],
  ['7.7', '11.7'],
  ['7.8', '11.8'],
  ['8.0', '12.0'],
  ['8.1', '12.1'],
  ['8.2', '12.2'],
  ['8.3', '12.3'],
  ['8.4', '12.4'],
  ['8.5', '12.5'],
  ['8.6', '12.7'],
  ['8.7', '12.8'],
  ['8.8', '12.9'],
  ['9.0', '13.0'],
];

/** Oldest first. */
export const isaVersions: readonly IsaVersion[] = versionRows.map(([name, cuda]) => ({ name, cuda }));

export const newestVersion = '9.0';
/** ptxas 13.0 has no 32-bit addresses, and `.address_size 64` cannot be written before this version. */
export const oldestUsableVersion = '2.3';

const versionByName = new Map(isaVersions.map((version) => [version.name, version]));

export function isaVersion(name: string): IsaVersion | undefined {
  return versionByName.get(name);
}

/** Rank of `M.m`, comparable with `<`; NaN where the text is no version. */
export function versionRank(name: string): number {
  const match = /^(\d{1,4})\.(\d{1,4})$/.exec(name);
  return match ? Number(match[1]) * 10_000 + Number(match[2]) : NaN;
}

/** False where either text is no version. */
export function versionAtLeast(version: string, minimum: string): boolean {
  return versionRank(version) >= versionRank(minimum);
}

/** The newest known version that is not newer than `name`: what to write in place of one that does not exist. */
export function nearestVersion(name: string): string {
  const rank = versionRank(name);
  let nearest = newestVersion;
  for (const version of isaVersions) if (versionRank(version.name) <= rank) nearest = version.name;
  return nearest;
}

export type TargetKind = 'portable' | 'family' | 'architecture';

export interface Architecture {
  /** As `.target` names it: `sm_90a`. */
  readonly name: string;
  /** 90 for sm_90a. */
  readonly sm: number;
  readonly kind: TargetKind;
  /** Number of the family's first member; machines of one family share their `f` features. */
  readonly family: number;
  /** First PTX ISA version in which `.target` may name it. */
  readonly isa: string;
  readonly generation: string;
  /** ptxas 13.0 generates code for it. Older targets still assemble, for a newer machine. */
  readonly isBuildable: boolean;
}

const generations: readonly (readonly [firstSm: number, name: string])[] = [
  [10, 'Tesla'],
  [20, 'Fermi'],
  [30, 'Kepler'],
  [50, 'Maxwell'],
  [60, 'Pascal'],
  [70, 'Volta'],
  [75, 'Turing'],
  [80, 'Ampere'],
  [89, 'Ada'],
  [90, 'Hopper'],
  [100, 'Blackwell'],
];

/** `name version`; targets that a version brought. */
const targetRows =
  'sm_10 1.0, sm_11 1.0, sm_12 1.2, sm_13 1.2, sm_20 2.0, sm_21 2.0, sm_30 3.0, sm_32 4.0, sm_35 3.1, sm_37 4.1, ' +
  'sm_50 4.0, sm_52 4.1, sm_53 4.2, sm_60 5.0, sm_61 5.0, sm_62 5.0, sm_70 6.0, sm_72 6.1, sm_75 6.3, sm_80 7.0, ' +
  'sm_86 7.1, sm_87 7.4, sm_88 7.3, sm_89 7.8, sm_90 7.8, sm_90a 8.0, sm_100 8.6, sm_100a 8.6, sm_100f 8.8, ' +
  'sm_101 8.6, sm_101a 8.6, sm_101f 8.8, sm_103 8.8, sm_103a 8.8, sm_103f 8.8, sm_110 9.0, sm_110a 9.0, ' +
  'sm_110f 9.0, sm_120 8.7, sm_120a 8.7, sm_120f 8.8, sm_121 8.8, sm_121a 8.8, sm_121f 8.8';

/** Members of a family under its first one. sm_101 was renamed sm_110 in PTX ISA 9.0. */
const families: ReadonlyMap<number, number> = new Map([
  [103, 100],
  [101, 110],
  [121, 120],
]);

const kindOfSuffix: Readonly<Record<string, TargetKind>> = { '': 'portable', a: 'architecture', f: 'family' };

function architecture(row: string): Architecture {
  const [name, isa] = row.split(' ');
  const [, digits, suffix] = /^sm_(\d+)([af]?)$/.exec(name)!;
  const sm = Number(digits);
  return {
    name,
    sm,
    kind: kindOfSuffix[suffix],
    family: families.get(sm) ?? sm,
    isa,
    generation: generations.findLast(([first]) => first <= sm)![1],
    isBuildable: sm >= 75 && sm !== 101,
  };
}

/** By number, portable before `a` before `f`. */
export const architectures: readonly Architecture[] = targetRows.split(', ').map(architecture);

const architectureByName = new Map(architectures.map((entry) => [entry.name, entry]));

export function architectureOf(target: string): Architecture | undefined {
  return architectureByName.get(target);
}

/** Words that `.target` takes beside an architecture, and what each asks for. */
export const targetOptions: ReadonlyMap<string, string> = new Map([
  ['texmode_unified', 'Texture and sampler are one object, bound together (the default).'],
  [
    'texmode_independent',
    'Textures and samplers are separate objects (`.texref` and `.samplerref`), as OpenCL and OpenGL have them.',
  ],
  ['debug', 'The module carries DWARF sections; ptxas refuses it when they are missing.'],
  [
    'map_f64_to_f32',
    'Computes f64 instructions in f32, for machines before sm_13; refused since every target of ptxas 13.0 has f64.',
  ],
]);

/** The number in a target's name (90 for `sm_90a`), known or not; undefined where there is none. */
export function smNumber(target: string): number | undefined {
  const match = /^(?:sm|compute)_(\d{1,4})[a-z]?$/.exec(target);
  return match ? Number(match[1]) : undefined;
}

/** Whether `target` is at least `sm_<sm>`. Unknown names are judged by their number, nonsense is not. */
export function atLeast(target: string, sm: number): boolean {
  const number = smNumber(target);
  return number !== undefined && number >= sm;
}

/**
 * Whether `target` has a feature that belongs to the machines in `only`, such as 'sm_90a sm_100f': `sm_90a` means
 * that target alone; `sm_100f` means the `f` and `a` targets of the same family from that number on.
 */
export function hasSpecific(target: string, only: string): boolean {
  const wanted = architectureByName.get(target);
  if (!wanted) return false;
  return only.split(' ').some((name) => {
    if (name === target) return true;
    const owner = architectureByName.get(name);
    return (
      owner?.kind === 'family' &&
      wanted.kind !== 'portable' &&
      wanted.family === owner.family &&
      canonicalSm(wanted) >= canonicalSm(owner)
    );
  });
}

/** sm_101 and sm_110 are one machine. */
const canonicalSm = (entry: Architecture): number => (entry.sm === 101 ? 110 : entry.sm);

/** Whether code for `.target from` may be assembled for machine `to` (ptxas -arch). */
export function canRunOn(from: string, to: string): boolean {
  const source = architectureByName.get(from);
  const machine = architectureByName.get(to);
  if (!source || !machine) return false;
  if (source.kind === 'architecture') return from === to;
  if (canonicalSm(machine) < canonicalSm(source)) return false;
  return source.kind === 'portable' || source.family === machine.family;
}

/**
 * The target to suggest for a name that does not exist: the same number without its suffix, else the nearest
 * smaller number (so that the code runs where it was meant to), else the smallest.
 */
export function nearestTarget(name: string): string {
  const digits = /(\d{1,4})(?:\.(\d))?/.exec(name);
  if (!digits) return 'sm_75';
  const number = digits[2] === undefined ? Number(digits[1]) : Number(digits[1]) * 10 + Number(digits[2]);
  const suffix = /[af]$/i.exec(name)?.[0].toLowerCase() ?? '';
  const exact = `sm_${number}${suffix}`;
  if (architectureByName.has(exact)) return exact;
  const portable = architectures.filter((entry) => entry.kind === 'portable');
  return (portable.findLast((entry) => entry.sm <= number) ?? portable[0]).name;
}
