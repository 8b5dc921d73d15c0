/** Derives the keys of a connection: TLS 1.2 PRF (RFC 5246), PSK (RFC 4279), extended master secret (RFC 7627). */
import { createHmac } from 'node:crypto';
import { join, uint } from './bytes.js';

/** Keys of one direction: AES-128 and the fixed part of the nonces (RFC 6655, section 3). */
export interface WriteKeys {
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
}

export interface ConnectionKeys {
  readonly client: WriteKeys;
  readonly server: WriteKeys;
}

export interface Randoms {
  readonly client: Uint8Array;
  readonly server: Uint8Array;
}

const MASTER_SIZE = 48;
const VERIFY_SIZE = 12;
const KEY_SIZE = 16;
const SALT_SIZE = 4;

/** `length` bytes of the pseudorandom function P_SHA256. */
export function expand(secret: Uint8Array, label: string, seed: Uint8Array, length: number): Uint8Array {
  const labelled = join(Buffer.from(label, 'ascii'), seed);
  const blocks: Uint8Array[] = [];
  let chain: Uint8Array = labelled;
  for (let made = 0; made < length; made += 32) {
    chain = hmac(secret, chain);
    blocks.push(hmac(secret, join(chain, labelled)));
  }
  return join(...blocks).subarray(0, length);
}

/**
 * The master secret.
 * @param sessionHash hash of the handshake up to ClientKeyExchange, for the extended master secret; undefined for the classic
 * one
 */
export function masterSecret(psk: Uint8Array, randoms: Randoms, sessionHash: Uint8Array | undefined): Uint8Array {
  const length = uint(psk.length, 2);
  const premaster = join(length, new Uint8Array(psk.length), length, psk);
  return sessionHash
    ? expand(premaster, 'extended master secret', sessionHash, MASTER_SIZE)
    : expand(premaster, 'master secret', join(randoms.client, randoms.server), MASTER_SIZE);
}

/** The key block (RFC 5246, section 6.3). */
export function connectionKeys(master: Uint8Array, { client, server }: Randoms): ConnectionKeys {
  const block = expand(master, 'key expansion', join(server, client), 2 * (KEY_SIZE + SALT_SIZE));
  const salts = 2 * KEY_SIZE;
  return {
    client: { key: block.slice(0, KEY_SIZE), salt: block.slice(salts, salts + SALT_SIZE) },
    server: { key: block.slice(KEY_SIZE, salts), salt: block.slice(salts + SALT_SIZE) },
  };
}

/** Content of a Finished message: proves knowledge of the master secret and the same view of the handshake. */
export function verifyData(master: Uint8Array, sender: 'client' | 'server', transcript: Uint8Array): Uint8Array {
  return expand(master, `${sender} finished`, transcript, VERIFY_SIZE);
}

function hmac(key: Uint8Array, content: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(content).digest();
}
