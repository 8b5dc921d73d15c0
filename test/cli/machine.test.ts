/** `ghostfleet doctor` without a database: what it finds on a machine, and what it says to do. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { isInRange, judgeMachine, type Machine, tryPort } from '../../src/cli/machine.js';
import { ghostfleet } from '../support/host.js';

const GOOD: Machine = {
  node: '24.1.0',
  supportedNode: '^20.19 || >=22',
  nativeFailure: undefined,
  ports: [
    { option: 'port', refused: undefined },
    { option: 'udp-port', refused: undefined },
  ],
  wall: Date.UTC(2026, 5, 1),
  latest: 1.5,
  openFiles: undefined,
};

it('doctor examines the machine, line by line', async () => {
  const { exit, out, err } = await ghostfleet(['doctor']);
  expect([exit, err]).toEqual([0, '']);
  const subjects = [...out.matchAll(/^(?:ok|note) {3,}(\S+(?: \S+)*) {2,}\S/gm)].map(([, subject]) => subject);
  const ports = ['port 8080', 'port 5003', 'port 5002'];
  expect(subjects).toEqual(['Node.js', 'native module', ...ports, 'clock', 'timers', 'open files']);
});

it('a good machine has only good findings', () => {
  expect(judgeMachine(GOOD).filter(({ state }) => state !== 'ok')).toEqual([]);
});

it.each<[Partial<Machine>, string, string, string]>([
  [{ node: '20.18.3' }, 'fails', '20.18.3 is not supported (^20.19 || >=22)', 'install Node.js 24'],
  [{ nativeFailure: 'Could not locate the bindings file.' }, 'fails', 'bindings file', 'npm rebuild better-sqlite3'],
  [{ ports: [{ option: 'port', refused: 'in use' }] }, 'note', 'in use', '`ghostfleet serve --port 0`'],
  [{ ports: [{ option: 'udp-raw-port', refused: 'in use' }] }, 'note', 'in use', '`ghostfleet serve --udp-raw-port 0`'],
  [{ wall: 1000 }, 'fails', '1970-01-01T00:00:01.000Z is in the past', 'set the clock'],
  [{ latest: 212.4 }, 'note', 'up to 212 ms late', 'stop other work'],
  [{ openFiles: 256 }, 'note', 'limited to 256', 'ulimit -n 4096'],
])('%j is found, and the remedy named', (part, state, text, remedy) => {
  expect(judgeMachine({ ...GOOD, ...part }).filter((finding) => finding.state !== 'ok')).toEqual([
    expect.objectContaining({
      state,
      text: expect.stringContaining(text),
      remedy: expect.stringContaining(remedy),
    }),
  ]);
});

it.each([
  ['20.19.0', true],
  ['20.18.9', false],
  ['21.9.0', false],
  ['22.0.0', true],
  ['26.1.0', true],
  ['18.20.0', false],
])('Node.js %s is in the range of package.json: %s', (version, isIn) => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(isInRange(version, engines.node)).toBe(isIn);
});

it('a port is refused while another process uses it, and free afterwards', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await tryPort(port, 'tcp')).toBe('another process uses it');
  server.close();
  await once(server, 'close');
  expect(await tryPort(port, 'tcp')).toBeUndefined();

  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port: taken } = socket.address();
  expect(await tryPort(taken, 'udp')).toBe('another process uses it');
  socket.close();
});

it('--save needs a database', async () => {
  expect(await ghostfleet(['doctor', '--save', 'copy.db'])).toMatchObject({
    exit: 2,
    err: 'ghostfleet: --save requires <db>\n',
  });
});
