/** `--otlp`: a collector gets the metrics of a run and a trace for each downlink, and costs the run nothing. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CloudSource } from '../../src/cli/cloud-telemetry.js';
import type { Course } from '../../src/cloud/service.js';
import type { RunResult } from '../../src/report/result.js';
import { openCollector, type ReceivedPoint, type ReceivedSpan } from '../support/collector.js';
import type { Outcome } from '../support/host.js';
import { closing, directory, run, SIMULATED, scenario, tiny } from './otlp-support.js';

afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => {
  for (const collector of closing.splice(0)) collector.close();
});

describe('the telemetry of a run', () => {
  let spans: readonly ReceivedSpan[];
  let points: readonly ReceivedPoint[];
  let outcome: Outcome;
  let result: RunResult;
  beforeAll(async () => {
    const collector = await openCollector();
    outcome = await run(scenario, collector.url);
    ({ spans, points } = collector);
    result = JSON.parse(outcome.out);
    collector.close();
  });

  const sum = (name: string) =>
    points.filter((point) => point.name === `ghostfleet.run.${name}`).reduce((all, { value }) => all + value, 0);

  it('has metrics whose sums are the counts of the report', () => {
    const { uplinks, downlinks, fleet } = result;
    expect(sum('device.ready')).toBe(fleet.ready);
    expect(sum('uplink.stored')).toBe(uplinks.stored);
    expect(sum('downlink.queued')).toBe(downlinks.queued);
    expect(sum('downlink.answered')).toBe(downlinks.answered);
    expect(downlinks.queued).toBe(11);
  });

  it('has metrics of the fleet by group, with region and profile, and of the scenario and the seed', () => {
    const queued = points.filter(({ name }) => name === 'ghostfleet.run.downlink.queued');
    const run = { scenario: 'short', seed: '7' };
    expect(queued.map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ ...run, group: 'cellar', region: 'north', profile: 'clime' }, 4],
      [{ ...run, group: 'roof', region: 'south', profile: 'clime' }, 6],
      [{ ...run, group: 'yard', region: '(none)', profile: 'meteo' }, 1],
    ]);
    const steps = points.filter(({ name }) => name === 'ghostfleet.run.step.done');
    expect(steps.map(({ attributes, value }) => [attributes, value])).toEqual([[run, 11]]);
  });

  it('has durations as histograms in seconds', () => {
    const answered = points.filter(({ name }) => name === 'ghostfleet.run.downlink.answered');
    expect(answered.length).toBe(3);
    for (const { kind, unit, value, buckets = [], bounds = [] } of answered) {
      expect([kind, unit, buckets.length]).toEqual(['histogram', 's', bounds.length + 1]);
      expect(buckets.reduce((all, count) => all + count, 0)).toBe(value);
    }
    const total = answered.reduce((all, { sum: seconds = 0 }) => all + seconds, 0);
    const { count = 0, mean = 0 } = result.downlinks.stages.answered ?? {};
    expect(total).toBeCloseTo((count * mean) / 1000, 1);
  });

  it('has one trace for each downlink, whose spans are its stations in simulated time', () => {
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(roots.length).toBe(result.downlinks.queued);
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(roots.length);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const outcomes = roots.map(({ attributes }) => attributes['ghostfleet.downlink.outcome']);
    expect(outcomes.filter((each) => each === 'answered').length).toBe(result.downlinks.answered);
    const [slowest] = result.downlinks.slowest;
    const root = roots.find(({ attributes }) => attributes['ghostfleet.downlink.id'] === slowest?.id);
    expect((root?.until ?? 0) - (root?.from ?? 0)).toBeCloseTo(slowest?.total ?? 0, 0);
    expect(root?.resource['ghostfleet.time']).toBe('simulated');
    const own = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
    const stations = ['queued', 'waiting', 'offered', 'received', 'delivered', 'executed', 'answered'];
    expect(own.map(({ name }) => name).sort()).toEqual([...stations].sort());
    expect(own[0]?.from).toBe(root?.from);
    for (const [i, span] of own.entries()) expect(span.until).toBe(own[i + 1]?.from ?? root?.until);
    expect(root?.attributes).toMatchObject({ 'ghostfleet.group': expect.any(String), 'ghostfleet.profile': 'clime' });
  });
});

describe('a run whose collector fails', () => {
  it('warns once and continues when none listens, without showing a secret', async () => {
    const out = join(directory, 'out');
    const env = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3crets2' };
    const { exit, err, out: text } = await run(tiny, 'http://me:s3crets@127.0.0.1:9', ['--out', out], env);
    expect(exit).toBe(0);
    expect(err).toBe(
      `${SIMULATED}ghostfleet: telemetry for http://127.0.0.1:9 was lost (1 of 1 batches of traces, 1 of 1 batches of metrics): connection refused\n`,
    );
    const files = readdirSync(out).map((name) => readFileSync(join(out, name), 'utf8'));
    expect([text, err, ...files].join('\n')).not.toMatch(/s3crets/);
  });

  it('ends with exit code 2 before it begins if the address is wrong', async () => {
    const { exit, err } = await run(tiny, 'localhost:4318');
    expect(exit).toBe(2);
    expect(err).toContain('--otlp "localhost:4318" is not the address of an OpenTelemetry collector');
  });

  it('is not possible for several runs at once', async () => {
    const { exit, err } = await run(tiny, 'http://localhost:4318', ['--seeds', '2']);
    expect([exit, err]).toEqual([2, expect.stringContaining('--otlp cannot be used with --seeds')]);
  });
});

describe('the downlinks of serve that are exported', () => {
  const course = (type: string, whats: readonly string[], answeredAt: number | null): Course =>
    // The cast is safe because the source reads only these fields.
    ({
      message: { id: type, type, downState: 'sent', downAnsweredAt: answeredAt, downAttempt: 1 },
      timeline: whats.map((what, at) => ({ id: String(at), messageId: type, at, what, detail: null })),
    }) as unknown as Course;

  const begin = () => {
    const clock = { now: 0 };
    const courses = new Map<string, Course>();
    const read: string[] = [];
    const source = new CloudSource(clock);
    source.follow({
      readMetrics: async () => [],
      courseOf: async (_, id) => {
        read.push(id);
        return courses.get(id);
      },
    });
    const emit = (kind: 'downlink.delivered' | 'downlink.answered', downlink: string) =>
      source.take(
        kind === 'downlink.answered'
          ? { kind, at: 0, serial: 1, downlink }
          : { kind, at: 0, serial: 1, downlink, evidence: 'final-ack' },
      );
    const take = async () => {
      source.countTraces();
      return (await source.takeTraces(10)).map(({ id, stations }) => [id, stations.map(({ name }) => name)]);
    };
    return { clock, courses, read, source, emit, take };
  };
  const DELIVERED = ['queued', 'contact', 'offered', 'sent'];
  const delivered = course('shell', DELIVERED, null);
  const answered = course('shell', [...DELIVERED, 'answered'], 4);
  const STATIONS = ['queued', 'waiting', 'offered', 'delivered'];

  it('are those of users that have ended: an answer is waited for', async () => {
    const { courses, read, source, emit, take } = begin();
    courses.set('shell', delivered);
    courses.set('data', course('data', ['queued', 'contact', 'offered', 'contact', 'offered', 'sent'], null));
    source.take({ kind: 'downlink.queued', at: 0, serial: 1, downlink: 'session', type: 'session' });
    for (const id of ['session', 'shell', 'data', 'gone']) emit('downlink.delivered', id);
    expect(await take()).toEqual([['data', STATIONS]]);
    expect(read).toEqual(['shell', 'data', 'gone']);
    expect(await take()).toEqual([]);
    courses.set('shell', answered);
    emit('downlink.answered', 'shell');
    expect(await take()).toEqual([['shell', [...STATIONS, 'answered']]]);
  });

  it('have one trace if they are delivered and answered between two exports', async () => {
    const { courses, emit, take } = begin();
    courses.set('shell', answered);
    emit('downlink.delivered', 'shell');
    emit('downlink.answered', 'shell');
    expect(await take()).toEqual([['shell', [...STATIONS, 'answered']]]);
    expect(await take()).toEqual([]);
  });

  it('have one trace if they are answered while they are read', async () => {
    const { courses, emit, take } = begin();
    courses.set('shell', answered);
    emit('downlink.delivered', 'shell');
    expect(await take()).toHaveLength(1);
    emit('downlink.answered', 'shell');
    expect(await take()).toEqual([]);
  });

  it('have one trace if the answer comes while they are read without it', async () => {
    const { clock, courses, emit, take } = begin();
    courses.set('shell', delivered);
    emit('downlink.delivered', 'shell');
    const taking = take();
    emit('downlink.answered', 'shell');
    courses.set('shell', answered);
    expect(await taking).toEqual([]);
    expect(await take()).toHaveLength(1);
    clock.now = 3_600_000;
    expect(await take()).toEqual([]);
  });

  it('are exported after an hour without an answer, and then never again', async () => {
    const { clock, courses, emit, take } = begin();
    courses.set('shell', delivered);
    emit('downlink.delivered', 'shell');
    expect(await take()).toEqual([]);
    clock.now = 3_600_000;
    expect(await take()).toEqual([['shell', STATIONS]]);
    courses.set('shell', answered);
    emit('downlink.answered', 'shell');
    expect(await take()).toEqual([]);
  });
});
