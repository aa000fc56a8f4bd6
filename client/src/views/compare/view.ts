/** The table of a comparison: rows to be walked through with the keyboard, a row that is chosen becomes the setting. */
import type { Comparison } from '../../../../server/src/features/compare-data.js';
import { groupsOf, isBest, noteOf } from '../../../../server/src/features/compare-text.js';
import { button, element } from '../shared/elements.js';
import type { CompareHost } from './data.js';
import { firstRow, labelOf, rowAfter } from './model.js';

export function showComparison(parent: HTMLElement, host: CompareHost): void {
  let shown: Comparison | undefined;
  const name = element('strong', { class: 'name' });
  const summary = element('span', { class: 'figures' });
  const state = element('span', { class: 'note', role: 'status' });
  const tools = element(
    'div',
    { class: 'tools', role: 'toolbar', 'aria-label': 'Comparison of targets' },
    button('Copy as text', 'Copy the table as text', () => host.post({ type: 'copy', format: 'text' })),
    button('Copy as Markdown', 'Copy the table as Markdown', () =>
      host.post({ type: 'copy', format: 'markdown' }),
    ),
    element('span', { class: 'note' }, 'Enter or a double click sets a row in the settings.'),
    element('span', { class: 'space' }),
    state,
  );
  const content = element('div', { class: 'content' });
  const empty = element('div', { class: 'empty', role: 'status' }, 'Waiting for the language server …');
  const root = element(
    'div',
    { class: 'spillway comparison is-empty' },
    element('header', {}, element('div', { class: 'title' }, name, summary), tools),
    content,
    empty,
  );
  parent.append(root);
  host.onMessage((message) => {
    if (message.type === 'empty') {
      shown = undefined;
      root.classList.add('is-empty');
      empty.textContent = message.message;
    } else if (message.type === 'comparing') {
      const words = `Compiling ${message.function} … ${message.rows}`;
      empty.textContent = words;
      state.textContent = words;
    } else {
      const cursor = shown?.function === message.content.function ? focusedRow(content) : undefined;
      shown = message.content;
      root.classList.remove('is-empty');
      name.textContent = shown.function;
      summary.textContent = shown.summary;
      state.textContent = '';
      draw(content, shown, host, cursor);
    }
  });
  host.post({ type: 'ready' });
}

const focusedRow = (content: HTMLElement): number | undefined => {
  const row = content.querySelector<HTMLElement>('.row:focus')?.dataset['row'];
  return row === undefined ? undefined : Number(row);
};

function draw(content: HTMLElement, comparison: Comparison, host: CompareHost, focused?: number): void {
  const { columns, rows } = comparison;
  const notes = rows.some((row) => noteOf(row) !== '') ? [''] : [];
  const heads = ['', ...columns.map(({ title }) => title), ...notes];
  const head = element('tr', {}, ...heads.map((title) => element('th', { scope: 'col' }, title)));
  const cursor = Math.min(focused ?? firstRow(comparison), rows.length - 1);
  const bodies = groupsOf(comparison).map(({ name, rows: own, verdict }) => {
    const span = { scope: 'rowgroup', colspan: String(heads.length) };
    const title = element('th', span, name, element('span', { class: 'verdict' }, verdict));
    return element(
      'tbody',
      {},
      element('tr', { class: 'group' }, title),
      ...own.map((row) => rowOf(comparison, row, row === cursor)),
    );
  });
  const table = element(
    'table',
    { role: 'grid', 'aria-label': `${comparison.function} under other targets and limits` },
    element('thead', {}, head),
    ...bodies,
  );
  content.replaceChildren(table);
  listen(table, comparison, host);
  const target = table.querySelector<HTMLElement>('[tabindex="0"]');
  if (focused !== undefined || document.activeElement === document.body) target?.focus();
}

function rowOf(comparison: Comparison, row: number, isCursor: boolean): HTMLElement {
  const { name, cells, isPresent, problem } = comparison.rows[row];
  const note = noteOf(comparison.rows[row]);
  const first = element('td', {}, name);
  if (isPresent) first.append(element('span', { class: 'now' }, 'now'));
  const line = element(
    'tr',
    {
      class: 'row',
      'data-row': String(row),
      tabindex: isCursor ? '0' : '-1',
      'aria-label': labelOf(comparison, row),
      ...(isPresent && { 'aria-current': 'true' }),
    },
    first,
    ...cells.map((cell) => element('td', {}, cell)),
    ...(note === '' ? [] : [element('td', { class: 'note' }, note)]),
  );
  line.classList.toggle('best', isBest(comparison, row));
  line.classList.toggle('problem', problem !== undefined);
  return line;
}

function listen(table: HTMLElement, comparison: Comparison, host: CompareHost): void {
  const rowAt = (target: EventTarget | null): number | undefined => {
    const row = target instanceof Element ? target.closest<HTMLElement>('.row')?.dataset['row'] : undefined;
    return row === undefined ? undefined : Number(row);
  };
  const focus = (row: number): void => {
    for (const line of table.querySelectorAll<HTMLElement>('.row'))
      line.tabIndex = line.dataset['row'] === String(row) ? 0 : -1;
    table.querySelector<HTMLElement>(`.row[data-row="${row}"]`)?.focus();
  };
  const choose = (row: number): void => {
    if (comparison.rows[row].problem === undefined) host.post({ type: 'choose', row });
  };
  table.addEventListener('click', (event) => {
    const row = rowAt(event.target);
    if (row !== undefined) focus(row);
  });
  table.addEventListener('dblclick', (event) => {
    const row = rowAt(event.target);
    if (row !== undefined) choose(row);
  });
  table.addEventListener('keydown', (event) => {
    const row = rowAt(event.target);
    if (row === undefined) return;
    if (event.key === 'Enter' || event.key === ' ') choose(row);
    else {
      const next = rowAfter(event.key, row, comparison);
      if (next === undefined) return;
      focus(next);
    }
    event.preventDefault();
  });
}
