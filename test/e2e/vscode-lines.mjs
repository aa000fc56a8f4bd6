// The steps for the pressure on the lines: bars stand beside them, the commands go from peak to peak and from spill to
// spill and round the ends, and the hover beside an instruction lists who is live.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cursorAt, goToLine, hoverAtCursor, openFile, until } from './page.mjs';

/** Runs a command by its name, as a person would. */
async function command(page, title) {
  await page.keyboard.press('F1');
  await page.waitForSelector('.quick-input-widget .quick-input-box input', { state: 'visible' });
  await page.keyboard.type(title);
  await page.waitForSelector(`.quick-input-list .monaco-list-row:has-text("${title}")`, { timeout: 10_000 });
  await page.keyboard.press('Enter');
}

/** Pictures in the gutter that are bars of ours, each with its own style. */
const bars = (page) =>
  page.$$eval('.monaco-editor .glyph-margin-widgets > *', (all) =>
    all.map((one) => getComputedStyle(one).backgroundImage).filter((image) => image.includes('svg')),
  );

export async function driveLines(page, vscode, steps, screenshots) {
  const source = readFileSync(join(vscode.workspace, 'spill.ptx'), 'utf8').split('\n');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;
  const barrier = lineOf(/bar\.sync/);

  await steps.step('lines: bars of several lengths stand in the gutter', async () => {
    await openFile(page, vscode, 'spill.ptx');
    await page.waitForSelector('.codelens-decoration', { timeout: 60_000 });
    await goToLine(page, barrier);
    return until('bars', async () => {
      const found = await bars(page);
      return new Set(found).size > 4 && `${found.length} bars, ${new Set(found).size} kinds`;
    });
  });
  await steps.step('lines: goes to the next peak and says what is there', async () => {
    await goToLine(page, barrier - 5);
    await command(page, 'Spillway: Go to Next Pressure Peak');
    await cursorAt(page, new RegExp(`Ln ${barrier - 1}, `));
    await command(page, 'Spillway: Go to Next Pressure Peak');
    await cursorAt(page, new RegExp(`Ln ${barrier}, `));
    return until(
      'the peak in the status bar',
      async () => /Peak of keep_over_barrier[^)]*\)/.exec(await page.textContent('.statusbar'))?.[0],
    );
  });
  await page.screenshot({ path: join(screenshots, 'pressure-lines.png') });
  await steps.step('lines: goes to spills, and round the start of the file', async () => {
    const stored = lineOf(/ld\.global\.f32 \t%f2,/);
    await goToLine(page, stored);
    await command(page, 'Spillway: Go to Next Spill');
    await until('what is stored, in the status bar', async () =>
      (await page.textContent('.statusbar')).includes('stores %f2 '),
    );
    await command(page, 'Spillway: Go to Previous Spill');
    await until('the status bar says so', async () =>
      (await page.textContent('.statusbar')).includes('from the end of the file'),
    );
    return page.textContent('#status\\.editor\\.selection');
  });
  await steps.step('lines: the hover beside an instruction lists who is live', async () => {
    await goToLine(page, barrier + 4);
    return hoverAtCursor(page, /as compiled[^]*Live here[^]*%f/);
  });
}
