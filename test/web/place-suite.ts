/** What a page shows, and the place on it, after Back, after a reload, and at a shared link. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Part } from './shared-console.js';
import type { World } from './world.js';

const NAMES = Array.from({ length: 60 }, (_, n) => `list-${String(n).padStart(4, '0')}`);

/** @param open opens a page of the console, such as `#/fleet` */
export function placeSuite(here: () => World, open: (fragment: string) => Promise<Page>, part: Part): void {
  describe('the place on a page', () => {
    const ids: string[] = [];

    beforeAll(async () => {
      const { client } = here().service;
      for (const [n, name] of NAMES.entries()) {
        const serial_number = String(3_100_000_000 + n);
        ids.push((await client.createDevice({ name, serial_number, token: serial_number.padStart(32, 'd') })).id);
      }
    });
    afterAll(async () => {
      for (const id of ids) await here().service.client.deleteDevice(id);
    });

    const grid = (page: Page) => page.getByRole('grid', { name: 'Devices' });
    const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
    const scrolled = (page: Page, box: string) => page.evaluate(`document.querySelector('${box}').scrollTop`);
    /** The name of the active row, if the table has the focus and no edge or heading hides the row. */
    const activeRow = (page: Page) =>
      page.evaluate(`(() => {
        const row = document.getElementById(document.activeElement.getAttribute('aria-activedescendant') ?? '');
        if (!row) return '';
        const { left, top, height } = row.getBoundingClientRect();
        const isSeen = row.contains(document.elementFromPoint(left + 20, top + height / 2));
        return isSeen ? row.querySelector('.name').textContent : '';
      })()`);
    const backFrom = async (page: Page, name: string) => {
      await page.getByRole('heading', { name, exact: true }).waitFor();
      await page.goBack();
      await grid(page).waitFor();
    };

    it('in the fleet is the row of the device that was opened, in the same search', async () => {
      const page = await open('#/fleet');
      await page.getByRole('searchbox').fill('list-00');
      await grid(page).hover();
      await page.mouse.wheel(0, 1_000);
      await link(page, 'list-0034').click();
      await backFrom(page, 'list-0034');
      await expect.poll(() => activeRow(page)).toBe('list-0034');
      expect(await page.getByRole('searchbox').inputValue()).toBe('list-00');
      expect(await scrolled(page, '.fleet')).toBe(1_000);
      await page.keyboard.press('ArrowDown');
      expect(await activeRow(page)).toBe('list-0035');
    });

    it('in the fleet is the same if the keyboard opened the device', async () => {
      const page = await open('#/fleet?search=list');
      await link(page, 'list-0000').waitFor();
      await grid(page).focus();
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await backFrom(page, 'list-0058');
      await expect.poll(() => activeRow(page)).toBe('list-0058');
    });

    it('in the fleet follows a device that has moved in the order meanwhile', async () => {
      const page = await open('#/fleet?search=list&sort=waiting');
      await link(page, 'list-0000').waitFor();
      await grid(page).hover();
      await page.mouse.wheel(0, 9_999);
      await link(page, 'list-0057').click();
      await page.getByRole('heading', { name: 'list-0057' }).waitFor();
      await here().service.client.sendCommands(ids[57] ?? '', ['info show']);
      await page.getByRole('link', { name: 'Downlinks (1)' }).waitFor();
      await backFrom(page, 'list-0057');
      await expect.poll(() => activeRow(page)).toBe('list-0057');
      expect(await page.locator('.row.active').getAttribute('aria-rowindex')).toBe('2');
    });

    it('in another list is the link that was followed', async () => {
      const { client } = here().service;
      const variables: string[] = [];
      for (const [n, device_id] of ids.entries())
        variables.push((await client.createVariable({ name: `v${n}`, value: '1', device_id })).id);
      const page = await open('#/administration/variables');
      const row = page.getByRole('row').last();
      const name = (await row.getByRole('link').textContent()) ?? '';
      await row.getByRole('link').click();
      await page.getByRole('heading', { name }).waitFor();
      expect(await scrolled(page, 'main')).toBe(0);
      await page.goBack();
      await expect.poll(() => row.locator('a:focus').isVisible()).toBe(true);
      expect(await scrolled(page, 'main')).toBeGreaterThan(0);
      for (const id of variables) await client.deleteVariable(id);
    });

    if (part === 'main') return;

    it('in the fleet stays where the user has scrolled after a reload', async () => {
      const page = await open('#/fleet?search=list');
      await link(page, 'list-0000').waitFor();
      await grid(page).hover();
      await page.mouse.wheel(0, 700);
      await link(page, 'list-0030').waitFor();
      await page.reload();
      await expect.poll(() => scrolled(page, '.fleet')).toBe(700);
    });

    it('on the overview is the cell that was opened', async () => {
      const page = await open('#/overview');
      const wall = page.getByRole('application', { name: /devices: / });
      await wall.focus();
      await page.keyboard.press('End');
      const name = await page.locator('.tip strong').textContent();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: name ?? '' }).waitFor();
      await page.goBack();
      await expect.poll(() => page.locator('.wall:has(canvas:focus) .tip strong').textContent()).toBe(name);
    });
  });

  describe('what is chosen on a page', () => {
    const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name });
    const select = (name: string, value: string) => ({
      choose: (page: Page) => page.getByLabel(name, { exact: true }).selectOption(value),
      isThere: async (page: Page) => (await page.getByLabel(name, { exact: true }).inputValue()) === value,
    });
    const pressed = (found: (page: Page) => ReturnType<Page['locator']>, attribute: string) => ({
      choose: (page: Page) => found(page).click(),
      isThere: async (page: Page) => (await found(page).getAttribute(attribute)) === 'true',
    });
    const device = () => `#/devices/${here().cellar.id}`;

    const choices = [
      {
        what: 'the sorting of the fleet',
        at: () => '#/fleet',
        choose: async (page: Page) => {
          for (let n = 0; n < 2; n++)
            await page.getByRole('columnheader', { name: 'Device' }).getByRole('button').click();
        },
        isThere: (page: Page) => page.locator('[aria-sort=descending]', { hasText: 'Device' }).isVisible(),
      },
      {
        what: 'a tag of the fleet',
        at: () => '#/fleet',
        ...pressed((page) => page.getByRole('list', { name: 'Tags' }).getByRole('button'), 'aria-pressed'),
      },
      {
        what: 'a state of the fleet',
        at: () => '#/fleet',
        ...pressed((page) => page.getByRole('list', { name: 'State' }).getByRole('button').first(), 'aria-pressed'),
      },
      { what: 'the type of the downlinks', at: () => '#/downlinks', ...select('Type', '*') },
      {
        what: 'a cause of the downlinks',
        at: () => '#/downlinks',
        ...pressed(button(/^exchange \d+ % of the time$/), 'aria-pressed'),
      },
      {
        what: 'an opened downlink',
        at: () => '#/downlinks',
        ...pressed((page) => button(/^Details of info show/)(page).last(), 'aria-expanded'),
      },
      { what: 'the time of the charts', at: device, ...pressed(button('Week'), 'aria-pressed') },
      { what: 'the type of the messages', at: () => `${device()}/messages`, ...select('Type', 'data') },
      { what: 'the direction of the messages', at: () => `${device()}/messages`, ...select('Direction', 'down') },
      {
        what: 'an opened message',
        at: () => `${device()}/messages`,
        choose: (page: Page) => page.locator('.messages summary').nth(1).click(),
        isThere: (page: Page) => page.locator('.messages li:nth-child(2) details[open] .inside').isVisible(),
      },
      {
        what: 'a chart of the overview',
        at: () => '#/overview',
        ...pressed(button(/^Reports a minute/), 'aria-expanded'),
      },
    ];
    it.each(part === 'main' ? choices.slice(0, 1) : choices.slice(1))(
      'is there after Back, and at its address: $what',
      async ({ at, choose, isThere }) => {
        const page = await open(at());
        await choose(page);
        await expect.poll(() => isThere(page)).toBe(true);
        await page.getByRole('link', { name: 'Inspector' }).click();
        await page.getByRole('heading', { name: 'Inspector' }).waitFor();
        await page.goBack();
        await expect.poll(() => isThere(page)).toBe(true);
        const shared = page.url();
        await open(new URL(shared).hash);
        await expect.poll(() => isThere(page)).toBe(true);
      },
    );

    if (part === 'main') return;

    it('is in the address to its last letter when the user leaves the page at once', async () => {
      const page = await open('#/fleet');
      await page.getByRole('searchbox').pressSequentially('gate-0001 | cellar-0002');
      await page.getByRole('link', { name: 'Inspector' }).click();
      await page.goBack();
      await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('gate-0001 | cellar-0002');
    });

    it('does not come into the address of a page that is opened at the same moment', async () => {
      const page = await open(`${device()}/messages`);
      await page.locator('.messages summary').first().waitFor();
      await page.evaluate(`document.querySelector('.messages summary').click(); location.hash = '#/inspector'`);
      await page.getByRole('heading', { name: 'Inspector' }).waitFor();
      expect(new URL(page.url()).hash).toBe('#/inspector');
    });

    it('is the default if the address names something else', async () => {
      const page = await open('#/fleet?sort=constructor&search=%E0%A4%A');
      await page.locator('#search-status', { hasText: '0 of 4 devices' }).waitFor();
      expect(await page.locator('[aria-sort=ascending]').count()).toBe(0);
      await open(`${device()}?range=Year`);
      await page.locator('button[aria-pressed=true]', { hasText: 'Day' }).waitFor();
    });

    it('is shown as text', async () => {
      const page = await open(`#/fleet?search=${encodeURIComponent('<img src=x>')}`);
      await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('<img src=x>');
      expect(await page.locator('main img').count()).toBe(0);
    });
  });
}
