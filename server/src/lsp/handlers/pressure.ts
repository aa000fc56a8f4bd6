import { ErrorCodes, ResponseError } from 'vscode-languageserver';
import { pressureLines } from '../../features/pressure-lines.js';
import { nextSite, siteKinds } from '../../features/pressure-sites.js';
import { NextSiteRequest, PressureRequest } from '../protocol.js';
import { documentRequest, type Session } from '../session.js';

/** The pressure on the lines, and the way to its peaks and to what is spilled. */
export function registerPressure(session: Session): void {
  const { connection, analysis } = session;
  connection.onRequest(
    PressureRequest,
    documentRequest(session, 'pressure', async ({ document, params }) => {
      if ((await analysis.settled(document)) === 'stale') return null;
      const known = Array.isArray(params.known) ? params.known : [];
      return { functions: pressureLines(document, new Set(known)) };
    }),
  );
  connection.onRequest(
    NextSiteRequest,
    documentRequest(session, 'nextSite', async ({ document, encoder, params }) => {
      const { position, kind, direction } = params;
      if (!siteKinds.includes(kind))
        throw new ResponseError(
          ErrorCodes.InvalidParams,
          `nextSite: kind must be one of ${siteKinds.join(', ')}`,
        );
      if ((await analysis.settled(document)) === 'stale') return null;
      const at = encoder.fromClient(position ?? { line: 0, character: 0 });
      const site = nextSite(document, at, kind, direction === 'previous' ? 'previous' : 'next');
      return site === undefined ? null : { ...site, range: encoder.rangeToClient(site.range) };
    }),
  );
}
