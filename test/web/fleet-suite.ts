/** The page of the fleet. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Part } from './shared-console.js';
import type { World } from './world.js';

/** @param open opens a page of the console, such as `#/fleet` */
export function fleetSuite(here: () => World, open: (fragment: string) => Promise<Page>, part: Part): void {
  describe('the page of the fleet', () => {
    if (part === 'main') {
      it('lists the devices with their latest values', async () => {
        const page = await open('#/fleet');
        const row = page.getByRole('row', { name: /^cellar-0001 on time/ });
        await expect.poll(() => row.textContent()).toMatch(/dBm.*V.*°C.*v\d/);
      });

      it('shows hostile names as text', async () => {
        const page = await open('#/fleet');
        await page.getByRole('link', { name: here().hostile.name }).waitFor();
        expect(await page.evaluate('document.querySelectorAll("main img, main script").length')).toBe(0);
      });
    } else {
      it('finds devices by a part of the name, by a selector, by a tag, and by a region', async () => {
        const page = await open('#/fleet');
        const search = page.getByRole('searchbox');
        const found = page.locator('#search-status');
        await search.fill('gate');
        await expect.poll(() => found.textContent()).toBe('1 of 4 devices');
        await search.fill('fw>=3 & !tag/cold');
        await expect.poll(() => found.textContent()).toBe('1 of 4 devices, 1 left out: no version');
        await search.fill('fw>=');
        await expect.poll(() => found.textContent()).toContain('column 5 of the selector');
        await search.fill('');
        await page.getByRole('list', { name: 'Tags' }).getByRole('button', { name: /^cold/ }).click();
        await expect.poll(() => found.textContent()).toBe('2 of 4 devices');
        await page
          .getByRole('list', { name: 'Regions' })
          .getByRole('button', { name: /^north pole/ })
          .click();
        await expect.poll(() => found.textContent()).toBe('1 of 4 devices');
      });

      it('shows the devices of one state at a click, also among those of a search', async () => {
        const page = await open('#/fleet');
        const found = page.locator('#search-status');
        const states = page.getByRole('list', { name: 'State' });
        await states.getByRole('button', { name: 'never seen 1' }).click();
        await expect.poll(() => found.textContent()).toBe('1 of 4 devices');
        await page.getByRole('searchbox').fill('gate');
        await expect.poll(() => found.textContent()).toBe('0 of 4 devices');
        await states.getByRole('button', { name: 'never seen 1' }).click();
        await expect.poll(() => found.textContent()).toBe('1 of 4 devices');
      });

      it('can be used with the keyboard alone', async () => {
        const page = await open('#/fleet');
        await page.getByRole('link', { name: 'cellar-0001' }).waitFor();
        await page.getByRole('grid').focus();
        // In the order of the names, the first one of which begins with a bracket.
        for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
        await page.getByRole('heading', { name: 'gate-0001' }).waitFor();
      });

      it('makes each row as wide as its columns, so a narrow window cuts off no column', async () => {
        const page = await open('#/fleet');
        await page.setViewportSize({ width: 800, height: 600 });
        await page.getByRole('link', { name: 'cellar-0001' }).waitFor();
        const width = () => page.evaluate('document.querySelector(".fleet .space .row").offsetWidth');
        const before = Number(await width());
        const columns = 'getComputedStyle(document.querySelector(".fleet")).getPropertyValue("--columns")';
        await page.evaluate(`document.querySelector(".fleet").style.setProperty("--columns", ${columns} + " 500px")`);
        expect(Number(await width()) - before).toBe(500);
      });
    }
  });

  if (part === 'main') {
    describe('the overview', () => {
      it('shows the figures and each device, which the keyboard reaches', async () => {
        const page = await open('#/overview');
        await page.locator('.figures .card', { hasText: 'Devices on time' }).click();
        await page.locator('.overview .chart canvas').waitFor();
        // No sample of the history has the downlink yet.
        const waiting = page.locator('.figures .card', { hasText: 'Downlinks waiting' });
        await waiting.click();
        const { client } = here().service;
        const { id } = await client.sendCommands(here().gate.id, ['info show']);
        await waiting.getByText('for 1 device').waitFor();
        expect(await page.locator('.chart .key').textContent()).toBe(await waiting.locator('.number').textContent());
        await client.cancelMessage(id);
        await waiting.getByText('for no device').waitFor();
        // The keyboard zooms the chart like the mouse.
        const chart = page.getByRole('img', { name: /^Downlinks waiting, since the start/ });
        const picture = () => page.evaluate('document.querySelector(".chart canvas").toDataURL()');
        const whole = await picture();
        await chart.press('+');
        expect(await picture()).not.toBe(whole);
        await chart.press('Escape');
        expect(await picture()).toBe(whole);
        const wall = page.getByRole('application', { name: /^4 devices: / });
        await wall.focus();
        await page.keyboard.press('End');
        const tip = page.locator('.tip');
        await tip.waitFor();
        const name = await tip.locator('strong').textContent();
        await page.keyboard.press('Shift+Home');
        await page.getByText('4 devices selected').waitFor();
        await page.keyboard.press('Escape');
        await page.getByText('4 devices selected').waitFor({ state: 'detached' });
        await page.keyboard.press('End');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: name ?? '' }).waitFor();
        await page.locator('main:focus').waitFor();
      });
    });
  }
}
