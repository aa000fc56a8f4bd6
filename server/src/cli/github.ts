/** Commands of GitHub's runner, which turns them into annotations. */

export type GithubLevel = 'error' | 'warning' | 'notice';

/** One line. A property that is undefined is left out. */
export function annotation(
  level: GithubLevel,
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const given = Object.entries(properties).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${property(String(value))}`],
  );
  return `::${level} ${given.join(',')}::${data(message)}\n`;
}

/** The runner ends a message at a line break and decodes these escapes. */
const data = (value: string): string =>
  value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const property = (value: string): string => data(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
