/**
 * The same outage on two firmware versions of Clime (timing T-26 to T-30), and what an update changes. Error −11: another
 * exchange holds the lock of the cloud connection.
 */
import { describe, expect, it } from 'vitest';
import { Bootloader } from '../../../src/device/hardware/bootloader.js';
import { minutes, seconds } from '../../../src/kernel/time.js';
import type { Profile } from '../../../src/profile/profile.js';
import { chooseFirmware } from '../../../src/profile/versions.js';
import { expectTimes, type MeasuredOptions, measured, report, unplugged, windows } from './measured.js';

const on355: Partial<MeasuredOptions> = { change: (profile: Profile) => chooseFirmware(profile, '3.5.5') };
const EVERY_HALF_HOUR = ['app config interval-report 1800'];
/** The timelines of the document assume a modem boot of 6 s, as on real hardware. */
const REAL_BOOT = { boot: [6000, 6000], wake: 0 } as const;

describe('timeline 10.2 on Clime 3.5.5: 70 min without network, report at 0', () => {
  it('the first report has no time limit: the radio stays in use until the pause of an hour, and the report arrives 51 min after the network returns', async () => {
    const { device, until, phases, times } = await unplugged({ ...on355, modem: REAL_BOOT, config: EVERY_HALF_HOUR });
    report(device);
    expectTimes(windows(await phases(seconds(4202.6))), [16, 316, 327, 627, 638, 3638]);
    device.radio(true);
    await until(seconds(7300));
    expectTimes(times('uplink.acked'), [7249 + 1.2, 7249 + 1.2]);
  });

  it('polls fail with −11 and do not restart the transfer of the report', async () => {
    const config = ['app config interval-poll 60'];
    const { device, until, times, of } = await unplugged({ ...on355, modem: REAL_BOOT, config });
    report(device);
    await until(seconds(600));
    expect(times('poll.failed').length).toBeGreaterThan(5);
    expect(of('poll.failed').at(-1)?.why).toBe('another exchange holds the cloud lock');
    expect(of('device.restart')).toEqual([]);
  });
});

describe('timeline 10.2 on Clime 4.0.0', () => {
  it('each report is given up after 150 s and restarts the modem, without a pause of an hour', async () => {
    const { device, phases } = await unplugged({ modem: REAL_BOOT, config: EVERY_HALF_HOUR });
    report(device);
    const seen = await phases(seconds(4202.6));
    expect(seen.filter(({ state, lasted }) => state === 'retry_delay' && lasted > minutes(30))).toEqual([]);
    expect(windows(seen).length).toBeGreaterThan(6);
  });

  it('reports from the outage wait in the spool and follow the first new report', async () => {
    const { device, until, times, of } = await unplugged({ config: EVERY_HALF_HOUR });
    report(device);
    await until(seconds(400));
    device.radio(true);
    await until(seconds(460));
    report(device);
    await until(seconds(600));
    expect(times('uplink.acked')).toHaveLength(2);
    expect(of('uplink.dropped')).toEqual([]);
  });
});

it('Clime 3.5.5 does not spool a report that waits for the network', async () => {
  const { device, until } = await unplugged({ ...on355 });
  report(device);
  await until(seconds(400));
  expect(device.spool.count).toBe(0);
});

it('after an update to 4.0.0, Clime gives up a report after its send-timeout', async () => {
  const { device, run, zero, until, of } = await measured(on355);
  const bootloader = new Bootloader(device.build);
  device.bootloader = bootloader;
  bootloader.request({ ...device.build, version: 'v4.0.0' });
  device.reboot('update');
  await run(minutes(5));
  expect(device.build.version).toBe('v4.0.0');
  zero();
  device.radio(false);
  report(device);
  await until(seconds(160));
  expect(device.spool.count).toBe(1);
  expect(of('device.boot')).toHaveLength(2);
});

describe('cloud metrics', () => {
  it('count a poll only if it fetched no message', async () => {
    const { device, command, run } = await measured();
    const counted = () => {
      const { pollCount = -1, downlinkCount = -1 } = device.firmware?.cloud.counters ?? {};
      return [pollCount, downlinkCount];
    };
    const [polls = 0, downlinks = 0] = counted();
    device.shell('cloud poll');
    await run(seconds(30));
    expect(counted()).toEqual([polls + 1, downlinks]);
    await command();
    device.shell('cloud poll');
    await run(seconds(30));
    expect(counted()).toEqual([polls + 1, downlinks + 1]);
  });
});
