import type { ThemeKind } from '../host.js';

/** Colours for drawing on a canvas, read from the CSS variables of the theme; patterns carry what colours do as well. */
export interface Palette {
  readonly kind: ThemeKind;
  readonly isHighContrast: boolean;
  readonly background: string;
  readonly foreground: string;
  readonly faint: string;
  readonly rule: string;
  readonly lineNumber: string;
  readonly activeLineNumber: string;
  readonly currentRow: string;
  readonly currentRowBorder: string;
  readonly hoveredRow: string;
  readonly focus: string;
  /** By register class, in turn. */
  readonly classes: readonly string[];
  readonly spill: string;
  readonly limit: string;
  readonly step: string;
  readonly written: string;
  readonly compiled: string;
  readonly good: string;
  readonly font: string;
  readonly codeFont: string;
}

interface Fallback {
  readonly light: string;
  readonly dark: string;
}

const either = (light: string, dark: string): Fallback => ({ light, dark });

const fallbacks = {
  background: either('#ffffff', '#1f1f1f'),
  foreground: either('#3b3b3b', '#cccccc'),
  blue: either('#1a5fb4', '#4daafc'),
  purple: either('#8250a8', '#c586e0'),
  green: either('#2f7d32', '#6fc276'),
  orange: either('#b35900', '#e2a05a'),
  red: either('#c72e2e', '#f48771'),
  yellow: either('#8a6100', '#e5c07b'),
} as const;

export function paletteOf(element: Element, kind: ThemeKind): Palette {
  const style = getComputedStyle(element);
  const isDark = kind === 'dark' || kind === 'highContrast';
  const isHighContrast = kind === 'highContrast' || kind === 'highContrastLight';
  const read = (names: readonly string[], otherwise: Fallback | string): string => {
    for (const name of names) {
      const value = style.getPropertyValue(`--vscode-${name}`).trim();
      if (value !== '') return value;
    }
    return typeof otherwise === 'string' ? otherwise : isDark ? otherwise.dark : otherwise.light;
  };
  const foreground = read(['editor-foreground', 'foreground'], fallbacks.foreground);
  const contrast = read(['contrastActiveBorder', 'focusBorder'], foreground);
  const classes = (['blue', 'purple', 'green', 'orange'] as const).map((name) =>
    isHighContrast ? fallbacks[name][isDark ? 'dark' : 'light'] : fallbacks[name][isDark ? 'dark' : 'light'],
  );
  return {
    kind,
    isHighContrast,
    background: read(['editor-background'], fallbacks.background),
    foreground,
    faint: read(['descriptionForeground'], isDark ? '#9d9d9d' : '#616161'),
    rule: isHighContrast
      ? read(['contrastBorder'], foreground)
      : read(['editorIndentGuide-background1', 'editorWidget-border'], isDark ? '#404040' : '#d3d3d3'),
    lineNumber: read(['editorLineNumber-foreground'], isDark ? '#6e7681' : '#6e7781'),
    activeLineNumber: read(['editorLineNumber-activeForeground'], foreground),
    currentRow: isHighContrast
      ? 'transparent'
      : read(['editor-selectionHighlightBackground'], isDark ? '#add6ff26' : '#add6ff80'),
    currentRowBorder: isHighContrast ? contrast : read(['focusBorder'], isDark ? '#0078d4' : '#005fb8'),
    hoveredRow: isHighContrast ? 'transparent' : isDark ? '#ffffff0d' : '#0000000a',
    focus: read(['focusBorder', 'contrastActiveBorder'], isDark ? '#0078d4' : '#005fb8'),
    classes,
    spill: fallbacks.orange[isDark ? 'dark' : 'light'],
    limit: fallbacks.red[isDark ? 'dark' : 'light'],
    step: fallbacks.green[isDark ? 'dark' : 'light'],
    written: read(['descriptionForeground'], isDark ? '#9d9d9d' : '#616161'),
    compiled: fallbacks.blue[isDark ? 'dark' : 'light'],
    good: fallbacks.green[isDark ? 'dark' : 'light'],
    font: read(['font-family'], 'system-ui, sans-serif'),
    codeFont: read(['editor-font-family'], 'monospace'),
  };
}

/** Two colours on one scale, for canvas styles: `color-mix` in sRGB. */
export const mixed = (colour: string, share: number, other = 'transparent'): string =>
  `color-mix(in srgb, ${colour} ${Math.round(share * 100)}%, ${other})`;
