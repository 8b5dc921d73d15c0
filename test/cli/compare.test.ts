/** `ghostfleet compare`, the files of a run, and its live metrics, as their user sees them. */
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-compare-'));
afterAll(() => rmSync(directory, { recursive: true }));

const scenario = join(directory, 'small.yaml');
const [one, two] = [join(directory, 'one'), join(directory, 'two')];

beforeAll(async () => {
  writeFileSync(
    scenario,
    'name: small\nduration: 40m\nfleet: [{ name: clime, profile: clime, count: 30 }]\nsteps: [{ at: 5m, commands: [info show] }]\n',
  );
  await ghostfleet(['run', scenario, '--seed', '1', '--out', one]);
  await ghostfleet(['run', scenario, '--seed', '2', '--out', two]);
});

describe('ghostfleet run --out', () => {
  it('writes every kind of report', () => {
    expect(readdirSync(one)).toEqual([
      ...['downlinks.csv', 'events.jsonl', 'junit.xml', 'report.html', 'report.txt', 'series.csv', 'summary.json'],
    ]);
    expect(readFileSync(join(one, 'downlinks.csv'), 'utf8').split('\r\n')).toHaveLength(32);
    expect(readFileSync(join(one, 'report.html'), 'utf8')).toContain('<h1>small</h1>');
  });
});

describe('ghostfleet compare', () => {
  it('finds no difference between two seeds, given directories or files', async () => {
    const { exit, out } = await ghostfleet(['compare', one, join(two, 'summary.json')]);
    expect(out).toContain('no difference found; the smallest change that would have shown: ');
    expect(exit).toBe(0);
  });

  it('ends with exit code 3 when a number differs', async () => {
    const changed = join(directory, 'changed.json');
    const summary = JSON.parse(readFileSync(join(two, 'summary.json'), 'utf8'));
    summary.samples.counts['uplink.stored'] = summary.samples.counts['uplink.stored'].map((n: number) => n * 4);
    writeFileSync(changed, JSON.stringify(summary));
    const { exit, out } = await ghostfleet(['compare', one, changed]);
    expect(out).toMatch(/different: uplink\.stored \+\d+\.\d% \(more\)/);
    expect(exit).toBe(3);
  });

  it('prints JSON, and writes a page', async () => {
    const file = join(directory, 'comparison.html');
    const { exit, out } = await ghostfleet(['compare', one, two, '--json', '--html', file]);
    const { different, metrics } = JSON.parse(out);
    expect([exit, different]).toEqual([0, false]);
    expect(metrics.length).toBeGreaterThan(5);
    expect(readFileSync(file, 'utf8')).toContain('<span class="verdict open">no difference found</span>');
  });

  it('rejects a folder whose reports and events are of different runs', async () => {
    const mixed = join(directory, 'mixed');
    cpSync(one, mixed, { recursive: true });
    copyFileSync(join(two, 'events.jsonl'), join(mixed, 'events.jsonl'));
    for (const path of [mixed, join(mixed, 'summary.json')]) {
      const { exit, err } = await ghostfleet(['compare', path, two]);
      expect(exit).toBe(2);
      expect(err).toContain(`the summary and the events of "${path}" are of different runs: their digests are `);
    }
    rmSync(join(mixed, 'events.jsonl'));
    expect((await ghostfleet(['compare', mixed, two])).exit).toBe(0);
  });

  it('rejects runs of a scenario that was changed between them, unless --force is given', async () => {
    const other = join(directory, 'other');
    writeFileSync(scenario, readFileSync(scenario, 'utf8').replace('40m', '41m'));
    await ghostfleet(['run', scenario, '--out', other]);
    const refused = await ghostfleet(['compare', one, other]);
    expect([refused.exit, refused.out]).toEqual([2, '']);
    expect(refused.err).toContain('the scenario "small" was changed between the runs');
    const forced = await ghostfleet(['compare', one, other, '--force']);
    expect(forced.out).toContain('! the scenario "small" was changed between the runs');
  });

  it.each([
    ['nowhere', 'cannot be read: the file does not exist'],
    [directory, 'summary.json" cannot be read'],
  ])('reports why the run %s cannot be read', async (path, complaint) => {
    const { exit, err } = await ghostfleet(['compare', path, one]);
    expect(err).toContain(complaint);
    expect(exit).toBe(2);
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
