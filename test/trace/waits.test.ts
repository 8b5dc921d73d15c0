import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DownlinkLedger, type DownlinkRecord, totalTime } from '../../src/trace/downlinks/ledger.js';
import { WAIT_CAUSES, type Waits } from '../../src/trace/downlinks/waits.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife, type Life } from './fixtures.js';

function ledgerOf(events: readonly TraceEvent[]): readonly DownlinkRecord[] {
  const ledger = new DownlinkLedger();
  const handlers = ledger.on as Readonly<Record<string, ((event: TraceEvent) => void) | undefined>>;
  for (const event of events) handlers[event.kind]?.(event);
  return [...ledger.records];
}

/** The waits of one downlink. @param extra further events of its device */
function waitsOf(life: Life, extra: readonly TraceEvent[] = []): Waits {
  const events = [...downlinkLife(life), ...extra].sort((a, b) => a.at - b.at);
  const [record] = ledgerOf(events);
  if (record === undefined) throw new Error('no downlink was queued');
  return record.waits;
}

const none: Waits = { asleep: 0, radio: 0, transfer: 0, service: 0, device: 0 };

describe('the account of the waits of a downlink', () => {
  it('is split at the wake, contact, delivery, execution and first datagram of the answer', () => {
    const life = {
      queued: 0,
      wake: 1000,
      contact: 1200,
      received: 1250,
      delivered: 1300,
      executed: 1350,
      answered: 1600,
    };
    const answer: TraceEvent = { kind: 'uplink.sent', at: 1400, serial: 1, uplink: 9, type: 'shell' };
    // The device sleeps for 1000 ms and needs 200 ms to the contact. The two transfers take 100 and 200 ms, the execution takes
    // 50 ms, and the device sends the answer 50 ms later.
    expect(waitsOf({ ...life, offered: 1200 }, [answer])).toEqual({
      ...none,
      asleep: 1000,
      radio: 200,
      transfer: 300,
      device: 100,
    });
  });

  it('counts the time from the first of several failed reports to the contact as radio', () => {
    const wake = (at: number): TraceEvent => ({ kind: 'device.wake', at, serial: 1, why: 'report' });
    const life = { queued: 0, wake: 1000, contact: 9200, offered: 9200, received: 9300, delivered: 9400 };
    expect(waitsOf(life, [wake(4000), wake(9000)])).toEqual({ ...none, asleep: 1000, radio: 8200, transfer: 200 });
  });

  it('counts the time after a failed poll as radio, and the time after a poll without an event as asleep', () => {
    const wake = (at: number): TraceEvent => ({ kind: 'device.wake', at, serial: 1, why: 'poll' });
    const failed: TraceEvent = { kind: 'poll.failed', at: 2000, serial: 1, why: 'no answer' };
    const life = { queued: 0, contact: 9200, offered: 9200, received: 9300, delivered: 9400 };
    expect(waitsOf(life, [wake(1000), wake(9000)])).toEqual({ ...none, asleep: 9000, radio: 200, transfer: 200 });
    expect(waitsOf(life, [wake(1000), failed, wake(9000)])).toEqual({
      ...none,
      ...{ asleep: 1000, radio: 8200, transfer: 200 },
    });
  });

  it('counts the time after an abandoned transmission as asleep', () => {
    const wake: TraceEvent = { kind: 'device.wake', at: 9000, serial: 1, why: 'report' };
    const sent: TraceEvent = { kind: 'uplink.sent', at: 1200, serial: 1, uplink: 9, type: 'data' };
    const life = { queued: 0, wake: 1000, contact: 9200, offered: 9200, received: 9300, delivered: 9400 };
    expect(waitsOf(life, [sent, wake])).toEqual({ ...none, asleep: 8800, radio: 400, transfer: 200 });
  });

  it('contains no sleep when the device is awake already', () => {
    expect(waitsOf({ queued: 100, contact: 400, offered: 400, received: 500, delivered: 600 })).toEqual({
      ...none,
      radio: 300,
      transfer: 200,
    });
  });

  it('counts repetitions of an awake device as radio', () => {
    const repeat: TraceEvent = { kind: 'device.repeat', at: 900, serial: 1, waited: 1000 };
    // The lost copy was sent before the downlink was queued, so the wait begins when the downlink is queued.
    expect(waitsOf({ queued: 400, contact: 1000, offered: 1000, delivered: 1200 }, [repeat])).toEqual({
      ...none,
      radio: 600,
      transfer: 200,
    });
  });

  it('counts a repetition within a transfer as radio, from the sending of the lost copy', () => {
    const repeat: TraceEvent = { kind: 'device.repeat', at: 11_500, serial: 1, waited: 10_000 };
    const life = { queued: 0, wake: 500, contact: 1000, offered: 1000, received: 12_000, delivered: 12_500 };
    // Radio: 500 ms to the contact and 10,000 ms for the repetition. Transfer: 500 ms before the repetition and 1000 ms after
    // it.
    expect(waitsOf(life, [repeat])).toEqual({ ...none, asleep: 500, radio: 10_500, transfer: 1500 });
  });

  it('counts the processing time of the cloud as service', () => {
    const took: TraceEvent = { kind: 'cloud.took', at: 1300, serial: 1, took: 250 };
    const life = { queued: 0, wake: 1000, contact: 1050, offered: 1300, received: 1400, delivered: 1500 };
    expect(waitsOf(life, [took])).toEqual({ ...none, asleep: 1000, radio: 50, transfer: 200, service: 250 });
  });

  it('counts the processing time of the cloud as service even if the downlink reached its last stage meanwhile', () => {
    const took: TraceEvent = { kind: 'cloud.took', at: 2010, serial: 1, took: 60 };
    const life: Life = { type: 'data', contact: 500, offered: 500, received: 1000, executed: 1000, delivered: 2000 };
    // The final acknowledgement arrived at 1950 and was stored at 2000, and the gateway finished at 2010.
    expect(waitsOf(life, [took])).toEqual({ ...none, radio: 500, transfer: 1450, service: 50 });
  });

  it('counts the time after a failed exchange as asleep', () => {
    const extra: readonly TraceEvent[] = [
      { kind: 'poll.failed', at: 61_000, serial: 1, why: 'no answer in time' },
      { kind: 'device.repeat', at: 60_000, serial: 1, waited: 10_000 },
      { kind: 'device.wake', at: 361_000, serial: 1, why: 'poll' },
    ];
    const life = { queued: 0, wake: 1000, contact: 2000, offered: 362_000, received: 362_500, delivered: 363_000 };
    const waits = waitsOf(life, extra);
    // The last activity of the device was the repetition at 60 s; the next wake was at 361 s.
    expect(waits.asleep).toBe(1000 + 301_000);
    expect(waits.radio).toBe(1000 + 10_000 + 1000);
    expect(waits.transfer).toBe(48_000 + 1000);
  });

  it('counts the reboot after a configuration as device, and as radio from the wake on', () => {
    const extra: readonly TraceEvent[] = [
      { kind: 'device.boot', at: 5000, serial: 1, cause: 'config' },
      { kind: 'device.wake', at: 9000, serial: 1, why: 'boot' },
      { kind: 'uplink.sent', at: 29_000, serial: 1, uplink: 4, type: 'session' },
    ];
    const life: Life = { type: 'config', wake: 1000, contact: 2000, offered: 2000, received: 2500, delivered: 3000 };
    expect(waitsOf({ ...life, executed: 5000, answered: 33_000 }, extra)).toEqual({
      asleep: 1000,
      radio: 1000 + 20_000,
      transfer: 1000 + 4000,
      service: 0,
      device: 6000,
    });
  });

  it('ends with the answer, even if the event of the answer comes after later events of the device', () => {
    const life = {
      queued: 0,
      wake: 1000,
      contact: 1000,
      offered: 1000,
      received: 1100,
      delivered: 1200,
      executed: 1300,
    };
    const [record] = ledgerOf([
      ...downlinkLife(life),
      { kind: 'uplink.sent', at: 1400, serial: 1, uplink: 9, type: 'shell' },
      { kind: 'uplink.acked', at: 1700, serial: 1, uplink: 9, type: 'shell' },
      { kind: 'device.wake', at: 60_000, serial: 1, why: 'report' },
      { kind: 'downlink.answered', at: 1600, serial: 1, downlink: 'd1' },
    ]);
    expect(record?.waits).toEqual({ ...none, asleep: 1000, transfer: 400, device: 200 });
  });

  it('ends with the last stage, whatever the device does later', () => {
    const later: TraceEvent = { kind: 'device.wake', at: 900_000, serial: 1, why: 'report' };
    expect(waitsOf({ type: 'data', queued: 0, contact: 100, offered: 100, delivered: 400 }, [later])).toEqual({
      ...none,
      radio: 100,
      transfer: 300,
    });
  });
});

