/** `ghostfleet run --metrics-push`: a Pushgateway receives the metrics, and its failures never fail the run. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { MetricsPush, pushAddress } from '../../src/cli/metrics-push.js';
import { seconds } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { defineScenario } from '../../src/library/scenario.js';
import { Metrics } from '../../src/trace/metrics/index.js';
import { ghostfleet } from '../support/host.js';
import { until } from '../support/until.js';

const directory = mkdtempSync(join(tmpdir(), 'gf-'));
afterAll(() => rmSync(directory, { recursive: true }));
const scenario = join(directory, 'short.yaml');
writeFileSync(scenario, 'name: short\nduration: 10m\nfleet: [{ name: clime, profile: clime, count: 2 }]\n');

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Pushed {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly authorization: string | undefined;
  readonly text: string;
}

/** A gateway and the pushes that it received. */
async function gateway(answer: (response: ServerResponse) => void = (response) => response.end()) {
  const pushes: Pushed[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += part;
    const { method, url: path, headers } = request;
    pushes.push({ method, path, type: headers['content-type'], authorization: headers.authorization, text });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  // The cast is safe because a server that listens on TCP has an address with a port.
  return { pushes, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const silent = () => {};
const refusing = (response: ServerResponse) => {
  response.statusCode = 503;
  response.end();
};

/** A MetricsPush of a run, on a clock that the test drives. */
function pushingTo(host: string) {
  const address = pushAddress(`http://${host}`);
  if (address === undefined) throw new Error('no address');
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const plan = defineScenario({ name: 'test', duration: '1h', fleet: [{ name: 'clime', profile: 'clime', count: 1 }] });
  const push = new MetricsPush({ address, plan, clock, complain: (sentence) => complaints.push(sentence) });
  push.follow({
    clock: new VirtualClock(),
    metrics: new Metrics(1),
    stop: () => {},
    evidence: () => {
      throw new Error('not used');
    },
    explainer: () => {
      throw new Error('not used');
    },
    causeOf: () => null,
  });
  closing.push(() => push.close());
  return { push, clock, complaints };
}

describe('ghostfleet run --metrics-push', () => {
  it('pushes the final metrics of the run, with its scenario and seed', async () => {
    const { pushes, host } = await gateway();
    const { exit, err } = await ghostfleet(['run', scenario, '--seed', '7', '--metrics-push', `http://${host}/`]);
    expect([exit, err]).toEqual([0, '']);
    expect(pushes.at(-1)).toMatchObject({
      method: 'PUT',
      path: '/metrics/job/ghostfleet/instance/short-7',
      type: 'text/plain; version=0.0.4; charset=utf-8',
      authorization: undefined,
      text: expect.stringContaining('ghostfleet_run_device_ready{scenario="short",seed="7"} 2\n'),
    });
  });

  it('authenticates with the user and password of the address, and keeps its path', async () => {
    const { pushes, host } = await gateway();
    await ghostfleet(['run', scenario, '--metrics-push', `http://me:s%40crets@${host}/push/`]);
    expect(pushes.at(-1)).toMatchObject({
      path: '/push/metrics/job/ghostfleet/instance/short-1',
      authorization: `Basic ${Buffer.from('me:s@crets').toString('base64')}`,
    });
  });

  it('warns and continues when no gateway listens, without showing the password', async () => {
    const out = join(directory, 'out');
    const flags = ['--metrics-push', 'http://me:s3crets@127.0.0.1:9', '--out', out];
    const run = await ghostfleet(['run', scenario, ...flags]);
    expect(run.exit).toBe(0);
    expect(run.err).toMatch(/^ghostfleet: cannot push metrics to http:\/\/127\.0\.0\.1:9: connection refused\n$/);
    const files = readdirSync(out).map((name) => readFileSync(join(out, name), 'utf8'));
    expect(files.length).toBeGreaterThan(5);
    expect([run.out, run.err, ...files].join('\n')).not.toMatch(/s3crets|bWU6czNjcmV0cw/);
  });

  it.each([
    '127.0.0.1:9091',
    'push.example',
    'ftp://push.example',
    'http://push.example/?token=s3crets',
    'http://me:s3crets%@push.example',
  ])('rejects %s', async (url) => {
    const { exit, err } = await ghostfleet(['run', scenario, '--metrics-push', url]);
    expect(err).toContain('--metrics-push (hidden) is not the address of a Pushgateway, such as http://127.0.0.1:9091');
    expect(err).not.toContain('s3crets');
    expect(exit).toBe(2);
  });
});

describe('pushed metrics', () => {
  it('are sent every 15 seconds while the run lasts', async () => {
    const { pushes, host } = await gateway();
    const { clock } = pushingTo(host);
    for (const count of [1, 2, 3]) {
      await clock.runUntil(seconds(15 * count));
      await until(() => pushes.length === count);
    }
  });

  it('cause one warning, however many pushes fail', async () => {
    const { pushes, host } = await gateway(refusing);
    const { clock, push, complaints } = pushingTo(host);
    await clock.runUntil(seconds(15));
    await until(() => pushes.length === 1 && complaints.length > 0);
    await push.pushLast();
    expect(pushes.length).toBe(2);
    expect(complaints).toEqual([`cannot push metrics to http://${host}: the response has the status 503`]);
  });

  it('time out after 5 seconds', async () => {
    const { pushes, host } = await gateway(silent);
    const { clock, push, complaints } = pushingTo(host);
    const last = push.pushLast();
    await until(() => pushes.length === 1);
    await clock.runUntil(seconds(5));
    await last;
    expect(complaints).toEqual([`cannot push metrics to http://${host}: no response within 5 s`]);
  });

  it('are aborted without a warning when the user interrupts the run', async () => {
    const { pushes, host } = await gateway(silent);
    const { push, complaints } = pushingTo(host);
    const last = push.pushLast();
    await until(() => pushes.length === 1);
    push.interrupt();
    await last;
    expect(complaints).toEqual([]);
  });

  it('of an interrupted run time out after 1 second', async () => {
    const { pushes, host } = await gateway(silent);
    const { clock, push, complaints } = pushingTo(host);
    push.interrupt();
    const last = push.pushLast();
    await until(() => pushes.length === 1);
    await clock.runUntil(seconds(1));
    await last;
    expect(complaints).toEqual([`cannot push metrics to http://${host}: no response within 1 s`]);
  });
});
