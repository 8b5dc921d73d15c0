/**
 * The console of `ghostfleet demo`: the steps of a new user from the printed address to the explanation of an outage, and the
 * page of scenarios. All tests share one demo.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { type BuiltConsole, type OpenPage, openPage, violationsInThemes, violationsOf } from './console.js';
import { type RunningDemo, startDemo } from './demo.js';
import type { Part } from './shared-console.js';

const SMALL = `name: small
duration: 30m
fleet:
  - { name: clime, profile: clime, count: 2, boot: { over: 1m } }
steps:
  - { at: 5m, to: clime, commands: [info show] }
expect:
  - device.ready == fleet.devices
`;

/** A fleet that costs less time than the 300 devices of the packaged scenario. */
const FLEET = `name: nine
duration: 30d
fleet:
  - { name: cellar, profile: clime, count: 2, boot: { over: 1m }, config: { interval-report: 900 } }
  - { name: pump, profile: control, count: 7, boot: { over: 1m }, config: { interval-poll: 300 } }
`;

/** Speeds of the demo while a test uses pages, and while a test waits for the fleet. */
const BROWSED = 10;
const AWAITED = 3000;

export function demoSuite(browser: () => Browser, built: () => BuiltConsole, part: Part): void {
  describe('the demo', () => {
    let opened: OpenPage;
    let page: Page;
    let folder = '';
    let origin = '';
    let demo: RunningDemo | undefined;
    const open = (fragment: string) => page.goto(`${origin}/${fragment}`);
    const control = async (action: string, data: object = {}) => {
      const answer = await page.request.post(`${origin}/run/${action}`, { data, headers: { origin } });
      expect(answer.status()).toBe(200);
    };
    /** Sets the simulated seconds per real second. */
    const atSpeed = (speed: number) => control('speed', { speed });
    const read = async (path: string) => (await page.request.get(`${origin}${path}`)).json();
    /** Pauses the run while a device sleeps: what is queued then waits for its next report or poll. */
    const pauseAsleep = async (name: string) => {
      const [{ serial }] = await read(`/run/devices?on=${name}`);
      await control('pause');
      await until(async () => {
        if ((await read(`/run/devices/${serial}`)).kind === 'asleep') return true;
        await control('step', { for: '5s' });
        return false;
      }, 100);
    };

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'gf-demo-'));
      const file = join(folder, 'nine.yaml');
      writeFileSync(file, FLEET);
      demo = await startDemo(built().folder, ['--scenario', file, '--speed', String(AWAITED)]);
      ({ origin } = new URL(demo.link));
      opened = await openPage(browser());
      ({ page } = opened);
      page.setDefaultTimeout(45_000);
      // Only the packaged scenario has the tour by itself.
      await page.goto(demo.link.replace('#', '?tour#'));
      // The tour leads to every page, and ends.
      for (const of of [1, 2, 3, 4, 5]) {
        await page.getByText(`${of} of 6`).waitFor();
        await page.getByRole('button', { name: 'Next', exact: true }).click();
      }
      await page.getByRole('heading', { name: 'Scenario' }).waitFor();
      await page.getByRole('button', { name: 'End the tour' }).click();
      expect([await page.locator('.tour').count(), new URL(page.url()).search]).toEqual([0, '']);
      await until(async () => (await read('/run')).now_ms > 900_000, 100);
      await atSpeed(BROWSED);
      await open('#/fleet');
    });

    afterAll(async () => {
      await opened?.context.close();
      expect((await demo?.end())?.exit).toBe(0);
      rmSync(folder, { recursive: true });
    });

    if (part === 'main') {
      it('leads a new user from its address to a device, its shell, a downlink, and the cause of a delay', async () => {
        await page.getByText('9 devices', { exact: true }).waitFor();
        // The shell of the device, which answers at once.
        await page.getByRole('searchbox').fill('pump-0007');
        await page.getByRole('link', { name: 'pump-0007' }).click();
        await page.getByLabel('About this device').getByRole('link', { name: 'Terminal' }).click();
        await page.locator('.xterm').click();
        await page.keyboard.type('info sho');
        await page.keyboard.press('Tab');
        const screen = page.locator('.xterm-rows');
        await expect.poll(() => screen.textContent()).toContain('info show');
        await page.keyboard.press('Enter');
        await expect.poll(() => screen.textContent()).toContain('firmware version: v4.0.0');
        expect(await screen.textContent()).toMatch(/local>.info.show.*pump-0007/);

        // A command for a sleeping device: its delivery, and the explanation of its time.
        await page.getByText(/next contact in \d/).waitFor();
        await page.getByRole('link', { name: 'Downlinks' }).last().click();
        await page.getByLabel('Lines').fill('info name');
        await pauseAsleep('pump-0007');
        await page.getByRole('button', { name: 'Queue' }).click();
        const sent = page.locator('article', { hasText: 'info name' });
        await sent.locator('.badge.pending').waitFor();
        await control('resume');
        await atSpeed(AWAITED);
        await sent.locator('.badge.sent').waitFor();
        await sent.locator('.station.answered').waitFor();
        await atSpeed(BROWSED);
        await sent.locator('.story', { hasText: /pump-0007.* was answered after/ }).waitFor();

        // An outage, and the explanation of its effect.
        await page.getByRole('link', { name: 'Run' }).click();
        await page.getByText('Inject a fault').click();
        await page.getByLabel('Fault, as in a scenario').fill('outage: both');
        await page.getByLabel('Devices (none: all)').fill('pump-0007');
        await page.getByRole('button', { name: 'Inject', exact: true }).click();
        await page.getByText('for pump-0007').waitFor();
        await page.goBack();
        await page.getByLabel('Lines').fill('info serial-number');
        await page.getByRole('button', { name: 'Queue' }).click();
        const held = page.locator('article', { hasText: 'info serial-number' });
        await atSpeed(AWAITED);
        await held.getByText(/because of outage \(pump-0007\)/).waitFor();
        await atSpeed(BROWSED);
        await held.getByRole('button', { name: /^What if\?/ }).click();
        // Its device was used on a console, so that its course cannot be repeated.
        await held.getByText(/because a user controlled the device on a console/).waitFor();
        expect(await held.locator('.badge').textContent()).toBe('pending');

        // The causes of the waits of delivered downlinks, in the words of the explanations.
        await page.getByRole('link', { name: 'Downlinks', exact: true }).first().click();
        await page.getByRole('button', { name: /^next report or poll \d+ % of the time/ }).waitFor();
      });

      it('has local shells and the bench for several devices on the page of terminals', async () => {
        await open('#/terminal');
        await page.getByText('Select devices first').waitFor();
        await page.getByRole('searchbox').fill('cellar/1..2');
        await page.getByText('2 devices are selected').waitFor();
        await page.getByRole('button', { name: 'Antenna: Set' }).click();
        const screen = page.locator('.xterm-rows');
        await expect.poll(() => screen.textContent()).toMatch(/\.antenna.-121.*2.×.cellar-0001…0002.*RSRP.-121.dBm/);
        // Recalls a line that was entered on another page.
        await page.locator('.xterm').click();
        for (const key of ['ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
        await expect.poll(() => screen.textContent()).toContain('firmware version: v4.0.0');
        expect(await violationsInThemes(page)).toEqual([]);
        await page.getByLabel('Remote').check();
        await expect.poll(() => screen.textContent()).toMatch(/remote>/);
        await page.locator('.xterm').click();
        await page.keyboard.type('.radio off');
        await page.keyboard.press('Enter');
        await expect.poll(() => screen.textContent()).toContain('use the local shell');
        await page.getByLabel('Local').check();
      });
    } else {
      it('checks a scenario while it is written, completes it, shows its plan and runs it', async () => {
        await open('#/scenario');
        await page.getByText('The scenario is valid.').waitFor();
        await page.locator('.plan .span.fault').first().waitFor();
        expect(await violationsInThemes(page)).toEqual([]);
        const write = async (text: string) => {
          await page.getByRole('textbox', { name: 'Scenario in YAML' }).focus();
          await page.keyboard.press('Control+A');
          await page.keyboard.press('Delete');
          await page.keyboard.insertText(text);
        };
        await write(SMALL.replace('profile: clime', 'profile: <img src=x onerror=alert(1)>'));
        await page.getByText('The scenario has 1 problem.').waitFor();
        await page.getByRole('button', { name: 'line 4, column 29' }).click();
        expect(await page.locator('.problems').textContent()).toContain('<img src=x onerror=alert(1)>');
        expect(await page.locator('main img').count()).toBe(0);

        await write('');
        await page.getByText('the scenario is empty; open an example to begin with').first().waitFor();
        await write(`# ${'x'.repeat(70_000)}`);
        await page.getByText('the body is longer than').waitFor();
        await page.getByText('Not checked yet.').waitFor();
        await write(`${SMALL}  - uplink.`);
        await page.getByText('the body is longer than').waitFor({ state: 'detached' });
        await page.keyboard.press('Control+Space');
        await page.getByRole('option', { name: /^uplink\.stored/ }).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await page
          .getByRole('option', { name: /^uplink\.stored/ })
          .first()
          .click();
        await page.keyboard.type(' == uplink.sent');
        await page.getByText('The scenario is valid.').waitFor();
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.locator('.outcome .badge', { hasText: 'passed' }).waitFor();
        expect(await page.locator('.outcome li').allTextContents()).toEqual([
          expect.stringContaining('device.ready == fleet.devices'),
          expect.stringContaining('uplink.stored == uplink.sent'),
        ]);
      });

      it('shares the states of the run among its tabs, and reads the events only in tabs that are shown', async () => {
        const second = await page.context().newPage();
        await second.addInitScript('Object.assign(window, { shown: "hidden" })');
        await second.addInitScript('Object.defineProperty(document, "visibilityState", { get: () => window.shown })');
        const streams: string[] = [];
        second.on('request', (request) =>
          streams.push(...(/[^/]+\/(states|events)(?=\?|$)/.exec(request.url()) ?? [])),
        );
        await second.goto(`${origin}/#/run`);
        const moment = second.locator('.bar.time');
        const before = await moment.textContent();
        await atSpeed(AWAITED);
        await expect.poll(() => moment.textContent()).not.toBe(before);
        await atSpeed(BROWSED);
        expect(streams).toEqual([]);
        await second.evaluate('window.shown = "visible"; document.dispatchEvent(new Event("visibilitychange"))');
        await second.locator('.state.live').waitFor();
        expect(streams).toContain('events');
        expect(streams).not.toContain('states');
        await second.close();
      });

      it('opens a packaged scenario in the editor, and keeps its text when the user opens another page', async () => {
        await open('#/scenario');
        await page.getByLabel('Example').selectOption('first-fleet');
        await page.getByRole('heading', { name: 'Plan' }).waitFor();
        await page.getByRole('link', { name: 'Fleet', exact: true }).click();
        await page.getByRole('link', { name: 'Scenario' }).click();
        await expect.poll(() => page.locator('.cm-content').textContent()).toContain('first-fleet');
        // The browser reports the rejection of a body that is too long as an error, which is expected.
        expect(opened.complaints).toEqual([expect.stringContaining('413')]);
      });
    }
  });
}
