/** The receiver of wM-Bus, which collects frames of meters: scans, reports in parts, the list of meters. */
import { describe, expect, it } from 'vitest';
import { listen, neighbours } from '../../src/device/wmbus/meters.js';
import { untilScan } from '../../src/device/wmbus/schedule.js';
import { hours, minutes, seconds } from '../../src/kernel/time.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { ReceiverSpec } from '../../src/profile/profile.js';
import { testCloud } from '../support/cloud.js';
import { testDevice } from '../support/device.js';

interface Body {
  readonly frame: { readonly sequence: number; readonly timestamp: number };
  readonly wmbus: {
    readonly scan_time: number;
    readonly received: number;
    readonly devices: number;
    readonly cycle: number;
    readonly part: number;
    readonly packets: readonly { readonly rssi: number; readonly data: string }[];
  };
}

async function wmbus(config: readonly string[], act: (shell: (line: string) => readonly string[]) => void = () => {}) {
  const cloud = await testCloud();
  await cloud.addDevice();
  const { clock, gateway } = cloud;
  const { device, of } = testDevice({
    clock,
    profile: 'wmbus',
    config,
    network: (datagram, answer) => {
      clock.after(1, 'datagram', () => gateway.receive(datagram, 'base64', answer));
    },
  });
  device.powerOn();
  await clock.runUntil(minutes(3));
  act((line) => device.shell(line).lines);
  return {
    device,
    of,
    async bodies(until: number): Promise<readonly Body[]> {
      await clock.runUntil(until);
      const stored = await cloud.messages(await cloud.device());
      // The cast is safe because the decoder of wM-Bus makes bodies of this shape, and the assertions check it.
      return stored.filter(({ type }) => type === 'data').map(({ body }) => body as unknown as Body);
    },
  };
}

const LISTED = ['app config address add 111111', 'app config address add 222222'];
const EVERY_HOUR = ['app config scan-mode interval', 'app config scan-interval 3600'];

describe('a receiver of meters', () => {
  it('sends nothing without a scan', async () => {
    const { bodies } = await wmbus([]);
    expect(await bodies(hours(8))).toEqual([]);
  });

  it('scans at the start and then by the interval, and reports after each scan', async () => {
    const { bodies } = await wmbus([...EVERY_HOUR, ...LISTED]);
    const all = await bodies(hours(3.5));
    expect(all.map(({ wmbus }) => wmbus.cycle)).toEqual([1, 2, 3, 4]);
    for (const { wmbus } of all) expect(wmbus).toMatchObject({ devices: 2, part: 0 });
  });

  it('keeps the frames of the meters on its list, and ends the scan when it has received all of these meters', async () => {
    const { bodies } = await wmbus([...EVERY_HOUR, ...LISTED]);
    const [first] = await bodies(hours(0.5));
    expect(first?.wmbus.received).toBe(2);
    expect(first?.wmbus.scan_time).toBeLessThan(130);
    // Length, control, manufacturer, then the number in BCD, lowest byte first.
    const numbers = first?.wmbus.packets.map(({ data }) => data.slice(8, 16)).sort();
    expect(numbers).toEqual(['11111100', '22222200']);
    for (const { data, rssi } of first?.wmbus.packets ?? []) {
      expect(data).toMatch(/^2e44/);
      expect(data).toHaveLength(2 * 0x2f);
      expect(rssi).toBeGreaterThan(-110);
      expect(rssi).toBeLessThan(-50);
    }
  });

  it('without a list keeps all frames of the whole scan, in parts of 20', async () => {
    const { bodies } = await wmbus(['app config scan-mode interval']);
    const [first, second] = await bodies(minutes(8));
    expect(first?.wmbus).toMatchObject({ scan_time: 130, cycle: 1, part: 0 });
    expect(second?.wmbus).toMatchObject({ scan_time: 130, cycle: 1, part: 1 });
    expect(first?.wmbus.packets).toHaveLength(20);
    expect(second?.wmbus.packets).toHaveLength((first?.wmbus.received ?? 0) - 20);
    expect(first?.wmbus.devices).toBe(first?.wmbus.received);
  });

  it('listens twice as long with two antennas', async () => {
    const { bodies } = await wmbus(['app config scan-mode interval', 'app config scan-ant dual']);
    const [first] = await bodies(minutes(9));
    expect(first?.wmbus.scan_time).toBe(260);
  });

  it('sends the frames as they are when the cloud is to decode them', async () => {
    const { bodies } = await wmbus([...EVERY_HOUR, ...LISTED, 'app config cloud-decode true']);
    const [first] = await bodies(hours(0.5));
    expect(first?.wmbus.packets.map(({ data }) => data.slice(8, 16)).sort()).toEqual(['11111100', '22222200']);
  });

  it('scans and reports on command, without a scan mode', async () => {
    const { bodies } = await wmbus(LISTED, (shell) => shell('wm scan'));
    expect(await bodies(minutes(10))).toHaveLength(1);
  });

  it('reports its frames at once on the command "send"', async () => {
    const { bodies } = await wmbus([], (shell) => {
      shell('wm push');
      shell('send');
    });
    const all = await bodies(minutes(4));
    expect(all.map(({ wmbus }) => wmbus)).toMatchObject([{ cycle: 0, received: 1, packets: [{ rssi: -65 }] }]);
  });

  it('enrolls the meters in range: reports them, saves them, and reboots', async () => {
    const { bodies, device, of } = await wmbus([], (shell) => shell('wm enroll 130 -80'));
    const all = await bodies(minutes(12));
    const received = all[0]?.wmbus.received ?? 0;
    expect(received).toBeGreaterThan(0);
    expect(of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'config']);
    expect(device.config.list('app')).toHaveLength(received);
    for (const { wmbus } of all) for (const { rssi } of wmbus.packets) expect(rssi).toBeGreaterThanOrEqual(-80);
  });

  it('stays silent with mode none', async () => {
    const { bodies } = await wmbus([...EVERY_HOUR, 'app config mode none']);
    expect(await bodies(hours(2))).toEqual([]);
  });
});

