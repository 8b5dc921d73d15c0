/**
 * The pictures of the documentation, `docs/pictures/*.webp`: the demo during its first outage, and the report of a run. WebP, made
 * by the browser, because each picture may have at most {@link MOST} bytes.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { ghostfleet } from '../../test/support/host.js';
import { until } from '../../test/support/until.js';
import { type Look, openPage } from '../../test/web/console.js';
import { startDemo } from '../../test/web/demo.js';

const FOLDER = 'docs/pictures';
const MOST = 60_000;
const SIZE = { width: 1280, height: 720 };
/** When the pictures are taken: the cellars are silent, and commands wait for them. In ms of the run. */
export const MOMENT = 7_500_000;

interface Picture {
  readonly name: string;
  /** @param device id of a device without network */
  readonly fragment: (device: string) => string;
  readonly ready: string;
  readonly theme?: Look['theme'];
}

const PICTURES: readonly Picture[] = [
  { name: 'overview', fragment: () => '#/overview', ready: '.happenings li' },
  { name: 'overview-dark', fragment: () => '#/overview', ready: '.happenings li', theme: 'dark' },
  { name: 'device', fragment: (device) => `#/devices/${device}`, ready: '.chart canvas' },
  { name: 'downlinks', fragment: () => '#/downlinks', ready: '.lane' },
  { name: 'run', fragment: () => '#/run', ready: '.chart canvas' },
];

/** @param webConsole folder with the built console @returns the paths of the pictures */
export async function picturesOfDocs(browser: Browser, webConsole: string): Promise<readonly string[]> {
  mkdirSync(FOLDER, { recursive: true });
  return [...(await picturesOfDemo(browser, webConsole)), await pictureOfReport(browser)];
}

async function picturesOfDemo(browser: Browser, webConsole: string): Promise<readonly string[]> {
  const demo = await startDemo(webConsole, ['--speed', '1200']);
  const { origin } = new URL(demo.link);
  const { page, context } = await openPage(browser);
  await page.goto(demo.link);
  await page.locator('.wall canvas').waitFor();
  const { request } = context;
  const read = async (path: string) => (await request.get(`${origin}${path}`)).json();
  await until(async () => (await read('/run')).now_ms > MOMENT, 200);
  await request.post(`${origin}/run/speed`, { data: { speed: 10 }, headers: { origin } });
  const [{ id: space }] = await read('/v2/spaces');
  const [{ id: device }] = await read(`/v2/spaces/${space}/devices?name=cellar-0003`);
  const cookies = await context.cookies();
  await context.close();
  const paths: string[] = [];
  for (const { name, fragment, ready, theme = 'light' } of PICTURES) {
    const opened = await openPage(browser, { theme, width: SIZE.width });
    await opened.context.addCookies(cookies);
    await opened.page.goto(`${origin}/${fragment(device)}`);
    await opened.page.locator(ready).first().waitFor();
    // For values that the page requests when they come into view.
    await opened.page.waitForTimeout(3_000);
    paths.push(await take(opened.page, name));
    await opened.context.close();
  }
  await demo.end();
  return paths;
}

async function pictureOfReport(browser: Browser): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gf-report-'));
  await ghostfleet(['run', 'scenarios/demo.yaml', '--out', folder]);
  const { page, context } = await openPage(browser, { theme: 'light', width: SIZE.width });
  await page.goto(pathToFileURL(resolve(folder, 'report.html')).href);
  const path = await take(page, 'report');
  await context.close();
  rmSync(folder, { recursive: true });
  return path;
}

/** Writes the visible part of a page in the best quality that is small enough. @throws Error if none is */
async function take(page: Page, name: string): Promise<string> {
  await page.setViewportSize(SIZE);
  await page.waitForTimeout(500);
  const png = (await page.screenshot()).toString('base64');
  const context = await page.context().browser()?.newContext();
  const blank = await context?.newPage();
  for (let quality = 90; quality >= 30; quality -= 10) {
    const webp = String(await blank?.evaluate(`(${CONVERT})('${png}', ${quality / 100})`));
    const bytes = Buffer.from(webp, 'base64');
    if (bytes.length > MOST) continue;
    await context?.close();
    const path = join(FOLDER, `${name}.webp`);
    writeFileSync(path, bytes);
    return path;
  }
  throw new Error(`the picture "${name}" has more than ${MOST} bytes`);
}

/** Runs in the browser: a PNG in base64 as WebP in base64. */
const CONVERT = `async (png, quality) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + png;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', quality).split(',')[1];
}`;
