/** The client against a server by hand: what it rejects, and what it repeats. */
import { describe, expect, it } from 'vitest';
import { vector } from '../../../src/protocol/dtls/bytes.js';
import { MESSAGE } from '../../../src/protocol/dtls/handshake.js';
import { EXTENSION, helloVerifyRequest } from '../../../src/protocol/dtls/hello.js';
import { againstServer, helloWith, type Progress, plainHello } from './against-server.js';

const COOKIE = helloVerifyRequest(Uint8Array.of(1, 2, 3));
const { helloVerifyRequest: REQUEST, serverHello: HELLO, serverKeyExchange: HINT, serverHelloDone: DONE } = MESSAGE;

/** A ServerHello with other bytes at a place. */
function helloWithBytes(at: number, ...bytes: readonly number[]): Uint8Array {
  const body = plainHello.slice();
  body.set(bytes, at);
  return body;
}

describe('a client ends with "unexpected message"', () => {
  it.each<[progress: Progress, types: readonly number[]]>([
    ['nothing', [HINT, DONE, 99]],
    ['hello', [REQUEST, HELLO, 99]],
    ['hello done', [REQUEST, HELLO, HINT, DONE, 99]],
  ])('after "%s" for messages of the types %j', (progress, types) => {
    for (const type of types) {
      const { server, endings } = againstServer(progress);
      server.say(type, type === REQUEST ? COOKIE : type === HELLO ? plainHello : undefined);
      expect(endings).toEqual([{ kind: 'alert', by: 'us', name: 'unexpected-message' }]);
    }
  });
});

describe('a client rejects', () => {
  it.each([
    ['a malformed request for a cookie', 'decode-error', REQUEST, Uint8Array.of(0xfe)],
    ['a malformed hello', 'decode-error', HELLO, plainHello.subarray(0, 20)],
    ['DTLS 1.0', 'protocol-version', HELLO, helloWithBytes(0, 0xfe, 0xff)],
    ['a suite that it has not offered', 'illegal-parameter', HELLO, helloWithBytes(35, 0xc0, 0xa9)],
    ['an extension that it has not offered', 'unsupported-extension', HELLO, helloWith([16, Uint8Array.of()])],
    ['a malformed connection ID', 'decode-error', HELLO, helloWith([EXTENSION.connectionId, Uint8Array.of(2, 1)])],
  ])('%s with the alert "%s"', (_, name, type, body) => {
    const { server, endings } = againstServer('nothing');
    server.say(type, body);
    expect(endings).toEqual([{ kind: 'alert', by: 'us', name }]);
  });

  it('a ServerHelloDone with content', () => {
    const { server, endings } = againstServer('hello');
    server.say(DONE, Uint8Array.of(0));
    expect(endings).toEqual([{ kind: 'alert', by: 'us', name: 'decode-error' }]);
  });

  it('a Finished message that does not prove the same view of the handshake', () => {
    const { server, client, endings } = againstServer('hello done');
    server.say(MESSAGE.finished, server.finished('client'), { epoch: 1 });
    expect(endings).toEqual([{ kind: 'alert', by: 'us', name: 'decrypt-error' }]);
    expect(client.phase).toBe('closed');
  });

  it('the fourth request for a cookie', () => {
    const { server, sent, endings } = againstServer('nothing');
    for (let n = 0; n < 3; n++) server.say(REQUEST, COOKIE);
    expect([sent.length, endings]).toEqual([4, []]);
    server.say(REQUEST, COOKIE);
    expect(endings).toEqual([{ kind: 'alert', by: 'us', name: 'handshake-failure' }]);
  });
});

describe('the last flight of a client', () => {
  it('is repeated once if the server repeats its last flight', () => {
    const { server, sent } = againstServer('hello done');
    server.say(HELLO, plainHello, { sequence: 0 });
    expect(sent.length).toBe(2);
    server.say(DONE, undefined, { sequence: 1 });
    expect(sent.length).toBe(3);
  });

  it('is not repeated for a ServerHelloDone with the number of another message', () => {
    const { server, sent } = againstServer('nothing');
    server.say(REQUEST, COOKIE);
    server.say(DONE, undefined, { sequence: 0 });
    expect(sent.length).toBe(2);
  });

  it('is not repeated after data from the server, because the data show that it has arrived', () => {
    const { server, sent, received } = againstServer('finished');
    server.record(23, Buffer.from('data'), { epoch: 1 });
    server.say(DONE, undefined, { sequence: 1 });
    expect([received, sent.length]).toEqual([['data'], 2]);
  });
});

describe('a client has an ID at the server', () => {
  const withId = helloWith([EXTENSION.connectionId, vector(1, Uint8Array.of(1, 2, 3, 4))]);

  it('as long as its connection is open', () => {
    const { client, sayHello, askForKey, finish } = againstServer('nothing');
    sayHello(withId);
    askForKey();
    expect(client.hasPeerId).toBe(false);
    finish();
    expect(client.hasPeerId).toBe(true);
    client.close();
    expect(client.hasPeerId).toBe(false);
  });

  it('only if the server assigns an ID', () => {
    expect(againstServer('finished').client.hasPeerId).toBe(false);
  });
});
