/** The console in a real browser, with a real service and virtual devices. All tests share one browser and one service. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { connectionSuite } from './connection-suite.js';
import { demoSuite } from './demo-suite.js';
import { deviceSuite } from './device-suite.js';
import { fleetSuite } from './fleet-suite.js';
import { placeSuite } from './place-suite.js';
import { shareConsole } from './shared-console.js';
import { spaceSuite } from './space-suite.js';

const { browser, built, here, open, complaints } = shareConsole();

describe('the console', () => {
  it('asks browsers not to translate it, because a translated text no longer changes with its value', async () => {
    const page = await open('#/fleet');
    expect(await page.evaluate('document.querySelector("h1, h2").translate')).toBe(false);
  });

  it('loads less than 300 kB of compressed scripts and styles for its first page', () => {
    const { folder } = built();
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const files = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
    expect(readdirSync(join(folder, 'assets')).length).toBeGreaterThan(files.length);
    expect(files.length).toBeGreaterThan(1);
    const size = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
    expect(size).toBeLessThan(300_000);
  });

  fleetSuite(here, open, 'main');
  deviceSuite(here, open, 'main');
  placeSuite(here, open, 'main');
  spaceSuite(browser, here, open, 'main');
  demoSuite(browser, built, 'main');
  connectionSuite(browser, built, 'main');

  // This test is the last one, because it checks what the browser has reported for the shared page during the tests above.
  it('causes no errors, no warnings and no violations of its content security policy', () => {
    expect(complaints()).toEqual([]);
  });
});
