/** The keys that are worth to be known here, in a dialog; and the way from one part of the page to the next. */
import { element } from '../../client/src/views/shared/elements.js';

const isMac = /Mac/.test(navigator.platform);
const isLinux = /Linux/.test(navigator.platform);

/** As the editor has them, which differ between systems. */
const keys: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl .', 'what can be repaired or rewritten here, with the figures that it leads to'],
  ['F8', 'next finding, and what it says'],
  ['F12', 'definition'],
  ['Shift F12', 'references'],
  ['F2', 'rename'],
  [isLinux ? 'Ctrl Shift I' : 'Shift Alt F', 'format'],
  ['Ctrl Shift O', 'functions and names'],
  ['Ctrl K Ctrl I', 'what is known of the word at the cursor'],
  ['F1', 'all commands; among them: next and previous pressure peak and spill'],
  ['F6', 'next part of the page'],
  [isMac ? 'Control Shift M' : 'Ctrl M', 'whether Tab leaves the editor'],
];

export function makeKeys(button: HTMLElement): void {
  const rows = keys.map(([combination, what]) =>
    element('tr', {}, element('th', { scope: 'row' }, ...capsOf(combination)), element('td', {}, what)),
  );
  const dialog = element(
    'dialog',
    { 'aria-label': 'Keys' },
    element('h2', {}, 'Keys'),
    element('table', {}, ...rows),
    element('form', { method: 'dialog' }, element('button', {}, 'Close')),
  );
  document.body.append(dialog);
  button.addEventListener('click', () => dialog.showModal());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
}

const capsOf = (combination: string): HTMLElement[] =>
  combination.split(' ').map((key) => element('kbd', {}, isMac && key === 'Ctrl' ? '⌘' : key));

/** F6 leads to the next part, with Shift to the one before. */
export function walkParts(parts: readonly (() => HTMLElement | null)[]): void {
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'F6') return;
    event.preventDefault();
    const shown = parts.map((part) => part());
    const at = shown.findIndex((part) => part?.contains(document.activeElement) === true);
    const next = (at + (event.shiftKey ? shown.length - 1 : 1)) % shown.length;
    const part = shown[next];
    const inside = part?.querySelector<HTMLElement>('textarea, select, button, [tabindex="0"]');
    (inside ?? part)?.focus();
  });
}
