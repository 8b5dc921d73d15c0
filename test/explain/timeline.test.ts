/** Timelines of single downlinks whose events are written by hand. */
import { describe, expect, it } from 'vitest';
import { DeviceExplainer } from '../../src/explain/explain.js';
import type { Explanation } from '../../src/explain/explanation.js';
import type { FleetPart } from '../../src/explain/situation.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife, type Life } from '../trace/fixtures.js';

const HOUR = 3_600_000;

/** Explains the downlink `life`, of a device that boots at the start, in a run of five hours. */
async function explained(
  life: Life,
  more: readonly TraceEvent[] = [],
  fleet: readonly FleetPart[] = [],
): Promise<Explanation> {
  const events: readonly TraceEvent[] = [
    { kind: 'device.boot', at: 0, serial: 1, cause: 'power' },
    ...downlinkLife(life),
    ...more,
    { kind: 'world.closing', at: 5 * HOUR },
  ];
  const history = { serial: 1, events: [...events].sort((a, b) => a.at - b.at) };
  const explainer = new DeviceExplainer(history, 'clime-0001', { situation: { fleet, faults: [], settings: [] } });
  const [record] = explainer.downlinks;
  if (record === undefined) throw new Error('the history has no downlink');
  return explainer.explain(record);
}

function partOf(family: FleetPart['family']): FleetPart {
  return {
    ...{ group: 'one', serials: [[1, 1]], profile: 'x', firmware: '1.0.0', family },
    ...{ encoder: true, reportEvery: HOUR, pollEvery: 300_000 },
  };
}

function timeline(explanation: Explanation): readonly string[] {
  return explanation.timeline.map(({ what }) => what);
}

