import type { Surface } from '../shared/canvas.js';
import { dots, hatch } from '../shared/canvas.js';
import { mixed, type Palette } from '../shared/palette.js';
import type { Arrangement } from './columns.js';
import type { Frame, Hit, Viewport } from './geometry.js';
import type { Model } from './model.js';

/** Everything that a frame of the live-range picture depends on. */
export interface Scene {
  readonly surface: Surface;
  readonly palette: Palette;
  readonly paints: Paints;
  readonly model: Model;
  readonly arrangement: Arrangement;
  readonly viewport: Viewport;
  readonly frame: Frame;
  /** Instruction under the cursor, or -1. */
  readonly row: number;
  readonly hover: Hit | undefined;
  /** Register that is picked, or -1. */
  readonly selected: number;
  /** The class whose pressure is drawn. */
  readonly pressureClass: number;
  /** What stands above the registers. */
  readonly caption: string;
}

/** How bars are filled, by register class. Patterns are made once for a theme. */
export interface Paints {
  readonly solid: readonly string[];
  readonly outline: readonly string[];
  readonly hollow: readonly string[];
  readonly network: readonly string[];
  readonly recomputed: readonly (CanvasPattern | string)[];
  readonly spilled: CanvasPattern | string;
  /** Registers of the machine itself: in no class's colour. */
  readonly fixed: string;
  readonly over: CanvasPattern | string;
}

export function paintsOf({ context }: Surface, palette: Palette): Paints {
  const { background, foreground, classes, spill, limit, isHighContrast } = palette;
  const shade = (share: number) => (colour: string) => mixed(colour, share, background);
  return {
    solid: isHighContrast ? classes : classes.map(shade(0.8)),
    outline: classes,
    hollow: classes.map(shade(isHighContrast ? 0 : 0.12)),
    network: classes.map(shade(isHighContrast ? 0.35 : 0.42)),
    recomputed: classes.map((colour) => dots(context, colour, background)),
    spilled: hatch(context, spill, mixed(spill, isHighContrast ? 0 : 0.14, background)),
    fixed: mixed(foreground, 0.3, background),
    over: hatch(context, limit, mixed(limit, 0.2, background)),
  };
}
