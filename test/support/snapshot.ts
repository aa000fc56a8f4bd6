import type {
  BoundUnit,
  Declaration,
  Environment,
  Language,
  ParsedUnit,
} from '../../server/src/languages/language.js';
import type { Function } from '../../server/src/ir/function.js';
import type { Target } from '../../server/src/targets/target.js';
import { LineIndex } from '../../server/src/text/line-index.js';
import { defaultSettings, type Settings } from '../../server/src/workspace/settings.js';
import type { Snapshot, Unit } from '../../server/src/workspace/snapshot.js';

export interface SnapshotOptions {
  readonly uri?: string;
  readonly settings?: Settings;
}

/** A snapshot made from scratch, in the plainest way: the reference for the incremental store, and what feature tests use. */
export function snapshotOf(
  text: string,
  language: Language,
  target: Target,
  options: SnapshotOptions = {},
): Snapshot {
  const settings = options.settings ?? defaultSettings;
  const parsed: { start: number; end: number; unit: ParsedUnit }[] = [];
  for (let start = 0; start < text.length || parsed.length === 0;) {
    const end = text.length === 0 ? 0 : language.unitEnd(text, start);
    parsed.push({ start, end, unit: language.parse(text.slice(start, end)) });
    if (end >= text.length) break;
    start = end;
  }
  const byName = new Map<string, { index: number; declaration: Declaration }[]>();
  for (const [index, p] of parsed.entries())
    for (const declaration of p.unit.declares) {
      const list = byName.get(declaration.name);
      if (list === undefined) byName.set(declaration.name, [{ index, declaration }]);
      else list.push({ index, declaration });
    }
  const definition = (name: string): Function | undefined => {
    const defining = byName.get(name)?.find(({ declaration }) => declaration.isDefinition);
    const f = defining && units[defining.index].function;
    return f?.name === name ? f : undefined;
  };
  const units: Unit[] = parsed.map(({ start, end, unit }, index) => {
    const languageSettings = settings.languages[language.id] ?? {};
    const environment: Environment = {
      earlier: (name) =>
        (byName.get(name) ?? [])
          .filter((d) => d.index < index)
          .map((d) => d.declaration)
          .reverse()
          .slice(0, 8),
      later: (name) =>
        (byName.get(name) ?? [])
          .filter((d) => d.index > index)
          .map((d) => d.declaration)
          .slice(0, 8),
      names: () => [...byName].filter(([, list]) => list[0].index < index).map(([name]) => name),
      setting: (name) => languageSettings[name],
      isFirst: index === 0,
    };
    const bound = once((): BoundUnit => language.bind(unit, environment));
    const lowered = once(() => language.lower(bound()));
    const compilation = once(() => {
      const f = lowered();
      return f === undefined
        ? undefined
        : target.compile(f, settings.targets[target.id] ?? {}, { definition });
    });
    return {
      index,
      start,
      end,
      parsed: unit,
      environment,
      get bound() {
        return bound();
      },
      get function() {
        return lowered();
      },
      get compilation() {
        return compilation();
      },
      isCompiled: true,
      fault: undefined,
    };
  });
  return {
    uri: options.uri ?? 'file:///test.txt',
    version: 1,
    language,
    target,
    settings,
    text,
    lines: LineIndex.of(text),
    units,
    definition,
    unitAt: (offset) => units.findLast((u) => u.start <= offset) ?? units[0],
    declarations: (name) =>
      (byName.get(name) ?? []).map(({ index, declaration }) => ({ unit: units[index], declaration })),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
