// The steps for the extension in the host for web extensions: the server is a worker of the page, and no process starts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goToLine, hoverAtCursor, openFile, runCommand, until } from './page.mjs';

export async function driveWeb(page, vscode, steps, screenshots) {
  const { workspace } = vscode;
  const source = readFileSync(join(workspace, 'spill.ptx'), 'utf8').split('\n');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;

  await steps.step('web: starts in the host for web extensions, without a process', async () => {
    await openFile(page, vscode, 'spill.ptx', [
      ['extensionDevelopmentPath', `vscode-remote://127.0.0.1:${vscode.port}${vscode.extension}`],
      ['extensionDevelopmentKind', 'web'],
    ]);
    await page.waitForSelector('.monaco-editor .squiggly-warning', { timeout: 60_000 });
    if (vscode.serverProcesses() > 0) throw new Error('a server was started as a process');
    return `${await page.locator('.monaco-editor .squiggly-warning').count()} underlined`;
  });
  await steps.step('web: shows the kernel in a code lens', () =>
    until('a code lens', async () =>
      (await page.$$eval('.codelens-decoration', (all) => all.map((x) => x.textContent))).find(
        (text) => /sm_80/.test(text) && /registers/.test(text),
      ),
    ),
  );
  await steps.step('web: hover on a register', async () => {
    const last = lineOf(/st\.global\.f32 \t\[%rd4\], %f47/);
    await goToLine(page, last, source[last - 1].indexOf('%f47') + 3);
    return hoverAtCursor(page, /f32/);
  });
  await page.keyboard.press('Escape');
  await steps.step('web: shows the live ranges beside the source', async () => {
    await goToLine(page, lineOf(/bar\.sync/));
    await runCommand(page, 'Spillway: Show Live Ranges');
    return until(
      'the live ranges',
      async () => {
        for (const frame of page.frames()) {
          const title = frame.locator('.live-ranges:not(.is-empty) .title');
          if (await title.count().catch(() => 0)) return (await title.textContent()).slice(0, 120);
        }
        return undefined;
      },
      40_000,
    );
  });
  await page.screenshot({ path: join(screenshots, 'web-extension.png') });
  await steps.step('web: starts the server again at a command', async () => {
    await runCommand(page, 'Spillway: Restart Server');
    await page.keyboard.press('Control+1');
    const limit = lineOf(/^\.maxnreg/);
    await goToLine(page, limit, source[limit - 1].length + 1);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('64');
    await page.waitForSelector('.codelens-decoration:has-text("limit 64")', {
      state: 'attached',
      timeout: 60_000,
    });
  });
}
