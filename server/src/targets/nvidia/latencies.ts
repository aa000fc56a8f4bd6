import type { Family } from './architectures.js';

/**
 * How long results take. A row is a kind of work; a number is the cycles from the issue of an instruction to the
 * issue of one that depends on it, one warp, nothing else running. Where a level of memory is meant, the row
 * assumes the typical hit and says which (`L1 hit`).
 *
 * Sources:
 * - [PPT] PPT-GPU's machine files (github.com/NMSU-PEARL/PPT-GPU, hardware/ISA/*.py) after Arafa et al., "Low overhead
 *   instruction latency characterization for NVIDIA GPGPUs" (arXiv:1905.08778).
 * - [JIA] Jia et al., "Dissecting the NVIDIA Turing T4 GPU via microbenchmarking" (arXiv:1903.07486).
 * - [SJF] github.com/sjfeng1999/gpu-arch-microbenchmark, RTX 2070: L1 32, L2 236, shared 23.
 * - [ABD] Abdelkhalik et al., "Demystifying the NVIDIA Ampere architecture" (arXiv:2208.11174), A100: tables 2 to 5.
 * - [LUO] Luo et al., "Benchmarking and dissecting the NVIDIA Hopper GPU architecture" (arXiv:2402.13499):
 *   A100 L1 37.9, L2 261.5, DRAM 466; RTX 4090 L1 43.4, L2 273, DRAM 541.5.
 * - [DEW] github.com/markdewing/AI_kernels, latency/README: GH200 L1 40, L2 281, DRAM 690; B200 40, 295, 860;
 *   RTX 5090 44, 360, 936; RTX 4090 40, 296, 636.
 * - [HUE] Huerta et al., "Analyzing modern NVIDIA GPU cores" (arXiv:2503.20481), RTX A6000: shared 23, L1 29.
 * - [ACC] Accel-Sim's tested configurations (github.com/accel-sim/gpgpu-sim_distribution, configs/tested-cfgs).
 * Software sequences (division, exact square root) are [ABD] table 5; other families use the same figures, since
 * they are the same sequences on pipelines of the same depth.
 */
export type LatencyRow =
  | 'alu'
  | 'multiply'
  | 'wide'
  | 'half'
  | 'double'
  | 'special'
  | 'convert'
  | 'bitScan'
  | 'specialRegister'
  | 'constant'
  | 'shared'
  | 'sharedAtomic'
  | 'global'
  | 'globalL2'
  | 'globalAtomic'
  | 'texture'
  | 'shuffle'
  | 'vote'
  | 'matrix'
  | 'matrixDouble'
  | 'asynchronous'
  | 'store'
  | 'barrier'
  | 'branch'
  | 'call'
  | 'divide32'
  | 'divide64'
  | 'divideFloat'
  | 'divideDouble'
  | 'rootFloat'
  | 'rootDouble'
  | 'none';

export interface Latency {
  readonly cycles: number;
  readonly source: string;
}

interface Row {
  /** How a cause names it: `an L1 hit`; empty where the row is no memory level. */
  readonly level: string;
  /** What it is, in words, for causes and documentation. */
  readonly what: string;
  /** True where the machine tracks completion with a scoreboard (dependency barrier), false for fixed latencies. */
  readonly isVariable: boolean;
  readonly byFamily: Readonly<Record<Family, Latency>>;
}

const at = (cycles: number, source: string): Latency => ({ cycles, source });

const same = (cycles: number, source: string): Row['byFamily'] => {
  const entry = at(cycles, source);
  return {
    turing: entry,
    ampere: entry,
    'ampere-graphics': entry,
    ada: entry,
    hopper: entry,
    blackwell: entry,
    'blackwell-graphics': entry,
  };
};

const NEAREST = '; not measured here, figure of the nearest family that was';

