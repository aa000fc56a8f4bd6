import { button, element } from '../shared/elements.js';

/** The HTML around the canvas: tools above it, the table of blocks beside it, the key below it. */
export interface Furniture {
  readonly root: HTMLElement;
  readonly name: HTMLElement;
  readonly summary: HTMLElement;
  readonly note: HTMLElement;
  readonly stage: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly aside: HTMLElement;
  readonly rows: HTMLTableSectionElement;
  readonly rest: HTMLElement;
  readonly panelButton: HTMLButtonElement;
  readonly tooltip: HTMLElement;
  readonly spoken: HTMLElement;
  readonly description: HTMLElement;
  readonly empty: HTMLElement;
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
  const name = element('strong', { class: 'name' });
  const summary = element('span', { class: 'figures' });
  const note = element('span', { class: 'note', role: 'status' });
  const panelButton = button('Blocks', 'Show or hide the table of blocks', actions.togglePanel);
  panelButton.classList.add('word');
  const tools = element(
    'div',
    { class: 'tools', role: 'toolbar', 'aria-label': 'Control flow' },
    note,
    element('span', { class: 'space' }),
    button('−', 'Zoom out (−)', () => actions.zoom(1 / 1.3)),
    button('+', 'Zoom in (+)', () => actions.zoom(1.3)),
    button('Fit', 'Show the whole function (0)', actions.fit),
    panelButton,
  );
  const description = element('p', { id: 'control-flow-summary', class: 'spoken' });
  const canvas = element('canvas', { 'aria-hidden': 'true' });
  const stage = element(
    'div',
    {
      class: 'stage',
      tabindex: '0',
      role: 'application',
      'aria-label': 'Control flow',
      'aria-describedby': description.id,
    },
    canvas,
  );
  const rows = element('tbody', {});
  const rest = element('p', { class: 'rest' });
  const head = ['Block', 'Lines', 'Live', 'Goes to'].map((text) => element('th', { scope: 'col' }, text));
  const aside = element(
    'aside',
    { 'aria-label': 'Blocks', tabindex: '0' },
    element('table', {}, element('thead', {}, element('tr', {}, ...head)), rows),
    rest,
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
          'Arrows: from block to block, with Shift along the branch that is taken. Enter: go to the source. + − 0: zoom. Home, End: first and last block.',
      },
      '↑↓ ←→ Enter + − 0',
    ),
  );
  const tooltip = element('div', { class: 'tooltip', role: 'tooltip', hidden: '' });
  const spoken = element('div', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
  const empty = element('div', { class: 'empty', role: 'status' }, 'Waiting for the language server …');
  const root = element(
    'div',
    { class: 'spillway control-flow is-empty' },
    element('header', {}, element('div', { class: 'title' }, name, summary), tools),
    element('main', {}, stage, aside),
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
    note,
    stage,
    canvas,
    aside,
    rows,
    rest,
    panelButton,
    tooltip,
    spoken,
    description,
    empty,
  };
}
