/** Facts that are derived from a recording for a replay, and facts that must not be used. */
import { describe, expect, it } from 'vitest';
import { findExchanges } from '../../src/record/exchanges.js';
import { findPolls } from '../../src/record/polls.js';
import { listScripts } from '../../src/record/predict.js';
import { makeScript } from '../../src/record/script.js';
import { downlink, FROM, recording, uplink } from './fixtures.js';

const contactsIn = (made: ReturnType<typeof recording>, open: readonly number[] = []) =>
  makeScript(made, new Set(open)).devices[0]?.contacts ?? [];

describe('round trips', () => {
  it('are computed from the time between an uplink and the next delivery: one round trip for the poll and one for each fragment', () => {
    const single = recording([uplink(10_000)], [downlink(5000, 10_400)]);
    expect(findExchanges(single).trip('d1')).toBe(200);
    // With 24 bytes besides its lines, the message has 924 bytes, so it needs three fragments of at most 360 bytes. They
    // take three round trips after the one for the poll.
    const large = downlink(5000, 10_800, { type: 'shell', size: 900 });
    expect(findExchanges(recording([uplink(10_000)], [large])).trip('d1')).toBe(200);
  });

  it('follow from consecutive deliveries as well', () => {
    const made = recording([uplink(10_000)], [downlink(5000, 10_600), downlink(6000, 10_900), downlink(7000, 11_200)]);
    expect(findExchanges(made).trip('d1')).toBe(300);
  });

  it('ignore a delivery that took too long', () => {
    const made = recording([uplink(10_000), uplink(20_000)], [downlink(5000, 10_400), downlink(15_000, 24_000)]);
    expect(findExchanges(made).trip('d1')).toBe(200);
  });

  it("ignore a delivery that took minutes on the device's clock, which runs 60 times as fast", () => {
    const made = recording([uplink(10_000)], [downlink(5000, 12_000)], { speed: 60 });
    expect(findExchanges(made).trip('d1')).not.toBe(1000);
    expect(findExchanges(made).polls).toHaveLength(1);
  });

  it('of a device without deliveries are the median of the other devices', () => {
    const made = recording([uplink(10_000), uplink(20_000, { device: 'd2' })], [downlink(5000, 10_400)]);
    expect(findExchanges(made).trip('d2')).toBe(200);
  });
});

describe('polls', () => {
  it('are known from deliveries that did not follow an uplink', () => {
    const made = recording([uplink(10_000), uplink(20_000)], [downlink(5000, 10_400), downlink(100_000, 500_000)]);
    expect(findExchanges(made).polls).toEqual([{ device: 'd1', at: 499_800 }]);
  });

  describe('of a timer', () => {
    const WAKE = 2500;
    const life = (at: number, device = 'd1') => [
      uplink(at, { type: 'session', device }),
      uplink(at + 1000, { type: 'config', pollEvery: 60, device }),
    ];
    const pollsOf = (
      uplinks: readonly ReturnType<typeof uplink>[],
      seen: readonly number[],
      more: Partial<ReturnType<typeof recording>> = {},
    ) => {
      const made = recording(uplinks, [], { until: FROM + 200_000, ...more });
      const polls = seen.map((at) => ({ device: 'd1', at }));
      return findPolls(made, polls, () => 200).get('d1');
    };

    it('have the typical delay of the radio as long as no poll is known', () => {
      expect(pollsOf(life(0), [])).toEqual([61_200 + WAKE, 121_200 + WAKE, 181_200 + WAKE]);
    });

    it('include the known polls at their times', () => {
      expect(pollsOf(life(0), [124_700])).toEqual([61_200 + WAKE, 124_700, 181_200 + WAKE]);
    });

    it('have the median delay of the known polls of the fleet', () => {
      const seen = [62_300, 122_400, 182_500].map((at) => ({ device: 'd1', at }));
      const made = recording([...life(0), ...life(0, 'd2')], [], { until: FROM + 200_000 });
      expect(findPolls(made, seen, () => 200).get('d2')).toEqual([62_400, 122_400, 182_400]);
    });

    it('follow the drift of the latest known polls', () => {
      const seen = [1, 2, 3, 4, 5, 6].map((n) => n * 60_300 + 1200 + WAKE);
      const polls = pollsOf(life(0), seen, { until: FROM + 440_000 });
      expect(polls).toEqual([...seen, 7 * 60_000 + 1200 + WAKE + 4 * 300]);
    });

    it('ignore a known poll that does not fit the timer', () => {
      expect(pollsOf(life(0), [95_000])).toEqual([61_200 + WAKE, 95_000, 121_200 + WAKE, 181_200 + WAKE]);
    });

    it('follow from a known poll when the restart was before the recording', () => {
      const configured = { ...uplink(90_000, { type: 'config', pollEvery: 60 }) };
      expect(pollsOf([configured], [130_000])).toEqual([10_000, 70_000, 130_000, 190_000]);
    });

    it('restart with every session', () => {
      const polls = pollsOf([...life(0), ...life(100_000)], [], { until: FROM + 170_000 });
      expect(polls).toEqual([61_200 + WAKE, 161_200 + WAKE]);
    });

    it('are more frequent when the time of the devices is faster', () => {
      const fast = uplink(0, { type: 'config', pollEvery: 600 });
      const polls = pollsOf([uplink(0, { type: 'session' }), fast], [], { speed: 10, until: FROM + 130_000 });
      expect(polls).toEqual([60_200 + WAKE / 10, 120_200 + WAKE / 10]);
    });
  });
});

