import type { Alternative } from '../target.js';
import { architectures, machine } from './architectures.js';
import type { NvidiaCompilation } from './compile.js';
import { launchableOf, settled } from './limits.js';

/**
 * Limits at which the number of resident warps changes on one architecture or another: 65536 registers in parts of 256 a
 * warp (occupancy.ts), so 32 registers let 64 warps be resident, 40 let 48, 64 let 32 ... 168 let 12.
 */
const limits = [24, 32, 40, 48, 56, 64, 72, 80, 96, 128, 168];

/** The architectures that can run what the function is written for, and register limits where the source sets none. */
export function alternatives({ source, options, stats }: NvidiaCompilation): Alternative[] {
  const present = launchableOf(source, options);
  const ofArchitectures = architectures
    .map((architecture) => (architecture === present.architecture ? present.name : architecture.name))
    .filter((name) => launchableOf(source, { ...options, arch: name }).unfitTarget === undefined)
    .map((name): Alternative => ({
      group: 'architecture',
      name,
      options: { arch: name },
      isPresent: name === present.name,
    }));
  const isFixed = settled({ source, options }).some(({ option }) => option === 'maxRegisters');
  if (isFixed) return ofArchitectures;
  const most = machine.maxRegistersPerThread;
  const values = [...new Set([...limits, stats.limit])].filter((limit) => limit < most).sort((a, b) => a - b);
  const limited = (limit: number | undefined): Alternative => ({
    group: 'register limit',
    name: limit === undefined ? `${most}, the machine's` : String(limit),
    options: { maxRegisters: limit },
    isPresent: stats.limit === (limit ?? most),
    isOnScale: true,
  });
  return [...ofArchitectures, ...[...values, undefined].map(limited)];
}