function receiver(): ReceiverSpec {
  const spec = packagedProfiles().get('wmbus')?.receiver;
  if (spec === undefined) throw new Error('wmbus has no receiver');
  return spec;
}

describe('the schedule', () => {
  const { device } = testDevice({ profile: 'wmbus', network: () => {} });
  const until = (settings: Readonly<Record<string, string | number>>, now: string, last?: string) => {
    const config = Object.create(device.config, {
      text: { value: (_: string, name: string) => settings[name] },
      number: { value: (_: string, name: string) => settings[name] },
    });
    const at = (text: string) => Date.parse(text) / 1000;
    return untilScan(receiver().scan, config, at(now), last === undefined ? undefined : at(last)) / 3_600_000;
  };
  const WEEKLY = { 'scan-mode': 'weekly', 'scan-hour': 12, 'scan-weekday': 3, 'scan-day': 31 };

  it.each([
    ['2026-01-07T10:00:00Z', undefined, 2],
    ['2026-01-07T12:00:30Z', undefined, 0],
    ['2026-01-07T12:00:30Z', '2026-01-07T12:00:00Z', 168 - 30 / 3600],
    ['2026-01-07T12:01:00Z', undefined, 168 - 1 / 60],
    ['2026-01-05T12:00:00Z', undefined, 48],
  ])('finds the next Wednesday from %s, with the last scan at %s', (now, last, expected) => {
    expect(until(WEEKLY, now, last)).toBeCloseTo(expected, 6);
  });

  it('never finds the weekday 0, because Sunday is 7', () => {
    expect(until({ ...WEEKLY, 'scan-weekday': 0 }, '2026-01-07T10:00:00Z')).toBe(Number.POSITIVE_INFINITY);
    expect(until({ ...WEEKLY, 'scan-weekday': 7 }, '2026-01-10T12:00:00Z')).toBe(24);
  });

  it('skips months without a 31st day', () => {
    expect(until({ ...WEEKLY, 'scan-mode': 'monthly' }, '2026-02-01T12:00:00Z')).toBe(58 * 24);
  });

  it('has a daily scan at the configured hour', () => {
    expect(until({ ...WEEKLY, 'scan-mode': 'daily' }, '2026-02-01T13:00:00Z')).toBe(23);
  });

  it('waits one second longer than the interval', () => {
    const settings = { ...WEEKLY, 'scan-mode': 'interval', 'scan-interval': 600 };
    expect(until(settings, '2026-02-01T13:00:00Z', '2026-02-01T13:00:00Z')).toBeCloseTo(601 / 3600, 9);
    expect(until(settings, '2026-02-01T13:00:00Z')).toBe(0);
  });
});

describe('a meter', () => {
  it('sends at times that do not depend on scans: a scan that starts 1 s later receives the frame 1 s sooner after its start', () => {
    const { around } = receiver();
    const heard = neighbours(around, 7).flatMap((meter) => {
      const early = listen(around, meter, 7, 1_767_225_600_000, seconds(130), 1);
      const late = listen(around, meter, 7, 1_767_225_600_000 + seconds(1), seconds(130), 1);
      return early && late && early.after > 1000 ? [early.after - late.after] : [];
    });
    expect(heard.length).toBeGreaterThan(10);
    expect(new Set(heard)).toEqual(new Set([1000]));
  });
});
