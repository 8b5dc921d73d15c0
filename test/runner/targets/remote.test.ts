/** A fleet against a cloud of which only the public API and the gateway are used. */
import { afterEach, describe, expect, it } from 'vitest';
import { DeviceCloudClient, type Message } from '../../../src/client/client.js';
import { type Service, startService } from '../../../src/cloud/service.js';
import { EXIT, InterruptedError, UsageError } from '../../../src/kernel/errors.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { runPlan } from '../../../src/library/scenario.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { describeDeviceTypes } from '../../../src/runner/known-types.js';
import type { RunOptions } from '../../../src/runner/run.js';
import { judgeRules } from '../../../src/runner/targets/audit/rules.js';
import { openRemoteTarget } from '../../../src/runner/targets/remote.js';
import type { TargetCloud } from '../../../src/runner/targets/remote-api.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { waitDisagreements } from '../../support/agreement.js';
import { QUIET } from '../../support/cloud.js';
import { type LyingProxy, lyingProxy } from '../../support/lying-proxy.js';
import { unhurried } from '../../support/unhurried.js';

const profiles = packagedProfiles();

const SCENARIO = `
name: elsewhere
duration: 4m
settle: 30m
fleet:
  - { name: clime, profile: clime, count: 2, tags: [visitor], config: { interval-report: 60 } }
  - { name: control, profile: control, count: 1, config: { interval-report: 60 } }
network: { latency: 1s..2s }
steps:
  - { at: 90s, commands: [info serial-number] }
  - { at: 90s, to: clime/1, config: { interval-report: 120 } }
  - { at: 90s, to: control, downlink: { output_1_state: 1 } }
expect:
  - device.ready == 3
  - uplink.stored == uplink.sent
  - downlink.queued == 5
  - downlink.delivered == downlink.queued
  - downlink.answered == 4
`;

let service: Service | undefined;
let proxy: LyingProxy | undefined;

afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
  await service?.close();
  service = undefined;
});

async function serve(ports: { readonly udpRawPort?: number; readonly udpDtlsPort?: number } = {}): Promise<Service> {
  service = await startService({
    db: 'memory',
    host: '127.0.0.1',
    port: 0,
    udpPort: 0,
    udpRawPort: null,
    ...ports,
    space: 'theirs',
    clock: new RealClock(),
    random: seededRandom(1),
    trace: { emit: () => {} },
    log: QUIET,
  });
  return service;
}

function cloudAt({ api, apiKey, udp, udpRaw, udpDtls }: Service, link: 'udp' | 'http'): TargetCloud {
  return {
    api,
    apiKey: String(apiKey),
    spaceId: null,
    keyOf: String,
    gateway:
      link === 'udp'
        ? {
            ...{ host: '127.0.0.1', port: Number(udp) },
            ...(udpRaw !== null && { rawPort: udpRaw }),
            ...(udpDtls !== null && { dtlsPort: udpDtls }),
          }
        : null,
    pace: { atOnce: 4, perSecond: null },
  };
}

/** Runs the scenario at 60 times real time, because a device needs minutes to become ready and to report. */
function visit(cloud: TargetCloud, options: Partial<Omit<RunOptions, 'secretsKey'>> = {}, scenario = SCENARIO) {
  const plan = planScenario(parseScenario(scenario, 'test.yaml', describeDeviceTypes(profiles)), { seed: 7 });
  return runPlan(plan, { clock: 'real', speed: 60, meter: unhurried, cloud, ...options });
}

async function whatIsLeft({ api, apiKey, spaceId }: Service) {
  const client = new DeviceCloudClient({ baseUrl: api, apiKey: String(apiKey), spaceId });
  const [devices, tags] = [await client.devices(), await client.tags()];
  await client.close();
  return { devices: devices.map(({ name }) => name), tags: tags.map(({ name }) => name) };
}

