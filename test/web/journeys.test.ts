/** The journeys of downlinks: their stops, and what they wait for. */
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/client/types.js';
import type { DownlinkWaits } from '../../src/control/run-state.js';
import { type Journey, journeyOfCloud, journeyOfRun, type Lane, lanesOf } from '../../web/src/model/journeys.js';
import type { Contacts } from '../../web/src/model/story.js';
import { GroupPlaces, groupsOf } from '../../web/src/pages/downlinks/groups.js';

const T0 = Date.parse('2026-01-01T00:00:00.000Z');
const minute = 60_000;
const at = (ms: number) => new Date(T0 + ms).toISOString();
const message = (state: Partial<Message> = {}): Message =>
  // The cast is safe because the functions read only these fields.
  ({
    id: '1',
    device_id: 'a',
    type: 'shell',
    direction: 'down',
    created_at: at(0),
    down_state: 'pending',
    down_state_at: at(0),
    down_attempt: 0,
    ...state,
  }) as Message;
const sent = (after: number, state: Partial<Message> = {}) =>
  message({ down_state: 'sent', down_state_at: at(after), down_attempt: 1, ...state });
const station = (what: string, detail: string | null = null) =>
  // The cast is safe because the functions read only these fields.
  ({ what, detail, at: at(14 * minute) }) as never;
const ofRun = (now: string | null, stages_ms: DownlinkWaits['stages_ms'] = {}) =>
  journeyOfRun({ id: '1', waits: [], now, stages_ms });

const SEEN: Contacts = { last: T0, next: undefined };

interface Given {
  readonly journey?: Journey;
  readonly isRun?: boolean;
  readonly contacts?: Contacts;
  readonly station?: never;
}

function laneOf(of: Message, { journey, isRun = true, contacts = SEEN, station }: Given = {}): Lane {
  const journeys = new Map(journey && [[of.id, journey]]);
  const [lane] = lanesOf([{ message: of, station }], journeys, {
    isRun,
    now: T0 + 5 * minute,
    contactsOf: () => contacts,
  });
  if (!lane) throw new Error('no lane');
  return lane;
}

const here = ({ stops }: Lane) => stops.find(({ state }) => state === 'here')?.name;
const names = ({ stops }: Lane) => stops.map(({ name }) => name).join(' ');

describe('the lane of a downlink in a run', () => {
  it('waits for what the run names, by its name', () => {
    const lane = laneOf(message(), { journey: ofRun('outage (cellar)') });
    expect([here(lane), lane.group, lane.text, lane.tone]).toEqual(['waiting', 'outage (cellar)', 'waits 5m', 'bad']);
    const asleep = laneOf(message(), { journey: ofRun('next report or poll') });
    const soon = laneOf(message(), {
      ...{ journey: ofRun('next report or poll'), contacts: { last: T0, next: T0 + 15 * minute } },
    });
    expect(soon.text).toBe('waits 5m · contact in about 10m');
    expect([asleep.group, asleep.tone]).toEqual(['The device sleeps until its next report or poll', 'plain']);
    // Offered after the run has answered. Its device does not sleep now.
    const offered = laneOf(message({ down_attempt: 1 }), {
      ...{ journey: ofRun('next report or poll'), contacts: { last: T0, next: T0 + 15 * minute } },
    });
    expect([here(offered), offered.text]).toEqual(['offered', 'waits 5m · offered just now']);
  });

  it('says that its cause is not computed yet, and calls it nothing else', () => {
    for (const journey of [undefined, ofRun(null)]) {
      expect(laneOf(message(), { ...(journey && { journey }) }).group).toBe('The cause is not computed yet');
    }
  });

  it('passes each stop at its time, and is over when the device has answered', () => {
    const stages = {
      contact: 840_000,
      offered: 841_000,
      received: 842_000,
      delivered: 843_000,
      executed: 842_100,
      answered: 846_000,
    };
    const lane = laneOf(sent(843_000), { journey: ofRun(null, stages) });
    expect(lane.stops.map(({ state, at: time }) => [state, time])).toEqual([
      ...[
        ['passed', 0],
        ['passed', 0],
        ['passed', 841_000],
        ['passed', 842_000],
        ['passed', 842_100],
        ['passed', 846_000],
      ],
    ]);
    expect([lane.isOver, lane.text, lane.tone]).toEqual([true, 'answered after 14m 06s', 'good']);
  });

  it('has no stop for an answer that the device does not give', () => {
    const stages = { offered: 1_000, received: 2_000, delivered: 3_000, executed: 2_100 };
    const lane = laneOf(sent(3_000, { type: 'data' }), { journey: ofRun(null, stages) });
    expect([names(lane), lane.text]).toEqual(['queued waiting offered received executed', 'executed after 2.1s']);
  });

  it('names a downlink that counts as delivered and was never received', () => {
    const lane = laneOf(sent(3_000), { journey: ofRun(null, { offered: 1_000, delivered: 3_000 }) });
    expect([lane.isOver, lane.tone, lane.text]).toEqual([true, 'bad', expect.stringContaining('lost')]);
  });

  it('is not called lost or unanswered before its journey, or the delivery in it, is known', () => {
    const unread = laneOf(sent(3_000));
    expect([unread.isOver, unread.text, unread.tone]).toEqual([true, 'delivered after 3s', 'plain']);
    const before = laneOf(sent(3_000), { journey: ofRun('next report or poll', { offered: 1_000 }) });
    expect([before.isOver, before.text]).toEqual([false, 'received after 3s, not answered yet']);
  });

  it('waits for its answer after its reception, but not without end', () => {
    const soon = laneOf(sent(60_000), { journey: ofRun(null, { offered: 1, received: 60_000, delivered: 60_000 }) });
    expect([soon.isOver, here(soon), soon.text]).toEqual([false, 'received', 'received after 1m, not answered yet']);
    const [late] = lanesOf(
      [{ message: sent(1_000), station: undefined }],
      new Map([['1', ofRun(null, { received: 1_000 })]]),
      {
        ...{ isRun: true, now: T0 + 20 * minute, contactsOf: () => SEEN },
      },
    );
    expect([late?.isOver, late?.text]).toEqual([true, 'received after 1s, never answered']);
  });
});

