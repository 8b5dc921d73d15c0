/**
 * `npm run screenshots [folder]`: pictures of all pages of the console, in both themes, 1280 and 400 pixels wide, for
 * reviewers to look at. Default folder: `runs/screenshots`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole, type Look, type OpenPage, openConsole, openPage, startBrowser } from '../../test/web/console.js';
import { startDemo } from '../../test/web/demo.js';
import { PAGES_OF_RUN, type PageOfConsole, pagesOf } from '../../test/web/pages.js';
import { world } from '../../test/web/world.js';

const LOOKS: readonly Look[] = (['dark', 'light'] as const).flatMap((theme) =>
  [1280, 400].map((width) => ({ theme, width })),
);

const folder = process.argv[2] ?? 'runs/screenshots';
mkdirSync(folder, { recursive: true });
using built = await buildConsole();
const browser = await startBrowser();
const complaints: string[] = [];
let pictures = 0;
await picturesOfSpace();
await picturesOfRun();
await browser.close();
process.stdout.write(`${pictures} pictures in ${folder}\n`);
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function picturesOfSpace(): Promise<void> {
  const { service, cellar } = await world(built.folder);
  await service.client.sendConfig(cellar.id, ['app config interval-report 900']);
  for (const look of LOOKS) {
    const opened = await openConsole(browser, service, look);
    await takePictures(opened, service.api, pagesOf(cellar.id), look, (name) => name.replace(cellar.id, 'device'));
  }
  await service.close();
}

async function picturesOfRun(): Promise<void> {
  const demo = await startDemo(built.folder, 600);
  const { origin } = new URL(demo.link);
  const first = await openPage(browser);
  await first.page.goto(demo.link);
  await first.page.getByText('300 devices', { exact: true }).waitFor();
  const cookies = await first.context.cookies();
  await first.context.close();
  for (const look of LOOKS) {
    const opened = await openPage(browser, look);
    await opened.context.addCookies(cookies);
    await takePictures(opened, origin, PAGES_OF_RUN, look, (name) => name);
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
  for (const { fragment, ready } of pages) {
    await page.goto(`${origin}/${fragment}`);
    await page.locator(ready).first().waitFor();
    // Values that are asked for when they come into view, and lines over time.
    await page.waitForTimeout(fragment === '#/run' ? 4_000 : 300);
    const name = nameOf(fragment).replace(/[^a-z]+/g, '-');
    await page.screenshot({ path: join(folder, `${name.replace(/^-|-$/g, '')}.${theme}.${width}.png`) });
    pictures++;
  }
  complaints.push(...found);
  await context.close();
}
