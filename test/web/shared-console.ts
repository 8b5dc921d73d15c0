/** The console in a browser that all tests of a file share. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type BuiltConsole, buildConsole, type OpenPage, openConsole, startBrowser } from './console.js';
import { type World, world } from './world.js';

/** Tests of each change, or further ones of `npm run test:long`. */
export type Part = 'main' | 'further';

/** Starts the browser and the service before the tests of a file, and ends them afterwards. */
export function shareConsole() {
  let browser: Browser;
  let built: BuiltConsole;
  let here: World;
  let shared: OpenPage;

  beforeAll(async () => {
    [browser, built] = await Promise.all([startBrowser(), buildConsole()]);
    here = await world(built.folder);
    shared = await openConsole(browser, here.service);
  });
  afterAll(async () => {
    await browser?.close();
    await here?.service.close();
    built?.[Symbol.dispose]();
  });

  /** Opens a page in the shared browser. */
  async function open(fragment: string): Promise<Page> {
    const { page } = shared;
    // First opens an unknown page, so that the wanted page begins anew. The wait is needed because a page notices only the last
    // of two quick changes of the fragment.
    await page.goto(`${here.service.api}/#/none`);
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
    await page.goto(`${here.service.api}/${fragment}`);
    return page;
  }

  return {
    browser: () => browser,
    built: () => built,
    here: () => here,
    open,
    /** What the browser has reported for the shared page, without the rejected changes that tests cause. */
    // Of a locked variable, and of a device that others have changed.
    complaints: () => shared.complaints.filter((text) => !/status of (412|423)/.test(text)),
  };
}
