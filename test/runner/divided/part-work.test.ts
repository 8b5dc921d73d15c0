/** A run that loses a worker accounts for the lost part, which is the worker's share of the devices, steps and loads. */
import { expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { defineScenario } from '../../../src/library/scenario.js';
import { PartWork } from '../../../src/runner/divided/part-work.js';
import { drawOwnArrivals } from '../../../src/runner/load/own-arrivals.js';
import type { Plan, PlannedLoad } from '../../../src/scenario/model/plan.js';
import { partsOf } from '../../../src/scenario/plan/divide.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { Metrics } from '../../../src/trace/metrics/index.js';

const plan = defineScenario({
  name: 'work',
  duration: '1m',
  fleet: [{ name: 'clime', profile: 'clime', count: 4 }],
  load: [
    { 'list-messages': null, rate: '2/s' },
    { 'latest-value': null, to: 'clime', rate: '3/s', spacing: 'poisson' },
    { 'list-devices': null, users: 2, think: '1s' },
  ],
  steps: [
    { at: '10s', commands: ['info show'] },
    { at: '50s', commands: ['info show'] },
  ],
});
const [part] = partsOf(plan, 2) as [Plan];
const STEP = 'commands: info show';

/** Loses the part after `events`; returns the events that account for the lost work, their counts, and the metrics. */
function lose(events: readonly TraceEvent[], until = 60_000) {
  const work = new PartWork(part);
  const metrics = new Metrics(part.devices.length, 0, part.duration);
  for (const event of events) {
    work.take(event);
    metrics.take(event);
  }
  const losing = work.lose(60_000, until, 'lost with worker 1');
  const lost: TraceEvent[] = [];
  let next = losing.next();
  for (; !next.done; next = losing.next()) lost.push(next.value);
  for (const event of lost) metrics.take(event);
  return { lost, counts: next.value, metrics };
}

const [first, second] = part.devices.map(({ serial }) => serial) as [number, number];
const sent = (call: string, at: number): TraceEvent => ({ kind: 'call.sent', at, call, intended: at });
const made = (serial: number, uplink: number): TraceEvent => ({
  ...({ kind: 'uplink.made', at: 1, serial, uplink, type: 'data', bytes: 20 } as const),
});

it('a lost part loses each unreported request of a load with a rate, and every request is accounted for', () => {
  const [list, value, users] = part.loads.map(({ name }) => name) as [string, string, string];
  const { counts, metrics } = lose([sent(list, 500), sent(list, 1500), sent(value, 900), sent(users, 5)]);
  const planned = part.loads.slice(0, 2).flatMap((load) => [...drawOwnArrivals(load, seededRandom(plan.seed))]).length;
  expect(planned).toBeGreaterThan(100);
  expect(counts.requests).toBe(planned - 3);
  expect(metrics.contradictions).toEqual([]);
  const { calls } = metrics.summarise();
  expect(calls[list]).toMatchObject({ planned: 60, sent: 2, dropped: 58 });
  expect(calls[list]?.reasons).toEqual({ 'dropped: lost with worker 1': 58 });
  expect(calls[users]).toMatchObject({ planned: 1, sent: 1, dropped: 0, closedLoop: true });
});

it('a lost part loses the requests that waited for a connection, and none of them counts twice', () => {
  const [list, , users] = part.loads.map(({ name }) => name) as [string, string, string];
  const waits = (call: string, at: number): TraceEvent => ({ kind: 'call.waits', at, call, intended: at });
  const waited = { waited: true } as const;
  const events = [waits(list, 500), waits(list, 1500), { ...sent(list, 500), ...waited }, waits(users, 700)];
  const { metrics } = lose(events as readonly TraceEvent[]);
  expect(metrics.contradictions).toEqual([]);
  const { calls } = metrics.summarise();
  expect(calls[list]).toMatchObject({ planned: 60, sent: 1, dropped: 59 });
  expect(calls[users]).toMatchObject({ planned: 1, sent: 0, dropped: 1 });
});

const due = (load: PlannedLoad, until: number) =>
  [...drawOwnArrivals(load, seededRandom(plan.seed))].flatMap(({ due: at }) => (at <= until ? [at] : []));
/** The events of a part that closes its loads at this time, after all requests that were due until then. */
const closedAt = (at: number): readonly TraceEvent[] =>
  part.loads.flatMap((load): readonly TraceEvent[] => {
    const closedLoop = load.pace.kind === 'closed';
    const arrivals = closedLoop ? [1, 2] : due(load, at);
    const requests = arrivals.map((moment) => sent(load.name, moment));
    return [...requests, { kind: 'load.closed', at, call: load.name, planned: arrivals.length, closedLoop }];
  });

it('a lost part loses no request of a load that it had closed at the end of the load', () => {
  expect(lose(closedAt(60_000)).counts.requests).toBe(0);
});

it('a lost part loses the later requests of a load that it had closed early, and every request is accounted for', () => {
  const { counts, metrics } = lose(closedAt(20_000));
  const [list, value] = part.loads as [PlannedLoad, PlannedLoad];
  const missing = [list, value].map((load) => due(load, 60_000).length - due(load, 20_000).length);
  expect(counts.requests).toBe(missing.reduce((sum, each) => sum + each, 0));
  expect(metrics.contradictions).toEqual([]);
  expect(metrics.summarise().calls[list.name]).toMatchObject({ planned: 60, dropped: missing[0] });
});

it('every planned step of a lost part is done or lost, once for each device', () => {
  const step = (serial: number): TraceEvent => ({ kind: 'step', at: 1, serial, step: STEP, ok: true, note: '' });
  const { lost, counts, metrics } = lose([step(first), step(second), step(second)]);
  expect(counts.steps).toBe(1);
  expect(lost.filter(({ kind }) => kind === 'step')).toEqual([
    { kind: 'step', at: 60_000, serial: first, step: STEP, ok: false, note: 'lost with worker 1' },
  ]);
  expect(metrics.read('step.done')).toMatchObject({ value: 3 });
  expect(metrics.read('step.failed')).toMatchObject({ value: 1 });
  expect(metrics.read('downlink.rejected')).toMatchObject({ value: 1 });
});

it('a lost part loses no work that was planned for later than the end of the run', () => {
  const { counts } = lose([], 20_000);
  const requests = part.loads.slice(0, 2).flatMap((load) => due(load, 20_000)).length;
  expect(counts).toMatchObject({ steps: 2, requests });
});

it('unfinished uplinks of a lost part count as dropped, and its unfinished downlinks are counted', () => {
  const { counts, metrics } = lose([
    made(first, 1),
    made(first, 2),
    made(second, 1),
    { kind: 'uplink.acked', at: 2, serial: first, uplink: 1, type: 'data' },
    { kind: 'uplink.dropped', at: 2, serial: second, uplink: 1, type: 'data', why: 'reboot' },
    { kind: 'downlink.queued', at: 3, serial: first, downlink: 'a', type: 'shell' },
    { kind: 'downlink.queued', at: 3, serial: first, downlink: 'b', type: 'shell' },
    { kind: 'downlink.delivered', at: 4, serial: first, downlink: 'a', evidence: 'final-ack' },
  ]);
  expect(counts).toMatchObject({ uplinks: 1, downlinks: 1 });
  expect(metrics.summarise().uplinks).toMatchObject({ made: 3, acked: 1, dropped: 2, waiting: 0 });
});

it('a lost part loses the iterations of its chains that were due, and the requests in them that it had planned', () => {
  const chained = defineScenario({
    name: 'chains',
    duration: '1m',
    fleet: [{ name: 'clime', profile: 'clime', count: 2 }],
    load: [
      {
        name: 'mix',
        rate: '2/s',
        choose: [
          {
            chain: [
              { get: '/a', name: 'a' },
              { get: '/b', name: 'b' },
            ],
          },
          { request: { get: '/c', name: 'c' } },
        ],
      },
    ],
  });
  const [own] = partsOf(chained, 2) as [Plan];
  const work = new PartWork(own);
  const metrics = new Metrics(1, 0, own.duration);
  const chain = { chain: 'mix' };
  const before: readonly TraceEvent[] = [
    { kind: 'chain.began', at: 250, call: 'mix', intended: 250 },
    { ...sent('mix/a', 250), ...chain } as TraceEvent,
    { ...sent('mix/b', 260), ...chain } as TraceEvent,
  ];
  for (const event of before) work.take(event);
  for (const event of [...before, ...work.lose(60_000, 60_000, 'lost')]) metrics.take(event);
  expect(metrics.contradictions).toEqual([]);
  // The part has half of the 120 iterations. One of them is open.
  expect(metrics.read('iteration.planned')).toMatchObject({ value: 60 });
  expect(metrics.read('iteration.failed')).toMatchObject({ value: 59 });
  expect(metrics.read('call.sent')).toMatchObject({ value: 2 });
});
