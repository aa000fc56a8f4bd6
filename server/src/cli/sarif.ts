/** SARIF 2.1.0 (OASIS standard, https://docs.oasis-open.org/sarif/sarif/v2.1.0/), as code scanning services read it. */
import type * as data from '../features/data.js';
import { documentationLink } from '../lsp/documentation.js';
import { codes, isCode } from '../text/codes.js';
import type { Severity } from '../text/problem.js';
import type { Range } from '../text/span.js';
import { version } from '../workspace/version.js';
import type { CheckedFile } from './checked.js';

const levels: Readonly<Record<Severity, string>> = {
  error: 'error',
  warning: 'warning',
  information: 'note',
  hint: 'note',
};

/** A log of one run. `rules` in the order that `ruleIndex` of the results counts in. */
export function sarifLog(rules: readonly object[], results: readonly object[]): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Spillway', semanticVersion: version, rules } },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

export function sarif(files: readonly CheckedFile[]): string {
  const pages = new Map(
    files.flatMap(({ items }) => items.map(({ code, documentation }) => [code, documentation] as const)),
  );
  const ids = [...pages.keys()].sort();
  return sarifLog(
    ids.map((id) => rule(id, pages.get(id) ?? '')),
    files.flatMap(({ path, items }) =>
      items.map((item) => ({
        ruleId: item.code,
        ruleIndex: ids.indexOf(item.code),
        level: levels[item.severity],
        message: { text: item.message },
        locations: [location(path, item.range)],
        ...related(path, item),
      })),
    ),
  );
}

/** `helpUri` is the page beside the installed program. */
function rule(id: string, page: string): object {
  const helpUri = documentationLink(page);
  return {
    id,
    shortDescription: { text: isCode(id) ? codes[id] : 'A fault in Spillway itself' },
    ...(helpUri === undefined ? {} : { helpUri }),
  };
}

function location(path: string, range: Range, id?: number, message?: string): object {
  return {
    ...(id === undefined ? {} : { id }),
    physicalLocation: {
      artifactLocation: { uri: uriReference(path) },
      region: {
        startLine: range.start.line + 1,
        startColumn: range.start.character + 1,
        endLine: range.end.line + 1,
        endColumn: range.end.character + 1,
      },
    },
    ...(message === undefined ? {} : { message: { text: message } }),
  };
}

const related = (path: string, item: data.Diagnostic): object =>
  item.related.length === 0
    ? {}
    : {
        relatedLocations: item.related.map(({ location: { range }, message }, i) =>
          location(path, range, i + 1, message),
        ),
      };

/** A path as a relative URI reference; absolute ones as file URIs. */
export function uriReference(path: string): string {
  const encoded = path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  if (path.startsWith('/')) return `file://${encoded}`;
  return encoded.startsWith('./') ? encoded.slice(2) : encoded;
}
