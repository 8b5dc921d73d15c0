import { describeKey, optional, record, text } from '../../input/checks.js';
import type { SetupKind } from './kind.js';

type ClientOptions = {
  readonly name: string;
  /** Name of the client's space, which others may share; null for that of the fleet. */
  readonly space: string | null;
};

const name = text(/^[a-z][a-z0-9-]{0,63}$/, 'a name of small letters, digits and hyphens that begins with a letter');

/** Another user of the cloud, with its own API key. Rate limits apply to each key separately. */
export const client: SetupKind<ClientOptions> = {
  about: 'a client with its own API key, in the space of the fleet or in another one; loads can use it',
  example: 'client: { name: neighbour, space: next-door }',
  check: record('client', {
    name: describeKey('Name of the client, for the key `as` of loads.', 'neighbour', name),
    space: optional(describeKey('Name of its space. Default: that of the fleet.', 'next-door', name), null),
  }),
  describe: ({ name: called, space }) => `"${called}"${space === null ? '' : ` in the space "${space}"`}`,
  run: async (world, { name: called, space }) => {
    const api = await world.spaceApi(space);
    const made = { what: `key "${called}"`, path: '/keys/{id}', by: { name: called }, space };
    const { key } = await world.create(made, () => api.createKey({ name: called }));
    world.nameClient(called, { spaceId: api.spaceId, apiKey: key });
  },
};
