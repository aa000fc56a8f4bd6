// The steps for gpir: the summary of a program, reference text, names, a mistake and its end, a program that is too long.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cursorAt, goToLine, hoverAtCursor, openFile, problems, showFile, until, wait } from './page.mjs';

export async function driveGpir(page, vscode, steps, screenshots) {
  const source = readFileSync(join(vscode.workspace, 'lit_cube.gpir'), 'utf8').split('\n');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;
  const columnOf = (line, word) => source[line - 1].indexOf(word) + 2;
  const shot = (name) => page.screenshot({ path: join(screenshots, `${name}.png`) });
  const diffuse = lineOf(/%diffuse = max/);

  await steps.step('gpir: opens an example', () => openFile(page, vscode, 'lit_cube.gpir'));
  await steps.step('gpir: shows words and bound in a code lens', () =>
    until(
      'a code lens',
      async () => {
        const all = await page.$$eval('.codelens-decoration', (found) => found.map((x) => x.textContent));
        return all.find((text) => /lit_cube: \d+ words/.test(text) && /bound \d+/.test(text));
      },
      60_000,
    ),
  );
  await shot('gpir-open');
  await steps.step('gpir: hover on an operation', async () => {
    const line = lineOf(/%nearness = rsqrt/);
    await goToLine(page, line, columnOf(line, 'rsqrt'));
    return hoverAtCursor(page, /1 \/ sqrt\(a\)/);
  });
  await wait(400);
  await shot('gpir-hover-operation');
  await page.keyboard.press('Escape');
  await steps.step('gpir: hover on a location names the attribute', async () => {
    const line = lineOf(/%turned\.x0 = mul/);
    await goToLine(page, line, columnOf(line, 'a1.x'));
    return hoverAtCursor(page, /in_normal/);
  });
  await page.keyboard.press('Escape');
  await steps.step('gpir: hover on a value tells in which words it is', async () => {
    const line = lineOf(/%light\.x = mul/);
    await goToLine(page, line, columnOf(line, '%nearness'));
    return hoverAtCursor(page, /%nearness.*w\d+/s);
  });
  await wait(400);
  await shot('gpir-hover-value');
  await page.keyboard.press('Escape');
  await steps.step('gpir: goes to the definition', async () => {
    const definition = lineOf(/%cosine = add/);
    await goToLine(page, diffuse, columnOf(diffuse, '%cosine'));
    await page.keyboard.press('F12');
    await cursorAt(page, new RegExp(`Ln ${definition}, `));
    return `line ${definition}`;
  });
  await steps.step('gpir: underlines a name that is not there, and no longer once it is', async () => {
    await goToLine(page, diffuse, source[diffuse - 1].indexOf('%cosine') + '%cosine'.length + 1);
    await page.keyboard.type('s');
    await page.waitForSelector('.monaco-editor .squiggly-error', { timeout: 15_000 });
    await page.keyboard.press('Escape');
    await shot('gpir-error');
    await page.keyboard.press('Backspace');
    await page.waitForSelector('.monaco-editor .squiggly-error', { state: 'detached', timeout: 15_000 });
    await page.keyboard.press('Escape');
  });
  await steps.step('gpir: says of a program that is too long where it crosses the limit', async () => {
    await showFile(page, vscode, 'arctangent.gpir');
    await page.keyboard.press('Control+Shift+M');
    const rows = await until(
      'the problem',
      async () => {
        const all = (await problems(page)).filter((row) => /512/.test(row));
        return all.length > 0 && all;
      },
      60_000,
    );
    return rows[0].slice(0, 160);
  });
  await shot('gpir-too-long');
}
