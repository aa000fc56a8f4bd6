/** The tabs beside the source, by the pattern of ARIA: one stop for the Tab key, arrows from tab to tab. */
import { element } from '../../client/src/views/shared/elements.js';
import type { Pane } from './panes/pane.js';

export interface Tabs {
  show(id: string): void;
}

export function showTabs(list: HTMLElement, room: HTMLElement, panes: readonly Pane[]): Tabs {
  const entries = panes.map((pane) => {
    const panel = element('div', {
      id: `${pane.id}-panel`,
      class: 'panel',
      role: 'tabpanel',
      'aria-label': pane.title,
      hidden: '',
    });
    const tab = element(
      'button',
      { type: 'button', id: `${pane.id}-tab`, role: 'tab', 'aria-controls': panel.id },
      pane.title,
    );
    list.append(tab);
    room.append(panel);
    return { pane, tab, panel, isDrawn: false };
  });

  function show(id: string): void {
    for (const entry of entries) {
      const isShown = entry.pane.id === id;
      entry.panel.hidden = !isShown;
      entry.tab.setAttribute('aria-selected', String(isShown));
      entry.tab.tabIndex = isShown ? 0 : -1;
      if (isShown && !entry.isDrawn) {
        entry.pane.draw(entry.panel);
        entry.isDrawn = true;
      }
      entry.pane.see(isShown);
    }
  }

  for (const { pane, tab } of entries) tab.addEventListener('click', () => show(pane.id));
  list.addEventListener('keydown', ({ key }) => {
    const at = entries.findIndex(({ tab }) => tab === document.activeElement);
    const to = nextTab(key, at, entries.length);
    if (to === undefined) return;
    show(entries[to].pane.id);
    entries[to].tab.focus();
  });
  return { show };
}

function nextTab(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
