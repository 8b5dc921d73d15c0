/** The server's end of a handshake against clients by hand. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/kernel/time.js';
import { vector } from '../../../src/protocol/dtls/bytes.js';
import { MESSAGE } from '../../../src/protocol/dtls/handshake.js';
import { EXTENSION, RENEGOTIATION_SUITE, SUITE } from '../../../src/protocol/dtls/hello.js';
import { CONTENT } from '../../../src/protocol/dtls/record.js';
import { againstClients, WITH_ID } from './against-clients.js';
import { network, PSK } from './pair.js';

const { clientHello: HELLO, clientKeyExchange: EXCHANGE, finished: FINISHED } = MESSAGE;
const IDENTITY_BYTES = vector(2, Buffer.from('hsn:1'));
/** A forged body, long enough for an encrypted record. */
const FORGED = new Uint8Array(40);

const alert = (name: string) => ({ kind: 'alert', by: 'us', name });

describe('the answer to a hello', () => {
  it('contains no extension that the hello does not', () => {
    const { client } = againstClients();
    expect([...(client('hello').extensions()?.keys() ?? [])]).toEqual([]);
  });

  it.each([
    ['the suite', { suites: [SUITE, RENEGOTIATION_SUITE] }],
    ['the extension', { extensions: [[EXTENSION.renegotiationInfo, vector(1)]] as const }],
  ])('contains `renegotiation_info` for %s that announces it', (_, hello) => {
    const { client } = againstClients();
    const answer = client('hello', hello).extensions();
    expect(Array.from(answer ?? [], ([type, content]) => [type, ...content])).toEqual([
      [EXTENSION.renegotiationInfo, 0],
    ]);
  });

  it('is repeated after 1 s and after 3 s', async () => {
    const { client, clock, sent } = againstClients();
    client('hello');
    await clock.runUntil(seconds(3));
    expect(sent.length).toBe(1 + 3);
  });

  it('is repeated when the hello is repeated, until the client has named its key', () => {
    const { client, sent } = againstClients({ holdsKeys: true });
    const { end, body, nameKey } = client('hello');
    end.say(HELLO, body, { sequence: 1 });
    expect(sent.length).toBe(3);
    nameKey();
    end.say(HELLO, body, { sequence: 1 });
    expect(sent.length).toBe(3);
  });
});

describe('a handshake fails', () => {
  it('with "unexpected message" for any message instead of the key exchange', () => {
    const { client, failed } = againstClients();
    client('hello').end.say(99, IDENTITY_BYTES);
    expect(failed).toMatchObject([{ ending: alert('unexpected-message') }]);
  });

  it.each([true, false])(
    'with "unexpected message" for any message instead of Finished (no key yet: %s)',
    (holdsKeys) => {
      for (const type of [EXCHANGE, 99]) {
        const { client, failed } = againstClients({ holdsKeys });
        client('key exchange').end.say(type, IDENTITY_BYTES);
        expect(failed).toMatchObject([{ ending: alert('unexpected-message') }]);
      }
    },
  );

  it('with "decode error" for a malformed key exchange', () => {
    const { client, failed } = againstClients();
    client('hello').end.say(EXCHANGE, Uint8Array.of(0, 9, 1));
    expect(failed).toMatchObject([{ identity: '', ending: alert('decode-error') }]);
  });

  it('with "decrypt error" for a Finished message that does not prove the same view of the handshake', () => {
    const { client, failed, opened } = againstClients();
    const { end, finish } = client('key exchange');
    finish(end.finished('server'));
    expect([failed, opened]).toMatchObject([[{ ending: alert('decrypt-error') }], []]);
  });

  it.each([
    ['a handshake record', {}, CONTENT.handshake],
    ['a record of hidden type', WITH_ID, CONTENT.cid],
  ])('with "decrypt error" for %s if the key does not fit', (_, hello, type) => {
    const { client, failed } = againstClients();
    const { end, id } = client('hello', hello);
    end.say(EXCHANGE, IDENTITY_BYTES);
    end.record(type, FORGED, { epoch: 1, id: id() });
    expect(failed).toMatchObject([{ ending: alert('decrypt-error') }]);
  });
});

it('data that do not fit the key do not end a handshake without connection ID', () => {
  const { client, failed, rejected } = againstClients();
  const { end } = client('hello');
  end.say(EXCHANGE, IDENTITY_BYTES);
  end.record(CONTENT.applicationData, FORGED, { epoch: 1 });
  expect([failed, rejected]).toEqual([[], ['not-authentic']]);
});

describe('as long as the server waits for the key', () => {
  it('a copy of the key exchange is not answered', () => {
    const { client, sent } = againstClients({ holdsKeys: true });
    client('key exchange').end.say(EXCHANGE, IDENTITY_BYTES, { sequence: 2 });
    expect(sent.length).toBe(2);
  });

  it('an encrypted Finished message is kept, and opens the connection with the key', () => {
    const { client, opened, asked } = againstClients({ holdsKeys: true });
    client('finished', WITH_ID);
    expect(opened.length).toBe(0);
    expect(asked[0]?.(PSK)).toBe(true);
    expect(opened.length).toBe(1);
  });

  it.each([
    [3, 1],
    [4, 0],
  ])('at most four encrypted records are kept: %i others before Finished', (others, connections) => {
    const { client, opened, asked } = againstClients({ holdsKeys: true });
    const { end, finish } = client('key exchange');
    for (let n = 0; n < others; n++) end.record(CONTENT.applicationData, Buffer.from('early'), { epoch: 1 });
    finish();
    asked[0]?.(PSK);
    expect(opened.length).toBe(connections);
  });
});

describe('the answer with the key is too late', () => {
  it('if the handshake has timed out', async () => {
    const { client, clock, opened, asked } = againstClients({ holdsKeys: true });
    client('finished');
    await clock.runUntil(seconds(30));
    expect([asked[0]?.(PSK), opened]).toEqual([false, []]);
  });

  it('if there was another answer', () => {
    const { client, opened, asked } = againstClients({ holdsKeys: true });
    const { finish } = client('key exchange');
    asked[0]?.(PSK);
    expect(asked[0]?.(undefined)).toBe(false);
    finish();
    expect(opened.length).toBe(1);
  });
});

it('a connection keeps no part of the datagram with its hello, whose memory may be used again', async () => {
  const { connect, pass } = network();
  const client = connect('a:1', { connectionId: Uint8Array.of(1, 2, 3) });
  // The hello with the cookie arrives after 30 ms.
  await pass(35);
  client.sent[1]?.fill(0);
  await pass(30);
  client.send('text');
  await pass(20);
  expect(client.received).toEqual(['text?']);
});

describe('an open connection', () => {
  it('repeats its last flight for a repeated Finished message, until data show that it has arrived', () => {
    const { client, sent } = againstClients();
    const { end, send } = client('finished');
    const datagrams = sent.length;
    end.say(FINISHED, undefined, { epoch: 1, sequence: 3 });
    expect(sent.length).toBe(datagrams + 1);
    send('data');
    end.say(FINISHED, undefined, { epoch: 1, sequence: 3 });
    expect(sent.length).toBe(datagrams + 1);
  });

  it('does not answer further messages of a handshake', () => {
    const { client, sent } = againstClients();
    const { end } = client('finished');
    const datagrams = sent.length;
    for (let n = 0; n < 2; n++) end.say(FINISHED, undefined, { epoch: 1, sequence: 4 });
    expect(sent.length).toBe(datagrams);
  });
});
