// The playground in Chromium, from a file server on this machine; a request to any other host fails, and is a fault.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPlayground } from '../../scripts/playground.mjs';
import { serveFolder } from '../../scripts/serve-folder.mjs';
import { until, wait } from './page.mjs';
import { editSource } from './playground-editing.mjs';
import { goToLine, statusOf } from './playground-page.mjs';
import { walkPanes } from './playground-panes.mjs';
import { createSteps } from './steps.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const screenshots = join(root, '.cache', 'screenshots');

async function drive(page, url, steps) {
  const source = readFileSync(join(root, 'examples', 'spill.ptx'), 'utf8').split('\n');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;
  const foreign = [];
  const errors = [];
  await page.route('**/*', (route) => {
    if (route.request().url().startsWith(url)) return route.continue();
    foreign.push(route.request().url());
    return route.abort();
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });

  await steps.step('opens with an example', async () => {
    await page.goto(url);
    await page.waitForSelector('.monaco-editor .view-line', { timeout: 60_000 });
    return until('figures', async () => {
      const text = await statusOf(page);
      return /sm_80/.test(text) && /spills [1-9]/.test(text) && text;
    });
  });
  await steps.step('underlines spilled registers', async () => {
    await goToLine(page, lineOf(/ld\.global\.f32 \t%f1,/));
    await page.waitForSelector('.monaco-editor .squiggly-warning', { timeout: 30_000 });
    return statusOf(page);
  });
  await steps.step('draws the live ranges', async () => {
    await page.waitForSelector('.live-ranges:not(.is-empty) canvas', { timeout: 30_000 });
    return (await page.textContent('.live-ranges .title')).slice(0, 120);
  });
  await steps.step('colours what the server tells apart', () =>
    until('tokens', async () => {
      const classes = await page.$$eval(
        '.view-line span span',
        (all) => new Set(all.map((x) => x.className)).size,
      );
      return classes > 3 && `${classes} colours`;
    }),
  );
  await steps.step('shows code lenses and inlay hints', async () => {
    const lens = await until('a code lens', () =>
      page.$$eval('.codelens-decoration', (all) =>
        all.map((x) => x.textContent).find((x) => /registers/.test(x)),
      ),
    ).catch(async () => {
      await goToLine(page, lineOf(/\.entry/));
      return until('a code lens', () =>
        page.$$eval('.codelens-decoration', (all) =>
          all.map((x) => x.textContent).find((x) => /registers/.test(x)),
        ),
      );
    });
    await goToLine(page, lineOf(/bar\.sync/));
    await until('a hint', async () =>
      /peak\s\d+\sas\swritten/.test(await page.textContent('.monaco-editor .view-lines')),
    );
    return lens;
  });
  await steps.step('the picture follows the cursor', () =>
    until('the line', async () =>
      (await page.textContent('.live-ranges aside h2')).includes(`Line ${lineOf(/bar\.sync/)}`),
    ),
  );
  await page.screenshot({ path: join(screenshots, 'playground.png') });
  await steps.step('hover on a register', async () => {
    const last = lineOf(/st\.global\.f32 \t\[%rd4\], %f47/);
    await goToLine(page, last, source[last - 1].indexOf('%f47') + 3);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
    const text = await until('the hover', async () =>
      (await page.$$eval('.monaco-hover', (all) => all.map((x) => x.textContent ?? ''))).find((x) =>
        /f32/.test(x),
      ),
    );
    await page.keyboard.press('Escape');
    return text.replace(/\s+/g, ' ').slice(0, 120);
  });
  await steps.step('goes to the definition', async () => {
    await page.keyboard.press('F12');
    await until('the cursor there', async () =>
      (await page.textContent('.live-ranges aside h2')).includes(`Line ${lineOf(/fma\.rn\.f32 \t%f47/)}`),
    );
  });
  await editSource(page, steps);
  await walkPanes(page, steps, screenshots);
  await page.selectOption('#examples', 'spill.ptx');
  await steps.step('an edit of the limit removes the spills', async () => {
    const limit = lineOf(/^\.maxnreg/);
    await goToLine(page, limit, source[limit - 1].length + 1);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('64');
    await page.waitForSelector('.monaco-editor .squiggly-warning', { state: 'detached', timeout: 15_000 });
    await goToLine(page, lineOf(/bar\.sync/));
    return until('no spills', async () => /limit 64/.test(await statusOf(page)) && statusOf(page));
  });
  await steps.step('the address keeps the text', async () => {
    await page.selectOption('#settings select', 'sm_90');
    await until('a fragment', () => /#ptx\/\w.*\?targets\.nvidia\.arch=sm_90/.test(page.url()));
    await page.reload();
    await page.waitForSelector('.monaco-editor .view-line', { timeout: 60_000 });
    return until('limit and setting', async () => {
      const text = await statusOf(page);
      return /^sm_90, limit 64/.test(text) && text;
    });
  });
  await steps.step('follows another address, and says when it holds nothing', async () => {
    await page.evaluate(() => (location.hash = '#saxpy.ptx'));
    await until('the example', async () => /saxpy/.test(await statusOf(page)));
    await page.evaluate(() => (location.hash = '#ptx/AAAA'));
    await until('a message', async () => /no text/.test(await page.textContent('#notice')));
    if (!/saxpy/.test(await statusOf(page))) throw new Error('the text is gone');
  });
  await steps.step('shows the control flow of another language', async () => {
    await page.selectOption('#examples', 'rain.gen');
    await page.click('#control-flow-tab');
    await page.waitForSelector('.control-flow:not(.is-empty) canvas', { timeout: 30_000 });
    return statusOf(page);
  });
  await steps.step('changes between light and dark', async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await background();
    await page.click('#theme');
    await until('another background', async () => (await background()) !== before);
    await wait(1000);
    await page.screenshot({ path: join(screenshots, 'playground-other-theme.png') });
  });
  await steps.step('asks no other host, and logs no error', () => {
    if (foreign.length > 0) throw new Error(`asked for ${foreign.join(', ')}`);
    if (errors.length > 0) throw new Error(errors.join('\n'));
  });
}

export async function runPlayground(executablePath) {
  mkdirSync(screenshots, { recursive: true });
  const steps = createSteps();
  const profile = mkdtempSync(join(tmpdir(), 'spillway-chromium-'));
  const { chromium } = await import('playwright-core');
  let server;
  let browser;
  try {
    server = await serveFolder(await buildPlayground());
    browser = await chromium.launchPersistentContext(profile, {
      executablePath,
      headless: true,
      viewport: { width: 1400, height: 900 },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    });
    await drive(browser.pages()[0] ?? (await browser.newPage()), server.url, steps);
  } catch (error) {
    steps.counts.failed++;
    console.log(`  FAIL ${error.stack}`);
  } finally {
    await browser?.close();
    server?.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
  return steps.counts;
}
