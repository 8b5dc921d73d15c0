import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/trace/events.js';
import { INVARIANTS } from '../../../src/trace/invariants/index.js';
import { downlinkLife } from '../fixtures.js';
import { verdictOf } from './fixtures.js';

const DOWNLINK_INVARIANTS = Object.keys(INVARIANTS).filter(
  (name) => name.includes('downlink') || name.includes('deliv'),
);
const UNANSWERED = { contact: 10, offered: 20, received: 30, executed: 40, delivered: 50 };
const FULL = { ...UNANSWERED, answered: 60 };

const cancelled = (downlink: string, at: number): TraceEvent => ({
  kind: 'downlink.cancelled',
  at,
  serial: 1,
  downlink,
});

/** Downlinks that are answered, or that are cancelled before the cloud sends them. */
const cleanTrace = fc
  .array(fc.boolean(), { minLength: 1, maxLength: 30 })
  .map((outcomes) =>
    outcomes.flatMap((answered, i) =>
      answered
        ? downlinkLife({ ...FULL, id: `d${i}` })
        : [...downlinkLife({ id: `d${i}`, queued: 1 }), cancelled(`d${i}`, 5)],
    ),
  );

describe('invariants of downlinks', () => {
  it.each(DOWNLINK_INVARIANTS)('%s reports nothing for a clean trace', (name) => {
    fc.assert(
      fc.property(cleanTrace, (events) => {
        expect(verdictOf(name, events)).toEqual({ violations: 0, first: undefined });
      }),
    );
  });

  it.each([
    ['downlinks-settled', downlinkLife({ id: 'x', queued: 7 }), 'still pending at the end'],
    ['downlinks-answered', downlinkLife({ ...UNANSWERED, id: 'x' }), 'delivered and never answered'],
    [
      'no-delivery-after-cancel',
      [cancelled('x', 5), ...downlinkLife({ id: 'x', offered: 9 })],
      'downlink x was cancelled and then offered',
    ],
    [
      'downlinks-executed-once',
      [...downlinkLife({ id: 'x', offered: 5, executed: 6, print: 'own' }), executed('own', 70)],
      'downlink x was executed again',
    ],
  ] as const)('%s finds a violation among clean downlinks', (name, injected, what) => {
    fc.assert(
      fc.property(cleanTrace, cleanTrace, (before, after) => {
        const renamed = after.map((event) =>
          'downlink' in event ? { ...event, downlink: `z${event.downlink}` } : event,
        );
        const verdict = verdictOf(name, [...before, ...injected, ...renamed]);
        expect(verdict.violations).toBe(1);
        expect(verdict.first?.what).toContain(what);
      }),
    );
  });

  it('downlinks-answered accepts a downlink that the device could not execute', () => {
    const events = downlinkLife({ ...UNANSWERED, ok: false });
    expect(verdictOf('downlinks-answered', events).violations).toBe(0);
  });

  it('downlinks-answered requires the answer to a shell downlink of which a line was rejected', () => {
    const verdict = (type: 'shell' | 'config') =>
      verdictOf('downlinks-answered', downlinkLife({ ...UNANSWERED, type, ok: false, partly: true }));
    expect(verdict('shell').violations).toBe(1);
    expect(verdict('config').violations).toBe(0);
  });

  it('downlinks-executed-once allows the same content twice when it was queued twice', () => {
    const twice = [...downlinkLife({ ...FULL, id: 'a' }), ...downlinkLife({ ...FULL, id: 'b' })];
    expect(verdictOf('downlinks-executed-once', twice).violations).toBe(0);
  });
});

function executed(print: string, at: number): TraceEvent {
  return { kind: 'downlink.executed', at, serial: 1, type: 'shell', print, ok: true };
}
