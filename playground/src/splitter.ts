/** The bar between the source and what is beside or below it: moved with the pointer or with arrow keys, and remembered. */

/** Of the whole, in hundredths, for the source. */
const LEAST = 20;
const MOST = 80;
const STEP = 4;
const INITIAL = 50;

export function makeSplitter(bar: HTMLElement, room: HTMLElement): void {
  /** One below the other, as the style sheet lays narrow pages out. */
  const isStacked = (): boolean => getComputedStyle(bar).cursor === 'row-resize';
  let share = Number(localStorage.getItem('split') ?? INITIAL) || INITIAL;

  function set(value: number): void {
    share = Math.round(Math.min(MOST, Math.max(LEAST, value)));
    room.style.setProperty('--split', `${share}%`);
    bar.setAttribute('aria-valuenow', String(share));
    localStorage.setItem('split', String(share));
  }

  bar.setAttribute('aria-valuemin', String(LEAST));
  bar.setAttribute('aria-valuemax', String(MOST));
  bar.addEventListener('pointerdown', ({ pointerId }) => bar.setPointerCapture(pointerId));
  bar.addEventListener('pointermove', ({ buttons, clientX, clientY }) => {
    if (buttons === 0) return;
    const { left, top, width, height } = room.getBoundingClientRect();
    set(100 * (isStacked() ? (clientY - top) / height : (clientX - left) / width));
  });
  bar.addEventListener('dblclick', () => set(INITIAL));
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key];
    if (event.key === 'Home') set(LEAST);
    else if (event.key === 'End') set(MOST);
    else if (step !== undefined) set(share + step);
    else return;
    event.preventDefault();
  });
  const turn = (): void => bar.setAttribute('aria-orientation', isStacked() ? 'horizontal' : 'vertical');
  new ResizeObserver(turn).observe(room);
  set(share);
}
