// The steps for Gen IR: the summary of a program that spills, reference text, definitions, a mistake and its end, a
// captured output of Beignet with several programs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cursorAt, goToLine, hoverAtCursor, openFile, problems, showFile, until, wait } from './page.mjs';

export async function driveGen(page, vscode, steps, screenshots) {
  const linesOf = (name) => readFileSync(join(vscode.workspace, name), 'utf8').split('\n');
  const source = linesOf('rain.gen');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;
  const columnOf = (line, word) => source[line - 1].indexOf(word) + 2;
  const shot = (name) => page.screenshot({ path: join(screenshots, `${name}.png`) });
  const lens = (pattern) =>
    until(
      'a code lens',
      async () => {
        const all = await page.$$eval('.codelens-decoration', (found) => found.map((x) => x.textContent));
        return all.find((text) => pattern.test(text));
      },
      60_000,
    );
  const lastUse = lineOf(/mad\(8\).*vgrf2\.xyzw/);

  await steps.step('gen: opens an example', () => openFile(page, vscode, 'rain.gen'));
  await steps.step('gen: shows registers and spills in a code lens', () => lens(/rain: .*GRF.*spilled/));
  await steps.step('gen: warns of each spilled register', async () => {
    await page.keyboard.press('Control+Shift+M');
    const rows = await until('the problems', async () => {
      const all = (await problems(page)).filter((row) => /vgrf\d+ is spilled to scratch/.test(row));
      return all.length > 0 && all;
    });
    await page.keyboard.press('Control+Shift+M');
    return rows[0].slice(0, 120);
  });
  await shot('gen-open');
  await steps.step('gen: hover on an operation', async () => {
    const line = lineOf(/untyped_surface_read/);
    await goToLine(page, line, columnOf(line, 'untyped'));
    return hoverAtCursor(page, /dwords of a surface/);
  });
  await page.keyboard.press('Escape');
  await steps.step('gen: hover on a register tells where it was put', async () => {
    await goToLine(page, lastUse, columnOf(lastUse, 'vgrf2.xyzw'));
    return hoverAtCursor(page, /vgrf2.*(scratch|spilled)/s);
  });
  await wait(400);
  await shot('gen-hover-register');
  await page.keyboard.press('Escape');
  await steps.step('gen: goes to the definition', async () => {
    const definition = lineOf(/untyped_surface_read\(8\) vgrf2:/);
    await goToLine(page, lastUse, columnOf(lastUse, 'vgrf2.xyzw'));
    await page.keyboard.press('F12');
    await cursorAt(page, new RegExp(`Ln ${definition}, `));
    return `line ${definition}`;
  });
  await steps.step('gen: underlines a mistake, and no longer once it is mended', async () => {
    await goToLine(page, lastUse, source[lastUse - 1].indexOf('vgrf2.xyzw') + 'vgrf2.xyzw'.length + 1);
    await page.keyboard.type('w');
    await page.waitForSelector('.monaco-editor .squiggly-error', { timeout: 15_000 });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Backspace');
    await page.waitForSelector('.monaco-editor .squiggly-error', { state: 'detached', timeout: 15_000 });
    await page.keyboard.press('Escape');
  });
  await steps.step('gen: says which width a captured kernel got, and why', async () => {
    await showFile(page, vscode, 'mirror.gen');
    return lens(/mirror: .*simd8\+temporaries/i);
  });
  await shot('gen-fallback');
  await steps.step('gen: opens a captured output with several programs', async () => {
    await showFile(page, vscode, 'saxpy.gen');
    await lens(/saxpy: /);
    const captured = linesOf('saxpy.gen');
    const line = captured.findIndex((text) => /^%9 +g1/.test(text)) + 1;
    await goToLine(page, line, 2);
    return hoverAtCursor(page, /Beignet put this dword of 4 bytes in g1/);
  });
  await shot('gen-captured');
  await page.keyboard.press('Escape');
}
