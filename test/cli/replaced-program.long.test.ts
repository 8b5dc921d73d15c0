/** The files of the built program are replaced while it runs, as by an update of the package. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../support/until.js';

const OWN = ['dist', 'package.json', 'profiles', 'scenarios', 'schemas', 'templates'];
let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  mkdirSync('.bench', { recursive: true });
  folder = mkdtempSync(resolve('.bench', 'replaced-'));
  for (const name of OWN) cpSync(name, join(folder, 'app', name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'app', 'node_modules'));
});

afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function start(...args: readonly string[]): ChildProcess {
  child = spawn(process.execPath, [join(folder, 'app', 'dist', 'main.js'), ...args], { cwd: folder });
  return child;
}

function replace(): void {
  renameSync(join(folder, 'app'), join(folder, 'before'));
}

it('a service is not ready, and says that it has to be restarted', async () => {
  const { stdout } = start(
    'serve',
    '--db',
    'memory',
    '--port',
    '0',
    '--udp-port',
    '0',
    '--udp-raw-port',
    '0',
    '--json',
  );
  const hello = await new Promise<string>((read) => stdout?.once('data', (line) => read(String(line))));
  const { api, apiKey, spaceId } = JSON.parse(hello) as Readonly<Record<string, string>>;
  expect((await fetch(`${api}/readyz`)).status).toBe(200);
  replace();
  const answer = await fetch(`${api}/readyz`);
  expect([answer.status, await answer.json()]).toEqual([
    503,
    expect.objectContaining({ code: 'program-replaced', message: expect.stringContaining('start it again') }),
  ]);
  const connector = await fetch(`${api}/v2/spaces/${spaceId}/connectors`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'hook', tags: [], triggers: ['data'], transformation: 'function main() {}' }),
  });
  expect([connector.status, await connector.json()]).toEqual([
    503,
    expect.objectContaining({ code: 'program-replaced' }),
  ]);
});

it('a command that needs further files says why instead of calling it a bug', async () => {
  const file = join(folder, 'slow.yaml');
  writeFileSync(
    file,
    'name: slow\nduration: 3s\nfleet: [{ name: door, profile: push, count: 1, config: { mode: none } }]\n',
  );
  const { stderr } = start(
    'run',
    file,
    '--clock',
    'real',
    '--seeds',
    '2',
    '--workers',
    '1',
    '--out',
    join(folder, 'out'),
  );
  if (stderr === null || stderr === undefined) throw new Error('the program has no stderr');
  let seen = '';
  stderr.on('data', (part) => {
    seen += String(part);
  });
  const whole = text(stderr);
  await until(() => seen !== '');
  replace();
  const said = await whole;
  expect(said).toContain('the program was replaced or removed on disk while it ran: start it again');
  expect(said).not.toContain('a bug in ghostfleet');
});
