/** Further tests beside serve.test.ts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import type { Message } from '../../src/client/types.js';
import { SERIAL, TOKEN } from '../support/cloud.js';
import { ghostfleet } from '../support/host.js';
import { clientOf, PASSWORD, registration, useServices } from './serve-support.js';

const { serve, database, folder } = useServices();

describe('the service', () => {
  it('has the path of its public URL in the OpenAPI document, and rejects a public URL that would hide its own paths', async () => {
    const { hello } = await serve('--public-url', 'https://iot.example.com/iot/');
    const answer = await fetch(`${hello.api}/iot/v2/documentation/json`);
    expect(await answer.json()).toMatchObject({ servers: [{ url: 'https://iot.example.com/iot' }, { url: '/' }] });
    const { exit, err } = await ghostfleet(['serve', ...database(), '--public-url', 'https://iot.example.com/v2']);
    expect([exit, err]).toEqual([2, expect.stringContaining('--public-url')]);
  });

  it('creates no key if a port is in use, so the next start creates and shows the first key', async () => {
    const taken = new URL((await serve()).hello.api).port;
    const start = (port: string) =>
      ghostfleet(
        ['serve', '--port', port, '--udp-port', '0', '--udp-raw-port', '0', '--db', join(folder(), 'new.db')],
        { interruptOn: /Ctrl-C/ },
      );
    const refused = await start(taken);
    expect(refused).toMatchObject({ exit: 2, out: '' });
    expect(refused.err).toContain(`port ${taken} on "127.0.0.1": another process uses it`);
    expect((await start('0')).out).toMatch(/API key {2}[0-9a-f-]{36} \(shown only once\)/);
    expect((await start('0')).out).toContain('(shown on the first start; --api-key adds another)');
  });

  it('warns of the key and the password of an earlier start that others replace, without showing them', async () => {
    const ports = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0', '--db', join(folder(), 'changed.db')];
    const start = (n: number) =>
      ghostfleet(['serve', ...ports, '--admin', 'eva@example.org'], {
        env: { GHOSTFLEET_API_KEY: `the-key-of-start-${n}`, GHOSTFLEET_ADMIN_PASSWORD: `the-password-of-start-${n}` },
        interruptOn: /Ctrl-C/,
      });
    expect((await start(1)).err).toBe('');
    const { err } = await start(2);
    expect(err).toContain('the given API key ends those of earlier starts');
    expect(err).toContain('the given password replaces the earlier one of the admin');
    expect(err).not.toMatch(/key-of-start|password-of-start/);
  });

  it('takes the address of the database from the environment, so that a list of processes does not show it', async () => {
    const db = join(folder(), 'from-environment.db');
    const ports = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
    const { out } = await ghostfleet(['serve', ...ports], { env: { GHOSTFLEET_DB: db }, interruptOn: /Ctrl-C/ });
    expect(out).toContain(`data     ${db}`);
    expect(existsSync(db)).toBe(true);
  });

  it('creates an admin, and supports older clients', async () => {
    const switches = ['--message-body', 'string', '--legacy-paths', '--plain-404'];
    const service = await serve('--admin', 'eva@example.org', ...switches);
    const { hello } = service;
    const { access_token: token } = await DeviceCloudClient.login(hello.api, {
      email: 'eva@example.org',
      password: PASSWORD,
    });
    const eva = clientOf(service, token);
    expect(await eva.space()).toMatchObject({ user_role: 'admin', owner_id: expect.any(String) });
    const { id } = await eva.createDevice(registration);
    await eva.sendData(id, { led: true });
    await eva.close();
    const headers = { 'X-API-KEY': hello.apiKey ?? '' };
    const messages = await fetch(`${hello.api}/v2/messages`, { headers });
    expect(await messages.json()).toMatchObject([{ body: '{"led":true}' }]);
    const missing = await fetch(`${hello.api}/v2/devices/${hello.spaceId}`, { headers });
    expect([missing.status, await missing.text()]).toEqual([404, 'not found']);
  });

  it.each(['udp', 'http'])(
    'serves a device over %s: session, decoded data, and an answer to shell commands',
    async (link) => {
      const service = await serve();
      const api = clientOf(service);
      const { id } = await api.createDevice(registration);
      const cloud = link === 'http' ? ['--api', service.hello.api] : ['--udp', `127.0.0.1:${service.hello.udp}`];
      const args = ['--serial', String(SERIAL), '--token', TOKEN, '--link', link, ...cloud];
      const answered = new Promise<readonly Message[]>((resolve) => {
        const look = async (): Promise<void> => {
          const messages = await api.messages({ device_id: id, limit: 100 });
          const data = await api.messages({ device_id: id, type: ['data'] });
          const isAnswered = messages.some(({ type, direction }) => type === 'shell' && direction === 'up');
          if (isAnswered && data.length > 0) return resolve(messages);
          setTimeout(look, 100);
        };
        void look();
      });
      await api.sendCommands(id, ['info show', 'app config']);
      // At 30 times real speed, a session takes about two seconds. The time limit of an hour is for a busy machine.
      const device = ghostfleet(['device', 'clime', ...args, '--speed', '30', '--for', '1h'], {
        interruptWhen: answered,
      });
      const messages = await answered;
      await device;
      const types = messages.map(({ type, direction }) => `${type} ${direction}`);
      expect(types).toEqual(
        expect.arrayContaining(['session up', 'decoder up', 'config up', 'shell up', 'shell down']),
      );
      const answer = messages.find(({ type, direction }) => type === 'shell' && direction === 'up');
      expect(answer?.body).toMatchObject({
        responses: [
          { command: 'info show', result: 0, outputs: expect.arrayContaining([`serial number: ${SERIAL}`]) },
          { command: 'app config', result: 0 },
        ],
      });
      const data = (await api.messages({ device_id: id, type: ['data'] }))[0];
      expect(data?.body).toMatchObject({ message: { version: 2, sequence: 0 } });
      expect((await api.device(id)).session).toMatchObject({ fw_name: 'CHESTER Clime' });
      await api.close();
    },
  );
});
