// The steps for rewrites that lower pressure: at the peak of an example the menu offers them with their figures, the first
// one is made, and the line's pressure falls by what its title said.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goToLine, openFile, runCommand, until } from './page.mjs';

/** What the hint at the end of the peak's line says, once it says something. */
const peakHint = (page, isWanted = () => true) =>
  until(
    'a hint at the peak',
    async () => {
      const text = await page.$$eval('.monaco-editor .view-lines', (all) =>
        all.map((x) => x.textContent).join(' '),
      );
      const peak = /peak\s(\d+)\sas\swritten/.exec(text)?.[1];
      return peak !== undefined && isWanted(Number(peak)) && Number(peak);
    },
    60_000,
  );

const offers = (page) =>
  page.$$eval('.action-widget .monaco-list-row', (rows) => rows.map((row) => row.textContent ?? ''));

/** The menu with an offer that matches. The server tries rewrites for a moment, and goes on when it is asked again. */
const menuWith = (page, pattern) =>
  until(
    `an offer like ${pattern}`,
    async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+.');
      await page
        .waitForSelector('.action-widget .monaco-list-row', { timeout: 5_000 })
        .catch(() => undefined);
      return (await offers(page)).find((text) => pattern.test(text));
    },
    90_000,
  );

export async function driveRewrites(page, vscode, steps, screenshots) {
  const source = readFileSync(join(vscode.workspace, 'carried.ptx'), 'utf8').split('\n');
  const peakLine = source.findIndex((line) => line.startsWith('ROUND:')) + 2;
  const offer =
    /Raise `%f29` and 7 others over the peak: registers (\d+) → (\d+).*peak as written (\d+) → (\d+)/;
  let title = '';

  await steps.step('rewrites: the peak is named', async () => {
    await openFile(page, vscode, 'carried.ptx');
    await goToLine(page, peakLine);
    return `${await peakHint(page)} as written`;
  });
  await steps.step('rewrites: the menu at the peak offers them with figures, the best first', async () => {
    title = await menuWith(page, offer);
    const all = (await offers(page)).filter((text) => / → /.test(text));
    await page.screenshot({ path: join(screenshots, 'rewrites-menu.png') });
    if (all[0] !== title) throw new Error(`the first is ${all[0]}`);
    return title;
  });
  await steps.step('rewrites: the first one is made, and the pressure on the line falls', async () => {
    const [, , , before, after] = offer.exec(title) ?? [];
    // the first one has the focus
    await page.keyboard.press('Enter');
    await page.waitForSelector('.action-widget', { state: 'hidden' });
    await goToLine(page, peakLine + 8);
    const is = await peakHint(page, (peak) => peak < Number(before));
    await page.screenshot({ path: join(screenshots, 'rewrites-made.png') });
    if (is !== Number(after)) throw new Error(`the title said ${after}, the line says ${is}`);
    return `${before} → ${is}`;
  });
  await steps.step('rewrites: one undo takes it back', async () => {
    await page.keyboard.press('Control+z');
    const text = await until('the text as it was', async () => {
      await goToLine(page, peakLine - 1);
      const lines = await page.$$eval('.monaco-editor .view-line', (all) =>
        all.map((x) => x.textContent ?? ''),
      );
      return lines.some((line) => line.startsWith('ROUND:')) && `ROUND in line ${peakLine - 1} again`;
    });
    await runCommand(page, 'File: Revert File');
    return text;
  });
}
