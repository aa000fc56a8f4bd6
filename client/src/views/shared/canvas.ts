/** A canvas that has one device pixel for each pixel of the screen. */

export interface Surface {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  width: number;
  height: number;
}

export function surfaceOf(canvas: HTMLCanvasElement): Surface {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('this browser has no 2D canvas');
  return { canvas, context, width: 0, height: 0 };
}

/** Fits the canvas to a size in CSS pixels; afterwards CSS pixels are the unit of drawing. */
export function fitSurface(surface: Surface, width: number, height: number): void {
  const ratio = window.devicePixelRatio || 1;
  const across = Math.max(1, Math.round(width * ratio));
  const down = Math.max(1, Math.round(height * ratio));
  const { canvas, context } = surface;
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  surface.width = width;
  surface.height = height;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

/** Diagonal lines in a colour, for what must differ by more than its colour. */
export const hatch = (
  context: CanvasRenderingContext2D,
  colour: string,
  background: string,
): CanvasPattern | string =>
  patternOf(context, 6, colour, background, (pen, size, ratio) => {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.4 * ratio;
    for (const shift of [-size, 0, size]) {
      pen.beginPath();
      pen.moveTo(shift - 1, size + 1);
      pen.lineTo(shift + size + 1, -1);
      pen.stroke();
    }
  });

/** Dots in a colour. */
export const dots = (
  context: CanvasRenderingContext2D,
  colour: string,
  background: string,
): CanvasPattern | string =>
  patternOf(context, 4, colour, background, (pen, _size, ratio) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, Math.ceil(1.6 * ratio), Math.ceil(1.6 * ratio));
  });

/** A square of `side` CSS pixels, repeated; the colour alone where the browser makes none. */
function patternOf(
  context: CanvasRenderingContext2D,
  side: number,
  colour: string,
  background: string,
  draw: (pen: CanvasRenderingContext2D, size: number, ratio: number) => void,
): CanvasPattern | string {
  const ratio = window.devicePixelRatio || 1;
  const size = Math.round(side * ratio);
  const tile = document.createElement('canvas');
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext('2d');
  if (pen === null) return colour;
  pen.fillStyle = background;
  pen.fillRect(0, 0, size, size);
  draw(pen, size, ratio);
  const pattern = context.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern ?? colour;
}

/** Runs `action` in the next frame, however often it is asked for before. */
export function onNextFrame(action: () => void): () => void {
  let pending = false;
  return () => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      action();
    });
  };
}
