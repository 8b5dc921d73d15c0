/** The bodies of the hello messages, and their extensions (RFC 6347, section 4.3.2; RFC 5246, section 7.4.1). */
import { ByteReader, join, uint, vector } from './bytes.js';
import { DTLS_1_0, DTLS_1_2 } from './record.js';

/** TLS_PSK_WITH_AES_128_CCM_8 (RFC 6655), the only cipher suite (wire W-10). */
export const SUITE = 0xc0a8;
/** TLS_EMPTY_RENEGOTIATION_INFO_SCSV (RFC 5746, section 3.3): a signal in the list of suites, not a cipher suite. */
export const RENEGOTIATION_SUITE = 0x00ff;

export const EXTENSION = {
  /** RFC 7627. */
  extendedMasterSecret: 23,
  /** RFC 9146. */
  connectionId: 54,
  /** RFC 5746. */
  renegotiationInfo: 0xff01,
} as const;

/** Content of the extensions, by type. */
type Extensions = ReadonlyMap<number, Uint8Array>;

const RANDOM_SIZE = 32;
const NO_COMPRESSION = 0;
/** Maximum length in bytes of a connection ID that this implementation accepts; the RFC allows 255. */
const LONGEST_ID = 32;

export interface ClientHello {
  readonly version: number;
  readonly random: Uint8Array;
  readonly sessionId: Uint8Array;
  readonly cookie: Uint8Array;
  readonly suites: readonly number[];
  readonly extensions: Extensions;
}

interface ServerHello {
  readonly version: number;
  readonly random: Uint8Array;
  readonly suite: number;
  readonly extensions: Extensions;
}

/** Reads a ClientHello; undefined if it is malformed or requires compression. */
export function readClientHello(body: Uint8Array): ClientHello | undefined {
  const reader = new ByteReader(body);
  const version = reader.uint(2);
  const random = reader.take(RANDOM_SIZE);
  const sessionId = reader.vector(1);
  const cookie = reader.vector(1);
  const suites = uint16sIn(reader.vector(2));
  const compressions = reader.vector(1);
  const extensions = extensionsIn(reader);
  if (!reader.complete || !extensions || !suites || !compressions.includes(NO_COMPRESSION)) return undefined;
  return { version, random, sessionId, cookie, suites, extensions };
}

export function clientHello(hello: Omit<ClientHello, 'version' | 'sessionId'>): Uint8Array {
  const suites = hello.suites.map((suite) => uint(suite, 2));
  return join(
    ...[uint(DTLS_1_2, 2), hello.random, vector(1), vector(1, hello.cookie), vector(2, ...suites)],
    ...[vector(1, uint(NO_COMPRESSION, 1)), encodeExtensions(hello.extensions)],
  );
}

/** Reads a ServerHello; undefined if it is malformed or chooses compression. */
export function readServerHello(body: Uint8Array): ServerHello | undefined {
  const reader = new ByteReader(body);
  const version = reader.uint(2);
  const random = reader.take(RANDOM_SIZE);
  reader.vector(1);
  const suite = reader.uint(2);
  const compression = reader.uint(1);
  const extensions = extensionsIn(reader);
  if (!reader.complete || !extensions || compression !== NO_COMPRESSION) return undefined;
  return { version, random, suite, extensions };
}

/** A ServerHello without a session ID: sessions are not resumed. */
export function serverHello({ random, extensions }: Pick<ServerHello, 'random' | 'extensions'>): Uint8Array {
  const choice = [vector(1), uint(SUITE, 2), uint(NO_COMPRESSION, 1)];
  return join(uint(DTLS_1_2, 2), random, ...choice, encodeExtensions(extensions));
}

/** The cookie in a HelloVerifyRequest; undefined for a malformed one. */
export function readHelloVerifyRequest(body: Uint8Array): Uint8Array | undefined {
  const reader = new ByteReader(body);
  reader.uint(2);
  const cookie = reader.vector(1);
  return reader.complete ? cookie : undefined;
}

/** A HelloVerifyRequest. Its version field is always DTLS 1.0 (RFC 6347, section 4.2.1). */
export function helloVerifyRequest(cookie: Uint8Array): Uint8Array {
  return join(uint(DTLS_1_0, 2), vector(1, cookie));
}

/** The connection ID that the sender of a hello wants to receive; undefined if it names none, or an invalid one. */
export function connectionIdIn(extensions: Extensions): Uint8Array | undefined {
  const content = extensions.get(EXTENSION.connectionId);
  if (content === undefined) return undefined;
  const reader = new ByteReader(content);
  const id = reader.vector(1);
  return reader.complete && id.length <= LONGEST_ID ? id : undefined;
}

/** Reads the extensions of a hello; undefined for a malformed list, or if a type occurs twice. */
function extensionsIn(reader: ByteReader): Extensions | undefined {
  const extensions = new Map<number, Uint8Array>();
  // A hello without extensions ends before their length.
  if (reader.left === 0) return extensions;
  const list = new ByteReader(reader.vector(2));
  while (list.left > 0) {
    const type = list.uint(2);
    const content = list.vector(2);
    if (extensions.has(type)) return undefined;
    extensions.set(type, content);
  }
  return list.complete ? extensions : undefined;
}

function encodeExtensions(extensions: Extensions): Uint8Array {
  if (extensions.size === 0) return new Uint8Array(0);
  return vector(2, ...Array.from(extensions, ([type, content]) => join(uint(type, 2), vector(2, content))));
}

function uint16sIn(bytes: Uint8Array): readonly number[] | undefined {
  const reader = new ByteReader(bytes);
  const numbers: number[] = [];
  while (reader.left > 0) numbers.push(reader.uint(2));
  return reader.complete ? numbers : undefined;
}
