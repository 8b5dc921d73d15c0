/** Loads on a machine that cannot send, which the tests simulate where the connections of loads are opened. */
import net from 'node:net';
import { expect, it, vi } from 'vitest';
import { EXIT } from '../../../src/kernel/errors.js';
import { runText } from '../run-text.js';

/** Lets all connections of loads fail: only they read into a buffer of their own. */
function failWith(code: string): void {
  const connect = net.connect as (options: net.NetConnectOpts) => net.Socket;
  const fake = (options: net.NetConnectOpts) =>
    'onread' in options
      ? new net.Socket().destroy(Object.assign(new Error(`connect ${code}`), { code }))
      : connect(options);
  vi.spyOn(net, 'connect').mockImplementation(fake as typeof net.connect);
}

const SCENARIO = `
name: crowded
duration: 10s
settle: 10m
fleet: [{ name: clime, profile: clime, count: 1 }]
load: [{ count-devices:, rate: 1/s }]
expect: [call.failed == 0]
`;

const runWith = (failing: string) => {
  failWith(failing);
  return runText(SCENARIO, { clock: 'real', speed: 60 });
};

it.each([
  ['EADDRNOTAVAIL', 'this machine has no free local port or address'],
  ['EMFILE', 'too many open files of this process'],
  ['EPERM', 'a firewall of this machine may block them'],
  ['EAI_AGAIN', 'the host name cannot be resolved at the moment'],
])(
  'requests that fail with %s make the run invalid, because this machine could not send them',
  async (failing, why) => {
    const { exitCode, failure, generator } = await runWith(failing);
    expect(failure).toContain(`the run is invalid: this machine could not send 10 requests: ${failing}, `);
    expect(failure).toContain(why);
    expect(exitCode).toBe(EXIT.invalid);
    expect(generator?.errors).toEqual([
      expect.objectContaining({ what: 'request', own: true, code: failing, count: 10 }),
    ]);
  },
);

it('requests that the target refuses fail the expectation, and leave the run valid', async () => {
  const { exitCode, calls } = await runWith('ECONNREFUSED');
  expect(exitCode).toBe(EXIT.expectation);
  expect(calls['count-devices']?.reasons).toEqual({ 'no answer: ECONNREFUSED, connection refused': 10 });
});
