import type { Language } from '../languages/language.js';
import type { Target, TargetOption } from '../targets/target.js';
import { codes, families, familyOf, isCode } from '../text/codes.js';
import type { Severity } from '../text/problem.js';
import { registry, type Pair } from './registry.js';

/** Settings of a document, resolved. The names are those of the `spillway.*` configuration section; docs and defaults stand in package.json. */
export interface Settings {
  readonly inlayHints: {
    readonly pressure: 'off' | 'peaks' | 'all';
    readonly stalls: boolean;
    /** Where the compiled program has an instruction, on machines that reorder them. */
    readonly places: boolean;
    readonly minimumStall: number;
  };
  readonly codeLens: boolean;
  readonly diagnostics: {
    /** Severity by diagnostic code or family (`stall/*`); `off` hides it. */
    readonly severity: Readonly<Record<string, Severity | 'off'>>;
    /** Most problems published for one file; the most severe are kept and the rest counted. */
    readonly maximum: number;
  };
  readonly format: { readonly enable: boolean };
  /** The real assembler, which is asked beside the model where there is one. */
  readonly ptx: {
    /** Path of ptxas, or its name on PATH; empty: it is not asked. */
    readonly ptxas: string;
    /** After a pause in typing, or only when the file is opened and saved. */
    readonly ptxasRuns: 'pause' | 'save';
    /** Seconds after which it is ended. */
    readonly ptxasTimeLimit: number;
  };
  /** Options by target id, as `Target.options` lists them: `{ nvidia: { arch: 'sm_90', maxRegisters: 64 } }`. */
  readonly targets: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  /** Options by language id, such as `{ ptx: { dialect: 'optix' } }`. */
  readonly languages: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
}

export const defaultSettings: Settings = {
  inlayHints: { pressure: 'peaks', stalls: true, places: true, minimumStall: 20 },
  codeLens: true,
  diagnostics: { severity: {}, maximum: 1000 },
  format: { enable: true },
  ptx: { ptxas: '', ptxasRuns: 'pause', ptxasTimeLimit: 20 },
  targets: {},
  languages: {},
};

/** What only clients act on: the server says no more of it than whether the value is right. */
const clientSettings: readonly (readonly [key: string, allowed: readonly string[]])[] = [
  ['pressureDecoration', ['off', 'gutter', 'background']],
  ['pressureScale', ['peak', 'limit']],
];

/** Settings and what was wrong in their source; wrong values keep their defaults. */
export interface ResolvedSettings {
  readonly settings: Settings;
  /** One sentence a fault, naming the key, the value and what is allowed. */
  readonly problems: readonly string[];
}

/**
 * Reads the `spillway` section of a configuration, or a configuration file: nested objects, dotted keys
 * (`"inlayHints.stalls"`) or both, with or without `spillway` around them or before their dots. `null` and an empty string mean "not set". Never throws.
 */
export function resolveSettings(section: unknown, pairs: readonly Pair[] = registry): ResolvedSettings {
  const problems: string[] = [];
  const values = new Map<string, unknown>();
  if (isObject(section)) flatten(section, '', values);
  else if (section !== undefined && section !== null)
    problems.push(`the configuration must be an object, not ${show(section)}`);
  const reader = new Reader(values, problems);
  const defaults = defaultSettings;
  const settings: Settings = {
    inlayHints: {
      pressure: reader.oneOf('inlayHints.pressure', ['off', 'peaks', 'all'], defaults.inlayHints.pressure),
      stalls: reader.flag('inlayHints.stalls', defaults.inlayHints.stalls),
      places: reader.flag('inlayHints.places', defaults.inlayHints.places),
      minimumStall: reader.integer('inlayHints.minimumStall', 1, Infinity, defaults.inlayHints.minimumStall),
    },
    codeLens: reader.flag('codeLens', defaults.codeLens),
    diagnostics: {
      severity: reader.severities('diagnostics.severity.'),
      maximum: reader.integer('diagnostics.maximum', 1, Infinity, defaults.diagnostics.maximum),
    },
    format: { enable: reader.flag('format.enable', defaults.format.enable) },
    ptx: {
      ptxas: reader.text('ptx.ptxas', defaults.ptx.ptxas),
      ptxasRuns: reader.oneOf('ptx.ptxasRuns', ['pause', 'save'], defaults.ptx.ptxasRuns),
      ptxasTimeLimit: reader.integer('ptx.ptxasTimeLimit', 1, 600, defaults.ptx.ptxasTimeLimit),
    },
    targets: Object.fromEntries(pairs.map(({ target }) => [target.id, reader.targetOptions(target)])),
    languages: Object.fromEntries(
      pairs.map(({ language }) => [language.id, reader.languageOptions(language)]),
    ),
  };
  for (const [key, allowed] of clientSettings) reader.oneOf(key, allowed, allowed[0]);
  for (const key of values.keys())
    if (!reader.known.has(key) && !key.startsWith('trace.')) problems.push(`unknown setting '${key}'`);
  return { settings, problems };
}

