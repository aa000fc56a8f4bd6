import type { Function } from '../../ir/function.js';
import type { Settled, TargetOptions } from '../target.js';
import type { Platform } from './platforms.js';
import type { Program } from './program.js';

/**
 * How many general registers a program may have. What stands in the source (`.grf_limit`) wins over the machine, and an
 * option may ask for fewer, never for more: the source was written for a register file of that size.
 */
export interface RegisterBound {
  readonly most: number;
  /** `.grf_limit`, or `machine`. */
  readonly by: string;
}

/** Before Gen8 the message registers of SIMD4x2 programs lie in the register file, from g112 on (platforms.ts). */
export function registerBound({ attributes }: Function, platform: Platform): RegisterBound {
  const { grfLimit, dialect = 'vec4', phase = 'virtual' } = attributes;
  if (typeof grfLimit === 'number') return { most: grfLimit, by: '.grf_limit' };
  const hasMessages = phase === 'virtual' && dialect === 'vec4';
  return { most: (hasMessages ? platform.messageWindow : undefined) ?? platform.registers, by: 'machine' };
}

const asked = ({ maxRegisters }: TargetOptions): number | undefined =>
  typeof maxRegisters === 'number' ? maxRegisters : undefined;

/** What set the limit in force. */
export function limitedBy(f: Function, platform: Platform, options: TargetOptions): string {
  const { most, by } = registerBound(f, platform);
  return (asked(options) ?? Infinity) < most ? 'option' : by;
}

/** The option `maxRegisters`, where the source or the machine has no more anyway. */
export function ignoredLimit(f: Function, platform: Platform, options: TargetOptions): number | undefined {
  const limit = asked(options);
  return limit !== undefined && limit > registerBound(f, platform).most ? limit : undefined;
}

const IN_HARDWARE = 'the program is in hardware registers already, and nothing is allocated';

export function settled({
  source,
  program,
  options,
}: {
  readonly source: Function;
  readonly program: Program;
  readonly options: TargetOptions;
}): Settled[] {
  const { dialect, phase, platform, width } = program;
  const found: Settled[] = [];
  if (phase !== 'virtual') {
    const isSet = (option: string): boolean => options[option] !== undefined;
    found.push(
      { option: 'strategy', group: 'back-end', why: IN_HARDWARE, isIgnored: isSet('strategy') },
      { option: 'maxRegisters', group: 'register limit', why: IN_HARDWARE, isIgnored: isSet('maxRegisters') },
    );
  } else {
    const { most, by } = registerBound(source, platform);
    const isIgnored = ignoredLimit(source, platform, options) !== undefined;
    const why =
      by === 'machine'
        ? `${dialect === 'vec4' ? 'SIMD4x2 programs have' : 'there are'} ${most} on ${platform.name}`
        : `the source sets ${by} ${most}, and no limit above it counts`;
    if (by !== 'machine') found.push({ option: 'maxRegisters', group: 'register limit', why, isIgnored });
    else if (isIgnored) found.push({ option: 'maxRegisters', why, isIgnored });
  }
  if (phase !== 'virtual' || dialect !== 'selection') {
    const isIgnored = options.width !== undefined && Number(options.width) !== width;
    const given =
      dialect === 'vec4' ? 'the program is SIMD4x2' : `the program is written for ${width} channels`;
    found.push({ option: 'width', why: given, isIgnored });
  }
  return found;
}
