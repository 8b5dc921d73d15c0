/** The accessibility of all pages of the console. */
import { expect, it } from 'vitest';
import { buildConsole, startBrowser, violationsOfPages } from './console.js';
import { pagesOf } from './pages.js';
import { world } from './world.js';

it('the console has no violation of accessibility on any page, in both themes', async () => {
  using built = await buildConsole();
  const [browser, { service, cellar }] = await Promise.all([startBrowser(), world(built.folder)]);
  expect(await violationsOfPages(browser, service, pagesOf(cellar.id))).toEqual([]);
  await browser.close();
  await service.close();
});
