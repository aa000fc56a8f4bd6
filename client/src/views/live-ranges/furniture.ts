import { button, element, selection } from '../shared/elements.js';
import { frameOf, type Frame } from '../shared/frame.js';
import type { Order } from './columns.js';

/** The HTML around the canvas: its frame, tools of its own, the table of live registers beside it. */
export interface Furniture extends Omit<Frame, 'room'> {
  readonly order: HTMLSelectElement;
  readonly shownClass: HTMLSelectElement;
  readonly filter: HTMLInputElement;
  readonly matches: HTMLElement;
  readonly scroll: HTMLElement;
  readonly spacer: HTMLElement;
  readonly aside: HTMLElement;
  readonly asideTitle: HTMLElement;
  readonly asideText: HTMLElement;
  readonly asideTable: HTMLTableElement;
  readonly asideRows: HTMLTableSectionElement;
  readonly asideRest: HTMLElement;
  readonly panelButton: HTMLButtonElement;
}

export interface Actions {
  order(order: Order): void;
  shownClass(number: number): void;
  filter(text: string): void;
  zoom(factor: number): void;
  fit(): void;
  togglePanel(): void;
}

const orders: readonly (readonly [Order, string])[] = [
  ['packed', 'Packed'],
  ['definition', 'By first definition'],
  ['place', 'By place'],
];

const legend: readonly (readonly [sign: string, text: string])[] = [
  ['register', 'in a register'],
  ['spilled', 'spilled'],
  ['recomputed', 'computed again'],
  ['hollow', 'in none'],
  ['fixed', 'payload, hardware register'],
  ['hole', 'hole'],
  ['definition', 'definition'],
  ['use', 'use'],
  ['store', 'store'],
  ['reload', 'reload'],
  ['written', 'live as written'],
  ['compiled', 'as compiled'],
];

export function furnish(actions: Actions): Furniture {
  const order = selection('Order of the registers', orders, (value) => actions.order(value as Order));
  const shownClass = selection('Register class', [['-1', 'All classes']], (value) =>
    actions.shownClass(Number(value)),
  );
  const filter = element('input', {
    type: 'search',
    placeholder: 'Filter registers ( / )',
    'aria-label': 'Filter registers by name',
    spellcheck: 'false',
  });
  filter.addEventListener('input', () => actions.filter(filter.value));
  const matches = element('span', { class: 'matches', role: 'status' });
  const panelButton = button('Live here', 'Show or hide the table of live registers', actions.togglePanel);
  panelButton.classList.add('word');
  const spacer = element('div', { class: 'spacer', 'aria-hidden': 'true' });
  const asideTitle = element('h2', {});
  const asideText = element('p', {});
  const asideRows = element('tbody', {});
  const asideRest = element('p', { class: 'rest' });
  const head = element(
    'thead',
    {},
    element('tr', {}, ...['Register', 'Place', 'Use'].map((text) => element('th', { scope: 'col' }, text))),
  );
  const asideTable = element('table', {}, head, asideRows);
  const aside = element(
    'aside',
    { 'aria-label': 'Registers live at the current line', tabindex: '0' },
    asideTitle,
    asideText,
    asideTable,
    asideRest,
  );
  const { room: scroll, ...frame } = frameOf({
    id: 'live-ranges',
    label: 'Live ranges',
    roomClass: 'scroll',
    tools: [
      order,
      shownClass,
      filter,
      matches,
      element('span', { class: 'space' }),
      button('−', 'Zoom out (−)', () => actions.zoom(1 / 1.35)),
      button('+', 'Zoom in (+)', () => actions.zoom(1.35)),
      button('Fit', 'Show the whole function (0)', actions.fit),
      panelButton,
    ],
    aside,
    legend,
    keys: [
      '↑↓ ←→ Enter / + − 0',
      'Arrows: line and register. Enter: go to the source. /: filter. + − 0: zoom. Escape: nothing picked.',
    ],
  });
  scroll.append(spacer);
  return {
    ...frame,
    order,
    shownClass,
    filter,
    matches,
    scroll,
    spacer,
    aside,
    asideTitle,
    asideText,
    asideTable,
    asideRows,
    asideRest,
    panelButton,
  };
}
