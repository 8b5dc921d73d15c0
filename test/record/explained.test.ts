/** Explanations of downlinks of a recorded history, which has messages only. */
import { describe, expect, it } from 'vitest';
import { RunExplainer } from '../../src/explain/run-explainer.js';
import { makeRecordedRun } from '../../src/record/explained.js';
import { downlink, FROM, recording, uplink } from './fixtures.js';

const MINUTE = 60_000;

/** The uplinks of an hour: a report every 5 min, but none from minute `silentFrom` until minute `silentUntil`. */
function history(silentFrom = 60, silentUntil = 60) {
  const times = Array.from({ length: 12 }, (_, i) => i * 5 + 1).filter((at) => at < silentFrom || at >= silentUntil);
  return times.map((at) => uplink(at * MINUTE));
}

async function explained(...args: Parameters<typeof recording>) {
  const { histories, situation, names, unknown } = makeRecordedRun(recording(...args));
  const [first] = await new RunExplainer(histories, names, { situation, unknown }).explainSlowest(1, 3 * MINUTE);
  return first;
}

describe('a recorded downlink', () => {
  it('waited for the next report of a device that reported regularly', async () => {
    const found = await explained(history(), [downlink(12 * MINUTE, 16 * MINUTE + 500, { type: 'shell' })]);
    expect(found).toMatchObject({ device: 'd1', outcome: 'delivered', causes: [{ kind: 'interval' }] });
    expect(found?.causes[0]?.name).toBe('next report (every 5m, no polls)');
  });

  it('waited for a device that was silent although a report was due', async () => {
    const found = await explained(history(20, 45), [downlink(22 * MINUTE, 46 * MINUTE + 500, { type: 'shell' })]);
    expect(found?.causes.map(({ name }) => name).join()).toContain('silence of the device');
    expect(found?.waits.some(({ what }) => what.includes('silence of the device'))).toBe(true);
  });

  it.each([
    { what: 'a poll that fetches it late', type: 'shell', queued: 10, fetched: 16.2 },
    { what: 'a report that fetches it', type: 'config', queued: 24, fetched: 30.5 },
    { what: 'data, after a poll for another downlink', type: 'data', queued: 13, fetched: 19 },
  ] as const)('waited although polls were due, and none fetched it: $what', async ({ type, queued, fetched }) => {
    const start = (['session', 'encoder', 'config'] as const).map((each, i) =>
      uplink(i * 1000, { type: each, ...(each === 'config' && { reportEvery: 1800, pollEvery: 60 }) }),
    );
    const found = await explained(
      [...start, uplink(30.4 * MINUTE)],
      [
        downlink(12 * MINUTE, 12.5 * MINUTE, { type: 'timestamp' }),
        downlink(queued * MINUTE, fetched * MINUTE, { type }),
      ],
    );
    const name = 'silence of the device: polls were due, and none fetched the downlink';
    expect(found?.causes.map((cause) => cause.name)).toContain(name);
    expect(found?.text).not.toContain('at rest until');
  });

  it('waited for its poll if it came in time, and the recording is not long enough to miss another one', async () => {
    const config = uplink(0, { type: 'config', reportEvery: 1800, pollEvery: 300 });
    const found = await explained(
      [config, uplink(30 * MINUTE)],
      [downlink(11 * MINUTE, 15.1 * MINUTE, { type: 'shell' })],
    );
    expect(found?.causes).toEqual([{ kind: 'interval', name: 'next report or poll (every 30m, every 5m)' }]);
  });

  it('was not delayed by silence if reports came at the interval that was configured at the time', async () => {
    const slow = [1, 61, 121].map((at) => uplink(at * MINUTE));
    const fast = [181, 191, 201, 211, 221, 231].map((at) => uplink(at * MINUTE));
    const configs = [
      uplink(0, { type: 'config', reportEvery: 3600, pollEvery: 0 }),
      uplink(180 * MINUTE, { type: 'config', reportEvery: 600, pollEvery: 0 }),
    ];
    const found = await explained(
      [...configs, ...slow, ...fast],
      [downlink(70 * MINUTE, 121 * MINUTE, { type: 'shell' })],
      {
        until: FROM + 240 * MINUTE,
      },
    );
    expect(found?.causes).toEqual([{ kind: 'interval', name: 'next report (every 1h, no polls)' }]);
  });

  it.each([
    { at: 12, name: 'next report (every 30m, no polls)', why: 'before the device reported others' },
    { at: 62, name: 'next report or poll (every 15m, every 10m)', why: 'that a restart had changed' },
    { at: 122, name: 'next report or poll (every 15m, every 5m)', why: 'of which a later message changed one' },
  ])('waited with the intervals $why', async ({ at, name }) => {
    const configs = [
      uplink(0, { type: 'config', reportEvery: 1800, pollEvery: 0 }),
      uplink(60 * MINUTE, { type: 'config', reportEvery: 900, pollEvery: 600 }),
      uplink(120 * MINUTE, { type: 'config', pollEvery: 300 }),
    ];
    const found = await explained(
      [...configs, uplink((at + 4) * MINUTE)],
      [downlink(at * MINUTE, (at + 4) * MINUTE + 500, { type: 'shell' })],
      { until: FROM + 180 * MINUTE },
    );
    expect(found?.causes).toEqual([{ kind: 'interval', name }]);
  });

  it('that was delivered without an answer says so', async () => {
    const found = await explained(history(), [downlink(12 * MINUTE, 16 * MINUTE + 500, { type: 'config' })]);
    expect(found).toMatchObject({ outcome: 'delivered', took: 4 * MINUTE + 500 });
    expect(found?.text).toContain('No answer came: the recording has no configuration with all its lines.');
  });

  it.each(['shell', 'config'] as const)('(%s) whose answer may come after the recording says so', async (type) => {
    const found = await explained(history(), [downlink(50 * MINUTE, 56 * MINUTE + 500, { type })]);
    expect(found?.text).toContain('No answer came before the end of the recording.');
  });

  it('waited because of the silence of its device, even if it was queued before the first missing report was due', async () => {
    const found = await explained(history(20, 45), [downlink(17 * MINUTE, 46 * MINUTE + 500, { type: 'shell' })]);
    expect(found?.causes.map(({ name }) => name)).toContain('silence of the device, although a report was due');
  });

  it('waited for a device that sent nothing at all, and a missing power-up is not named as a cause', async () => {
    const found = await explained(history(), [downlink(MINUTE, null, { device: 'd2', type: 'shell' })]);
    expect(found?.causes.map(({ name }) => name)).toContain('silence of the device in the whole recording');
    expect(found?.causes.map(({ kind }) => kind)).not.toContain('power-on');
    expect(found?.waits).toMatchObject([{ what: 'silence of the device in the whole recording', time: 59 * MINUTE }]);
  });

  it('has the uploads of a session in its timeline as a start of the device', async () => {
    const uploads = (['session', 'decoder', 'config'] as const).map((type, i) => uplink((20 + i) * MINUTE, { type }));
    const found = await explained(
      [...history(20, 45), ...uploads],
      [downlink(16.5 * MINUTE, 21.5 * MINUTE, { type: 'shell' })],
    );
    const contacts = found?.timeline.filter(({ kind }) => kind === 'contact').map(({ what }) => what) ?? [];
    expect(contacts.some((what) => what.startsWith('start of the device: acknowledged'))).toBe(true);
    expect(contacts.some((what) => what.startsWith('report'))).toBe(false);
  });

  it.each([
    { restart: ['session', 'config'], apart: 8000 },
    { restart: ['session', 'decoder', 'encoder', 'config'], apart: 3000 },
    { restart: ['session', 'session', 'config'], apart: 6000 },
    { restart: ['session', 'decoder', 'config'], apart: 40_000 },
  ] as const)(
    'is not asleep from the session of its device to the configuration: $restart',
    async ({ restart, apart }) => {
      const delivered = 16 * MINUTE + 500;
      const start = restart.map((type, i) => uplink(delivered + 15_000 + i * apart, { type }));
      const reports = history(20);
      const answer = reports.length + restart.length;
      const found = await explained(
        [...reports, ...start],
        [downlink(12 * MINUTE, delivered, { type: 'config', answer })],
      );
      expect(found?.outcome).toBe('answered');
      const asleep = (found?.waits ?? []).reduce((sum, { parts }) => sum + parts.asleep, 0);
      expect(asleep).toBe(16 * MINUTE - 12 * MINUTE);
      const exchange = found?.waits.find(({ what }) => what === 'exchange')?.time;
      expect(exchange).toBe(500 + 15_000 + (restart.length - 1) * apart);
    },
  );

  it('is not asleep while its device sends stored reports', async () => {
    const spooled = [0, 4000, 8000].map((late) => uplink(16 * MINUTE + late));
    const found = await explained(
      [...history(16), ...spooled],
      [downlink(12 * MINUTE, 16 * MINUTE + 9000, { type: 'data' })],
    );
    expect(found?.waits.map(({ parts }) => parts.asleep).reduce((a, b) => a + b)).toBe(4 * MINUTE);
  });

  it('belongs to a device with the firmware version of its last session', async () => {
    const recorded = recording(history(), []);
    const known = { ...recorded, devices: recorded.devices.map((device) => ({ ...device, firmware: '3.5.5' })) };
    expect(makeRecordedRun(known).situation.fleet[0]?.firmware).toBe('3.5.5');
  });

  it('of a run with a speed is explained in the time of the devices', async () => {
    const real = recording(history(), [downlink(12 * MINUTE, 15 * MINUTE)]);
    const fast = {
      ...{ ...real, speed: 60, until: real.from + (real.until - real.from) / 60 },
      uplinks: real.uplinks.map((uplink) => ({ ...uplink, at: uplink.at / 60 })),
      downlinks: real.downlinks.map((each) => ({ ...each, at: each.at / 60, ended: Number(each.ended) / 60 })),
    };
    expect(makeRecordedRun(fast).downlinks).toEqual(makeRecordedRun(real).downlinks);
    expect(makeRecordedRun(fast).situation).toEqual(makeRecordedRun(real).situation);
  });

  it('is explained with a note about facts that messages do not show', async () => {
    const found = await explained(history(), [downlink(12 * MINUTE, null)]);
    expect(found?.outcome).toBe('pending');
    expect(found?.unknown.join()).toContain('cannot be known');
    expect(found?.text).toContain('cannot be known');
  });
});
