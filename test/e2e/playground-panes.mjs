// The steps for what stands beside the source in the playground: pressure on the lines, compiled code, the comparison of
// targets; and for the page itself: with the keyboard, in narrow windows, in both themes.
import { join } from 'node:path';
import { until, wait } from './page.mjs';
import { goToLine, statusOf } from './playground-page.mjs';

const focused = (page) => page.evaluate(() => document.activeElement?.id ?? '');

export async function walkPanes(page, steps, screenshots) {
  const shot = (name) => page.screenshot({ path: join(screenshots, `playground-${name}.png`) });

  await steps.step('playground: shows the pressure beside the lines', async () => {
    await page.selectOption('#examples', 'spill.ptx');
    return until('bars', async () => {
      const classes = await page.$$eval('#editor .cgmr', (all) => all.map((x) => x.className));
      const bars = new Set(classes.flatMap((name) => /pressure-\w+/.exec(name) ?? []));
      return bars.size > 3 && [...bars].join(' ');
    });
  });
  await steps.step('playground: shows compiled code, with spills marked', async () => {
    await page.click('.codelens-decoration a:has-text("Show compiled code")');
    await until('a store', () => page.locator('#compiled-panel .compiled-store').count());
    await page.waitForSelector('#compiled-panel .view-line:has-text("LDG")');
    return `${await page.locator('#compiled-panel .compiled-store').count()} stores`;
  });
  await steps.step('playground: both cursors stay together', async () => {
    await goToLine(page, 46);
    await until('the line of the code', () => page.locator('#compiled-panel .linked-line').count());
    await page.click('#compiled-panel .view-line:has-text("spill %f2")');
    return until('the line of the source', async () => {
      const lines = await page.locator('#editor .linked-line').count();
      return lines > 0 && `${lines} linked`;
    });
  });
  await shot('compiled');
  await steps.step('playground: goes from compiled code to its source', async () => {
    await page.click('#compiled-panel .view-line:has-text("FADD") span span:has-text("R4")');
    await page.keyboard.press('F12');
    const isInSource = () =>
      page.evaluate(() => document.querySelector('#editor').contains(document.activeElement));
    // by what made the operand in the compiled code
    await wait(300);
    if (!(await isInSource())) await page.keyboard.press('F12');
    await until('the cursor in the source', isInSource);
    return statusOf(page);
  });
  await steps.step('playground: compares targets, and takes over a row', async () => {
    await page.click('#comparison-tab');
    await page.waitForSelector('.comparison .row.best', { timeout: 30_000 });
    await shot('comparison');
    await page.click('.comparison .row[aria-label^="architecture sm_90"]');
    await page.keyboard.press('Enter');
    await until('the model', async () => /^sm_90/.test(await statusOf(page)));
    await page.waitForSelector('.comparison .row[aria-label^="architecture sm_90, now"]', {
      timeout: 30_000,
    });
    await page.selectOption('#settings select', '');
    return statusOf(page);
  });
  await steps.step('playground: is walked through with the keyboard', async () => {
    await page.focus('#comparison-tab');
    await page.keyboard.press('Home');
    await until('the first tab', async () => (await focused(page)) === 'live-ranges-tab');
    await page.keyboard.press('ArrowLeft');
    await until('the last tab', async () => (await focused(page)) === 'comparison-tab');
    await page.keyboard.press('Home');
    await page.keyboard.press('F6');
    await until('the line at the bottom', async () => (await focused(page)) === 'findings');
    await page.keyboard.press('F6');
    await until('the top', async () => (await focused(page)) === 'examples');
    await page.keyboard.press('F6');
    await until('the editor', () =>
      page.evaluate(() => document.querySelector('#editor').contains(document.activeElement)),
    );
    await page.focus('#splitter');
    const width = () => page.$eval('#editor', (editor) => editor.getBoundingClientRect().width);
    const before = await width();
    await page.keyboard.press('ArrowRight');
    await until('a wider source', async () => (await width()) > before);
    await page.keyboard.press('ArrowLeft');
    await page.click('#keys');
    await page.waitForSelector('dialog[open]:has-text("F12")');
    await shot('keys');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
  });
  await steps.step('playground: fits windows of 1280 and 800 pixels, light and dark', async () => {
    const normal = page.viewportSize();
    for (const [width, height] of [
      [1280, 800],
      [800, 900],
    ]) {
      await page.setViewportSize({ width, height });
      for (const pane of ['live-ranges', 'control-flow', 'compiled', 'comparison']) {
        await page.click(`#${pane}-tab`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (overflow > 0) throw new Error(`${overflow} pixels too wide at ${width}`);
        await wait(700);
        await shot(`${width}-${pane}`);
      }
      await page.click('#theme');
      await wait(500);
      await shot(`${width}-other-theme`);
      await page.click('#theme');
    }
    await page.setViewportSize(normal);
    await page.click('#live-ranges-tab');
  });
}
