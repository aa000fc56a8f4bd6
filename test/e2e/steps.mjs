/** Counts the steps of an end-to-end run and prints each; a failed step does not end the run. */
export function createSteps() {
  const started = performance.now();
  const counts = { passed: 0, failed: 0 };
  const report = (mark, name, detail) => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
    console.log(`${seconds} s  ${mark} ${name}${detail === undefined ? '' : `: ${detail}`}`);
  };
  return {
    counts,
    /** Runs one step; `action` returns what is worth printing, or throws. Returns whether it passed. */
    async step(name, action) {
      try {
        const detail = await action();
        counts.passed++;
        report('ok  ', name, detail);
        return true;
      } catch (error) {
        counts.failed++;
        report('FAIL', name, error.message.split('\n').slice(0, 6).join('\n         '));
        return false;
      }
    },
  };
}