describe('a run against another cloud', () => {
  it.each(['udp', 'http'] as const)('follows every message through its API, with devices on %s', async (link) => {
    const result = await visit(cloudAt(await serve(), link));
    expect(result.failure).toBeNull();
    expect(result.expectations.filter(({ passed }) => !passed)).toEqual([]);
    expect(result.transport).toBe(link);
    expect(result.target).toBe(service?.api);
    expect(waitDisagreements(result)).toEqual([]);
  });

  it('connects hio devices to the ports for raw datagrams and for DTLS', async () => {
    const fleet = [
      '{ name: plain, profile: hio-node, count: 1 }',
      '{ name: secure, profile: hio-node, count: 1, config: [cloud config protocol flap-dtls] }',
    ];
    const lines = ['name: nodes', 'duration: 1h', `fleet: [${fleet.join(', ')}]\n`];
    const cloud = cloudAt(await serve({ udpRawPort: 0, udpDtlsPort: 0 }), 'udp');
    // Ends when both are ready: a busy machine takes longer than an idle one.
    const ready = new Set<number>();
    let end = () => {};
    const take = (event: TraceEvent) => {
      if (event.kind === 'device.ready') ready.add(event.serial);
      if (ready.size === 2) end();
    };
    const started: RunOptions['started'] = ({ stop }) => {
      end = () => stop(new InterruptedError('the end of the test'));
    };
    await visit(cloud, { watch: { take }, started }, lines.join('\n'));
    expect(ready.size).toBe(2);
  });

  it('suggests the setting `serial` if a device of another user has a serial number of the fleet', async () => {
    const theirs = await serve();
    const { api, apiKey, spaceId } = theirs;
    const client = new DeviceCloudClient({ baseUrl: api, apiKey: String(apiKey), spaceId });
    await client.createDevice({ name: 'theirs', serial_number: '2159017985', token: 'a'.repeat(32) });
    await client.close();
    await expect(visit(cloudAt(theirs, 'udp'))).rejects.toMatchObject({
      message: expect.stringMatching(/^the fleet could not be created: "\S+-0001" has the serial number 2159017985, /),
      hint: expect.stringMatching(/^set "serial" of the group "\S+" to the first of a range of free serial numbers/),
    });
    expect((await whatIsLeft(theirs)).devices).toEqual(['theirs']);
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
    const answers = ['{"id":"m1","type":"shell","device_serial_number":"1"}', '', '<html>', 'null', '{}', deep];
    expect(answers.map((answer) => target.accepted(answer, '["info show"]'))).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    await target.close();
    expect(events).toMatchObject([{ kind: 'downlink.queued', downlink: 'm1', serial: 1 }]);
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

  it('does not blame the serial number of a device for a conflict of its tag', async () => {
    const theirs = await serve();
    const client = new DeviceCloudClient({
      baseUrl: theirs.api,
      apiKey: String(theirs.apiKey),
      spaceId: theirs.spaceId,
    });
    await client.createTag({ name: 'hall', color: '#00ffaa' });
    await client.close();
    const plan = planScenario(parseScenario(SCENARIO, 'test.yaml', describeDeviceTypes(profiles)), { seed: 7 });
    const groups = plan.groups.map((group) => ({ ...group, tags: ['hall '] }));
    const cloud = cloudAt(theirs, 'udp');
    const failure = await runPlan({ ...plan, groups }, { clock: 'real', speed: 60, meter: unhurried, cloud }).catch(
      String,
    );
    expect(failure).toContain('the fleet could not be created: POST ');
    expect(failure).toContain('a tag "hall" already exists');
    expect(failure).not.toContain('serial number');
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

  it('ends with exit code 4 if the cloud stops for the rest of the run', async () => {
    const theirs = await serve();
    // The cloud stops as soon as a device has a report.
    const take = (event: TraceEvent) => {
      if (event.kind === 'uplink.made' && event.type === 'data') void theirs.close();
    };
    const brief = SCENARIO.replace('settle: 30m', 'settle: 1m');
    const result = await visit(cloudAt(theirs, 'udp'), { watch: { take } }, brief);
    expect(result.exitCode).toBe(EXIT.stuck);
    expect(result.uplinks.made).toBeGreaterThan(0);
  });
});
