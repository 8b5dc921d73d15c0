/** The commands record, replay and fit, with a real service, a fleet that uses it, and files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { writeRecording } from '../../src/record/write.js';
import { downlink, recording, uplink } from '../record/fixtures.js';
import { ghostfleet } from '../support/host.js';
import { until } from '../support/until.js';
import { KEY, useService } from './record-support.js';

const { serve, path } = useService();

const record = (api: string, ...more: readonly string[]) =>
  ghostfleet(['record', '--target', api, '--api-key', KEY, '--out', path('a.jsonl'), '--rate', '100', ...more]);

/**
 * Six devices, of which a test records 11 minutes: 11 seconds of real time at speed 60. At this speed, a downlink that misses
 * a contact of its device waits half a second of real time for the next contact.
 */
const SCENARIO = `
name: to-record
duration: 30m
fleet:
  - { name: clime, profile: clime, count: 4, config: { interval-report: 30 } }
  - { name: control, profile: control, count: 2, config: { interval-report: 60, interval-poll: 30 } }
network: { latency: 250ms..500ms }
steps:
  - { at: 2m, to: clime, over: 4m, commands: [info show] }
  - { at: 3m10s, to: control, over: 4m, downlink: { output_1_state: 1 } }
  - { at: 4m, to: control, over: 3m, commands: [info show, app config show] }
  - { at: 4m, to: control, over: 3m, downlink: { output_1_state: 0 } }
  - { at: 4m30s, to: clime/1, config: { interval-report: 40 } }
  - { at: 5m, to: clime, over: 2m, commands: [info show] }
`;

describe('a fleet on another service', () => {
  it('is recorded without its secrets, and most of its deliveries are predicted within a second', async () => {
    const { api, udp } = await serve();
    writeFileSync(path('s.yaml'), SCENARIO);
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const target = ['--target', api, '--api-key', KEY, '--udp', `127.0.0.1:${udp}`];
    // The history is read during the run, because a run deletes its devices at its end.
    const running = ghostfleet(['run', path('s.yaml'), '--clock', 'real', '--speed', '60', ...target], {
      interruptWhen: stopped,
    });
    const client = await DeviceCloudClient.connect({ baseUrl: api, apiKey: KEY });
    await until(async () => (await client.messages({ limit: 1 })).length > 0);
    const clock = new RealClock();
    await new Promise<void>((resolve) => clock.after(11_000, 'enough of a history', resolve));
    const devices = await client.devices();
    const messages = await client.messages({ limit: 100 });
    await client.close();

    const recorded = await record(api, '--after', '1h', '--bodies', '--speed', '60');
    const unaware = await record(api, '--after', '1h');
    stop();
    await running;
    expect(recorded).toMatchObject({ exit: 0, err: '' });
    expect(unaware.err).toMatch(/^warning: the devices report about \d+ times as often as configured; /);
    expect(recorded.out).toMatch(
      /a\.jsonl: 6 devices, \d+ uplinks and \d+ downlinks \(\d+ of them answers to sessions or time requests\) in 1h\n$/,
    );
    const file = readFileSync(path('a.jsonl'), 'utf8');
    const secrets = [
      ...[KEY, api, 'to-record', 'clime-000', 'output_1'],
      ...devices.flatMap(({ id, name, serial_number }) => [id, name, serial_number]),
      ...messages.flatMap(({ id, codec_hash }) => [id, codec_hash ?? id]),
    ];
    for (const secret of secrets) expect(file).not.toContain(secret);

    const replayed = await ghostfleet(['replay', path('a.jsonl'), '--json']);
    const { errors, missed, invented, predictions } = JSON.parse(replayed.out);
    expect(predictions.length).toBeGreaterThan(15);
    // A busy machine may not keep up with speed 60, so a quarter of the predictions may be wrong here. The limits of `npm run
    // prove` are stricter.
    expect(errors.median).toBeLessThan(1000);
    expect(missed + invented).toBeLessThan(predictions.length / 4);

    expect(await ghostfleet(['fit', path('a.jsonl'), '--out', path('fitted.yaml')])).toMatchObject({ exit: 0 });
    expect(await ghostfleet(['validate', path('fitted.yaml')])).toMatchObject({ exit: 0 });
  }, 60_000);
});

describe('record', () => {
  it.each([
    [
      ['--after', 'yesterday'],
      '--after "yesterday" is not a time such as 2026-03-02T06:00Z, or a duration before now such as 2h',
    ],
    [['--after', '1h', '--before', '2h'], '--after must be earlier than --before'],
    [['--space', 'no-such-space'], ': GET /v2/spaces/no-such-space/messages was answered with 4'],
  ])('with %j reports the problem, without the key', async (flags, complaint) => {
    const { api } = await serve();
    const { exit, err } = await record(api, ...flags);
    expect(exit).toBe(2);
    expect(err).toContain(complaint);
    expect(err).not.toContain(KEY);
  });

  it('requires a key, a cloud that answers, and a writable file', async () => {
    const { api } = await serve();
    const out = ['--out', path('a.jsonl')];
    expect((await ghostfleet(['record', '--target', api, ...out])).err).toContain('requires an API key');
    expect((await record('http://127.0.0.1:9')).err).toContain('cannot read http://127.0.0.1:9');
    const nowhere = ['record', '--target', api, '--api-key', KEY, '--out', path('no/such/folder/a.jsonl')];
    expect(await ghostfleet(nowhere)).toMatchObject({ exit: 2, err: expect.stringContaining('cannot write') });
    expect((await record('not an address')).err).toContain('is not an address');
  });
});

describe('replay', () => {
  it.each([
    ['1s', 0, 'PASS: 2 predictions, all within 1s'],
    ['50ms', 3, 'FAIL: 2 of 2 predictions not within 50ms'],
  ])('with --within %s has the exit code %i', async (limit, exit, verdict) => {
    const uplinks = [10_000, 20_000, 30_000].map((at) => uplink(at, { type: 'shell' }));
    const downlinks = [downlink(5000, 10_400), downlink(15_000, 20_600)].map((made) => ({
      ...made,
      type: 'shell' as const,
    }));
    writeFileSync(path('a.jsonl'), writeRecording(recording(uplinks, downlinks)));
    const replayed = await ghostfleet(['replay', path('a.jsonl'), '--within', limit]);
    expect([replayed.exit, replayed.out]).toEqual([exit, expect.stringContaining(verdict)]);
  });
});

describe('replay and fit', () => {
  it.each(['replay', 'fit'])('%s reports the problems of a file', async (command) => {
    writeFileSync(path('a.jsonl'), '{"kind":"run"}\n');
    const broken = await ghostfleet([command, path('a.jsonl')]);
    expect(broken.exit).toBe(2);
    expect(broken.err).toContain('a.jsonl:1:1: the first line is not the header of a recording');
    expect((await ghostfleet([command, path('b.jsonl')])).err).toContain('the file does not exist');
    expect((await ghostfleet([command, '-'])).err).toContain('"-" cannot be read: the file does not exist');
  });

  it('fit refuses a window that is longer than a scenario may be', async () => {
    const uplinks = [10_000, 20_000, 30_000].map((at) => uplink(at, { type: 'data' }));
    writeFileSync(path('a.jsonl'), writeRecording(recording(uplinks, [], { speed: 24 * 367 })));
    const { exit, err } = await ghostfleet(['fit', path('a.jsonl')]);
    expect([exit, err]).toEqual([2, expect.stringContaining('covers 367d in the time of the devices')]);
    expect(err).toContain('record a shorter window: --after of "ghostfleet record"');
  });
});
