/** One of each thing that a path of the API can name. */
import { type Delivery, putDelivery } from '../../../src/cloud/connectors/delivery.js';
import type { Id } from '../../../src/cloud/store/store.js';
import { writeImage } from '../../../src/protocol/firmware-image.js';
import { type Cloud, type Home, PASSWORD } from './cloud.js';

/** Ids by the collection in the path. */
export interface Things {
  readonly space: Id;
  readonly serial: string;
  readonly claimToken: string;
  readonly devices: Id;
  readonly messages: Id;
  readonly connectors: Id;
  readonly delivery: Id;
  readonly images: Id;
  readonly firmware: Id;
  readonly tags: Id;
  readonly variables: Id;
  readonly users: Id;
  readonly keys: Id;
  readonly logins: Id;
  /** End of the names of the things. */
  readonly suffix: string;
}

const IMAGE = Buffer.from(writeImage({ bundle: 'b', name: 'n', version: 'v1' }, 500)).toString('base64');
let made = 0;

/** @param tags the device gets the first of them. Default: a new tag */
export async function furnish(cloud: Cloud, home: Home, tags?: readonly Id[]): Promise<Things> {
  const maker = new Maker(cloud, home);
  const tag = tags?.[0] ?? (await maker.tag());
  const { devices, ...device } = await maker.device(tag);
  const images = await maker.image();
  const [connectors, messages] = [await maker.connector(), await maker.message(devices)];
  return {
    ...{ space: home.id, tags: tag, devices, ...device, images, connectors, messages, suffix: maker.suffix },
    delivery: await maker.delivery({ connectorId: connectors, deviceId: devices, messageId: messages }),
    firmware: await maker.update(devices, images),
    variables: await maker.variable(),
    keys: await maker.key(),
    ...(await maker.user()),
  };
}

/** Returns `things` with a new thing in one collection. @param collection segment of the path before its id */
export async function renewed(cloud: Cloud, home: Home, things: Things, collection: string): Promise<Things> {
  const maker = new Maker(cloud, home);
  switch (collection) {
    case 'devices':
      return { ...things, ...(await maker.device(things.tags)) };
    case 'messages':
      return { ...things, messages: await maker.message(things.devices) };
    case 'images':
      return { ...things, images: await maker.image() };
    case 'firmware':
      return { ...things, firmware: await maker.update((await maker.device(things.tags)).devices, things.images) };
    case 'connectors':
      return { ...things, connectors: await maker.connector() };
    case 'tags':
      return { ...things, tags: await maker.tag() };
    case 'variables':
      return { ...things, variables: await maker.variable() };
    case 'users':
      return { ...things, ...(await maker.user()) };
    case 'keys':
      return { ...things, keys: await maker.key() };
    default:
      throw new Error(`no thing is in the collection "${collection}"`);
  }
}

/** Creates things with the key of the space. */
class Maker {
  readonly #cloud: Cloud;
  readonly #home: Home;
  readonly #n = ++made;

  constructor(cloud: Cloud, home: Home) {
    this.#cloud = cloud;
    this.#home = home;
  }

  get suffix(): string {
    return String(this.#n);
  }

  async #create(path: string, body: unknown): Promise<Id> {
    const { id: space, key } = this.#home;
    return (await this.#cloud.need('POST', `/v2/spaces/${space}/${path}`, key, body)).id ?? '';
  }

  async device(tag: Id) {
    const serial = String(2_159_017_985 + this.#n);
    const claimToken = this.suffix.padStart(32, '0');
    const device = { name: `unit-${this.#n}`, serial_number: serial, token: claimToken, tags: [{ id: tag }] };
    return { devices: await this.#create('devices', device), serial, claimToken };
  }

  tag(): Promise<Id> {
    return this.#create('tags', { name: `tag-${this.#n}`, color: '#00ffaa' });
  }

  image(): Promise<Id> {
    return this.#create('firmware-images', { data: IMAGE });
  }

  update(device: Id, image: Id): Promise<Id> {
    return this.#create('firmware', { device_id: device, firmware_id: image });
  }

  message(device: Id): Promise<Id> {
    return this.#create(`devices/${device}/commands`, ['info show']);
  }

  connector(): Promise<Id> {
    return this.#create('connectors', { name: `hook-${this.#n}`, transformation: 'function main() { return null; }' });
  }

  variable(): Promise<Id> {
    return this.#create('variables', { name: `variable_${this.#n}`, value: '1' });
  }

  key(): Promise<Id> {
    return this.#create('keys', { name: `script-${this.#n}` });
  }

  async delivery(about: Pick<Delivery, 'connectorId' | 'deviceId' | 'messageId'>): Promise<Id> {
    const id = this.#cloud.ids.uuid();
    const state = { state: 'delivered', attempt: 0, log: [], dueAt: null } as const;
    const row = { id, spaceId: this.#home.id, createdAt: this.#cloud.clock.wall, ...about, ...state };
    await this.#cloud.store.commit([putDelivery(row)]);
    return id;
  }

  /** A user with a login. */
  async user(): Promise<Pick<Things, 'users' | 'logins'>> {
    const { id: space, key } = this.#home;
    const email = `guest-${this.#n}@example.org`;
    const path = `/v2/spaces/${space}/users/invite`;
    const { id: users = '', invite_token: token = '' } = await this.#cloud.need('POST', path, key, { email });
    return { users, logins: await loginOf(this.#cloud, { token, email }) };
  }
}

/** Accepts an invitation. @returns the id of the login */
async function loginOf(cloud: Cloud, invitation: { readonly token: string; readonly email: string }): Promise<Id> {
  const { access_token: token = '' } = await cloud.need(
    'POST',
    '/v2/auth/accept',
    {},
    { ...invitation, password: PASSWORD },
  );
  return ownLogin(cloud, token);
}

export async function ownLogin(cloud: Cloud, token: string): Promise<Id> {
  const { text } = await cloud.ask('GET', '/v2/auth/logins', { authorization: `Bearer ${token}` });
  const logins: readonly { readonly id: Id; readonly current: boolean }[] = JSON.parse(text);
  return logins.find(({ current }) => current)?.id ?? '';
}

/** Ids that nothing has. */
export function randomThings({ ids }: Cloud, like: Things): Things {
  const entries = Object.keys(like).map((name) => [name, ids.uuid()]);
  // The cast is safe because every field of `Things` is text.
  const random = Object.fromEntries(entries) as unknown as Things;
  return { ...random, serial: '2147483649', claimToken: 'f'.repeat(32), suffix: 'random' };
}
