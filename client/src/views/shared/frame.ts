import { element } from './elements.js';

/** What stands around the canvas of every picture: the title and tools above it, the key below it, words for those who hear. */
export interface Frame {
  readonly root: HTMLElement;
  readonly name: HTMLElement;
  readonly summary: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  /** The place of the canvas: takes the focus, keys and the pointer. */
  readonly room: HTMLElement;
  readonly tooltip: HTMLElement;
  /** What is read out when something is picked. */
  readonly spoken: HTMLElement;
  /** The picture in words. */
  readonly description: HTMLElement;
  readonly empty: HTMLElement;
}

export interface FrameParts {
  /** Class of the picture's root. */
  readonly id: string;
  readonly label: string;
  readonly roomClass: string;
  readonly tools: readonly (Node | string)[];
  /** Beside the canvas. */
  readonly aside: HTMLElement;
  readonly legend: readonly (readonly [sign: string, text: string])[];
  /** The keys as signs, and in words. */
  readonly keys: readonly [signs: string, words: string];
}

export function frameOf({ id, label, roomClass, tools, aside, legend, keys }: FrameParts): Frame {
  const name = element('strong', { class: 'name' });
  const summary = element('span', { class: 'figures' });
  const toolbar = element('div', { class: 'tools', role: 'toolbar', 'aria-label': label }, ...tools);
  const canvas = element('canvas', { 'aria-hidden': 'true' });
  const description = element('p', { id: `${id}-summary`, class: 'spoken' });
  const room = element(
    'div',
    {
      class: roomClass,
      tabindex: '0',
      role: 'application',
      'aria-label': label,
      'aria-describedby': description.id,
    },
    canvas,
  );
  const key = element(
    'footer',
    { class: 'legend', 'aria-hidden': 'true' },
    ...legend.map(([sign, text]) => element('span', {}, element('i', { class: `sign ${sign}` }), text)),
    element('span', { class: 'space' }),
    element('span', { class: 'keys', title: keys[1] }, keys[0]),
  );
  const tooltip = element('div', { class: 'tooltip', role: 'tooltip', hidden: '' });
  const spoken = element('div', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
  const empty = element('div', { class: 'empty', role: 'status' }, 'Waiting for the language server …');
  const root = element(
    'div',
    { class: `spillway ${id} is-empty` },
    element('header', {}, element('div', { class: 'title' }, name, summary), toolbar),
    element('main', {}, room, aside),
    key,
    tooltip,
    spoken,
    description,
    empty,
  );
  return { root, name, summary, canvas, room, tooltip, spoken, description, empty };
}
