/** The console signs in, and continues after a restart of the service. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { type Service, startService } from '../../src/cloud/service.js';
import { entropy } from '../../src/kernel/entropy.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../support/cloud.js';
import { CHEAP } from '../support/passwords.js';
import type { BuiltConsole } from './console.js';
import type { Part } from './shared-console.js';

const KEY = 'an-api-key-for-tests';
const ADMIN = { email: 'eva@example.org', password: 'correct horse battery staple' };

/** As in a browser that blocks site data. */
const BLOCKED = `{
  const deny = () => { throw new DOMException('Access is denied for this document.', 'SecurityError'); };
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) Object.defineProperty(window, name, { get: deny });
  LockManager.prototype.request = async () => deny();
  BroadcastChannel = class { constructor() { deny(); } };
}`;
/** As in a browser whose storage is full. */
const FULL = `Storage.prototype.setItem = () => { throw new DOMException('quota', 'QuotaExceededError'); };`;

export function connectionSuite(browser: () => Browser, built: () => BuiltConsole, part: Part): void {
  const start = (db: string, port = 0): Promise<Service> =>
    startService({
      ...{ db, port, host: '127.0.0.1', udpPort: null, udpRawPort: null, apiKey: KEY, admin: ADMIN },
      ...{ clock: new RealClock(), random: entropy, trace: { emit: () => {} }, log: QUIET },
      ...{ webConsole: built().folder, passwordCost: CHEAP },
    });
  const register = async ({ api, spaceId }: Service, name: string, serial: number) => {
    const client = new DeviceCloudClient({ baseUrl: api, apiKey: KEY, spaceId });
    const token = String(serial).padStart(32, '0');
    await client.createDevice({ name, serial_number: String(serial), token });
    await client.close();
  };

  describe('the connection of the console', () => {
    let service: Service;
    beforeAll(async () => {
      service = await start('memory');
    });
    afterAll(() => service?.close());

    if (part === 'main') {
      it('begins with a key, with an account, or with a one-time token in the address', async () => {
        const page = await browser().newPage();
        await page.goto(service.api);
        const key = page.getByLabel('API key', { exact: true }).last();
        const focused = () => page.evaluate('document.activeElement.id || document.activeElement.name');
        await expect.poll(focused).toBe('key');
        await key.fill('wrong');
        await page.getByRole('button', { name: 'Sign in' }).click();
        expect(await page.getByRole('alert').textContent()).toBe('this API key or token is not valid');
        await key.fill(KEY);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('link', { name: 'Overview' }).waitFor();
        await expect.poll(focused).toBe('content');
        expect(
          await page.evaluate('JSON.stringify([document.cookie, { ...sessionStorage }, { ...localStorage }])'),
        ).not.toContain(KEY);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByLabel('account').check();
        await page.getByLabel('E-mail address').fill(ADMIN.email);
        await page.getByLabel('Password').fill(ADMIN.password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('link', { name: 'Overview' }).waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'ghostfleet' }).waitFor();

        const link = service.consoleLink() ?? '';
        await page.goto('about:blank');
        await page.goto(link);
        await page.getByRole('link', { name: 'Overview' }).waitFor();
        expect(page.url()).toBe(`${service.api}/#/overview`);
        await page.goto('about:blank');
        await page.goto(link);
        await page.getByRole('link', { name: 'Overview' }).waitFor();
        const other = await browser().newPage();
        await other.goto(link);
        expect(await other.getByRole('alert').textContent()).toContain('one-time token');
        await Promise.all([page.context().close(), other.context().close()]);
      });

      it('shows the devices of its own space only', async () => {
        await register(service, 'ours', 3_000_000_003);
        const { apiKey: theirs = '' } = await service.openSpace('theirs');
        const page = await browser().newPage();
        await page.goto(service.api);
        await page.getByLabel('API key', { exact: true }).last().fill(theirs);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('link', { name: 'Fleet', exact: true }).click();
        await page.getByText('This space has no devices').waitFor();
        await register(service, 'ours-too', 3_000_000_004);
        await page.getByText('live', { exact: true }).waitFor();
        expect(await page.getByText('ours').count()).toBe(0);
        await page.context().close();
      });
    } else {
      it('shows ages by the clock of the service, if that of the browser is an hour ahead', async () => {
        await register(service, 'ours', 3_000_000_005);
        const client = new DeviceCloudClient({ baseUrl: service.api, apiKey: KEY, spaceId: service.spaceId });
        for await (const { id } of client.allDevices()) await client.sendCommands(id, ['info show']);
        await client.close();
        const page = await browser().newPage();
        await page.addInitScript('{ const now = Date.now; Date.now = () => now() + 3_600_000; }');
        await page.goto(service.api);
        await page.getByLabel('API key', { exact: true }).last().fill(KEY);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('link', { name: 'Overview' }).waitFor();
        await page.goto(`${service.api}/#/downlinks`);
        await page.getByText(/^waits \d+(\.\d)?s$/).waitFor();
        await page.context().close();
      });

      it.each([
        ['blocks site data', BLOCKED],
        ['has no space left for site data', FULL],
      ])('signs in, and keeps its theme, in a browser that %s', async (_, script) => {
        const page = await browser().newPage();
        const failures: string[] = [];
        page.on('pageerror', (error) => failures.push(String(error)));
        await page.addInitScript(script);
        await page.goto(service.api);
        await page.getByLabel('API key', { exact: true }).last().fill(KEY);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('link', { name: 'Overview' }).waitFor();
        const theme = () => page.evaluate('document.documentElement.dataset.theme');
        const before = await theme();
        await page
          .getByRole('button', { name: 'Dark theme' })
          .or(page.getByRole('button', { name: 'Light theme' }))
          .click();
        expect(await theme()).not.toBe(before);
        expect(failures).toEqual([]);
        await page.context().close();
      });

      it('says that cookies must be permitted, if the browser does not keep the cookie', async () => {
        const page = await browser().newPage();
        await page.route('**/console/session', async (route) => {
          const answer = await route.fetch();
          const { 'set-cookie': _, ...headers } = answer.headers();
          // The browser also has the cookies of requests that a test sends for it.
          await page.context().clearCookies();
          await route.fulfill({ response: answer, headers });
        });
        await page.goto(service.api);
        await page.getByLabel('API key', { exact: true }).last().fill(KEY);
        await page.getByRole('button', { name: 'Sign in' }).click();
        expect(await page.getByRole('alert').textContent()).toContain('Permit cookies for this address');
        await page.goto('about:blank');
        await page.goto(service.consoleLink() ?? '');
        expect(await page.getByRole('alert').textContent()).toContain('Permit cookies for this address');
        await page.context().close();
      });

      it('continues after a restart of the service, and shows changes that happened meanwhile', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'gf-console-'));
        const db = join(folder, 'fleet.db');
        const first = await start(db);
        const page = await browser().newPage();
        await page.goto(first.consoleLink() ?? '');
        await page.getByRole('link', { name: 'Fleet', exact: true }).click();
        await page.getByText('This space has no devices').waitFor();
        await register(first, 'before', 3_000_000_001);
        await page.getByRole('link', { name: 'before' }).waitFor();
        await first.close();
        await page.getByText('connection lost').waitFor();
        const second = await start(db, Number(new URL(first.api).port));
        await register(second, 'after', 3_000_000_002);
        await page.getByRole('link', { name: 'after' }).waitFor();
        await page.getByText('live', { exact: true }).waitFor();
        await page.context().close();
        await second.close();
        rmSync(folder, { recursive: true });
      });
    }
  });
}
