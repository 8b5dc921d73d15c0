/** Further tests beside otlp.test.ts. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/report/result.js';
import { type Collector, openCollector } from '../support/collector.js';
import { ghostfleet, type Outcome } from '../support/host.js';
import { closing, directory, run, SIMULATED, scenario, tiny } from './otlp-support.js';

afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => {
  for (const collector of closing.splice(0)) collector.close();
});

async function collectorWith(answer?: Parameters<typeof openCollector>[0]): Promise<Collector> {
  const collector = await openCollector(answer);
  closing.push(collector);
  return collector;
}

describe('the telemetry of a run', () => {
  let outcome: Outcome;
  let result: RunResult;
  beforeAll(async () => {
    const collector = await openCollector();
    outcome = await run(scenario, collector.url);
    result = JSON.parse(outcome.out);
    collector.close();
  });

  it('does not change the run', async () => {
    const { out } = await ghostfleet(['run', scenario, '--seed', '7', '--json']);
    const plain: RunResult = JSON.parse(out);
    expect([outcome.exit, outcome.err]).toEqual([0, SIMULATED]);
    expect(result.digest).toBe(plain.digest);
    expect({ ...result, wallMs: 0 }).toEqual({ ...plain, wallMs: 0 });
  });
});

describe('a run whose collector fails', () => {
  it('has the same result when the collector rejects telemetry', async () => {
    const { url } = await collectorWith((response) => response.writeHead(400).end());
    const { exit, err } = await run(tiny, url);
    expect(exit).toBe(0);
    expect(err).toBe(
      `${SIMULATED}ghostfleet: telemetry for ${url} was lost (1 of 1 batches of traces, 1 of 1 batches of metrics): the response has the status 400\n`,
    );
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
