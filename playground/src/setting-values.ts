/** Values of settings, as the page, its address and the server write them. */
import type { Setting } from './contents.js';

export type Value = string | number | null;
export type Values = ReadonlyMap<string, Value>;

/** Those of the address that a setting may have; the others are left out. */
export function fromTexts(known: readonly Setting[], texts: ReadonlyMap<string, string>): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const setting of known) {
    const text = texts.get(setting.key);
    const value = text === undefined ? undefined : valueOf(setting, text);
    if (value !== undefined) values.set(setting.key, value);
  }
  return values;
}

function valueOf(
  { choices, minimum = -Infinity, maximum = Infinity }: Setting,
  text: string,
): Value | undefined {
  if (choices !== undefined) return choices.includes(text) ? text : undefined;
  const number = Number(text);
  return /^\d{1,9}$/.test(text) && number >= minimum && number <= maximum ? number : undefined;
}

/** Those that differ from what the setting is without them. */
export function toTexts(known: readonly Setting[], values: Values): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { key, initial } of known) {
    const value = values.get(key);
    if (value !== undefined && value !== null && value !== initial) texts.set(key, String(value));
  }
  return texts;
}

/** As the server takes them: `a.b` is a member of a member. */
export function nested(values: Values): object {
  const whole: Record<string, unknown> = {};
  for (const [key, value] of values) {
    const path = key.split('.');
    const last = path.pop() ?? key;
    let at = whole;
    for (const name of path) at = (at[name] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return whole;
}
