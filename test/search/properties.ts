import fc from 'fast-check';

/** Tries properties one after the other, prints what was searched and what was found, and sets the exit status. */
export class Search {
  private found = 0;

  constructor(private readonly seed: number) {
    console.log(`seed ${seed}`);
  }

  property<T>(what: string, numRuns: number, arbitrary: fc.Arbitrary<T>, holds: (value: T) => void): void {
    const details = fc.check(fc.property(arbitrary, holds), { seed: this.seed, numRuns });
    if (!details.failed) {
      console.log(`${what}: ${details.numRuns} tried, nothing found`);
      return;
    }
    this.found++;
    console.log(`${what}: FOUND after ${details.numRuns} runs and ${details.numShrinks} steps of shrinking`);
    console.log(`    input: ${fc.stringify(details.counterexample?.[0])}`);
    const error = details.errorInstance;
    console.log(`    ${String(error instanceof Error ? error.message : error).replaceAll('\n', '\n    ')}`);
  }

  finish(): void {
    console.log(this.found === 0 ? 'nothing found' : `${this.found} found; --seed ${this.seed} repeats it`);
    process.exitCode = this.found === 0 ? 0 : 1;
  }
}
