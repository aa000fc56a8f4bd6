import { button, element, selection } from '../shared/elements.js';
import type { Order } from './columns.js';

/** The HTML around the canvas: tools above it, the table of live registers beside it, the key below it. */
export interface Furniture {
  readonly root: HTMLElement;
  readonly name: HTMLElement;
  readonly summary: HTMLElement;
  readonly order: HTMLSelectElement;
  readonly shownClass: HTMLSelectElement;
  readonly filter: HTMLInputElement;
  readonly matches: HTMLElement;
  readonly scroll: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly spacer: HTMLElement;
  readonly aside: HTMLElement;
  readonly asideTitle: HTMLElement;
  readonly asideText: HTMLElement;
  readonly asideTable: HTMLTableElement;
  readonly asideRows: HTMLTableSectionElement;
  readonly asideRest: HTMLElement;
  readonly panelButton: HTMLButtonElement;
  readonly tooltip: HTMLElement;
  readonly spoken: HTMLElement;
  readonly description: HTMLElement;
  readonly empty: HTMLElement;
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
  const name = element('strong', { class: 'name' });
  const summary = element('span', { class: 'figures' });
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
  const tools = element(
    'div',
    { class: 'tools', role: 'toolbar', 'aria-label': 'Live ranges' },
    order,
    shownClass,
    filter,
    matches,
    element('span', { class: 'space' }),
    button('−', 'Zoom out (−)', () => actions.zoom(1 / 1.35)),
    button('+', 'Zoom in (+)', () => actions.zoom(1.35)),
    button('Fit', 'Show the whole function (0)', actions.fit),
    panelButton,
  );
  const canvas = element('canvas', { 'aria-hidden': 'true' });
  const spacer = element('div', { class: 'spacer', 'aria-hidden': 'true' });
  const description = element('p', { id: 'live-ranges-summary', class: 'spoken' });
  const scroll = element(
    'div',
    {
      class: 'scroll',
      tabindex: '0',
      role: 'application',
      'aria-label': 'Live ranges',
      'aria-describedby': description.id,
    },
    canvas,
    spacer,
  );
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
  const key = element(
    'footer',
    { class: 'legend', 'aria-hidden': 'true' },
    ...legend.map(([sign, text]) => element('span', {}, element('i', { class: `sign ${sign}` }), text)),
    element('span', { class: 'space' }),
    element(
      'span',
      {
        class: 'keys',
        title:
          'Arrows: line and register. Enter: go to the source. /: filter. + − 0: zoom. Escape: nothing picked.',
      },
      '↑↓ ←→ Enter / + − 0',
    ),
  );
  const tooltip = element('div', { class: 'tooltip', role: 'tooltip', hidden: '' });
  const spoken = element('div', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
  const empty = element('div', { class: 'empty', role: 'status' }, 'Waiting for the language server …');
  const root = element(
    'div',
    { class: 'spillway live-ranges is-empty' },
    element('header', {}, element('div', { class: 'title' }, name, summary), tools),
    element('main', {}, scroll, aside),
    key,
    tooltip,
    spoken,
    description,
    empty,
  );
  return {
    root,
    name,
    summary,
    order,
    shownClass,
    filter,
    matches,
    scroll,
    canvas,
    spacer,
    aside,
    asideTitle,
    asideText,
    asideTable,
    asideRows,
    asideRest,
    panelButton,
    tooltip,
    spoken,
    description,
    empty,
  };
}
