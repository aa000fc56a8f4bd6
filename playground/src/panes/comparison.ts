/** The figures of the function at the cursor under other targets and limits; a row that is chosen becomes the setting. */
import { CancellationTokenSource, ProgressType } from 'vscode-languageserver-protocol/browser';
import type { Comparison } from '../../../server/src/features/compare-data.js';
import { comparisonMarkdown, comparisonText } from '../../../server/src/features/compare-text.js';
import type { ComparisonPart } from '../../../server/src/lsp/protocol.js';
import type { FromTable, ToTable } from '../../../client/src/views/compare/data.js';
import { showComparison } from '../../../client/src/views/compare/view.js';
import { later, parametersOf, type Pane, type Surroundings } from './pane.js';

/** Milliseconds after an edit or another setting until the table is made again. */
const PAUSE = 400;
const rowsOf = new ProgressType<ComparisonPart>();

export function comparisonPane(
  { connection, place, tell }: Surroundings,
  choose: (settings: Comparison['rows'][number]['settings']) => void,
): Pane {
  let handler: ((message: ToTable) => void) | undefined;
  let shown: Comparison | undefined;
  let running: CancellationTokenSource | undefined;
  let questions = 0;
  let isSeen = false;
  const soon = later(() => void (isSeen && compare()));

  async function compare(): Promise<void> {
    running?.cancel();
    const mine = (running = new CancellationTokenSource());
    const partialResultToken = `comparison ${++questions}`;
    let rows = 0;
    const progress = connection.onProgress(rowsOf, partialResultToken, (part) => {
      rows += part.rows.length;
      handler?.({ type: 'comparing', function: shown?.function ?? '', rows });
    });
    const answer = await connection
      .sendRequest<Comparison | null>(
        'spillway/compareTargets',
        { ...parametersOf(place()), partialResultToken },
        mine.token,
      )
      // the text has changed meanwhile: the next question is on its way
      .catch(() => undefined);
    progress.dispose();
    if (mine.token.isCancellationRequested || answer === undefined) return;
    shown = answer ?? undefined;
    handler?.(
      answer === null
        ? { type: 'empty', message: 'There is no function here whose targets could be compared.' }
        : { type: 'comparison', content: answer },
    );
  }

  function receive(message: FromTable): void {
    if (shown === undefined || message.type === 'ready') return;
    if (message.type === 'choose') choose(shown.rows.at(message.row)?.settings ?? {});
    else {
      const text = message.format === 'text' ? comparisonText(shown) : comparisonMarkdown(shown);
      void navigator.clipboard.writeText(text).then(
        () => tell('The table is in the clipboard.'),
        () => tell('This page may not write to the clipboard.'),
      );
    }
  }

  return {
    id: 'comparison',
    title: 'Compare targets',
    draw: (parent) => showComparison(parent, { post: receive, onMessage: (given) => (handler = given) }),
    see(seen) {
      isSeen = seen;
      if (seen) soon(0);
      else running?.cancel();
    },
    changed: () => soon(PAUSE),
    // most movements stay in the function, whose table is made once
    cursorMoved: () => soon(PAUSE),
  };
}