const fixed = (what: string, byFamily: Row['byFamily']): Row => ({
  level: '',
  what,
  isVariable: false,
  byFamily,
});
const variable = (what: string, level: string, byFamily: Row['byFamily']): Row => ({
  level,
  what,
  isVariable: true,
  byFamily,
});

const globalLoad: Row['byFamily'] = {
  turing: at(32, 'SJF, JIA'),
  ampere: at(33, 'ABD table 4'),
  'ampere-graphics': at(29, 'HUE'),
  ada: at(43, 'LUO'),
  hopper: at(40, 'DEW'),
  blackwell: at(40, 'DEW'),
  'blackwell-graphics': at(44, 'DEW'),
};

const secondLevel: Row['byFamily'] = {
  turing: at(236, 'SJF'),
  ampere: at(200, 'ABD table 4'),
  'ampere-graphics': at(200, `ABD table 4${NEAREST}`),
  ada: at(273, 'LUO'),
  hopper: at(281, 'DEW'),
  blackwell: at(295, 'DEW'),
  'blackwell-graphics': at(360, 'DEW'),
};

const sharedLoad: Row['byFamily'] = {
  turing: at(23, 'SJF'),
  ampere: at(23, 'ABD table 4'),
  'ampere-graphics': at(23, 'HUE'),
  ada: at(23, `HUE${NEAREST}`),
  hopper: at(23, `ABD table 4${NEAREST}`),
  blackwell: at(23, `ABD table 4${NEAREST}`),
  'blackwell-graphics': at(23, `HUE${NEAREST}`),
};

const FULL = at(8, 'PPT (dALU of a part with full-rate double precision)');
const REDUCED = at(45, 'PPT, Turing (two double-precision lanes an SM)');

const doublePrecision: Row['byFamily'] = {
  turing: REDUCED,
  ampere: FULL,
  'ampere-graphics': at(45, `PPT, Turing${NEAREST}`),
  ada: at(45, `PPT, Turing${NEAREST}`),
  hopper: FULL,
  blackwell: at(8, `PPT${NEAREST}`),
  'blackwell-graphics': at(45, `PPT, Turing${NEAREST}`),
};

