// The steps for what changes or explains the text in the playground: actions, rename, references, formatting, folding, links.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './page.mjs';
import { goToLine, sourceMatches, sourceOf } from './playground-page.mjs';

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples');

export async function editSource(page, steps) {
  const source = readFileSync(join(examples, 'saxpy.ptx'), 'utf8').split('\n');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;

  await steps.step('playground: a finding has a link to its page', async () => {
    const findings = await page.textContent('#findings');
    await page.click('#findings');
    const href = await until('a link', () =>
      page
        .$eval('.marker-widget a', (link) => link.dataset.href ?? link.getAttribute('href') ?? '')
        .catch(() => ''),
    );
    await page.keyboard.press('Escape');
    const [address, anchor] = href.split('#');
    const answer = await page.evaluate(async (url) => (await fetch(url)).text(), address);
    if (!answer.includes(`<h2 id="${anchor}">`)) throw new Error(`${href} leads nowhere`);
    return `${findings}, ${anchor}`;
  });
  await steps.step('playground: an action says what it is worth, and is done', async () => {
    await page.selectOption('#examples', 'saxpy.ptx');
    await sourceMatches(page, /saxpy/);
    await goToLine(page, lineOf(/ld\.param\.u32 \t%r1/), 9);
    const focused = page.locator('.action-widget .monaco-list-row.focused');
    await until('an action', async () => {
      await page.keyboard.press('Control+.');
      return page.waitForSelector('.action-widget .monaco-list-row', { timeout: 2000 }).catch(() => null);
    });
    let title = '';
    for (let k = 0; k < 5 && !/Sink/.test(title); k++) {
      if (k > 0) await page.keyboard.press('ArrowDown');
      title = (await focused.textContent()).trim();
    }
    if (!/Sink.*peak as written \d+ → \d+/.test(title)) throw new Error(title);
    const before = await sourceOf(page);
    await page.keyboard.press('Enter');
    await until('another text', async () => (await sourceOf(page)) !== before);
    await page.keyboard.press('Control+z');
    await until('the text again', async () => (await sourceOf(page)) === before);
    return title;
  });
  await steps.step('playground: renames a register, and says what cannot be renamed', async () => {
    const line = lineOf(/mad\.lo|mul\.wide/);
    const register = /%\w+/.exec(source[line - 1])[0];
    await goToLine(page, line, source[line - 1].indexOf(register) + 2);
    await page.keyboard.press('F2');
    await page.fill('.rename-box input', '%index');
    await page.press('.rename-box input', 'Enter');
    await page.waitForSelector('.rename-box', { state: 'hidden' });
    const message = () =>
      page.$$eval('.monaco-editor-overlaymessage', (all) => all.map((x) => x.textContent).join(' '));
    const outcome = await until('renamed, or why not', async () => {
      if (/%index/.test(await sourceOf(page))) return `${register} to %index`;
      return message();
    });
    await page.keyboard.press('Escape');
    if (!/ to %index$/.test(outcome)) throw new Error(outcome);
    await page.keyboard.press('Control+z');
    await until('the old name', async () => !/%index/.test(await sourceOf(page)));
    await goToLine(page, lineOf(/ret;/), 2);
    await page.keyboard.press('F2');
    return `${outcome}; ${await until('why not', message)}`;
  });
  await steps.step('playground: lists references', async () => {
    const line = lineOf(/mul\.wide/);
    await goToLine(page, line, source[line - 1].indexOf('%') + 2);
    await page.keyboard.press('Shift+F12');
    const rows = await until('rows', async () => {
      const count = await page.locator('.peekview-widget .monaco-list-row').count();
      return count > 1 && count;
    });
    await page.keyboard.press('Escape');
    return `${rows} rows`;
  });
  await steps.step('playground: formats', async () => {
    const line = lineOf(/ret;/);
    await goToLine(page, line, 1);
    await page.keyboard.type('          ');
    const before = await sourceOf(page);
    // the editor's own key on Linux; elsewhere it is another
    await page.keyboard.press('Control+Shift+I');
    await until('the text as it was', async () => (await sourceOf(page)) !== before);
    await sourceMatches(page, /^\s{1,8}ret;/m);
  });
  await steps.step('playground: folds a function', async () => {
    const line = lineOf(/^\{/);
    await goToLine(page, line, 1);
    await page.keyboard.press('Control+Shift+BracketLeft');
    await until('the body is gone', async () => !/ret;/.test(await sourceOf(page)));
    await page.keyboard.press('Control+Shift+BracketRight');
    await until('the body again', async () => /mul\.wide/.test(await sourceOf(page)));
  });
}
