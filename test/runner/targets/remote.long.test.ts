/** A fleet against a cloud of which only the API and the gateway are used: over HTTP, with conflicts, and if it stops. */
import { describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../../src/client/client.js';
import { EXIT, InterruptedError } from '../../../src/kernel/errors.js';
import { runPlan } from '../../../src/library/scenario.js';
import type { RunOptions } from '../../../src/runner/run.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { waitDisagreements } from '../../support/agreement.js';
import { unhurried } from '../../support/unhurried.js';
import { planOf } from '../run-text.js';
import { cloudAt, SCENARIO, theirClouds, visit, whatIsLeft } from './their-cloud.js';

const serve = theirClouds();

describe('a run against another cloud', () => {
  it('follows every message through its API, with devices on http', async () => {
    const theirs = await serve();
    const result = await visit(cloudAt(theirs, 'http'));
    expect(result.failure).toBeNull();
    expect(result.expectations.filter(({ passed }) => !passed)).toEqual([]);
    expect(result.transport).toBe('http');
    expect(result.target).toBe(theirs.api);
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

  it('does not blame the serial number of a device for a conflict of its tag', async () => {
    const theirs = await serve();
    const client = new DeviceCloudClient({
      baseUrl: theirs.api,
      apiKey: String(theirs.apiKey),
      spaceId: theirs.spaceId,
    });
    await client.createTag({ name: 'hall', color: '#00ffaa' });
    await client.close();
    const plan = planOf(SCENARIO, 7);
    const groups = plan.groups.map((group) => ({ ...group, tags: ['hall '] }));
    const cloud = cloudAt(theirs, 'udp');
    const failure = await runPlan({ ...plan, groups }, { clock: 'real', speed: 60, meter: unhurried, cloud }).catch(
      String,
    );
    expect(failure).toContain('the fleet could not be created: POST ');
    expect(failure).toContain('a tag "hall" already exists');
    expect(failure).not.toContain('serial number');
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
