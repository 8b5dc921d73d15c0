/** wM-Bus: its reports leave from a queue of their own, and its command `poll` is a poll without limit (timing T-7). */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { expectTimes, measured, unplugged } from './measured.js';

/** Scans last 10 s, and polls come from the test alone. */
const SCANS = ['app config poll-interval 1209600', 'app config scan-timeout 10'];
const SELDOM = [...SCANS, 'app config scan-mode interval', 'app config scan-interval 86400'];

describe('a scan of wM-Bus', () => {
  it('that is due while the report of the previous scan is blocked is dropped; the next scan keeps the rhythm', async () => {
    const config = [...SCANS, 'app config scan-mode interval', 'app config scan-interval 600'];
    const { device, clock, of } = await measured({ profile: 'wmbus', config });
    const first = of('uplink.made').find(({ type }) => type === 'data')?.at ?? 0;
    const due = (n: number) => first + n * seconds(601);
    await clock.runUntil(due(1) - seconds(5));
    device.radio(false);
    // The report of the scan at due(1) is blocked; the scans at due(2) and due(3) are dropped.
    await clock.runUntil(due(3) + minutes(2));
    device.radio(true);
    await clock.runUntil(due(4) + seconds(30));
    const made = of('uplink.made').flatMap(({ type, at }) => (type === 'data' ? [at - first] : []));
    expectTimes(
      made.filter((at) => at > 0),
      [601, 4 * 601],
    );
  });

  it('does not stop the samples while its report is blocked', async () => {
    const { device, until, zero } = await measured({ profile: 'wmbus', config: SELDOM });
    zero();
    device.radio(false);
    device.shell('wm send');
    await until(minutes(25));
    const { memory } = device.firmware?.measurements ?? {};
    device.shell('info show');
    const before = memory?.floats.slice();
    device.controls.hold('thermometer.temperature', 42);
    await until(minutes(40));
    device.shell('info show');
    expect(memory?.floats).not.toEqual(before);
    expect([...(memory?.floats ?? [])]).toContain(42);
  });
});

describe('`poll` of wM-Bus', () => {
  it('has no time limit: it holds the lock through an outage of 20 min and gets its command at the end', async () => {
    const { device, until, times, command } = await unplugged({ profile: 'wmbus', config: SELDOM });
    await command();
    device.shell('poll');
    await until(minutes(20));
    expect(times('poll.failed')).toEqual([]);
    device.radio(true);
    await until(minutes(21));
    expectTimes(times('downlink.executed'), [20 * 60 + 1.6]);
  });

  it('that fails is not retried, and does not delay "cloud poll"', async () => {
    const { device, until, times, configure, command, zero } = await measured({ profile: 'wmbus', config: SELDOM });
    await configure(['nonsense']);
    zero();
    device.shell('poll');
    await until(seconds(10));
    expect(times('poll.failed')).toHaveLength(1);
    await command();
    device.shell('cloud poll');
    await until(seconds(20));
    expectTimes(
      times('downlink.executed', ({ type }) => type === 'shell'),
      [10.6],
    );
    await until(minutes(10));
    expect(times('poll.failed')).toHaveLength(1);
  });

  it('waits until an earlier report is sent', async () => {
    const { device, until, times } = await unplugged({ profile: 'wmbus', config: SELDOM });
    device.shell('wm send');
    device.shell('poll');
    await until(minutes(5));
    device.radio(true);
    await until(minutes(6));
    expectTimes(times('uplink.acked'), [301.6]);
    expect(times('poll.failed')).toEqual([]);
  });
});
