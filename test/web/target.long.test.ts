/** The console of `ghostfleet run --target`: the pages of a run, whose cloud is another one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startService } from '../../src/index.js';
import { ghostfleet } from '../support/host.js';
import { buildConsole, openPage, startBrowser, violationsInThemes } from './console.js';

const SCENARIO = `name: elsewhere
duration: 10m
fleet:
  - { name: pump, profile: control, count: 3, boot: { over: 1s }, config: { interval-poll: 60 } }
network:
  faults:
    - { loss: 1%, from: 5m, until: 6m, to: pump }
expect:
  - device.ready == fleet.devices
`;

it('has the same pages as any run, says where its numbers come from, and cannot change the time', async () => {
  using built = await buildConsole();
  const folder = mkdtempSync(join(tmpdir(), 'gf-target-'));
  writeFileSync(join(folder, 'elsewhere.yaml'), SCENARIO);
  const theirs = await startService();
  let interrupt = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    interrupt = resolve;
  });
  let ended: ReturnType<typeof ghostfleet> | undefined;
  const link = await new Promise<string>((resolve) => {
    const flags = ['--target', theirs.api, '--api-key', theirs.apiKey ?? '', '--link', 'http'];
    ended = ghostfleet(['run', join(folder, 'elsewhere.yaml'), ...flags], {
      ...{ webConsole: built.folder, interruptWhen },
      watch: (text) => {
        const [, found] = /console at (\S+)/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      },
    });
  });
  const browser = await startBrowser();
  const { page, context, complaints } = await openPage(browser);
  page.setDefaultTimeout(90_000);
  await page.goto(link);
  await page
    .getByText(`of the whole space: from the API of ${theirs.api}. Faults: from the events of this run.`)
    .waitFor();
  await page.getByRole('application', { name: /^3 devices: 3 on time/ }).waitFor();
  await page.getByText('began a session').first().waitFor();
  expect(await violationsInThemes(page)).toEqual([]);

  await page.getByRole('link', { name: 'Run', exact: true }).click();
  await page.getByText('Curves, of the whole space: from the API').waitFor();
  await page.locator('.expectations .badge.good', { hasText: 'holds' }).waitFor();
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
  await page.locator('.chart canvas').first().waitFor();

  await page.getByRole('link', { name: 'Fleet', exact: true }).click();
  await page.getByRole('searchbox').fill('state=asleep | state=ready');
  await page.getByRole('link', { name: 'pump-0001' }).click();
  await page.getByText(/What the device does, .*: from the events of this run/).waitFor();
  await page.getByRole('link', { name: 'Downlinks' }).last().click();
  await page.getByLabel('Lines').fill('info show');
  await page.getByRole('button', { name: 'Queue' }).click();
  await page.locator('.badge.pending').waitFor();
  await page.getByRole('link', { name: 'Downlinks', exact: true }).first().click();
  await page.getByText('The device sleeps until its next report or poll').first().waitFor();

  // The key of the run is nowhere in the page, and a second browser needs an address of its own.
  expect(await page.content()).not.toContain(theirs.apiKey ?? '');
  expect(complaints).toEqual([]);

  // The run deletes its devices, which is not a part of it: the pages keep what they showed, and request nothing more.
  interrupt();
  const { err } = (await ended) ?? { err: '' };
  await page.locator('.state', { hasText: 'ended' }).waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.locator('.journeys').getByText('pump-0001').first().waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('application', { name: /^3 devices:/ }).waitFor();
  await page.getByRole('link', { name: 'Fleet', exact: true }).click();
  await page.getByRole('link', { name: 'pump-0001' }).first().waitFor();
  expect(requests.filter((url) => url.includes('/run'))).toEqual([]);
  await context.close();
  expect(err).not.toContain(`API at ${theirs.api}`);
  expect(await theirs.client.devices()).toEqual([]);
  await browser.close();
  await theirs.close();
  rmSync(folder, { recursive: true });
}, 240_000);
