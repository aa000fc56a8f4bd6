import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesOf, rowsOf } from './corpus.js';

/** What a dump's `.meta.json` says that its text lacks; the corpus's README explains each field. */
export interface GenMeta {
  readonly shader: string;
  readonly stage: string;
  readonly backend: 'vec4' | 'fs';
  readonly platform: 'ivb' | 'hsw';
  readonly width: string;
  readonly phase: GenPhase;
  readonly first_non_payload_grf: number;
  readonly thread_payload_regs?: number;
  readonly payload_last_use_ip?: readonly number[];
  readonly uniform_vec4s?: number;
  readonly uniforms?: number;
  readonly attribute_slots?: number;
  readonly grf_limit?: number;
  readonly vgrf_sizes?: readonly number[];
  /** First and last instruction by VGRF, null where it is unused. */
  readonly live?: readonly (readonly [number, number] | null)[];
  readonly blocks: readonly (readonly [number, number])[];
  readonly hidden: readonly HiddenFields[];
  /** [instruction, source (-1: the destination), byte] for operands `gN` that do not begin at byte 0. */
  readonly fixed_grf_subnr?: readonly (readonly [number, number, number])[];
  readonly result?: string;
  /** The scalar back-end's schedulers before allocation, in the order of their trial. */
  readonly modes_tried?: readonly ('top-down' | 'non-lifo' | 'lifo')[];
  readonly total_scratch?: number;
  readonly scratch_slots?: number;
  readonly last_scratch_bytes?: number;
  readonly spilled?: boolean;
  /** [VGRF, GRFs, slot (vec4: 32 bytes; fs: bytes), cost, VGRFs then] in order. */
  readonly spill_log?: readonly (readonly [number, number, number, number, number])[];
  /** -1 not spillable, null infinite. */
  readonly first_spill_costs?: readonly (number | null)[];
  readonly vgrf_to_grf?: readonly number[];
}

export interface HiddenFields {
  readonly ip: number;
  readonly mlen?: number;
  readonly base_mrf?: number;
  readonly header?: number;
  readonly size_written?: number;
  readonly ex_mlen?: number;
  readonly offset?: number;
  readonly eot?: number;
  readonly sfid?: number;
  readonly desc?: number;
  readonly no_dd_clear?: number;
  readonly no_dd_check?: number;
  readonly acc_wr?: number;
  readonly urb_flags?: number;
}

export type GenPhase = 'S' | 'A' | 'P' | 'B' | 'C';

/** One dump of the reference compiler. Text and meta are read when asked for. */
export interface GenDump {
  readonly path: string;
  readonly shader: string;
  readonly stage: string;
  readonly width: '4x2' | '8' | '16' | '32';
  readonly platform: 'ivb' | 'hsw';
  readonly phase: GenPhase;
  text(): string;
  meta(): GenMeta;
}

/** A dump by its path: `PLATFORM/SHADER.STAGE.WIDTH.PHASE.txt`. */
function dumpOf(path: string, platform: GenDump['platform']): GenDump {
  const [shader, stage, width, phase] = basename(path).split('.') as [
    string,
    string,
    GenDump['width'],
    GenPhase,
  ];
  const metaPath = path.replace(/txt$/, 'meta.json');
  return {
    path,
    shader,
    stage,
    width,
    platform,
    phase,
    text: () => readFileSync(path, 'utf8'),
    meta: () => JSON.parse(readFileSync(metaPath, 'utf8')) as GenMeta,
  };
}

/** The dumps under the corpus's `gen` folder, sorted by platform and name. */
export const genDumps = (
  folder: string,
  phases: readonly GenPhase[],
  widths?: readonly string[],
): GenDump[] =>
  (['hsw', 'ivb'] as const).flatMap((platform) =>
    filesOf(join(folder, platform), '.txt')
      .map((path) => dumpOf(path, platform))
      .filter(({ phase, width }) => phases.includes(phase) && widths?.includes(width) !== false),
  );

/** The same shader, width and platform at another phase; on ivb, where A and B are kept only when they differ, that of hsw. */
export function dumpAt(dump: GenDump, folder: string, phase: GenPhase): GenDump | undefined {
  const name = `${dump.shader}.${dump.stage}.${dump.width}.${phase}.txt`;
  const platform = ([dump.platform, 'hsw'] as const).find((one) => existsSync(join(folder, one, name)));
  return platform === undefined ? undefined : dumpOf(join(folder, platform, name), platform);
}

/** Rows of stats.tsv by `shader stage platform width`. */
export function genStats(folder: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  return new Map(
    rowsOf(join(folder, 'stats.tsv')).map((row) => [
      `${row.shader} ${row.stage} ${row.platform} ${row.width}`,
      row,
    ]),
  );
}

export const statsKey = (dump: GenDump, platform: string = dump.platform): string =>
  `${dump.shader} ${dump.stage} ${platform} ${dump.width}`;

const modes = { '4x2': 'simd4x2', '8': 'simd8', '16': 'simd16', '32': 'simd32' } as const;

