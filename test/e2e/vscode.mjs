// VS Code's own server and the packaged extension, driven in Chromium as a person would: open an example, see a spill
// warning, hover, go to a definition, lose the server and get it back, edit, see the warning go. Screenshots stay in .cache/screenshots.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makePackage } from '../../scripts/package.mjs';
import { cursorAt, goToLine, hoverAtCursor, openFile, problems, until, wait } from './page.mjs';
import { createSteps } from './steps.mjs';
import { driveCompare } from './vscode-compare.mjs';
import { driveCompiled } from './vscode-compiled.mjs';
import { driveGen } from './vscode-gen.mjs';
import { driveGpir } from './vscode-gpir.mjs';
import { driveLines } from './vscode-lines.mjs';
import { driveRewrites } from './vscode-rewrites.mjs';
import { driveViews } from './vscode-views.mjs';
import { driveWeb } from './vscode-web.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const screenshots = join(root, '.cache', 'screenshots');

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** A program that reports of the example's kernel what ptxas might. */
function fakePtxas(folder) {
  const path = join(folder, 'ptxas');
  const lines = [
    "ptxas info    : Compiling entry function '%s' for 'sm_80'",
    'ptxas info    : Function properties for %s',
    '    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads',
    'ptxas info    : Used 123 registers, used 0 barriers, 360 bytes cmem[0]',
  ].map((line) => line.replace('%s', 'keep_over_barrier'));
  writeFileSync(path, `#!/bin/sh\ncat >&2 <<'END'\n${lines.join('\n')}\nEND\n`, { mode: 0o755 });
  return path;
}

/**
 * The installed extension in a folder of its own, as a host without Node sees it: with the entry `browser` alone. VS Code
 * prefers the host with Node where it has both.
 */
