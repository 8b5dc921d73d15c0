/**
 * The contract of every gateway with its devices, over any kind of link: how uplinks are acknowledged and stored, and how
 * downlinks are delivered.
 */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/cloud/open-store.js';
import type { Change, Store } from '../../src/cloud/store/store.js';
import { days } from '../../src/kernel/time.js';
import { compileCodec } from '../../src/protocol/codec.js';
import type { DownMessage, UpMessage } from '../../src/protocol/messages/index.js';
import { type TestCloud, testCloud } from '../support/cloud.js';

/** A device's end of the wire. */
export interface DeviceLine {
  /** Sends an uplink; resolves with undefined if the gateway does not accept it. */
  send(message: UpMessage): Promise<{ readonly poll: boolean } | undefined>;
  /** Sends the last uplink again, as after a lost answer; resolves with the answer to one of the copies. */
  repeat(): Promise<{ readonly poll: boolean } | undefined>;
  /** Asks for a downlink and confirms it; resolves with undefined if there is none. */
  fetch(): Promise<DownMessage | undefined>;
  /** Asks for a downlink, but loses a part of the answer. */
  fetchInVain(): Promise<void>;
  /** The device loses the state of its connection. */
  restart(): void;
}

export interface LineOptions {
  readonly serial?: number;
  readonly token?: string;
}

/** @param open connects a device to a cloud */
export function gatewayContract(open: (cloud: TestCloud, options?: LineOptions) => DeviceLine): void {
  const connected = async (store?: Store) => {
    const cloud = await testCloud(store ? { store } : {});
    const device = await cloud.addDevice();
    return { cloud, device, line: open(cloud) };
  };

  describe('an uplink', () => {
    it('is stored with its type, direction and body', async () => {
      const { cloud, device, line } = await connected();
      for (const message of [SESSION, UPLOAD_DECODER, CONFIG, data(21), SHELL_ANSWER, STATS]) {
        expect(await line.send(message)).toBeDefined();
      }
      const stored = (await cloud.messages(device)).filter(({ direction }) => direction === 'up');
      expect(stored.map(({ type, body }) => [type, body])).toEqual([
        ['session', SESSION.session],
        ['decoder', { hash: DECODER.hash, name: 'test', version: 2 }],
        ['config', CONFIG.lines],
        ['data', { temperature: 21 }],
        ['shell', { message_id: ID, responses: [{ command: 'cloud state', result: -5, outputs: ['no'] }] }],
        ['stats', { uptime: 12, rsrp: -90 }],
      ]);
    });

    it('is acknowledged only when it is durable', async () => {
      const store = await openStore('memory');
      let letThrough = () => {};
      const gate = new Promise<void>((resolve) => {
        letThrough = resolve;
      });
      const { line } = await connected(withCommit(store, gate));
      let answered = false;
      const sending = line.send(data(1)).finally(() => {
        answered = true;
      });
      for (let i = 0; i < 20; i++) await setImmediate();
      expect(answered).toBe(false);
      letThrough();
      expect(await sending).toBeDefined();
    });

    it('is stored once if its response was lost', async () => {
      const { cloud, device, line } = await connected();
      await line.send(SHELL_ANSWER);
      expect(await line.repeat()).toEqual({ poll: false });
      expect(await cloud.messages(device)).toHaveLength(1);
    });

    it('is stored once if the device sends it again after a restart', async () => {
      const { cloud, device, line } = await connected();
      await line.send(data(21));
      line.restart();
      expect(await line.send(data(21))).toBeDefined();
      expect(await line.send(data(22))).toBeDefined();
      expect(await cloud.messages(device)).toHaveLength(2);
    });

    it('is stored raw if it cannot be decoded', async () => {
      const { cloud, device, line } = await connected();
      await line.send(data(21));
      expect(await cloud.messages(device)).toMatchObject([
        { type: 'data', body: null, raw: 'a10015', codecHash: DECODER.hash },
      ]);
    });

    it('of an unknown device is rejected', async () => {
      const cloud = await testCloud();
      expect(await open(cloud).send(SESSION)).toBeUndefined();
    });

    it('with a wrong claim token is rejected, and nothing is stored', async () => {
      const { cloud, device } = await connected();
      expect(await open(cloud, { token: 'f'.repeat(32) }).send(SESSION)).toBeUndefined();
      expect(await cloud.messages(device)).toEqual([]);
    });
  });

  describe('a downlink', () => {
    it('is announced in the response to an uplink', async () => {
      const { cloud, device, line } = await connected();
      expect(await line.send(data(1))).toEqual({ poll: false });
      await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
      expect(await line.send(data(2))).toEqual({ poll: true });
    });

    it('is delivered once, and is then in state sent', async () => {
      const { cloud, device, line } = await connected();
      const { id } = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
      expect(await line.fetch()).toMatchObject({ kind: 'download-shell', commands: ['one'] });
      expect(await line.fetch()).toBeUndefined();
      expect(await cloud.store.message(cloud.spaceId, id)).toMatchObject({ downState: 'sent', downAttempt: 1 });
    });

    it('waits its turn: one downlink per poll, the session first, then in queue order, configurations last', async () => {
      const { cloud, device, line } = await connected();
      await cloud.core.queue(device, { type: 'config', lines: ['app config a 1'] });
      await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
      await cloud.core.queue(device, { type: 'shell', commands: ['two'] });
      await line.send(SESSION);
      expect(await drain(line)).toMatchObject([
        { kind: 'set-session', deviceId: device.id, timestamp: Math.floor(cloud.clock.wall / 1000) },
        { kind: 'download-shell', commands: ['one'] },
        { kind: 'download-shell', commands: ['two'] },
        { kind: 'download-config', lines: ['app config a 1'] },
      ]);
    });

    it('is sent only after its offer is durable', async () => {
      const store = await openStore('memory');
      let letThrough = () => {};
      const gate = new Promise<void>((resolve) => {
        letThrough = resolve;
      });
      const { cloud, device, line } = await connected(withCommit(store, gate, 'message.offer'));
      const { id } = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
      let answered = false;
      const fetching = line.fetch().finally(() => {
        answered = true;
      });
      for (let i = 0; i < 20; i++) await setImmediate();
      expect(answered).toBe(false);
      letThrough();
      expect(await fetching).toMatchObject({ commands: ['one'] });
      expect(await cloud.store.message(cloud.spaceId, id)).toMatchObject({ downState: 'sent', downAttempt: 1 });
    });

    it('is not sent if it was cancelled while its offer was written', async () => {
      const store = await openStore('memory');
      let letThrough = () => {};
      const gate = new Promise<void>((resolve) => {
        letThrough = resolve;
      });
      const { cloud, device, line } = await connected(withCommit(store, gate, 'message.offer'));
      const row = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
      await cloud.core.queue(device, { type: 'shell', commands: ['two'] });
      const fetching = line.fetch();
      for (let i = 0; i < 20; i++) await setImmediate();
      expect(await cloud.core.cancel(row)).toBe('cancelled');
      letThrough();
      expect(await fetching).toMatchObject({ commands: ['two'] });
    });

    it('that was not received is offered again', async () => {
      const { cloud, device, line } = await connected();
      const commands = [LONG, LONG, LONG];
      await line.send(data(1));
      const { id } = await cloud.core.queue(device, { type: 'shell', commands });
      await line.fetchInVain();
      expect(await cloud.store.message(cloud.spaceId, id)).toMatchObject({ downState: 'pending' });
      expect(await line.fetch()).toMatchObject({ commands });
      expect(await cloud.store.message(cloud.spaceId, id)).toMatchObject({ downState: 'sent', downAttempt: 2 });
    });

    it('that was cancelled is not offered', async () => {
      const { cloud, device, line } = await connected();
      const row = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
      await line.send(data(1));
      expect(await cloud.core.cancel(row)).toBe('cancelled');
      expect(await line.fetch()).toBeUndefined();
    });

    it('has expired after 31 days, and is not sent', async () => {
      const { cloud, device, line } = await connected();
      const { id } = await cloud.core.queue(device, { type: 'shell', commands: ['one'] });
      await cloud.clock.runUntil(days(31));
      expect(await line.fetch()).toBeUndefined();
      expect(await cloud.store.message(cloud.spaceId, id)).toMatchObject({ downState: 'expired' });
    });

    it('with data waits until the device has uploaded an encoder, and is then sent encoded', async () => {
      const { cloud, device, line } = await connected();
      await cloud.core.queue(device, { type: 'data', body: { relay: 1 } });
      expect(await line.fetch()).toBeUndefined();
      await line.send({ kind: 'upload-encoder', hash: ENCODER.hash, document: ENCODER.bytes });
      const received = await line.fetch();
      expect(received).toMatchObject({ kind: 'download-data', hash: ENCODER.hash });
      expect(received?.kind === 'download-data' && [...received.body]).toEqual([0xa1, 0, 1]);
    });
  });
}

