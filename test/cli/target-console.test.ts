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
let service: Service;

beforeAll(async () => {
  writeFileSync(file, 'name: one\nduration: 10s\nsettle: 1s\nfleet: [{ name: clime, profile: clime, count: 1 }]\n');
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

it('a run against a cloud without the history that the pages need has no console, and says why', async () => {
  const rejects = (_: string, path: string) => (path.endsWith('/history') ? { status: 404, retryAfter: 1 } : undefined);
  const proxy = await lyingProxy(service.api, { rejects });
  const { err } = await runAt(proxy.url);
  expect(err).toContain(`note: the run has no web console, because ${proxy.url} keeps no history of the space\n`);
  expect(err).not.toContain('console at');
  await proxy.close();
});
