/** The settings that change what is modelled: those that the server names, as the extension's manifest describes them. */
import { knownSettings, type Setting } from './contents.js';

export interface SettingsBar {
  /** Shows these, in this order. */
  offer(keys: readonly string[]): void;
}

export function showSettings(parent: HTMLElement, changed: (values: object) => void): SettingsBar {
  const values = new Map<string, string | number | null>();
  let offered = '';
  return {
    offer(keys) {
      if (keys.join() === offered) return;
      offered = keys.join();
      const known = keys.flatMap((key) => knownSettings.find((setting) => setting.key === key) ?? []);
      parent.replaceChildren(
        ...known.map((setting) =>
          labelled(setting, values.get(setting.key) ?? setting.initial, (value) => {
            values.set(setting.key, value);
            changed(nested(values));
          }),
        ),
      );
    },
  };
}

type Value = string | number | null;

function labelled(setting: Setting, value: Value, changed: (value: Value) => void): HTMLElement {
  const label = document.createElement('label');
  label.title = setting.description.replaceAll('`', '');
  label.append(`${nameOf(setting.key)} `, controlOf(setting, value, changed));
  return label;
}

function controlOf(setting: Setting, value: Value, changed: (value: Value) => void): HTMLElement {
  if (setting.choices !== undefined) {
    const select = document.createElement('select');
    for (const choice of setting.choices)
      select.add(new Option(choice === '' ? 'as the file says' : choice, choice));
    select.value = String(value ?? '');
    select.addEventListener('change', () => changed(select.value));
    return select;
  }
  const input = document.createElement('input');
  input.type = 'number';
  if (setting.minimum !== undefined) input.min = String(setting.minimum);
  if (setting.maximum !== undefined) input.max = String(setting.maximum);
  if (value !== null) input.value = String(value);
  input.addEventListener('change', () => {
    if (input.reportValidity()) changed(input.value === '' ? null : input.valueAsNumber);
  });
  return input;
}

/** `targets.nvidia.maxRegisters`: `Max registers`. */
function nameOf(key: string): string {
  const words = key.slice(key.lastIndexOf('.') + 1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}

/** `a.b` becomes a member of a member. */
function nested(values: ReadonlyMap<string, Value>): object {
  const whole: Record<string, unknown> = {};
  for (const [key, value] of values) {
    const path = key.split('.');
    const last = path.pop()!;
    let at = whole;
    for (const name of path) at = (at[name] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return whole;
}
