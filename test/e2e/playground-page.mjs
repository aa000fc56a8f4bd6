// What the steps for the playground do with its page.
import { until } from './page.mjs';

export const statusOf = (page) => page.textContent('#status');

/** By the editor's command; asked again where the page was too busy to take the keys. */
export async function goToLine(page, line, column = 1) {
  const input = '.quick-input-widget .quick-input-box input';
  await until(`line ${line}`, async () => {
    await page.keyboard.press('Escape');
    await page.locator('#editor .view-lines').first().click();
    await page.keyboard.press('Control+g');
    await page.waitForSelector(input, { state: 'visible' });
    await page.fill(input, `:${line}:${column}`);
    await page.keyboard.press('Enter');
    return page
      .waitForSelector('.quick-input-widget', { state: 'hidden', timeout: 3000 })
      .then(() => true)
      .catch(() => false);
  });
}

/** The text of the source as far as it is drawn, with plain blanks. */
export const sourceOf = async (page) =>
  (
    await page.$$eval('#editor .view-line', (all) =>
      all
        .map((line) => [line.getBoundingClientRect().top, line.textContent])
        .sort(([a], [b]) => a - b)
        .map(([, text]) => text)
        .join('\n'),
    )
  ).replaceAll('\u00a0', ' ');

export const sourceMatches = (page, pattern) =>
  until(`the source matches ${pattern}`, async () => pattern.test(await sourceOf(page)));
