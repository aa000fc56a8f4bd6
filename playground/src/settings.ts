/** The settings that change what is modelled: those that the server names, as the extension's manifest describes them. */
import { element } from '../../client/src/views/shared/elements.js';
import { knownSettings, type Setting } from './contents.js';
import type { Value, Values } from './setting-values.js';

export interface SettingsBar {
  /** Shows these, in this order. */
  offer(keys: readonly string[]): void;
  /** Sets some, as if a person had. */
  set(values: Readonly<Record<string, Value>>): void;
  values(): Values;
}

export function showSettings(parent: HTMLElement, initial: Values, changed: () => void): SettingsBar {
  const values = new Map(initial);
  let offered: readonly string[] = [];
  const draw = (): void => {
    const known = offered.flatMap((key) => knownSettings.find((setting) => setting.key === key) ?? []);
    parent.replaceChildren(
      ...known.map((setting) =>
        labelled(setting, values.get(setting.key) ?? setting.initial, (value) => {
          values.set(setting.key, value);
          changed();
        }),
      ),
    );
  };
  return {
    offer(keys) {
      if (keys.join() === offered.join()) return;
      offered = keys;
      draw();
    },
    set(given) {
      for (const [key, value] of Object.entries(given)) {
        const initially = knownSettings.find((setting) => setting.key === key)?.initial ?? null;
        values.set(key, value ?? initially);
      }
      draw();
      changed();
    },
    values: () => values,
  };
}

function labelled(setting: Setting, value: Value, changed: (value: Value) => void): HTMLElement {
  const title = setting.description.replaceAll('`', '');
  return element('label', { title }, nameOf(setting.key), controlOf(setting, value, changed));
}

function controlOf(
  { choices, minimum, maximum }: Setting,
  value: Value,
  changed: (value: Value) => void,
): HTMLElement {
  if (choices !== undefined) {
    const select = element('select');
    for (const choice of choices) select.add(new Option(choice === '' ? 'as in the text' : choice, choice));
    select.value = String(value ?? '');
    select.addEventListener('change', () => changed(select.value));
    return select;
  }
  const input = element('input', {
    type: 'number',
    placeholder: '–',
    ...(minimum !== undefined && { min: String(minimum) }),
    ...(maximum !== undefined && { max: String(maximum) }),
  });
  if (value !== null) input.value = String(value);
  input.addEventListener('change', () => {
    if (input.reportValidity()) changed(input.value === '' ? null : input.valueAsNumber);
  });
  return input;
}

/** `targets.nvidia.maxRegisters`: `Max registers`. */
function nameOf(key: string): string {
  const words = key.slice(key.lastIndexOf('.') + 1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words === 'arch' ? 'Architecture' : words[0].toUpperCase() + words.slice(1);
}
