import fc from 'fast-check';

/**
 * How long properties are searched: SPILLWAY_FUZZ_RUNS times the usual number of runs (once by default), all from the
 * seed SPILLWAY_FUZZ_SEED (1 by default, so that a run of the tests can be repeated). `npm run fuzz` sets both.
 */
const times = Number(process.env['SPILLWAY_FUZZ_RUNS'] ?? 1);
const seed = process.env['SPILLWAY_FUZZ_SEED'];

fc.configureGlobal({ seed: seed === undefined ? 1 : Number(seed) });

/** Number of runs of a property test that usually has `usual`. */
export const runs = (usual: number): number => Math.max(1, Math.round(usual * times));

/** Whether time matters less than what is found. */
export const isLongSearch = times > 1;
