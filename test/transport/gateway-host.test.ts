/** Which address of a gateway a device sends to, and when it asks for the addresses again. */
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, it } from 'vitest';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { GatewayHost } from '../../src/transport/gateway-host.js';
import { until } from '../support/until.js';

const real = dns.lookup;

afterEach(() => resolveWith(real));

function resolveWith(lookup: unknown): void {
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
}

/** A name server whose answers are the given lists in turn; the last one is given again and again. */
function names(...answers: readonly (readonly string[] | Error)[]) {
  const asked = { count: 0 };
  resolveWith(async () => {
    const answer = answers[Math.min(asked.count++, answers.length - 1)] ?? [];
    if (answer instanceof Error) throw answer;
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  });
  return asked;
}

const failed: string[] = [];
const clock = new VirtualClock();
const open = async () => {
  failed.splice(0);
  return GatewayHost.open('cloud.test', {
    failed: (what, error) => void failed.push(`${what}: ${error.message}`),
    clock,
  });
};
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

it('a device sends all its datagrams to one address, and the name is not resolved for each of them', async () => {
  const asked = names(['192.0.2.1', '192.0.2.2'], ['192.0.2.2', '192.0.2.1']);
  const route = (await open()).route(7);
  const answered = route.watch({ receive: () => {} });
  route.reopened(1, true);
  const addresses = times(50, () => {
    const address = route.next();
    answered.receive(new Uint8Array());
    return address;
  });
  expect(new Set(addresses).size).toBe(1);
  expect(asked.count).toBeLessThanOrEqual(2);
});

it('a fleet is spread over all addresses, whatever their order in the answer', async () => {
  const routesOf = async (...answer: readonly string[]) => {
    names(answer);
    const host = await open();
    return [1, 2, 3, 4, 5, 6].map((serial) => host.route(serial).next());
  };
  const one = await routesOf('192.0.2.1', '192.0.2.2', '192.0.2.3');
  expect(new Set(one).size).toBe(3);
  expect(await routesOf('192.0.2.3', '192.0.2.1', '192.0.2.2')).toEqual(one);
});

it('a new socket keeps the address, and the first socket after a start does not', async () => {
  names(['192.0.2.1'], ['192.0.2.9']);
  const host = await open();
  const route = host.route(7);
  const answered = route.watch({ receive: () => {} });
  expect(route.next()).toBe('192.0.2.1');
  route.reopened(1, false);
  expect(route.next()).toBe('192.0.2.1');
  // The first answer serves all devices that start within a second.
  await clock.runUntil(clock.now + 1001);
  route.reopened(1, true);
  await until(() => host.addressFor(7, 0) === '192.0.2.9');
  answered.receive(new Uint8Array());
  route.reopened(1, true);
  expect(route.next()).toBe('192.0.2.9');
});

it('three datagrams in a row without an answer send a device to the next address', async () => {
  names(['192.0.2.1', '192.0.2.2']);
  const route = (await open()).route(2);
  expect(times(4, () => route.next())).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']);
});

it('a look-up that fails later is reported, and the addresses known before stay in use', async () => {
  names(['192.0.2.1'], new Error('EAI_AGAIN'));
  const host = await open();
  await clock.runUntil(clock.now + 1001);
  const route = host.route(7);
  route.reopened(1, true);
  await until(() => failed.length > 0);
  expect([route.next(), ...failed]).toEqual(['192.0.2.1', 'name: EAI_AGAIN']);
});

it('a host that cannot be resolved at the start is an error that says so', async () => {
  names(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
  await expect(open()).rejects.toThrow('cannot resolve "cloud.test": unknown host');
});

it('a host with addresses of both families is reached over IPv4 only', async () => {
  names(['192.0.2.1', '2001:db8::1']);
  const host = await open();
  expect([host.family, host.route(1).next(), host.route(2).next()]).toEqual([4, '192.0.2.1', '192.0.2.1']);
});
