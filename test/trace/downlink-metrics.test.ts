/** Metrics of downlinks and of their waits. Neighbouring metrics have different values, so that a mix-up is noticed. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife, metricsOf } from './fixtures.js';
import { missing, numbers, times } from './metric-numbers.js';

describe('metrics of downlinks', () => {
  const life = (id: string, more: Parameters<typeof downlinkLife>[0] = {}) => downlinkLife({ id, print: id, ...more });
  const until = {
    contact: { contact: 1 },
    offered: { contact: 1, offered: 2 },
    received: { contact: 1, offered: 2, received: 3 },
    delivered: { contact: 1, offered: 2, received: 3, delivered: 4 },
    executed: { contact: 1, offered: 2, received: 3, delivered: 4, executed: 5 },
    answered: { contact: 1, offered: 2, received: 3, delivered: 4, executed: 5, answered: 6 },
  };
  const end = (kind: 'downlink.cancelled' | 'downlink.expired', downlink: string): TraceEvent => ({
    ...{ kind, at: 9, serial: 1, downlink },
  });
  const again = (print: string): TraceEvent => ({
    ...{ kind: 'downlink.received', at: 9, serial: 1, type: 'shell', print },
  });
  const events: readonly TraceEvent[] = [
    ...times(7, (n) => life(`answered${n}`, until.answered)).flat(),
    ...times(2, (n) => life(`executed${n}`, until.executed)).flat(),
    ...life('refused configuration', { ...until.executed, type: 'config', ok: false }),
    ...life('executed data', { ...until.executed, type: 'data' }),
    ...life('delivered', until.delivered),
    ...times(2, (n) => life(`not received${n}`, { contact: 1, offered: 2, delivered: 4 })).flat(),
    ...life('received', until.received),
    ...life('offered', until.offered),
    ...times(3, (n) => life(`contact${n}`, until.contact)).flat(),
    ...times(4, (n) => life(`queued${n}`)).flat(),
    ...times(2, (n) => [...life(`cancelled${n}`), end('downlink.cancelled', `cancelled${n}`)]).flat(),
    ...times(3, (n) => [...life(`expired${n}`), end('downlink.expired', `expired${n}`)]).flat(),
    ...[again('answered0'), again('answered1'), again('answered2')],
  ];

  it('count stages and outcomes', () => {
    expect(numbers(metricsOf(events), 'downlink')).toEqual({
      // The last stages: 7 answered, 3 executed, 1 refused, 1 delivered, 2 not received, 1 received, 1 offered, 3 contacted, 4
      // queued, 5 ended.
      'downlink.queued': 28,
      'downlink.contact': 19,
      'downlink.offered': 16,
      'downlink.received': 13,
      'downlink.delivered': 14,
      'downlink.executed': 10,
      'downlink.answered': 7,
      'downlink.pending': 9,
      'downlink.cancelled': 2,
      'downlink.expired': 3,
      // The data downlink does not count, because it has no answer.
      'downlink.unanswered': 6,
      'downlink.refused': 1,
      'downlink.unreceived': 2,
      'downlink.received-twice': 3,
    });
  });

  it('count the downlinks that have not reached a stage, by their state', () => {
    const metrics = metricsOf(events);
    const ended = { cancelled: 2, expired: 3 };
    expect(missing(metrics, 'downlink.contact')).toEqual({ ...ended, pending: 4 });
    expect(missing(metrics, 'downlink.delivered')).toEqual({ ...ended, pending: 9 });
    expect(missing(metrics, 'downlink.executed')).toEqual({ ...ended, pending: 9, 'delivered only': 3, refused: 1 });
    // A data downlink cannot be answered, so it does not count as missing.
    expect(missing(metrics, 'downlink.answered')).toEqual({ ...ended, pending: 9, 'delivered only': 5, refused: 1 });
    for (const cause of ['asleep', 'radio', 'transfer', 'service', 'device']) {
      expect([cause, missing(metrics, `wait.${cause}`)]).toEqual([cause, { ...ended, pending: 9 }]);
    }
  });

  it('count a downlink with an answer but without a known delivery as delivered only', () => {
    const answeredFirst = metricsOf(life('a', { contact: 1, offered: 2, answered: 6 }));
    expect(missing(answeredFirst, 'downlink.delivered')).toEqual({ 'delivered only': 1 });
  });

  it('are summarised by type, with the times of their stages', () => {
    const { byType } = metricsOf(events).summarise().downlinks;
    const noneEnded = { pending: 0, cancelled: 0, expired: 0 };
    expect(Object.keys(byType)).toEqual(['config', 'shell', 'data']);
    expect(byType.shell).toMatchObject({ queued: 26, answered: 7, delivered: 5, pending: 9, cancelled: 2, expired: 3 });
    expect(byType.config).toMatchObject({ queued: 1, answered: 0, delivered: 1, ...noneEnded });
    expect(byType.data).toMatchObject({ queued: 1, answered: 0, delivered: 1, ...noneEnded });
    const counts = Object.entries(byType.shell?.stages ?? {}).map(([stage, { count, max }]) => [stage, count, max]);
    expect(counts).toEqual([
      ['contact', 17, 1],
      ['offered', 14, 2],
      ['received', 11, 3],
      ['delivered', 12, 4],
      ['executed', 9, 5],
      ['answered', 7, 6],
    ]);
    expect(Object.keys(byType.data?.stages ?? {})).toEqual(['contact', 'offered', 'received', 'delivered', 'executed']);
  });
});

describe('waits of downlinks', () => {
  const delivered = { wake: 1000, contact: 1200, offered: 1200, received: 1250, delivered: 1300 };

  it('count each cause of the delivered downlinks separately', () => {
    const pending = downlinkLife({ id: 'pending', serial: 2, wake: 5000, contact: 5100, offered: 5100 });
    const took: TraceEvent = { kind: 'cloud.took', at: 1300, serial: 1, took: 30 };
    const executed = { executed: 1350, answered: 1400 };
    const metrics = metricsOf([...downlinkLife({ ...delivered, ...executed }), ...pending, took]);
    const sums = ['asleep', 'radio', 'transfer', 'service', 'device'].map((cause) => {
      const measure = metrics.read(`wait.${cause}`);
      return measure?.kind === 'durations' ? [cause, measure.distribution.count, measure.distribution.sum] : [];
    });
    // The first downlink waits 1000 ms asleep and 200 ms for the radio; 30 of the next 200 ms are processing time of the cloud.
    const total = sums.reduce((sum, [, , part]) => sum + Number(part), 0);
    expect(total).toBe(1400);
    expect(sums.slice(0, 2)).toEqual([
      ['asleep', 1, 1000],
      ['radio', 1, 200],
    ]);
  });

  it('have shares of the total time; a cause without waits has the share 0', () => {
    const { waits } = metricsOf(downlinkLife({ ...delivered, type: 'data' })).summarise().downlinks;
    expect(waits.asleep).toMatchObject({ share: 1000 / 1300, total: 1000, spread: { count: 1, max: 1000 } });
    expect(waits.service).toMatchObject({ share: 0, total: 0, spread: { count: 1, max: 0 } });
    const none = metricsOf(downlinkLife({})).summarise().downlinks.waits;
    expect(none.asleep).toEqual({ share: 0, total: 0, spread: null });
  });

  it('are listed for the ten slowest downlinks, each with its stages and attempts', () => {
    const lives = times(12, (n) =>
      downlinkLife({ id: `d${n}`, serial: n, queued: 100, offered: 100, delivered: 101 + n }),
    );
    const { slowest } = metricsOf([...lives.flat(), ...downlinkLife({ id: 'pending', serial: 99 })]).summarise()
      .downlinks;
    expect(slowest.map(({ id }) => id)).toEqual(['d11', 'd10', 'd9', 'd8', 'd7', 'd6', 'd5', 'd4', 'd3', 'd2']);
    expect(slowest[0]).toMatchObject({
      ...{ serial: 11, type: 'shell', queuedAt: 100, attempts: 1, total: 12 },
      stages: { offered: 0, delivered: 12 },
    });
    expect(Object.keys(slowest[0]?.stages ?? {})).toEqual(['offered', 'delivered']);
  });

  it('are listed for delivered downlinks only', () => {
    const metrics = metricsOf([...downlinkLife({ ...delivered }), ...downlinkLife({ id: 'pending' })]);
    expect(metrics.summarise().downlinks.slowest.map(({ id }) => id)).toEqual(['d1']);
    expect([...metrics.downlinks].map(({ id }) => id)).toEqual(['d1', 'pending']);
  });
});
