/** The table of a comparison: rows to be walked through with the keyboard, a row that is chosen becomes the setting. */
import type { Comparison } from '../../../../server/src/features/compare-data.js';
import { groupsOf, isBest, noteOf } from '../../../../server/src/features/compare-text.js';
import type { CompareHost, FromTable } from './data.js';
import { firstRow, labelOf, rowAfter } from './model.js';

export function showComparison(root: HTMLElement, host: CompareHost): void {
  let shown: Comparison | undefined;
  const state = element('p', 'state');
  state.setAttribute('role', 'status');
  const content = element('main');
  root.replaceChildren(content, state);
  host.onMessage((message) => {
    if (message.type === 'empty') {
      shown = undefined;
      content.replaceChildren();
      state.textContent = message.message;
    } else if (message.type === 'comparing') {
      state.textContent = `Compiling ${message.function} … ${message.rows}`;
    } else {
      const cursor = shown?.function === message.content.function ? focusedRow(content) : undefined;
      shown = message.content;
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
  const table = element('table');
  table.setAttribute('role', 'grid');
  table.setAttribute('aria-label', `${comparison.function} under other targets and limits`);
  const head = element('tr');
  head.append(header('', 'col'), ...columns.map(({ title }) => header(title, 'col')), header('', 'col'));
  const thead = element('thead');
  thead.append(head);
  table.append(thead);
  const cursor = Math.min(focused ?? firstRow(comparison), rows.length - 1);
  for (const { name, rows: own, verdict } of groupsOf(comparison)) {
    const body = element('tbody');
    const title = element('tr', 'group');
    const cell = header(name, 'rowgroup');
    cell.colSpan = columns.length + 2;
    cell.append(element('span', 'verdict', `   ${verdict}`));
    title.append(cell);
    body.append(title, ...own.map((row) => rowOf(comparison, row, row === cursor)));
    table.append(body);
  }
  content.replaceChildren(
    element('h1', '', comparison.function),
    element('p', 'summary', comparison.summary),
    tools(host),
    table,
  );
  listen(table, comparison, host);
  const target = table.querySelector<HTMLElement>('[tabindex="0"]');
  if (focused !== undefined || document.activeElement === document.body) target?.focus();
}

function rowOf(comparison: Comparison, row: number, isCursor: boolean): HTMLElement {
  const { name, cells, isPresent, problem } = comparison.rows[row];
  const line = element('tr', 'row');
  line.classList.toggle('best', isBest(comparison, row));
  line.classList.toggle('problem', problem !== undefined);
  line.dataset['row'] = String(row);
  line.tabIndex = isCursor ? 0 : -1;
  line.setAttribute('aria-label', labelOf(comparison, row));
  if (isPresent) line.setAttribute('aria-current', 'true');
  const first = element('td', '', name);
  if (isPresent) first.append(element('span', 'now', 'now'));
  line.append(
    first,
    ...cells.map((cell) => element('td', '', cell)),
    element('td', 'note', noteOf(comparison.rows[row])),
  );
  return line;
}

function tools(host: CompareHost): HTMLElement {
  const bar = element('div', 'tools');
  const copy = (format: Extract<FromTable, { type: 'copy' }>['format'], title: string): HTMLElement => {
    const button = element('button', '', title);
    button.addEventListener('click', () => host.post({ type: 'copy', format }));
    return button;
  };
  bar.append(
    copy('text', 'Copy as text'),
    copy('markdown', 'Copy as Markdown'),
    element('span', 'summary', 'Enter or a double click sets a row in the settings'),
  );
  return bar;
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

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  text = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  if (text !== '') made.textContent = text;
  return made;
}

function header(text: string, scope: string): HTMLTableCellElement {
  const made = element('th', '', text);
  made.scope = scope;
  return made;
}
