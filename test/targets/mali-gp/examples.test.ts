import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gpir } from '../../../server/src/languages/gpir/index.js';
import { evaluate } from '../../../server/src/targets/mali-gp/evaluate.js';
import { lower } from '../../../server/src/targets/mali-gp/lower/index.js';

/** What the examples for the geometry processor compute, held against the mathematics that their comments tell. */

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..', 'examples');

type Vector = readonly number[];
type Shader = (attributes: readonly Vector[], uniforms: readonly Vector[]) => readonly Vector[];

/** The example as a function: varyings by attributes and uniforms. */
function shader(name: string): Shader {
  const text = readFileSync(join(examples, `${name}.gpir`), 'utf8');
  const alone = {
    earlier: () => [],
    later: () => [],
    names: () => [],
    setting: () => undefined,
    isFirst: true,
  };
  const bound = gpir.bind(gpir.parse(text), alone);
  assert.deepEqual([...bound.parsed.problems, ...bound.problems], [], name);
  const source = gpir.lower(bound);
  assert.ok(source !== undefined);
  const { program, problems } = lower(source);
  assert.deepEqual(problems, [], name);
  return (attributes, uniforms) => {
    const at = (vectors: readonly Vector[]) => (place: number) =>
      Math.fround(vectors[place >> 2]?.[place & 3] ?? 0);
    const { varyings, hasEnded } = evaluate(program, { attribute: at(attributes), uniform: at(uniforms) });
    assert.ok(hasEnded);
    return [0, 1].map((vector) => [0, 1, 2, 3].map((c) => varyings.get(4 * vector + c) ?? NaN));
  };
}

const near = (found: Vector, wanted: Vector, tolerance = 1e-5): void => {
  for (const [i, value] of wanted.entries())
    assert.ok(
      Math.abs(found[i] - value) <= tolerance * Math.max(1, Math.abs(value)),
      `component ${i}: ${found[i]}, not ${value}`,
    );
};

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const scaled = (a: Vector, by: number): Vector => a.map((x) => x * by);
const unit = (a: Vector): Vector => scaled(a, 1 / Math.sqrt(dot(a, a)));
const minus = (a: Vector, b: Vector): Vector => a.map((x, i) => x - b[i]);
const plus = (a: Vector, b: Vector): Vector => a.map((x, i) => x + b[i]);

/** A matrix by columns, times (x, y, z, 1). */
const times = (columns: readonly Vector[], v: Vector): Vector =>
  columns[0].map(
    (_, i) => columns[0][i] * v[0] + columns[1][i] * v[1] + columns[2][i] * v[2] + (columns[3]?.[i] ?? 0),
  );

const window = (clip: Vector, scale: Vector, offset: Vector): Vector => [
  ...[0, 1, 2].map((i) => (clip[i] / clip[3]) * scale[i] + offset[i]),
  1 / clip[3],
];

/** Numbers that look arbitrary and are always the same. */
const numbers = (seed: number, count: number, low = -1, high = 1): readonly Vector[] =>
  Array.from({ length: count }, (_, v) =>
    Array.from({ length: 4 }, (_, c) => {
      const x = Math.sin(12.9898 * (seed + 4 * v + c)) * 43758.5453;
      return Math.fround(low + (x - Math.floor(x)) * (high - low));
    }),
  );

