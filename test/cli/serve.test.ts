/** `ghostfleet serve`: the first line of its output, a device that uses it, and a separate process that is killed. */
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ServeProcess, startServe } from '../../scripts/support/serve-process.js';
import { DeviceCloudClient } from '../../src/client/client.js';
import { seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { FIRST, LAST } from '../../src/protocol/flap/packet.js';
import { encodeUp } from '../../src/protocol/messages/index.js';
import { udpTransport } from '../../src/transport/udp.js';
import { SERIAL, TOKEN, unseal } from '../support/cloud.js';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet } from '../support/host.js';
import { clientOf, registration, useServices } from './serve-support.js';

const { serve, database } = useServices();

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

  it('prints the address of the API without `/v2`, as `--json` does', async () => {
    const ports = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
    const { out } = await ghostfleet(['serve', '--db', 'memory', ...ports], { interruptOn: /Ctrl-C/ });
    expect(out).toMatch(/^API {6}http:\/\/127\.0\.0\.1:\d+$/m);
  });

  it('prints UDP addresses that devices accept, also for IPv6', async () => {
    const ports = ['--host', '::1', '--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
    const { out } = await ghostfleet(['serve', '--db', 'memory', ...ports], { interruptOn: /Ctrl-C/ });
    expect(out).toMatch(/^UDP {6}\[::1\]:\d+ \(base64\), \[::1\]:\d+ \(raw\)$/m);
  });

  it('rejects options that name the same UDP port, before it opens anything', async () => {
    const db = join(folderOfTest(), 'cloud.db');
    const ports = ['--udp-port', '16001', '--udp-raw-port', '16001', '--udp-dtls-port', '16001'];
    const { exit, err } = await ghostfleet(['serve', '--db', db, '--port', '0', ...ports]);
    expect(exit).toBe(2);
    for (const [one, other] of [
      ['--udp-port', '--udp-raw-port'],
      ['--udp-port', '--udp-dtls-port'],
      ['--udp-raw-port', '--udp-dtls-port'],
    ]) {
      expect(err).toContain(`${one} and ${other} name the same port, 16001`);
    }
    expect(err).not.toContain('another process');
    expect(existsSync(db)).toBe(false);
  });

  it('names an option that was not given, whose default is the same port', async () => {
    const { exit, err } = await ghostfleet(['serve', '--db', 'memory', '--port', '0', '--udp-dtls-port', '5002']);
    expect([exit, err]).toEqual([
      2,
      expect.stringMatching(/--udp-raw-port and --udp-dtls-port name the same port, 5002/),
    ]);
  });

  it('does not show a key that the user has given, and warns if data is kept in memory only', async () => {
    const ports = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
    const options = { env: { GHOSTFLEET_API_KEY: 'a-key-of-my-own' }, interruptOn: /Ctrl-C/ };
    const { out } = await ghostfleet(['serve', '--db', 'memory', ...ports], options);
    expect(out).not.toContain('a-key-of-my-own');
    expect(out).toContain('Ctrl-C to stop the service; no data is kept.');
  });

  it('accepts only the given key', async () => {
    const service = await serve('--api-key', 'a-key-of-my-own');
    expect(service.hello.apiKey).toBe('a-key-of-my-own');
    const [mine, other] = [clientOf(service), clientOf(service, 'another')];
    expect(await mine.spaces()).toHaveLength(1);
    await expect(other.spaces()).rejects.toThrow('401');
    await Promise.all([mine.close(), other.close()]);
  });

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
