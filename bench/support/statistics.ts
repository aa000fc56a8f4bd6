export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Ranks of the values, ties sharing their mean rank. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const result = new Array<number>(values.length);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && order[to].value === order[from].value) to++;
    for (let k = from; k < to; k++) result[order[k].index] = (from + to - 1) / 2;
    from = to;
  }
  return result;
}

/** Spearman's rank correlation: Pearson's correlation of the ranks. NaN where one side does not vary. */
export function rankCorrelation(a: readonly number[], b: readonly number[]): number {
  const x = ranks(a);
  const y = ranks(b);
  const [mx, my] = [mean(x), mean(y)];
  let xy = 0;
  let xx = 0;
  let yy = 0;
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) ** 2;
    yy += (y[i] - my) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

/** Harmonic mean of precision and recall of a yes/no prediction. NaN without any positive. */
export function f1(pairs: readonly { readonly predicted: boolean; readonly actual: boolean }[]): number {
  const count = (predicted: boolean, actual: boolean): number =>
    pairs.filter((pair) => pair.predicted === predicted && pair.actual === actual).length;
  const both = count(true, true);
  return (2 * both) / (2 * both + count(true, false) + count(false, true));
}
