import type { Compilation } from '../targets/target.js';

/** So many classes all have their row, whatever they hold. */
const FEW = 2;

/** Numbers of the register classes to show: of many those that hold anything in the function, and the first. */
export function classesOf(c: Compilation): number[] {
  const { source, stats, asWritten, asCompiled } = c;
  return source.classes.flatMap(({ name }, k) =>
    k === 0 ||
    source.classes.length <= FEW ||
    asWritten.peak[k] > 0 ||
    asCompiled.peak[k] > 0 ||
    (stats.registers[name] ?? 0) > 0
      ? [k]
      : [],
  );
}

/** Registers live after an instruction, as written and as compiled, a row for each class. */
export function liveTable(c: Compilation, instruction: number): string {
  const rows = classesOf(c).map(
    (k) =>
      `| ${c.source.classes[k].unit}s | ${c.asWritten.after[k][instruction]} | ${c.asCompiled.after[k][instruction]} |`,
  );
  return ['| Live after | as written | as compiled |', '|---|--:|--:|', ...rows].join('\n');
}
