import type { Environment } from '../../language.js';

/**
 * Whom the text is for. GCC's raw output may use a name before its declaration, because its own assembler sorts the
 * declarations; OptiX programs call intrinsics that the driver knows and no file declares. ptxas refuses both.
 */
export interface Dialect {
  /** Declarations may follow their uses. */
  readonly isGcc: boolean;
  readonly isIntrinsic: (functionName: string) => boolean;
}

/** Values: `auto` (recognised from the text), `ptxas`, `gcc`, `optix`. */
export const dialectSetting = 'dialect';

const optixName = /^_(?:optix|rt)_\w+$/;

/** `hasGccMark`: the file begins as GCC's output does. */
export function dialectOf(environment: Environment, hasGccMark: boolean): Dialect {
  switch (environment.setting(dialectSetting)) {
    case 'ptxas':
      return { isGcc: false, isIntrinsic: () => false };
    case 'gcc':
      return { isGcc: true, isIntrinsic: () => false };
    case 'optix':
      return { isGcc: false, isIntrinsic: (name) => name.startsWith('_') };
    default:
      return { isGcc: hasGccMark, isIntrinsic: (name) => optixName.test(name) };
  }
}
