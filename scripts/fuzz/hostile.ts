/**
 * Commands that read what others wrote: `run`, `record` and `clean` with a server that answers anything, and `explain`, `what-if`,
 * `compare`, `runs`, `diverge` and `clean` with a folder of a run that anyone could have changed. A command may fail, but not
 * with an internal error, and its output has no control characters.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceCloudClient } from '../../src/client/client.js';
import { type Service, startService } from '../../src/cloud/service.js';
import { type Draws, integerBetween, seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { ghostfleet, type Outcome } from '../../test/support/host.js';
import { mutatedJson, mutatedLines } from './json.js';

const KEY = 'a-key-for-a-hostile-target';
const SCENARIO = `name: hostile
duration: 1s
settle: 1s
fleet: [{ name: clime, profile: clime, count: 1, tags: [cold] }]
setup: [{ variable: { name: url, value: x } }]
`;

/** A run with downlinks and a fault, whose folder is changed. */
const WHOLE = `name: whole
duration: 2h
fleet: [{ name: clime, profile: clime, count: 2 }]
steps: [{ at: 20m, to: clime, commands: [info show] }, { at: 40m, to: clime, config: { interval-report: 600 } }]
network: { faults: [{ loss: "20%", from: 30m, until: 50m }] }
`;

export interface HostileVerdict {
  readonly checked: number;
  readonly faults: readonly string[];
}

/** @param count number of commands, each with one answer of the target mutated */
export async function fuzzTargets(seed: string, count: number): Promise<HostileVerdict> {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-hostile-'));
  const service = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: KEY },
    ...{ clock: new RealClock(), random: seededRandom(seed), trace: { emit: () => {} } },
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const client = new DeviceCloudClient({ baseUrl: service.api, apiKey: KEY, spaceId: service.spaceId });
  let change: (text: string) => string = (text) => text;
  const proxy = createServer((request, response) => void passOn(service, request, response, (text) => change(text)));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const target = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const faults: string[] = [];
  const env = { XDG_STATE_HOME: folder, GHOSTFLEET_API_KEY: KEY };
  const file = join(folder, 'hostile.yaml');
  writeFileSync(file, SCENARIO);
  const run = ['run', file, '--link', 'http', '--speed', '1000', '--out', join(folder, 'out')];
  const record = ['record', '--out', join(folder, 'recording.json'), '--after', '1h', '--rate', '1000'];
  try {
    for (let number = 1; number <= count; number++) {
      const random = seededRandom(`${seed} ${number}`);
      let left = integerBetween(random, 0, 12);
      change = (text) => (left-- === 0 ? mutatedJson(random, JSON.parse(text || 'null')) : text);
      const args = number % 4 === 0 ? run : record;
      if (args === record) left %= 3;
      note(faults, `target ${seed} ${number}: ${args[0]}`, await ghostfleet([...args, '--target', target], { env }));
      rmSync(join(folder, 'recording.json'), { force: true });
      change = (text) => text;
      for (const { id } of await client.devices()) await client.deleteDevice(id);
    }
  } finally {
    await client.close();
    proxy.closeAllConnections();
    proxy.close();
    await service.close();
    rmSync(folder, { recursive: true });
  }
  return { checked: count, faults };
}

/** @param change the text of the answer that the client gets */
async function passOn(
  { api }: Service,
  request: IncomingMessage,
  response: ServerResponse,
  change: (text: string) => string,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { method = '', url = '', headers } = request;
  const credential = typeof headers.authorization === 'string' ? { authorization: headers.authorization } : {};
  const answer = await fetch(api + url, {
    method,
    headers: { 'x-api-key': KEY, 'content-type': 'application/json', ...credential },
    ...(parts.length > 0 && { body: Buffer.concat(parts) }),
  });
  const text = await answer.text();
  const status = answer.status === 204 ? 200 : answer.status;
  response.writeHead(status, { 'content-type': 'application/json' }).end(change(text));
}

/** @param count number of folders; each is read by one command in turn */
export async function fuzzRunFolders(seed: string, count: number): Promise<HostileVerdict> {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-hostile-'));
  const [whole, changed] = [join(folder, 'whole'), join(folder, 'changed')];
  const env = { XDG_STATE_HOME: folder, GHOSTFLEET_API_KEY: KEY };
  writeFileSync(join(folder, 'whole.yaml'), WHOLE);
  await ghostfleet(['run', join(folder, 'whole.yaml'), '--out', whole], { env });
  const summary: unknown = JSON.parse(readFileSync(join(whole, 'summary.json'), 'utf8'));
  const events = readFileSync(join(whole, 'events.jsonl'), 'utf8').trim().split('\n');
  const thing = { what: 'device "x"', why: 'y', space: null, path: '/devices/x', serial: 2_159_017_985 };
  const left = { run: 'a-b', api: 'http://127.0.0.1:1', spaceId: 's', since: '2026-01-01T00:00:00Z', things: [thing] };
  const commands = [
    { args: ['explain', changed], summary },
    { args: ['what-if', changed, '--set', 'interval-poll=60'], summary },
    { args: ['compare', changed, whole], summary },
    { args: ['runs', folder], summary },
    { args: ['diverge', changed, whole], summary },
    { args: ['clean', changed, '--target', 'http://127.0.0.1:1'], summary: { left } },
  ];
  const faults: string[] = [];
  mkdirSync(changed);
  try {
    for (let number = 1; number <= count; number++) {
      const random = seededRandom(`${seed} ${number}`);
      const { args, summary: original } = commands[number % commands.length] ?? { args: [], summary };
      writeFileSync(join(changed, 'summary.json'), mutatedSummary(random, original));
      writeFileSync(join(changed, 'events.jsonl'), `${mutatedLines(random, events).join('\n')}\n`);
      note(faults, `folder ${seed} ${number}: ${args[0]}`, await ghostfleet(args, { env }));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { checked: count, faults };
}

/** Without its digest: the log of events does not fit to it. */
function mutatedSummary(random: Draws, summary: unknown): string {
  const { digest: _, ...rest } =
    typeof summary === 'object' && summary !== null ? { digest: '', ...summary } : { digest: '' };
  return mutatedJson(random, rest);
}

function note(faults: string[], name: string, { exit, out, err }: Outcome): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  const control = /[\u0000-\u0008\u000b-\u001f\u007f\u202e]/.exec(out + err);
  if (control) faults.push(`${name}: the control character ${JSON.stringify(control[0])} in its output`);
  if (exit === 1 || /internal error/.test(err))
    faults.push(`${name}: ${err.trim().split('\n').slice(0, 3).join(' | ')}`);
}
