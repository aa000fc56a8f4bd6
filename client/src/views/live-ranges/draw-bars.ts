import { firstEndingAfter } from './columns.js';
import { columnLeft, MARK_ROW, pointTop, rowTop, visibleColumns, visibleRows } from './geometry.js';
import { firstAbove } from './model.js';
import { mixed } from '../shared/palette.js';
import type { Scene } from './scene.js';
import { kindOf } from './text.js';

/**
 * The registers as bars. Only what is visible is looked at: in each visible column the registers are found by binary
 * search, and where several share a pixel the first one stands for all.
 */
export function drawBars(scene: Scene): void {
  const { surface, viewport, frame, model, arrangement, selected, palette } = scene;
  const { context } = surface;
  const [firstRow, endRow] = visibleRows(viewport, frame, model.count);
  const [firstColumn, endColumn] = visibleColumns(viewport, frame, arrangement.columnCount);
  const fromPoint = 2 * firstRow;
  const toPoint = 2 * endRow;
  drawGuides(scene, firstColumn, endColumn);
  for (let c = firstColumn; c < endColumn; c++) {
    const end = arrangement.start[c + 1];
    let k = firstEndingAfter(model, arrangement, c, fromPoint);
    while (k < end) {
      const r = arrangement.register[k];
      if (model.first[r] >= toPoint) break;
      if (arrangement.column[r] === c || c === firstColumn) {
        context.globalAlpha = selected >= 0 && r !== selected ? 0.38 : 1;
        drawRegister(scene, r, fromPoint, toPoint);
      }
      const bottom = pointTop(viewport, frame, model.last[r]);
      if (viewport.rowHeight >= 1) k++;
      else {
        // the next one that reaches a new pixel
        const point = Math.floor(
          (2 * (Math.floor(bottom) + 1 - rowTop(viewport, frame, 0))) / viewport.rowHeight,
        );
        k = Math.max(k + 1, firstEndingAfter(model, arrangement, c, point));
      }
    }
  }
  context.globalAlpha = 1;
  if (selected >= 0 && arrangement.column[selected] >= 0) outlineSelected(scene, palette.focus);
}

/** A faint line every eight columns, to follow a column with the eye. */
function drawGuides({ surface, viewport, frame, palette }: Scene, first: number, end: number): void {
  const { context, height } = surface;
  context.fillStyle = palette.isHighContrast ? 'transparent' : mixed(palette.rule, 0.35);
  for (let c = first + ((8 - (first % 8)) % 8); c < end; c += 8)
    context.fillRect(Math.round(columnLeft(viewport, frame, c)), frame.headerHeight, 1, height);
}

function drawRegister(scene: Scene, r: number, fromPoint: number, toPoint: number): void {
  const { surface, viewport, frame, model, arrangement, paints } = scene;
  const { context } = surface;
  const shownClass = model.view.registers.class[r] % paints.solid.length;
  const inset = frame.columnWidth >= 8 ? 1.5 : 1;
  const left = columnLeft(viewport, frame, arrangement.column[r]) + inset;
  const width = Math.max(2, arrangement.span[r] * frame.columnWidth - 2 * inset);
  const kind = kindOf(model, r);
  const isOutlined = kind !== 'register';
  const fill =
    kind === 'register'
      ? paints.solid[shownClass]
      : kind === 'spilled'
        ? paints.spilled
        : kind === 'recomputed'
          ? paints.recomputed[shownClass]
          : kind === 'network'
            ? paints.network[shownClass]
            : kind === 'fixed'
              ? paints.fixed
              : paints.hollow[shownClass];
  const outline =
    kind === 'spilled'
      ? scene.palette.spill
      : kind === 'fixed'
        ? scene.palette.foreground
        : paints.outline[shownClass];
  const end = model.segmentStart[r + 1];
  let k = firstAbove(model.to, fromPoint, model.segmentStart[r], end);
  let before = k > model.segmentStart[r] ? pointTop(viewport, frame, model.to[k - 1]) : -1;
  while (k < end && model.from[k] < toPoint) {
    const top = pointTop(viewport, frame, model.from[k]);
    let bottom = pointTop(viewport, frame, model.to[k]);
    if (before >= 0 && top - before >= 1) drawHole(scene, left + width / 2, before, top, outline);
    // segments that share a pixel are drawn as one
    while (k + 1 < end && model.from[k + 1] < toPoint) {
      if (pointTop(viewport, frame, model.from[k + 1]) - bottom >= 1) break;
      bottom = pointTop(viewport, frame, model.to[++k]);
    }
    const height = Math.max(1, bottom - top);
    context.fillStyle = fill;
    context.fillRect(left, top, width, height);
    if (isOutlined && height >= 3) {
      context.strokeStyle = outline;
      context.lineWidth = 1;
      context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
    }
    before = bottom;
    k++;
  }
  if (k < end && before >= 0)
    drawHole(scene, left + width / 2, before, frame.headerHeight + surface.height, outline);
  if (viewport.rowHeight >= MARK_ROW) drawMarks(scene, r, left, width, fromPoint, toPoint, shownClass);
}

