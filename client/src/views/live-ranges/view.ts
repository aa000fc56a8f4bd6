import type { LiveRangesView } from '../../../../server/src/features/views/data.js';
import type { Host, ToView } from '../host.js';
import { fitSurface, onNextFrame, surfaceOf } from '../shared/canvas.js';
import { element, factTable, setChoices } from '../shared/elements.js';
import { paletteOf, type Palette } from '../shared/palette.js';
import { showTooltip } from '../shared/tooltip.js';
import { arrange, type Arrangement, type Order } from './columns.js';
import { draw } from './draw.js';
import { furnish } from './furniture.js';
import {
  columnLeft,
  contentSize,
  fitRow,
  frameOf,
  hitAt,
  revealed,
  zoomed,
  type Hit,
  type Viewport,
} from './geometry.js';
import { actionOf, stepped } from './keys.js';
import { lineOfRow, liveDuring, modelOf, rowOfLine, type Model } from './model.js';
import { paintsOf, type Paints } from './scene.js';
import {
  lineName,
  liveRows,
  liveWords,
  registerFacts,
  rowAnnouncement,
  rowWords,
  summaryWords,
} from './text.js';

/** Shows the live ranges of a function inside `parent`, in any page that has a host for it. */
export function showLiveRanges(parent: HTMLElement, host: Host<LiveRangesView>): void {
  const remembered = rememberedIn(host.memory.load());
  let order: Order = remembered.order;
  let filterText = '';
  let shownClass = -1;
  let isPanelShown = remembered.panel;
  let rowHeight = remembered.rowHeight;
  let model: Model | undefined;
  let arrangement: Arrangement | undefined;
  let cursorLine = -1;
  let row = -1;
  let selected = -1;
  let hover: Hit | undefined;
  let palette: Palette | undefined;
  let paints: Paints | undefined;
  let contentCame = -1;
  let spokenTimer: ReturnType<typeof setTimeout> | undefined;

  const save = (): void => host.memory.save({ order, rowHeight, panel: isPanelShown });
  const ui = furnish({
    order: (next) => {
      order = next;
      rearrange();
      ui.scroll.scrollLeft = 0;
      save();
    },
    shownClass: (next) => {
      shownClass = next;
      rearrange();
      showLive();
    },
    filter: (text) => {
      filterText = text;
      rearrange();
    },
    zoom: (factor) => zoomTo(rowHeight * factor, ui.scroll.clientHeight / 2),
    fit: () => {
      if (model !== undefined) zoomTo(fitRow(model.count, ui.scroll.clientHeight), 0);
    },
    togglePanel: () => {
      isPanelShown = !isPanelShown;
      applyPanel();
      save();
    },
  });
  parent.append(ui.root);
  ui.order.value = order;
  const surface = surfaceOf(ui.canvas);

  const viewport = (): Viewport => ({
    scrollX: ui.scroll.scrollLeft,
    scrollY: ui.scroll.scrollTop,
    width: ui.scroll.clientWidth,
    height: ui.scroll.clientHeight,
    rowHeight,
  });

  const redraw = onNextFrame(() => {
    if (model === undefined || arrangement === undefined) return;
    palette ??= paletteOf(ui.root, host.theme.kind());
    paints ??= paintsOf(surface, palette);
    const v = viewport();
    fitSurface(surface, v.width, v.height);
    const frame = frameOf(model, v);
    const pressureClass = Math.max(0, shownClass);
    const caption = `${arrangement.shown} of ${model.registerCount} registers`;
    draw({
      surface,
      palette,
      paints,
      model,
      arrangement,
      viewport: v,
      frame,
      row,
      hover,
      selected,
      pressureClass,
      caption,
    });
    if (contentCame < 0) return;
    const milliseconds = performance.now() - contentCame;
    contentCame = -1;
    host.post({ type: 'painted', milliseconds });
  });

  function resize(): void {
    if (model === undefined || arrangement === undefined) return;
    const size = contentSize(model, arrangement, frameOf(model, viewport()), rowHeight);
    ui.spacer.style.width = `${Math.ceil(size.width)}px`;
    ui.spacer.style.height = `${Math.ceil(size.height)}px`;
    redraw();
  }

  function rearrange(): void {
    if (model === undefined) return;
    arrangement = arrange(model, order, { shownClass, text: filterText });
    if (selected >= 0 && arrangement.column[selected] < 0) selected = -1;
    ui.matches.textContent = filterText === '' ? '' : `${arrangement.shown} found`;
    hover = undefined;
    resize();
  }

  function zoomTo(wanted: number, y: number): void {
    if (model === undefined) return;
    const next = zoomed(viewport(), model.count, wanted, y);
    rowHeight = next.rowHeight;
    resize();
    ui.scroll.scrollTop = next.scrollY;
    save();
  }

  function setRow(next: number, isOwnMove: boolean): void {
    if (model === undefined || next === row) return;
    row = next;
    if (row >= 0) ui.scroll.scrollTop = revealed(viewport(), row);
    showLive();
    if (isOwnMove) announce();
    redraw();
  }

  function announce(): void {
    clearTimeout(spokenTimer);
    spokenTimer = setTimeout(() => {
      if (model !== undefined) ui.spoken.textContent = rowAnnouncement(model, row, shownClass);
    }, 150);
  }

  function select(register: number): void {
    selected = register;
    if (model !== undefined && arrangement !== undefined && register >= 0) {
      const v = viewport();
      const frame = frameOf(model, v);
      const left = columnLeft(v, frame, arrangement.column[register]);
      if (left < frame.registers || left > v.width - 20)
        ui.scroll.scrollLeft = Math.max(0, ui.scroll.scrollLeft + left - (frame.registers + v.width) / 2);
      const facts = registerFacts(model, register).map(([name, text]) => `${name}: ${text}`);
      ui.spoken.textContent = `${model.view.registers.names[register]}. ${facts.join('. ')}`;
    }
    markSelected();
    redraw();
  }

  /** The table beside the picture: who is live in the current line. */
  const showLive = onNextFrame(() => {
    if (!isPanelShown || model === undefined) return;
    const current = model;
    if (row < 0) {
      ui.asideTitle.textContent = 'Live here';
      ui.asideText.textContent = 'Move the cursor into the function, or pick a line with the arrow keys.';
      ui.asideTable.hidden = true;
      ui.asideRows.replaceChildren();
      ui.asideRest.textContent = '';
      return;
    }
    const rows = liveRows(current, row, shownClass);
    ui.asideTable.hidden = rows.length === 0;
    ui.asideTitle.textContent = `Line ${lineName(current, row)}`;
    const pressure = current.view.classes[Math.max(0, shownClass)];
    ui.asideText.textContent = pressure === undefined ? '' : liveWords(pressure, row);
    ui.asideRows.replaceChildren(
      ...rows.slice(0, MOST_ROWS).map(({ register, name, place, role }) => {
        const made = element(
          'tr',
          { 'data-register': `${register}` },
          element('td', { class: 'register' }, name),
          element('td', {}, place),
          element('td', {}, role),
        );
        made.addEventListener('click', () => select(register === selected ? -1 : register));
        return made;
      }),
    );
    ui.asideRest.textContent = rows.length > MOST_ROWS ? `and ${rows.length - MOST_ROWS} more` : '';
    markSelected();
  });

  function markSelected(): void {
    for (const line of ui.asideRows.rows)
      line.classList.toggle('is-selected', Number(line.dataset.register) === selected);
  }

  function applyPanel(): void {
    ui.aside.hidden = !isPanelShown;
    ui.panelButton.setAttribute('aria-pressed', `${isPanelShown}`);
    showLive();
    resize();
  }

  function setContent(view: LiveRangesView): void {
    const old = model;
    const isSameFunction = old?.view.name === view.name;
    const name = selected < 0 ? undefined : old?.view.registers.names[selected];
    const keptTop = isSameFunction ? anchorOf(viewport(), row) : undefined;
    model = modelOf(view);
    hover = undefined;
    selected = isSameFunction && name !== undefined ? view.registers.names.indexOf(name) : -1;
    ui.root.classList.remove('is-empty');
    ui.name.textContent = view.name;
    ui.summary.textContent = view.summary;
    ui.description.textContent = summaryWords(model);
    ui.scroll.setAttribute('aria-label', `Live ranges of ${view.name}`);
    const classes = view.classes.map(({ name: word }, k): readonly [string, string] => [`${k}`, word]);
    setChoices(ui.shownClass, [['-1', 'All classes'], ...classes]);
    if (shownClass >= view.classes.length) shownClass = -1;
    ui.shownClass.value = `${shownClass}`;
    ui.shownClass.hidden = view.classes.length < 2;
    row = rowOfLine(model, cursorLine);
    if (!isSameFunction) {
      ui.scroll.scrollTop = 0;
      ui.scroll.scrollLeft = 0;
    }
    rearrange();
    if (keptTop !== undefined && row >= 0) ui.scroll.scrollTop = row * rowHeight - keptTop;
    else if (row >= 0) ui.scroll.scrollTop = revealed(viewport(), row);
    showLive();
  }

  function receive(message: ToView<LiveRangesView>): void {
    switch (message.type) {
      case 'content':
        contentCame = performance.now();
        if (message.cursor !== undefined) cursorLine = message.cursor;
        setContent(message.content);
        break;
      case 'moved':
        if (model === undefined) break;
        model = { ...model, view: { ...model.view, line: message.line } };
        if (message.cursor !== undefined) cursorLine = message.cursor;
        setRow(rowOfLine(model, cursorLine), false);
        redraw();
        break;
      case 'cursor':
        cursorLine = message.line;
        if (model !== undefined) setRow(rowOfLine(model, cursorLine), false);
        break;
      case 'empty':
        model = undefined;
        ui.empty.textContent = message.message;
        ui.root.classList.add('is-empty');
        break;
    }
  }

  function hoverAt(event: MouseEvent): void {
    if (model === undefined || arrangement === undefined) return;
    const v = viewport();
    const box = ui.scroll.getBoundingClientRect();
    const found = hitAt(
      model,
      arrangement,
      v,
      frameOf(model, v),
      event.clientX - box.left,
      event.clientY - box.top,
    );
    if (found.row === hover?.row && found.register === hover.register && found.part === hover.part) return;
    hover = found;
    ui.scroll.classList.toggle('can-pick', found.row >= 0);
    redraw();
    if (found.register >= 0) {
      const title = element('div', { class: 'name' }, model.view.registers.names[found.register]);
      showTooltip(
        ui.tooltip,
        event.clientX,
        event.clientY,
        title,
        factTable(registerFacts(model, found.register)),
      );
    } else if (found.part === 'pressure' && found.row >= 0)
      showTooltip(ui.tooltip, event.clientX, event.clientY, rowWords(model, found.row, shownClass));
    else ui.tooltip.hidden = true;
  }

  ui.scroll.addEventListener('scroll', () => {
    ui.tooltip.hidden = true;
    redraw();
  });
  ui.scroll.addEventListener('mousemove', hoverAt);
  ui.scroll.addEventListener('mouseleave', () => {
    hover = undefined;
    ui.tooltip.hidden = true;
    redraw();
  });
  ui.scroll.addEventListener('click', (event) => {
    hoverAt(event);
    if (model === undefined || hover === undefined || hover.row < 0) return;
    if (hover.part === 'registers') select(hover.register);
    setRow(hover.row, false);
    host.post({ type: 'goTo', line: lineOfRow(model, hover.row) });
  });
  ui.scroll.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const y = event.clientY - ui.scroll.getBoundingClientRect().top;
      zoomTo(rowHeight * Math.exp(-event.deltaY * (event.deltaMode === 0 ? 0.004 : 0.1)), y);
    },
    { passive: false },
  );
  ui.filter.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' && event.key !== 'Enter') return;
    if (event.key === 'Escape') {
      ui.filter.value = '';
      filterText = '';
      rearrange();
    }
    ui.scroll.focus();
  });
  ui.root.addEventListener('keydown', (event) => {
    if (event.key === '/' && event.target !== ui.filter) {
      event.preventDefault();
      ui.filter.focus();
    }
  });
  ui.scroll.addEventListener('keydown', (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actionOf(event.key);
    if (action === undefined || model === undefined) return;
    event.preventDefault();
    const page = Math.max(1, Math.floor((ui.scroll.clientHeight - 60) / rowHeight));
    switch (action.kind) {
      case 'row':
        setRow(stepped(row, action.step, page, model.count), true);
        break;
      case 'register': {
        const live =
          row < 0
            ? []
            : liveDuring(model, row, shownClass).filter((r) => (arrangement?.column[r] ?? -1) >= 0);
        live.sort((a, b) => (arrangement?.column[a] ?? 0) - (arrangement?.column[b] ?? 0));
        if (live.length > 0) {
          const at = live.indexOf(selected);
          select(live[at < 0 ? 0 : (at + action.by + live.length) % live.length]);
        }
        break;
      }
      case 'goTo':
        if (row >= 0) host.post({ type: 'goTo', line: lineOfRow(model, row) });
        break;
      case 'zoom':
        zoomTo(
          action.factor === 0 ? fitRow(model.count, ui.scroll.clientHeight) : rowHeight * action.factor,
          60,
        );
        break;
      case 'clear':
        select(-1);
        break;
    }
  });
  host.theme.onChange(() => {
    palette = undefined;
    paints = undefined;
    redraw();
  });
  new ResizeObserver(resize).observe(ui.scroll);
  applyPanel();
  host.onMessage(receive);
  host.post({ type: 'ready' });
}

/** Rows of the table that are shown; a person reads no more of them. */
const MOST_ROWS = 300;

/** Where the current row stands on the screen, if it is visible. */
function anchorOf({ scrollY, height, rowHeight }: Viewport, row: number): number | undefined {
  const top = row * rowHeight - scrollY;
  return row >= 0 && top >= 0 && top < height ? top : undefined;
}

function rememberedIn(state: unknown): { order: Order; rowHeight: number; panel: boolean } {
  const known = typeof state === 'object' && state !== null ? (state as Record<string, unknown>) : {};
  const { order, rowHeight, panel } = known;
  return {
    order: order === 'definition' || order === 'place' ? order : 'packed',
    rowHeight: typeof rowHeight === 'number' && rowHeight > 0 && rowHeight < 100 ? rowHeight : 18,
    panel: panel !== false,
  };
}
