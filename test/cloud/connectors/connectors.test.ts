/** The messages that a connector forwards, and the requests that it sends. */
import { afterEach, describe, expect, it } from 'vitest';
import { changeConnector, deleteConnector } from '../../../src/cloud/connectors/connector.js';
import { putVariable } from '../../../src/cloud/connectors/variables.js';
import type { Change } from '../../../src/cloud/store/store.js';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { compileCodec } from '../../../src/protocol/codec.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { always, closeAll, opened } from './opened-lab.js';

afterEach(closeAll);

const DECODER = compileCodec({ version: 2, type: 'decoder', name: 'test', schema: [{ name: 'a', value: null }] });

describe('a connector', () => {
  it('forwards the messages of a device with one of its tags', async () => {
    const { connector, device, uplink, pass, hook, deliveries, tagId, otherTagId, spaceId } = await opened();
    const forward = await connector({ tagIds: [otherTagId, tagId] });
    const session = await device();
    await uplink(session, { thermometer: { temperature: 21.5 } });
    await pass(1);
    const [delivery] = await deliveries(forward);
    expect(hook.received.map(({ method, json }) => [method, json])).toEqual([
      [
        'POST',
        {
          attempt: 0,
          message: {
            id: delivery?.messageId,
            type: 'data',
            direction: 'up',
            created_at: '2026-01-01T00:00:00.000Z',
            body: { thermometer: { temperature: 21.5 } },
          },
          device: {
            id: session.device.id,
            space_id: spaceId,
            name: 'device-2159017985',
            serial_number: '2159017985',
            label: { site: 'A' },
            tags: ['cold'],
            session_id: null,
            created_at: '2026-01-01T00:00:00.000Z',
          },
          connector: { id: forward.id, name: forward.name, timeout: 0 },
          variables: { target: hook.url },
        },
      ],
    ]);
    const at = 1_767_225_600_000;
    const entry = { attempt: 0, at, took: 0, status: 200, target: hook.url, error: null, response: null };
    expect(delivery).toMatchObject({ state: 'delivered', dueAt: null, log: [entry] });
  });

  it('forwards no messages with other tags, triggers or directions than its own, and none while it is disabled', async () => {
    const { connector, device, uplink, pass, hook, otherTagId, store } = await opened();
    await connector({ tagIds: [otherTagId] });
    await connector({ tagIds: [] });
    await connector({ triggers: ['session', 'stats'] });
    await connector({ triggers: [] });
    await connector({ direction: 'down' });
    await connector({ state: 'disabled' });
    await uplink(await device());
    await connector({ tagIds: [otherTagId] });
    await uplink(await device(2_159_017_986, []));
    await pass(minutes(1));
    expect(hook.received).toEqual([]);
    expect(await store.dueRecords('delivery', Number.MAX_SAFE_INTEGER, 9)).toEqual([]);
  });

  it('forwards no more messages when the tag that it shares with the device is deleted', async () => {
    const { connector, device, uplink, pass, hook, store, tagId } = await opened();
    await connector();
    const session = await device();
    await uplink(session, { n: 1 });
    await store.commit([{ kind: 'tag.delete', id: tagId }]);
    await uplink(session, { n: 2 });
    await pass(1);
    expect(hook.received.map(({ json }) => json.message.body)).toEqual([{ n: 1 }]);
    expect(session.device.tagIds).toEqual([]);
  });

  it('forwards by the rules that are stored when the message is committed, also if its cached device is outdated', async () => {
    const { connector, device, uplink, pass, hook, store, tagId, otherTagId } = await opened();
    const made = await connector({ tagIds: [otherTagId] });
    const session = await device();
    const steps: readonly (readonly Change[])[] = [
      [{ kind: 'device.change', id: session.device.id, change: { tagIds: [otherTagId, tagId] } }],
      [{ kind: 'tag.delete', id: otherTagId }],
      [changeConnector(made, { ...made, tagIds: [tagId] })],
      [{ kind: 'device.change', id: session.device.id, change: { tagIds: [] } }],
      [{ kind: 'device.change', id: session.device.id, change: { tagIds: [tagId] } }],
      [deleteConnector(made.id)],
    ];
    for (const [n, changes] of steps.entries()) {
      await store.commit(changes);
      await uplink(session, { after: n });
      await pass(1);
    }
    expect(hook.received.map(({ json }) => json.message.body.after)).toEqual([0, 2, 4]);
  });

  it('forwards a downlink by the rules that are stored when its delivery is committed', async () => {
    const { connector, device, core, pass, hook, store, tagId } = await opened();
    await connector({ direction: 'down', triggers: ['config'] });
    const session = await device();
    await core.queue(session.device, { type: 'config', lines: ['app config a 1'] });
    await core.take(session);
    await store.commit([{ kind: 'tag.delete', id: tagId }]);
    expect(await core.confirm(session, 'final-ack')).toBe(true);
    await pass(1);
    expect(hook.received).toEqual([]);
  });

  it('forwards decoders for the trigger codec and configurations for the trigger config, but no messages of other types', async () => {
    const { connector, device, core, pass, hook } = await opened();
    await connector({ triggers: ['codec', 'config'] });
    const session = await device();
    await core.accept(session, encodeUp({ kind: 'upload-decoder', hash: DECODER.hash, document: DECODER.bytes }));
    await core.accept(
      session,
      encodeUp({ kind: 'upload-config', hash: '00112233445566bb', lines: ['app config a 1'] }),
    );
    await core.accept(session, encodeUp({ kind: 'create-session', session: { serial_number: 2_159_017_985 } }));
    await pass(1);
    expect(hook.received.map(({ json }) => json.message.type).sort()).toEqual(['config', 'decoder']);
  });

  it('of direction down forwards downlinks after they are delivered', async () => {
    const { connector, device, core, pass, hook } = await opened();
    await connector({ direction: 'down', triggers: ['config'] });
    const session = await device();
    await core.queue(session.device, { type: 'config', lines: ['app config a 1'] });
    await core.take(session);
    await pass(1);
    expect(hook.received).toEqual([]);
    await core.confirm(session, 'final-ack');
    await pass(1);
    const message = { type: 'config', direction: 'down', body: ['app config a 1'] };
    expect(hook.received).toMatchObject([{ json: { message } }]);
  });

  it('fails, with the reason, while an older version has left more variables than fit into a job', async () => {
    const { connector, device, uplink, pass, deliveries, hook, store, ids, spaceId } = await opened();
    const forward = await connector();
    const common = { spaceId, deviceId: null, environment: null, comment: null, secure: false, locked: false };
    const excess = Array.from({ length: 1001 }, (_, n) =>
      putVariable({ ...common, id: ids.uuid(), name: `v${n}`, value: '', createdAt: 0 }),
    );
    await store.commit(excess);
    await uplink(await device());
    await pass(hours(1));
    expect(hook.received).toEqual([]);
    const error =
      'the device, or the space itself, has more than 1000 variables, or 256 KiB of their names and values: delete some';
    expect(await deliveries(forward)).toMatchObject([{ state: 'failed', log: [{ error }] }]);
  });

  it('sends nothing if its script returns null, and does not retry a script that fails', async () => {
    const { connector, device, uplink, pass, deliveries, hook } = await opened();
    const unwanted = await connector({ transformation: 'function main() { return null }' });
    const broken = await connector({ transformation: 'function main(job) { return job.message.body.system.uptime }' });
    const nowhere = await connector({ transformation: 'function main() { return { url: "ftp://x" } }' });
    await uplink(await device());
    await pass(hours(1));
    expect(hook.received).toEqual([]);
    expect(await deliveries(unwanted)).toMatchObject([{ state: 'cancelled', log: [{ error: 'main returned null' }] }]);
    expect(await deliveries(broken)).toMatchObject([
      { state: 'failed', log: [{ error: expect.stringMatching(/^TypeError/) }] },
    ]);
    expect(await deliveries(nowhere)).toMatchObject([{ state: 'failed', log: [{ target: null }] }]);
  });

  it('rejects a private address without a retry, if private addresses are not permitted', async () => {
    const { connector, device, uplink, pass, deliveries, hook } = await opened({ allowPrivate: false });
    const inside = await connector();
    await uplink(await device());
    await pass(hours(1));
    expect(hook.received).toEqual([]);
    const error = expect.stringMatching(/^"127.0.0.1" is not a public address; .* --allow-private$/);
    expect(await deliveries(inside)).toMatchObject([{ state: 'failed', log: [{ error, target: hook.url }] }]);
  });

  it('shows in a preview that its target is not permitted', async () => {
    const { connector, connectors, device, uplink, store, spaceId } = await opened({ allowPrivate: false });
    const made = await connector();
    await uplink(await device());
    const [message] = await store.messages(spaceId, { limit: 1 });
    if (message === undefined) throw new Error('there is a message');
    expect(await connectors.preview(made, message)).toEqual({
      kind: 'failed',
      why: expect.stringMatching(/^"127.0.0.1" is not a public address; .* --allow-private$/),
    });
  });

  it('checks a script without calling its main', async () => {
    const { connectors } = await opened();
    expect(await connectors.check('space', 'function main( {')).toMatch(/^SyntaxError: .* \(line 1, column \d+\)$/);
    expect(await connectors.check('space', 'function main() { throw 1 }')).toBeUndefined();
  });

  it('hides secure variables from a script in a preview, because it could print them in any form', async () => {
    const { connector, connectors, device, uplink, store, ids, spaceId, clock } = await opened();
    const print = 'function main({ variables }) { return { url: "https://example.com", data: variables.key } }';
    const made = await connector({ transformation: print });
    const variable = { environment: null, comment: null, secure: true, locked: false, deviceId: null };
    const [id, createdAt] = [ids.uuid(), clock.wall];
    await store.commit([putVariable({ ...variable, id, spaceId, createdAt, name: 'key', value: 'hush-hush' })]);
    await uplink(await device());
    const [message] = await store.messages(spaceId, { limit: 1 });
    if (message === undefined) throw new Error('there is a message');
    expect(await connectors.preview(made, message)).toMatchObject({ request: { body: '********' } });
  });

  it('gives every script its own copy of the job, in which variables of the device take precedence', async () => {
    const { connector, device, uplink, pass, hook, store, ids, spaceId, clock } = await opened({ answer: always(500) });
    const spoil = 'function main(job) { const was = JSON.stringify(job.message.body); job.message.body = 0; ';
    const send = 'return { url: job.variables.target, data: [was, job.variables.key] } }';
    await connector({ transformation: spoil + send, retryDelays: [1] });
    await connector({ transformation: spoil + send, retryDelays: [] });
    const session = await device();
    const common = { spaceId, environment: null, comment: null, secure: true, locked: false, createdAt: clock.wall };
    for (const [deviceId, value] of [
      [null, 'space'],
      [session.device.id, 'device'],
    ] as const)
      await store.commit([putVariable({ ...common, id: ids.uuid(), deviceId, name: 'key', value })]);
    await uplink(session, { a: [1] });
    await pass(seconds(2));
    expect(hook.received.map(({ json }) => json)).toEqual(Array(3).fill(['{"a":[1]}', 'device']));
  });
});
