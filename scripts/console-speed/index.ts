/**
 * `npm run console:speed [seconds]`: measures the console with a fleet of 100,000 devices in a browser: first paint, the first
 * and the last devices of the list, and then, at 2,000 events a second, long tasks, frames and memory. It also measures what
 * listing the devices costs the service, in memory and in each database. It prints the figures and fails above the limits.
 * Default: 60 seconds.
 */

import { loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { openStore } from '../../src/cloud/open-store.js';
import { startService } from '../../src/cloud/service.js';
import { MemoryTables } from '../../src/cloud/store/memory/tables.js';
import { entropy } from '../../src/kernel/entropy.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../../test/support/cloud.js';
import { buildConsole, startBrowser } from '../../test/web/console.js';
import { fillFleet } from './fleet.js';
import { manyEvents } from './many-events.js';
import { listedFromStores } from './stores.js';

const DEVICES = 100_000;
const EVENTS = 2_000;
const KEY = 'a-key-for-measuring';
const seconds = Number(process.argv[2] ?? 60);

/** Limits in ms; of the growth of memory in MiB; of lists as multiples of what the store in memory costs the service. */
const LIMITS = {
  'first paint': 1_000,
  'first devices listed': 1_000,
  'longest task meanwhile': 100,
  'longest task': 100,
  'growth of memory': 40,
  'listed in the console, times': 2,
  'listed from SQLite, times': 5,
  'listed from PostgreSQL, times': 5,
} as const;

using built = await buildConsole();
const memory = new MemoryTables();
const options = {
  ...{ host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: KEY },
  ...{ clock: new RealClock(), random: entropy, trace: { emit: () => {} }, log: QUIET, webConsole: built.folder },
};
const service = await startService({ ...options, db: 'memory', embedded: { memory } });
const ids = await fillFleet(await openStore('memory', { memory }), service.spaceId, DEVICES);
const browser = await startBrowser();

/** Opens the console, and waits until all devices are listed. */
async function openFleet(origin: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.request.post(`${origin}/console/session`, { data: { credential: KEY }, headers: { origin } });
  const page = await context.newPage();
  await page.addInitScript(`
    window.tasks = []; window.begun = 0; window.listed = 0;
    new PerformanceObserver((list) => { for (const { startTime, duration } of list.getEntries()) tasks.push([startTime, duration]); })
      .observe({ type: 'longtask', buffered: true });
    const wait = setInterval(() => {
      if (document.querySelector('.fleet [aria-rowindex="2"]')) window.begun ||= performance.now();
      if (document.querySelector('#search-status')?.textContent !== '${DEVICES.toLocaleString('en')} devices') return;
      window.listed = performance.now();
      clearInterval(wait);
    }, 20);
  `);
  await page.goto(`${origin}/#/fleet`);
  // `waitForFunction` evaluates a text as code within the page, which the policy of the page forbids.
  while (!((await number(page, 'window.listed')) > 0)) await page.waitForTimeout(100);
  return page;
}

async function number(page: Page, expression: string): Promise<number> {
  return Number(await page.evaluate(expression));
}

async function longestTask(page: Page, from = 0): Promise<number> {
  return number(page, `Math.max(0, ...tasks.filter(([at]) => at > ${from}).map(([, took]) => took))`);
}

/** The wall of the overview, at the same events: frames, and tasks that delay them. */
async function measureOverview(): Promise<void> {
  await page.evaluate(`location.hash = '#/overview'`);
  await page.locator('.wall canvas').waitFor();
  await page.waitForTimeout(3_000);
  const began = await number(page, 'performance.now()');
  await page.evaluate('window.frames = 0; (function next() { frames++; requestAnimationFrame(next); })()');
  await page.waitForTimeout(seconds * 1_000);
  figures['overview: frames a second'] = (await number(page, 'frames')) / seconds;
  figures['overview: longest task'] = await longestTask(page, began);
}

// Opens the console at the service itself: the server that makes the events would use a part of the processor.
const first = await openFleet(service.api);
const figures: Record<string, number> = {
  'first paint': await number(first, "performance.getEntriesByName('first-contentful-paint')[0].startTime"),
  'first devices listed': await number(first, 'window.begun'),
  'all devices listed': await number(first, 'window.listed'),
  'longest task meanwhile': await longestTask(first),
};
await first.context().close();

const events = await manyEvents(service.api, ids, EVENTS);
const page = await openFleet(events.address);
events.start();
await page.waitForTimeout(5_000);
const used = async () => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1_048_576;
};
const before = await used();
const from = await number(page, 'performance.now()');
// Scrolls all the time, as a user would.
await page.evaluate(`
  window.frames = 0;
  (function scroll() {
    const fleet = document.querySelector('.fleet');
    if (!fleet) return;
    frames++;
    fleet.scrollTop += 40;
    requestAnimationFrame(scroll);
  })();
`);
await page.waitForTimeout(seconds * 1_000);
figures['frames a second'] = (await number(page, 'frames')) / seconds;
figures['longest task'] = await longestTask(page, from);
figures['tasks over 50 ms'] = await number(page, `tasks.filter(([at]) => at > ${from}).length`);
figures['memory at the beginning'] = before;
figures['growth of memory'] = (await used()) - before;
figures['events sent a second'] = events.sent() / (seconds + 5);
await measureOverview();
await browser.close();
await events.close();
await service.close();

const stores = await listedFromStores(options, DEVICES);
const inMemory = stores.get('memory') ?? 0;
figures['listed from memory, CPU'] = inMemory;
figures['listed in the console, times'] = (figures['all devices listed'] ?? 0) / inMemory;
for (const [name, took] of stores) if (name !== 'memory') figures[`listed from ${name}, times`] = took / inMemory;

let failed = false;
for (const [name, value] of Object.entries(figures)) {
  const limit = name in LIMITS ? LIMITS[name as keyof typeof LIMITS] : undefined;
  const isOver = limit !== undefined && value > limit;
  failed ||= isOver;
  process.stdout.write(
    `${name.padEnd(30)}${value.toFixed(name.endsWith('times') ? 1 : 0).padStart(8)}${limit === undefined ? '' : `  at most ${limit}`}${isOver ? '  FAILED' : ''}\n`,
  );
}
process.stdout.write(`${'load of the machine'.padEnd(30)}${loadavg()[0]?.toFixed(1).padStart(8)}\n`);
process.exitCode = failed ? 1 : 0;
