/** The headers of each page of a list: `x-total` is the number of all items, `x-total-at-least` a lower bound of it. */
import { describe, expect, it } from 'vitest';
import { setTotal } from '../../../src/cloud/api/totals.js';
import { person } from './people.js';
import { type Call, service } from './service.js';

const NO_SCRIPT = 'function main() { return null }';

/** A space with three resources of each kind that has a list; returns the paths of the lists. */
async function furnished() {
  const made = await service();
  const { call } = made;
  const create = async (path: string, body: object) => (await call('POST', path, body)).json.id;
  const times = <T>(work: (n: number) => Promise<T>) =>
    [1, 2, 3].reduce(async (before, n) => [...(await before), await work(n)], Promise.resolve<T[]>([]));
  await times((n) => create('tags', { name: `tag-${n}`, color: '#000000' }));
  const devices = await times(async (n) => (await made.device({ serial_number: `000000000${n}` })).id);
  const [connector] = await times((n) => create('connectors', { name: `connector-${n}`, transformation: NO_SCRIPT }));
  await times((n) => create('variables', { name: `variable-${n}`, value: '' }));
  await times((n) => create('keys', { name: `key-${n}` }));
  await times((n) => call('POST', 'users/invite', { email: `user-${n}@example.org` }));
  const [image] = await times((n) => create('firmware-images', { version: `v${n}`, data: 'AAECAw==' }));
  await times((n) => create('firmware', { device_id: devices[n - 1], firmware_id: image }));
  const [message] = await times(() => create(`devices/${devices[0]}/commands`, ['info show']));
  const at = made.clock.wall;
  for (const what of ['contact', 'offered']) {
    await made.store.commit([{ kind: 'timeline.add', row: { messageId: message, at, what, detail: null } }]);
  }
  return {
    ...made,
    connector,
    lists: [
      ...['tags', 'devices', 'connectors', 'variables', 'users', 'firmware', 'firmware-images'],
      `messages/${message}/timeline`,
    ],
  };
}

async function totals(call: Call, path: string) {
  const { headers, json } = await call('GET', path);
  return {
    total: headers['x-total'],
    atLeast: headers['x-total-at-least'],
    ids: json.map((item: { id: string }) => item.id),
  };
}

describe('the number of items', () => {
  it('is on every page of a list', async () => {
    const { call, lists } = await furnished();
    for (const path of lists) {
      const first = await totals(call, `${path}?limit=2`);
      const second = await totals(call, `${path}?limit=2&offset=${first.ids[1]}`);
      const after = await totals(call, `${path}?limit=2&offset=${second.ids[0]}`);
      const whole = await totals(call, path);
      expect([path, first.total, second.total, after.total, whole.total]).toEqual([path, '3', '3', '3', '3']);
      expect([path, first.ids.length, second.ids.length, after.ids.length]).toEqual([path, 2, 1, 0]);
    }
    // The fourth key is the one with which the test calls the API.
    expect((await totals(call, 'keys?limit=1')).total).toBe('4');
  });

  it('of a filtered list includes only the items that match', async () => {
    const { call } = await furnished();
    expect((await totals(call, 'variables?limit=1&name=variable-2')).total).toBe('1');
    expect((await totals(call, 'firmware?limit=1&state=cancelled')).total).toBe('0');
    expect((await totals(call, 'devices?limit=1&serial_number=3')).total).toBe('1');
  });

  it('of the spaces of an account is on every page', async () => {
    const made = await service();
    const { call } = await person(made, 'eva@example.org');
    for (const name of ['second', 'third']) await call('POST', '/v2/spaces', { name });
    const first = await totals(call, '/v2/spaces?limit=1');
    expect([first.total, (await totals(call, `/v2/spaces?limit=1&offset=${first.ids[0]}`)).total]).toEqual(['3', '3']);
  });

  it('of messages is exact if one page holds them all; otherwise only a lower bound is known', async () => {
    const { call } = await furnished();
    const whole = await totals(call, 'messages?type=shell');
    expect(whole).toMatchObject({ total: '3', atLeast: undefined });
    expect(await totals(call, 'messages?type=shell&limit=2')).toMatchObject({ total: undefined, atLeast: '2' });
    const later = await totals(call, `messages?type=shell&limit=2&offset=${whole.ids[1]}`);
    expect(later).toMatchObject({ total: undefined, atLeast: '1' });
  });

  it('of deliveries is 0 for a connector without deliveries', async () => {
    const { call, connector } = await furnished();
    expect((await totals(call, `connectors/${connector}/deliveries?limit=1`)).total).toBe('0');
  });

  it('is a lower bound if counting stopped at its limit', () => {
    const headers: [string, number][] = [];
    const reply = { header: (name: string, value: number) => headers.push([name, value]) };
    // The cast is safe because only the headers of the reply are used.
    setTotal(reply as never, 9_999, 10_000);
    setTotal(reply as never, 10_000, 10_000);
    expect(headers).toEqual([
      ['x-total', 9_999],
      ['x-total-at-least', 10_000],
    ]);
  });
});