function webExtension(home, version) {
  const folder = join(home, 'extension');
  cpSync(join(home, 'extensions', `spillway.spillway-${version}`), folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  delete manifest.main;
  delete manifest.__metadata;
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  return folder;
}

/** A folder with a user's settings, a workspace copied from examples/, and a running VS Code with the extension. */
async function startVscode(serverMain, extensionPackage, isWeb = false) {
  const home = mkdtempSync(join(tmpdir(), 'spillway-vscode-'));
  const workspace = join(home, 'workspace');
  cpSync(join(root, 'examples'), workspace, { recursive: true });
  mkdirSync(join(home, 'data', 'Machine'), { recursive: true });
  const settings = {
    'files.autoSave': 'off',
    'workbench.startupEditor': 'none',
    'editor.minimap.enabled': false,
    'spillway.ptx.ptxas': fakePtxas(home),
  };
  writeFileSync(join(home, 'data', 'Machine', 'settings.json'), JSON.stringify(settings));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const common = [
    '--accept-server-license-terms',
    ...['--server-data-dir', join(home, 'server')],
    ...['--user-data-dir', join(home, 'data')],
  ];
  const extensions = ['--extensions-dir', join(home, 'extensions')];
  const env = { ...process.env, HOME: home, TMPDIR: home };
  const installed = spawnSync(
    process.execPath,
    [serverMain, ...common, ...extensions, '--install-extension', extensionPackage],
    { env, encoding: 'utf8' },
  );
  if (installed.status !== 0)
    throw new Error(`the extension does not install:\n${installed.stdout}${installed.stderr}`);
  const extension = isWeb ? webExtension(home, version) : undefined;
  if (isWeb) extensions[1] = join(home, 'no-extensions');
  const port = await freePort();
  const options = ['--without-connection-token', '--telemetry-level', 'off', '--disable-workspace-trust'];
  const child = spawn(
    process.execPath,
    [serverMain, ...common, ...extensions, '--host', '127.0.0.1', '--port', `${port}`, ...options],
    {
      env,
      detached: true,
      stdio: 'ignore',
    },
  );
  await until('VS Code answers', () =>
    fetch(`http://127.0.0.1:${port}/version`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  return {
    port,
    workspace,
    /** Of the extension, where it is not installed. */
    extension,
    serverProcesses: () => languageServers(workspace).length,
    async stop() {
      try {
        process.kill(-child.pid, 'SIGTERM');
        await wait(500);
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // it has ended by itself
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The processes of the language server that run beside this workspace, by their command lines. */
function languageServers(workspace) {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  const home = dirname(workspace);
  return stdout
    .split('\n')
    .filter((entry) => entry.includes(join(home, 'extensions')) && entry.includes('server.cjs'))
    .map((entry) => Number.parseInt(entry, 10));
}

const languageServer = (workspace) => languageServers(workspace)[0];

async function startBrowser(executablePath, folder) {
  const { chromium } = await import('playwright-core');
  return chromium.launchPersistentContext(folder, {
    executablePath,
    headless: true,
    viewport: { width: 1400, height: 900 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

async function drive(page, vscode, steps) {
  const { workspace } = vscode;
  const source = readFileSync(join(workspace, 'spill.ptx'), 'utf8').split('\n');
  const lineOf = (pattern) => source.findIndex((line) => pattern.test(line)) + 1;
  const shot = (name) => page.screenshot({ path: join(screenshots, `${name}.png`) });

  await steps.step('opens an example', async () => {
    await openFile(page, vscode, 'spill.ptx');
  });
  await steps.step('underlines spilled registers', async () => {
    await page.waitForSelector('.monaco-editor .squiggly-warning', { timeout: 30_000 });
    return `${await page.locator('.monaco-editor .squiggly-warning').count()} underlined`;
  });
  await steps.step('shows the kernel in a code lens', async () => {
    const lens = await until(
      'a code lens',
      async () => (await page.$$eval('.codelens-decoration', (all) => all.map((x) => x.textContent)))[0],
    );
    if (!/sm_80/.test(lens) || !/registers/.test(lens)) throw new Error(`unexpected code lens: ${lens}`);
    return lens;
  });
  await steps.step('shows what ptxas says in a second code lens', () =>
    until('a code lens of ptxas', async () =>
      (await page.$$eval('.codelens-decoration', (all) => all.map((x) => x.textContent))).find((text) =>
        /ptxas, sm_80 · 123 registers/.test(text),
      ),
    ),
  );
  await steps.step('names the target in the status bar', () =>
    until('a status item', async () => {
      const text = await page
        .locator('#spillway\\.spillway\\.spillway\\.status, [id$="spillway.status"]')
        .first()
        .textContent({ timeout: 1000 })
        .catch(() => '');
      return /sm_80/.test(text) && text;
    }),
  );
  await shot('open');
  await steps.step('lists the spills in the problems panel', async () => {
    await page.keyboard.press('Control+Shift+M');
    const rows = await until('rows', async () => {
      const all = (await problems(page)).filter((row) => /spill/.test(row));
      return all.length > 0 && all;
    });
    return rows[0].slice(0, 160);
  });
  await shot('problems');
  await page.keyboard.press('Control+Shift+M');
  await page.locator('.monaco-editor .view-line').first().click();

  const last = lineOf(/st\.global\.f32 \t\[%rd4\], %f47/);
  await steps.step('shows inlay hints at the peak', async () => {
    await goToLine(page, lineOf(/bar\.sync/));
    return until('a pressure hint', async () => {
      const text = await page.$$eval('.monaco-editor .view-lines', (all) =>
        all.map((x) => x.textContent).join(' '),
      );
      return /peak\s\d+\sas\swritten/.exec(text)?.[0];
    });
  });
  await shot('peak');
  await steps.step('hover on a register', async () => {
    await goToLine(page, last, source[last - 1].indexOf('%f47') + 3);
    return hoverAtCursor(page, /f32/);
  });
  await wait(400);
  await shot('hover');
  await page.keyboard.press('Escape');
  await steps.step('goes to the definition', async () => {
    const definition = lineOf(/fma\.rn\.f32 \t%f47/);
    await goToLine(page, last, source[last - 1].indexOf('%f47') + 3);
    await page.keyboard.press('F12');
    await cursorAt(page, new RegExp(`Ln ${definition}, `));
    return `line ${definition}`;
  });
  await steps.step('an edit of the limit removes the warnings', async () => {
    const limit = lineOf(/^\.maxnreg/);
    await goToLine(page, limit, source[limit - 1].length + 1);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('64');
    await page.waitForSelector('.monaco-editor .squiggly-warning', { state: 'detached', timeout: 15_000 });
    await page.waitForSelector('.codelens-decoration:has-text("limit 64")', {
      state: 'attached',
      timeout: 15_000,
    });
  });
  await shot('fixed');
  await steps.step('shows no notification unasked', async () => {
    const toasts = await page.$$eval('.notification-toast .notification-list-item-message', (all) =>
      all.map((x) => x.textContent),
    );
    if (toasts.length > 0) throw new Error(toasts.join('; '));
  });
  await steps.step('starts the server again after a crash and says so', async () => {
    process.kill(await until('the server process', () => languageServer(workspace)), 'SIGKILL');
    await page.waitForSelector('.notification-toast :text("has been started again")', { timeout: 30_000 });
    await shot('crashed');
    const limit = lineOf(/^\.maxnreg/);
    await goToLine(page, limit, source[limit - 1].length + 1);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('24');
    await page.waitForSelector('.codelens-decoration:has-text("limit 24")', {
      state: 'attached',
      timeout: 60_000,
    });
    await page.waitForSelector('.monaco-editor .squiggly-warning', { timeout: 60_000 });
  });
  await steps.step('shows the findings again after a crash without an edit', async () => {
    const crashed = await until('the server process', () => languageServer(workspace));
    process.kill(crashed, 'SIGKILL');
    await until('another server process', () => {
      const now = languageServer(workspace);
      return now !== undefined && now !== crashed;
    });
    await wait(2000);
    await page.waitForSelector('.monaco-editor .squiggly-warning', { timeout: 30_000 });
  });
}

/** In this order, in one browser; SPILLWAY_E2E_PART names those to run, with commas. */
const parts = {
  ptx: drive,
  gpir: driveGpir,
  gen: driveGen,
  compiled: driveCompiled,
  compare: driveCompare,
  views: driveViews,
  lines: driveLines,
  rewrites: driveRewrites,
};

export async function runVscode(serverMain, chromium) {
  mkdirSync(screenshots, { recursive: true });
  const steps = createSteps();
  const profile = mkdtempSync(join(tmpdir(), 'spillway-chromium-'));
  let vscode;
  let browser;
  try {
    const extensionPackage = await makePackage();
    browser = await startBrowser(chromium, profile);
    const page = browser.pages()[0] ?? (await browser.newPage());
    const only = process.env.SPILLWAY_E2E_PART?.split(',');
    const isWanted = (part) => only === undefined || only.includes(part);
    const wanted = Object.keys(parts).filter(isWanted);
    if (wanted.length > 0) vscode = await startVscode(serverMain, extensionPackage);
    for (const part of wanted) await parts[part](page, vscode, steps, screenshots);
    if (isWanted('web')) {
      await page.goto('about:blank');
      await vscode?.stop();
      vscode = await startVscode(serverMain, extensionPackage, true);
      await driveWeb(page, vscode, steps, screenshots);
    }
  } catch (error) {
    steps.counts.failed++;
    console.log(`  FAIL ${error.stack}`);
  } finally {
    await browser?.close();
    await vscode?.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
  return steps.counts;
}
