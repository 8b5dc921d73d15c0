/** Exports to a collector that is slow, rejects or hangs: they end in time, and a loss is reported once. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { seconds } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { makeRunMetric } from '../../src/telemetry/measures.js';
import { readTelemetrySettings } from '../../src/telemetry/settings.js';
import type { TracedDownlink } from '../../src/telemetry/spans.js';
import { Telemetry } from '../../src/telemetry/telemetry.js';
import { type Collector, openCollector } from '../support/collector.js';
import { until } from '../support/until.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const silent = () => {};
const rejecting =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end('s3crets of the collector');

const downlink = (n: number, more: Partial<TracedDownlink> = {}): TracedDownlink => ({
  ...{ id: `downlink ${n}`, type: 'shell', observer: 'run', end: 5000, attributes: {} },
  stations: [
    { name: 'queued', at: 1000 },
    { name: 'answered', at: 5000 },
  ],
  ...more,
});

interface Options {
  readonly downlinks?: readonly TracedDownlink[];
  readonly env?: Readonly<Record<string, string>>;
  readonly reportsAtOnce?: boolean;
  readonly url?: string;
  /** Whether there is a metric. */
  readonly metrics?: boolean;
  /** Takes the downlinks in place of the source of the test. */
  readonly take?: (waiting: TracedDownlink[]) => readonly TracedDownlink[];
}

/** Telemetry of some downlinks, on a clock that the test drives. */
async function exporting(answer?: Parameters<typeof openCollector>[0], options: Options = {}) {
  const collector: Collector = await openCollector(answer);
  closing.push(() => collector.close());
  const settings = readTelemetrySettings(options.url ?? collector.url, options.env ?? {});
  if (settings === undefined) throw new Error('no settings');
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const looks = { empty: 0 };
  const waiting = [...(options.downlinks ?? [downlink(1)])];
  const telemetry = new Telemetry({
    ...{ settings, clock, version: '1', attributes: {}, reportsAtOnce: options.reportsAtOnce ?? false },
    source: {
      readMetrics: (period) =>
        options.metrics
          ? [makeRunMetric({ name: 'device.ready', about: '', shape: 'count', of: null, within: false }, [], period)]
          : [],
      takeTraces: (most) => options.take?.(waiting) ?? waiting.splice(0, most),
      countTraces: () => {
        if (waiting.length === 0) looks.empty++;
        return waiting.length;
      },
    },
    complain: (sentence) => complaints.push(sentence),
  });
  telemetry.begin();
  closing.push(() => telemetry.close());
  return { collector, clock, telemetry, complaints, waiting, looks };
}

/** Lets simulated time pass, in steps, until `work` settles. */
async function letPass(clock: VirtualClock, work: Promise<unknown>): Promise<number> {
  const began = clock.now;
  let over = false;
  const end = () => {
    over = true;
  };
  void work.then(end, end);
  await until(async () => {
    if (!over) await clock.runUntil(clock.now + 100);
    return over;
  });
  return clock.now - began;
}

