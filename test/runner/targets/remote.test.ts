/** A fleet against a cloud of which only the public API and the gateway are used. */
import { afterEach, describe, expect, it } from 'vitest';
import { DeviceCloudClient, type Message } from '../../../src/client/client.js';
import { EXIT, InterruptedError, UsageError } from '../../../src/kernel/errors.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { judgeRules } from '../../../src/runner/targets/audit/rules.js';
import { openRemoteTarget } from '../../../src/runner/targets/remote.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { MESSAGE } from '../../client/services.js';
import { waitDisagreements } from '../../support/agreement.js';
import { QUIET } from '../../support/cloud.js';
import { type LyingProxy, lyingProxy } from '../../support/lying-proxy.js';
import { cloudAt, SCENARIO, theirClouds, visit, whatIsLeft } from './their-cloud.js';

let proxy: LyingProxy | undefined;

const serve = theirClouds();

afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

describe('a run against another cloud', () => {
  it('follows every message through its API, with devices on udp', async () => {
    const theirs = await serve();
    const result = await visit(cloudAt(theirs, 'udp'));
    expect(result.failure).toBeNull();
    expect(result.expectations.filter(({ passed }) => !passed)).toEqual([]);
    expect(result.transport).toBe('udp');
    expect(result.target).toBe(theirs.api);
    expect(waitDisagreements(result)).toEqual([]);
  });

  it('deletes everything that it created, and nothing else', async () => {
    const theirs = await serve();
    const client = new DeviceCloudClient({
      baseUrl: theirs.api,
      apiKey: String(theirs.apiKey),
      spaceId: theirs.spaceId,
    });
    await client.createTag({ name: 'here-before', color: '#123456' });
    await client.createDevice({ name: 'stays', serial_number: '2159000001', token: 'a'.repeat(32) });
    await client.close();
    await visit(cloudAt(theirs, 'udp'), {
      started: (control) => control.clock.after(30_000, 'the end', () => control.stop(new InterruptedError('SIGINT'))),
    });
    expect(await whatIsLeft(theirs)).toEqual({ devices: ['stays'], tags: ['here-before'] });
  });

  it('also deletes its devices if it is interrupted while it creates them', async () => {
    const theirs = await serve();
    const result = await visit(cloudAt(theirs, 'udp'), {
      started: (control) => control.stop(new InterruptedError('SIGINT')),
    });
    expect(result.failure).toBe('interrupted by SIGINT');
    expect(await whatIsLeft(theirs)).toEqual({ devices: [], tags: [] });
  });

  it('also deletes its devices if it is interrupted while the cloud rejects requests for ten minutes', async () => {
    const theirs = await serve();
    proxy = await lyingProxy(theirs.api, {
      // The first device is created, and no other one.
      rejects: (method, path, nth) =>
        method === 'POST' && path.endsWith('/devices') && nth > 1 ? { status: 429, retryAfter: 600 } : undefined,
    });
    const said: unknown[] = [];
    let stop = () => {};
    const result = await visit(
      { ...cloudAt(theirs, 'udp'), api: proxy.url, pace: { atOnce: 1, perSecond: null } },
      {
        started: (control) => {
          stop = () => control.stop(new InterruptedError('SIGINT'));
        },
        waits: (wait) => {
          said.push(wait);
          stop();
        },
      },
    );
    expect(said).toEqual([{ status: 429, delay: 600_000 }, undefined]);
    expect(result.failure).toBe('interrupted by SIGINT');
    expect(await whatIsLeft(theirs)).toEqual({ devices: [], tags: [] });
  });

  it('follows the downlink in the answer to a request of a load, and ignores answers without a downlink', async () => {
    const cloud = cloudAt(await serve(), 'http');
    const events: TraceEvent[] = [];
    const trace = { emit: (event: TraceEvent) => void events.push(event) };
    const target = await openRemoteTarget({
      cloud,
      serials: new Set([1]),
      profiles: [],
      speed: 1,
      clock: new RealClock(),
      trace,
      failed: () => {},
      patience: {},
      log: QUIET,
    });
    const deep = `{"id":"m2","device_serial_number":"1","body":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const message = { ...MESSAGE, type: 'shell', direction: 'down', device_serial_number: '1' };
    const answers = [JSON.stringify(message), '', '<html>', 'null', '{}', deep];
    expect(answers.map((answer) => target.accepted(answer, '["info show"]'))).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    // The body of a load may be any text.
    const next = JSON.stringify({ ...message, id: 'm2' });
    expect(target.accepted(next, 'not json')).toBe(true);
    await target.close();
    expect(events).toMatchObject([
      { kind: 'downlink.queued', downlink: 'm1', serial: 1 },
      { kind: 'downlink.queued', downlink: 'm2', serial: 1 },
    ]);
  });

  it('accepts the downlink of a request whose answer was lost', async () => {
    const [theirs, serial] = [await serve(), 2159017985];
    const options = {
      serials: new Set([serial]),
      profiles: [],
      speed: 1,
      clock: new RealClock(),
      trace: { emit: () => {} },
      failed: () => {},
      patience: {},
      log: QUIET,
    };
    const target = await openRemoteTarget({ cloud: cloudAt(theirs, 'http'), ...options });
    const { id } = await target.api.createDevice({ name: 'one', serial_number: String(serial), token: 'a'.repeat(32) });
    await theirs.close();
    await expect(target.api.sendCommands(id, ['info show'])).rejects.toThrow('got no answer');
    // The audit reads no other fields.
    target.audit?.end([[serial, { id: 'm1', type: 'shell', body: ['info show'] } as unknown as Message]]);
    expect(judgeRules(target.audit?.listTallies() ?? [], String).map(({ passed }) => passed)).toEqual([true]);
    await target.close();
  });

  it('gives the id of a created device also if other fields of the answer are not of their types', async () => {
    const object = { toString: 1, valueOf: 1 };
    const theirs = await serve();
    proxy = await lyingProxy(theirs.api, {
      answer: (method, path, answer) =>
        method === 'POST' && path.endsWith('/devices')
          ? { ...Object(answer), id: 'made', serial_number: object, created_at: object }
          : answer,
    });
    const target = await openRemoteTarget({
      cloud: { ...cloudAt(theirs, 'http'), api: proxy.url },
      serials: new Set([1]),
      profiles: [],
      speed: 1,
      clock: new RealClock(),
      trace: { emit: () => {} },
      failed: () => {},
      patience: {},
      log: QUIET,
    });
    const device = { name: 'one', serial_number: '2159017985', token: 'a'.repeat(32) };
    const created = await target.api.createDevice(device).finally(() => target.close());
    expect(created.id).toBe('made');
  });

  it('does not report missing downlinks of a device that the run has deleted', async () => {
    const [cloud, serial] = [cloudAt(await serve(), 'http'), 2159017985];
    const options = {
      serials: new Set([serial]),
      profiles: [],
      speed: 1,
      clock: new RealClock(),
      failed: () => {},
      patience: {},
      log: QUIET,
    };
    const target = await openRemoteTarget({ cloud, ...options, trace: { emit: () => {} } });
    const { id } = await target.api.createDevice({
      name: 'one',
      serial_number: String(serial),
      token: 'a'.repeat(32),
    });
    await target.api.sendCommands(id, ['info show']);
    await target.api.deleteDevice(id);
    await target.lastLook();
    expect(judgeRules(target.audit?.listTallies() ?? [], String).map(({ sentence }) => sentence)).toEqual([
      'held in the only case',
    ]);
    await target.close();
  });

  it('reports a rejected key without showing it', async () => {
    const cloud = { ...cloudAt(await serve(), 'udp'), apiKey: 'wrong-key' };
    const failure = await visit(cloud).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect(String(failure)).toMatch(/is not usable: GET .*401/);
    expect(String(failure)).not.toContain('wrong-key');
  });

  it('reports a device that already exists in the cloud, and deletes those that it created', async () => {
    const theirs = await serve();
    const client = new DeviceCloudClient({
      baseUrl: theirs.api,
      apiKey: String(theirs.apiKey),
      spaceId: theirs.spaceId,
    });
    await client.createDevice({ name: 'theirs', serial_number: '2159017986', token: 'a'.repeat(32) });
    await client.close();
    const failure = await visit(cloudAt(theirs, 'udp')).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect(String(failure)).toMatch(
      /the fleet could not be created: "clime-0002" has the serial number \d+, which the cloud already has: POST .*409/,
    );
    expect((await whatIsLeft(theirs)).devices).toEqual(['theirs']);
  });

  it('fails, and reports each lie of the cloud as a broken rule of the target', async () => {
    const theirs = await serve();
    /**
     * Ids of data messages in the order in which the API first shows them. The proxy hides one of these messages, and alters
     * one.
     */
    const seen: string[] = [];
    proxy = await lyingProxy(theirs.api, {
      times: (method, path) => (method === 'POST' && path.endsWith('/commands') ? 2 : 1),
      answer: (_method, path, answer) => {
        if (!path.includes('/messages') || !Array.isArray(answer)) return answer;
        // The cast is safe because the service answers with messages.
        return (answer as readonly Message[]).flatMap((message) => {
          if (message.type !== 'data') return message;
          if (!seen.includes(message.id)) seen.push(message.id);
          if (message.id === seen[0]) return [];
          return message.id === seen[1] ? { ...message, body: { altered: true } } : message;
        });
      },
    });
    const result = await visit({ ...cloudAt(theirs, 'udp'), api: proxy.url });
    const failed = result.expectations.filter(({ passed, line }) => !passed && line.startsWith('the target'));
    // Whether the second of two downlinks is delivered before the run ends depends on the speed of the machine.
    const always = failed.filter(({ line }) => line !== 'the target delivers what was queued, once');
    expect(always.map(({ line }) => line)).toEqual([
      'the target stores every uplink that it acknowledges',
      'the target stores what the devices sent',
      'the target queues one downlink for each accepted request',
    ]);
    expect(result.exitCode).toBe(EXIT.expectation);
  });

  it('is invalid if this machine cannot send the datagrams of its devices, and says why', async () => {
    const cloud = cloudAt(await serve(), 'udp');
    // The system refuses datagrams for the broadcast address.
    const gateway = { host: '255.255.255.255', port: 5003 };
    const result = await visit(
      { ...cloud, gateway },
      {},
      SCENARIO.replace('duration: 4m\nsettle: 30m', 'duration: 1m\nsettle: 1s').split('steps:')[0],
    );
    expect(result.exitCode).toBe(EXIT.invalid);
    expect(result.failure).toMatch(/^the run is invalid: this machine could not send \d+ datagrams: EACCES/);
    expect(result.generator?.errors).toMatchObject([{ what: 'datagram', code: 'EACCES', own: true }]);
  });
});
