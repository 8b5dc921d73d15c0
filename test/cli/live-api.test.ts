/** A run in real time: its API can be used while it lasts. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { until } from '../support/until.js';

const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-live-'));
afterAll(() => rmSync(folder, { recursive: true }));

const scenario = join(folder, 'live.yaml');
writeFileSync(scenario, 'name: live\nduration: 20h\nfleet: [{ name: clime, profile: clime, count: 2 }]\n');

it('run --clock real prints where its API is and where the key is, and deletes the key at the end', async () => {
  let seen = '';
  let ended = () => {};
  const visited = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const running = ghostfleet(['run', scenario, '--clock', 'real'], {
    interruptWhen: visited,
    watch: (err) => {
      seen = err;
    },
  });
  try {
    await until(() => /its key in .*\n/.test(seen));
    const [, address = '', file = ''] = /^API at (\S+), its key in (.*)\n/m.exec(seen) ?? [];
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = readFileSync(file, 'utf8').trim();
    expect(seen).not.toContain(key);
    const devices = async (): Promise<unknown> =>
      (await fetch(`${address}/devices`, { headers: { 'x-api-key': key } })).json();
    await until(async () => JSON.stringify(await devices()).includes('clime-0002'));
    ended();
    expect((await running).exit).toBe(130);
    expect(existsSync(file)).toBe(false);
  } finally {
    ended();
    await running;
  }
});

it('a run in real time has no time travel: its console cannot go back', async () => {
  const passed: string[] = [];
  const visit = async (link: string) => {
    const { origin, hash } = new URL(link);
    const headers = { origin, 'content-type': 'application/json' };
    const body = JSON.stringify({ token: hash.replace('#token=', '') });
    const { headers: given } = await fetch(`${origin}/console/session`, { method: 'POST', headers, body });
    const cookie = given.get('set-cookie')?.split(';')[0] ?? '';
    const answer = await fetch(`${origin}/run/past`, { headers: { origin, cookie } });
    passed.push(`${answer.status} ${await answer.text()}`);
  };
  let end = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    end = resolve;
  });
  let visiting: Promise<void> | undefined;
  const watch = (err: string) => {
    const [, link] = /console at (\S+)/.exec(err) ?? [];
    if (link !== undefined) visiting ??= visit(link).finally(end);
  };
  await ghostfleet(['run', scenario, '--clock', 'real'], { interruptWhen, watch });
  await visiting;
  expect(passed).toEqual([expect.stringMatching(/^409 .*time travel needs virtual time/)]);
});

it('a run in virtual time prints no address', async () => {
  const { err } = await ghostfleet(['run', scenario]);
  expect(err).not.toContain('API at');
});
