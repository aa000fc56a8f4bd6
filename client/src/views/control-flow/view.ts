import type { ControlFlowView } from '../../../../server/src/features/views/data.js';
import type { Host, ToView } from '../host.js';
import { fitSurface, onNextFrame, surfaceOf } from '../shared/canvas.js';
import { element, factTable } from '../shared/elements.js';
import { paletteOf, type Palette } from '../shared/palette.js';
import { showTooltip } from '../shared/tooltip.js';
import {
  blockAt,
  fitted,
  openingOf,
  revealing,
  stepFrom,
  zoomedAt,
  type Camera,
  type Direction,
  type Stage,
} from './camera.js';
import { draw } from './draw.js';
import { furnish } from './furniture.js';
import {
  blockFacts,
  blockName,
  blockOfLine,
  blockWords,
  graphOf,
  lineWords,
  peakOf,
  summaryWords,
  type Graph,
} from './graph.js';
import type { Layout } from './layout.js';
import { layoutLater, type PendingLayout } from './layouts.js';
import { inTextOrder } from './text-order.js';

/** Shows the control flow of a function inside `parent`, in any page that has a host for it. */
export function showControlFlow(parent: HTMLElement, host: Host<ControlFlowView>): void {
  const remembered = host.memory.load();
  let isPanelShown =
    typeof remembered === 'object' &&
    remembered !== null &&
    'panel' in remembered &&
    remembered.panel === true;
  let graph: Graph | undefined;
  let layout: Layout | undefined;
  let camera: Camera = { x: 0, y: 0, scale: 1 };
  /** Whether somebody has moved or zoomed the picture: then a new layout does not. */
  let isMoved = false;
  let pending: PendingLayout | undefined;
  let cursorLine = -1;
  let current = -1;
  let cameFrom = -1;
  let hover = -1;
  let palette: Palette | undefined;
  let contentCame = -1;

  const ui = furnish({
    zoom: (factor) => zoom(factor, ui.stage.clientWidth / 2, ui.stage.clientHeight / 2),
    fit,
    togglePanel: () => {
      isPanelShown = !isPanelShown;
      host.memory.save({ panel: isPanelShown });
      applyPanel();
    },
  });
  parent.append(ui.root);
  const surface = surfaceOf(ui.canvas);
  const stage = (): Stage => ({ width: ui.stage.clientWidth, height: ui.stage.clientHeight });

  const redraw = onNextFrame(() => {
    if (graph === undefined || layout === undefined) return;
    palette ??= paletteOf(ui.root, host.theme.kind());
    fitSurface(surface, ui.stage.clientWidth, ui.stage.clientHeight);
    draw({ surface, palette, graph, layout, camera, current, hover });
    if (contentCame < 0) return;
    const milliseconds = performance.now() - contentCame;
    contentCame = -1;
    host.post({ type: 'painted', milliseconds });
  });

  function zoom(factor: number, x: number, y: number): void {
    camera = zoomedAt(camera, stage(), camera.scale * factor, x, y);
    isMoved = true;
    redraw();
  }

  function fit(): void {
    if (layout !== undefined) camera = fitted(layout, stage());
    isMoved = true;
    redraw();
  }

  function reveal(): void {
    if (graph !== undefined && layout !== undefined && current >= 0)
      camera = revealing(graph, layout, camera, stage(), current);
    redraw();
  }

  function setCurrent(b: number): void {
    if (graph === undefined || b === current) return;
    cameFrom = current;
    current = b;
    markRow();
    reveal();
  }

  function applyPanel(): void {
    ui.aside.hidden = !isPanelShown;
    ui.panelButton.setAttribute('aria-pressed', `${isPanelShown}`);
    showTable();
    redraw();
  }

  function showTable(): void {
    if (!isPanelShown || graph === undefined) return;
    const shown = graph;
    ui.rows.replaceChildren(
      ...shown.blocks.slice(0, MOST_ROWS).map((block, b) => {
        const ways = shown.out[b].map((e) => blockName(shown, shown.edges[e].to)).join(', ');
        const live = `${block.entry[0] ?? 0} → ${block.exit[0] ?? 0}, peak ${peakOf(block)}`;
        const row = element(
          'tr',
          { tabindex: '-1' },
          element('td', { class: 'register' }, blockName(shown, b)),
          element('td', {}, lineWords(shown, block).replace(/^lines? /, '')),
          element('td', {}, live),
          element('td', {}, ways === '' ? '–' : ways),
        );
        row.addEventListener('click', () => {
          setCurrent(b);
          goTo(b);
        });
        return row;
      }),
    );
    ui.rest.textContent =
      shown.blocks.length > MOST_ROWS ? `and ${shown.blocks.length - MOST_ROWS} more blocks` : '';
    markRow();
  }

  function markRow(): void {
    Array.from(ui.rows.rows).forEach((row, b) => {
      row.classList.toggle('is-selected', b === current);
      if (b === current) row.setAttribute('aria-current', 'true');
      else row.removeAttribute('aria-current');
    });
  }

  function goTo(b: number): void {
    const block = graph?.blocks[b];
    if (graph === undefined || block === undefined || block.firstLine < 0) return;
    host.post({ type: 'goTo', line: graph.view.line + block.firstLine });
  }

  function setContent(view: ControlFlowView): void {
    const isSame = graph !== undefined && graph.view.name === view.name;
    const isSameShape =
      isSame && graph !== undefined && layout !== undefined && sameShape(graph, graphOf(view));
    graph = graphOf(view);
    const laidOut = graph;
    hover = -1;
    ui.tooltip.hidden = true;
    ui.root.classList.remove('is-empty');
    ui.name.textContent = view.name;
    ui.summary.textContent = view.summary;
    ui.description.textContent = summaryWords(graph);
    ui.stage.setAttribute('aria-label', `Control flow of ${view.name}`);
    current = blockOfLine(graph, cursorLine);
    showTable();
    if (isSameShape) {
      redraw();
      return;
    }
    pending?.cancel();
    if (!isSame) isMoved = false;
    const show = (next: Layout, isFirst: boolean): void => {
      layout = next;
      if (!isMoved || isFirst) camera = openingOf(next, stage());
      reveal();
    };
    const isFirst = !isSame || layout === undefined;
    const isLarge = graph.blocks.length > AT_ONCE;
    const waits = isLarge ? `Laying out ${graph.blocks.length} blocks …` : '';
    // what takes a moment is shown in the order of the text meanwhile
    if (isLarge || layout === undefined || layout.x.length !== graph.blocks.length)
      show(inTextOrder(graph, depthsOf(graph)), isFirst);
    ui.note.textContent = waits;
    pending = layoutLater(
      graph,
      (next) => {
        if (graph !== laidOut) return;
        ui.note.textContent = '';
        show(next, isFirst && !isMoved);
      },
      (why) => {
        if (graph !== laidOut) return;
        ui.note.textContent = `Blocks in the order of the text: ${why}`;
        show(inTextOrder(laidOut, depthsOf(laidOut)), false);
      },
    );
  }

  function receive(message: ToView<ControlFlowView>): void {
    switch (message.type) {
      case 'content':
        contentCame = performance.now();
        if (message.cursor !== undefined) cursorLine = message.cursor;
        setContent(message.content);
        break;
      case 'moved':
        if (graph === undefined) break;
        graph = { ...graph, view: { ...graph.view, line: message.line } };
        if (message.cursor !== undefined) cursorLine = message.cursor;
        setCurrent(blockOfLine(graph, cursorLine));
        showTable();
        redraw();
        break;
      case 'cursor':
        cursorLine = message.line;
        if (graph !== undefined) setCurrent(blockOfLine(graph, cursorLine));
        break;
      case 'empty':
        pending?.cancel();
        graph = undefined;
        layout = undefined;
        ui.empty.textContent = message.message;
        ui.root.classList.add('is-empty');
        break;
    }
  }

  const place = (event: MouseEvent): readonly [number, number] => {
    const box = ui.stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const underPointer = (event: MouseEvent): number =>
    graph === undefined || layout === undefined
      ? -1
      : blockAt(graph, layout, camera, stage(), ...place(event));

  let dragged: { readonly x: number; readonly y: number; moved: boolean } | undefined;
  ui.stage.addEventListener('pointerdown', (event) => {
    if (event.button > 1) return;
    dragged = { x: event.clientX, y: event.clientY, moved: false };
  });
  ui.stage.addEventListener('pointermove', (event) => {
    if (dragged !== undefined && event.buttons !== 0) {
      const [dx, dy] = [event.clientX - dragged.x, event.clientY - dragged.y];
      if (!dragged.moved && Math.hypot(dx, dy) < 4) return;
      if (!dragged.moved) ui.stage.setPointerCapture(event.pointerId);
      camera = { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale };
      dragged = { x: event.clientX, y: event.clientY, moved: true };
      isMoved = true;
      ui.tooltip.hidden = true;
      redraw();
      return;
    }
    const found = underPointer(event);
    if (found === hover) return;
    hover = found;
    ui.stage.classList.toggle('can-pick', found >= 0);
    if (graph === undefined || found < 0) ui.tooltip.hidden = true;
    else {
      const title = element('div', { class: 'name' }, blockName(graph, found));
      showTooltip(ui.tooltip, event.clientX, event.clientY, title, factTable(blockFacts(graph, found)));
    }
    redraw();
  });
  ui.stage.addEventListener('pointerup', (event) => {
    const wasMoved = dragged?.moved === true;
    dragged = undefined;
    const found = underPointer(event);
    if (wasMoved || found < 0) return;
    setCurrent(found);
    goTo(found);
  });
  ui.stage.addEventListener('pointerleave', () => {
    hover = -1;
    ui.tooltip.hidden = true;
    redraw();
  });
  ui.stage.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const unit = event.deltaMode === 0 ? 1 : 32;
      if (event.ctrlKey || event.metaKey) {
        zoom(Math.exp(-event.deltaY * unit * 0.004), ...place(event));
        return;
      }
      const [dx, dy] = event.shiftKey ? [event.deltaY, event.deltaX] : [event.deltaX, event.deltaY];
      camera = {
        ...camera,
        x: camera.x + (dx * unit) / camera.scale,
        y: camera.y + (dy * unit) / camera.scale,
      };
      isMoved = true;
      ui.tooltip.hidden = true;
      redraw();
    },
    { passive: false },
  );
  ui.stage.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || graph === undefined || layout === undefined) return;
    const direction = event.key === 'ArrowDown' && event.shiftKey ? 'taken' : directions[event.key];
    if (direction !== undefined) {
      setCurrent(stepFrom(graph, layout, current, direction, cameFrom));
      if (current >= 0) ui.spoken.textContent = blockWords(graph, current);
    } else if (event.key === 'Enter') goTo(current);
    else if (event.key === '+' || event.key === '=')
      zoom(1.3, ui.stage.clientWidth / 2, ui.stage.clientHeight / 2);
    else if (event.key === '-') zoom(1 / 1.3, ui.stage.clientWidth / 2, ui.stage.clientHeight / 2);
    else if (event.key === '0') fit();
    else return;
    event.preventDefault();
  });
  host.theme.onChange(() => {
    palette = undefined;
    redraw();
  });
  new ResizeObserver(() => {
    if (!isMoved && layout !== undefined) camera = openingOf(layout, stage());
    reveal();
  }).observe(ui.stage);
  applyPanel();
  host.onMessage(receive);
  host.post({ type: 'ready' });
}

/** Rows of the table that are shown. */
const MOST_ROWS = 1000;
/** Graphs of more blocks take long enough to say so. */
const AT_ONCE = 80;

const directions: Readonly<Record<string, Direction>> = {
  ArrowDown: 'down',
  ArrowUp: 'up',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'first',
  End: 'last',
};

const depthsOf = ({ blocks }: Graph): number[] => blocks.map(({ loopDepth }) => loopDepth);

/** Whether the layout of one is that of the other: an edit inside a block moves nothing. */
const sameShape = (a: Graph, b: Graph): boolean =>
  JSON.stringify([a.edges, a.sizes]) === JSON.stringify([b.edges, b.sizes]);