describe('examples for the geometry processor', () => {
  it('lit_cube: diffuse light of a lamp, and the position in the window', () => {
    const run = shader('lit_cube');
    for (const seed of [1, 50, 99]) {
      const [position, normal, colour] = numbers(seed, 3);
      const uniforms = [...numbers(seed + 20, 14)];
      uniforms[7] = [0.1, 0.2, 0.3, 4];
      const view = times(uniforms.slice(0, 4), position);
      const light = unit(minus(uniforms[11].slice(0, 3), view.slice(0, 3)));
      const turned = unit(times(uniforms.slice(8, 11), normal).slice(0, 3));
      const diffuse = Math.max(0, dot(turned, light));
      const [at, shade] = run([position, normal, colour], uniforms);
      near(shade, [...scaled(colour.slice(0, 3), diffuse), 1]);
      near(at, window(times(uniforms.slice(4, 8), position), uniforms[12], uniforms[13]));
    }
  });

  it('skinning: the weighted bones move position and normal', () => {
    const run = shader('skinning');
    const [position, normal, weights] = numbers(7, 3, 0, 1);
    const uniforms = [...numbers(30, 18)];
    uniforms[15] = [0.1, 0.2, 0.3, 5];
    const rows = [0, 1, 2].map((r) =>
      [0, 1, 2, 3].map((c) => [0, 1, 2, 3].reduce((sum, b) => sum + weights[b] * uniforms[3 * b + r][c], 0)),
    );
    const moved = rows.map((row) => dot(row, position) + row[3]);
    const [at, turned] = run([position, normal, weights], uniforms);
    near(
      turned.slice(0, 3),
      rows.map((row) => dot(row, normal)),
    );
    near(at, window(times(uniforms.slice(12, 16), moved), uniforms[16], uniforms[17]));
  });

  it('fog: colours fade with the exponential of the distance', () => {
    const run = shader('fog');
    const [position, colour] = numbers(3, 2);
    const uniforms = [...numbers(60, 11)];
    uniforms[7] = [0.1, 0.2, 0.3, 5];
    uniforms[8] = [0.5, 0.6, 0.7, 0.35];
    const view = times(uniforms.slice(0, 4), position).slice(0, 3);
    const clear = Math.exp(-uniforms[8][3] * Math.sqrt(dot(view, view)));
    const [at, shade] = run([position, colour], uniforms);
    near(shade, [...[0, 1, 2].map((i) => uniforms[8][i] + clear * (colour[i] - uniforms[8][i])), colour[3]]);
    near(at, window(times(uniforms.slice(4, 8), position), uniforms[9], uniforms[10]));
  });

  it('mandelbrot: the height is the number of steps until z escapes', () => {
    const run = shader('mandelbrot');
    for (const [x, z] of [
      [-0.5, 0.3],
      [0.4, 0.4],
      [1, 1],
      [-0.75, 0.12],
    ]) {
      const uniforms = [...numbers(80, 7)];
      uniforms[2] = [16, 1 / 16, 0, 0];
      uniforms[4] = [0.1, 0.2, 0.3, 5];
      let [a, b, count] = [0, 0, 0];
      while (a * a + b * b <= 4 && count < 16) {
        [a, b] = [a * a - b * b + x, 2 * a * b + z];
        count++;
      }
      const [at, shade] = run([[x, 0, z, 1]], uniforms);
      near(shade.slice(0, 1), [count / 16]);
      const columns = [uniforms[0], uniforms[3], uniforms[1], uniforms[4]];
      near(at, window(times(columns, [x, count / 16, z]), uniforms[5], uniforms[6]));
    }
  });

  it('arctangent: the continued fraction is the angle', () => {
    const run = shader('arctangent');
    for (const [x, y] of [
      [1, 1],
      [0.3, 0.9],
      [-2, 0.5],
    ]) {
      const [, angle] = run([[x, y, 0, 0]], numbers(9, 2));
      near(angle.slice(0, 1), [Math.atan(y / x)]);
    }
  });

  it('patch: a dented rational Bezier patch near, a plane through three corners far away', () => {
    const run = shader('patch');
    const uniforms = [...numbers(11, 24, 0.2, 1)];
    uniforms[16] = [0.5, 0.5, 0.5, 3];
    uniforms[21] = [0.1, 0.2, 0.3, 5];
    const points = uniforms.slice(0, 16).map((p) => {
      const way = minus(p, uniforms[16]);
      const dent = 2 ** -dot(way, way);
      return plus(p, scaled(uniforms[17], dent));
    });
    const [s, t] = [0.3, 0.8];
    const basis = (x: number): Vector => [(1 - x) ** 3, 3 * x * (1 - x) ** 2, 3 * x * x * (1 - x), x ** 3];
    const sum = points.reduce<Vector>(
      (all, p, k) => plus(all, scaled(p, basis(s)[k >> 2] * basis(t)[k & 3])),
      [0, 0, 0, 0],
    );
    const curved = scaled(sum, 1 / sum[3]);
    const flat = plus(
      points[0],
      plus(scaled(minus(points[12], points[0]), s), scaled(minus(points[3], points[0]), t)),
    );
    for (const [distance, point] of [
      [1, curved],
      [4, flat],
    ] as const) {
      const clip = times(uniforms.slice(18, 22), point);
      const [at, depth] = run([[s, t, distance, 0]], uniforms);
      near(at, window(clip, uniforms[22], uniforms[23]));
      near(depth.slice(0, 1), [clip[2]]);
    }
  });
});
