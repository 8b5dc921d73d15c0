/** Further tests beside compare.test.ts. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { directory, makeRuns, one, runLossy, scenario, slowDown } from './compare-support.js';

afterAll(() => rmSync(directory, { recursive: true }));

beforeAll(makeRuns);

describe('ghostfleet compare with several runs', () => {
  const [before, after, slow] = ['before', 'after', 'slow'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  beforeAll(async () => {
    await runLossy(before, 1);
    await runLossy(after, 11);
    cpSync(before, slow, { recursive: true });
    slowDown(slow, 3);
  });

  it('finds no difference between other seeds, and says what it could have shown', async () => {
    const { exit, out } = await ghostfleet(['compare', before, after]);
    expect(exit).toBe(0);
    expect(out).toContain(`A  ${before} · lossy · 4 runs, seeds 1 to 4`);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /no difference found; the smallest change that 4 runs on each side could have shown: from \d/,
    );
  });

  it.each([
    [['downlink.delivered p(50) > +10%'], 3, '✗ downlink.delivered p(50) > +10%: +'],
    [['downlink.delivered p(50) < -10%'], 0, '✓ downlink.delivered p(50) < -10%: +'],
    [
      ['call.latency p(95) > +10%'],
      4,
      '? call.latency p(95) > +10%: call.latency p(95) has no value above 0: API requests take no time in virtual',
    ],
    [['call.latency p(95) > +10%'], 4, ', 1 of 1 conditions not decided'],
  ])('decides by %j alone', async (lines, code, said) => {
    const flags = lines.flatMap((line) => ['--fail-if', line]);
    const { exit, out } = await ghostfleet(['compare', before, slow, ...flags]);
    expect([exit, out]).toEqual([code, expect.stringContaining(said)]);
  });

  it('reports all problems of --fail-if before it reads a run', async () => {
    const { exit, err } = await ghostfleet([
      'compare',
      'x',
      'y',
      '--fail-if',
      'a > 1%',
      '--fail-if',
      'call.latency > 5%',
    ]);
    expect(exit).toBe(2);
    expect(err).toMatch(/--fail-if "a > 1%": column 1: .*\n.*--fail-if "call.latency > 5%": column 1: .* needs a perc/);
  });

  it('rejects several runs on one side only', async () => {
    const { exit, err } = await ghostfleet(['compare', before, one]);
    expect(exit).toBe(2);
    expect(err).toContain(
      `"${before}" has 4 runs and "${one}" has 1 run to compare; expected one run on each side, or at`,
    );
  });

  it('does not count a run that this machine spoiled, and rejects a side of which too few runs are left', async () => {
    const spoiled = join(directory, 'spoiled');
    cpSync(after, spoiled, { recursive: true });
    const spoil = (seed: number) => {
      const path = join(spoiled, `seed-${seed}`, 'summary.json');
      const summary = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify({ ...summary, exitCode: 5, failure: 'the generator was slow' }));
    };
    spoil(12);
    const { out } = await ghostfleet(['compare', before, spoiled]);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('seed-12" does not count: the generator was slow');
    spoil(13);
    const { exit, err } = await ghostfleet(['compare', before, spoiled]);
    expect([exit, err]).toEqual([2, expect.stringContaining(`and "${spoiled}" has 2 runs to compare`)]);
  });

  it('names a run of several that has no summary', async () => {
    const partial = join(directory, 'partial');
    cpSync(after, partial, { recursive: true });
    rmSync(join(partial, 'seed-13', 'summary.json'));
    const { exit, err } = await ghostfleet(['compare', before, partial]);
    expect([exit, err]).toEqual([2, expect.stringContaining('seed-13" has no summary.json: it is in progress')]);
  });
});

describe('ghostfleet run --metrics-port', () => {
  it('serves the metrics during the run only, and not to foreign hosts', async () => {
    const short = join(directory, 'short.yaml');
    writeFileSync(short, 'name: short\nduration: 4m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/metrics`;
    const run = ghostfleet(['run', short, '--clock', 'real', '--speed', '100', '--metrics-port', String(port)]);
    let text = '';
    let over = false;
    void run.finally(() => {
      over = true;
    });
    const foreign = { status: 0 };
    const others: number[] = [];
    while (!over && !text.includes('ghostfleet_run_simulated_seconds')) {
      text = await scrape(url);
      foreign.status ||= await statusFor(port, 'attacker.example');
      if (others.length > 0 || !text.includes('ghostfleet_run')) continue;
      const answers = [
        fetch(url, { method: 'HEAD' }),
        fetch(`${url}?x=1`),
        fetch(url, { method: 'POST' }),
        fetch(`${url}/x`),
      ];
      others.push(...(await Promise.all(answers)).map(({ status }) => status));
    }
    expect(foreign.status).toBe(403);
    expect(others).toEqual([200, 200, 405, 404]);
    expect(text).toContain('ghostfleet_run_fleet_devices{scenario="short",seed="1"} 1\n');
    const { exit, err } = await run;
    expect([exit, err]).toEqual([0, expect.stringContaining(`metrics at ${url}`)]);
    expect(await scrape(url)).toBe('');
  });

  it('rejects a port that another process uses', async () => {
    const { server: taken, port } = await listening();
    const { exit, err } = await ghostfleet(['run', scenario, '--metrics-port', String(port)]);
    taken.close();
    expect(err).toContain(`cannot open --metrics-port ${port} on "127.0.0.1": another process uses it`);
    expect(exit).toBe(2);
  });

  it('rejects an invalid port', async () => {
    const { exit, err } = await ghostfleet(['run', scenario, '--metrics-port', '70000']);
    expect(err).toContain('--metrics-port "70000" is not a port number');
    expect(exit).toBe(2);
  });
});

/** The status of the answer to a request with this header `Host`; 0 without an answer. */
function statusFor(port: number, host: string): Promise<number> {
  return new Promise((resolve) => {
    get({ port, host: '127.0.0.1', path: '/metrics', headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    }).on('error', () => resolve(0));
  });
}

/** The metrics at this address; an empty text without an answer. */
async function scrape(url: string): Promise<string> {
  return fetch(url).then(
    (response) => response.text(),
    () => '',
  );
}

async function freePort(): Promise<number> {
  const { server, port } = await listening();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a server that listens on TCP has an address with a port.
  return { server, port: (server.address() as AddressInfo).port };
}
