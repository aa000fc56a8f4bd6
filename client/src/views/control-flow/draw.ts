import type { Surface } from '../shared/canvas.js';
import { mixed, type Palette } from '../shared/palette.js';
import { toScreen, type Camera, type Stage } from './camera.js';
import {
  blockName,
  boxLines,
  BOX_PADDING,
  FIRST_COST,
  lineWords,
  LINE_HEIGHT,
  peakOf,
  type Graph,
} from './graph.js';
import type { Layout } from './layout.js';

/** Everything that a frame of the control-flow picture depends on. */
export interface Scene {
  readonly surface: Surface;
  readonly palette: Palette;
  readonly graph: Graph;
  readonly layout: Layout;
  readonly camera: Camera;
  /** The block of the cursor, and the one under the pointer, or -1. */
  readonly current: number;
  readonly hover: number;
}

/** Below this scale boxes have no text but their name, below the next one none. */
const FULL_TEXT = 0.5;
const NAME_ONLY = 0.26;

export function draw(scene: Scene): void {
  const { surface, palette, graph, layout } = scene;
  const { context, width, height } = surface;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  const near = scene.hover >= 0 ? scene.hover : scene.current;
  const isNear = (e: number): boolean => graph.edges[e].from === near || graph.edges[e].to === near;
  graph.edges.forEach((_, e) => {
    if (!isNear(e)) drawEdge(scene, e, false);
  });
  graph.edges.forEach((_, e) => {
    if (isNear(e)) drawEdge(scene, e, true);
  });
  for (let b = 0; b < layout.x.length; b++) drawBox(scene, b);
}

const stageOf = ({ width, height }: Surface): Stage => ({ width, height });

function drawEdge({ surface, palette, graph, layout, camera }: Scene, e: number, isNear: boolean): void {
  const { context, width, height } = surface;
  const points = layout.edges[e];
  if (points.length < 4) return;
  const stage = stageOf(surface);
  const screen: (readonly [number, number])[] = [];
  let left = Infinity;
  let right = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  for (let k = 0; k + 1 < points.length; k += 2) {
    const point = toScreen(camera, stage, points[k], points[k + 1]);
    left = Math.min(left, point[0]);
    right = Math.max(right, point[0]);
    top = Math.min(top, point[1]);
    bottom = Math.max(bottom, point[1]);
    screen.push(point);
  }
  if (right < 0 || left > width || bottom < 0 || top > height) return;
  const { isTaken, isBack } = graph.edges[e];
  const plain = palette.isHighContrast
    ? palette.foreground
    : mixed(palette.foreground, 0.55, palette.background);
  const colour = isBack ? palette.classes[1] : isTaken ? palette.classes[0] : plain;
  const thickness = (isBack ? 2 : 1.4) * (isNear ? 1.6 : 1);
  context.strokeStyle = colour;
  context.lineWidth = Math.max(0.7, thickness * Math.min(1, camera.scale + 0.25));
  context.setLineDash(isTaken && !isBack ? [6 * camera.scale + 1, 3 * camera.scale + 1] : []);
  context.beginPath();
  context.moveTo(...screen[0]);
  const radius = 10 * camera.scale;
  for (let k = 1; k + 1 < screen.length; k++)
    context.arcTo(screen[k][0], screen[k][1], screen[k + 1][0], screen[k + 1][1], radius);
  context.lineTo(...screen[screen.length - 1]);
  context.stroke();
  context.setLineDash([]);
  if (camera.scale < 0.12) return;
  const [tipX, tipY] = screen[screen.length - 1];
  const [fromX, fromY] = screen[screen.length - 2];
  arrow(
    context,
    tipX,
    tipY,
    Math.atan2(tipY - fromY, tipX - fromX),
    7 * Math.min(1.2, camera.scale + 0.2),
    colour,
  );
}

function arrow(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  angle: number,
  size: number,
  colour: string,
): void {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, y);
  for (const turn of [2.7, -2.7])
    context.lineTo(x + size * Math.cos(angle + turn), y + size * Math.sin(angle + turn));
  context.closePath();
  context.fill();
}

