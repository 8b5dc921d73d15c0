/**
 * `npm run console:speed [seconds]`: measures the console with a fleet of 100,000 devices in a browser: first paint, the time
 * until all devices are listed, and then, at 2,000 events a second, long tasks, frames and memory. It prints the figures and
 * fails above the limits. Default: 60 seconds.
 */

import { startService } from '../../src/cloud/service.js';
import { MemoryTables } from '../../src/cloud/store/memory/tables.js';
import { entropy } from '../../src/kernel/entropy.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../../test/support/cloud.js';
import { buildConsole, startBrowser } from '../../test/web/console.js';
import { fillFleet } from './fleet.js';
import { manyEvents } from './many-events.js';

const DEVICES = 100_000;
const EVENTS = 2_000;
const KEY = 'a-key-for-measuring';
const seconds = Number(process.argv[2] ?? 60);

/** Limits in ms, except for the growth in MB. */
const LIMITS = {
  'first paint': 1_000,
  'all devices listed': 2_000,
  'longest task': 100,
  'growth of memory': 40,
} as const;

using built = await buildConsole();
const memory = new MemoryTables();
const service = await startService({
  ...{ db: 'memory', memory, host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: KEY },
  ...{ clock: new RealClock(), random: entropy, trace: { emit: () => {} }, log: QUIET, webConsole: built.folder },
});
const ids = await fillFleet(memory, service.spaceId, DEVICES);
const events = await manyEvents(service.api, ids, EVENTS);
const browser = await startBrowser();
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
await context.request.post(`${events.address}/console/session`, {
  data: { credential: KEY },
  headers: { origin: events.address },
});
const page = await context.newPage();
await page.addInitScript(`
  window.tasks = []; window.listed = 0;
  new PerformanceObserver((list) => { for (const { startTime, duration } of list.getEntries()) tasks.push([startTime, duration]); })
    .observe({ type: 'longtask', buffered: true });
  const wait = setInterval(() => {
    if (document.querySelector('#search-status')?.textContent !== '${DEVICES.toLocaleString('en')} devices') return;
    window.listed = performance.now();
    clearInterval(wait);
  }, 20);
`);
await page.goto(events.address);
const number = async (expression: string) => Number(await page.evaluate(expression));
// The policy of the page forbids texts as code within the page, which `waitForFunction` needs.
while (!((await number('window.listed')) > 0)) await page.waitForTimeout(100);
const figures: Record<string, number> = {
  'first paint': await number("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
  'all devices listed': await number('window.listed'),
};
events.start();
await page.waitForTimeout(5_000);
const used = async () => {
  const session = await context.newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1_048_576;
};
const before = await used();
const from = await number('performance.now()');
// Scrolls all the time, as a user would.
await page.evaluate(`
  window.frames = 0;
  (function scroll() { frames++; document.querySelector('.fleet').scrollTop += 40; requestAnimationFrame(scroll); })();
`);
await page.waitForTimeout(seconds * 1_000);
const tasks = (await page.evaluate(
  `tasks.filter(([at]) => at > ${from}).map(([, took]) => took)`,
)) as readonly number[];
figures['frames a second'] = (await number('frames')) / seconds;
figures['longest task'] = Math.max(0, ...tasks);
figures['tasks over 50 ms'] = tasks.length;
figures['memory at the beginning'] = before;
figures['growth of memory'] = (await used()) - before;
figures['events sent a second'] = events.sent() / (seconds + 5);
await browser.close();
await events.close();
await service.close();

let failed = false;
for (const [name, value] of Object.entries(figures)) {
  const limit = name in LIMITS ? LIMITS[name as keyof typeof LIMITS] : undefined;
  const isOver = limit !== undefined && value > limit;
  failed ||= isOver;
  process.stdout.write(
    `${name.padEnd(26)}${value.toFixed(0).padStart(8)}${limit === undefined ? '' : `  at most ${limit}`}${isOver ? '  FAILED' : ''}\n`,
  );
}
process.exitCode = failed ? 1 : 0;
