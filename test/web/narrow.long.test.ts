/** The console in a window as narrow as that of a phone. */
import { expect, it } from 'vitest';
import { buildConsole, openConsole, startBrowser } from './console.js';
import { pagesOf } from './pages.js';
import { world } from './world.js';

/** As long as a name of a device can be, with and without places to wrap it. */
const LONG = ['Temperature of the cold store in the third hall, behind the door', 'W'.repeat(64)];

it.each(LONG)(
  'no page is wider than 400 pixels, also with the longest name of a device: %s',
  async (name) => {
    using built = await buildConsole();
    const [browser, { service, cellar }] = await Promise.all([startBrowser(), world(built.folder)]);
    await service.client.updateDevice(cellar.id, { name });
    await service.client.sendCommands(cellar.id, [`info ${'x'.repeat(100)}`]);
    const { page, context } = await openConsole(browser, service, { theme: 'light', width: 400 });
    const wide: string[] = [];
    for (const { fragment, ready } of pagesOf(cellar.id)) {
      await page.goto(`${service.api}/${fragment}`);
      await page.locator(ready).first().waitFor();
      const isWide = await page.evaluate(
        '[document.documentElement, ...document.querySelectorAll("main, h1")].some((part) => part.scrollWidth > part.clientWidth)',
      );
      if (isWide) wide.push(fragment);
    }
    expect([name.length, wide]).toEqual([64, []]);
    await context.close();
    await browser.close();
    await service.close();
  },
  120_000,
);
