/** Small helpers to build the HTML around a picture. Texts are set as text, never as markup. */

type Attributes = Readonly<Record<string, string>>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A button with a sign that all see and a name for those who hear. */
export const button = (sign: string, label: string, action: () => void): HTMLButtonElement => {
  const made = element('button', { type: 'button', title: label, 'aria-label': label }, sign);
  made.addEventListener('click', action);
  return made;
};

export function selection(
  label: string,
  choices: readonly (readonly [value: string, text: string])[],
  changed: (value: string) => void,
): HTMLSelectElement {
  const made = element('select', { 'aria-label': label, title: label });
  setChoices(made, choices);
  made.addEventListener('change', () => changed(made.value));
  return made;
}

export function setChoices(
  select: HTMLSelectElement,
  choices: readonly (readonly [value: string, text: string])[],
): void {
  const { value } = select;
  select.replaceChildren(...choices.map(([key, text]) => element('option', { value: key }, text)));
  if (choices.some(([key]) => key === value)) select.value = value;
}

/** Rows of name and text. */
export function factTable(facts: readonly (readonly [name: string, text: string])[]): HTMLTableElement {
  return element(
    'table',
    { class: 'facts' },
    ...facts.map(([name, text]) =>
      element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, text)),
    ),
  );
}
