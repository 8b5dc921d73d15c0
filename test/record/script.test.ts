/** What is derived from a recording, and what must not be. */
import { describe, expect, it } from 'vitest';
import { exchangesIn, fragmentsOf } from '../../src/record/exchanges.js';
import { pollsByTimer } from '../../src/record/polls.js';
import { scriptsOf } from '../../src/record/predict.js';
import { scriptOf } from '../../src/record/script.js';
import { downlink, recording, uplink } from './fixtures.js';

const contactsIn = (made: ReturnType<typeof recording>, open: readonly number[] = []) =>
  scriptOf(made, new Set(open)).devices[0]?.contacts ?? [];

describe('round trips', () => {
  it('are told by the time from an uplink to the delivery after it: one for the poll, one for each fragment', () => {
    const single = recording([uplink(10_000)], [downlink(5000, 10_400)]);
    expect(exchangesIn(single).trip('d1')).toBe(200);
    const large = downlink(5000, 10_800, { type: 'shell', size: 900 });
    expect(fragmentsOf(large)).toBe(3);
    expect(exchangesIn(recording([uplink(10_000)], [large])).trip('d1')).toBe(200);
  });

  it('are told by one delivery after another as well', () => {
    const made = recording([uplink(10_000)], [downlink(5000, 10_600), downlink(6000, 10_900), downlink(7000, 11_200)]);
    expect(exchangesIn(made).trip('d1')).toBe(300);
  });

  it('of a device without deliveries are those of the others', () => {
    const made = recording([uplink(10_000), uplink(20_000, { device: 'd2' })], [downlink(5000, 10_400)]);
    expect(exchangesIn(made).trip('d2')).toBe(200);
  });
});

describe('polls', () => {
  it('are seen by a delivery that no uplink led to', () => {
    const made = recording([uplink(10_000), uplink(20_000)], [downlink(5000, 10_400), downlink(100_000, 500_000)]);
    expect(exchangesIn(made).polls).toEqual([{ device: 'd1', at: 499_800 }]);
  });

  it('go on between those that were seen when the interval is known', () => {
    const config = { ...uplink(1000, { type: 'config', pollEvery: 60 }), n: 2 };
    const session = { ...uplink(0, { type: 'session' }), n: 1 };
    expect(pollsByTimer([session, config], [121_900], 200_000, 200)).toEqual([61_200, 121_900, 181_900]);
  });

  it('begin anew with every session', () => {
    const life = (at: number, n: number) => [
      { ...uplink(at, { type: 'session' }), n },
      { ...uplink(at + 1000, { type: 'config', pollEvery: 60 }), n: n + 1 },
    ];
    const polls = pollsByTimer([...life(0, 1), ...life(100_000, 3)], [], 170_000, 100);
    expect(polls).toEqual([61_100, 161_100]);
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
    'is the same whenever the downlink that it predicts was delivered: number %i (%s)',
    (n) => {
      const script = scriptOf(made, new Set([n]));
      for (const shift of [-150, 250, 5000]) {
        const downlinks = made.downlinks.map((d) =>
          d.n === n ? { ...d, ended: (d.ended ?? 0) + shift, attempts: 3 } : d,
        );
        expect(scriptOf({ ...made, downlinks }, new Set([n]))).toEqual(script);
      }
    },
  );

  it('differs when the delivery of another one differs', () => {
    const downlinks = made.downlinks.map((d) => (d.n === 4 ? { ...d, ended: 156_000 } : d));
    expect(scriptOf({ ...made, downlinks }, new Set([2]))).not.toEqual(scriptOf(made, new Set([2])));
  });

  it('knows no poll that only the predicted delivery shows', () => {
    const seen = (open: readonly number[]) =>
      contactsIn(made, open).filter(({ kind, at }) => kind === 'poll' && at < 180_000);
    expect(seen([])).toHaveLength(1);
    expect(seen([4])).toEqual([]);
  });

  it('lets answers, and the restart for a configuration, wait for what causes them', () => {
    expect(contactsIn(made).flatMap(({ kind, cause }) => (cause === undefined ? [] : [[kind, cause]]))).toEqual([
      ['shell', 3],
      ['session', 5],
      ['config', 5],
    ]);
  });

  it('marks the start of a session that goes on', () => {
    const start = contactsIn(made).filter(({ at }) => at <= 1000);
    expect(start.map(({ goesOn }) => goesOn)).toEqual([true, true, false]);
  });

  it('leaves every downlink open in one world, and neighbours in different ones', () => {
    const worlds = scriptsOf(made).map(({ open }) => [...open]);
    expect(worlds.flat().sort((a, b) => a - b)).toEqual(made.downlinks.map(({ n }) => n));
    for (const open of worlds) expect(open.some((n) => open.includes(n + 1))).toBe(false);
  });
});
