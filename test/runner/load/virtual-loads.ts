/** Runs the loads of a scenario in virtual time, against answers that a test makes. */
import { seededRandom } from '../../../src/kernel/random.js';
import { Semaphore } from '../../../src/kernel/semaphore.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import type { CallSender } from '../../../src/runner/load/http-calls.js';
import { Loads } from '../../../src/runner/load/loads.js';
import { limitOf } from '../../../src/runner/targets/paced.js';
import type { CallRequest } from '../../../src/scenario/load/calls.js';
import type { Plan } from '../../../src/scenario/model/plan.js';
import { partsOf } from '../../../src/scenario/plan/divide.js';
import type { DeviceHandle } from '../../../src/scenario/world.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { Metrics } from '../../../src/trace/metrics/index.js';

interface Sent extends CallRequest {
  /** When it was sent. */
  readonly at: number;
}

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  /** Why the body cannot be read. */
  readonly unreadable?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** How long the answer takes, in ms. Default: none */
  readonly takes?: number;
}

interface LoadsOptions {
  readonly stopAt?: number;
  readonly parts?: number;
  readonly perSecond?: number | null;
  readonly connections?: number;
}

/** Virtual time that passes while a request is open, as real time does. */
class PassingClock extends VirtualClock {
  override hold(): () => void {
    return () => {};
  }
}

/**
 * @param stopAt when the run ends, in ms. Default: at the end of the scenario
 * @param parts number of parts. Default: 1
 * @param perSecond limit of requests a second. Default: none
 * @param connections of the caller. Default: 1000
 */
export async function runLoads(
  whole: Plan,
  answer: (request: Sent) => Answer = () => ({}),
  { stopAt = whole.duration, parts = 1, perSecond = null, connections = 1000 }: LoadsOptions = {},
) {
  const sent: Sent[] = [];
  const events: TraceEvent[] = [];
  const waiting: number[] = [];
  const stillOpen: string[] = [];
  const freeAfter: number[] = [];
  const givenUp: string[] = [];
  const unread: string[] = [];
  const loadScopes = new Map(
    (whole.scopes ?? []).flatMap((scope) => ('loads' in scope ? [[scope.name, scope.loads] as const] : [])),
  );
  const metrics = new Metrics(whole.devices.length, 0, 0, { devices: new Map(), loads: loadScopes });
  for (const plan of parts === 1 ? [whole] : partsOf(whole, parts)) {
    const clock = new PassingClock();
    const sender: CallSender = {
      send: ({ bodiless = false, ...request }, done) => {
        if (bodiless) unread.push(request.path);
        const made = { at: clock.now, ...request };
        sent.push(made);
        const { status = 200, body = {}, headers = {}, takes = 0, unreadable } = answer(made);
        const whole = typeof body === 'string' ? body : JSON.stringify(body);
        const text = bodiless ? '' : whole;
        const result = { status, why: '', body: text, headers, unreadable, retryAfter: 0 };
        clock.after(takes, 'an answer', () => done(result));
      },
      close: async () => {},
    };
    // The cast is safe because loads use no other fields of a device.
    const handles = plan.devices.map(({ name, serial }) => ({
      name,
      serial,
      cloudId: `id-${serial}`,
    })) as unknown as readonly DeviceHandle[];
    const base = { origin: 'http://cloud', prefix: '/iot' };
    const caller = { base, space: 's', apiKey: 'the-api-key', sender, connections: new Semaphore(connections) };
    const limit = limitOf({ perSecond }, clock);
    const trace = {
      emit: (event: TraceEvent) => {
        events.push(event);
        metrics.take(event);
      },
    };
    const loads = new Loads(plan.loads, {
      ...{ clock, trace, handles, accepted: () => true, random: seededRandom(plan.seed) },
      ...{ callerOf: () => caller, leastPause: 1, secrets: plan.secrets ?? [], limit },
      failed: (what, { message }) => givenUp.push(`${what}: ${message}`),
    });
    await clock.runUntil(stopAt);
    while (stopAt === whole.duration && (loads.open.length > 0 || loads.areThinking))
      await clock.runUntil(clock.now + 1000);
    stillOpen.push(...loads.open);
    loads.close();
    const closedAt = clock.now;
    for (let n = 0; n < 2 * (perSecond ?? 0); n++) await clock.attend(limit?.turn() ?? Promise.resolve());
    freeAfter.push(clock.now - closedAt);
    waiting.push(clock.waiting);
  }
  const count = (name: string, of?: string) => {
    const measure = metrics.read(name, of);
    return measure?.kind === 'count' ? measure.value : measure?.distribution.count;
  };
  /**
   * `waiting`: alarms that are left after the end of each part. `stillOpen`: loads with open requests before that. `freeAfter`:
   * time in which twice the limit of a second can be sent after it. `givenUp`: answers beyond a limit of ghostfleet. `unread`: paths whose answers take no memory.
   */
  const { contradictions } = metrics;
  return { sent, events, metrics, count, waiting, stillOpen, freeAfter, givenUp, unread, contradictions };
}
