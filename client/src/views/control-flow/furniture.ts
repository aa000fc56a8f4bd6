import { button, element } from '../shared/elements.js';
import { frameOf, type Frame } from '../shared/frame.js';

/** The HTML around the canvas: its frame, the table of blocks beside it. */
export interface Furniture extends Omit<Frame, 'room'> {
  readonly note: HTMLElement;
  readonly stage: HTMLElement;
  readonly aside: HTMLElement;
  readonly rows: HTMLTableSectionElement;
  readonly rest: HTMLElement;
  readonly panelButton: HTMLButtonElement;
}

export interface Actions {
  zoom(factor: number): void;
  fit(): void;
  togglePanel(): void;
}

const legend: readonly (readonly [sign: string, text: string])[] = [
  ['falls', 'falls through'],
  ['taken', 'branch taken'],
  ['back', 'closes a loop'],
  ['loop', 'in a loop'],
  ['gauge', 'peak pressure'],
];

export function furnish(actions: Actions): Furniture {
  const note = element('span', { class: 'note', role: 'status' });
  const panelButton = button('Blocks', 'Show or hide the table of blocks', actions.togglePanel);
  panelButton.classList.add('word');
  const rows = element('tbody', {});
  const rest = element('p', { class: 'rest' });
  const head = ['Block', 'Lines', 'Live', 'Goes to'].map((text) => element('th', { scope: 'col' }, text));
  const aside = element(
    'aside',
    { 'aria-label': 'Blocks', tabindex: '0' },
    element('table', {}, element('thead', {}, element('tr', {}, ...head)), rows),
    rest,
  );
  const { room: stage, ...frame } = frameOf({
    id: 'control-flow',
    label: 'Control flow',
    roomClass: 'stage',
    tools: [
      note,
      element('span', { class: 'space' }),
      button('−', 'Zoom out (−)', () => actions.zoom(1 / 1.3)),
      button('+', 'Zoom in (+)', () => actions.zoom(1.3)),
      button('Fit', 'Show the whole function (0)', actions.fit),
      panelButton,
    ],
    aside,
    legend,
    keys: [
      '↑↓ ←→ Enter + − 0',
      'Arrows: from block to block, with Shift along the branch that is taken. Enter: go to the source. + − 0: zoom. Home, End: first and last block.',
    ],
  });
  return { ...frame, note, stage, aside, rows, rest, panelButton };
}
