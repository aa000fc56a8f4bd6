/** The editor without the languages that the package brings; its types are those of the whole. */
declare module 'monaco-editor/esm/vs/editor/edcore.main.js' {
  export * from 'monaco-editor';
}
