/** Loads of a run: their requests, and how the run accounts for each request. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it } from 'vitest';
import type { DrivenClock } from '../../../src/kernel/clock.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { Semaphore } from '../../../src/kernel/semaphore.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { Callers } from '../../../src/runner/load/callers.js';
import type { CallResult } from '../../../src/runner/load/connection.js';
import { type CallSender, makeHttpCalls } from '../../../src/runner/load/http-calls.js';
import { Loads } from '../../../src/runner/load/loads.js';
import type { CallSpec } from '../../../src/scenario/load/calls.js';
import type { Pace, UserPace } from '../../../src/scenario/load/load.js';
import type { PlannedLoad } from '../../../src/scenario/model/plan.js';
import type { DeviceHandle } from '../../../src/scenario/world.js';
import { Metrics } from '../../../src/trace/metrics/index.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A usable body: the number of devices, or a resource whose id is the last part of the path. */
const bodyFor = (path: string): string =>
  JSON.stringify(path.endsWith('/count') ? { count: 2 } : { id: path.split('/').at(-1) });

/** A service that answers with `answer`, and collects the requests that it receives. */
async function service(
  answer: (respond: (status: number, headers?: Record<string, string>) => void, number: number) => void,
) {
  const requests: string[] = [];
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers['x-api-key']}`);
    answer((status, headers) => response.writeHead(status, headers).end(bodyFor(request.url ?? '')), requests.length);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/base`, requests };
}

const open = (perSecond: number, until: number): Pace => ({
  kind: 'open',
  spacing: 'even',
  pieces: [{ from: 0, until, first: perSecond, last: perSecond }],
});

interface Options {
  until?: number;
  stopAt?: number;
  connections?: number;
  known?: boolean;
  call?: CallSpec;
  serviceSpeed?: number;
}

/** Runs one load over HTTP until the load has ended and every request is answered, or until `stopAt`. */
function carryOut(baseUrl: string, pace: Pace, options: Options = {}) {
  const sender = makeHttpCalls({ baseUrl, apiKey: 'secret', connections: options.connections ?? CONNECTIONS });
  return play({ pace, clock: new RealClock(), sender, options });
}

/** Virtual time that passes while a request is open, as real time does. */
class PassingClock extends VirtualClock {
  override hold(): () => void {
    return () => {};
  }
}

/** Runs one load in virtual time. `answer` gives the answer to a request and its delay. */
function simulate(
  pace: Pace,
  answer: (now: number) => { readonly after: number } & Partial<CallResult>,
  options: Options = {},
) {
  const clock = new PassingClock();
  const sender: CallSender = {
    send: ({ path }, done) => {
      const { after, ...reply } = answer(clock.now);
      clock.after(after, 'answer', () => done({ status: 200, why: '', body: bodyFor(path), retryAfter: 0, ...reply }));
    },
    close: async () => {},
  };
  return play({ pace, clock, sender, options });
}

const CONNECTIONS = 8;

async function play(given: {
  readonly pace: Pace;
  readonly clock: DrivenClock;
  readonly sender: CallSender;
  readonly options: Options;
}) {
  const { pace, clock, sender, options } = given;
  const { until = 300, stopAt, connections = CONNECTIONS, known = true } = options;
  const { call = { kind: 'read-device', body: null }, serviceSpeed = 1 } = options;
  const metrics = new Metrics(2);
  const load: PlannedLoad = {
    ...{ name: 'reads', call, from: 0, until, pace, devices: [0, 1] },
  };
  const base = { origin: 'http://cloud', prefix: '/iot' };
  const caller = { base, space: 's', apiKey: 'the-api-key', sender, connections: new Semaphore(connections) };
  // The cast is safe because loads use no other fields of a device.
  const handles = [
    { cloudId: known ? 'one' : undefined },
    { cloudId: known ? 'two' : undefined },
  ] as unknown as readonly DeviceHandle[];
  const unanswered: unknown[] = [];
  const loads = new Loads([load], {
    unanswered: (_serial, type, body) => void unanswered.push({ type, body }),
    ...{ clock, trace: { emit: (event) => metrics.take(event) }, handles, accepted: () => false },
    ...{ random: seededRandom(1), callerOf: () => caller, leastPause: 0, serviceSpeed },
  });
  const pass = (delay: number) =>
    clock.attend(new Promise<void>((resolve) => void clock.after(delay, 'the end', resolve)));
  await pass(stopAt ?? until);
  while (stopAt === undefined && loads.open.length > 0) await pass(5);
  loads.close();
  await sender.close();
  return { summary: metrics.summarise().calls.reads, contradictions: metrics.contradictions, unanswered };
}

