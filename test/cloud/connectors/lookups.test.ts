/** The lookups of the targets' names, and who waits for them. */
import { expect, it } from 'vitest';
import { type Lookup, Lookups } from '../../../src/cloud/connectors/lookups.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

/** Lookups that end when the test ends them. */
function held() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const lookup: Lookup = (hostname, _options, callback) => {
    begun.push(hostname);
    ends.set(hostname, () => callback(null, '192.0.2.1', 4));
  };
  const lookups = new Lookups(lookup, new VirtualClock());
  const answered: string[] = [];
  const ask = (tenant: string, name: string, signal = new AbortController().signal) =>
    lookups.of(tenant, signal)(name, {}, (_, address) => answered.push(`${name} ${address}`));
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, answered, ask, end };
}

it('a tenant looks up one name at a time, and the name of another tenant is looked up at once', async () => {
  const { begun, ask, end } = held();
  for (const name of ['slow1', 'slow2', 'slow3']) ask('a', name);
  ask('b', 'fast');
  expect(begun).toEqual(['slow1', 'fast']);
  await end('fast');
  expect(begun).toEqual(['slow1', 'fast']);
  await end('slow1');
  expect(begun).toEqual(['slow1', 'fast', 'slow2']);
});

it('a name is not looked up twice at a time for a tenant, and all requests get the answer', async () => {
  const { begun, answered, ask, end } = held();
  for (let n = 0; n < 3; n++) ask('a', 'hook');
  expect(begun).toEqual(['hook']);
  await end('hook');
  expect(answered).toEqual(Array(3).fill('hook 192.0.2.1'));
  ask('a', 'hook');
  expect(begun).toEqual(['hook', 'hook']);
});

it('a lookup for which no request waits is not begun, and one whose request has ended frees its place in the end', async () => {
  const { begun, answered, ask, end } = held();
  const aborter = new AbortController();
  for (const name of ['slow1', 'slow2', 'slow3']) ask('a', name, aborter.signal);
  aborter.abort();
  ask('a', 'hook');
  expect(begun).toEqual(['slow1']);
  await end('slow1');
  expect(begun).toEqual(['slow1', 'hook']);
  await end('hook');
  expect(answered).toEqual(['hook 192.0.2.1']);
});