function drawHole({ surface }: Scene, x: number, top: number, bottom: number, colour: string): void {
  const { context } = surface;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, Math.max(top, -4));
  context.lineTo(Math.round(x) + 0.5, Math.min(bottom, surface.height + 4));
  context.stroke();
  context.setLineDash([]);
}

/** Definitions as a bar across, uses as a dot; what is not in a register all the time is filled where it is touched. */
function drawMarks(
  scene: Scene,
  r: number,
  left: number,
  width: number,
  fromPoint: number,
  toPoint: number,
  shownClass: number,
): void {
  const { surface, viewport, frame, model, paints, palette } = scene;
  const { context } = surface;
  const half = viewport.rowHeight / 2;
  const isSpilled = kindOf(model, r) === 'spilled';
  const firstRow = (fromPoint >> 1) - 1;
  const { definitionStart, definitions, useStart, uses } = model;
  let k = firstAbove(definitions, firstRow, definitionStart[r], definitionStart[r + 1]);
  for (; k < definitionStart[r + 1] && 2 * definitions[k] < toPoint; k++) {
    const top = pointTop(viewport, frame, 2 * definitions[k] + 1);
    if (isSpilled) {
      context.fillStyle = paints.solid[shownClass];
      context.fillRect(left, top, width, half);
    }
    context.fillStyle = palette.background;
    context.fillRect(left, top - 1, width, 1);
    context.fillStyle = palette.foreground;
    context.fillRect(left, top, width, Math.min(2, half));
  }
  context.beginPath();
  k = firstAbove(uses, firstRow, useStart[r], useStart[r + 1]);
  const radius = Math.min(2.4, half / 2, width / 2 - 0.5);
  for (; k < useStart[r + 1] && 2 * uses[k] < toPoint; k++) {
    const middle = pointTop(viewport, frame, 2 * uses[k]) + half / 2;
    if (isSpilled) {
      context.fillStyle = paints.solid[shownClass];
      context.fillRect(left, middle - half / 2, width, half);
    }
    context.moveTo(left + width / 2 + radius, middle);
    context.arc(left + width / 2, middle, radius, 0, 2 * Math.PI);
  }
  context.fillStyle = palette.background;
  context.fill();
  context.strokeStyle = palette.foreground;
  context.lineWidth = 0.8;
  context.stroke();
  if (model.spillOf[r] >= 0) drawSpillMarks(scene, r, left, width);
}

/** A triangle down where the value is stored, one up where it is loaded again. */
function drawSpillMarks(
  { surface, viewport, frame, model, palette }: Scene,
  r: number,
  left: number,
  width: number,
): void {
  const { context } = surface;
  const { stores, reloads } = model.view.spills[model.spillOf[r]];
  const size = Math.min(5, viewport.rowHeight / 3, width / 2);
  const x = left + width / 2;
  const triangle = (y: number, direction: number): void => {
    if (y < frame.headerHeight - size || y > surface.height + size) return;
    context.beginPath();
    context.moveTo(x - size, y - (size / 2) * direction);
    context.lineTo(x + size, y - (size / 2) * direction);
    context.lineTo(x, y + (size / 1.2) * direction);
    context.closePath();
    context.fillStyle = palette.spill;
    context.fill();
    context.strokeStyle = palette.background;
    context.lineWidth = 1;
    context.stroke();
  };
  for (const i of stores) triangle(rowTop(viewport, frame, i + 1), 1);
  for (const i of reloads) triangle(rowTop(viewport, frame, i), -1);
}

function outlineSelected(
  { surface, viewport, frame, model, arrangement, selected }: Scene,
  colour: string,
): void {
  const { context } = surface;
  const left = columnLeft(viewport, frame, arrangement.column[selected]);
  const width = arrangement.span[selected] * frame.columnWidth;
  const top = Math.max(-10, pointTop(viewport, frame, model.first[selected]) - 1);
  const bottom = Math.min(surface.height + 10, pointTop(viewport, frame, model.last[selected]) + 1);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(left, top, width, bottom - top);
}
