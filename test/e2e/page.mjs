// What the steps of an end-to-end run do with a page of VS Code.

/** Milliseconds. */
export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The first truthy answer of `condition`, which is asked again and again. */
export async function until(what, condition, milliseconds = 20_000) {
  const end = Date.now() + milliseconds;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${milliseconds / 1000} s`);
    await wait(50);
  }
}

/** The rows of the problems panel. */
export const problems = (page) =>
  page.$$eval('.markers-panel .monaco-list-row', (rows) =>
    rows.map((row) => row.getAttribute('aria-label') ?? row.textContent ?? ''),
  );

/** Goes to a line by the command that a person has for it. */
export async function goToLine(page, line, column = 1) {
  await page.keyboard.press('Control+g');
  await page.waitForSelector('.quick-input-widget .quick-input-box input', { state: 'visible' });
  await page.keyboard.type(`${line}:${column}`);
  await page.keyboard.press('Enter');
  await cursorAt(page, new RegExp(`Ln ${line}, `));
}

export const cursorAt = (page, pattern) =>
  until(`the cursor is at ${pattern}`, async () =>
    pattern.test((await page.textContent('#status\\.editor\\.selection')) ?? ''),
  );

/** Opens a file of the workspace, as the only one; `options` of the page are pairs of a name and a value. */
export async function openFile(page, { port, workspace }, name, options = []) {
  const file = `vscode-remote://127.0.0.1:${port}${workspace}/${name}`;
  const payload = encodeURIComponent(JSON.stringify([...options, ['openFile', file]]));
  await page.goto(`http://127.0.0.1:${port}/?folder=${workspace}&payload=${payload}`);
  await page.waitForSelector(`.tab.active[data-resource-name="${name}"]`, { timeout: 60_000 });
  await page.waitForSelector('.monaco-editor .view-line', { timeout: 60_000 });
}

/**
 * Opens a file of the workspace beside those that are open in this window, by its path: a new window takes longer than
 * most steps. The file comes to the group that has the keyboard.
 */
export async function showFile(page, { workspace }, name) {
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+p');
  await page.waitForSelector('.quick-input-widget .quick-input-box input', { state: 'visible' });
  await page.keyboard.type(`${workspace}/${name}`);
  await page.waitForSelector(`.quick-input-list .monaco-list-row.focused:has-text("${name}")`);
  await page.keyboard.press('Enter');
  await page.waitForSelector(`.tab.active[data-resource-name="${name}"]`);
}

/** The text of the hover at the cursor, once it matches. */
export async function hoverAtCursor(page, pattern) {
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+i');
  const text = await until('the hover', async () =>
    (await page.$$eval('.monaco-hover', (all) => all.map((x) => x.textContent ?? ''))).find((x) =>
      pattern.test(x),
    ),
  );
  return text.replace(/\s+/g, ' ').slice(0, 160);
}

/** Runs a command by its name, as a person would. */
export async function runCommand(page, title) {
  await page.keyboard.press('F1');
  await page.waitForSelector('.quick-input-widget .quick-input-box input', { state: 'visible' });
  await page.keyboard.type(title);
  await page.waitForSelector(
    `.quick-input-list .monaco-list-row:has-text("${title.replace(/^[^:]*: /, '')}")`,
  );
  await page.keyboard.press('Enter');
}
