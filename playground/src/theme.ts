/** Colours of the editor: its own light and dark, with colours for what the server's semantic tokens tell apart. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';

export type ThemeName = 'spillway-light' | 'spillway-dark';

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

const rulesOf = (column: 0 | 1): monaco.editor.ITokenThemeRule[] =>
  Object.entries(colours).map(([token, pair]) => ({ token, foreground: pair[column] }));

export function defineThemes(): void {
  const common = { inherit: true, colors: {} };
  monaco.editor.defineTheme('spillway-light', { ...common, base: 'vs', rules: rulesOf(0) });
  monaco.editor.defineTheme('spillway-dark', { ...common, base: 'vs-dark', rules: rulesOf(1) });
}

/** The one that the reader's system prefers. */
export const themeOf = (): ThemeName =>
  matchMedia('(prefers-color-scheme: dark)').matches ? 'spillway-dark' : 'spillway-light';