export const latencies: Readonly<Record<LatencyRow, Row>> = {
  alu: fixed('integer or logic operation', same(4, 'PPT (iALU); ABD table 2')),
  multiply: fixed('multiplication or multiply-add', same(4, 'PPT (fALU); ABD table 2')),
  wide: fixed(
    '64-bit integer operation',
    same(6, 'ABD table 5: two 32-bit operations, the second chained by the carry'),
  ),
  half: fixed('half-precision operation', {
    ...same(4, 'PPT (hALU)'),
    turing: at(6, 'JIA (HFMA2)'),
  }),
  double: fixed('double-precision operation', doublePrecision),
  special: variable('special-function operation', '', same(23, 'PPT, Ampere (SFU); ABD table 5, rcp.approx')),
  convert: variable('conversion', '', same(6, 'ABD table 5, cvt.rzi.s32.f32 (F2I)')),
  bitScan: variable('bit count or bit search', '', same(6, 'ABD table 5, popc and bfind')),
  specialRegister: variable(
    'special-register read',
    '',
    same(23, 'S2R shares the special-function path: PPT (SFU)'),
  ),
  constant: variable(
    'constant or parameter read',
    'a constant-cache hit',
    same(4, 'SJF: constant L1 as fast as a register'),
  ),
  shared: variable('shared load', 'no bank conflict', sharedLoad),
  sharedAtomic: variable('shared atomic', 'no conflict', sharedLoad),
  global: variable('global load', 'an L1 hit', globalLoad),
  globalL2: variable('load past L1', 'an L2 hit', secondLevel),
  globalAtomic: variable('global atomic', 'an L2 hit', {
    ...secondLevel,
    turing: at(245, 'PPT (atomic_operation)'),
  }),
  texture: variable(
    'texture or surface read',
    'a texture-cache hit',
    same(92, 'PPT, Turing (tex_cache_access)'),
  ),
  shuffle: variable('shuffle', '', sharedLoad),
  vote: variable('vote or match', '', same(6, 'ABD table 5: same path as the bit search')),
  matrix: variable('matrix multiply-add', '', {
    ...same(33, 'PPT, Ampere (fTCU 32, one issue cycle more)'),
    turing: at(64, 'PPT, Turing (hTCU)'),
  }),
  matrixDouble: variable('double-precision matrix multiply-add', '', same(64, 'PPT, Ampere (dTCU)')),
  asynchronous: fixed('asynchronous operation', same(1, 'completion is awaited by another instruction')),
  store: fixed('store', same(1, 'nobody reads a result')),
  barrier: fixed('barrier', same(1, 'one warp is modelled: nobody is waited for')),
  branch: fixed('branch', same(4, 'PPT (BRA)')),
  call: fixed('call', same(4, 'PPT (BRA); the callee is not counted')),
  divide32: fixed('32-bit integer division (a software sequence)', same(66, 'ABD table 5, div.u32')),
  divide64: fixed('64-bit integer division (a software sequence)', same(420, 'ABD table 5, div.u64')),
  divideFloat: fixed(
    'exact single-precision division or reciprocal (a software sequence)',
    same(198, 'ABD table 5, rcp.rn.f32'),
  ),
  divideDouble: fixed(
    'double-precision division or reciprocal (a software sequence)',
    same(244, 'ABD table 5, rcp.rn.f64'),
  ),
  rootFloat: fixed(
    'exact single-precision square root (a software sequence)',
    same(190, 'ABD table 5, sqrt.rn.f32, lower figure'),
  ),
  rootDouble: fixed(
    'double-precision square root (a software sequence)',
    same(260, 'ABD table 5, sqrt.rn.f64, lower figure'),
  ),
  none: fixed('no operation', same(0, 'takes no place in the pipeline')),
};

export const latencyOf = (row: LatencyRow, family: Family): number => latencies[row].byFamily[family].cycles;

/**
 * Execution pipelines of one scheduler. `issue` cycles are how long a warp's instruction occupies the pipeline's
 * entrance: 32 threads over the lanes that a scheduler has (CUDA programming guide, "Throughput of native arithmetic
 * instructions": results a cycle and SM, a quarter of them a scheduler's).
 */
export const units = [
  'alu',
  'fma',
  'half',
  'double',
  'special',
  'memory',
  'matrix',
  'branch',
  'sequence',
  'none',
] as const;
export type Unit = (typeof units)[number];

/** Data-centre parts: more double-precision lanes and load/store units (architecture white papers, the SM's diagram). */
const dataCentre: readonly Family[] = ['ampere', 'hopper', 'blackwell'];

/** Cycles before another instruction of the same warp can enter the same unit. */
export function issueCycles(unit: Unit, family: Family): number {
  switch (unit) {
    case 'alu':
      return 2; // 64 results a cycle and SM: 16 lanes a scheduler
    case 'fma':
      return family === 'turing' || family === 'ampere' ? 2 : 1; // 64 results there, 128 from sm_86 on
    case 'half':
      return dataCentre.includes(family) ? 1 : 2; // 256 results on sm_80, 128 on graphics parts, two a lane
    case 'double':
      if (!dataCentre.includes(family)) return 64; // 2 results
      return family === 'ampere' ? 4 : 2; // 32 and 64 results
    case 'special':
      return 8; // 16 results: 4 lanes a scheduler
    case 'memory':
      return dataCentre.includes(family) ? 4 : 8; // 32 or 16 load/store units an SM
    case 'matrix':
      return 8; // ABD table 3: HMMA.16816 takes 8 cycles
    case 'branch':
      return 2;
    case 'sequence':
    case 'none':
      return 1;
    default:
      return unit satisfies never;
  }
}
