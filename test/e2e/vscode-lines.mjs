// The steps for the pressure on the lines: bars stand beside them, the commands go from peak to peak and from spill to
// spill and round the ends, and the hover beside an instruction lists who is live.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cursorAt, goToLine, hoverAtCursor, openFile, runCommand, until } from './page.mjs';

/** Pictures in the gutter that are bars of ours, each with its own style. */
const bars = (page) =>
  page.$$eval('.monaco-editor .glyph-margin-widgets > *', (all) =>
    all.map((one) => getComputedStyle(one).backgroundImage).filter((image) => image.includes('svg')),
  );

/** Colours behind whole lines that extensions have made. */
const shades = (page) =>
  page.$$eval('.monaco-editor .view-overlays .cdr[class*="ced-"]', (all) =>
    all.map((one) => getComputedStyle(one).backgroundColor).filter((colour) => colour !== 'rgba(0, 0, 0, 0)'),
  );

export async function driveLines(page, vscode, steps, screenshots) {
  const source = readFileSync(join(vscode.workspace, 'spill.ptx'), 'utf8').split('\n');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;
  const barrier = lineOf(/bar\.sync/);

  await steps.step('lines: bars of several lengths stand in the gutter', async () => {
    await openFile(page, vscode, 'spill.ptx');
    // the editor comes back where the file was left, which may be below its code lens
    await goToLine(page, 1);
    await page.waitForSelector('.codelens-decoration', { state: 'attached', timeout: 60_000 });
    await goToLine(page, barrier);
    return until('bars', async () => {
      const found = await bars(page);
      return new Set(found).size > 4 && `${found.length} bars, ${new Set(found).size} kinds`;
    });
  });
  await steps.step('lines: goes to the next peak and says what is there', async () => {
    await goToLine(page, barrier - 5);
    await runCommand(page, 'Spillway: Go to Next Pressure Peak');
    await cursorAt(page, new RegExp(`Ln ${barrier - 1}, `));
    await runCommand(page, 'Spillway: Go to Next Pressure Peak');
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
    await runCommand(page, 'Spillway: Go to Next Spill');
    await until('what is stored, in the status bar', async () =>
      (await page.textContent('.statusbar')).includes('stores %f2 '),
    );
    await runCommand(page, 'Spillway: Go to Previous Spill');
    await until('the status bar says so', async () =>
      (await page.textContent('.statusbar')).includes('from the end of the file'),
    );
    return page.textContent('#status\\.editor\\.selection');
  });
  await steps.step('lines: the hover beside an instruction lists who is live', async () => {
    await goToLine(page, barrier + 4);
    return hoverAtCursor(page, /as compiled[^]*Live here[^]*%f/);
  });
  await steps.step('lines: a setting makes them shades behind the lines, or nothing', async () => {
    const settings = join(vscode.workspace, '.vscode', 'settings.json');
    mkdirSync(dirname(settings), { recursive: true });
    const set = (pressureDecoration) => {
      const theme = { 'workbench.colorTheme': 'Default Dark Modern' };
      writeFileSync(
        settings,
        JSON.stringify({ ...theme, 'spillway.pressureDecoration': pressureDecoration }),
      );
    };
    await page.keyboard.press('Escape');
    set('background');
    const kinds = await until('several shades', async () => {
      const found = new Set(await shades(page));
      return found.size > 3 && (await bars(page)).length === 0 && found.size;
    });
    await page.screenshot({ path: join(screenshots, 'pressure-background.png') });
    set('off');
    await until('no shades', async () => (await shades(page)).length === 0);
    rmSync(dirname(settings), { recursive: true });
    return `${kinds} shades`;
  });
}
