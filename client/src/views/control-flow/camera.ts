import { leadsUp, type Graph } from './graph.js';
import type { Layout } from './layout.js';

/** Which part of the layout is seen: the point of it in the middle of the canvas, and how large. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Stage {
  readonly width: number;
  readonly height: number;
}

export const SMALLEST = 0.02;
export const LARGEST = 2.5;

export const toScreen = (
  camera: Camera,
  stage: Stage,
  x: number,
  y: number,
): readonly [x: number, y: number] => [
  (x - camera.x) * camera.scale + stage.width / 2,
  (y - camera.y) * camera.scale + stage.height / 2,
];

export const toLayout = (
  camera: Camera,
  stage: Stage,
  x: number,
  y: number,
): readonly [x: number, y: number] => [
  (x - stage.width / 2) / camera.scale + camera.x,
  (y - stage.height / 2) / camera.scale + camera.y,
];

/** The block whose box covers a pixel, or -1. */
export function blockAt(
  { sizes }: Graph,
  layout: Layout,
  camera: Camera,
  stage: Stage,
  x: number,
  y: number,
): number {
  const [px, py] = toLayout(camera, stage, x, y);
  return sizes.findIndex(
    ({ width, height }, b) =>
      Math.abs(layout.x[b] - px) <= width / 2 && Math.abs(layout.y[b] - py) <= height / 2,
  );
}

/** Another scale, such that what is at a pixel stays there. */
export function zoomedAt(camera: Camera, stage: Stage, wanted: number, x: number, y: number): Camera {
  const scale = Math.max(SMALLEST, Math.min(LARGEST, wanted));
  const [px, py] = toLayout(camera, stage, x, y);
  return { scale, x: px - (x - stage.width / 2) / scale, y: py - (y - stage.height / 2) / scale };
}

/** The whole layout; small ones at their natural size. */
export function fitted({ width, height }: Layout, stage: Stage): Camera {
  const scale = Math.min(1, stage.width / Math.max(1, width), stage.height / Math.max(1, height));
  return { x: width / 2, y: height / 2, scale: Math.max(SMALLEST, scale) };
}

/** What a picture begins with: the whole, if it can be read; else the top at a size that can. */
export function openingOf(layout: Layout, stage: Stage): Camera {
  const whole = fitted(layout, stage);
  if (whole.scale >= READABLE) return whole;
  const scale = Math.max(READABLE, Math.min(1, stage.width / Math.max(1, layout.width)));
  return { x: layout.width / 2, y: stage.height / 2 / scale, scale };
}

const READABLE = 0.62;

/** Moves just so far that a block is visible with some room around it. */
export function revealing({ sizes }: Graph, layout: Layout, camera: Camera, stage: Stage, b: number): Camera {
  const { width, height } = sizes[b];
  const room = 16 / camera.scale;
  const half = { width: stage.width / 2 / camera.scale, height: stage.height / 2 / camera.scale };
  const along = (at: number, size: number, middle: number, space: number): number => {
    const reach = Math.max(0, space - size / 2 - room);
    return Math.min(Math.max(middle, at - reach), at + reach);
  };
  return {
    scale: camera.scale,
    x: along(layout.x[b], width, camera.x, half.width),
    y: along(layout.y[b], height, camera.y, half.height),
  };
}

export type Direction = 'down' | 'taken' | 'up' | 'left' | 'right' | 'first' | 'last';

/**
 * The block that a key leads to: down the edge that falls through, or the one that is taken, else the first one; up the edge that the block was
 * entered by, else the nearest one above; left and right to the neighbour at the same height. The block itself where
 * there is none.
 */
export function stepFrom(
  graph: Graph,
  layout: Layout,
  b: number,
  direction: Direction,
  cameFrom: number,
): number {
  const { blocks, edges, out, into } = graph;
  if (blocks.length === 0) return -1;
  if (b < 0 || direction === 'first') return 0;
  switch (direction) {
    case 'last':
      return blocks.length - 1;
    case 'down':
    case 'taken': {
      const ways = out[b].filter((e) => edges[e].to !== b);
      const wanted = ways.find((e) => edges[e].isTaken === (direction === 'taken'));
      const next = wanted ?? ways.find((e) => !leadsUp(edges[e])) ?? ways[0];
      return next === undefined ? b : edges[next].to;
    }
    case 'up': {
      const ways = into[b].filter((e) => edges[e].from !== b);
      const back =
        ways.find((e) => edges[e].from === cameFrom) ?? ways.find((e) => !leadsUp(edges[e])) ?? ways[0];
      return back === undefined ? b : edges[back].from;
    }
    default: {
      const sign = direction === 'right' ? 1 : -1;
      let best = b;
      let nearest = Infinity;
      for (let k = 0; k < blocks.length; k++) {
        const away = (layout.x[k] - layout.x[b]) * sign;
        const reach = (graph.sizes[k].height + graph.sizes[b].height) / 2;
        if (away <= 1 || Math.abs(layout.y[k] - layout.y[b]) >= reach || away >= nearest) continue;
        nearest = away;
        best = k;
      }
      return best;
    }
  }
}
