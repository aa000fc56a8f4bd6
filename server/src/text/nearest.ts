/**
 * The name that a person most likely meant: smallest optimal-string-alignment distance (insertions, deletions,
 * substitutions and swaps of neighbours), at most a third of the word; ties go to the first. Undefined when none is
 * near. Names longer than 40 are never compared, and none further than `most` away.
 */
export function nearestName(word: string, names: Iterable<string>, most = Infinity): string | undefined {
  if (word.length > 40) return undefined;
  let best: string | undefined;
  let bestDistance = Math.min(most, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const name of names) {
    if (Math.abs(name.length - word.length) >= bestDistance || name.length > 40 || name === word) continue;
    const d = editDistance(word, name);
    if (d < bestDistance) {
      best = name;
      bestDistance = d;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length];
}