describe('telemetry', () => {
  it('is sent every 15 seconds', async () => {
    const { collector, clock, waiting, looks } = await exporting();
    await clock.runUntil(seconds(15));
    await until(() => looks.empty === 1);
    expect(collector.spans.length).toBe(3);
    waiting.push(downlink(2));
    await until(async () => {
      await clock.runUntil(clock.now + seconds(1));
      return collector.spans.length === 6;
    });
    expect(clock.now).toBeGreaterThanOrEqual(seconds(30));
  });

  it('has what waits at the end, in batches of 64 downlinks', async () => {
    const downlinks = Array.from({ length: 130 }, (_, n) => downlink(n));
    const { collector, telemetry, complaints } = await exporting(undefined, { downlinks });
    await telemetry.end();
    expect(collector.requests.length).toBe(3);
    expect(collector.spans.filter(({ name }) => name === 'downlink shell').length).toBe(130);
    expect(complaints).toEqual([]);
  });

  it.each(['http/protobuf', 'http/json'])('has the same spans in %s', async (protocol) => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const { collector, telemetry } = await exporting(undefined, {
      env: {
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_RESOURCE_ATTRIBUTES: 'a=b',
      },
      downlinks: [downlink(1, { traceparent, failure: 'expired', attributes: { 'ghostfleet.downlink.offers': 3 } })],
    });
    await telemetry.end();
    const [root, queued, answered] = collector.spans;
    const traceId = 'a'.repeat(32);
    expect(root).toMatchObject({
      name: 'downlink shell',
      traceId,
      parentSpanId: 'b'.repeat(16),
      from: 1000,
      until: 5000,
    });
    expect(root).toMatchObject({ status: 'expired', attributes: { 'ghostfleet.downlink.offers': 3 } });
    expect(root?.resource).toMatchObject({ 'service.name': 'ghostfleet', 'service.version': '1', a: 'b' });
    expect(queued).toMatchObject({ name: 'queued', traceId, parentSpanId: root?.spanId, from: 1000, until: 5000 });
    expect(answered).toMatchObject({ name: 'answered', from: 5000, until: 5000 });
  });

  it('has a trace of its own for a downlink without a caller, with the same ids at each repetition', async () => {
    const first = await exporting();
    const second = await exporting();
    await first.telemetry.end();
    await second.telemetry.end();
    expect(first.collector.spans[0]?.parentSpanId).toBeUndefined();
    expect(first.collector.spans).toEqual(second.collector.spans);
    expect(new Set(first.collector.spans.map(({ spanId }) => spanId)).size).toBe(3);
  });

  it('has no spans for a caller that does not record its trace', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    const { collector, telemetry } = await exporting(undefined, { downlinks: [downlink(1, { traceparent })] });
    await telemetry.end();
    expect(collector.requests).toEqual([]);
  });
});

describe('the sampler', () => {
  const downlinks = Array.from({ length: 400 }, (_, n) =>
    downlink(n, n % 2 === 0 ? {} : { traceparent: `00-${'0'.repeat(28)}${1000 + n}-${'b'.repeat(16)}-00` }),
  );

  it.each([
    ['parentbased_always_on', '', 200, 200],
    ['always_on', '', 400, 400],
    ['always_off', '', 0, 0],
    ['parentbased_always_off', '', 0, 0],
    ['parentbased_traceidratio', '0.25', 30, 70],
    ['parentbased_traceidratio', '0', 0, 0],
  ])(
    '%s %s sends some of 200 traces without a caller and of 200 that a caller does not record',
    async (name, arg, least, most) => {
      const env = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg };
      const { collector, telemetry } = await exporting(undefined, { downlinks, env });
      await telemetry.end();
      const sent = collector.spans.filter(({ kind }) => kind === 5).length;
      expect(sent).toBeGreaterThanOrEqual(least);
      expect(sent).toBeLessThanOrEqual(most);
    },
  );
});

