/** The accessibility of all pages of the console. */
import { expect, it } from 'vitest';
import { buildConsole, openPage, startBrowser, violationsInThemes, violationsOfPages } from './console.js';
import { startDemo } from './demo.js';
import { PAGES_OF_RUN, pagesOf } from './pages.js';
import { world } from './world.js';

it('the console has no violation of accessibility on any page, in both themes', async () => {
  using built = await buildConsole();
  const [browser, { service, cellar }] = await Promise.all([startBrowser(), world(built.folder)]);
  expect(await violationsOfPages(browser, service, pagesOf(cellar.id))).toEqual([]);
  await browser.close();
  await service.close();
});

it('the pages of a run have no violation of accessibility either, also in the presenter mode', async () => {
  using built = await buildConsole();
  const [browser, demo] = await Promise.all([startBrowser(), startDemo(built.folder, ['--speed', '600'])]);
  const { page, context } = await openPage(browser);
  await page.goto(demo.link);
  await page.locator('.wall canvas').waitFor();
  const { origin } = new URL(demo.link);
  const found: string[] = [];
  for (const { fragment, ready } of [...PAGES_OF_RUN, { fragment: '#/overview', ready: '.happenings li' }]) {
    for (const query of ['', '?present']) {
      if (query !== '' && !/overview|run/.test(fragment)) continue;
      await page.goto(`${origin}/${query}${fragment}`);
      await page.locator(ready).first().waitFor();
      for (const violation of await violationsInThemes(page)) found.push(`${query}${fragment}: ${violation}`);
    }
  }
  expect(found).toEqual([]);
  await context.close();
  await demo.end();
  await browser.close();
}, 120_000);
