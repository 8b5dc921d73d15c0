import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { processHost } from '../../src/cli/process-host.js';
import { bundled } from '../support/bundled.js';

/** A process, its messages, and a function that makes its standard output fail. */
function made() {
  const complaints: string[] = [];
  const stdout = new EventEmitter();
  const stderr = Object.assign(new EventEmitter(), { write: (text: string) => complaints.push(text) });
  const { versions } = process;
  const self = Object.assign(new EventEmitter(), { argv: [], env: {}, versions, exitCode: 0, stdout, stderr });
  // The cast is safe because nothing else of the process is used.
  processHost(self as unknown as NodeJS.Process);
  const fail = (code: string) => stdout.emit('error', Object.assign(new Error(code), { code }));
  return { self, complaints, fail };
}

it('lost output is reported once, and the exit code is not 0', () => {
  const { self, complaints, fail } = made();
  fail('ENOSPC');
  fail('ENOSPC');
  self.emit('exit');
  expect(complaints).toEqual(['ghostfleet: the output is incomplete: the disk is full\n']);
  expect(self.exitCode).toBe(2);
});

it('a reader that closes the pipe early is not an error', () => {
  const { self, complaints, fail } = made();
  fail('EPIPE');
  self.emit('exit');
  expect([complaints, self.exitCode]).toEqual([[], 0]);
});

it('a further process that a signal has ended has the name of the signal', async () => {
  const output = () => Object.assign(new EventEmitter(), { write: () => true });
  const own = {
    env: {},
    versions: process.versions,
    execPath: process.execPath,
    execArgv: [],
    stdout: output(),
    stderr: output(),
  };
  const kill = 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)';
  // With -e in place of the program, the first argument is its text.
  const self = Object.assign(new EventEmitter(), { ...own, argv: ['node', '-e'] });
  // The cast is safe because nothing else of the process is used.
  const ended = await processHost(self as unknown as NodeJS.Process).again([kill]).ended;
  expect([ended.exit, ended.signal]).toEqual([130, 'SIGKILL']);
});

it('a further process has none of the variables of this program, which may be secrets, but those that it is given', async () => {
  const output = () => Object.assign(new EventEmitter(), { write: () => true });
  const given = { GHOSTFLEET_VAR_token: 'secret', GHOSTFLEET_API_KEY: 'secret', GHOSTFLEET_MCP_TOKEN: 'secret' };
  const own = {
    env: { ...given, HOME: '/home/me' },
    versions: process.versions,
    execPath: process.execPath,
    execArgv: [],
    stdout: output(),
    stderr: output(),
  };
  const self = Object.assign(new EventEmitter(), { ...own, argv: ['node', '-e'] });
  // The cast is safe because nothing else of the process is used.
  const host = processHost(self as unknown as NodeJS.Process);
  const print =
    'const { GHOSTFLEET_VAR_own: own, HOME } = process.env; console.log(own, HOME, JSON.stringify(process.env))';
  const { out } = await host.again([print], { env: { GHOSTFLEET_VAR_own: 'given' } }).ended;
  expect(out).toMatch(/^given \/home\/me /);
  expect(out).not.toContain('secret');
});

it('a further process ends when the process that has started it is killed', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const first = fork(bundled(new URL('./end-with-parent.ts', import.meta.url)), [String(port)], { execArgv: [] });
  const [further] = (await once(server, 'connection')) as [Socket];
  first.kill('SIGKILL');
  await once(further.resume(), 'close');
  server.close();
});
