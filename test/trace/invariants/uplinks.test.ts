import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hours } from '../../../src/kernel/time.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { Invariants } from '../../../src/trace/invariants/index.js';
import { cleanTrace, uplinkLife, verdictOf } from './fixtures.js';

const UPLINK_INVARIANTS = ['uplinks-stored-once', 'uplinks-in-order', 'no-loss-across-reconnects'];

describe('invariants of uplinks', () => {
  it.each(UPLINK_INVARIANTS)('%s reports nothing for a clean trace', (name) => {
    fc.assert(
      fc.property(cleanTrace, (events) => {
        for (const acks of ['unseen', 'seen'] as const) {
          expect(verdictOf(name, events, acks)).toEqual({ violations: 0, first: undefined });
        }
      }),
    );
  });

  it('uplinks-stored-once finds an uplink that is stored twice, at any position', () => {
    fc.assert(
      fc.property(cleanTrace, fc.nat(), (events, pick) => {
        const acked = events.filter((event) => event.kind === 'uplink.acked' && event.type === 'data');
        const victim = acked[pick % Math.max(1, acked.length)];
        fc.pre(victim?.kind === 'uplink.acked');
        const { serial, type, uplink } = victim;
        const again: TraceEvent = { kind: 'cloud.stored', at: victim.at, serial, type, message: 'again', copy: false };
        const { violations, first } = verdictOf('uplinks-stored-once', insert(events, victim, again));
        expect(violations).toBe(1);
        expect(first).toMatchObject({ serial, at: victim.at });
        expect(first?.what).toMatch(
          new RegExp(`^uplink ${uplink} was stored again( \\(or uplink \\d+ was stored late\\))?$`),
        );
        expect(first?.events.at(-1)).toBe(again);
      }),
    );
  });

  it('uplinks-stored-once finds any uplink that is stored twice if the contents are compared, however long it takes', () => {
    const later = fc.constantFrom(0, 1000, hours(49));
    fc.assert(
      fc.property(cleanTrace, fc.nat(), later, (events, pick, after) => {
        const stored = events.filter((event) => isStored(event) && event.type === 'data' && !event.copy);
        const victim = stored[pick % Math.max(1, stored.length)];
        fc.pre(victim?.kind === 'cloud.stored');
        const { serial, message } = victim;
        const again: TraceEvent = { ...victim, at: victim.at + after, message: 'again', again: message };
        const behind = after === 0 ? victim : events.at(-1);
        fc.pre(behind !== undefined);
        const { violations, first } = verdictOf('uplinks-stored-once', insert(events, behind, again), 'seen');
        expect(violations).toBe(1);
        expect(first).toMatchObject({
          serial,
          at: again.at,
          what: expect.stringMatching(/^uplink \d+ was stored again$/),
        });
        expect(first?.events.at(-1)).toBe(again);
      }),
    );
  });

  it('uplinks-stored-once finds more stored messages than uplinks although no content is repeated', () => {
    const extra: TraceEvent = { kind: 'cloud.stored', at: 30, serial: 1, type: 'data', message: 'x', copy: false };
    const what = 'more data messages were stored than the device has sent';
    const events = [...uplinkLife(), extra];
    expect(verdictOf('uplinks-stored-once', events, 'certain')).toMatchObject({ violations: 1, first: { what } });
    // Over FLAP, a late fragment may have changed the content of the message.
    expect(verdictOf('uplinks-stored-once', events, 'seen')).toMatchObject({
      violations: 0,
      byProtocol: { count: 1, first: { what } },
    });
  });

  describe('an uplink that arrives late, while the device sends a stored uplink again', () => {
    const device = { serial: 1, type: 'data' } as const;
    const [first, late]: [string, string] = ['m1-1', 'late'];
    const events: TraceEvent[] = [
      { kind: 'uplink.sent', at: 0, ...device, uplink: 1 },
      { kind: 'cloud.stored', at: 10, ...device, message: first, copy: false },
      // The device takes a late acknowledgement for that of uplink 2, and sends uplink 1 again.
      { kind: 'uplink.sent', at: 100, ...device, uplink: 2 },
      { kind: 'uplink.acked', at: 100, ...device, uplink: 2 },
      { kind: 'uplink.sent', at: 110, ...device, uplink: 1 },
      { kind: 'cloud.stored', at: 120, ...device, message: late, copy: false },
      { kind: 'cloud.stored', at: 130, ...device, message: first, copy: true },
      { kind: 'uplink.acked', at: 140, ...device, uplink: 1 },
    ];

    it.each(UPLINK_INVARIANTS)('%s reports nothing if the contents are compared', (name) => {
      expect(verdictOf(name, events, 'seen')).toEqual({ violations: 0, first: undefined });
    });

    it('uplinks-stored-once finds that it is a copy if its content shows it', () => {
      const repeated = events.map((event) =>
        isStored(event) && event.message === late ? { ...event, again: first } : event,
      );
      expect(verdictOf('uplinks-stored-once', repeated, 'seen')).toMatchObject({
        violations: 1,
        first: { at: 120, what: 'uplink 1 was stored again' },
      });
    });

    it('uplinks-stored-once names both uplinks if the contents are unknown', () => {
      const what = 'uplink 1 was stored again (or uplink 2 was stored late)';
      expect(verdictOf('uplinks-stored-once', events)).toMatchObject({ violations: 1, first: { what } });
    });
  });

  it('no-loss-across-reconnects finds an uplink that was acknowledged and never stored, at any position', () => {
    fc.assert(
      fc.property(cleanTrace, fc.nat(), (events, pick) => {
        // A session may repeat the previous one, and is then not stored: see the tests below.
        const acked = events.filter((event) => event.kind === 'uplink.acked').filter(({ type }) => type !== 'session');
        const victim = acked[pick % Math.max(1, acked.length)];
        fc.pre(victim !== undefined);
        const { serial, uplink, at } = victim;
        const message = `m${serial}-${uplink}`;
        const lossy = events.filter((event) => !(event.kind === 'cloud.stored' && event.message === message));
        const { violations, first } = verdictOf('no-loss-across-reconnects', lossy);
        expect(violations).toBe(1);
        expect(first).toMatchObject({ serial, at });
        expect(first?.what).toMatch(
          new RegExp(`^uplink ${uplink} was acknowledged and never stored \\(or, over FLAP, `),
        );
      }),
    );
  });

  it('uplinks-in-order finds two uplinks stored in the wrong order', () => {
    const events: TraceEvent[] = [
      { kind: 'uplink.sent', at: 0, serial: 1, uplink: 1, type: 'config' },
      { kind: 'uplink.sent', at: 5, serial: 1, uplink: 2, type: 'data' },
      { kind: 'cloud.stored', at: 10, serial: 1, type: 'data', message: 'b', copy: false },
      { kind: 'cloud.stored', at: 12, serial: 1, type: 'config', message: 'a', copy: false },
    ];
    const { violations, first } = verdictOf('uplinks-in-order', events);
    expect(violations).toBe(1);
    expect(first).toMatchObject({ at: 12, what: 'uplink 1 was stored after uplink 2, which was sent later' });
    expect(first?.events).toHaveLength(4);
  });

  it('uplinks-in-order reports nothing when the order of two uplinks is unknown', () => {
    const events: TraceEvent[] = [
      { kind: 'uplink.sent', at: 0, serial: 1, uplink: 1, type: 'data' },
      { kind: 'uplink.sent', at: 5, serial: 1, uplink: 2, type: 'data' },
      { kind: 'cloud.stored', at: 10, serial: 1, type: 'data', message: 'a', copy: false },
      { kind: 'cloud.stored', at: 12, serial: 1, type: 'data', message: 'b', copy: false },
    ];
    expect(verdictOf('uplinks-in-order', events).violations).toBe(0);
  });

  it('accept a spool that sends the newest uplink first', () => {
    const events = [...uplinkLife({ uplink: 7, at: 0 }), ...uplinkLife({ uplink: 6, at: 100 })];
    for (const name of UPLINK_INVARIANTS) expect(verdictOf(name, events).violations).toBe(0);
  });

  it('accept a stored message that is reported long after its acknowledgement', () => {
    const lives = Array.from({ length: 50 }, (_, i) => uplinkLife({ uplink: i + 1, at: i * 100 }));
    const late = lives.flat().filter(({ kind }) => kind === 'cloud.stored');
    const events = [...lives.flat().filter(({ kind }) => kind !== 'cloud.stored'), ...late];
    for (const name of UPLINK_INVARIANTS) expect(verdictOf(name, events).violations).toBe(0);
  });

  it('no-loss-across-reconnects accepts a session that repeats the previous session within a minute after a reboot', () => {
    const session = (at: number, uplink: number, stored: boolean): readonly TraceEvent[] => {
      const life = uplinkLife({ at, uplink, type: 'session' });
      const boot: TraceEvent = { kind: 'device.boot', at, serial: 1, cause: 'power' };
      return [boot, ...life.filter(({ kind }) => stored || kind !== 'cloud.stored')];
    };
    const violations = (...lives: (readonly TraceEvent[])[]) =>
      verdictOf('no-loss-across-reconnects', lives.flat()).violations;
    expect(violations(session(0, 1, true), session(30_000, 2, false), session(59_000, 3, false))).toBe(0);
    expect(violations(session(0, 1, true), session(61_000, 2, false))).toBe(1);
    // After the cloud has reset a transfer, it stores the session again.
    const again: TraceEvent = {
      kind: 'cloud.stored',
      at: 50_000,
      serial: 1,
      type: 'session',
      message: 'n',
      copy: false,
    };
    expect(violations(session(0, 1, true), [again], session(61_000, 2, false))).toBe(0);
    expect(violations(session(0, 1, true), uplinkLife({ at: 100, uplink: 2 }), session(200, 3, false))).toBe(1);
  });

  it('no-loss-across-reconnects accepts a session that is retried at once because its answer was unreadable', () => {
    const first = uplinkLife({ type: 'session', uplink: 1, at: 0 }).filter(({ kind }) => kind !== 'uplink.acked');
    const second = uplinkLife({ type: 'session', uplink: 2, at: 1000 }).filter(({ kind }) => kind !== 'cloud.stored');
    const dropped: TraceEvent = {
      kind: 'uplink.dropped',
      at: 1000,
      serial: 1,
      uplink: 1,
      type: 'session',
      why: 'test',
    };
    const violations = (events: readonly TraceEvent[]) => verdictOf('no-loss-across-reconnects', events).violations;
    expect(violations([...first, dropped, ...second])).toBe(0);
    expect(violations([...first, ...second])).toBe(1);
  });

  it('no-loss-across-reconnects counts separately the losses of uplinks that the cloud has not acknowledged', () => {
    const lost = [1, 2, 3].flatMap((uplink) => uplinkLife({ uplink, at: uplink * 100 }));
    const events = lost.filter(({ kind }) => kind !== 'cloud.stored');
    const verdict = (unstored: number) => {
      const invariants = new Invariants(['no-loss-across-reconnects'], 'seen');
      for (let i = 0; i < unstored; i++) invariants.take({ kind: 'cloud.unstored', at: 0, serial: 1 });
      for (const event of events) invariants.take(event);
      invariants.end();
      return invariants.getVerdict('no-loss-across-reconnects');
    };
    const what = 'uplink 1 was acknowledged and never stored';
    expect(verdict(0)).toMatchObject({ violations: 0, first: undefined, byProtocol: { count: 3, first: { what } } });
    expect(verdict(1)).toMatchObject({ violations: 1, first: { what }, byProtocol: { count: 2, first: { at: 220 } } });
    expect(verdict(3)).toEqual({ violations: 3, first: expect.objectContaining({ what }) });
  });

  it('report the earliest violation and the number of violations', () => {
    const lives = [1, 2, 3].map((uplink) => uplinkLife({ uplink, at: uplink * 100 }));
    const lost = lives.flat().filter(({ kind }) => kind !== 'cloud.stored');
    expect(verdictOf('no-loss-across-reconnects', lost)).toMatchObject({ violations: 3, first: { at: 120 } });
  });
});

function isStored(event: TraceEvent): event is Extract<TraceEvent, { readonly kind: 'cloud.stored' }> {
  return event.kind === 'cloud.stored';
}

function insert(events: readonly TraceEvent[], behind: TraceEvent, event: TraceEvent): readonly TraceEvent[] {
  const index = events.indexOf(behind) + 1;
  return [...events.slice(0, index), event, ...events.slice(index)];
}
