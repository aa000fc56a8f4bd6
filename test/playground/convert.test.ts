import assert from 'node:assert/strict';
import type * as monaco from 'monaco-editor';
import type * as lsp from 'vscode-languageserver-protocol';
import {
  fromMarker,
  fromPosition,
  fromRange,
  toChange,
  toCodeAction,
  toCompletion,
  toFoldingRange,
  toHighlight,
  toInlayHint,
  toLocations,
  toMarkdown,
  toMarker,
  toRange,
  toSelectionRanges,
  toSignatureHelp,
  toSymbol,
  toWorkspaceEdit,
} from '../../playground/src/convert.js';

/** Stands for the editor's class of addresses, of which nothing is used but that it is made. */
const uriOf = (uri: string): monaco.Uri => ({ toString: () => uri }) as monaco.Uri;
const uriText = (uri: unknown): string => String(uri);

const range = (line: number, from: number, to = from): lsp.Range => ({
  start: { line, character: from },
  end: { line, character: to },
});

describe('shapes of the protocol and of the editor of the playground', () => {
  it('counts lines and columns from 1 in the editor', () => {
    const there = { startLineNumber: 3, startColumn: 1, endLineNumber: 3, endColumn: 5 };
    assert.deepEqual(toRange(range(2, 0, 4)), there);
    assert.deepEqual(fromRange(there), range(2, 0, 4));
    assert.deepEqual(fromPosition({ lineNumber: 1, column: 1 }), { line: 0, character: 0 });
  });

  it('sends changes as the editor makes them', () => {
    const change = { range: toRange(range(4, 2, 6)), text: 'x', rangeOffset: 40, rangeLength: 4 };
    assert.deepEqual(toChange({ ...change, forceMoveMarkers: false } as never), {
      range: range(4, 2, 6),
      text: 'x',
    });
  });

  it('takes texts in each of the forms that they come in', () => {
    assert.equal(toMarkdown(undefined).value, '');
    assert.equal(toMarkdown('a').value, 'a');
    assert.equal(toMarkdown({ kind: 'markdown', value: '**a**' }).value, '**a**');
    assert.equal(toMarkdown(['a', { language: 'ptx', value: 'b' }]).value, 'a\n\nb');
  });

  const spill: lsp.Diagnostic = {
    range: range(7, 2, 5),
    severity: 2,
    code: 'spill/register',
    codeDescription: { href: 'https://example.org/docs/diagnostics.html#spillregister' },
    message: '%f2 is spilled',
    tags: [1],
    relatedInformation: [{ location: { uri: 'playground:/1', range: range(9, 1) }, message: 'peak' }],
  };

  it('shows findings with their page, and knows them again', () => {
    const marker = toMarker(spill, uriOf('playground:/1'), uriOf);
    assert.equal(marker.severity, 4); // Warning
    assert.ok(typeof marker.code === 'object');
    assert.equal(marker.code.value, 'spill/register');
    assert.match(uriText(marker.code.target), /#spillregister$/);
    assert.equal(marker.relatedInformation?.[0].startLineNumber, 10);
    assert.deepEqual(marker.tags, [1]);
    const again = fromMarker(marker);
    assert.deepEqual(again.range, spill.range);
    assert.equal(again.code, spill.code);
    assert.equal(again.message, spill.message);
  });

  it('orders severities as the editor does', () => {
    const of = (severity?: lsp.DiagnosticSeverity): number =>
      toMarker(
        { range: range(0, 0), message: '', ...(severity !== undefined && { severity }) },
        uriOf('x'),
        uriOf,
      ).severity;
    assert.deepEqual([of(1), of(2), of(3), of(4), of()], [8, 4, 2, 1, 8]);
    assert.equal(
      fromMarker(toMarker({ range: range(0, 0), message: '', code: 7 }, uriOf('x'), uriOf)).code,
      '7',
    );
  });

  it('ties actions to the findings that they repair and to the version that they were made for', () => {
    const other = toMarker({ ...spill, range: range(8, 2, 5) }, uriOf('x'), uriOf);
    const mine = toMarker(spill, uriOf('x'), uriOf);
    const action: lsp.CodeAction = {
      title: 'Sink %r17 to its use: peak 71 → 68',
      kind: 'refactor.rewrite',
      isPreferred: true,
      diagnostics: [spill],
      edit: {
        documentChanges: [
          {
            textDocument: { uri: 'playground:/1', version: 4 },
            edits: [{ range: range(1, 0, 3), newText: 'y' }],
          },
        ],
      },
    };
    const made = toCodeAction(action, [other, mine], uriOf);
    assert.equal(made.title, action.title);
    assert.equal(made.isPreferred, true);
    assert.deepEqual(made.diagnostics, [mine]);
    const [edit] = made.edit?.edits ?? [];
    assert.ok(edit !== undefined && 'textEdit' in edit);
    assert.equal(edit.versionId, 4);
    assert.deepEqual(edit.textEdit, { range: toRange(range(1, 0, 3)), text: 'y' });
    const refused = toCodeAction({ title: 't', disabled: { reason: 'no use' } }, [], uriOf);
    assert.deepEqual(refused, { title: 't', disabled: 'no use' });
  });

  it('takes edits in both forms, and files that are not made here', () => {
    const changes = { 'playground:/1': [{ range: range(0, 0), newText: 'a' }] };
    assert.equal(toWorkspaceEdit({ changes }, uriOf).edits.length, 1);
    assert.equal(toWorkspaceEdit({ documentChanges: [{ kind: 'delete', uri: 'x' }] }, uriOf).edits.length, 0);
    assert.deepEqual(toWorkspaceEdit({}, uriOf).edits, []);
  });

  it('takes one place, several, and none', () => {
    const place = { uri: 'playground:/1', range: range(3, 1, 2) };
    assert.deepEqual(toLocations(null, uriOf), []);
    assert.deepEqual(
      toLocations(place, uriOf).map(({ range: found }) => found),
      [toRange(place.range)],
    );
    assert.deepEqual(
      toLocations([place, { ...place, uri: 'b' }], uriOf).map(({ uri }) => uriText(uri)),
      ['playground:/1', 'b'],
    );
  });

  it('takes kinds that count from another number', () => {
    assert.equal(toHighlight({ range: range(0, 0), kind: 3 }).kind, 2); // Write
    assert.equal(toHighlight({ range: range(0, 0) }).kind, 0); // Text
    const symbol = { name: 'f', kind: 12, range: range(0, 0, 9), selectionRange: range(0, 1, 2) } as const;
    const found = toSymbol({ ...symbol, children: [{ ...symbol, kind: 13 }] });
    assert.equal(found.kind, 11); // Function
    assert.equal(found.children?.[0].kind, 12); // Variable
    assert.equal(toCompletion({ label: 'mov', kind: 14 }, toRange(range(0, 0))).kind, 17); // Keyword
    assert.equal(toCompletion({ label: 'l' }, toRange(range(0, 0))).kind, 18); // Text
  });

  it('inserts completions where the server says, else at the word', () => {
    const word = toRange(range(2, 4, 6));
    assert.deepEqual(toCompletion({ label: 'add' }, word).range, word);
    const textEdit = { range: range(2, 0, 6), newText: '@p add' };
    const edited = toCompletion({ label: 'add', textEdit, insertTextFormat: 2 }, word);
    assert.deepEqual(edited.range, toRange(textEdit.range));
    assert.equal(edited.insertText, '@p add');
    assert.equal(edited.insertTextRules, 4);
    const both = { insert: range(2, 4, 5), replace: range(2, 4, 6), newText: 'add' };
    assert.deepEqual(toCompletion({ label: 'add', textEdit: both }, word).range, {
      insert: toRange(both.insert),
      replace: toRange(both.replace),
    });
  });

  it('keeps lines of folding, nesting of selections, parameters of signatures, and words of hints', () => {
    assert.deepEqual(toFoldingRange({ startLine: 0, endLine: 4, kind: 'comment' }), {
      start: 1,
      end: 5,
      kind: { value: 'comment' },
    });
    const outer = { range: range(0, 0, 9) };
    assert.deepEqual(
      toSelectionRanges({ range: range(0, 1, 2), parent: outer }).map((one) => one.range),
      [toRange(range(0, 1, 2)), toRange(outer.range)],
    );
    const help = toSignatureHelp({
      signatures: [
        { label: 'add d, a', parameters: [{ label: [4, 5], documentation: 'written' }, { label: 'a' }] },
      ],
      activeParameter: 1,
    });
    assert.equal(help.activeParameter, 1);
    assert.deepEqual(help.signatures[0].parameters[0].label, [4, 5]);
    assert.equal(help.signatures[0].parameters[1].label, 'a');
    const hint = toInlayHint({
      position: { line: 1, character: 8 },
      label: [{ value: 'stall ' }, { value: '35' }],
    });
    assert.deepEqual(hint.position, { lineNumber: 2, column: 9 });
    assert.deepEqual(hint.label, [{ label: 'stall ' }, { label: '35' }]);
  });
});