describe('the lane of a downlink without a run', () => {
  it.each([
    [message(), { contacts: { last: undefined, next: undefined } }, 'Waits for the first contact of the device'],
    [message(), {}, 'Waits for the next contact of the device'],
    [message({ down_attempt: 2 }), {}, 'Waits for the confirmation of the device'],
    [message(), { station: station('waiting', 'no encoder') }, 'Held back by the cloud: no encoder'],
  ])('waits for what the cloud knows: %o %o', (of, given, group) => {
    expect(laneOf(of, { isRun: false, ...given }).group).toBe(group);
  });

  it('has the stops that the cloud sees', () => {
    const entries = [
      ['queued', 0],
      ['contact', 60_000],
      ['offered', 60_100],
      ['sent', 61_000],
      ['answered', 65_000],
    ] as const;
    const timeline = entries.map(([what, after]) => ({ id: what, what, at: at(after), detail: null }));
    const of = sent(61_000);
    const lane = laneOf(of, { isRun: false, journey: journeyOfCloud(of, timeline, [of]) });
    expect([names(lane), lane.text]).toEqual(['queued waiting offered received answered', 'answered after 1m 05s']);
    expect(laneOf(sent(61_000), { isRun: false, station: station('answered') }).text).toBe('answered after 14m');
    expect(laneOf(sent(61_000, { type: 'data' }), { isRun: false }).text).toBe('delivered after 1m 01s');
  });

  it('says how a downlink ended that was not delivered', () => {
    expect(laneOf(message({ down_state: 'expired', down_state_at: at(minute) })).text).toContain('expired after 1m');
    expect(laneOf(message({ down_state: 'cancelled', down_state_at: at(minute) })).text).toBe('cancelled after 1m');
  });
});

describe('the lanes of a device', () => {
  const all = ['1', '2', '3'].map((id) => ({ message: message({ id }), station: undefined }));
  const around = { isRun: false, now: T0, contactsOf: () => SEEN };

  it('count the downlinks ahead of each', () => {
    const texts = lanesOf(all, new Map(), around).map(({ text }) => text.split(' · ')[1]);
    expect(texts).toEqual(['no contact since', 'behind 1 other', 'behind 2 others']);
  });

  it('leave out what the device asks for by itself', () => {
    const session = { message: message({ type: 'session' }), station: undefined };
    expect(lanesOf([session], new Map(), around)).toEqual([]);
  });
});

describe('the groups of lanes', () => {
  const lane = (id: string, group: string, tone: Lane['tone'], isOver = false) =>
    // The cast is safe because the function reads only these fields.
    ({ message: message({ id }), group, tone, isOver }) as Lane;

  it('begin with faults, then the largest, and end with what is not computed yet', () => {
    const lanes = [
      ...[
        lane('1', 'The cause is not computed yet', 'plain'),
        lane('2', 'sleeps', 'plain'),
        lane('3', 'sleeps', 'plain'),
      ],
      ...[lane('4', 'behind', 'plain'), lane('5', 'outage', 'bad')],
    ];
    const { groups } = groupsOf(lanes, new GroupPlaces(), 0);
    expect(groups.map(({ name, members }) => [name, members.length])).toEqual([
      ...[
        ['outage', 1],
        ['sleeps', 2],
        ['behind', 1],
        ['The cause is not computed yet', 1],
      ],
    ]);
  });

  it('keep a lane that has arrived until its arrival was seen', () => {
    const places = new GroupPlaces();
    const shown = (each: Lane, now: number) => groupsOf([each], places, now).groups.map(({ name }) => name);
    expect(shown(lane('1', 'sleeps', 'plain'), 0)).toEqual(['sleeps']);
    expect([shown(lane('1', 'over', 'good', true), 1_000), shown(lane('1', 'over', 'good', true), 4_500)]).toEqual([
      ['sleeps'],
      ['sleeps'],
    ]);
    expect(shown(lane('1', 'over', 'good', true), 5_100)).toEqual([]);
    expect(groupsOf([lane('1', 'over', 'good', true)], places, 5_200).over).toHaveLength(1);
  });

  it('keep a lane in its group while the device executes it', () => {
    const places = new GroupPlaces();
    const shown = (each: Lane) => groupsOf([each], places, 0).groups.map(({ name }) => name);
    expect(shown(lane('1', 'sleeps', 'plain'))).toEqual(['sleeps']);
    expect(shown(lane('1', 'Received, not answered yet', 'plain'))).toEqual(['sleeps']);
    expect(shown(lane('2', 'Received, not answered yet', 'plain'))).toEqual(['Received, not answered yet']);
  });
});
