/** A day of virtual time with pages of the console open: their memory does not grow with it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '../support/until.js';
import { buildConsole, openPage, startBrowser } from './console.js';
import { startDemo } from './demo.js';

const FLEET = `name: day
duration: 30d
fleet:
  - { name: cellar, profile: clime, count: 5, boot: { over: 1m }, config: { interval-report: 600 } }
  - { name: pump, profile: control, count: 5, boot: { over: 1m }, config: { interval-report: 300, interval-poll: 300 } }
network:
  loss: 1%
  faults:
    - { outage: both, from: 1h, until: 100m, to: cellar }
    - { outage: both, from: 9h, until: 11h, to: cellar }
    - { outage: both, from: 18h, until: 19h, to: pump }
load:
  - { commands: [info show], rate: 40/h, from: 10m, until: 29d }
`;

const SPEED = 3600;
const HOUR = 3_600_000;

/** What a page holds, after a garbage collection. */
async function measure(page: Page) {
  const session = await page.context().newCDPSession(page);
  // Once is not enough: finalizers of the first collection release further objects.
  for (let n = 0; n < 2; n++) await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  const read = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return { heap: read('JSHeapUsedSize') / 1_048_576, nodes: read('Nodes'), listeners: read('JSEventListeners') };
}

it('the overview, the downlinks and a device stay open for a day of virtual time without growing', async () => {
  using built = await buildConsole();
  const folder = mkdtempSync(join(tmpdir(), 'gf-day-'));
  writeFileSync(join(folder, 'day.yaml'), FLEET);
  const demo = await startDemo(built.folder, ['--scenario', join(folder, 'day.yaml'), '--speed', String(SPEED)]);
  const browser = await startBrowser();
  const { page, context, complaints } = await openPage(browser);
  page.setDefaultTimeout(60_000);
  const { origin } = new URL(demo.link);
  await page.goto(demo.link);
  await page.locator('.wall').waitFor();
  const read = async (path: string) => (await page.request.get(`${origin}${path}`)).json();
  const after = (hours: number) => until(async () => (await read('/run')).now_ms > hours * HOUR, 200);
  const pause = (action: 'pause' | 'resume') =>
    page.request.post(`${origin}/run/${action}`, { data: {}, headers: { origin } });
  await after(0.2);
  const [space] = await read('/v2/spaces');
  const [pump] = await read(`/v2/spaces/${space.id}/devices?name=pump-0001`);
  const pages = new Map([['overview', page]]);
  const others = [
    { name: 'downlinks', fragment: '#/downlinks', ready: '.bars' },
    { name: 'device', fragment: `#/devices/${pump.id}`, ready: '.chart canvas' },
  ];
  for (const { name, fragment, ready } of others) {
    const opened = await context.newPage();
    opened.setDefaultTimeout(60_000);
    await opened.goto(`${origin}/${fragment}`);
    await opened.locator(ready).first().waitFor();
    pages.set(name, opened);
  }
  const measureAll = async () => {
    await pause('pause');
    const found = new Map<string, Awaited<ReturnType<typeof measure>>>();
    for (const [name, each] of pages) found.set(name, await measure(each));
    await pause('resume');
    return found;
  };
  await after(2);
  const early = await measureAll();
  await after(24);
  const late = await measureAll();
  for (const [name, { heap, nodes, listeners }] of late) {
    const before = early.get(name) ?? { heap: 0, nodes: 0, listeners: 0 };
    expect(heap, `MiB of the heap of the page "${name}"`).toBeLessThan(2 * before.heap);
    expect(nodes, `nodes of the page "${name}"`).toBeLessThan(2 * before.nodes);
    // A listener that is added every few seconds and never removed exceeds this within minutes.
    expect(listeners, `listeners of the page "${name}"`).toBeLessThan(before.listeners + 40);
  }
  expect(complaints).toEqual([]);
  await browser.close();
  expect((await demo.end()).exit).toBe(0);
  rmSync(folder, { recursive: true });
}, 1_800_000);
