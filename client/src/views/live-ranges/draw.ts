import { mixed } from '../shared/palette.js';
import { columnLeft, rowTop, TEXT_ROW, visibleColumns, visibleRows } from './geometry.js';
import { drawBars } from './draw-bars.js';
import { drawPressure, drawPressureHeader } from './draw-pressure.js';
import { lineOfRow } from './model.js';
import type { Scene } from './scene.js';

/** One frame of the live-range picture. */
export function draw(scene: Scene): void {
  const { surface, palette, frame } = scene;
  const { context, width, height } = surface;
  context.globalAlpha = 1;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  drawRows(scene);
  clipped(scene, frame.registers, () => drawBars(scene));
  drawPressure(scene);
  drawRowFrame(scene);
  drawText(scene);
  drawHeader(scene);
}

function clipped({ surface, frame }: Scene, left: number, paint: () => void): void {
  const { context, width, height } = surface;
  context.save();
  context.beginPath();
  context.rect(left, frame.headerHeight, Math.max(0, width - left), height - frame.headerHeight);
  context.clip();
  paint();
  context.restore();
}

/** Blocks, the row under the pointer and the current one. */
function drawRows({ surface, palette, frame, viewport, model, row, hover }: Scene): void {
  const { context, width } = surface;
  const band = (index: number, colour: string): void => {
    if (index < 0) return;
    context.fillStyle = colour;
    context.fillRect(0, rowTop(viewport, frame, index), width, Math.max(1, viewport.rowHeight));
  };
  if (hover !== undefined && hover.row !== row) band(hover.row, palette.hoveredRow);
  band(row, palette.currentRow);
  if (viewport.rowHeight < 2) return;
  const [first, end] = visibleRows(viewport, frame, model.count);
  context.fillStyle = mixed(palette.rule, palette.isHighContrast ? 0.6 : 0.8);
  for (let b = 1; b + 1 < model.blockStart.length; b++) {
    const start = model.blockStart[b];
    if (start < first || start >= end) continue;
    context.fillRect(0, Math.round(rowTop(viewport, frame, start)), width, 1);
  }
}

function drawRowFrame({ surface, palette, frame, viewport, row }: Scene): void {
  if (row < 0) return;
  const { context, width } = surface;
  const top = Math.round(rowTop(viewport, frame, row)) + 0.5;
  context.strokeStyle = palette.currentRowBorder;
  context.lineWidth = 1;
  if (viewport.rowHeight < 4) {
    context.beginPath();
    context.moveTo(0, top);
    context.lineTo(width, top);
    context.stroke();
  } else context.strokeRect(0.5, top, width - 1, Math.round(viewport.rowHeight) - 1);
}

/** Line numbers, loops and instructions. */
function drawText({ surface, palette, frame, viewport, model, row }: Scene): void {
  const { context } = surface;
  const [first, end] = visibleRows(viewport, frame, model.count);
  const size = Math.max(9, Math.min(13, viewport.rowHeight - 4));
  context.textBaseline = 'middle';
  context.font = `${size}px ${palette.codeFont}`;
  context.textAlign = 'right';
  // numbers keep a distance that can be read
  const every = Math.max(1, Math.ceil(15 / viewport.rowHeight));
  for (let i = first - (first % every); i < end; i += every) {
    context.fillStyle = i === row ? palette.activeLineNumber : palette.lineNumber;
    context.fillText(
      `${lineOfRow(model, i) + 1}`,
      frame.numbers - 6,
      rowTop(viewport, frame, i) + Math.max(viewport.rowHeight, every > 1 ? 15 : 0) / 2 + 0.5,
    );
  }
  context.textAlign = 'left';
  drawLoops({ surface, palette, frame, viewport, model }, first, end);
  if (viewport.rowHeight < TEXT_ROW) return;
  const left = frame.numbers + frame.loops + 2;
  context.save();
  context.beginPath();
  context.rect(left, frame.headerHeight, frame.text - 4, surface.height);
  context.clip();
  const letter = context.measureText('0').width;
  const rest = palette.isHighContrast ? palette.foreground : mixed(palette.foreground, 0.72);
  for (let i = first; i < end; i++) {
    const text = model.texts[i];
    const y = rowTop(viewport, frame, i) + viewport.rowHeight / 2 + 0.5;
    const gap = operandsAt(text);
    context.fillStyle = palette.foreground;
    context.fillText(text.slice(0, gap), left, y);
    context.fillStyle = rest;
    context.fillText(text.slice(gap), left + gap * letter, y);
  }
  context.restore();
}

/** Where the operands begin: behind the first word, and behind a guard before it. */
function operandsAt(text: string): number {
  const first = text.indexOf(' ');
  if (first < 0) return text.length;
  if (!text.startsWith('@')) return first;
  const second = text.indexOf(' ', first + 1);
  return second < 0 ? text.length : second;
}

type Drawn = Pick<Scene, 'surface' | 'palette' | 'frame' | 'viewport' | 'model'>;

/** A bar for each loop around an instruction, outer ones on the left. */
function drawLoops({ surface, palette, frame, viewport, model }: Drawn, first: number, end: number): void {
  if (model.deepestLoop === 0) return;
  const { context } = surface;
  for (let depth = 1; depth <= Math.min(6, model.deepestLoop); depth++) {
    context.fillStyle = mixed(
      palette.foreground,
      palette.isHighContrast ? 1 : 0.18 + 0.1 * depth,
      palette.background,
    );
    const left = frame.numbers + 4 * (depth - 1);
    for (let i = first; i < end; i++) {
      if (model.loopDepth[i] < depth) continue;
      let last = i;
      while (last + 1 < end && model.loopDepth[last + 1] >= depth) last++;
      const top = rowTop(viewport, frame, i);
      context.fillRect(left, top, 2, Math.max(1, (last - i + 1) * viewport.rowHeight - 1));
      i = last;
    }
  }
}

function drawHeader(scene: Scene): void {
  const { surface, palette, frame, caption } = scene;
  const { context, width } = surface;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, frame.headerHeight);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  context.fillStyle = palette.faint;
  if (frame.text > 0) context.fillText('Instruction', frame.numbers + frame.loops + 2, 13);
  drawPressureHeader(scene);
  context.fillStyle = palette.faint;
  context.save();
  context.beginPath();
  context.rect(frame.registers, 0, Math.max(0, width - frame.registers), frame.headerHeight);
  context.clip();
  context.fillText(caption, frame.registers, 13);
  drawGroups(scene);
  context.restore();
  context.fillStyle = palette.rule;
  context.fillRect(0, frame.headerHeight - 1, width, 1);
}

/** Names of places above their columns, as far as there is room for them. */
function drawGroups({ surface, palette, frame, viewport, arrangement }: Scene): void {
  const { context } = surface;
  const [first, end] = visibleColumns(viewport, frame, arrangement.columnCount);
  context.font = `10px ${palette.font}`;
  let free = -Infinity;
  for (const { column, span, label } of arrangement.groups) {
    if (column + span <= first || column >= end) continue;
    const left = columnLeft(viewport, frame, column);
    const isWord = !/\d/.test(label);
    context.fillStyle = palette.rule;
    context.fillRect(left, frame.headerHeight - 6, 1, 6);
    const at = isWord ? Math.max(left, frame.registers) + 2 : left + 1;
    if (at < free) continue;
    context.fillStyle = palette.faint;
    context.fillText(label, at, 29);
    free = at + context.measureText(label).width + 5;
  }
}
