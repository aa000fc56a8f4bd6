import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { controlFlowView } from '../server/src/features/views/control-flow.js';
import type { FunctionView } from '../server/src/features/views/data.js';
import { shownFunction, type ShownFunction } from '../server/src/features/views/function.js';
import { liveRangesView } from '../server/src/features/views/live-ranges.js';
import { LineIndex } from '../server/src/text/line-index.js';
import type { Document } from '../server/src/workspace/document.js';
import { analyse, open } from './support/documents.js';
import { header, kernel } from './support/generate.js';
import { largeGenText } from './support/large-gen.js';
import { quantile, table } from './support/table.js';

/**
 * The pictures of large functions: what the server needs to make their content, its size, and how long a person waits
 * in a browser from its arrival to the first picture, in a page that has just been opened and after an edit. Where more
 * runs than there are processors, the gate looks at the time for which the page's thread was busy.
 */
const PAINT_MILLISECONDS = 200;
const PAGES = 4;
const EDITS = 3;

interface Subject {
  readonly name: string;
  readonly path: string;
  /** The text, and after an edit of one line: another one each time. */
  text(edit: number): string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Puts a line into the middle of a text, behind one that matches. */
function inserted(text: string, behind: RegExp, line: string): string {
  const lines = text.split('\n');
  let at = lines.length >> 1;
  while (at < lines.length && !behind.test(lines[at])) at++;
  return [...lines.slice(0, at + 1), line, ...lines.slice(at + 1)].join('\n');
}

function subjects(): Subject[] {
  const ptx = header + kernel('large', 10_080, 7);
  const gen = largeGenText(10_000, false);
  const gpir = readFileSync(`${root}examples/skinning.gpir`, 'utf8');
  return [
    {
      name: 'PTX',
      path: '/bench/large.ptx',
      text: (k) => (k === 0 ? ptx : inserted(ptx, /mul\.f32/, `\tmad.lo.s32 \t%r5, %r2, ${k + 3}, %r4;`)),
    },
    {
      name: 'Gen IR',
      path: '/bench/large.gen',
      text: (k) =>
        k === 0 ? gen : gen.replace(/(mul\(8\) vgrf50:F, vgrf\d+)\.\w+:F/, `$1.${'xyzw'[k % 4]}xyw:F`),
    },
    {
      name: 'gpir',
      path: '/bench/large.gpir',
      text: (k) => (k === 0 ? gpir : gpir.replace(/mul u0\.x/, `mul u${k}.x`)),
    },
  ];
}

const pictures = [
  { name: 'live ranges', script: 'live-ranges', view: liveRangesView },
  { name: 'control flow', script: 'control-flow', view: controlFlowView },
] as const;

type View = (document: Document, shown: ShownFunction) => FunctionView;

function contentOf(document: Document, view: View): { content: FunctionView; wire: string } {
  const shown = shownFunction(document, {});
  if (shown === undefined) throw new Error(`no function in ${document.uri}`);
  const content = view(document, shown);
  return { content, wire: JSON.stringify(content) };
}

/** A document after an edit that changes the whole text: the store finds what is the same. */
const editedTo = (document: Document, version: number, text: string): Document =>
  document.edited(version, LineIndex.of(text), {
    old: { start: 0, end: document.text.length },
    fresh: { start: 0, end: text.length },
  });

export async function views(): Promise<void> {
  const browser = await startBrowser();
  const rows: (string | number)[][] = [];
  let isMissed = false;
  for (const subject of subjects())
    for (const picture of pictures) {
      const row = await measure(subject, picture, browser);
      rows.push(row.cells);
      isMissed ||= row.isMissed;
    }
  await browser?.close();
  console.log(
    `views: pictures of a function, in milliseconds: medians of the server's, the fastest of ${PAGES} pages; gate: first paint below ${PAINT_MILLISECONDS} ms after the content came`,
  );
  const head = [
    'picture',
    'instructions',
    'content',
    'kB',
    'first paint',
    'busy for',
    'edit: content',
    'edit: paint',
    'gate',
  ];
  console.log(table(head, rows));
  if (isMissed) process.exitCode = 1;
}

async function measure(
  subject: Subject,
  { name, script, view }: (typeof pictures)[number],
  browser: Browser | undefined,
): Promise<{ cells: (string | number)[]; isMissed: boolean }> {
  let document = open(subject.path, subject.text(0));
  const { instructions } = analyse(document);
  const times: number[] = [];
  let wire = '';
  for (let k = 0; k < EDITS; k++) {
    const began = performance.now();
    ({ wire } = contentOf(document, view));
    times.push(performance.now() - began);
  }
  const afterEdits: string[] = [];
  const editTimes: number[] = [];
  for (let k = 1; k <= EDITS; k++) {
    const text = subject.text(k);
    const began = performance.now();
    document = editedTo(document, k + 1, text);
    afterEdits.push(contentOf(document, view).wire);
    editTimes.push(performance.now() - began);
  }
  const cells: (string | number)[] = [
    `${subject.name}: ${name}`,
    instructions,
    quantile(times, 0.5),
    Math.round(wire.length / 1000),
  ];
  const edited = quantile(editTimes, 0.5);
  if (browser === undefined)
    return { cells: [...cells, '–', '–', edited, '–', 'no browser'], isMissed: false };
  const first: Painted[] = [];
  const repaints: Painted[] = [];
  for (let k = 0; k < PAGES; k++) {
    const page = await openPage(browser, script);
    first.push(await paint(page, wire));
    if (k === 0) for (const next of afterEdits) repaints.push(await paint(page, next));
    await page.close();
  }
  const opened = fastest(first);
  const isHeld = opened.milliseconds < PAINT_MILLISECONDS;
  const isLoaded = loadavg()[0] > availableParallelism();
  const isMissed = !isHeld && !(isLoaded && opened.busy < PAINT_MILLISECONDS);
  const held = isHeld ? 'held' : 'held by what it was busy for: the machine has other work';
  return {
    cells: [
      ...cells,
      opened.milliseconds,
      opened.busy,
      edited,
      fastest(repaints).milliseconds,
      isMissed ? 'missed' : held,
    ],
    isMissed,
  };
}

/** How long a picture took, and for how much of it the page's main thread was busy, in milliseconds. */
interface Painted {
  readonly milliseconds: number;
  readonly busy: number;
}

/** What else the machine does only adds to a time. */
const fastest = (all: readonly Painted[]): Painted =>
  all.reduce((best, one) => (one.milliseconds < best.milliseconds ? one : best));

/** An installed Chromium, or undefined with a message. */
async function startBrowser(): Promise<Browser | undefined> {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const found = spawnSync('which', names, { encoding: 'utf8' }).stdout?.trim().split('\n')[0];
  if (found === undefined || found === '') {
    console.log('views: no Chromium is installed; what a browser needs is left out');
    return undefined;
  }
  if (!existsSync(`${root}dist/views/live-ranges.js`)) {
    console.log('views: dist/views is absent; `npm run bench` makes it');
    return undefined;
  }
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-gpu'] });
}

/** A page with the picture as the extension ships it, and a host that counts. */
async function openPage(browser: Browser, script: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  const style = readFileSync(`${root}dist/views/views.css`, 'utf8');
  await page.setContent(`<!doctype html><style>${style}</style><body class="vscode-dark"></body>`);
  await page.evaluate(
    'globalThis.acquireVsCodeApi = () => ({ postMessage() {}, getState() {}, setState() {} })',
  );
  await page.addScriptTag({ content: readFileSync(`${root}dist/views/${script}.js`, 'utf8') });
  return page;
}

/** From the arrival of the content to the end of the frame in which it is drawn. */
async function paint(page: Page, wire: string): Promise<Painted> {
  await page.evaluate(`globalThis.content = JSON.parse(${JSON.stringify(wire)}); undefined`);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
  };
  const before = await busy();
  const milliseconds = await page.evaluate<number>(`new Promise((done) => {
    let came;
    // before the picture's own listener, which asks for the frame that is waited for
    addEventListener('message', () => {
      came = performance.now();
      setTimeout(() => requestAnimationFrame(() => setTimeout(() => done(performance.now() - came))));
    }, { once: true, capture: true });
    postMessage({ type: 'content', content: globalThis.content, cursor: globalThis.content.line + 40 }, '*');
  })`);
  const painted = { milliseconds, busy: (await busy()) - before };
  await session.detach();
  return painted;
}
