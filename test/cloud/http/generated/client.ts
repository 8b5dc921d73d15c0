/**
 * The code of a user of the API, with a client generated from the OpenAPI document. The test beside this folder generates
 * `api.d.ts`, compiles this file with it, and runs it; the compiler of the project leaves the folder out.
 */
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

/** Registers a device, queues a command for it, and returns values from the responses. */
export async function useService(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-KEY': key } });
  const { data: spaces = [] } = await client.GET('/v2/spaces');
  const path = { space_id: spaces[0]?.id ?? '' };

  const tag = await client.POST('/v2/spaces/{space_id}/tags', {
    params: { path },
    body: { name: 'cold', color: '#1f77b4' },
  });
  const device = await client.POST('/v2/spaces/{space_id}/devices', {
    params: { path, header: { 'idempotency-key': 'onboarding-1' } },
    body: {
      ...{ name: 'freezer-1', serial_number: '2159017985', token: '00112233445566778899aabbccddeeff' },
      ...(tag.data && { tags: [{ id: tag.data.id }] }),
    },
  });
  const id = device.data?.id ?? '';
  const queued = await client.POST('/v2/spaces/{space_id}/devices/{id}/commands', {
    params: { path: { ...path, id } },
    body: ['info show'],
  });
  const devices = await client.GET('/v2/spaces/{space_id}/devices', {
    params: { path, query: { tag_ids: tag.data ? [tag.data.id] : [], sort_by: 'name', limit: 10 } },
  });
  const unknown = await client.GET('/v2/spaces/{space_id}/devices/{id}', {
    params: { path: { ...path, id: path.space_id } },
  });
  // @ts-expect-error: the compiler knows the parameters
  const misspelt = await client.GET('/v2/spaces/{space_id}/devices', { params: { path, query: { sort_bye: 'name' } } });
  return {
    serials: devices.data?.map((each) => each.serial_number),
    state: queued.data?.down_state,
    unknown: unknown.error?.statusCode,
    misspelt: misspelt.error?.message,
  };
}
