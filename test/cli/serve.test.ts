/** `ghostfleet serve`: the first line of its output, a device that uses it, and a separate process that is killed. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServeProcess, startServe } from '../../scripts/support/serve-process.js';
import { DeviceCloudClient } from '../../src/client/client.js';
import type { Message } from '../../src/client/types.js';
import { seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { FIRST, LAST } from '../../src/protocol/flap/packet.js';
import { encodeUp } from '../../src/protocol/messages/index.js';
import { udpTransport } from '../../src/transport/udp.js';
import { SERIAL, TOKEN, unseal } from '../support/cloud.js';
import { ghostfleet } from '../support/host.js';

interface Running {
  readonly hello: {
    readonly api: string;
    readonly udp: number;
    readonly udpRaw: number;
    readonly spaceId: string;
    readonly apiKey?: string;
    readonly console: string;
  };
  /** Ends the service like Ctrl-C; resolves with the exit code. */
  end(): Promise<number>;
}

let directory: string;
let running: Running[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ghostfleet-serve-'));
});

afterEach(async () => {
  for (const { end } of running) await end();
  running = [];
  rmSync(directory, { recursive: true });
});

const database = () => ['--db', join(directory, 'cloud.db')];

/** Starts the service on free ports, in this process, and reads its first line. */
function serve(...more: readonly string[]): Promise<Running> {
  return new Promise((resolve, reject) => {
    let stop = () => {};
    const interruptWhen = new Promise<void>((interrupt) => {
      stop = interrupt;
    });
    const watchOut = (out: string): void => {
      if (!out.includes('\n')) return;
      const end = async () => {
        stop();
        return (await ended).exit;
      };
      const service = { hello: JSON.parse(out), end };
      running.push(service);
      resolve(service);
    };
    const args = ['serve', '--json', '--port', '0', '--udp-port', '0', '--udp-raw-port', '0', ...database(), ...more];
    // A password that was read from a file usually has a line end.
    const ended = ghostfleet(args, { env: { GHOSTFLEET_ADMIN_PASSWORD: `${PASSWORD}\r\n` }, interruptWhen, watchOut });
    void ended.then(({ err }) => reject(new Error(`the service did not start: ${err}`)));
  });
}

function clientOf({ hello }: Running, apiKey = hello.apiKey ?? ''): DeviceCloudClient {
  return new DeviceCloudClient({ baseUrl: hello.api, apiKey, spaceId: hello.spaceId });
}

const PASSWORD = 'correct horse battery staple';
const registration = { name: 'freezer', serial_number: String(SERIAL), token: TOKEN };

it('the service prints an address of the console that can sign in once', async () => {
  const { hello } = await serve();
  const { origin, hash } = new URL(hello.console);
  expect(origin).toBe(hello.api);
  const exchange = () =>
    fetch(`${origin}/console/session`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ token: hash.replace('#token=', '') }),
    });
  expect([(await exchange()).status, (await exchange()).status]).toEqual([201, 401]);
});

