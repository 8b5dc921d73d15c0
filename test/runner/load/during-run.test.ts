/** The metrics of requests at every moment of a run, compared with what the service has received and answered so far. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { Semaphore } from '../../../src/kernel/semaphore.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import type { CallSender } from '../../../src/runner/load/http-calls.js';
import { Loads } from '../../../src/runner/load/loads.js';
import type { Pace } from '../../../src/scenario/load/load.js';
import type { PlannedLoad } from '../../../src/scenario/model/plan.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { Metrics } from '../../../src/trace/metrics/index.js';

const LIMIT = 40;
const UNTIL = 200;

/** Virtual time that passes while a request is open, as real time does. */
class PassingClock extends VirtualClock {
  override hold(): () => void {
    return () => {};
  }
}

interface Seen {
  readonly due: number;
  readonly sent: number;
  readonly answered: number;
  readonly failed: number;
}

/** Runs a load whose answers take the times of `delays` in turn. Calls `look` every millisecond. */
async function play(
  pace: Pace,
  { connections, delays }: { readonly connections: number; readonly delays: readonly number[] },
  look: (metrics: Metrics, seen: Seen, now: number) => void,
): Promise<readonly TraceEvent[]> {
  const clock = new PassingClock();
  const metrics = new Metrics(0, 0, 0, { devices: new Map(), loads: new Map(), limits: [LIMIT] });
  const events: TraceEvent[] = [];
  const dues: number[] = [];
  const seen = { sent: 0, answered: 0, failed: 0 };
  const sender: CallSender = {
    send: (_request, done) => {
      const after = delays[seen.sent++ % delays.length] ?? 0;
      // Every third answer is a rejection.
      const status = seen.sent % 3 === 0 ? 503 : 200;
      clock.after(after, 'answer', () => {
        seen[status === 200 ? 'answered' : 'failed']++;
        done({ status, why: '', body: '{"count":3}', retryAfter: 0 });
      });
    },
    close: async () => {},
  };
  const load: PlannedLoad = {
    ...{ name: 'counts', call: { kind: 'count-devices', body: null }, from: 0, until: UNTIL, pace, devices: [] },
  };
  const base = { origin: 'http://cloud', prefix: '/iot' };
  const caller = { base, space: 's', apiKey: 'the-api-key', sender, connections: new Semaphore(connections) };
  const loads = new Loads([load], {
    ...{ clock, handles: [], accepted: () => true, random: seededRandom(1), callerOf: () => caller, leastPause: 1 },
    trace: {
      emit: (event) => {
        events.push(event);
        metrics.take(event);
      },
    },
    late: () => dues.push(clock.now),
  });
  for (let now = 0; now < UNTIL + 20; now++) {
    await clock.runUntil(now + 0.5);
    look(metrics, { ...seen, due: dues.length }, clock.now);
  }
  loads.close();
  return events;
}

const count = (metrics: Metrics, name: string) => {
  const measure = metrics.read(name);
  return measure?.kind === 'count' ? measure.value : undefined;
};

const OPEN: Pace = {
  ...{ kind: 'open', spacing: 'poisson' },
  pieces: [{ from: 0, until: UNTIL, first: 200, last: 400 }],
};
const answers = fc.record({
  connections: fc.integer({ min: 1, max: 9 }),
  delays: fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 7 }),
});

it('planned, sent and open requests are right at every moment, however slow the service is', async () => {
  const check = async (given: Parameters<typeof play>[1]) => {
    await play(OPEN, given, (metrics, { due, sent, answered, failed }) => {
      const names = ['call.planned', 'call.sent', 'call.in-flight', 'call.answered', 'call.failed', 'call.dropped'];
      const wanted = [due, sent, sent - answered - failed, answered, failed, 0];
      expect(names.map((name) => count(metrics, name))).toEqual(wanted);
      const latency = metrics.read('call.latency');
      const missing = latency?.kind === 'durations' ? latency.missing : {};
      expect(missing).toEqual({ failed, dropped: 0, 'in flight': sent - answered - failed, waiting: due - sent });
    });
  };
  await fc.assert(fc.asyncProperty(answers, check), { numRuns: 15, seed: 1 });
});

it('a share within a duration covers all requests that are due, and those past their deadline are not open', async () => {
  await play(OPEN, { connections: 2, delays: [70, 5] }, (metrics, { due }, now) => {
    const share = metrics.at(now).within('call.answered', LIMIT);
    expect(share?.total).toBe(due);
    // With two connections, the service answers far fewer requests than are due, so some deadlines pass without an answer.
    if (now > 150) expect(share?.open).toBeLessThan(due - (share?.within ?? 0));
  });
});

it('users of a closed loop have at most one open request each at every moment', async () => {
  const pace: Pace = { kind: 'closed', users: 3, think: 0 };
  await play(pace, { connections: 2, delays: [20] }, (metrics, { sent, answered, failed }) => {
    expect(count(metrics, 'call.in-flight')).toBe(sent - answered - failed);
    expect((count(metrics, 'call.planned') ?? 0) - answered - failed).toBeLessThanOrEqual(3);
  });
});

it('requests in flight at the end stay in flight, and those that wait are dropped', async () => {
  const metrics = new Metrics(0);
  for (const event of await play(OPEN, { connections: 2, delays: [1000] }, () => {})) metrics.take(event);
  const { planned = 0, sent, inFlight, dropped } = metrics.summarise().calls.counts ?? {};
  expect({ sent, inFlight, dropped }).toEqual({ sent: 2, inFlight: 2, dropped: planned - 2 });
  expect(metrics.contradictions).toEqual([]);
});
