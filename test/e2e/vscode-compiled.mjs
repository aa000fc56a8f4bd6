// The steps for compiled code beside its source: it opens from a lens, both cursors lead each other, spill code is
// marked, a definition is found in it, and an edit of the source changes it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cursorAt, goToLine, openFile, showFile, until, wait } from './page.mjs';

/** The lines that an editor group shows, by number: zero-based group, one-based lines. */
const visibleLines = (page, group) =>
  page.$$eval(
    '.editor-group-container',
    (groups, index) => {
      const lines = [...(groups[index]?.querySelectorAll('.view-lines .view-line') ?? [])];
      return lines.map((line) => ({
        number: Math.round(Number.parseFloat(line.style.top) / line.getBoundingClientRect().height) + 1,
        text: (line.textContent ?? '').replaceAll('\u00a0', ' '),
      }));
    },
    group,
  );

const codeLine = (page, pattern) =>
  until(`${pattern} in the compiled code`, async () =>
    (await visibleLines(page, 1)).find(({ text }) => pattern.test(text)),
  );

const focusGroup = async (page, number) => {
  await page.keyboard.press(`Control+${number}`);
  await wait(300);
};

const cursorLine = async (page) =>
  Number(/Ln (\d+)/.exec((await page.textContent('#status\\.editor\\.selection')) ?? '')?.[1]);

export async function driveCompiled(page, vscode, steps, screenshots) {
  const source = readFileSync(join(vscode.workspace, 'spill.ptx'), 'utf8').split('\n');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;
  const shot = (name) => page.screenshot({ path: join(screenshots, `${name}.png`) });

  await steps.step('compiled: a lens opens the code beside the source', async () => {
    await openFile(page, vscode, 'spill.ptx');
    if (await page.locator('.part.sidebar').isVisible()) await page.keyboard.press('Control+b');
    const lens = page.locator('.codelens-decoration a:has-text("Show compiled code")').first();
    await lens.click({ timeout: 60_000 });
    await page.waitForSelector('.tab[data-resource-name="keep_over_barrier.ptx-compiled"]', {
      timeout: 20_000,
    });
    const header = await codeLine(page, /keep_over_barrier in spill\.ptx, as compiled/);
    if (header.number !== 1) throw new Error(`the header is in line ${header.number}`);
    return (await codeLine(page, /24 registers/)).text;
  });
  await steps.step('compiled: the cursor of the source leads the one of the code', async () => {
    await focusGroup(page, 1);
    await goToLine(page, lineOf(/%f24, \[%rd4\+92\]/));
    await wait(500);
    await shot('compiled-follows');
    const load = await codeLine(page, /LDG .*\+92\]/);
    await focusGroup(page, 2);
    await cursorAt(page, new RegExp(`Ln ${load.number}, `));
    return load.text.trim();
  });
  await steps.step('compiled: the cursor of the code leads the one of the source', async () => {
    const store = await codeLine(page, /STL .*spill %f2$/);
    await goToLine(page, store.number);
    await wait(300);
    await focusGroup(page, 1);
    await cursorAt(page, new RegExp(`Ln ${lineOf(/ld\.global\.f32 \t%f2,/)}, `));
    await focusGroup(page, 2);
  });
  await steps.step('compiled: goes from a reload to its store', async () => {
    const store = await codeLine(page, /STL .*spill %f2$/);
    const reload = await codeLine(page, /LDL .*reload %f2$/);
    await goToLine(page, reload.number, reload.text.indexOf('R1+') + 2);
    await shot('compiled-code');
    await page.keyboard.press('F12');
    await cursorAt(page, new RegExp(`Ln ${store.number}, `));
    return `line ${reload.number} to line ${store.number}`;
  });
  await steps.step('compiled: an edit changes the code', async () => {
    await focusGroup(page, 1);
    const limit = lineOf(/^\.maxnreg/);
    await goToLine(page, limit, source[limit - 1].length + 1);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('64');
    await until('code without spills', async () => {
      const lines = await visibleLines(page, 1);
      return lines.some(({ text }) => /LDG/.test(text)) && !lines.some(({ text }) => /STL|LDL/.test(text));
    });
    await focusGroup(page, 2);
    await goToLine(page, 1);
    await codeLine(page, /limit 64/);
    await shot('compiled-edited');
  });
  await steps.step('compiled: one tab follows while a function gets another name', async () => {
    await focusGroup(page, 1);
    const name = lineOf(/\.entry keep_over_barrier/);
    const column = source[name - 1].indexOf('keep_over_barrier') + 'keep_over_barrier'.length + 1;
    await goToLine(page, name, column);
    for (const letter of ['a', 'b', 'c']) {
      await page.keyboard.type(letter);
      await wait(letter === 'b' ? 150 : 1500);
    }
    await page.waitForSelector('.tab[data-resource-name="keep_over_barrierabc.ptx-compiled"]', {
      timeout: 20_000,
    });
    const tabs = await until('one tab', async () => {
      const names = await page.$$eval('.tab[data-resource-name$=".ptx-compiled"]', (all) =>
        all.map((tab) => tab.getAttribute('data-resource-name')),
      );
      return names.length === 1 && names;
    });
    for (let k = 0; k < 3; k++) await page.keyboard.press('Backspace');
    await page.waitForSelector('.tab[data-resource-name="keep_over_barrier.ptx-compiled"]', {
      timeout: 20_000,
    });
    return tabs[0];
  });
  await steps.step('compiled: goes on to the source', async () => {
    const load = await codeLine(page, /LDG .*\+92\]/);
    await focusGroup(page, 2);
    await goToLine(page, load.number, load.text.search(/R\d+,/) + 2);
    await page.keyboard.press('F12');
    await page.waitForSelector('.editor-group-container.active .tab.active[data-resource-name="spill.ptx"]');
    await cursorAt(page, new RegExp(`Ln ${lineOf(/%f24, \[%rd4\+92\]/)}, `));
  });
  await steps.step('compiled: shows the words of a gpir program with what is empty', async () => {
    await focusGroup(page, 1);
    await showFile(page, vscode, 'fog.gpir');
    await page
      .locator('.codelens-decoration a:has-text("Show compiled code")')
      .first()
      .click({ timeout: 60_000 });
    await codeLine(page, /mul0 mul/);
    await wait(800);
    await shot('compiled-gpir');
    return `cursor in line ${await cursorLine(page)}`;
  });
}
