import { mixed } from '../shared/palette.js';
import { pressureLeft, pressureScale, rowTop, visibleRows } from './geometry.js';
import type { Scene } from './scene.js';

/**
 * Units live at each instruction: as compiled a filled curve, as written a line; the limit, and the counts at which the
 * number of resident warps changes, as lines down.
 */
export function drawPressure(scene: Scene): void {
  const { surface, palette, paints, frame, model, pressureClass, row } = scene;
  const shown = model.view.classes[pressureClass];
  if (shown === undefined || model.count === 0) return;
  const { context, height } = surface;
  const left = pressureLeft(frame);
  const { most, showsLimit, steps } = scaleOf(scene);
  const x = (units: number): number => left + (units / most) * frame.pressure;
  const colour = palette.classes[pressureClass % palette.classes.length];
  context.save();
  context.beginPath();
  context.rect(left, frame.headerHeight, frame.pressure + 8, height);
  context.clip();

  const { limit } = model.view;
  const compiled = curveOf(scene, shown.asCompiled);
  context.fillStyle = mixed(colour, palette.isHighContrast ? 0.55 : 0.4, palette.background);
  fillCurve(scene, compiled, left, x);
  if (pressureClass === 0 && shown.peakCompiled > limit) {
    context.save();
    context.beginPath();
    context.rect(x(limit), frame.headerHeight, frame.pressure, height);
    context.clip();
    context.fillStyle = paints.over;
    fillCurve(scene, compiled, left, x);
    context.restore();
  }
  strokeCurve(scene, curveOf(scene, shown.asWritten), x, palette.foreground, []);
  if (pressureClass === 0) {
    for (const { registers } of steps) line(scene, x(registers), palette.step, [4, 3]);
    if (showsLimit) line(scene, x(limit), palette.limit, []);
  }
  drawPeak(scene, shown.peakWrittenAt, shown.peakWritten, x, palette.foreground);
  context.restore();
  if (row >= 0) drawValue(scene, row, shown.asWritten[row], shown.asCompiled[row]);
}

interface Curve {
  /** Top of the first step. */
  readonly top: number;
  /** Height of one step. */
  readonly step: number;
  readonly units: readonly number[];
}

/** One value a row, or where rows are smaller than a pixel the highest one a pixel. */
function curveOf({ viewport, frame, model }: Scene, all: readonly number[]): Curve {
  const [first, end] = visibleRows(viewport, frame, model.count);
  const top = rowTop(viewport, frame, first);
  if (viewport.rowHeight >= 1) return { top, step: viewport.rowHeight, units: all.slice(first, end) };
  const units: number[] = [];
  const rows = 1 / viewport.rowHeight;
  for (let pixel = 0; first + pixel * rows < end; pixel++) {
    let most = 0;
    const to = Math.min(end, Math.ceil(first + (pixel + 1) * rows));
    for (let i = Math.floor(first + pixel * rows); i < to; i++) most = Math.max(most, all[i]);
    units.push(most);
  }
  return { top, step: 1, units };
}

function fillCurve({ surface }: Scene, curve: Curve, left: number, x: (units: number) => number): void {
  const { context } = surface;
  const { top, step, units } = curve;
  context.beginPath();
  context.moveTo(left, top);
  units.forEach((n, k) => {
    context.lineTo(x(n), top + k * step);
    context.lineTo(x(n), top + (k + 1) * step);
  });
  context.lineTo(left, top + units.length * step);
  context.closePath();
  context.fill();
}

function strokeCurve(
  { surface }: Scene,
  { top, step, units }: Curve,
  x: (units: number) => number,
  colour: string,
  dash: readonly number[],
): void {
  const { context } = surface;
  context.beginPath();
  units.forEach((n, k) => {
    const at = Math.round(x(n)) - 0.5;
    if (k === 0) context.moveTo(at, top);
    else context.lineTo(at, top + k * step);
    context.lineTo(at, top + (k + 1) * step);
  });
  context.strokeStyle = colour;
  context.lineWidth = 1.25;
  context.setLineDash([...dash]);
  context.stroke();
  context.setLineDash([]);
}

