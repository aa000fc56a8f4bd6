/** What the function at the cursor is compiled to, with what the compiler added marked; both cursors are kept together. */
import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js';
import {
  follow,
  lineLinks,
  type LineLinks,
  type LineRange,
} from '../../../client/src/views/compiled/links.js';
import type { CompiledCodeAnswer } from '../../../server/src/lsp/protocol.js';
import { COMPILED_LANGUAGE } from '../compiled-language.js';
import { uriOf } from '../providers/ask.js';
import { later, parametersOf, type Pane, type Surroundings } from './pane.js';

/** Milliseconds after an edit, and after a movement of the cursor into another function. */
const EDIT_PAUSE = 150;
const CURSOR_PAUSE = 40;

const linked: monaco.editor.IModelDecorationOptions = { isWholeLine: true, className: 'linked-line' };

interface Shown {
  readonly code: CompiledCodeAnswer;
  readonly links: LineLinks;
}

export function compiledPane(
  { connection, place }: Surroundings,
  source: monaco.editor.IStandaloneCodeEditor,
  options: monaco.editor.IStandaloneEditorConstructionOptions,
): Pane {
  let editor: monaco.editor.IStandaloneCodeEditor | undefined;
  let marks: monaco.editor.IEditorDecorationsCollection | undefined;
  let linkedHere: monaco.editor.IEditorDecorationsCollection | undefined;
  const linkedThere = source.createDecorationsCollection();
  let shown: Shown | undefined;
  let asked = 0;
  let isSeen = false;
  const soon = later(() => void (isSeen && ask()));
  connection.onNotification('spillway/compiledCodeChanged', () => soon(CURSOR_PAUSE));

  async function ask(): Promise<void> {
    const question = ++asked;
    const code = await connection
      .sendRequest<CompiledCodeAnswer | null>('spillway/compiledCode', {
        ...parametersOf(place()),
        text: true,
      })
      // the text has changed meanwhile: the next question is on its way
      .catch(() => undefined);
    if (code === undefined || question !== asked || editor === undefined) return;
    shown = code === null ? undefined : { code, links: lineLinks(code.links) };
    setText(editor, code);
    marks?.set((code?.marks ?? []).map(decorationOf));
    followSource();
  }

  /** The same function keeps its place in the window. */
  function setText(at: monaco.editor.IStandaloneCodeEditor, code: CompiledCodeAnswer | null): void {
    const uri = code === null ? uriOf('spillway-compiled:/none') : uriOf(code.uri);
    const text = code?.text ?? '// There is no function here that could be compiled.\n';
    const old = at.getModel();
    if (old?.uri.toString() === uri.toString()) {
      if (old.getValue() === text) return;
      const view = at.saveViewState();
      old.setValue(text);
      at.restoreViewState(view);
      return;
    }
    at.setModel(monaco.editor.createModel(text, COMPILED_LANGUAGE, uri));
    old?.dispose();
  }

  function followSource(): void {
    if (editor === undefined || shown === undefined || editor.hasTextFocus()) return;
    linkedThere.clear();
    lead(source, editor, shown.links, 'toCode', linkedHere);
  }

  function followCode(): void {
    if (editor?.hasTextFocus() !== true || shown === undefined) return;
    linkedHere?.clear();
    lead(editor, source, shown.links, 'toSource', linkedThere);
  }

  return {
    id: 'compiled',
    title: 'Compiled code',
    draw(parent) {
      editor = monaco.editor.create(parent, {
        ...options,
        model: null,
        readOnly: true,
        ariaLabel: 'Compiled code',
        lineNumbersMinChars: 3,
        folding: false,
        stickyScroll: { enabled: false },
        guides: { indentation: false },
      });
      marks = editor.createDecorationsCollection();
      linkedHere = editor.createDecorationsCollection();
      editor.onDidChangeCursorSelection(followCode);
    },
    see(seen) {
      isSeen = seen;
      if (seen) soon(0);
      else linkedThere.clear();
    },
    changed: () => soon(EDIT_PAUSE),
    cursorMoved() {
      const extent = shown?.code.extent;
      const { line } = place();
      if (extent === undefined || line < extent.start || line > extent.end) soon(CURSOR_PAUSE);
      else if (isSeen) followSource();
    },
  };
}

const decorationOf = ({
  line,
  start,
  end,
  kind,
  title,
}: CompiledCodeAnswer['marks'][number]): monaco.editor.IModelDeltaDecoration => ({
  range: new monaco.Range(line + 1, start + 1, line + 1, end + 1),
  options: { inlineClassName: `compiled-${kind}`, hoverMessage: { value: title } },
});

/** Shows in `to` what belongs to the selection of `from`, and moves the cursor there without the focus. */
function lead(
  from: monaco.editor.ICodeEditor,
  to: monaco.editor.ICodeEditor,
  links: LineLinks,
  direction: 'toCode' | 'toSource',
  decorations: monaco.editor.IEditorDecorationsCollection | undefined,
): void {
  const selected = (from.getSelections() ?? []).map(linesOf);
  const otherCursor = (to.getPosition()?.lineNumber ?? 1) - 1;
  const { highlighted, goTo } = follow(links, direction, selected, otherCursor);
  decorations?.set(
    highlighted.map(({ first, last }) => ({
      range: new monaco.Range(first + 1, 1, last + 1, 1),
      options: linked,
    })),
  );
  const model = to.getModel();
  if (goTo === undefined || model === null || goTo.last >= model.getLineCount()) return;
  const column = Math.max(1, model.getLineFirstNonWhitespaceColumn(goTo.first + 1));
  to.setPosition({ lineNumber: goTo.first + 1, column });
  to.revealLinesInCenterIfOutsideViewport(goTo.first + 1, goTo.last + 1);
}

/** A selection that ends at the start of a line does not reach into it. */
function linesOf(selection: monaco.Selection): LineRange {
  const { startLineNumber, endLineNumber, endColumn } = selection;
  const last = !selection.isEmpty() && endColumn === 1 ? endLineNumber - 1 : endLineNumber;
  return { first: startLineNumber - 1, last: Math.max(startLineNumber, last) - 1 };
}
