import { ProgressType } from 'vscode-languageserver';
import { comparison } from '../../features/compare.js';
import { compiledNameAt, compiledUnit } from '../../features/compiled-code.js';
import { CompareTargetsRequest, type ComparisonPart } from '../protocol.js';
import { SLICE } from '../scheduling.js';
import { documentRequest, type Session } from '../session.js';

/** A compilation cannot be left in the middle: after one that took this long, in milliseconds, others come first. */
const LONG = 30;
/** Milliseconds without a message after which the next long one may begin. */
const SILENCE = 80;

const part = new ProgressType<ComparisonPart>();

/** What if: goes on in slices while the client is silent, and ends when the document changes or nobody wants it. */
export function registerCompare(session: Session): void {
  const { connection, queue } = session;

  const silent = async (): Promise<void> => {
    for (;;) {
      const before = queue.messages;
      await new Promise((resolve) => setTimeout(resolve, SILENCE));
      if (queue.messages === before) return;
    }
  };

  connection.onRequest(
    CompareTargetsRequest,
    documentRequest(session, 'compareTargets', async ({ document, encoder, params, isStale }) => {
      if ((await session.analysis.settled(document)) === 'stale') return null;
      const position = encoder.fromClient(params.position ?? { line: 0, character: 0 });
      const name = compiledNameAt(document, position);
      const unit = name === undefined ? undefined : compiledUnit(document, name);
      if (unit === undefined) return null;
      const steps = comparison(document, unit);
      let began = performance.now();
      for (;;) {
        const step = steps.next();
        if (step.done === true) return step.value ?? null;
        if (step.value !== undefined && params.partialResultToken !== undefined)
          void connection.sendProgress(part, params.partialResultToken, { rows: [step.value] });
        const took = performance.now() - began;
        if (took < SLICE) continue;
        await (took > LONG ? silent() : queue.drained());
        if (isStale()) return null;
        began = performance.now();
      }
    }),
  );
}