function line({ surface, frame }: Scene, x: number, colour: string, dash: readonly number[]): void {
  const { context, height } = surface;
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, frame.headerHeight);
  context.lineTo(Math.round(x) + 0.5, height);
  context.strokeStyle = colour;
  context.lineWidth = dash.length === 0 ? 1.5 : 1;
  context.setLineDash([...dash]);
  context.stroke();
  context.setLineDash([]);
}

function drawPeak(
  { surface, viewport, frame }: Scene,
  at: number,
  units: number,
  x: (n: number) => number,
  colour: string,
): void {
  if (at < 0) return;
  const { context } = surface;
  const y = rowTop(viewport, frame, at) + viewport.rowHeight / 2;
  const tip = x(units) + 1;
  context.beginPath();
  context.moveTo(tip, y);
  context.lineTo(tip + 6, y - 4);
  context.lineTo(tip + 6, y + 4);
  context.closePath();
  context.fillStyle = colour;
  context.fill();
}

/** The figures of the current row: as written, as compiled. */
function drawValue(
  { surface, palette, frame, viewport }: Scene,
  row: number,
  written: number,
  compiled: number,
): void {
  const { context } = surface;
  const y = rowTop(viewport, frame, row) + viewport.rowHeight / 2;
  if (y < frame.headerHeight || y > surface.height) return;
  const text = `${written} → ${compiled}`;
  context.font = `600 11px ${palette.font}`;
  context.textBaseline = 'middle';
  const width = context.measureText(text).width;
  const right = pressureLeft(frame) + frame.pressure;
  context.fillStyle = mixed(palette.background, palette.isHighContrast ? 1 : 0.85);
  context.fillRect(right - width - 6, y - 8, width + 6, 16);
  context.fillStyle = palette.foreground;
  context.fillText(text, right - width - 3, y + 0.5);
}

const scaleOf = ({ model, pressureClass }: Scene): ReturnType<typeof pressureScale> => {
  const shown = model.view.classes[pressureClass];
  return pressureScale(
    Math.max(shown.peakWritten, shown.peakCompiled),
    pressureClass === 0 ? model.view.limit : 0,
    pressureClass === 0 ? model.view.occupancySteps : [],
  );
};

/** What is drawn, and what the lines down stand for. */
export function drawPressureHeader(scene: Scene): void {
  const { surface, palette, frame, model, pressureClass } = scene;
  const shown = model.view.classes[pressureClass];
  if (shown === undefined) return;
  const { context } = surface;
  const left = pressureLeft(frame);
  context.save();
  context.beginPath();
  context.rect(left, 0, frame.pressure + 10, frame.headerHeight);
  context.clip();
  context.fillStyle = palette.faint;
  const title = `Live ${shown.unit}s`;
  context.fillText(context.measureText(title).width <= frame.pressure ? title : 'Live', left, 13);
  if (pressureClass === 0) {
    const { most, showsLimit, steps } = scaleOf(scene);
    const { limit } = model.view;
    context.font = `10px ${palette.font}`;
    const marks = steps.map(({ registers, warps }) => ({
      units: registers,
      text: `${warps}w`,
      colour: palette.step,
    }));
    if (showsLimit) marks.push({ units: limit, text: `limit ${limit}`, colour: palette.limit });
    // the limit is worth more than a step where both do not fit
    const byWorth = marks.reverse().map(({ units, text, colour }) => {
      const width = context.measureText(text).width;
      const middle = left + (units / most) * frame.pressure - width / 2;
      return { text, colour, width, at: Math.max(left, Math.min(middle, left + frame.pressure + 8 - width)) };
    });
    const drawn: (typeof byWorth)[number][] = [];
    for (const mark of byWorth) {
      if (drawn.some(({ at, width }) => mark.at < at + width + 5 && at < mark.at + mark.width + 5)) continue;
      drawn.push(mark);
      context.fillStyle = mark.colour;
      context.fillText(mark.text, mark.at, 29);
    }
  }
  context.restore();
  context.font = `11px ${palette.font}`;
}
