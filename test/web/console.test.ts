/** The console in a real browser, with a real service and virtual devices. All tests share one browser and one service. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionSuite } from './connection-suite.js';
import {
  type BuiltConsole,
  buildConsole,
  type OpenPage,
  openConsole,
  startBrowser,
  violationsOfPages,
} from './console.js';
import { demoSuite } from './demo-suite.js';
import { deviceSuite } from './device-suite.js';
import { fleetSuite } from './fleet-suite.js';
import { pagesOf } from './pages.js';
import { runSuite } from './run-suite.js';
import { spaceSuite } from './space-suite.js';
import { type World, world } from './world.js';

/** Pages of tables and lists. */
const ALIKE = /\/(messages|updates|deliveries|spaces|tags|connectors|images|keys|users|audit|nowhere)$/;

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

describe('the console', () => {
  it('asks browsers not to translate it, because a translated text no longer changes with its value', async () => {
    const page = await open('#/fleet');
    expect(await page.evaluate('document.querySelector("h1, h2").translate')).toBe(false);
  });

  it('loads less than 300 kB of compressed scripts and styles for its first page', () => {
    const page = readFileSync(join(built.folder, 'index.html'), 'utf8');
    const files = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
    expect(readdirSync(join(built.folder, 'assets')).length).toBeGreaterThan(files.length);
    expect(files.length).toBeGreaterThan(1);
    const size = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(built.folder, name))).length, 0);
    expect(size).toBeLessThan(300_000);
  });

  it('has no violation of accessibility on pages of each kind, in both themes', async () => {
    // The others consist of the same parts; accessibility.long.test.ts checks them.
    const pages = pagesOf(here.cellar.id).filter(({ fragment }) => !ALIKE.test(fragment));
    expect(pages.length).toBeGreaterThan(7);
    expect(await violationsOfPages(browser, here.service, pages)).toEqual([]);
  });

  fleetSuite(() => here, open);
  deviceSuite(() => here, open);
  spaceSuite(() => here, open);
  runSuite(
    () => browser,
    () => here,
  );
  demoSuite(
    () => browser,
    () => built,
  );
  connectionSuite(
    () => browser,
    () => built,
  );

  // This test is the last one, because it checks what the browser has reported for the shared page during the tests above.
  it('causes no errors, no warnings and no violations of its content security policy', () => {
    // The browser reports rejected changes as errors: of a locked variable, and of a device that others have changed.
    expect(shared.complaints.filter((text) => !/status of (412|423)/.test(text))).toEqual([]);
  });
});
