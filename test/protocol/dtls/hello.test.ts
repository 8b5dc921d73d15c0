/** The bodies of the hello messages: what is read, and what is malformed. */
import { describe, expect, it } from 'vitest';
import {
  clientHello,
  connectionIdIn,
  EXTENSION,
  readClientHello,
  readServerHello,
  SUITE,
  serverHello,
} from '../../../src/protocol/dtls/hello.js';

const random = new Uint8Array(32).fill(5);
const cookie = new Uint8Array(16).fill(6);
const suites = [SUITE, 0x00ff];
const extensions: ReadonlyMap<number, Uint8Array> = new Map([[EXTENSION.connectionId, Uint8Array.of(2, 7, 7)]]);
const none: ReadonlyMap<number, Uint8Array> = new Map();

const CLIENT = {
  name: 'ClientHello',
  read: readClientHello,
  whole: clientHello({ random, cookie, suites, extensions }),
};
const SERVER = { name: 'ServerHello', read: readServerHello, whole: serverHello({ random, extensions }) };
/** Bytes of the extensions above, with the length of their list. */
const LIST = 2 + 4 + 3;
/** Where the list of compressions of the ClientHello begins. */
const COMPRESSIONS_AT = CLIENT.whole.length - LIST - 2;

/** The body with these bytes in place of its extensions. */
function ending(whole: Uint8Array, ...bytes: readonly number[]): Uint8Array {
  return Uint8Array.from([...whole.subarray(0, -LIST), ...bytes]);
}

describe.each([CLIENT, SERVER])('a $name', ({ read, whole }) => {
  it('is read with its extensions', () => {
    expect(read(whole)).toMatchObject({ version: 0xfefd, random, extensions });
  });

  it('may end before the extensions', () => {
    expect(read(ending(whole))).toMatchObject({ random, extensions: none });
  });

  it('is malformed if it is cut off at any byte except before the extensions', () => {
    const readable = Array.from(whole, (_, length) => length).filter((length) => read(whole.subarray(0, length)));
    expect(readable).toEqual([whole.length - LIST]);
  });

  it('is malformed with bytes after its extensions', () => {
    expect(read(Uint8Array.from([...whole, 0]))).toBeUndefined();
  });

  it('is malformed if an extension is longer than the list', () => {
    expect(read(ending(whole, 0, 5, 0, 23, 0, 2, 0))).toBeUndefined();
  });

  it('is malformed with two extensions of one type (RFC 5246, section 7.4.1.4)', () => {
    expect(read(ending(whole, 0, 8, 0, 23, 0, 0, 0, 23, 0, 0))).toBeUndefined();
  });
});

describe('a ClientHello', () => {
  it('without extensions has no list of extensions', () => {
    expect(clientHello({ random, cookie, suites, extensions: none })).toEqual(ending(CLIENT.whole));
  });

  it('is malformed if half a cipher suite is left', () => {
    const at = 2 + 32 + 1 + 1 + 16;
    const { whole } = CLIENT;
    const body = Uint8Array.from([...whole.subarray(0, at), 0, 3, 0xc0, 0xa8, 0, ...whole.subarray(COMPRESSIONS_AT)]);
    expect(readClientHello(body)).toBeUndefined();
  });

  it('must offer "no compression", alone or among others', () => {
    const head = CLIENT.whole.subarray(0, COMPRESSIONS_AT);
    expect(readClientHello(Uint8Array.from([...head, 2, 1, 0]))).toMatchObject({ suites });
    expect(readClientHello(Uint8Array.from([...head, 1, 1]))).toBeUndefined();
  });
});

it('a ServerHello must not choose a compression', () => {
  const body = ending(SERVER.whole);
  body[body.length - 1] = 1;
  expect(readServerHello(body)).toBeUndefined();
});

describe('the connection ID in a hello', () => {
  const idOf = (...content: readonly number[]) =>
    connectionIdIn(new Map([[EXTENSION.connectionId, Uint8Array.from(content)]]));

  it('may have up to 32 bytes', () => {
    const id = new Uint8Array(32).fill(1);
    expect(idOf(32, ...id)).toEqual(id);
    expect(idOf(33, ...id, 1)).toBeUndefined();
  });

  it('is ignored with a wrong length', () => {
    expect([idOf(1, 5, 5), idOf(3, 5, 5), idOf()]).toEqual([undefined, undefined, undefined]);
  });
});
