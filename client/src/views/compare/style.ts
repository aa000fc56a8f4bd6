/** In the colours of the editor's theme. */
export const style = `
body { padding: 0 1em 1em; color: var(--vscode-editor-foreground); font: var(--vscode-font-size) var(--vscode-font-family); }
h1 { font-size: 1.25em; font-weight: 600; margin: 1em 0 0.2em; }
.summary, .state { color: var(--vscode-descriptionForeground); margin: 0.2em 0; }
.tools { margin: 0.8em 0; display: flex; flex-wrap: wrap; gap: 0.6em; align-items: center; }
button { color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground);
  border: 1px solid var(--vscode-button-border, transparent); padding: 0.25em 0.8em; border-radius: 2px; cursor: pointer; font: inherit; white-space: nowrap; }
button:hover { background: var(--vscode-button-secondaryHoverBackground); }
button:focus-visible, tr:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
table { border-collapse: collapse; }
th, td { text-align: right; padding: 0.2em 0.6em; white-space: nowrap; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child, .note { text-align: left; }
thead th { font-weight: 600; border-bottom: 1px solid var(--vscode-editorWidget-border, var(--vscode-contrastBorder)); }
.group th { text-align: left; padding-top: 0.9em; font-weight: 600; }
.group .verdict { font-weight: 400; color: var(--vscode-descriptionForeground); }
.row { cursor: pointer; }
.row:hover { background: var(--vscode-list-hoverBackground); outline: 1px dashed var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; }
.row:focus { background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); }
.best td { font-weight: 600; }
.row td:first-child::before { display: inline-block; width: 1.4em; content: ""; }
.row.best td:first-child::before { content: "★"; color: var(--vscode-charts-green); }
.now { border: 1px solid var(--vscode-badge-background); border-radius: 8px; padding: 0 0.5em; margin-left: 0.6em; font-size: 0.85em; font-weight: 400; }
.problem td { color: var(--vscode-disabledForeground); }
.note { color: var(--vscode-descriptionForeground); }
.row:focus .note { color: inherit; }
`;