describe('the timeline of a downlink', () => {
  it.each([
    ['downlink.cancelled', 'cancelled', 'it was cancelled', 'was cancelled after 30m'],
    ['downlink.expired', 'expired', 'it has expired', 'expired after 30m'],
  ] as const)('ends with the event %s, and so do the waits', async (kind, outcome, last, text) => {
    const explanation = await explained({ queued: HOUR }, [{ kind, at: 1.5 * HOUR, serial: 1, downlink: 'd1' }]);
    expect(explanation).toMatchObject({ outcome, took: HOUR / 2 });
    expect(explanation.waits.reduce((sum, { time }) => sum + time, 0)).toBe(HOUR / 2);
    expect(timeline(explanation).at(-1)).toBe(last);
    expect(explanation.text).toContain(text);
  });

  it('has the sum and the longest of several pauses of the modem in a row', async () => {
    const pause = (at: number, lasts: number): TraceEvent => {
      return { kind: 'radio.paused', at, serial: 1, why: 'attach-pause', lasts };
    };
    const { timeline } = await explained({ queued: 0 }, [
      pause(600_000, 5100),
      pause(1_200_000, 5100),
      pause(5e6, HOUR),
    ]);
    expect(timeline.filter(({ kind }) => kind === 'rule')).toEqual([
      {
        at: 600_000,
        kind: 'rule',
        what: 'no network found in time: the modem is off until the next attach attempt, 1h in all, at most 1h (3 times within 1h 13m)',
        times: 3,
        lasts: HOUR + 10_200,
        longest: HOUR,
      },
    ]);
  });

  it.each([
    [
      'chester',
      'the modem is off until the next attach attempt',
      ['the firmware polls again 5 min after a failed poll, and not before'],
    ],
    ['hio', 'flight mode until the next attach attempt', []],
  ] as const)('has the rules of the firmware family %s', async (family, pause, retries) => {
    const poll = (at: number): readonly TraceEvent[] => [
      { kind: 'device.wake', at, serial: 1, why: 'poll' },
      { kind: 'poll.failed', at: at + 60_000, serial: 1, why: 'no answer' },
    ];
    const off = { kind: 'radio.paused', at: 600_000, serial: 1, why: 'attach-pause', lasts: 5100 } as const;
    const events = [...poll(HOUR), ...poll(HOUR + 360_000), off];
    const rules = (await explained({ queued: 0 }, events, [partOf(family)])).timeline.filter(
      ({ kind }) => kind === 'rule',
    );
    expect(rules.map(({ what }) => what)).toEqual([`no network found in time: ${pause}, 5.1s`, ...retries]);
  });

  it('counts all copies of a datagram and all changes of the address, and names the rule for each, with the times that passed', async () => {
    const repeat = (at: number, waited = 11_000): TraceEvent => ({ kind: 'device.repeat', at, serial: 1, waited });
    const restart = (at: number, why: string): TraceEvent => ({ kind: 'device.restart', at, serial: 1, why });
    const explanation = await explained(
      { queued: HOUR },
      [
        { kind: 'uplink.acked', at: 1000, serial: 1, uplink: 1, type: 'session' },
        { kind: 'device.wake', at: HOUR - 60_000, serial: 1, why: 'report' },
        ...[repeat(HOUR - 49_000), repeat(HOUR - 38_000), restart(HOUR - 27_000, 'another address')],
        ...[repeat(HOUR + 10_000, 37_000), repeat(HOUR + 21_000), restart(HOUR + 32_000, 'another address')],
        restart(HOUR + 40_000, 'stale answers without end'),
        { kind: 'uplink.acked', at: HOUR + 44_000, serial: 1, uplink: 2, type: 'data' },
      ],
      [partOf('hio')],
    );
    expect(timeline(explanation)).toEqual([
      'shell downlink queued',
      'report, since 1m before, sent 7 times (2 changes of the address): acknowledged',
      'no answer: the device repeats the datagram after 11s to 37s',
      'several failures in a row: the device changes to its next address',
      'four stale answers in a row: the transfer begins again',
    ]);
  });

  it('shows no lost acknowledgement if the device only waits for the release of the connection after sending it', async () => {
    const life = {
      queued: 0,
      wake: 1000,
      contact: 2000,
      offered: 2100,
      delivered: 3500,
      received: 3800,
      executed: 3800,
    };
    const explanation = await explained(life, [{ kind: 'device.wake', at: HOUR, serial: 1, why: 'report' }]);
    expect(timeline(explanation)).toContain('report: acknowledged');
  });

  it('shows the lost acknowledgement of a device that waited for the release of the connection after sending it', async () => {
    const explanation = await explained({ queued: 0, wake: 1000, offered: 2100, received: 3800, executed: 3800 }, [
      { kind: 'net.fault', at: 3300, serial: 1, fault: 'loss', way: 'up' },
      { kind: 'downlink.delivered', at: 8000, serial: 1, downlink: 'd1', evidence: 'next-packet' },
    ]);
    expect(timeline(explanation)).toContain('report: its last acknowledgement was lost');
  });

  it('shows a report as failed if the device polls without an acknowledgement of the report', async () => {
    const sent = (at: number, uplink: number): TraceEvent => ({
      kind: 'uplink.sent',
      at,
      serial: 1,
      uplink,
      type: 'data',
    });
    const life = { queued: 0, wake: 1000, offered: 6000, delivered: 7000, received: 7000, executed: 7000 };
    const { timeline } = await explained(life, [
      sent(1000, 2),
      { kind: 'uplink.acked', at: 2000, serial: 1, uplink: 2, type: 'data' },
      sent(3000, 1),
    ]);
    expect(timeline.filter(({ kind }) => kind === 'contact' || kind === 'failure')).toMatchObject([
      { what: 'the device starts (power): no answer', kind: 'failure' },
      { what: 'report: acknowledged', kind: 'contact' },
      { what: 'report from the spool, which comes first: out of time', kind: 'failure' },
      { what: 'poll: acknowledged', kind: 'contact' },
    ]);
  });

  it('shows the answer after the execution, even if the device did not wake its radio for the answer', async () => {
    const life = { queued: 0, wake: 1000, contact: 2000, offered: 2100, received: 2200, delivered: 2200 };
    const explanation = await explained({ ...life, executed: 12_200, answered: 12_500 }, [
      { kind: 'uplink.acked', at: 2000, serial: 1, uplink: 1, type: 'data' },
      { kind: 'uplink.sent', at: 12_200, serial: 1, uplink: 2, type: 'shell' },
      { kind: 'uplink.acked', at: 12_600, serial: 1, uplink: 2, type: 'shell' },
    ]);
    const texts = timeline(explanation);
    expect(texts.indexOf('answer: acknowledged')).toBeGreaterThan(texts.indexOf('the device has executed it'));
  });
});
