/** Number of runs of a property test: modest by default, `SPILLWAY_FUZZ_RUNS` for long ones. */
export const runs = (usual: number): number => Number(process.env.SPILLWAY_FUZZ_RUNS ?? usual);
