/** The story of the demo, from an outage on the overview to the comparison of two courses of the same run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../support/until.js';
import { buildConsole, openPage, startBrowser } from './console.js';
import { startDemo } from './demo.js';

const FLEET = `name: story
duration: 30d
fleet:
  - { name: cellar, profile: clime, count: 6, boot: { over: 1m }, config: { interval-report: 900 } }
  - { name: pump, profile: control, count: 6, boot: { over: 1m }, config: { interval-poll: 300 } }
network:
  latency: 150ms..900ms
  faults:
    - { outage: both, from: 60m, until: 10h, to: cellar }
steps:
  - { at: 131m, to: cellar/1, commands: [info show] }
expect:
  - device.ready == fleet.devices
`;

const [FAST, SLOW] = [1200, 10];
/** Real time in which the page must show what happened, in ms. */
const AT_ONCE = 5_000;

it('shows an outage, what a command waits for, and what would have been without the outage', async () => {
  using built = await buildConsole();
  const folder = mkdtempSync(join(tmpdir(), 'gf-story-'));
  writeFileSync(join(folder, 'story.yaml'), FLEET);
  const demo = await startDemo(built.folder, ['--scenario', join(folder, 'story.yaml'), '--speed', String(FAST)]);
  const browser = await startBrowser();
  const { page, context, complaints } = await openPage(browser);
  page.setDefaultTimeout(45_000);
  const { origin } = new URL(demo.link);
  await page.goto(demo.link);
  await page.locator('.wall').waitFor();
  const state = async () => (await page.request.get(`${origin}/run`)).json();
  const atSpeed = async (speed: number) => {
    await page.request.post(`${origin}/run/speed`, { data: { speed }, headers: { origin } });
  };
  const after = (minutes: number) => until(async () => (await state()).now_ms > minutes * 60_000, 50);

  // The outage is on the overview as soon as it begins, and its devices become silent.
  await after(60);
  const faults = page.locator('.card', { hasText: 'Faults in force' });
  await faults.getByText('outage (cellar)').waitFor({ timeout: AT_ONCE });
  expect(await faults.locator('.number').textContent()).toBe('1');
  await after(130);
  await atSpeed(SLOW);
  await page.getByRole('application', { name: /: 6 on time, 0 late, 6 silent/ }).waitFor({ timeout: AT_ONCE });

  // A command to a device without network: its lane waits for the outage, by name.
  const spaces = await (await page.request.get(`${origin}/v2/spaces`)).json();
  const of = `${origin}/v2/spaces/${spaces[0].id}/devices`;
  await page.getByRole('link', { name: 'Downlinks', exact: true }).click();
  await page.getByRole('heading', { name: /outage \(cellar\)/ }).waitFor();
  const lane = page.locator('.lane', { hasText: 'cellar-0001' }).filter({ hasText: 'info show' });
  await lane.getByText('waiting: now').waitFor({ state: 'attached' });
  await atSpeed(FAST);
  await after(160);
  await atSpeed(SLOW);
  await lane.getByRole('button', { name: 'Details of info show' }).click();
  await lane.getByRole('button', { name: /^What if\?/ }).click();
  await expect
    .poll(() => lane.locator('.what-if li').allTextContents())
    .toContainEqual(expect.stringContaining('without outage (cellar): '));

  // A command to a sleeping device travels its lane to the answer.
  const [pump] = await (await page.request.get(`${of}?name=pump-0001`)).json();
  await page.request.post(`${of}/${pump.id}/commands`, { data: ['info fw-name'], headers: { origin } });
  const travelling = page.locator('.lane', { hasText: 'info fw-name' });
  await travelling.waitFor();
  await atSpeed(60);
  await travelling.locator('.lane-text', { hasText: /^answered after / }).waitFor();
  await atSpeed(SLOW);

  // Back to a moment before the outage, in a run of the past, where the outage is lifted when it begins.
  await page.getByRole('link', { name: 'Run', exact: true }).click();
  await page.getByLabel('Go back in time').fill(String(90 * 60_000));
  await page.getByRole('button', { name: /^Go back to 1h 30m/ }).click();
  const past = page.getByRole('link', { name: /^Open the run at 1h 30m/ });
  await past.waitFor();
  const fork = await context.newPage();
  fork.setDefaultTimeout(45_000);
  await fork.goto((await past.getAttribute('href')) ?? '');
  await fork.getByText('Past: 1h 30m').waitFor();
  await fork.getByRole('link', { name: 'Run', exact: true }).click();
  await fork.getByRole('button', { name: /^Lift outage/ }).click();
  await fork.getByText('outage (cellar) is lifted.').waitFor();
  await page.getByRole('button', { name: /^Compare with the original/ }).click();
  const comparison = page.locator('.comparison');
  await comparison.getByText(/^The first difference is after 1h 30m/).waitFor();
  await comparison.getByText('6 devices are on time in the original, and 12 in the fork').waitFor();
  const curves = comparison.getByRole('img', { name: /^Devices.*original 6.*fork 12/ });
  await curves.waitFor();
  await fork.close();

  // The history is that of the service: a reload does not begin it anew.
  await page.goto(`${origin}/#/overview`);
  await page.reload();
  await page.getByRole('button', { name: /^Devices on time/ }).click();
  const since = await page.evaluate<number>(`(async () => {
    const answer = await fetch('/v2/spaces/${spaces[0].id}/history');
    return (await answer.json()).starts.at(-1);
  })()`);
  expect(since).toBeGreaterThan(130 * 60);
  await page.locator('.chart canvas').first().waitFor();

  expect(complaints).toEqual([]);
  await browser.close();
  expect((await demo.end()).exit).toBe(0);
  rmSync(folder, { recursive: true });
}, 180_000);
