/** The package as a library: scenario files and the service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DeviceCloudClient, InputError, readScenario, run, startService, UsageError } from '../../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'gf-library-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The path of a new scenario file. */
function scenarioFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('readScenario', () => {
  const text = `name: short
vars: { n: 1 }
duration: 10m
fleet: [{ name: clime, profile: clime, count: "\${n}" }]
`;

  it('plans a file with the given seed and variables', async () => {
    const file = scenarioFile('short.yaml', text);
    const plan = readScenario(file, { seed: 7, vars: new Map([['n', '2']]) });
    const result = await run(plan);
    expect([plan.seed, plan.devices.length, result.passed]).toEqual([7, 2, true]);
  });

  it('rejects an invalid file with line and column', () => {
    const file = scenarioFile('wrong.yaml', 'name: wrong\nduration: soon\nfleet: []\n');
    expect(() => readScenario(file)).toThrow(InputError);
    expect(() => readScenario(file)).toThrow(`${file}:2:11`);
  });

  it('rejects a file that does not exist', () => {
    expect(() => readScenario(join(folder, 'missing.yaml'))).toThrow(UsageError);
  });
});

describe('startService', () => {
  it('serves an empty space in memory on free ports if it has no options', async () => {
    const service = await startService();
    const client = new DeviceCloudClient({
      baseUrl: service.api,
      apiKey: service.apiKey ?? '',
      spaceId: service.spaceId,
    });
    try {
      expect(await client.devices()).toEqual([]);
      expect(service.udp).toBeGreaterThan(0);
      expect(service.udpRaw).toBeGreaterThan(0);
    } finally {
      await client.close();
      await service.close();
    }
  });

  it('answers only under local names, IP addresses and the allowed host names, so that web pages cannot reach it', async () => {
    const service = await startService({ allowedHosts: ['Cloud.Test'] });
    const statusFor = (host: string) =>
      new Promise((resolve, reject) => {
        get(`${service.api}/v2/spaces`, { headers: { host, 'x-api-key': String(service.apiKey) } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).on('error', reject);
      });
    const hosts = ['localhost:80', '127.0.0.1', 'cloud.test:8080', 'evil.example'];
    expect(await Promise.all(hosts.map(statusFor))).toEqual([200, 200, 200, 403]);
    await service.close();
  });
});
