/** The names of recorded devices: in a file of their own, and in explanations of a real space. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startDevice, startService, virtualTime } from '../../src/index.js';
import { ghostfleet } from '../support/host.js';

const folder = mkdtempSync(join(tmpdir(), 'gf-names-'));
const path = (name: string) => join(folder, name);
let service: Service;
let serial = '';
let of: readonly string[] = [];

beforeAll(async () => {
  const time = virtualTime({ start: new Date(Date.now() - 3 * 3_600_000) });
  service = await startService({ time });
  const device = await startDevice({ profile: 'clime', service, name: 'cellar "wet", 1' });
  await startDevice({ profile: 'clime', service, name: 'attic' });
  serial = String(device.serial);
  await time.advance('1h');
  await service.client.sendCommands(device.id, ['info show']);
  await time.advance('1h45m');
  of = ['--target', service.api, '--api-key', service.apiKey ?? ''];
  const recorded = await ghostfleet([
    'record',
    ...of,
    '--rate',
    '1000',
    '--out',
    path('a.jsonl'),
    '--names',
    path('n.json'),
  ]);
  expect(recorded).toMatchObject({ exit: 0 });
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

describe('record --names', () => {
  it('writes the names to a file that only its owner can read, and not to the recording', () => {
    const names = JSON.parse(readFileSync(path('n.json'), 'utf8'));
    expect(Object.values(names)).toContainEqual({ name: 'cellar "wet", 1', serial });
    if (process.platform !== 'win32') expect(statSync(path('n.json')).mode & 0o077).toBe(0);
    const file = readFileSync(path('a.jsonl'), 'utf8');
    for (const secret of ['cellar', 'attic', serial]) expect(file).not.toContain(secret);
  });

  it('refuses the file of the recording', async () => {
    const { exit, err } = await ghostfleet(['record', ...of, '--out', path('b'), '--names', `${folder}/./b`]);
    expect([exit, err]).toEqual([2, expect.stringContaining('--out and --names name the same file')]);
  });
});

describe('explain', () => {
  const pseudonym = () => {
    const names: Record<string, { readonly serial: string }> = JSON.parse(readFileSync(path('n.json'), 'utf8'));
    return Object.entries(names).find(([, each]) => each.serial === serial)?.[0] ?? '';
  };

  it('finds a device of a recording by its name, serial number or pseudonym, and calls it by its name', async () => {
    for (const what of ['cellar "wet", 1', serial, pseudonym()]) {
      const { exit, out } = await ghostfleet(['explain', path('a.jsonl'), what, '--names', path('n.json')]);
      expect([exit, out]).toEqual([0, expect.stringContaining('cellar "wet", 1')]);
    }
    const without = await ghostfleet(['explain', path('a.jsonl'), 'attic']);
    expect([without.exit, without.err]).toEqual([2, expect.stringContaining('or give --names')]);
  });

  it('explains the downlinks of a device of a real space, by its name', async () => {
    const [named, slowest] = await Promise.all([
      ghostfleet(['explain', 'cellar "wet", 1', ...of]),
      ghostfleet(['explain', ...of, '--slowest', '1', '--json']),
    ]);
    expect(named).toMatchObject({ exit: 0, out: expect.stringContaining('cellar "wet", 1') });
    expect(JSON.parse(slowest.out).downlinks).toMatchObject([{ device: 'cellar "wet", 1' }]);
  });

  it.each([
    [[], 'give a run or a recording, or --target'],
    [['a.jsonl', '--space', 'x'], '--space requires --target'],
    [['a.jsonl', 'd1', '--target', 'http://127.0.0.1:1'], 'use either --target'],
  ])('with %j reports the problem', async (flags, problem) => {
    const { exit, err } = await ghostfleet(['explain', ...flags]);
    expect([exit, err]).toEqual([2, expect.stringContaining(problem)]);
  });

  it('reports all problems of a file with names, with their places', async () => {
    writeFileSync(path('bad.json'), '{\n  "d1": { "name": "a", "serial": "x" },\n  "d2": "b"\n}\n');
    const { exit, err } = await ghostfleet(['explain', path('a.jsonl'), '--names', path('bad.json')]);
    expect(exit).toBe(2);
    expect(err).toMatch(/bad\.json:2:\d+: .*serial number/);
    expect(err).toMatch(/bad\.json:3:\d+: /);
  });
});
