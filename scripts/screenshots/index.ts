/**
 * `npm run screenshots [folder]`: pictures of all pages of the console, in both themes, 1280 and 400 pixels wide, for
 * reviewers to look at. Default folder: `runs/screenshots`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole, openConsole, startBrowser } from '../../test/web/console.js';
import { pagesOf } from '../../test/web/pages.js';
import { world } from '../../test/web/world.js';

const folder = process.argv[2] ?? 'runs/screenshots';
mkdirSync(folder, { recursive: true });
using built = await buildConsole();
const browser = await startBrowser();
const { service, cellar } = await world(built.folder);
await service.client.sendConfig(cellar.id, ['app config interval-report 900']);
const complaints: string[] = [];
for (const theme of ['dark', 'light'] as const) {
  for (const width of [1280, 400]) {
    const opened = await openConsole(browser, service, { theme, width });
    for (const { fragment, ready } of pagesOf(cellar.id)) {
      const { page } = opened;
      await page.goto(`${service.api}/${fragment}`);
      await page.locator(ready).first().waitFor();
      // Values that are asked for when they come into view.
      await page.waitForTimeout(300);
      const name = fragment.replace(cellar.id, 'device').replace(/[^a-z]+/g, '-');
      await page.screenshot({ path: join(folder, `${name.replace(/^-|-$/g, '')}.${theme}.${width}.png`) });
    }
    complaints.push(...opened.complaints);
    await opened.context.close();
  }
}
await browser.close();
await service.close();
process.stdout.write(`${pagesOf('').length * 4} pictures in ${folder}\n`);
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;