describe('a script', () => {
  const made = recording(
    [
      ...[
        uplink(0, { type: 'session' }),
        uplink(600, { type: 'decoder' }),
        uplink(1000, { type: 'config', pollEvery: 300 }),
      ],
      ...[60_000, 120_000, 180_000, 240_000].map((at) => uplink(at)),
      ...[
        uplink(121_000, { type: 'shell' }),
        uplink(190_000, { type: 'session' }),
        uplink(190_500, { type: 'config' }),
      ],
    ],
    [
      downlink(0, 400, { type: 'session' }),
      downlink(30_000, 60_400),
      downlink(90_000, 120_440, { type: 'shell', answer: 6 }),
      downlink(91_000, 155_000),
      downlink(130_000, 180_420, { type: 'config', answer: 9 }),
      downlink(190_000, 190_400, { type: 'session' }),
      downlink(200_000, 240_400),
      downlink(200_500, 240_600),
    ],
  );

  it.each(made.downlinks.map(({ n, type }) => [n, type]))(
    'does not depend on the time at which the predicted downlink was delivered: number %i (%s)',
    (n) => {
      const script = makeScript(made, new Set([n]));
      for (const shift of [-150, 250, 5000]) {
        const downlinks = made.downlinks.map((d) =>
          d.n === n ? { ...d, ended: (d.ended ?? 0) + shift, attempts: 3 } : d,
        );
        expect(makeScript({ ...made, downlinks }, new Set([n]))).toEqual(script);
      }
    },
  );

  it('depends on the deliveries of other downlinks', () => {
    const downlinks = made.downlinks.map((d) => (d.n === 4 ? { ...d, ended: 156_000 } : d));
    expect(makeScript({ ...made, downlinks }, new Set([2]))).not.toEqual(makeScript(made, new Set([2])));
  });

  it('does not contain a poll that is known only from the delivery to be predicted', () => {
    const seen = (open: readonly number[]) =>
      contactsIn(made, open).filter(({ kind, at }) => kind === 'poll' && at < 180_000);
    expect(seen([])).toHaveLength(1);
    expect(seen([4])).toEqual([]);
  });

  it('delays answers, and the restart for a configuration, until their downlink is delivered', () => {
    expect(contactsIn(made).flatMap(({ kind, cause }) => (cause === undefined ? [] : [[kind, cause]]))).toEqual([
      ['shell', 3],
      ['session', 5],
      ['config', 5],
    ]);
  });

  it('marks the uploads after a boot that are followed by another upload', () => {
    const start = contactsIn(made).filter(({ at }) => at <= 1000);
    expect(start.map(({ moreUploads }) => moreUploads)).toEqual([true, true, false]);
  });

  it('lets a device that sends reports from its spool poll after the last of them', () => {
    const stored = recording(
      [uplink(60_000), uplink(62_000), uplink(64_000), uplink(90_000)],
      [downlink(30_000, 64_400, { type: 'shell' })],
    );
    const more = (spooling: readonly string[]) =>
      makeScript(
        { ...stored, devices: [{ device: 'd1', type: 'clime', firmware: null }] },
        new Set(),
        'foretold',
        new Set(spooling),
      ).devices[0]?.contacts.flatMap(({ kind, moreUploads }) => (kind === 'data' ? [moreUploads] : []));
    expect(more(['clime'])).toEqual([true, true, false, false]);
    expect(more(['control'])).toEqual([false, false, false, false]);
  });

  it('marks a report if the device ignored its poll flag, because the device was waiting for a retry', () => {
    const ignored = recording([uplink(60_000), uplink(120_000)], [downlink(30_000, 280_400, { type: 'shell' })]);
    expect(contactsIn(ignored).flatMap(({ kind, deaf }) => (kind === 'data' ? [deaf] : []))).toEqual([true, true]);
    // The prediction of downlink 1 must not use the time of its delivery.
    expect(contactsIn(ignored, [1]).map(({ deaf }) => deaf)).toEqual([false, false]);
  });

  it('marks as failed a configuration that was delivered and did not restart its device', () => {
    const configured = (more: Parameters<typeof recording>[0]) =>
      makeScript(
        recording([uplink(60_000), ...more], [downlink(30_000, 60_400, { type: 'config' })]),
        new Set(),
      ).downlinks.map(({ fails }) => fails);
    expect(configured([])).toEqual([true]);
    expect(configured([uplink(75_000, { type: 'session' })])).toEqual([false]);
  });

  it('is one of several for a recording: exactly one of them predicts a downlink, and neighbours have different ones', () => {
    const worlds = [...listScripts(made)].map(({ open }) => [...open]);
    expect(worlds.flat().sort((a, b) => a - b)).toEqual(made.downlinks.map(({ n }) => n));
    for (const open of worlds) expect(open.some((n) => open.includes(n + 1))).toBe(false);
  });

  it('has only the devices whose downlinks it predicts', () => {
    const queued = Array.from({ length: 6 }, (_, i) => downlink(i * 1000, null, { device: `d${i + 1}` }));
    const scripts = [...listScripts(recording([uplink(0, { device: 'd9' })], queued))];
    expect(scripts.map(({ devices }) => devices.map(({ device }) => device))).toEqual([
      ['d1', 'd6'],
      ...['d2', 'd3', 'd4', 'd5'].map((device) => [device]),
    ]);
    expect(scripts.flatMap(({ downlinks }) => downlinks)).toHaveLength(6);
  });

  it.each([
    ['a long window', 1, 10 * 365 * 86_400_000, 1],
    ['many devices', 1000, 3_600_000, 1],
    ['a high speed', 1, 3_600_000, 600],
  ])('is refused before any poll is estimated if the devices poll too often: %s', (_, count, length, speed) => {
    const devices = Array.from({ length: count }, (_, i) => `d${i + 1}`);
    const made = recording(
      devices.flatMap((device) => [
        uplink(0, { type: 'session', device }),
        uplink(500, { type: 'config', pollEvery: 1, device }),
      ]),
      [downlink(1000, null)],
      { until: FROM + length, speed },
    );
    expect(() => [...listScripts(made)]).toThrow(
      /by their intervals, the devices of the recording polled \d+ times; a replay can have at most 1000000 polls/,
    );
  });
});

describe('a recording with many uplinks and downlinks of one device', () => {
  const MANY = 2000;
  /** How often the time of an uplink, or the end of a downlink, is read. */
  const countReads = (type: 'shell' | 'config') => {
    let reads = 0;
    const counted = <T extends object>(item: T, name: keyof T): T => {
      const value = item[name];
      const get = () => {
        reads++;
        return value;
      };
      return Object.defineProperty(item, name, { get });
    };
    const many = [...Array(MANY).keys()];
    const uplinks = many.map((i) => uplink(1000 + i));
    const downlinks = many.map((i) => downlink(i, 2_000_000 + i, { type }));
    const made = recording(uplinks, downlinks, { until: FROM + 86_400_000 });
    for (const up of made.uplinks) counted(up, 'at');
    for (const down of made.downlinks) counted(down, 'ended');
    makeScript(made, new Set());
    return reads;
  };

  it('needs no comparison of each uplink with each downlink', () => {
    expect(countReads('shell')).toBeLessThan(MANY * 200);
  });

  it('needs no comparison of each configuration with each uplink and each other downlink', () => {
    expect(countReads('config')).toBeLessThan(MANY * 200);
  });
});
