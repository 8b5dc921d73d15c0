/** The messages of `ghostfleet device` if the cloud does not respond, or if an option is missing. */
import { expect, it, vi } from 'vitest';
import { watchSilence } from '../../src/cli/silence.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { ghostfleet } from '../support/host.js';

const TOKEN = '00112233445566778899aabbccddeeff';

/** Runs a device for four minutes. */
function device(...flags: readonly string[]) {
  const hurry = ['--speed', '200', '--for', '4m'];
  return ghostfleet(['device', 'clime', '--serial', '2159017985', '--token', TOKEN, ...hurry, ...flags]);
}

it.each([
  ['--udp', 'no..where:5003'],
  ['--link', 'http', '--api', 'http://no..where:8080'],
])('an unknown host is rejected at once: %s %s', async (...flags) => {
  const { exit, out, err } = await device(...flags);
  expect([exit, out]).toEqual([2, '']);
  expect(err).toBe('ghostfleet: cannot resolve "no..where": unknown host\n');
});

it('a gateway that does not respond is reported once', async () => {
  const { exit, out } = await device('--udp', '127.0.0.1:9');
  expect(out.match(/^no response from 127\.0\.0\.1:9: /gm)).toHaveLength(1);
  expect(exit).toBe(0);
});

it('an ingress that does not respond is reported, but not with --quiet', async () => {
  const ingress = ['--link', 'http', '--api', 'http://127.0.0.1:9'];
  expect((await device(...ingress, '--log', 'poll')).out).toMatch(/^no response from http:\/\/127\.0\.0\.1:9: .*\n$/);
  expect((await device(...ingress, '--quiet')).out).toBe('');
});

it('messages that are unsent at the end of --for are dropped with the reason "power off", not because of a reboot', async () => {
  const { out } = await device('--udp', '127.0.0.1:9', '--log', 'uplink');
  expect(out).toMatch(/uplink\.dropped +uplink=1 type=session why=power off\n$/);
});

it('a server that stops responding is reported once, and once more if it stops again after an answer', () => {
  const silence = watchSilence('gateway:5003', 'udp');
  const reported = (kind: string) => silence({ kind, at: 0, serial: 1 } as TraceEvent) !== undefined;
  expect(['uplink.sent', 'device.repeat', 'device.repeat', 'uplink.acked', 'device.repeat'].map(reported)).toEqual([
    false,
    true,
    false,
    false,
    true,
  ]);
});

it('a cloud that stops responding may drop datagrams as copies; this is said only of a link on which it can happen', () => {
  const message = (link: 'udp' | 'dtls' | 'http', ...kinds: readonly string[]) => {
    const silence = watchSilence('gateway:5003', link);
    return kinds.map((kind) => silence({ kind, at: 0, serial: 1 } as TraceEvent)).at(-1);
  };
  const stopped = ['device.repeat', 'uplink.acked', 'device.repeat'];
  expect(message('udp', ...stopped)).toMatch(/a new address or port, the cloud may drop its polls as copies until/);
  expect(message('dtls', ...stopped)).toBe('no response from gateway:5003: check that it is running');
  expect(message('http', ...stopped)).toBe('no response from gateway:5003: check that it is running');
});

it.each([
  ['udp', '--udp'],
  ['dtls', '--udp'],
  ['http', '--api'],
] as const)('a device that never gets a response over %s is advised to use %s', (link, option) => {
  expect(watchSilence('cloud:1', link)({ kind: 'device.repeat', at: 0, serial: 1 } as TraceEvent)).toBe(
    'no response from cloud:1: check that it is running and knows this serial number and claim token, ' +
      `or give its address with ${option}`,
  );
});

it('a device with DTLS requires the option --secret', async () => {
  const node = ['device', 'hio-node', '--serial', '2159017985', '--token', TOKEN];
  const { exit, err } = await ghostfleet([...node, '--config', 'cloud config protocol flap-dtls']);
  expect([exit, err]).toEqual([2, 'ghostfleet: DTLS requires --secret\n']);
});

it('a device that is interrupted cancels the alarm of --for, whose timer would keep the process alive', async () => {
  const after = vi.spyOn(RealClock.prototype, 'after');
  const lasting = ['--serial', '2159017985', '--token', TOKEN, '--for', '4h', '--speed', '200', '--udp', '127.0.0.1:9'];
  const { exit } = await ghostfleet(['device', 'clime', ...lasting], { interruptOn: /device\.wake/ });
  const own = after.mock.calls.findIndex(([, what]) => what === 'the end of the run');
  const clock = after.mock.contexts[own];
  expect([exit, clock instanceof RealClock && clock.waiting]).toEqual([0, 0]);
});
