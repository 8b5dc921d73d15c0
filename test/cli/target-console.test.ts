/** Whether `ghostfleet run --target` has a web console. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../src/index.js';
import { ghostfleet } from '../support/host.js';
import { lyingProxy } from '../support/lying-proxy.js';

const folder = mkdtempSync(join(tmpdir(), 'gf-target-'));
const file = join(folder, 'one.yaml');
const long = join(folder, 'long.yaml');
let service: Service;

beforeAll(async () => {
  writeFileSync(file, 'name: one\nduration: 10s\nsettle: 1s\nfleet: [{ name: clime, profile: clime, count: 1 }]\n');
  writeFileSync(long, 'name: long\nduration: 10m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n');
  service = await startService();
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const runAt = (target: string) =>
  ghostfleet(['run', file, '--target', target, '--api-key', service.apiKey ?? '', '--link', 'http', '--speed', '100']);

it('a run against another cloud prints the address of its console, and neither the key nor an address of an API', async () => {
  const { err } = await runAt(service.api);
  expect(err).toMatch(/^console at http:\/\/127\.0\.0\.1:\d+\/#token=\S+ \(opens once, within 10 minutes\)$/m);
  expect(err).not.toContain('API at');
  expect(err).not.toContain(String(service.apiKey));
});

it('a run against a cloud without the history that most pages need has a console, whose state says so', async () => {
  const rejects = (_: string, path: string) => (path.endsWith('/history') ? { status: 404, retryAfter: 1 } : undefined);
  const proxy = await lyingProxy(service.api, { rejects });
  for (const [target, hasHistory] of [
    [proxy.url, false],
    [service.api, true],
  ] as const) {
    expect(await stateAt(target)).toMatchObject({ target, has_history: hasHistory });
  }
  await proxy.close();
});

/** The state that the console of a run against a cloud reads. */
async function stateAt(target: string): Promise<unknown> {
  let interrupt = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    interrupt = resolve;
  });
  let ended: Promise<unknown> | undefined;
  const link = await new Promise<string>((resolve) => {
    ended = ghostfleet(['run', long, '--target', target, '--api-key', service.apiKey ?? '', '--link', 'http'], {
      interruptWhen,
      watch: (text) => {
        const [, found] = /console at (\S+)/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      },
    });
  });
  const { origin, hash } = new URL(link);
  const [, token] = hash.split('=');
  const headers = { origin, 'content-type': 'application/json' };
  const opened = await fetch(`${origin}/console/session`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const state = await (await fetch(`${origin}/run`, { headers: { cookie } })).json();
  interrupt();
  await ended;
  return state;
}