it('the service answers requests whose header Host is one of its names or an IP address, and rejects other names', async () => {
  const { hello } = await serve('--api-key', 'k', '--allowed-host', 'cloud.example.com, Fleet');
  const status = (host: string) =>
    new Promise((resolve, reject) => {
      request(`${hello.api}/healthz`, { headers: { host } }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
  const own = ['localhost:1', 'CLOUD.example.com.', 'fleet', '127.0.0.1', '10.0.0.7:8080', '[fd00::1]:80'];
  for (const host of own) expect([host, await status(host)]).toEqual([host, 200]);
  for (const host of ['attacker.example', 'cloud.example.com.attacker.example', '127.0.0.1.attacker.example']) {
    expect([host, await status(host)]).toEqual([host, 403]);
  }
});

describe('the service', () => {
  it('has the path of its public URL in the OpenAPI document, and rejects a public URL that would hide its own paths', async () => {
    const { hello } = await serve('--public-url', 'https://iot.example.com/iot/');
    const answer = await fetch(`${hello.api}/iot/v2/documentation/json`);
    expect(await answer.json()).toMatchObject({ servers: [{ url: 'https://iot.example.com/iot' }, { url: '/' }] });
    const { exit, err } = await ghostfleet(['serve', ...database(), '--public-url', 'https://iot.example.com/v2']);
    expect([exit, err]).toEqual([2, expect.stringContaining('--public-url')]);
  });

  it('shows a new key on its first start only, and keeps its data after a clean stop', async () => {
    const first = await serve();
    expect(first.hello.apiKey).toBeTruthy();
    const api = clientOf(first);
    const device = await api.createDevice(registration);
    await api.close();
    expect(await first.end()).toBe(0);

    const second = await serve();
    expect(second.hello.apiKey).toBeUndefined();
    const again = clientOf(second, first.hello.apiKey);
    expect(await again.device(device.id)).toMatchObject({ serial_number: registration.serial_number });
    await again.close();
  });

  it('creates no key if a port is in use, so the next start creates and shows the first key', async () => {
    const taken = new URL((await serve()).hello.api).port;
    const start = (port: string) =>
      ghostfleet(
        ['serve', '--port', port, '--udp-port', '0', '--udp-raw-port', '0', '--db', join(directory, 'new.db')],
        { interruptOn: /Ctrl-C/ },
      );
    const refused = await start(taken);
    expect(refused).toMatchObject({ exit: 2, out: '' });
    expect(refused.err).toContain(`port ${taken} on "127.0.0.1": another process uses it`);
    expect((await start('0')).out).toMatch(/API key {2}[0-9a-f-]{36} \(shown only once\)/);
    expect((await start('0')).out).toContain('(shown on the first start; --api-key adds another)');
  });

  it('does not show a key that the user has given, and warns if data is kept in memory only', async () => {
    const ports = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
    const options = { env: { GHOSTFLEET_API_KEY: 'a-key-of-my-own' }, interruptOn: /Ctrl-C/ };
    const { out } = await ghostfleet(['serve', '--db', 'memory', ...ports], options);
    expect(out).not.toContain('a-key-of-my-own');
    expect(out).toContain('Ctrl-C to stop the service; no data is kept.');
  });

  it('warns of the key and the password of an earlier start that others replace, without showing them', async () => {
    const ports = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0', '--db', join(directory, 'changed.db')];
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
    const db = join(directory, 'from-environment.db');
    const ports = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
    const { out } = await ghostfleet(['serve', ...ports], { env: { GHOSTFLEET_DB: db }, interruptOn: /Ctrl-C/ });
    expect(out).toContain(`data     ${db}`);
    expect(existsSync(db)).toBe(true);
  });

  it('accepts only the given key', async () => {
    const service = await serve('--api-key', 'a-key-of-my-own');
    expect(service.hello.apiKey).toBe('a-key-of-my-own');
    const [mine, other] = [clientOf(service), clientOf(service, 'another')];
    expect(await mine.spaces()).toHaveLength(1);
    await expect(other.spaces()).rejects.toThrow('401');
    await Promise.all([mine.close(), other.close()]);
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

  it('loses no acknowledged message when it is killed during traffic', async () => {
    const start = () => startServe(['--api-key', 'key', ...database()]);
    const service = await start();
    const clientOn = ({ api, spaceId }: ServeProcess) =>
      new DeviceCloudClient({ baseUrl: api, apiKey: 'key', spaceId });
    const api = clientOn(service);
    const { id } = await api.createDevice(registration);
    const acknowledged = { queued: new Set<string>(), uplinks: new Set<number>() };
    let stopped = false;

    const posting = async (): Promise<void> => {
      for (let i = 0; !stopped; i++) {
        const queued = await api.sendCommands(id, [`command ${i}`]).catch(() => undefined);
        if (queued) acknowledged.queued.add(queued.id);
      }
    };
    const transport = await udpTransport({ host: '127.0.0.1', ports: { base64: service.ports.udp }, sockets: 1 });
    let sequence = 0;
    let number = 0;
    const bodyOf = (n: number) => Buffer.from(n.toString(16).padStart(8, '0'), 'hex');
    const receive = (datagram: Uint8Array): void => {
      const answer = unseal(datagram);
      if (answer.sequence !== sequence + 1) return;
      acknowledged.uplinks.add(number);
      number++;
      sequence += 2;
      if (!stopped) send();
    };
    const channel = transport.connect(SERIAL, { receive });
    const send = (): void => {
      const message = encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: bodyOf(number) });
      channel.send(seal({ flags: FIRST | LAST, sequence, data: message }, SERIAL, tokenBytes(TOKEN), 'base64'));
    };
    send();
    const work = Promise.all([posting(), posting(), posting()]);
    while (acknowledged.queued.size < 30 || acknowledged.uplinks.size < 30) await new Promise((r) => setTimeout(r, 10));
    await service.end('SIGKILL');
    stopped = true;
    await work;
    await transport.close();
    await api.close();

    const again = await start();
    const reader = clientOn(again);
    const stored = { queued: new Set<string>(), uplinks: [] as number[] };
    for await (const message of reader.allMessages({ device_id: id })) {
      if (message.direction === 'down') stored.queued.add(message.id);
      else if (message.type === 'data') stored.uplinks.push(Number.parseInt(message.raw ?? '', 16));
    }
    await reader.close();
    expect(await again.end('SIGTERM')).toBe(0);
    expect([...acknowledged.queued].filter((queued) => !stored.queued.has(queued))).toEqual([]);
    expect([...acknowledged.uplinks].filter((uplink) => !stored.uplinks.includes(uplink))).toEqual([]);
    expect(new Set(stored.uplinks).size).toBe(stored.uplinks.length);
  });
});