function drawBox(scene: Scene, b: number): void {
  const { surface, palette, graph, layout, camera, current, hover } = scene;
  const { context, width, height } = surface;
  const { scale } = camera;
  const block = graph.blocks[b];
  const size = graph.sizes[b];
  const [middleX, middleY] = toScreen(camera, stageOf(surface), layout.x[b], layout.y[b]);
  const w = size.width * scale;
  const h = size.height * scale;
  const left = middleX - w / 2;
  const top = middleY - h / 2;
  if (left > width || left + w < 0 || top > height || top + h < 0) return;
  context.globalAlpha = block.isReachable ? 1 : 0.55;
  const depth = Math.min(block.loopDepth, 5);
  context.beginPath();
  context.roundRect(left, top, w, h, 4 * scale);
  context.fillStyle = palette.isHighContrast
    ? palette.background
    : mixed(
        depth > 0 ? palette.classes[1] : palette.foreground,
        depth > 0 ? 0.07 + 0.06 * depth : 0.05,
        palette.background,
      );
  context.fill();
  const isCurrent = b === current;
  context.strokeStyle = isCurrent
    ? palette.focus
    : b === hover
      ? palette.foreground
      : palette.isHighContrast
        ? palette.rule
        : mixed(palette.foreground, 0.28, palette.background);
  context.lineWidth = isCurrent ? 2.5 : 1;
  context.setLineDash(block.isReachable ? [] : [4, 3]);
  context.stroke();
  context.setLineDash([]);
  drawGauge(scene, b, left, top, w, h);
  if (scale >= NAME_ONLY) drawWords(scene, b, left, top, w, h);
  context.globalAlpha = 1;
}

/** Peak pressure of the block, of the function's: a bar along the bottom, hatched by nothing but its length. */
function drawGauge(
  { surface, palette, graph, camera }: Scene,
  b: number,
  left: number,
  top: number,
  w: number,
  h: number,
): void {
  const { context } = surface;
  const most = Math.max(1, graph.view.classes[0]?.peak ?? 1);
  const peak = peakOf(graph.blocks[b]);
  const isOver = graph.view.limit > 0 && peak > graph.view.limit;
  const thickness = Math.max(1.5, 3 * camera.scale);
  const inset = 4 * camera.scale;
  const y = top + h - thickness - 2 * camera.scale;
  context.fillStyle = mixed(palette.foreground, palette.isHighContrast ? 0.4 : 0.12, palette.background);
  context.fillRect(left + inset, y, w - 2 * inset, thickness);
  context.fillStyle = isOver ? palette.limit : peak === most ? palette.spill : palette.classes[0];
  context.fillRect(left + inset, y, ((w - 2 * inset) * Math.min(peak, most)) / most, thickness);
}

function drawWords(
  { surface, palette, graph, camera }: Scene,
  b: number,
  left: number,
  top: number,
  w: number,
  h: number,
): void {
  const { context } = surface;
  const { scale } = camera;
  const block = graph.blocks[b];
  context.save();
  context.beginPath();
  context.rect(left, top, w, h);
  context.clip();
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const isFull = scale >= FULL_TEXT;
  const size = isFull ? 12 * scale : Math.min(13, 24 * scale);
  const x = left + (BOX_PADDING + 2) * scale;
  let y = top + (BOX_PADDING + LINE_HEIGHT / 2) * scale;
  context.font = `600 ${size}px ${palette.codeFont}`;
  context.fillStyle = palette.foreground;
  const lines = isFull ? lineWords(graph, block).replace(/^lines? /, ':') : '';
  const name = blockName(graph, b);
  context.font = `${size * 0.92}px ${palette.font}`;
  const linesWidth = lines === '' ? 0 : context.measureText(lines).width;
  const rightEnd = left + w - (BOX_PADDING + 2) * scale;
  if (lines !== '') {
    context.fillStyle = palette.faint;
    context.fillText(lines, rightEnd - linesWidth, y);
  }
  context.font = `600 ${size}px ${palette.codeFont}`;
  context.fillStyle = palette.foreground;
  context.fillText(cut(context, name, rightEnd - linesWidth - x - 6 * scale), x, isFull ? y : top + h / 2);
  if (isFull) {
    context.font = `${size * 0.92}px ${palette.font}`;
    boxLines(block).forEach((line, k) => {
      y += LINE_HEIGHT * scale;
      context.fillStyle =
        k >= FIRST_COST
          ? palette.spill
          : palette.isHighContrast
            ? palette.foreground
            : mixed(palette.foreground, 0.8);
      context.fillText(cut(context, line, rightEnd - x), x, y);
    });
  }
  context.restore();
}

/** A text that fits a width: names of labels may be long. */
function cut(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  const letter = context.measureText('0').width;
  return `${text.slice(0, Math.max(1, Math.floor(width / letter) - 1))}…`;
}