describe('the parts of a downlink’s time', () => {
  const kinds = [
    'wake',
    'repeat',
    'took',
    'boot',
    'sent',
    'acked',
    'contact',
    'offered',
    'received',
    'delivered',
    'executed',
    'answered',
    'failed',
  ] as const;

  function eventOf(kind: (typeof kinds)[number], at: number, length: number): TraceEvent {
    const base = { at, serial: 1 };
    switch (kind) {
      case 'wake':
        return { kind: 'device.wake', ...base, why: 'poll' };
      case 'repeat':
        return { kind: 'device.repeat', ...base, waited: length };
      case 'took':
        return { kind: 'cloud.took', ...base, took: length };
      case 'boot':
        return { kind: 'device.boot', ...base, cause: 'config' };
      case 'sent':
        return { kind: 'uplink.sent', ...base, uplink: 1, type: 'data' };
      case 'acked':
        return { kind: 'uplink.acked', ...base, uplink: 1, type: 'data' };
      case 'contact':
        return { kind: 'downlink.contact', ...base, downlink: 'd' };
      case 'offered':
        return { kind: 'downlink.offered', ...base, downlink: 'd', print: 'p', attempt: 1 };
      case 'received':
        return { kind: 'downlink.received', ...base, type: 'shell', print: 'p' };
      case 'delivered':
        return { kind: 'downlink.delivered', ...base, downlink: 'd', evidence: 'final-ack' };
      case 'executed':
        return { kind: 'downlink.executed', ...base, type: 'shell', print: 'p', ok: true };
      case 'answered':
        return { kind: 'downlink.answered', ...base, downlink: 'd' };
      case 'failed':
        return { kind: 'poll.failed', ...base, why: 'x' };
      default:
        return kind satisfies never;
    }
  }

  function expectWhole(record: DownlinkRecord | undefined): void {
    if (record === undefined) throw new Error('the downlink is missing');
    const sum = WAIT_CAUSES.reduce((total, cause) => total + record.waits[cause], 0);
    expect(sum).toBe(totalTime(record));
    for (const cause of WAIT_CAUSES) expect(record.waits[cause]).toBeGreaterThanOrEqual(0);
    // The stretches have no gaps, and their sums by cause equal the waits.
    expect(record.stretches.map(({ from }) => from)).toEqual([
      ...(record.stretches.length === 0 ? [] : [0]),
      ...record.stretches.slice(0, -1).map(({ until }) => until),
    ]);
    const lengths = { ...none };
    for (const { cause, from, until } of record.stretches)
      Object.assign(lengths, { [cause]: lengths[cause] + until - from });
    expect(lengths).toEqual(record.waits);
  }

  it.each<readonly [string, number]>([
    ['for any events in order', 0],
    ['if events come late, like those that are read from the API of another cloud', -100_000],
  ])('add up to the whole time %s, even with fractions of milliseconds', (_, min) => {
    const happening = fc.record({
      kind: fc.constantFrom(...kinds),
      gap: fc.double({ min, max: 100_000, noNaN: true }),
      length: fc.double({ min: 0, max: 200_000, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.array(happening, { maxLength: 40 }),
        (queued, list) => {
          let at = queued;
          const events: TraceEvent[] = [{ kind: 'downlink.queued', at, serial: 1, downlink: 'd', type: 'shell' }];
          for (const { kind, gap, length } of list) {
            at += gap;
            events.push(eventOf(kind, at, length));
          }
          expectWhole(ledgerOf(events)[0]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
