// The steps for the comparison of targets: a table in a panel, its best row, and a row that becomes the setting.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goToLine, openFile, runCommand, until, wait } from './page.mjs';

/** The document inside the panel's two frames, once it has rows. */
const tableFrame = (page) =>
  until(
    'a table',
    async () => {
      for (const frame of page.frames())
        if (
          (await frame
            .locator('table[role="grid"] .row')
            .count()
            .catch(() => 0)) > 0
        )
          return frame;
      return undefined;
    },
    60_000,
  );

export async function driveCompare(page, vscode, steps, screenshots) {
  const shot = (name) => page.screenshot({ path: join(screenshots, `${name}.png`) });
  const file = 'spill-free.ptx';
  const text = readFileSync(join(vscode.workspace, 'spill.ptx'), 'utf8').replace('.maxnreg 24\n', '');
  writeFileSync(join(vscode.workspace, file), text);
  const lineOf = (pattern) => text.split('\n').findIndex((line) => pattern.test(line)) + 1;
  let frame;

  await steps.step('compare: a command shows the function under all targets and limits', async () => {
    await openFile(page, vscode, file);
    await page.waitForSelector('.codelens-decoration', { state: 'attached', timeout: 60_000 });
    await goToLine(page, lineOf(/bar\.sync/));
    if (await page.locator('.part.sidebar').isVisible()) await page.keyboard.press('Control+b');
    await runCommand(page, 'Spillway: Compare Targets');
    frame = await tableFrame(page);
    const names = await frame.$$eval('.row td:first-child', (all) => all.map((x) => x.textContent));
    for (const name of ['sm_90', '24', '32'])
      if (!names.includes(name)) throw new Error(`there is no row ${name} among ${names.join(', ')}`);
    return `${names.length} rows`;
  });
  await steps.step('compare: marks the best row and says why', async () => {
    const best = await frame.$$eval('.row.best', (all) => all.map((x) => x.getAttribute('aria-label')));
    if (!best.some((label) => /register limit 255.*now, best/.test(label))) throw new Error(best.join('; '));
    const verdicts = await frame.$$eval('.verdict', (all) => all.map((x) => x.textContent.trim()));
    if (!verdicts.some((verdict) => /no spills/.test(verdict))) throw new Error(verdicts.join('; '));
    return verdicts.join('; ');
  });
  await shot('compare');
  await steps.step('compare: the row under the keyboard cursor becomes the setting', async () => {
    await frame.locator('.row[aria-label^="register limit 24"]').click();
    await page.keyboard.press('Enter');
    await until('24 is the present limit', async () =>
      (
        await frame.$$eval('.row[aria-current="true"]', (all) => all.map((x) => x.getAttribute('aria-label')))
      ).some((label) => /register limit 24/.test(label)),
    );
    await wait(300);
    await shot('compare-chosen');
    const settings = readFileSync(join(vscode.workspace, '.vscode', 'settings.json'), 'utf8');
    if (!/"spillway\.targets\.nvidia\.maxRegisters": 24/.test(settings)) throw new Error(settings);
  });
  await steps.step('compare: the keyboard leads from row to row', async () => {
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    const label = await frame.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    if (!/^architecture sm_86/.test(label)) throw new Error(label);
    return label;
  });
  await steps.step('compare: comes back after the window is loaded again', async () => {
    // without a file to open, so that what was open is opened again; the layout is kept a while after it changes
    await wait(5000);
    await page.goto(`http://127.0.0.1:${vscode.port}/?folder=${vscode.workspace}`);
    frame = await tableFrame(page);
    const present = await frame.$$eval('.row[aria-current="true"]', (all) =>
      all.map((x) => x.getAttribute('aria-label')),
    );
    if (!present.some((label) => /register limit 24/.test(label))) throw new Error(present.join('; '));
    return frame.textContent('.title');
  });
  mkdirSync(join(vscode.workspace, '.vscode'), { recursive: true });
  writeFileSync(join(vscode.workspace, '.vscode', 'settings.json'), '{}');
}
