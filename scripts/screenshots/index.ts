/**
 * `npm run screenshots [folder]`: pictures of all pages of the console, of a service and of a run, in both themes, 1280 and 400 pixels wide, and of the
 * presenter mode, for reviewers to look at. Each shows the whole page, up to a height of 3,200 pixels. Default folder:
 * `runs/screenshots`.
 * `npm run screenshots -- --docs` writes the pictures of the documentation instead.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../../test/support/until.js';
import { buildConsole, type Look, type OpenPage, openConsole, openPage, startBrowser } from '../../test/web/console.js';
import { startDemo } from '../../test/web/demo.js';
import { PAGES_OF_RUN, type PageOfConsole, pagesOf } from '../../test/web/pages.js';
import { type World, world } from '../../test/web/world.js';
import { MOMENT, picturesOfDocs } from './docs.js';

const LOOKS: readonly Look[] = (['dark', 'light'] as const).flatMap((theme) =>
  [1280, 400].map((width) => ({ theme, width })),
);

/** Height of the window in CSS pixels, and of the tallest picture. */
const HEIGHT = 800;
const TALLEST = 3200;

/** The pages of the presenter mode, which is for wide screens. */
const PRESENTED: readonly PageOfConsole[] = [
  { fragment: '?present#/overview', ready: '.happenings li' },
  { fragment: '?present#/downlinks', ready: '.lane' },
  { fragment: '?present#/run', ready: '.chart canvas' },
];

/** The pages that show more, or other things, in a run. */
const IN_RUN = /overview|fleet|devices\/[^/]+(\/queue)?$|downlinks/;

const isForDocs = process.argv.includes('--docs');
const folder = process.argv[2] ?? 'runs/screenshots';
using built = await buildConsole();
const browser = await startBrowser();
const complaints: string[] = [];
let pictures = 0;
if (isForDocs) {
  const paths = await picturesOfDocs(browser, built.folder);
  process.stdout.write(`${paths.join('\n')}\n`);
} else {
  mkdirSync(folder, { recursive: true });
  await picturesOfSpace();
  await picturesOfRun();
  process.stdout.write(`${pictures} pictures in ${folder}\n`);
}
await browser.close();
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function picturesOfSpace(): Promise<void> {
  // Time passes once more below.
  const here = await world(built.folder, 3.75);
  const { service, cellar } = here;
  await fill(here);
  await service.client.sendConfig(cellar.id, ['app config interval-report 900']);
  for (const look of LOOKS) {
    const opened = await openConsole(browser, service, look);
    await takePictures(opened, service.api, pagesOf(cellar.id), look, (name) => name.replace(cellar.id, 'device'));
  }
  await service.close();
}

/** Puts something on every page of the administration. */
async function fill({ service: { client }, time, cellar }: World): Promise<void> {
  const [cold] = await client.tags();
  const tags = cold ? [cold] : [];
  const transformation = "const main = ({ message }) => ({ url: 'https://hook.invalid', data: message.body });";
  await client.createConnector({ name: 'forward', transformation, triggers: ['data'], direction: 'up', tags });
  await client.createVariable({ name: 'site', value: 'Hall 3', device_id: cellar.id, comment: 'for the scripts' });
  await client.createVariable({ name: 'token', value: 'secret', secure: true });
  await client.createKey({ name: 'partner', access_type: 'read', tags });
  await client.inviteUser({ email: 'alex@example.com', name: 'Alex', role: 'user' });
  const image = await client.createFirmwareImage({ data: Buffer.alloc(3000, 7).toString('base64'), version: 'v4.1.0' });
  await client.updateFirmware(cellar.id, image.id);
  await time.advance('40m');
}

async function picturesOfRun(): Promise<void> {
  const demo = await startDemo(built.folder, ['--speed', '600']);
  const { origin } = new URL(demo.link);
  const first = await openPage(browser);
  await first.page.goto(demo.link);
  await first.page.locator('.wall canvas').waitFor();
  const read = async (path: string) => (await first.context.request.get(`${origin}${path}`)).json();
  await until(async () => (await read('/run')).now_ms > MOMENT, 200);
  const [{ id: space }] = await read('/v2/spaces');
  const [{ id: device }] = await read(`/v2/spaces/${space}/devices?name=cellar-0003`);
  const cookies = await first.context.cookies();
  await first.context.close();
  const ofRun = [...pagesOf(device).filter(({ fragment }) => IN_RUN.test(fragment)), ...PAGES_OF_RUN];
  for (const look of LOOKS) {
    const opened = await openPage(browser, look);
    await opened.context.addCookies(cookies);
    const pages = look.width > 1000 ? [...ofRun, ...PRESENTED] : ofRun;
    await takePictures(opened, origin, pages, look, (name) => `in-run-${name.replace(device, 'device')}`);
  }
  await demo.end();
}

async function takePictures(
  { page, context, complaints: found }: OpenPage,
  origin: string,
  pages: readonly PageOfConsole[],
  { theme, width }: Look,
  nameOf: (fragment: string) => string,
): Promise<void> {
  // On a busy machine, the thread that checks scenarios needs half a minute to load from the sources.
  page.setDefaultTimeout(120_000);
  for (const { fragment, ready } of pages) {
    await page.goto(`${origin}/${fragment}`);
    await page.locator(ready).first().waitFor();
    // Waits for values that the page requests when they come into view, and for charts that grow with time.
    await page.waitForTimeout(fragment.endsWith('#/run') ? 4_000 : 300);
    await showAll(page, width);
    const name = nameOf(fragment).replace(/[^a-z]+/g, '-');
    await page.screenshot({ path: join(folder, `${name.replace(/^-|-$/g, '')}.${theme}.${width}.png`) });
    pictures++;
    await page.setViewportSize({ width, height: HEIGHT });
  }
  complaints.push(...found);
  await context.close();
}

/**
 * The pages scroll in their main part, so a picture of the whole page needs a window as high as this part. The part can grow
 * once more in the larger window, so the window is enlarged several times.
 */
async function showAll(page: Page, width: number): Promise<void> {
  let shown = HEIGHT;
  for (let round = 0; round < 3; round++) {
    const height = await page.evaluate(`(() => {
      const main = document.querySelector('main');
      return main ? main.getBoundingClientRect().top + main.scrollHeight : 0;
    })()`);
    shown = Math.min(TALLEST, Math.max(shown, Math.ceil(Number(height))));
    await page.setViewportSize({ width, height: shown });
    await page.waitForTimeout(150);
  }
}