const DECODER = compileCodec({
  version: 2,
  type: 'decoder',
  name: 'test',
  schema: [{ name: 'temperature', value: null }],
});
const ENCODER = compileCodec({
  version: 2,
  type: 'encoder',
  name: 'test',
  schema: [{ name: 'relay', value: [{ name: '$type', value: 'int' }] }],
});
const ID = '0197a3b1-0000-7000-8000-000000000001';
const LONG = 'x'.repeat(250);

const SESSION = {
  kind: 'create-session',
  session: { serial_number: 2_159_017_986, fw_version: 'v1.2.0', imei: '350000000000001' },
} as const;
const UPLOAD_DECODER: UpMessage = { kind: 'upload-decoder', hash: DECODER.hash, document: DECODER.bytes };
const CONFIG = { kind: 'upload-config', hash: '0011223344556677', lines: ['app config a 1'] } as const;
const STATS: UpMessage = { kind: 'upload-stats', stats: { uptime: 12, rsrp: -90 } };
const SHELL_ANSWER: UpMessage = {
  kind: 'upload-shell',
  messageId: Uint8Array.from(Buffer.from(ID.replaceAll('-', ''), 'hex')),
  responses: [{ command: 'cloud state', result: -5, lines: ['no'] }],
};

/** A data uplink whose body is a CBOR map with the temperature. */
function data(temperature: number): UpMessage {
  return { kind: 'upload-data', hash: DECODER.hash, body: Uint8Array.of(0xa1, 0, temperature) };
}

/** Fetches until no downlink is left. */
async function drain(line: DeviceLine): Promise<readonly DownMessage[]> {
  const received: DownMessage[] = [];
  for (let message = await line.fetch(); message; message = await line.fetch()) received.push(message);
  return received;
}

/** A store in which each commit with a change of the kind `kept` waits until `gate` has resolved. */
function withCommit(store: Store, gate: Promise<void>, kept: Change['kind'] = 'message.insert'): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name !== 'commit') {
        const member = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      }
      const commit: Store['commit'] = async (changes) => {
        if (changes.some(({ kind }) => kind === kept)) await gate;
        return target.commit(changes);
      };
      return commit;
    },
  });
}
