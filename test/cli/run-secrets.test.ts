/** The folder of a run, which users keep and pass on, contains no secret in clear. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../src/cloud/open-store.js';
import { startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { foundIn } from '../cloud/store/planted.js';
import { QUIET } from '../support/cloud.js';
import { ghostfleet } from '../support/host.js';

const SCENARIO = `
name: guarded
duration: 2h
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 900 } }]
setup:
  - tag: { name: all }
  - variable: { name: password, value: VARIABLE-5f1c, secure: true }
  - connector: { name: out, tags: [all], triggers: [data], script: "function main() { return null; /* HEADER-88aa */ }" }
steps:
  - { at: 10m, commands: [info show, ble config passkey 914207, ble config show] }
expect: [uplink.stored >= 1]
`;

it('a run writes no secret in clear to its folder, not even to its database, and only the owner may read the folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-guarded-'));
  try {
    const file = join(folder, 'guarded.yaml');
    writeFileSync(file, SCENARIO);
    const out = join(folder, 'run');
    const { exit, err } = await ghostfleet(['run', file, '--store', 'sqlite', '--out', out]);
    expect(exit, err).toBe(0);
    const store = await openStore(join(out, 'cloud.db'));
    const [space] = await store.spaces({ limit: 1 });
    const spaceId = space?.id ?? '';
    const listed = await store.devices(spaceId, { limit: 9, sortBy: 'id', order: 'asc' });
    // Devices in a list have no claim tokens, so each is also read by its id.
    const ids = Array.isArray(listed) ? listed.map(({ id }) => id) : [];
    const devices = await Promise.all(ids.map((id) => store.device(spaceId, id)));
    const answers = await store.messages(spaceId, { limit: 9, types: ['shell'], direction: 'up' });
    const variables = await store.records('variable', spaceId, { limit: 9 });
    await store.close();
    expect(JSON.stringify(answers)).toContain('914207');
    expect(JSON.stringify(variables)).toContain('VARIABLE-5f1c');
    const tokens = devices.map((device, n) => [`token ${n}`, device?.token ?? '']);
    expect(tokens.map(([, token]) => token?.length)).toEqual([32, 32]);
    const secrets = {
      ...Object.fromEntries(tokens),
      passkey: '914207',
      variable: 'VARIABLE-5f1c',
      header: 'HEADER-88aa',
    };
    expect(foundIn(out, secrets)).toEqual([]);
    const modes = ['.', 'cloud.db', 'cloud.db-key'].map((name) => statSync(join(out, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a run against a target shows no password, token or secret variable in any of its outputs, and sends the password', async () => {
  const seen = new Set<string | undefined>();
  const service = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: 'KEY-77aa', log: QUIET },
    ...{ clock: new RealClock(), random: seededRandom('service'), trace: { emit: () => {} } },
  });
  const proxy = createServer((request, response) => {
    seen.add(request.headers.authorization);
    const { method, headers, url } = request;
    const through = httpRequest(service.api + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(through);
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-planted-'));
  try {
    const file = join(folder, 'planted.yaml');
    writeFileSync(
      file,
      `
name: planted
duration: 1s
settle: 1s
vars: { hook: none, link: none }
fleet: [{ name: clime, profile: clime, count: 1, boot: { over: 1s } }]
setup:
  - variable: { name: hook, value: "\${hook}", secure: true }
  - variable: { name: link, value: "\${link}" }
expect: [uplink.stored >= 1]
`,
    );
    const secrets = {
      password: 'PASSWORD-5f1c',
      variable: 'HOOK-88aa',
      token: 'TOKEN-31be',
      key: 'KEY-77aa',
    };
    const { port } = proxy.address() as AddressInfo;
    const out = join(folder, 'run');
    const words = ['run', file, '--target', `http://bob:PASSWORD-5f1c@127.0.0.1:${port}/v2`, '--api-key', 'KEY-77aa'];
    words.push('--udp', '127.0.0.1:9', '--speed', '60', '--out', out);
    words.push(
      '--var',
      'hook=https://hooks.example/T00/HOOK-88aa',
      '--var',
      'link=https://x.example/?token=TOKEN-31be',
    );
    const texts = await ghostfleet(words);
    expect(readFileSync(join(out, 'report.txt'), 'utf8')).toContain(`--target 'http://***@127.0.0.1:${port}/v2'`);
    expect(foundIn(out, secrets)).toEqual([]);
    for (const [name, secret] of Object.entries(secrets)) expect(texts.out + texts.err, name).not.toContain(secret);
    expect([...seen]).toEqual([`Basic ${Buffer.from('bob:PASSWORD-5f1c').toString('base64')}`]);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await service.close();
    rmSync(folder, { recursive: true });
  }
});

/** What a run of a device prints, on one line and without quotation marks. @param more keys of its scenario */
async function printedBy(more: string, variable: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-secrets-'));
  const file = join(folder, 'x.yaml');
  const fleet = 'fleet: [{ name: clime, profile: clime, count: 1, boot: { over: 1s } }]';
  writeFileSync(file, `name: x\nduration: 1m\n${fleet}\n${more}\n`);
  const { out, err } = await ghostfleet(['run', file, '--var', variable]);
  rmSync(folder, { recursive: true });
  return err + out.replaceAll("'", '').replaceAll('\n', ' ');
}

it.each([
  [`variable: { name: hook, value: "\${hook}", secure: true }`, '--var hook=***'],
  [`variable: { name: hook, value: "x\${hook}y", secure: true }`, '--var hook=***'],
  [`variable: { name: hook, value: "\${outer}", secure: true }`, '--var hook=***'],
  ['variable: { name: hook, value: a1b, secure: true }', '--var hook=1'],
  [`variable: { name: hook, value: "\${hook}", secure: false }`, '--var hook=1'],
  [
    `connector: { name: c, triggers: [data], script: "function main(job) { const key = \${hook}; return null }" }`,
    '--var hook=1',
  ],
])('a variable is masked in the command of the report exactly if it is in a secret: %s', async (setup, shown) => {
  const vars = `vars: { hook: none, outer: "\${hook}" }`;
  expect(await printedBy(`${vars}\nsetup: [{ ${setup} }]`, 'hook=1')).toContain(`${shown} `);
});

it.each([
  [`app config x-password \${hook}`, '***'],
  [`lora config appkey \${hook}`, '***'],
  [`app config interval-report \${hook}`, '600'],
])('a variable in the shell line "%s" is shown as %s', async (line, shown) => {
  const steps = `steps: [{ at: 30s, unknown: true, commands: ["${line}"] }]`;
  expect(await printedBy(`vars: { hook: "60" }\n${steps}`, 'hook=600')).toContain(`--var hook=${shown}`);
});

it.each([
  ['http://bob:PASSWORD-5f1c@127.0.0.1:1', 'http://***@127.0.0.1:1 is not usable'],
  ['bad://bob:PASSWORD-5f1c@host', '"bad://***@host" is not an address'],
  ['http://bob:PASS/WORD-5f1c@host', '"http://***@host" is not an address'],
  ['http://127.0.0.1:1/?token=WORD-5f1c', '"http://127.0.0.1:1/?token=***" must not have a query'],
])('the message about the target %s does not repeat its secret', async (target, message) => {
  const { exit, out, err } = await ghostfleet(['run', 'demo', '--target', target, '--api-key', 'k']);
  expect([exit, err]).toEqual([2, expect.stringContaining(message)]);
  expect(out + err).not.toContain('WORD-5f1c');
});
