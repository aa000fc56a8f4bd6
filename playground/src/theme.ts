/** Colours of the editor: its own light and dark, with colours for what the server's semantic tokens tell apart. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import type { Theme } from '../../client/src/views/host.js';

type Kind = 'light' | 'dark';

/** By token type: on light, on dark. */
const colours: Readonly<Record<string, readonly [string, string]>> = {
  comment: ['5f6f5f', '7f9f7f'],
  macro: ['8250a8', 'c586e0'],
  keyword: ['1a4fb4', '6fb3ff'],
  modifier: ['3b6ea8', '8fb8dd'],
  type: ['1d7a78', '4ec9b0'],
  number: ['0d6b4a', 'b5cea8'],
  string: ['a31515', 'ce9178'],
  operator: ['3b3b3b', 'cccccc'],
  variable: ['24292f', '9cdcfe'],
  label: ['9a5b00', 'e2b05a'],
  function: ['795e26', 'dcdcaa'],
  parameter: ['5a3e85', 'c8b6ff'],
  interface: ['1d7a78', '4ec9b0'],
  enumMember: ['0d6b8a', '4fc1ff'],
};

/** What the views use beside the editor's own colours. */
const common: Readonly<Record<Kind, monaco.editor.IColors>> = {
  light: {
    focusBorder: '#005fb8',
    descriptionForeground: '#5c5c5c',
    'button.secondaryBackground': '#e6e7ea',
    'button.secondaryForeground': '#2b2d31',
    'button.secondaryHoverBackground': '#d9dadf',
    'list.activeSelectionBackground': '#d6e6f7',
    'list.activeSelectionForeground': '#1b1c1e',
  },
  dark: { focusBorder: '#4daafc', descriptionForeground: '#a3a3a3' },
};

export interface PageTheme extends Theme {
  /** From light to dark or back; remembered. */
  change(): void;
}

/** Takes what was chosen here before, else what the reader's system prefers, now and later. */
export function pageTheme(): PageTheme {
  const rulesOf = (column: 0 | 1): monaco.editor.ITokenThemeRule[] =>
    Object.entries(colours).map(([token, pair]) => ({ token, foreground: pair[column] }));
  monaco.editor.defineTheme('spillway-light', {
    base: 'vs',
    inherit: true,
    colors: common.light,
    rules: rulesOf(0),
  });
  monaco.editor.defineTheme('spillway-dark', {
    base: 'vs-dark',
    inherit: true,
    colors: common.dark,
    rules: rulesOf(1),
  });
  const system = matchMedia('(prefers-color-scheme: dark)');
  const listeners: (() => void)[] = [];
  const chosen = (): string | null => localStorage.getItem('theme');
  const kind = (): Kind => {
    const known = chosen();
    return known === 'light' || known === 'dark' ? known : system.matches ? 'dark' : 'light';
  };
  const apply = (): void => {
    monaco.editor.setTheme(`spillway-${kind()}`);
    document.documentElement.style.colorScheme = kind();
    document.documentElement.classList.toggle('vscode-dark', kind() === 'dark');
    // the style sheet of the new colours is there after the next frame
    requestAnimationFrame(() => listeners.forEach((listener) => listener()));
  };
  system.addEventListener('change', apply);
  apply();
  return {
    kind,
    onChange: (handler) => void listeners.push(handler),
    change() {
      localStorage.setItem('theme', kind() === 'dark' ? 'light' : 'dark');
      apply();
    },
  };
}
