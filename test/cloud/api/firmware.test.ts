/** Firmware images and updates through the API. `test/cloud/firmware` and `test/cloud/delivery` test how an update runs. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { writeImage } from '../../../src/protocol/firmware-image.js';
import { service } from './service.js';

const BUILD = { bundle: 'com.hardwario.chester.app.clime', name: 'CHESTER Clime', version: 'v9.0.0' };
const CONTENT = writeImage(BUILD, 1000);
const UNKNOWN = '0197a3b1-0000-7000-8000-000000000001';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

async function lab() {
  const used = await service();
  const device = await used.device();
  const image = (await used.call('POST', 'firmware-images', { data: base64(CONTENT) })).json;
  const schedule = (firmwareId: string = image.id, deviceId = device.id) =>
    used.call('POST', 'firmware', { device_id: deviceId, firmware_id: firmwareId });
  const limitedKey = async (): Promise<{ headers: Record<string, string>; tag: { id: string } }> => {
    const tag = (await used.call('POST', 'tags', { name: 'cold', color: '#112233' })).json;
    const { key } = (await used.call('POST', 'keys', { name: 'limited', tags: [{ id: tag.id }] })).json;
    return { headers: { 'x-api-key': key }, tag };
  };
  return { ...used, register: used.device, device, image, schedule, limitedKey };
}

describe('an image', () => {
  it('contains its own version, and is listed, read and deleted', async () => {
    const { call, image } = await lab();
    expect(image).toEqual({
      id: expect.any(String),
      ...BUILD,
      size: 1000,
      sha256: createHash('sha256').update(CONTENT).digest('hex'),
      created_at: '2026-01-01T00:00:00.000Z',
    });
    expect((await call('GET', 'firmware-images')).json).toEqual([image]);
    expect((await call('GET', `firmware-images/${image.id}`)).json).toEqual(image);
    expect((await call('DELETE', `firmware-images/${image.id}`)).status).toBe(204);
    expect((await call('GET', `firmware-images/${image.id}`)).status).toBe(404);
    expect((await call('GET', 'firmware-images')).json).toEqual([]);
  });

  it('fails the updates that still need it when it is deleted, also those of devices that never ask', async () => {
    const { call, image, schedule, register } = await lab();
    const other = (await call('POST', 'firmware-images', { data: base64(CONTENT) })).json;
    const [doomed, kept] = [
      (await schedule()).json,
      (await schedule(other.id, (await register({ serial_number: '2159017986' })).id)).json,
    ];
    await call('DELETE', `firmware-images/${image.id}`);
    const states = { [doomed.id]: 'failed', [kept.id]: 'scheduled' };
    for (const [id, state] of Object.entries(states)) {
      expect((await call('GET', `firmware/${id}`)).json).toMatchObject({ state });
    }
    expect((await call('GET', `firmware/${doomed.id}`)).json.error).toBe('the image has been deleted');
    expect((await schedule(other.id)).status).toBe(201);
  });

  it('with line breaks in its base64 is refused with the way to write it without them', async () => {
    const { call } = await lab();
    const data = base64(CONTENT).replace(/(.{76})/g, '$1\n');
    const refused = await call('POST', 'firmware-images', { data });
    expect(refused).toMatchObject({ status: 400, json: { message: expect.stringContaining('base64 -w 0') } });
  });

  it('that does not contain its version requires one in the request', async () => {
    const { call } = await lab();
    const data = base64(Uint8Array.of(0x3d, 0xb8, 0xf3, 0x96));
    const refused = await call('POST', 'firmware-images', { data });
    expect(refused).toMatchObject({ status: 400, json: { message: expect.stringContaining('"version"') } });
    const image = (await call('POST', 'firmware-images', { data, version: 'v3.6.0' })).json;
    expect(image).toMatchObject({ version: 'v3.6.0', bundle: null, name: null, size: 4 });
  });

  it.each<readonly [string, Uint8Array, string]>([
    [
      'a page',
      Buffer.from('<!doctype html><p>Not found'),
      'is a text that begins with "<!doctype html><", not a firmware',
    ],
    ['Intel HEX', Buffer.from(':020000040000FA\n:1000000000'), 'is a text that begins with ":020000040000FA\\n"'],
    ['a short text', Buffer.from('hello'), 'is a text that begins with "hello", not a firmware image'],
    ['base64 twice', Buffer.from(base64(CONTENT)), 'is a text that begins with "R0hPU1RGTEVFVC1G", not a firmware'],
    ['an archive', Buffer.from('PK\x03\x04\x14\0'), 'is a ZIP archive, not a firmware image'],
    ['half an image', CONTENT.subarray(0, 500), 'is damaged: its checksum is wrong, or it is cut'],
    ['its header alone', CONTENT.subarray(0, 30), 'is damaged'],
    ['an image with a changed byte', Buffer.concat([CONTENT.subarray(0, 999), Buffer.of(7)]), 'is damaged'],
    [
      'half an image for MCUboot',
      Buffer.from('3db8f396000000000002000000100000'.padEnd(2000, '0'), 'hex'),
      'is cut: it has 1000 of at least 4608 bytes',
    ],
  ])('is rejected if it is %s', async (_, content, reason) => {
    const { call } = await lab();
    const answer = await call('POST', 'firmware-images', { data: base64(content), version: 'v9.0.0' });
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain(`the image in "data" ${reason}`);
  });

  it.each([['3db8f396'], ['3DB8F39600000000'], ['00000000']])(
    'is rejected if its data is %s: hex digits',
    async (data) => {
      const { call } = await lab();
      const answer = await call('POST', 'firmware-images', { data, version: 'v9.0.0' });
      expect(answer).toMatchObject({
        status: 400,
        json: { message: 'the image in "data" is in hex digits, not in base64' },
      });
    },
  );

  it('may be damaged if the request says so', async () => {
    const { call } = await lab();
    const half = { data: base64(CONTENT.subarray(0, 500)), version: 'v9.0.0', damaged: true };
    expect((await call('POST', 'firmware-images', half)).json).toMatchObject({ version: 'v9.0.0', size: 500 });
    const page = { data: base64(Buffer.from('<!doctype html><p>Not found')), version: 'v9.0.0', damaged: true };
    expect((await call('POST', 'firmware-images', page)).status).toBe(400);
  });

  it('is rejected if its labels contradict the request; only the name may differ', async () => {
    const { call } = await lab();
    const upload = (labels: object) => call('POST', 'firmware-images', { data: base64(CONTENT), ...labels });
    expect((await upload({ version: 'v1.2.3', bundle: 'com.other' })).json.message).toBe(
      'bundle in the image "com.hardwario.chester.app.clime" is not the bundle "com.other"; ' +
        'version in the image "v9.0.0" is not the version "v1.2.3"',
    );
    expect((await upload({ ...BUILD, name: 'release' })).status).toBe(201);
  });

  it.each([[''], ['!!!!'], ['YQ='], [7]])('is rejected if its data is %j, which is not base64', async (data) => {
    const { call } = await lab();
    expect((await call('POST', 'firmware-images', { data, version: 'v1' })).status).toBe(400);
  });

  it.each([
    ['name', '\u001b[2J'],
    ['bundle', 'x\0'],
    ['version', '\u009b31m'],
    ['name', ''],
    ['version', ' '],
    ['bundle', 'x'.repeat(128)],
  ])('is rejected if the %s in its header is %j', async (field, text) => {
    const { call } = await lab();
    const answer = await call('POST', 'firmware-images', {
      data: base64(writeImage({ ...BUILD, [field]: text }, 1000)).replace(/=+$/, ''),
    });
    expect(answer).toMatchObject({ status: 400, json: { message: expect.stringMatching(`^${field} in the image `) } });
  });

  it.each(['\u202ev1', 'v1\u2028', '\u2066v1'])('is rejected if its version is %j', async (version) => {
    const { call } = await lab();
    expect((await call('POST', 'firmware-images', { data: 'AQID', version })).status).toBe(400);
  });

  it('is rejected if the space has 100 images', async () => {
    const { call, image } = await lab();
    const uploads = Array.from({ length: 100 }, () => call('POST', 'firmware-images', { data: 'AQID', version: 'v1' }));
    const rejected = (await Promise.all(uploads)).filter(({ status }) => status !== 201);
    expect(rejected).toMatchObject([{ status: 409, json: { code: 'quota' } }]);
    await call('DELETE', `firmware-images/${image.id}`);
    expect((await call('POST', 'firmware-images', { data: 'AQID', version: 'v1' })).status).toBe(201);
  });

  it('is stored once if it is uploaded twice with the same idempotency key', async () => {
    const { call } = await lab();
    const upload = () => call('POST', 'firmware-images', { data: base64(CONTENT) }, { 'idempotency-key': 'the-same' });
    expect((await upload()).json).toEqual((await upload()).json);
    expect((await call('GET', 'firmware-images')).json).toHaveLength(2);
  });
});

describe('an update', () => {
  it('is scheduled, and its first chunk queued', async () => {
    const { call, device, image, schedule, spaceId } = await lab();
    const scheduled = await schedule();
    expect(scheduled.status).toBe(201);
    expect(scheduled.json).toEqual({
      id: expect.any(String),
      space_id: spaceId,
      device_id: device.id,
      firmware_id: image.id,
      target: 'app',
      ...BUILD,
      size: 1000,
      offset: 0,
      state: 'scheduled',
      error: null,
      scheduled_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      timeline: [{ state: 'scheduled', at: '2026-01-01T00:00:00.000Z' }],
    });
    expect((await call('GET', `firmware/${scheduled.json.id}`)).json).toEqual(scheduled.json);
    const [chunk] = (await call('GET', 'messages?type=firmware')).json;
    expect(chunk).toMatchObject({ direction: 'down', down_state: 'pending', body: { offset: 0, length: 256 } });
  });

  it('can be scheduled at the path of its device, and with an image id of 32 hex digits', async () => {
    const { call, device, image } = await lab();
    const firmwareId = image.id.replaceAll('-', '').toUpperCase();
    const scheduled = await call('POST', `devices/${device.id}/firmware`, { firmware_id: firmwareId, target: 'app' });
    expect(scheduled).toMatchObject({ status: 201, json: { firmware_id: image.id } });
    expect((await call('GET', `devices/${device.id}/firmware`)).json).toEqual([scheduled.json]);
  });

  it('is rejected while the device has another open update', async () => {
    const { schedule } = await lab();
    await schedule();
    expect(await schedule()).toMatchObject({
      status: 409,
      json: { message: expect.stringContaining('has not ended') },
    });
  });

  it('is scheduled once if the request is repeated with the same idempotency key', async () => {
    const { call, device, image } = await lab();
    const body = { device_id: device.id, firmware_id: image.id };
    const schedule = () => call('POST', 'firmware', body, { 'idempotency-key': 'the-same' });
    expect((await schedule()).json).toEqual((await schedule()).json);
  });

  it.each([
    ['an unknown device', { device_id: UNKNOWN }, 400],
    ['an unknown image', { firmware_id: UNKNOWN }, 400],
    ['an invalid identifier', { firmware_id: 'latest' }, 400],
    ['an unknown target', { target: 'modem' }, 400],
  ])('is refused for %s', async (_, change, status) => {
    const { call, device, image } = await lab();
    const body = { device_id: device.id, firmware_id: image.id, ...change };
    expect((await call('POST', 'firmware', body)).status).toBe(status);
  });

  it('is cancelled together with its chunk, and a new one can be scheduled', async () => {
    const { call, schedule } = await lab();
    const { id } = (await schedule()).json;
    expect(await call('POST', `firmware/${id}/cancel`)).toMatchObject({ status: 200, json: { state: 'cancelled' } });
    expect((await call('GET', 'messages?type=firmware')).json).toMatchObject([{ down_state: 'cancelled' }]);
    expect((await call('POST', `firmware/${id}/cancel`)).status).toBe(409);
    const next = (await schedule()).json;
    expect((await call('DELETE', `firmware/${next.id}`)).status).toBe(204);
    expect((await call('DELETE', `firmware/${UNKNOWN}`)).status).toBe(404);
  });

  it('is cancelled when its device is removed, and can still be read', async () => {
    const { call, device, schedule } = await lab();
    const { id } = (await schedule()).json;
    await call('DELETE', `devices/${device.id}`);
    expect((await call('GET', `firmware/${id}`)).json).toMatchObject({
      state: 'cancelled',
      error: 'the device was removed',
    });
  });
});

describe('the list of updates', () => {
  it('is filtered by device and state, and is paged', async () => {
    const { call, device, schedule, register } = await lab();
    const other = await register({ name: 'other', serial_number: '2159017986' });
    const first = (await schedule()).json;
    await call('POST', `firmware/${first.id}/cancel`);
    const second = (await schedule()).json;
    const third = (await schedule(undefined, other.id)).json;
    const listed = async (query: string) =>
      (await call('GET', `firmware${query}`)).json.map(({ id }: { id: string }) => id);
    expect(await listed('')).toEqual([first.id, second.id, third.id]);
    expect(await listed(`?device_id=${device.id}`)).toEqual([first.id, second.id]);
    expect(await listed('?state=scheduled')).toEqual([second.id, third.id]);
    expect(await listed(`?limit=1&offset=${first.id}`)).toEqual([second.id]);
    expect(await listed(`?offset=${third.id}`)).toEqual([]);
    expect((await call('GET', 'firmware?state=done')).status).toBe(400);
  });

  it('shows a key that is limited to tags only the updates of devices with these tags', async () => {
    const { call, device, image, schedule, limitedKey, register } = await lab();
    const { headers, tag } = await limitedKey();
    const mine = await register({ name: 'mine', serial_number: '2159017986', tags: [{ id: tag.id }] });
    const foreign = (await schedule()).json;
    const body = { device_id: mine.id, firmware_id: image.id };
    const own = (await call('POST', 'firmware', body, headers)).json;
    expect((await call('GET', 'firmware', undefined, headers)).json).toEqual([own]);
    expect((await call('GET', `firmware/${foreign.id}`, undefined, headers)).status).toBe(404);
    const notMine = { ...body, device_id: device.id };
    expect((await call('POST', 'firmware', notMine, headers)).json.code).toBe('unknown-id');
    expect((await call('POST', 'firmware-images', { data: base64(CONTENT) }, headers)).status).toBe(403);
    await call('PUT', `tags/${tag.id}`, { access_type: 'read' });
    expect((await call('POST', `firmware/${own.id}/cancel`, undefined, headers)).status).toBe(403);
  });
});
