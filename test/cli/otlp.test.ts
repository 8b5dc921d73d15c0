/** `--otlp`: a collector gets the metrics of a run and a trace for each downlink, and costs the run nothing. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CloudSource } from '../../src/cli/cloud-telemetry.js';
import type { Course } from '../../src/cloud/service.js';
import type { RunResult } from '../../src/report/result.js';
import { type Collector, openCollector, type ReceivedPoint, type ReceivedSpan } from '../support/collector.js';
import { ghostfleet, type Outcome } from '../support/host.js';

const directory = mkdtempSync(join(tmpdir(), 'gf-'));
afterAll(() => rmSync(directory, { recursive: true }));
const scenario = join(directory, 'short.yaml');
writeFileSync(
  scenario,
  `name: short
duration: 70m
fleet:
  - { name: cellar, profile: clime, count: 2, region: north }
  - { name: roof, profile: clime, count: 3, region: south }
  - { name: yard, profile: meteo, count: 1 }
network: { loss: 2% }
steps:
  - { at: 10m, commands: [info show] }
  - { at: 20m, to: cellar, config: { interval-report: 900 } }
  - { at: 69m, to: roof, commands: [info show] }
`,
);

const tiny = join(directory, 'tiny.yaml');
writeFileSync(
  tiny,
  `name: tiny
duration: 5m
fleet: [{ name: clime, profile: clime, count: 1 }]
steps: [{ at: 1m, commands: [info show] }]
`,
);

/** The note of a run in virtual time. */
const SIMULATED = 'traces have simulated times, from 2026-01-01T00:00:00.000Z on\n';

const closing: Collector[] = [];
afterEach(() => {
  for (const collector of closing.splice(0)) collector.close();
});

async function collectorWith(answer?: Parameters<typeof openCollector>[0]): Promise<Collector> {
  const collector = await openCollector(answer);
  closing.push(collector);
  return collector;
}

const run = (file: string, url: string, more: readonly string[] = [], env = {}) =>
  ghostfleet(['run', file, '--seed', '7', '--json', '--otlp', url, ...more], { env });

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

  it('does not change the run', async () => {
    const { out } = await ghostfleet(['run', scenario, '--seed', '7', '--json']);
    const plain: RunResult = JSON.parse(out);
    expect([outcome.exit, outcome.err]).toEqual([0, SIMULATED]);
    expect(result.digest).toBe(plain.digest);
    expect({ ...result, wallMs: 0 }).toEqual({ ...plain, wallMs: 0 });
  });

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
      `${SIMULATED}ghostfleet: 1 of 1 batches of telemetry for http://127.0.0.1:9 were lost: connection refused\n`,
    );
    const files = readdirSync(out).map((name) => readFileSync(join(out, name), 'utf8'));
    expect([text, err, ...files].join('\n')).not.toMatch(/s3crets/);
  });

  it('has the same result when the collector rejects telemetry', async () => {
    const { url } = await collectorWith((response) => response.writeHead(400).end());
    const { exit, err } = await run(tiny, url);
    expect(exit).toBe(0);
    expect(err).toBe(
      `${SIMULATED}ghostfleet: 1 of 1 batches of telemetry for ${url} were lost: the response has the status 400\n`,
    );
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

describe('the telemetry of serve', () => {
  const PORTS = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
  const db = join(directory, 'cloud.db');

  /** Starts a service, uses it, and stops it. */
  async function serve(url: string, use: (api: string, space: string) => Promise<void>): Promise<Outcome> {
    let stop = () => {};
    const interruptWhen = new Promise<void>((resolve) => {
      stop = resolve;
    });
    let used: Promise<void> | undefined;
    const watchOut = (text: string) => {
      if (used !== undefined || !text.includes('\n')) return;
      const { api, spaceId } = JSON.parse(text);
      used = use(api, spaceId).finally(stop);
    };
    const args = ['serve', '--json', '--db', db, '--api-key', 'k', ...PORTS, '--otlp', url];
    const outcome = await ghostfleet(args, { interruptWhen, watchOut });
    await used;
    return outcome;
  }

  async function call(address: string, method: string, body?: object, headers = {}): Promise<{ readonly id: string }> {
    const response = await fetch(address, {
      method,
      headers: { 'x-api-key': 'k', 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return text === '' ? { id: '' } : JSON.parse(text);
  }

  it('has a trace below the span of the caller, also if the service has restarted since', async () => {
    const collector = await collectorWith();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const queued: string[] = [];
    await serve(collector.url, async (api, space) => {
      const devices = `${api}/v2/spaces/${space}/devices`;
      const device = { name: 'freezer', serial_number: '2159017985', token: '00112233445566778899aabbccddeeff' };
      const { id } = await call(devices, 'POST', device);
      for (const traceparent of [`00-${traceId}-b7ad6b7169203331-01`, 'nonsense']) {
        queued.push((await call(`${devices}/${id}/commands`, 'POST', ['info show'], { traceparent })).id);
      }
    });
    expect(collector.spans).toEqual([]);
    await serve(collector.url, async (api, space) => {
      for (const id of queued) await call(`${api}/v2/spaces/${space}/messages/${id}`, 'DELETE');
    });
    const roots = collector.spans.filter(({ name }) => name === 'downlink shell');
    expect(roots.map(({ parentSpanId }) => parentSpanId)).toEqual(['b7ad6b7169203331', undefined]);
    expect(roots[0]).toMatchObject({ traceId, resource: { 'service.name': 'ghostfleet' } });
    const own = collector.spans.filter(({ parentSpanId }) => parentSpanId === roots[0]?.spanId);
    expect(own.map(({ name }) => name)).toEqual(['queued', 'cancelled']);
    expect(collector.points.find(({ name }) => name === 'ghostfleet_downlinks_pending')).toMatchObject({ value: 0 });
  });
});

describe('the downlinks of serve that are exported', () => {
  const course = (type: string, whats: readonly string[], answeredAt: number | null): Course =>
    // The cast is safe because the source reads only these fields.
    ({
      message: { id: type, type, downState: 'sent', downAnsweredAt: answeredAt, downAttempt: 1 },
      timeline: whats.map((what, at) => ({ id: String(at), messageId: type, at, what, detail: null })),
    }) as unknown as Course;

  it('are those of users that have ended: an answer is waited for', async () => {
    const courses = new Map([
      ['shell', course('shell', ['queued', 'contact', 'offered', 'sent'], null)],
      ['data', course('data', ['queued', 'contact', 'offered', 'contact', 'offered', 'sent'], null)],
    ]);
    const read: string[] = [];
    const source = new CloudSource();
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
    source.take({ kind: 'downlink.queued', at: 0, serial: 1, downlink: 'session', type: 'session' });
    for (const id of ['session', 'shell', 'data', 'gone']) emit('downlink.delivered', id);
    const take = async () => {
      source.countTraces();
      return (await source.takeTraces(10)).map(({ id, stations }) => [id, stations.map(({ name }) => name)]);
    };
    expect(await take()).toEqual([['data', ['queued', 'waiting', 'offered', 'delivered']]]);
    expect(read).toEqual(['shell', 'data', 'gone']);
    expect(await take()).toEqual([]);
    courses.set('shell', course('shell', ['queued', 'contact', 'offered', 'sent', 'answered'], 4));
    emit('downlink.answered', 'shell');
    expect(await take()).toEqual([['shell', ['queued', 'waiting', 'offered', 'delivered', 'answered']]]);
  });
});