/**
 * The dump with what its text lacks said in directives and attributes: machine, stage, mode, phase, payload, sizes,
 * message fields, dependency bits (`dependencyBits: false` leaves them out), sub-registers of fixed operands.
 * `platform` is another machine to say than that of the dump.
 */
export function annotated(
  dump: GenDump,
  options: { readonly dependencyBits?: boolean; readonly platform?: 'ivb' | 'hsw' } = {},
): string {
  const meta = dump.meta();
  const isAllocated = dump.phase === 'B' || dump.phase === 'C';
  const head = [
    '.gen 1',
    `.target ${options.platform ?? dump.platform}`,
    `.stage ${dump.stage}`,
    `.mode ${modes[dump.width]}`,
    `.phase ${isAllocated ? 'allocated' : 'virtual'}`,
    `.payload g0${meta.first_non_payload_grf > 1 ? `-g${meta.first_non_payload_grf - 1}` : ''}`,
    ...(meta.uniform_vec4s === undefined ? [] : [`.uniforms ${meta.uniform_vec4s}`]),
    ...(meta.grf_limit === undefined ? [] : [`.grf_limit ${meta.grf_limit}`]),
  ];
  if (!isAllocated)
    meta.vgrf_sizes?.forEach((size, vgrf) => {
      if (meta.live?.[vgrf]) head.push(`.vgrf ${vgrf} size ${size}`);
    });
  const hidden = new Map(meta.hidden.map((fields) => [fields.ip, fields]));
  const bytes = new Map<number, (readonly [number, number])[]>();
  for (const [ip, source, byte] of meta.fixed_grf_subnr ?? [])
    bytes.set(ip, [...(bytes.get(ip) ?? []), [source, byte]]);
  const lines = dump
    .text()
    .split('\n')
    .map((line) => {
      const ip = /^(?:\{ *\d+\} *)? *(\d+): /.exec(line)?.[1];
      if (ip === undefined) return line;
      const fields = hidden.get(Number(ip));
      const placed = (bytes.get(Number(ip)) ?? []).reduce(
        (text, [source, byte]) => withByte(text, source, byte),
        line,
      );
      const attributes = fields === undefined ? [] : attributesOf(fields, meta.backend, options);
      return attributes.length === 0 ? placed : `${placed.trimEnd()} {${attributes.join(', ')}}`;
    });
  return [...head, ...lines].join('\n');
}

function attributesOf(
  fields: HiddenFields,
  backend: GenMeta['backend'],
  options: { readonly dependencyBits?: boolean },
): string[] {
  const found: string[] = [];
  const number = (name: string, value: number | undefined): void => {
    if (value !== undefined) found.push(`${name} ${value}`);
  };
  if (fields.mlen !== undefined && fields.mlen > 0) number('mlen', fields.mlen);
  // the vec4 back-end leaves ex_mlen unset: whatever stands there means nothing
  if (backend === 'fs' && fields.ex_mlen !== undefined && fields.ex_mlen > 0)
    number('ex_mlen', fields.ex_mlen);
  if (fields.base_mrf !== undefined && fields.base_mrf >= 0) number('base_mrf', fields.base_mrf);
  if (fields.header !== undefined && fields.header > 0) number('header', fields.header);
  if (fields.mlen !== undefined && fields.size_written !== undefined && fields.size_written % 32 === 0)
    number('rlen', fields.size_written / 32);
  if (backend === 'fs' && fields.offset !== undefined) number('offset', fields.offset);
  if (fields.eot === 1 || (fields.urb_flags !== undefined && (fields.urb_flags & 4) !== 0)) found.push('eot');
  if (options.dependencyBits !== false) {
    if (fields.no_dd_clear === 1) found.push('NoDDClr');
    if (fields.no_dd_check === 1) found.push('NoDDChk');
  }
  if (fields.acc_wr === 1) found.push('AccWrEn');
  if (fields.sfid !== undefined) found.push(`sfid ${sharedFunctions[fields.sfid] ?? `f${fields.sfid}`}`);
  if (fields.desc !== undefined) found.push(`desc 0x${fields.desc.toString(16)}`);
  return found;
}

/** Shared function numbers of Gen7 sends. */
const sharedFunctions: Readonly<Record<number, string>> = {
  2: 'sampler',
  4: 'sampler_cache',
  5: 'render_cache',
  6: 'urb',
  9: 'constant_cache',
  10: 'data_cache',
};

/** Says the byte of operand `gN` number `source` (-1: the destination) of a line: `g5<0>` becomes `g5.16<0>`. */
function withByte(line: string, source: number, byte: number): string {
  const head = /^.*?\)(?: \([^)]*\))* /.exec(
    line.replace(/^(.*?: \([+-][^)]*\) )/, (all) => '·'.repeat(all.length)),
  );
  if (head === null) return line;
  const operands = line.slice(head[0].length).split(', ');
  if (operands[source + 1] === undefined) return line;
  operands[source + 1] = operands[source + 1].replace(/^(-?\|?g\d+)(?!\.)/, `$1.${byte}`);
  return line.slice(0, head[0].length) + operands.join(', ');
}
