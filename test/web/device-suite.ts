/** The pages of a device. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Part } from './shared-console.js';
import { HOSTILE_TOKEN, type World } from './world.js';

/** @param open opens a page of the console, such as `#/fleet` */
export function deviceSuite(here: () => World, open: (fragment: string) => Promise<Page>, part: Part): void {
  describe('a page of a device', () => {
    if (part === 'main') {
      it('shows the latest values of the device with units, its identity and its session', async () => {
        const page = await open(`#/devices/${here().cellar.id}`);
        const reading = page.getByRole('row', { name: /^hygrometer humidity/ });
        expect(await reading.textContent()).toMatch(/\d % ?\d/);
        expect(await page.getByText('CHESTER Clime', { exact: true }).count()).toBe(1);
        await page
          .locator('.card', { hasText: 'Next contact' })
          .getByText(/^in \d+m$/)
          .waitFor();
        await page.getByRole('img', { name: /^hygrometer temperature: .* °C$/ }).waitFor();
      });

      it('sends a downlink once for a double click', async () => {
        const page = await open(`#/devices/${here().gate.id}/queue`);
        const sent: string[] = [];
        await page.route('**/commands', async (route) => {
          sent.push(route.request().postData() ?? '');
          await route.fulfill({ status: 423, json: { statusCode: 423, error: 'Locked', message: 'not now' } });
        });
        await page.getByLabel('Lines').fill('info show');
        // Both clicks come before the page is drawn again.
        await page.getByRole('button', { name: 'Queue' }).waitFor();
        await page.evaluate(
          "const queue = [...document.querySelectorAll('button')].find((it) => it.textContent === 'Queue'); queue.click(); queue.click()",
        );
        await page.getByRole('alert').waitFor();
        await page.unroute('**/commands');
        expect(sent).toHaveLength(1);
      });

      it('shows the answer to a line of the terminal after the device has fetched the line', async () => {
        const page = await open(`#/devices/${here().cellar.id}/terminal`);
        const screen = page.locator('.xterm-rows');
        await page.locator('.xterm').click();
        await page.keyboard.type('info show');
        await page.keyboard.press('Enter');
        await expect.poll(() => screen.textContent()).toContain('queued');
        await page.getByText('Waiting for an answer').waitFor();
        // The scroll bar must be beside the text, not over it.
        const [screenBox, bar] = await Promise.all(
          ['.xterm-screen', '.xterm .scrollbar.vertical'].map((each) => page.locator(each).boundingBox()),
        );
        expect((screenBox?.x ?? 0) + (screenBox?.width ?? 0)).toBeLessThanOrEqual(bar?.x ?? 0);
        await here().time.advance('40m');
        await expect.poll(() => screen.textContent()).toMatch(/answer after .*\dm.*firmware name/);
        await page.getByText('No answer is outstanding.').waitFor();
      });

      it('shows hostile output of a shell as text', async () => {
        const { hostile, service } = here();
        const page = await open(`#/devices/${hostile.id}/terminal`);
        await page.locator('.xterm').click();
        await page.keyboard.type('evil');
        await page.keyboard.press('Enter');
        const screen = page.locator('.xterm-rows');
        await expect.poll(() => screen.textContent()).toContain('queued');
        await answerAsDevice(
          service.api,
          hostile.serial_number,
          '\x1b[2J\x1b]0;owned\x07<script>top.hacked=1</script>',
        );
        await expect.poll(() => screen.textContent()).toContain('\\u001b[2J\\u001b]0;owned\\u0007<script>');
        expect(await page.title()).toBe('ghostfleet');
        expect(await page.evaluate('top.hacked')).toBeUndefined();
      });
    } else {
      it('shows the last known values with their age if the last report is older than the charts', async () => {
        const page = await open('#/fleet');
        await page.route(/\/messages\?/, async (route) => {
          const listed = await (await route.fetch()).json();
          const created_at = new Date(Date.now() - 10 * 86_400_000).toISOString();
          const isOld = !route.request().url().includes('after=');
          await route.fulfill({ json: isOld ? listed.map((each: object) => ({ ...each, created_at })) : [] });
        });
        await page.goto(`${here().service.api}/#/devices/${here().cellar.id}`);
        const card = page.locator('.card', { hasText: 'Battery at rest' });
        await card.getByText(/^\d\.\d+ V$/).waitFor();
        await card.getByText(/^9d|^10d/).waitFor();
        await page.getByText(/^No values in this time; the last one is [\d.]+ %, (?:9|10)d/).waitFor();
        await page.unroute(/\/messages\?/);
      });

      it('opens a message with its body', async () => {
        const page = await open(`#/devices/${here().cellar.id}/messages`);
        await page.getByLabel('Type').selectOption('data');
        await page.locator('summary').first().click();
        expect(await page.locator('details pre').textContent()).toContain('"hygrometer"');
      });

      it('decodes the bytes of a message', async () => {
        const { id } = await here().service.client.sendConfig(here().gate.id, ['app config interval-report 1500']);
        const page = await open(`#/devices/${here().gate.id}/messages`);
        await page.getByLabel('Direction').selectOption('down');
        await page.locator('summary', { hasText: 'interval-report 1500' }).click();
        await page.getByText('Bytes', { exact: true }).click();
        await page.getByText('DOWNLOAD_CONFIG').waitFor();
        expect(await page.locator('.sections pre').first().textContent()).toMatch(/^82 00 81 78 1f 61 70 70/);
        await here().service.client.cancelMessage(id);
      });

      it('shows how long a downlink took, and what it waited for', async () => {
        const page = await open(`#/devices/${here().cellar.id}/queue`);
        const story = page.getByText(
          /^It was delivered after .*: .* until the device made contact, .* for the exchange/,
        );
        await story.first().waitFor();
        // Its answer stands beside it.
        await page.locator('.downlink pre', { hasText: 'firmware name: CHESTER Clime' }).first().waitFor();
      });

      it('shows that no update is scheduled, and that the space has no connectors', async () => {
        const page = await open(`#/devices/${here().cellar.id}/updates`);
        await page.getByText('No update of this device has been scheduled.').waitFor();
        await page.getByRole('link', { name: 'Deliveries' }).click();
        await page.getByText('The space has no connectors.').waitFor();
      });

      it('queues a configuration and cancels it', async () => {
        const page = await open(`#/devices/${here().gate.id}/queue`);
        await page.getByLabel('Kind').selectOption('config');
        await page.getByLabel('Lines').fill('app config interval-report 1200');
        await page.getByRole('button', { name: 'Queue' }).click();
        await page.getByText('app config interval-report 1200').waitFor();
        await page.getByRole('button', { name: /^Cancel app config/ }).click();
        await page.getByRole('heading', { name: 'Waiting (0)' }).waitFor();
        const [latest] = await here().service.client.messages({
          device_id: here().gate.id,
          direction: 'down',
          limit: 1,
        });
        expect(latest).toMatchObject({ down_state: 'cancelled', body: ['app config interval-report 1200'] });
      });

      it('opens for a newly registered device, changes the device and removes it', async () => {
        const page = await open('#/fleet');
        await page.getByText('Register a device').click();
        await page.getByRole('textbox', { name: 'Name' }).fill('attic-0001');
        await page.getByLabel('Serial number').fill('3000000077');
        await page.getByLabel('Claim token').fill('77'.repeat(16));
        await page.getByRole('button', { name: 'Register', exact: true }).click();
        await page.getByRole('heading', { name: 'attic-0001' }).waitFor();
        await page.getByText('Identity', { exact: true }).click();
        await page.getByText('Change', { exact: true }).click();
        await page.getByLabel(/^Labels/).fill('site: A');
        await page.getByLabel('cold').check();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.locator('dd', { hasText: 'site: A' }).waitFor();
        const { client } = here().service;
        const [attic] = await client.devices({ name: 'attic-0001' });
        await page.getByText('Change', { exact: true }).click();
        await client.updateDevice(attic?.id ?? '', { label: { site: 'A', shelf: '7' } });
        await page.getByLabel(/^Labels/).fill('site: B');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText(/the device has been changed meanwhile/).waitFor();
        expect((await client.device(attic?.id ?? '')).label).toEqual({ site: 'A', shelf: '7' });
        await page.getByRole('button', { name: 'Remove the device' }).click();
        await page.getByRole('button', { name: 'Yes' }).click();
        await expect.poll(() => page.locator('#search-status').textContent()).toBe('4 devices');
      });

      it.each([
        ['is on the second page of all tags', 2],
        ['is not offered, because it is new', 0],
      ])('keeps a tag that %s when something else is changed', async (_, pages) => {
        const { client } = here().service;
        const page = await open('#/overview');
        let read = 0;
        await page.route('**/tags?limit=500*', async (route) => {
          const first = Array.from({ length: 500 }, (_, n) => ({ id: `tag-${n}`, name: `tag ${n}` }));
          // The service does not know the invented last tag of the first page.
          if (++read === pages)
            await route.continue({
              url: route
                .request()
                .url()
                .replace(/&offset=[^&]*/, ''),
            });
          else await route.fulfill({ json: read > 1 || pages === 0 ? [] : first });
        });
        const before = (await client.device(here().cellar.id)).tags;
        expect(before.map(({ name }) => name)).toEqual(['cold']);
        await page.goto(`${here().service.api}/#/devices/${here().cellar.id}`);
        await page.getByText('Identity', { exact: true }).click();
        await page.getByText('Change', { exact: true }).click();
        await page.getByLabel('Comment').fill(`after ${pages} pages`);
        await page.getByRole('button', { name: 'Save' }).click();
        await expect.poll(async () => (await client.device(here().cellar.id)).comment).toBe(`after ${pages} pages`);
        expect((await client.device(here().cellar.id)).tags).toEqual(before);
        await client.updateDevice(here().cellar.id, { comment: null });
        await page.unroute('**/tags?limit=500*');
      });

      it('explains why data are not queued', async () => {
        const page = await open(`#/devices/${here().cellar.id}/queue`);
        await page.getByLabel('Kind').selectOption('data');
        await page.getByLabel('Object').fill('{"led"}');
        await page.getByRole('button', { name: 'Queue' }).click();
        expect(await page.getByRole('alert').textContent()).toContain('not JSON');
      });

      it('shows a message for a device that does not exist', async () => {
        // A separate page, because the browser reports the answers 400 and 404 as errors, and the shared page must have none.
        const page = await (await open('#/fleet')).context().newPage();
        for (const id of ['none', '0199e6a0-0000-7000-8000-000000000000']) {
          await page.goto(`${here().service.api}/#/devices/${id}`);
          await page.getByText('The space has no such device; it may have been deleted.').waitFor();
          expect(await page.getByRole('navigation', { name: 'About this device' }).count()).toBe(0);
        }
        await page.close();
      });

      it('shows that the device was deleted, and its terminal stops waiting', async () => {
        const { client } = here().service;
        const { id } = await client.createDevice({
          name: 'loft-1',
          serial_number: '3000000078',
          token: '78'.repeat(16),
        });
        const page = await open(`#/devices/${id}/terminal`);
        await page.locator('.xterm').click();
        await page.keyboard.type('info show');
        await page.keyboard.press('Enter');
        await page.getByText('Waiting for an answer').waitFor();
        await client.deleteDevice(id);
        await page.getByText('This device was deleted.').waitFor();
        await page.getByText('No answer is outstanding.').waitFor();
        const screen = page.locator('.xterm-rows');
        await expect.poll(() => screen.textContent()).toMatch(/info.show:.cancelled,.because.the.device.was.deleted/);
        expect(await page.getByText('last contact').count()).toBe(0);
      });
    }
  });
}

/** Fetches the waiting command over the ingress for devices, and answers it. */
async function answerAsDevice(api: string, serial: string, output: string): Promise<void> {
  const post = async (path: string, body?: unknown) => {
    const response = await fetch(`${api}/v2/device/${serial}/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Claim ${HOSTILE_TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    // The cast is safe because the ingress describes its answers in this form.
    return (await response.json()) as { readonly downlink?: { readonly id: string; readonly type: string } | null };
  };
  await post('session', { fw_version: 'v1.0.0' });
  for (;;) {
    const { downlink } = await post('poll');
    if (!downlink) throw new Error('no command is waiting');
    await post('ack', { id: downlink.id });
    if (downlink.type !== 'shell') continue;
    const responses = [{ command: 'evil', result: 0, outputs: [output] }];
    await post('uplink', { type: 'shell', body: { message_id: downlink.id, responses } });
    return;
  }
}
