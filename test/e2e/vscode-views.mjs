// The steps for pictures: the live ranges and the control flow of an example, in a panel beside it; the cursor and an
// edit on one side are seen on the other.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cursorAt, goToLine, openFile, showFile, until, wait } from './page.mjs';

/** Runs a command by its name, as a person would. */
async function command(page, title) {
  await page.keyboard.press('F1');
  await page.waitForSelector('.quick-input-widget .quick-input-box input', { state: 'visible' });
  await page.keyboard.type(title);
  await page.waitForSelector(`.quick-input-list .monaco-list-row:has-text("${title}")`, { timeout: 10_000 });
  await page.keyboard.press('Enter');
}

/** The document inside the panel's two frames, once the picture is there. */
async function pictureIn(page, selector) {
  return until(
    `a picture ${selector}`,
    async () => {
      for (const frame of page.frames())
        if (
          await frame
            .locator(`${selector}:not(.is-empty)`)
            .count()
            .catch(() => 0)
        )
          return frame;
      return undefined;
    },
    40_000,
  );
}

/** Changes the theme as a setting of the machine, and waits until the picture has it. */
async function colourTheme(vscode, frame, name, bodyClass) {
  const path = join(dirname(vscode.workspace), 'data', 'Machine', 'settings.json');
  const settings = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...settings, 'workbench.colorTheme': name }));
  await until(`the theme ${name}`, () =>
    frame.evaluate((wanted) => document.body.classList.contains(wanted), bodyClass),
  );
  await wait(800);
}

export async function driveViews(page, vscode, steps, screenshots) {
  const source = readFileSync(join(vscode.workspace, 'spill.ptx'), 'utf8').split('\n');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;
  const shot = (name) => page.screenshot({ path: join(screenshots, `${name}.png`) });
  let frame;

  await steps.step('shows the live ranges beside the source', async () => {
    await openFile(page, vscode, 'spill.ptx');
    await page.waitForSelector('.codelens-decoration', { state: 'attached', timeout: 60_000 });
    await goToLine(page, lineOf(/bar\.sync/));
    await command(page, 'Spillway: Show Live Ranges');
    frame = await pictureIn(page, '.live-ranges');
    return (await frame.textContent('.title')).slice(0, 120);
  });
  await steps.step('follows the cursor', async () => {
    await until('the line of the cursor', async () =>
      (await frame.textContent('aside h2')).includes(`Line ${lineOf(/bar\.sync/)}`),
    );
    await goToLine(page, lineOf(/bar\.sync/) + 3);
    await until('the next line', async () =>
      (await frame.textContent('aside h2')).includes(`Line ${lineOf(/bar\.sync/) + 3}`),
    );
    return (await frame.textContent('aside p')).slice(0, 120);
  });
  await shot('live-ranges-light');
  await steps.step('goes to the source at a click', async () => {
    const box = await frame.locator('.live-ranges .scroll').boundingBox();
    await page.mouse.click(box.x + 60, box.y + 52);
    const first = lineOf(/ld\.global\.f32 \t%f1,/);
    const text = await until('another line', async () => {
      const position = await page.textContent('#status\\.editor\\.selection');
      return !position.includes(`Ln ${lineOf(/bar\.sync/) + 3},`) && position;
    });
    if (Math.abs(Number(/Ln (\d+)/.exec(text)[1]) - first) > 40) throw new Error(text);
    return text;
  });
  await steps.step('is used with the keyboard', async () => {
    // the click before may still be giving the focus to the editor
    const press = async (...keys) => {
      await frame.focus('.live-ranges .scroll');
      for (const key of keys) await page.keyboard.press(key);
      await wait(300);
    };
    await until('what a screen reader says', async () => {
      await press('Home', 'ArrowDown', 'ArrowRight');
      return /%rd2|%rd1/.test(await frame.textContent('.spoken[role=status]'));
    });
    await until('the last line', async () => {
      await press('End', 'Enter');
      const position = await page.textContent('#status\\.editor\\.selection');
      return position.includes(`Ln ${lineOf(/^\s*ret;/)}, `);
    });
    return (await frame.textContent('.spoken[role=status]')).slice(0, 80);
  });
  await steps.step('changes with an edit', async () => {
    const limit = lineOf(/^\.maxnreg/);
    await goToLine(page, limit, source[limit - 1].length + 1);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('64');
    await until('no spills', async () => /spills 0/.test(await frame.textContent('.title')));
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('24');
    await until('the spills again', async () => /spills [1-9]/.test(await frame.textContent('.title')));
  });
  await steps.step('comes back after the window is loaded again', async () => {
    // without a file to open, so that what was open is opened again; the layout is kept a while after it changes
    await wait(5000);
    await page.goto(`http://127.0.0.1:${vscode.port}/?folder=${vscode.workspace}`);
    frame = await pictureIn(page, '.live-ranges');
    return (await frame.textContent('.title')).slice(0, 80);
  });
  await steps.step('shows the control flow, and goes from block to block', async () => {
    await page.keyboard.press('Control+1');
    await showFile(page, vscode, 'reduce.ptx');
    await page.waitForSelector('.codelens-decoration', { state: 'attached', timeout: 60_000 });
    const reduce = readFileSync(join(vscode.workspace, 'reduce.ptx'), 'utf8').split('\n');
    const line = reduce.findIndex((text) => /\$L_round:/.test(text)) + 1;
    await goToLine(page, line + 2);
    await command(page, 'Spillway: Show Control Flow');
    frame = await pictureIn(page, '.control-flow');
    await frame.focus('.control-flow .stage');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    const spoken = await until('the words of the next block', async () => {
      const text = await frame.textContent('.spoken[role=status]');
      return /\$L_round/.test(text) && text;
    });
    await page.keyboard.press('Enter');
    await cursorAt(page, /Ln \d+, /);
    await frame.click('button:has-text("Blocks")');
    await frame.click('tr:has(td.register:text-is("$L_done"))');
    const done = reduce.findIndex((text) => /\$L_done:/.test(text)) + 2;
    await cursorAt(page, new RegExp(`Ln ${done}, `));
    return spoken.slice(0, 120);
  });
  await steps.step('lays the blocks out in layers', async () => {
    await until('the layout', async () => (await frame.textContent('.note')) === '');
    await wait(1500);
  });
  await shot('control-flow-light');
  await steps.step('takes the colours of the theme', async () => {
    await colourTheme(vscode, frame, 'Default Dark Modern', 'vscode-dark');
    await shot('control-flow-dark');
    await colourTheme(vscode, frame, 'Default High Contrast', 'vscode-high-contrast');
    await shot('control-flow-high-contrast');
    await page.keyboard.press('Control+1');
    await showFile(page, vscode, 'spill.ptx');
    await page.waitForSelector('.codelens-decoration', { state: 'attached', timeout: 60_000 });
    await goToLine(page, lineOf(/bar\.sync/));
    await command(page, 'Spillway: Show Live Ranges');
    frame = await pictureIn(page, '.live-ranges');
    await wait(800);
    await shot('live-ranges-high-contrast');
    await colourTheme(vscode, frame, 'Default Dark Modern', 'vscode-dark');
    await shot('live-ranges-dark');
  });
}
