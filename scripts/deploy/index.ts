/**
 * `npm run deploy:check [-- manifests image]`: checks the deployment as far as that is possible without a cluster and a
 * container engine. It composes and checks the manifests, and starts the built program with the arguments of the manifests on a
 * PostgreSQL server, with the rights of a container. docs/DEPLOY.md lists what these checks do not show.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DeviceCloudClient } from '../../src/client/client.js';
import { startPostgres } from '../../test/support/postgres/server.js';
import { runByName, type Verdict } from '../support/proof.js';
import { UdpDevice } from '../support/udp-device.js';
import { assembleImage, type Image } from './image.js';
import { type Container, FOLDER, formProblems, type Manifest, manifestsIn, rulesBroken } from './manifests.js';
import { rightsIn, runIn, startIn } from './sandbox.js';

const SERIAL = 2_159_017_985;
const TOKEN = SERIAL.toString(16).padStart(32, '0');
/** Contents of the secret "ghostfleet" that the manifests refer to. */
const SECRETS = { GHOSTFLEET_API_KEY: 'deploy-check-key', GHOSTFLEET_SECRETS_KEY: '5'.repeat(64) };
const NAMESPACE = 'fleet';

await runByName('check', [
  { name: 'manifests', run: async () => manifests() },
  { name: 'image', run: image },
]);

function manifests(): readonly Verdict[] {
  const composed = compose();
  if (typeof composed === 'string') return [{ what: 'the manifests are composed', held: false, detail: composed }];
  const problems = [...formProblems(composed), ...rulesBroken(composed)];
  for (const problem of problems) console.log(`     ${problem}`);
  const kinds = composed.map(({ kind }) => kind).join(', ');
  return [{ what: 'the manifests are composed and valid', held: problems.length === 0, detail: kinds }];
}

/** The resources of the example, or the reason for a failure. */
function compose(): readonly Manifest[] | string {
  const { status, stdout, stderr, error } = spawnSync('kubectl', ['kustomize', join(FOLDER, 'example')], {
    encoding: 'utf8',
  });
  if (error) return `kubectl does not start: ${error.message}`;
  return status === 0 ? manifestsIn(stdout) : stderr;
}

async function image(): Promise<readonly Verdict[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-image-'));
  try {
    const built = assembleImage(folder);
    // The user of the image must be able to read the folder.
    chmodSync(folder, 0o755);
    const rights = rightsIn(built);
    const scenario = runIn(built, ['run', 'scenarios/first-fleet.yaml']);
    return [
      {
        what: 'the program has no capabilities and no writable folder, as the manifests demand',
        held: /^user \d+, capabilities none$/.test(rights),
        detail: rights,
      },
      {
        what: 'a scenario runs in the sandbox',
        held: scenario.exit === 0,
        detail: scenario.out.trim().split('\n').at(-2) ?? 'no output',
      },
      ...(await service(built)),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts the service with the arguments of the Deployment, on free ports. */
async function service(built: Image): Promise<readonly Verdict[]> {
  const composed = compose();
  const container = typeof composed === 'string' ? undefined : containerOf(composed);
  if (container === undefined) return [{ what: 'the service starts', held: false, detail: 'no manifests, see above' }];
  const postgres = await startPostgres();
  try {
    const args = argumentsOf(container).map((arg) => arg.replace(/^(--(?:udp-|udp-raw-)?port)=\d+$/, '$1=0'));
    const child = startIn(built, [...args, '--json'], { ...SECRETS, GHOSTFLEET_DB: postgres.url });
    let log = '';
    child.stderr?.on('data', (text) => {
      log += text;
    });
    const hello = await firstLine(child.stdout);
    if (hello === undefined) return [{ what: 'the service starts', held: false, detail: log }];
    const { api, udp, spaceId } = JSON.parse(hello);
    const states = await Promise.all(['/healthz', '/readyz'].map(async (path) => (await fetch(api + path)).status));
    const acknowledged = await oneUplink(api, udp, spaceId);
    const began = performance.now();
    child.kill('SIGTERM');
    const [exit] = await once(child, 'exit');
    const took = Math.round(performance.now() - began);
    return [
      {
        what: 'the service of the manifests is alive and ready',
        held: states.every((status) => status === 200),
        detail: `/healthz ${states[0]}, /readyz ${states[1]}`,
      },
      {
        what: 'the service stores an uplink',
        held: acknowledged === 1,
        detail: `${acknowledged} acknowledged over UDP`,
      },
      {
        what: 'the service ends with exit code 0 after SIGTERM',
        held: exit === 0,
        detail: `exit code ${exit} after ${took} ms`,
      },
    ];
  } finally {
    await postgres.stop();
  }
}

function containerOf(composed: readonly Manifest[]): Container | undefined {
  return composed.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.containers[0];
}

/** The arguments with the values of their variables, as Kubernetes passes them. */
function argumentsOf({ args, env = [] }: Container): readonly string[] {
  const values = new Map([['NAMESPACE', NAMESPACE]]);
  const filled = (text: string) => text.replace(/\$\((\w+)\)/g, (all, name) => values.get(name) ?? all);
  for (const { name, value } of env) if (value !== undefined) values.set(name, filled(value));
  return args.map(filled);
}

async function firstLine(stream: NodeJS.ReadableStream | null): Promise<string | undefined> {
  if (stream === null) return undefined;
  for await (const line of createInterface({ input: stream })) return line;
  return undefined;
}

/**
 * Registers a device that sends a message. Returns the number of acknowledged messages, or -1 if the service has stored another
 * number.
 */
async function oneUplink(api: string, udp: number, spaceId: string): Promise<number> {
  const client = new DeviceCloudClient({ baseUrl: api, apiKey: SECRETS.GHOSTFLEET_API_KEY, spaceId });
  await client.createDevice({ name: 'deployed', serial_number: String(SERIAL), token: TOKEN });
  const device = new UdpDevice(SERIAL, TOKEN);
  const ended = device.run([udp]);
  device.stop();
  await ended;
  const stored = await client.messages({ direction: 'up', limit: 10 });
  await client.close();
  return stored.length === device.acknowledged ? device.acknowledged : -1;
}