describe('lost telemetry', () => {
  it.each([400, 401, 500])(
    'is not sent again after status %s, and is reported without the response',
    async (status) => {
      const { collector, telemetry, complaints } = await exporting(rejecting(status));
      await telemetry.end();
      expect(collector.requests.length).toBe(1);
      expect(complaints).toEqual([
        `telemetry for ${collector.url} was lost (1 of 1 batches of traces): the response has the status ${status}`,
      ]);
    },
  );

  it.each([429, 502, 503, 504])('is sent again after status %s, for 5 seconds at the end', async (status) => {
    const { collector, telemetry, clock, complaints } = await exporting(rejecting(status));
    expect(await letPass(clock, telemetry.end())).toBeLessThanOrEqual(seconds(6));
    expect(collector.requests.length).toBeGreaterThan(1);
    expect(complaints).toEqual([
      `telemetry for ${collector.url} was lost (1 of 1 batches of traces): the response has the status ${status}`,
    ]);
  });

  it('waits as long as the collector asks for', async () => {
    let requests = 0;
    const once = (response: ServerResponse) =>
      requests++ === 0 ? response.writeHead(503, { 'retry-after': '3' }).end() : response.end();
    const { telemetry, clock, complaints } = await exporting(once);
    expect(await letPass(clock, telemetry.end())).toBeGreaterThanOrEqual(seconds(3));
    expect([requests, complaints]).toEqual([2, []]);
  });

  it.each(['0', '0.000001', '-1', 'Infinity'])(
    'is not sent again before the usual pause if the collector asks for a wait of %s',
    async (wait) => {
      const { collector, telemetry, clock } = await exporting(rejecting(503, { 'retry-after': wait }));
      await letPass(clock, telemetry.end());
      expect(collector.requests.length).toBeLessThanOrEqual(3);
    },
  );

  it('is not sent again after a response that does not end, and no more than 1 MiB of it is received', async () => {
    const endless = (response: ServerResponse) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    };
    const { collector, telemetry, complaints } = await exporting(endless);
    await telemetry.end();
    expect([collector.requests.length, complaints]).toEqual([
      1,
      [
        `telemetry for ${collector.url} was lost (1 of 1 batches of traces): the response is larger than ghostfleet accepts`,
      ],
    ]);
  });

  it('ends after 5 seconds if the collector does not respond, and counts the batches that were not sent', async () => {
    const downlinks = Array.from({ length: 130 }, (_, n) => downlink(n));
    const { collector, telemetry, clock, complaints } = await exporting(silent, { downlinks });
    expect(await letPass(clock, telemetry.end())).toBeLessThanOrEqual(seconds(6));
    expect(complaints).toEqual([
      `telemetry for ${collector.url} was lost (3 of 3 batches of traces): no response within 5 s`,
    ]);
  });

  it('ends within a second after a Ctrl-C, also if that is pressed during the last export', async () => {
    const early = await exporting(silent);
    early.telemetry.interrupt();
    expect(await letPass(early.clock, early.telemetry.end())).toBeLessThanOrEqual(seconds(1.5));
    const late = await exporting(silent);
    const end = late.telemetry.end();
    await until(() => late.collector.requests.length === 1);
    late.telemetry.interrupt();
    expect(await letPass(late.clock, end)).toBeLessThanOrEqual(seconds(1.5));
  });

  it('is counted by traces and metrics, and reported once if it is lost at the end of a service', async () => {
    const { collector, telemetry, complaints } = await exporting(rejecting(400), {
      reportsAtOnce: true,
      metrics: true,
    });
    await telemetry.end();
    expect(complaints).toEqual([
      `telemetry for ${collector.url} was lost (1 of 1 batches of traces, 1 of 1 batches of metrics): the response has the status 400`,
    ]);
  });

  it.each([400, 404, 413])('is only that of the refused batch after status %i', async (status) => {
    let first = true;
    const answer = (response: ServerResponse) => {
      response.writeHead(first ? status : 200).end();
      first = false;
    };
    const downlinks = Array.from({ length: 130 }, (_, n) => downlink(n));
    const { collector, telemetry, complaints } = await exporting(answer, { downlinks });
    await telemetry.end();
    expect(collector.requests.length).toBe(3);
    expect(complaints).toEqual([
      `telemetry for ${collector.url} was lost (1 of 3 batches of traces): the response has the status ${status}`,
    ]);
  });

  it('has for each kind its own reason', async () => {
    const answer = (response: ServerResponse) =>
      response.writeHead(response.req.url?.endsWith('metrics') ? 404 : 413).end();
    const { collector, telemetry, complaints } = await exporting(answer, { metrics: true });
    await telemetry.end();
    const lost = `telemetry for ${collector.url} was lost`;
    expect(complaints).toEqual([
      `${lost} (1 of 1 batches of traces): the response has the status 413; ` +
        `${lost} (1 of 1 batches of metrics): the response has the status 404`,
    ]);
  });

  it('is only that of the traces if the collector takes the metrics', async () => {
    const answer = (response: ServerResponse) =>
      response.writeHead(response.req.url?.endsWith('metrics') ? 200 : 503).end();
    const { collector, clock, telemetry, complaints } = await exporting(answer, { metrics: true });
    await letPass(clock, telemetry.end());
    expect(complaints).toEqual([
      `telemetry for ${collector.url} was lost (1 of 1 batches of traces): the response has the status 503`,
    ]);
  });

  it('is only that of the metrics without a trace', async () => {
    const { collector, telemetry, complaints } = await exporting(rejecting(400), { downlinks: [], metrics: true });
    await telemetry.end();
    expect(complaints).toEqual([
      `telemetry for ${collector.url} was lost (1 of 1 batches of metrics): the response has the status 400`,
    ]);
  });

  it('is not reported again at the end if nothing else was lost', async () => {
    const { telemetry, clock, complaints } = await exporting(rejecting(400), { reportsAtOnce: true });
    await clock.runUntil(seconds(15));
    await until(() => complaints.length === 1);
    await telemetry.end();
    expect(complaints.length).toBe(1);
  });

  it('is reported once while a service goes on, and with the sum at its end', async () => {
    const { collector, telemetry, clock, complaints, waiting } = await exporting(rejecting(400), {
      reportsAtOnce: true,
    });
    await clock.runUntil(seconds(15));
    await until(() => complaints.length === 1);
    for (const count of [2, 3]) {
      waiting.push(downlink(count));
      await until(async () => {
        await clock.runUntil(clock.now + seconds(1));
        return collector.requests.length === count;
      });
    }
    expect(complaints.length).toBe(1);
    await telemetry.end();
    expect(complaints.at(-1)).toContain('(3 of 3 batches of traces)');
  });

  it('names the usual port if the address has that of gRPC', async () => {
    const { telemetry, clock, complaints } = await exporting(undefined, { url: 'http://me:s3crets@127.0.0.1:4317' });
    await letPass(clock, telemetry.end());
    expect(complaints).toEqual([
      'telemetry for http://127.0.0.1:4317 was lost (1 of 1 batches of traces): connection refused; OTLP over HTTP usually has port 4318, not 4317',
    ]);
  });

  it('is counted if its source fails', async () => {
    const take = (waiting: TracedDownlink[]) => {
      waiting.pop();
      throw new Error('the database does not answer');
    };
    const { collector, telemetry, complaints } = await exporting(undefined, { take });
    await telemetry.end();
    expect(complaints).toEqual([
      `telemetry for ${collector.url} was lost (1 of 1 batches of traces): the database does not answer`,
    ]);
  });

  it.each([
    ['an empty response', '', new Uint8Array(), []],
    ['a number', '', Uint8Array.of(0x0a, 2, 0x08, 2), ['refused 2 of the spans and data points']],
    [
      'a number and the reason',
      'application/x-protobuf',
      Uint8Array.of(0x0a, 9, 0x08, 1, 0x12, 5, ...Buffer.from('quota')),
      ['refused 1 of the spans and data points: "quota"'],
    ],
    [
      'JSON of a collector that received protobuf',
      'application/json; charset=utf-8',
      JSON.stringify({ partialSuccess: { rejectedSpans: '3', errorMessage: 'too\nold' } }),
      ['refused 3 of the spans and data points: "too\\nold"'],
    ],
    ['a number that is an object', 'application/json', '{"partialSuccess":{"rejectedSpans":{"toString":1}}}', []],
    ['a warning without refused items', 'application/json', '{"partialSuccess":{"errorMessage":"slow down"}}', []],
  ])('names the part of a batch that the collector refuses: %s', async (_, type, body, expected) => {
    const answer = (response: ServerResponse) =>
      response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body);
    const { collector, telemetry, complaints } = await exporting(answer);
    await telemetry.end();
    expect(complaints).toEqual(expected.map((words) => `${collector.url} ${words}`));
  });

  it.each([
    ['text/html; charset=utf-8', '<!doctype html><p>Sign in</p>', 'the response is not OTLP, but text/html'],
    ['text/plain', 'It works', 'the response is not OTLP, but text/plain'],
    ['application/json', '{"partialSuccess":', 'the response is not OTLP'],
    ['application/json', '"ok"', 'the response is not OTLP'],
    ['application/x-protobuf', '<!doctype html>', 'the response is not OTLP'],
  ])('includes what gets status 200 from something that is not a collector: %s', async (type, body, reason) => {
    const page = (response: ServerResponse) => response.writeHead(200, { 'content-type': type }).end(body);
    const { collector, telemetry, complaints } = await exporting(page);
    await telemetry.end();
    expect(complaints).toEqual([`telemetry for ${collector.url} was lost (1 of 1 batches of traces): ${reason}`]);
  });

  it('does not include traces that the user does not want', async () => {
    const { collector, telemetry, complaints } = await exporting(undefined, { env: { OTEL_TRACES_EXPORTER: 'none' } });
    await telemetry.end();
    expect([collector.requests, complaints]).toEqual([[], []]);
  });
});