type Value = string | number | boolean;

class Reader {
  readonly known = new Set<string>();

  constructor(
    private readonly values: ReadonlyMap<string, unknown>,
    private readonly problems: string[],
  ) {}

  private value(key: string): unknown {
    this.known.add(key);
    const value = this.values.get(key);
    return value === null || value === '' ? undefined : value;
  }

  private wrong(key: string, value: unknown, allowed: string): void {
    this.problems.push(`'${key}' is ${show(value)}; it must be ${allowed}`);
  }

  oneOf<T extends string>(key: string, allowed: readonly T[], otherwise: T): T {
    const value = this.value(key);
    if (value === undefined) return otherwise;
    const found = allowed.find((one) => one === value);
    if (found === undefined) this.wrong(key, value, list(allowed));
    return found ?? otherwise;
  }

  text(key: string, otherwise: string): string {
    const value = this.value(key);
    if (typeof value === 'string') return value;
    if (value !== undefined) this.wrong(key, value, 'a string');
    return otherwise;
  }

  flag(key: string, otherwise: boolean): boolean {
    const value = this.value(key);
    if (typeof value === 'boolean') return value;
    if (value !== undefined) this.wrong(key, value, 'true or false');
    return otherwise;
  }

  integer(key: string, least: number, most: number, otherwise: number): number {
    const value = this.value(key);
    if (value === undefined) return otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    this.wrong(key, value, integerBetween(least, most));
    return otherwise;
  }

  severities(prefix: string): Record<string, Severity | 'off'> {
    const found: Record<string, Severity | 'off'> = {};
    for (const key of this.values.keys()) {
      if (!key.startsWith(prefix)) continue;
      const value = this.value(key);
      const code = key.slice(prefix.length);
      if (code !== '*' && !families.includes(code) && !isCode(code)) {
        this.problems.push(`'${key}' is about no diagnostic: ${nearestTo(code)}`);
        continue;
      }
      const severity = severityNames.find((name) => name === value);
      if (severity !== undefined) found[code] = severity;
      else if (value !== undefined) this.wrong(key, value, list(severityNames));
    }
    return found;
  }

  targetOptions(target: Target): Record<string, Value> {
    const found: Record<string, Value> = {};
    for (const option of target.options) {
      const key = `targets.${target.id}.${option.name}`;
      const value = this.value(key);
      if (value === undefined) continue;
      if (fits(option, value)) found[option.name] = value;
      else this.wrong(key, value, allowedFor(option));
    }
    return found;
  }

  languageOptions(language: Language): Record<string, Value> {
    const found: Record<string, Value> = {};
    for (const name of language.settings) {
      const key = `languages.${language.id}.${name}`;
      const value = this.value(key);
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        found[name] = value;
      else if (value !== undefined) this.wrong(key, value, 'a string, a number or a boolean');
    }
    return found;
  }
}

/** Where to look for a code that is none: among its family's codes, or the families. */
const nearestTo = (code: string): string =>
  families.includes(familyOf(code))
    ? `of ${familyOf(code)} there is ${list(Object.keys(codes).filter((known) => familyOf(known) === familyOf(code)))}`
    : `it must be a code such as spill/register, or one of ${[...families, '*'].join(', ')}`;

const severityNames = ['error', 'warning', 'information', 'hint', 'off'] as const;

/** Whether a value can be given for an option of a target. */
export function fits(option: TargetOption, value: unknown): value is Value {
  if (option.type === 'boolean') return typeof value === 'boolean';
  if (option.type === 'string')
    return typeof value === 'string' && (option.values === undefined || option.values.includes(value));
  return (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= (option.minimum ?? -Infinity) &&
    value <= (option.maximum ?? Infinity)
  );
}

/** What may be given for an option of a target, in words. */
export function allowedFor(option: TargetOption): string {
  if (option.type === 'boolean') return 'true or false';
  if (option.type === 'string') return option.values === undefined ? 'a string' : list(option.values);
  return integerBetween(option.minimum ?? -Infinity, option.maximum ?? Infinity);
}

function integerBetween(least: number, most: number): string {
  if (least === -Infinity && most === Infinity) return 'an integer';
  if (most === Infinity) return `an integer of at least ${least}`;
  if (least === -Infinity) return `an integer of at most ${most}`;
  return `an integer from ${least} to ${most}`;
}

const list = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}`;

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deeper nesting than any setting has is not followed, so that no input can exhaust the stack. */
const DEEPEST = 8;

function flatten(
  object: Record<string, unknown>,
  prefix: string,
  into: Map<string, unknown>,
  depth = 0,
): void {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix + key;
    if (isObject(value) && depth < DEEPEST) flatten(value, `${name}.`, into, depth + 1);
    else if (name !== 'spillway' || (value !== null && value !== ''))
      into.set(name.replace(/^spillway\./, ''), value);
  }
}