describe('a load', () => {
  it('sends its requests for its devices in turn, with the API key', async () => {
    const { baseUrl, requests } = await service((respond) => respond(200));
    const { summary } = await carryOut(baseUrl, open(100, 300));
    expect(summary).toMatchObject({ planned: 30, sent: 30, answered: 30, failed: 0, inFlight: 0, dropped: 0 });
    expect(new Set(requests)).toEqual(
      new Set(['one', 'two'].map((id) => `GET /base/v2/spaces/s/devices/${id} secret`)),
    );
  });

  it('counts a request for a downlink as failed if the answer contains no downlink', async () => {
    const { baseUrl } = await service((respond) => respond(201));
    const call: CallSpec = { kind: 'commands', body: '["info show"]' };
    const { summary } = await carryOut(baseUrl, open(100, 300), { call });
    expect(summary).toMatchObject({ sent: 30, answered: 0, failed: 30 });
    expect(summary?.reasons).toEqual({ 'status 201: the answer names no downlink': 30 });
  });

  it('reports requests for downlinks without an answer, including those that are open at the end', async () => {
    const call: CallSpec = { kind: 'commands', body: '["info show"]' };
    const replies = (now: number) => (now < 100 ? { after: 5, status: 0, why: 'ECONNRESET' } : { after: 500 });
    const { summary, unanswered } = await simulate(open(100, 300), replies, { call, stopAt: 300 });
    expect(summary?.failed).toBeGreaterThan(5);
    expect(unanswered).toHaveLength(Number(summary?.failed) + Number(summary?.inFlight));
    expect(unanswered[0]).toEqual({ type: 'shell', body: ['info show'] });
  });

  it('reports requests without an answer also if their bodies are not JSON', async () => {
    const call: CallSpec = { kind: 'commands', body: 'not json' };
    const { unanswered } = await simulate(open(100, 300), () => ({ after: 5, status: 0, why: 'ECONNRESET' }), { call });
    expect(unanswered.length).toBeGreaterThan(0);
    expect(unanswered[0]).toEqual({ type: 'shell', body: undefined });
  });

  it.each([
    [502, 30],
    [503, 0],
    [409, 0],
  ])('with requests for downlinks that get status %i reports %i of them as unanswered', async (status, named) => {
    const call: CallSpec = { kind: 'commands', body: '["info show"]' };
    const { unanswered } = await simulate(open(100, 300), () => ({ after: 5, status }), { call });
    expect(unanswered).toHaveLength(named);
  });

  it('of patient users waits for the time in Retry-After; a load of other users ignores it', async () => {
    const { baseUrl } = await service((respond) => respond(429, { 'retry-after': '1' }));
    const users: UserPace = { kind: 'closed', users: 1, think: 10 };
    const { summary: patient } = await carryOut(baseUrl, { ...users, patient: true });
    expect(patient).toMatchObject({ sent: 1, refused: 1 });
    const { summary: deaf } = await simulate(users, () => ({ after: 5, status: 429, retryAfter: 1000 }));
    expect(deaf).toMatchObject({ sent: 20, refused: 20 });
  });

  it('of users whose pauses vary sends each request after a pause between the shortest and the longest', async () => {
    const sentAt: number[] = [];
    const answer = (now: number) => {
      sentAt.push(now);
      return { after: 5 };
    };
    await simulate({ kind: 'closed', users: 1, think: 10, longestThink: 30 }, answer);
    const pauses = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0) - 5);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30);
    expect(new Set(pauses).size).toBeGreaterThan(3);
  });

  it('counts the time in Retry-After by the clock of the service', async () => {
    const users: UserPace = { kind: 'closed', users: 1, think: 10, patient: true };
    const busy = () => ({ after: 5, status: 429, retryAfter: 1000 });
    // A second of the service is 100 ms of the run, which ends after 900 ms.
    const { summary } = await simulate(users, busy, { until: 900, serviceSpeed: 0.1 });
    expect(summary?.sent).toBe(9);
  });

  it('with a 2xx status and a useless body counts as failed, with the reason', async () => {
    const bodies = ['', '<html></html>', '{"count":', '{"error":"busy"}', '{"count":7}'];
    let next = 0;
    const answer = () => ({ after: 5, body: bodies[next++ % bodies.length] ?? '' });
    const call: CallSpec = { kind: 'count-devices', body: null };
    const { summary } = await simulate(open(100, 300), answer, { call });
    expect(summary).toMatchObject({ planned: 30, answered: 6, failed: 24 });
    expect(summary?.reasons).toEqual({
      'status 200: the answer is HTML instead of JSON': 6,
      'status 200: the answer is empty': 6,
      'status 200: the answer is not JSON': 6,
      'status 200: the answer is not a count': 6,
    });
    expect(summary?.latency?.count).toBe(6);
  });

  it('continues during a stall of the service, and includes the stall in the latencies', async () => {
    const stalled = (now: number) => ({ after: Math.max(1, 250 - now) });
    const { summary, contradictions } = await simulate(open(100, 300), stalled, { connections: 4 });
    expect(summary).toMatchObject({ planned: 30, answered: 30 });
    // Four connections were blocked, and the other requests waited for a connection. Only latencies since the due time show
    // this wait.
    expect(summary?.latency?.p50).toBeGreaterThan(80);
    expect(summary?.service?.p50).toBe(1);
    expect(contradictions).toEqual([]);
  });

  it('of a client that gets no answers does not delay other clients', async () => {
    const { baseUrl, requests } = await service((respond, number) => {
      if (requests[number - 1]?.endsWith(' dashboard')) respond(200);
    });
    const clock = new RealClock();
    const metrics = new Metrics(1);
    const callers = new Callers({ baseUrl, virtual: false });
    const plans = Object.entries({ poller: 1000, dashboard: 100 }).map(
      ([as, rate]): PlannedLoad => ({
        ...{ name: as, as, call: { kind: 'count-devices', body: null }, pace: open(rate, 300) },
        ...{ from: 0, until: 300, devices: [] },
      }),
    );
    const loads = new Loads(plans, {
      ...{ clock, trace: { emit: (event) => metrics.take(event) }, handles: [], accepted: () => true, leastPause: 0 },
      ...{ random: seededRandom(1), callerOf: ({ as }) => callers.getCaller({ spaceId: 's', apiKey: String(as) }) },
    });
    await clock.runUntil(300);
    while (loads.open.some((name) => name.includes('dashboard'))) await clock.runUntil(clock.now + 5);
    loads.close();
    await callers.close();
    const { poller, dashboard } = metrics.summarise().calls;
    expect(dashboard).toMatchObject({ planned: 30, answered: 30 });
    expect(poller).toMatchObject({ planned: 300, answered: 0, inFlight: 300, dropped: 0 });
  });

  it('accounts for every request if the service is killed', async () => {
    const { baseUrl } = await service((respond, number) => {
      if (number < 10) respond(200);
      else {
        server?.closeAllConnections();
        server?.close();
      }
    });
    const { summary, contradictions } = await carryOut(baseUrl, open(100, 300));
    expect(contradictions).toEqual([]);
    expect(summary).toMatchObject({ planned: 30, sent: 30, dropped: 0, inFlight: 0 });
    expect(summary?.failed).toBeGreaterThanOrEqual(15);
    expect(Object.keys(summary?.reasons ?? {}).every((reason) => reason.startsWith('no answer: '))).toBe(true);
  });

  it('accounts for every request if the run is interrupted: sent ones are open, waiting ones are dropped', async () => {
    const { baseUrl } = await service(() => {});
    const { summary, contradictions } = await carryOut(baseUrl, open(100, 300), { stopAt: 150, connections: 2 });
    expect(contradictions).toEqual([]);
    expect(summary).toMatchObject({ answered: 0, inFlight: 2 });
    expect(summary?.reasons['dropped: the run was over']).toBe(summary?.dropped);
    expect(summary?.planned).toBe(2 + (summary?.dropped ?? 0));
  });

  it('names the lack of connections for requests that waited for more than a second until the end', async () => {
    const { baseUrl } = await service(() => {});
    const { summary } = await carryOut(baseUrl, open(100, 1500), { stopAt: 1300, connections: 2 });
    const { 'dropped: no connection was free until the end': waited = 0, 'dropped: the run was over': late = 0 } =
      summary?.reasons ?? {};
    expect([waited > 0, late > 50, waited + late]).toEqual([true, true, summary?.dropped]);
  });

  it('with users has at most one open request for each user, and is marked as a closed loop', async () => {
    const sentAt: number[] = [];
    const answer = (now: number) => {
      sentAt.push(now);
      return { after: 10 };
    };
    const { summary, contradictions } = await simulate({ kind: 'closed', users: 3, think: 0 }, answer);
    const open = sentAt.map((now) => sentAt.filter((other) => other <= now && now < other + 10).length);
    expect(Math.max(...open)).toBe(3);
    expect(summary?.closedLoop).toBe(true);
    expect(summary?.answered).toBe(90);
    expect(contradictions).toEqual([]);
  });

  it('with users without think time lets other work run, even if the load has no device', async () => {
    const { baseUrl } = await service((respond) => respond(200));
    const { summary, contradictions } = await carryOut(
      baseUrl,
      { kind: 'closed', users: 1, think: 0 },
      { known: false },
    );
    // At most one alarm a millisecond occurs.
    expect(summary?.dropped).toBeLessThanOrEqual(301);
    expect(summary?.planned).toBe(summary?.dropped);
    expect(contradictions).toEqual([]);
  });
});
