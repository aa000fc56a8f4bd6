import type { RequestType } from 'vscode-languageserver';
import { controlFlowView } from '../../features/views/control-flow.js';
import type { FunctionView, SameView } from '../../features/views/data.js';
import { firstLineOf, idOf, shownFunction, type ShownFunction } from '../../features/views/function.js';
import { liveRangesView } from '../../features/views/live-ranges.js';
import type { Document } from '../../workspace/document.js';
import { ControlFlowRequest, LiveRangesRequest, type ViewParams } from '../protocol.js';
import { documentRequest, type Session } from '../session.js';

/** The pictures of a function. */
export function registerViews(session: Session): void {
  registerView(session, LiveRangesRequest, 'liveRanges', liveRangesView);
  registerView(session, ControlFlowRequest, 'controlFlow', controlFlowView);
}

function registerView<V extends FunctionView>(
  session: Session,
  request: RequestType<ViewParams, V | SameView | null, void>,
  name: string,
  view: (document: Document, shown: ShownFunction) => V,
): void {
  session.connection.onRequest(
    request.method,
    documentRequest<ViewParams, unknown>(session, name, async ({ document, encoder, params }) => {
      // where compiling takes long it goes on in slices, and nobody else waits for this picture
      const isSlow = document.target.compileInSteps !== undefined;
      if (isSlow && (await session.analysis.settled(document)) === 'stale') return null;
      const shown = shownFunction(document, {
        name: typeof params.function === 'string' ? params.function : undefined,
        position: params.position === undefined ? undefined : encoder.fromClient(params.position),
      });
      if (shown === undefined) return null;
      const id = idOf(shown.compilation);
      if (params.known === id) return { same: id, line: firstLineOf(document, shown.unit) };
      return view(document, shown);
    }),
  );
}
